"""Operations over time: tracks, motion, events; computed in ``motion``, ``encounters`` and ``camera_motion``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

import numpy as np

from placecell.engine.camera_motion import camera_movement
from placecell.engine.context import Context
from placecell.engine.encounters import encounters
from placecell.engine.grounding import ground
from placecell.engine.motion import movement
from placecell.engine.movement import MotionFrame, Movement
from placecell.engine.registry import implements
from placecell.engine.values import Absent, Count, Evidence, MotionValue, Text, TrackValue, Value
from placecell.engine.windows import Window, window
from placecell.memory.names import look_up
from placecell.memory.scene import Instance, SpatialMemory
from placecell.memory.track import Track, true_track

_SURE_ABSENT = 0.95
"""How sure it is that a thing that was looked for in every frame and never found is not there."""
_CERTAIN = 0.5
_TURN_DEG, _SPIN_DEG = 30.0, 45.0
_BETWEEN = ("pass", "contact")


@implements("track_object")
def track_object(context: Context, memory: SpatialMemory, name: str) -> TrackValue | Absent:
    """Every track that the name means, surest first; objects at rest have one that stays in its place."""
    if not memory.dynamic:
        message = f"the memory holds no movement over time, so the {name} has no track"
        return Absent("track", "not in memory", message)
    names = sorted({t.name for t in memory.tracks})
    found = look_up(name, names, memory.vocabulary)
    tracks = [t for t in memory.tracks if t.name in found.match.names]
    if not tracks:
        at_rest = ground(memory, name)
        tracks = [track for i in at_rest.instances if (track := _resting(memory, i)) is not None]
        if not tracks:
            sure = _SURE_ABSENT if at_rest.reason == "not found" else 0.0
            return TrackValue(name, (), at_rest.reason or "not found", sure)
    tracks.sort(key=lambda t: (-t.confidence, t.id))
    return TrackValue(
        name, tuple(tracks), None, 1 - float(np.prod([1 - t.confidence for t in tracks])), _rests_on(tracks)
    )


@implements("measure_motion")
def measure_motion(
    context: Context,
    memory: SpatialMemory,
    mover: Value | str,
    frame: MotionFrame,
    during: str,
    at: float | None = None,
) -> MotionValue | Absent:
    """What every track did, or the camera, in a part of the video."""
    part = window(memory, during, at)
    if isinstance(part, Absent):
        return part
    if isinstance(mover, str | Text):
        camera = camera_movement(memory, part)
        if isinstance(camera, Absent):
            return camera
        return MotionValue("camera", frame, part.words, (part.start_s, part.end_s), memory.unit, camera=camera)
    tracks = _tracks(mover)
    if isinstance(tracks, Absent):
        return tracks
    moved = _movements(memory, tracks, frame, part)
    if not moved:
        return Absent("motion", "not seen", f"the {tracks.name} is not seen in {part.words}")
    return MotionValue(
        tracks.name, frame, part.words, (part.start_s, part.end_s), memory.unit, tuple(moved), None, tracks.evidence
    )


@implements("count_events")
def count_events(  # noqa: PLR0913 - the operation's own arguments
    context: Context,
    memory: SpatialMemory,
    mover: Value,
    event: str,
    count: Literal["movers", "times"],
    frame: MotionFrame,
    during: str,
    at: float | None = None,
    other: Value | str = "any",
) -> Count | Absent:
    """How many movers did it, or how often in all; those whose track is not certain are counted and told."""
    whom = other.value if isinstance(other, Text) else other
    if whom != "any" and event not in _BETWEEN:
        return Absent("count", "degenerate", f"only {' and '.join(_BETWEEN)} are between two things")
    part = window(memory, during, at)
    if isinstance(part, Absent):
        return replace(part, kind="count")
    tracks = _tracks(mover, "count")
    if isinstance(tracks, Absent):
        if isinstance(mover, TrackValue) and mover.reason == "not found":
            return Count(0)
        return tracks
    others: Sequence[Track] | None = None if whom == "any" else ()
    if not isinstance(whom, str):
        named = _tracks(whom, "count")
        if isinstance(named, Absent):
            return named
        others = named.tracks
    met = _movements(memory, tracks, frame, part, others)
    moved = [(m, times) for m in met if (times := happened(m, event))]
    number = len(moved) if count == "movers" else sum(times for _, times in moved)
    return Count(number, sum(m.confidence < _CERTAIN for m, _ in moved), tracks.evidence)


def happened(m: Movement, event: str) -> int:
    """How often a movement did what the event says (0 or 1 for what is no moment but a whole way)."""
    kind, _, side = event.partition("-")
    if kind in ("reversal", "pass", "contact"):
        return sum(e.kind == kind for e in m.events)
    if kind == "turn":
        times = sum(e.kind == "turn" and e.word == side for e in m.events)
        net = m.turned if side == "right" else -m.turned
        return times or int(net >= _TURN_DEG)
    if kind in ("clockwise", "counterclockwise"):
        spun = m.spun if kind == "clockwise" else -m.spun
        return max(1, round(spun / 360)) if spun >= _SPIN_DEG else 0
    if kind in ("moving", "still"):
        return int(m.moving == (kind == "moving"))
    same = {"towards": ("towards", "backward"), "away": ("away", "forward")}.get(kind, (kind,))
    return int(m.moving and any(word in same for word in m.words))


def _movements(
    memory: SpatialMemory,
    tracks: TrackValue,
    frame: MotionFrame,
    part: Window,
    others: Sequence[Track] | None = None,
) -> list[Movement]:
    """What the tracks did; what they did to each other only with ``others`` (none: the camera), if given."""
    found = []
    for track in tracks.tracks:
        m = movement(memory, track, frame, part)
        if m is not None:
            met = encounters(memory, track, part, m.stillness, others=others, camera=not others)
            found.append(replace(m, events=tuple(sorted((*m.events, *met), key=lambda e: e.at_s))))
    return found


def _tracks(mover: Value, kind: str = "motion") -> TrackValue | Absent:
    if isinstance(mover, Absent):
        return Absent(kind, "input absent", f"there is no {mover.kind} to measure", mover)
    if not isinstance(mover, TrackValue):
        return Absent(kind, "degenerate", "only a track or the camera moves")
    if not mover.tracks:
        what = "nobody looked for it" if mover.reason == "not looked for" else "the video shows none"
        return Absent(
            kind, mover.reason or "not found", f"there is no {mover.name} whose motion could be measured: {what}"
        )
    return mover


def _resting(memory: SpatialMemory, instance: Instance) -> Track | None:
    """The track of an object at rest, over the frames that show it."""
    times = {f.number: f.time_s for f in memory.frames}
    views = sorted(
        {v.frame: v for v in instance.views if times.get(v.frame) is not None}.values(), key=lambda v: v.frame
    )
    if not views:
        return None
    track = true_track(
        -instance.id,
        instance.name,
        np.array([times[v.frame] for v in views], np.float64),
        np.tile(instance.centre, (len(views), 1)),
        frames=[v.frame for v in views],
        pixels=[v.pixels for v in views],
        bbox=[v.bbox for v in views],
        size=instance.box.longest,
        width=instance.upright_box.widest,
        front_deg=None if instance.front is None else np.degrees(np.arctan2(instance.front[0], -instance.front[2])),
        centre_sd=max(instance.place_sd(axis) for axis in np.eye(3)),
    )
    return replace(track, confidence=instance.confidence, depth_from="depth")


def _rests_on(tracks: list[Track]) -> Evidence:
    """The first, middle and last frames that show each track, with what is not sure about it."""
    frames: set[int] = set()
    flags = []
    for track in tracks:
        seen = track.frames[track.seen]
        frames |= {int(seen[0]), int(seen[len(seen) // 2]), int(seen[-1])}
        if track.confidence < _CERTAIN:
            flags.append(f"{track.name} {track.id}: not certain")
        if track.depth_from == "size":
            flags.append(f"{track.name} {track.id}: its distance is only known from its size in the picture")
    return Evidence(frames=tuple(sorted(frames)), instances=tuple(t.id for t in tracks), flags=tuple(flags))
