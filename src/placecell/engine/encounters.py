"""What movers did to each other: who passed what, and who touched what.

Knows smoothed ways and sizes. Contacts are found where upright cylinders meet, each as wide as its thing's longest
horizontal side: early for long things, never late.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from placecell.engine.derived import way_along
from placecell.engine.movement import Event
from placecell.engine.windows import Window
from placecell.geometry.transforms import Array
from placecell.memory.scene import SpatialMemory
from placecell.memory.track import Track

_BESIDE = 4.0
"""A thing is passed within this many times the larger of both widths, or half the length of the way."""


def encounters(
    memory: SpatialMemory,
    track: Track,
    during: Window,
    still: float,
    *,
    others: Sequence[Track] | None = None,
    camera: bool = True,
) -> list[Event]:
    """Passes and contacts of the track with ``others`` (without a wish: all other tracks), in order of time.

    ``camera``: passes of the camera too.
    """
    events: list[Event] = []
    inside = track.between(during.start_s, during.end_s)
    if len(inside) < 3:
        return events
    times = track.times_s[inside]
    own = way_along(track)[inside]
    for other in memory.tracks if others is None else others:
        if other.id == track.id or not _overlap(track, other):
            continue
        theirs = _at(other, times)
        events += _contacts(times, own - theirs, track, other)
        events += _passes(times, own, theirs, max(_width(track), _width(other)), still, other.name, other.id)
    cameras = [
        (f.time_s, f.camera.centre) for f in memory.posed_frames if f.camera is not None and f.time_s is not None
    ]
    if camera and len(cameras) > 1:
        at, centres = np.array([t for t, _ in cameras]), np.array([c for _, c in cameras])
        eye = np.stack([np.interp(times, at, centres[:, k]) for k in range(3)], axis=-1)
        events += _passes(times, own, eye, _width(track), still, "camera", None)
    return sorted(events, key=lambda e: e.at_s)


def _overlap(a: Track, b: Track) -> bool:
    return _rests(a) or _rests(b) or (a.span_s[0] <= b.span_s[1] and b.span_s[0] <= a.span_s[1])


def _rests(track: Track) -> bool:
    """Whether it is where it is also when nobody looks."""
    return not np.ptp(track.centres, axis=0).any()


def _width(track: Track) -> float:
    return track.width or track.size


def _at(track: Track, times: Array) -> Array:
    """(n, 3) where it is at these times; NaN outside its span, unless it rests."""
    points = way_along(track)
    outside = ((times < track.times_s[0]) | (times > track.times_s[-1])) & (not _rests(track))
    found = np.stack([np.interp(times, track.times_s, points[:, k]) for k in range(3)], axis=-1)
    found[outside] = np.nan
    return found


def _contacts(times: Array, gap: Array, track: Track, other: Track) -> list[Event]:
    """A contact where two that were apart come within reach of each other."""
    beside = np.hypot(gap[:, 0], gap[:, 2]) <= (_width(track) + _width(other)) / 2
    near = beside & (np.abs(gap[:, 1]) <= (track.size + other.size) / 2)
    begins = np.flatnonzero(near[1:] & ~near[:-1] & np.isfinite(gap[:-1, 0])) + 1
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
