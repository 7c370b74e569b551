"""What movers did to each other: who passed what, and who touched what.

Knows smoothed ways and sizes. A thing is as big as its longest side, so contacts are found where the balls of these
sizes meet: early for long things, never late.
"""

from __future__ import annotations

import numpy as np

from placecell.engine.movement import Event
from placecell.engine.ways import smoothed
from placecell.engine.windows import Window
from placecell.geometry.transforms import Array
from placecell.memory.scene import SpatialMemory
from placecell.memory.track import Track

_BESIDE = 4.0
"""A thing is passed within this many times the larger of both sizes, or half the length of the way."""


def encounters(memory: SpatialMemory, track: Track, during: Window, still: float) -> list[Event]:
    """Passes and contacts of the track with other tracks and with the camera, in order of time."""
    events: list[Event] = []
    inside = track.between(during.start_s, during.end_s)
    if len(inside) < 3:
        return events
    times = track.times_s[inside]
    own = smoothed(track.times_s, track.centres)[inside]
    for other in memory.tracks:
        if other.id == track.id or not _overlap(track, other):
            continue
        theirs = _at(other, times)
        events += _contacts(times, own - theirs, (track.size + other.size) / 2, other)
        events += _passes(times, own, theirs, max(track.size, other.size), still, other.name, other.id)
    cameras = [
        (f.time_s, f.camera.centre) for f in memory.posed_frames if f.camera is not None and f.time_s is not None
    ]
    if len(cameras) > 1:
        at, centres = np.array([t for t, _ in cameras]), np.array([c for _, c in cameras])
        camera = np.stack([np.interp(times, at, centres[:, k]) for k in range(3)], axis=-1)
        events += _passes(times, own, camera, track.size, still, "camera", None)
    return sorted(events, key=lambda e: e.at_s)


def _overlap(a: Track, b: Track) -> bool:
    return a.span_s[0] <= b.span_s[1] and b.span_s[0] <= a.span_s[1]


def _at(track: Track, times: Array) -> Array:
    """(n, 3) where it is at these times; NaN outside its span."""
    points = smoothed(track.times_s, track.centres)
    outside = (times < track.times_s[0]) | (times > track.times_s[-1])
    found = np.stack([np.interp(times, track.times_s, points[:, k]) for k in range(3)], axis=-1)
    found[outside] = np.nan
    return found


def _contacts(times: Array, gap: Array, reach: float, other: Track) -> list[Event]:
    """A contact where two that were apart come within reach of each other."""
    apart = np.linalg.norm(gap, axis=1)
    near = apart <= reach
    begins = np.flatnonzero(near[1:] & (apart[:-1] > reach)) + 1
    return [Event("contact", float(times[i]), other.name, other.id) for i in begins]


def _passes(
    times: Array, own: Array, theirs: Array, size: float, still: float, name: str, other: int | None
) -> list[Event]:
    """A pass where the other goes from ahead to behind, along the way the mover takes around that moment."""
    events: list[Event] = []
    relative = theirs - own
    velocity = np.gradient(own, times, axis=0)
    speed = np.linalg.norm(velocity, axis=1)
    way = np.linalg.norm(np.diff(own, axis=0), axis=1).sum()
    if way <= still:
        return events
    ahead = (relative * velocity).sum(axis=1) / np.maximum(speed, 1e-12)
    aside = np.linalg.norm(relative - ahead[:, None] * velocity / np.maximum(speed, 1e-12)[:, None], axis=1)
    fast = speed > 0.2 * speed.max()
    crossed = np.flatnonzero((ahead[:-1] > 0) & (ahead[1:] <= 0) & fast[:-1] & fast[1:])
    for i in crossed.tolist():
        before, after = ahead[max(0, i - 3)], ahead[min(len(ahead) - 1, i + 4)]
        if aside[i] <= max(_BESIDE * size, way / 2) and before - after > still / 2:
            events.append(Event("pass", float(times[i]), name, other))
    return events[:1] if other is None else events
