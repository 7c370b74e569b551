"""Measuring at a moment of a video: where a track was, which way it headed, what it did between two times.

A position is known to the error of its moment along each axis; two moments of one track share none. Between two moments
it lies on the straight line between them. What a track did over a stretch is that of ``engine.motion``.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from placecell.engine.cells.context import CellContext
from placecell.engine.cells.frames import frame_of_pose, heading_of
from placecell.engine.cells.quantities import SCALE, Quantity, length_dimension
from placecell.engine.cells.sets import not_taken
from placecell.engine.cells.uncertain import Uncertain, measured, with_error
from placecell.engine.cells.values import NO, YES, FrameValue, PointValue, SetValue, Verdict
from placecell.engine.cells.vectors import Axes, Vec
from placecell.engine.evidence import pooled
from placecell.engine.motion import movement
from placecell.engine.movement import Movement
from placecell.engine.queries import query_camera_pose
from placecell.engine.registry import implements_in_cells
from placecell.engine.values import Absent, Evidence, TrackValue
from placecell.engine.ways import share_left
from placecell.engine.windows import Window
from placecell.geometry.transforms import Array
from placecell.language.cell_ops import MOST_MOMENTS, MOST_TRACKS
from placecell.language.dimensions import DEGREES, SECONDS
from placecell.language.types import Kind
from placecell.memory.track import Track

_SLACK_S = 1e-6
"""A moment this far outside of a track is rounding."""


@implements_in_cells("movers_of")
def movers_of(context: CellContext, track: TrackValue) -> SetValue | Absent:
    """Each track by itself."""
    if not track.tracks:
        return _no_track(track, Kind.SET)
    one_each = tuple(replace(track, tracks=(t,), confidence=t.confidence) for t in track.tracks[:MOST_TRACKS])
    beyond = len(track.tracks) - len(one_each)
    evidence = pooled(track.evidence, Evidence(flags=not_taken(beyond)))
    return SetValue(one_each, Kind.TRACK, name=track.name, evidence=evidence, beyond=beyond)


@implements_in_cells("moments_of")
def moments_of(context: CellContext, track: TrackValue) -> SetValue | Absent:
    """The times at which it was seen, at most so many, the first and the last among them."""
    chosen = _surest(track, Kind.SET)
    if isinstance(chosen, Absent):
        return chosen
    seen = chosen.times_s[chosen.seen]
    picked = np.unique(np.linspace(0, len(seen) - 1, min(len(seen), MOST_MOMENTS)).round().astype(int))
    times = tuple(Quantity(Uncertain(float(seen[k])), SECONDS) for k in picked)
    flags = (f"{len(picked)} of its {len(seen)} moments",) if len(picked) < len(seen) else ()
    evidence = pooled(_evidence(track, chosen), Evidence(flags=flags))
    return SetValue(times, Kind.TIME, name=f"moments of the {chosen.name}", evidence=evidence)


@implements_in_cells("moment_of")
def moment_of(context: CellContext, image: int) -> Quantity | Absent:
    """When an image was taken."""
    frame = next((f for f in context.scene.frames if f.number == image), None)
    if frame is None:
        numbers = context.scene.describe_numbers()
        return Absent(Kind.TIME, "no such image", f"there is no image {image}; the memory has {numbers}")
    if frame.time_s is None:
        return Absent(Kind.TIME, "not in memory", f"when image {image} was taken is not known")
    return Quantity(Uncertain(frame.time_s), SECONDS, Evidence(frames=(image,)))


@implements_in_cells("position_at")
def position_at(context: CellContext, track: TrackValue, moment: Quantity) -> PointValue | Absent:
    """On the straight line between the moments around a time."""
    chosen = _surest(track, Kind.POINT)
    if isinstance(chosen, Absent):
        return chosen
    around = _around(chosen, moment.value, Kind.POINT)
    if isinstance(around, Absent):
        return around
    before, after, share = around
    place = _centre(chosen, before).times(Uncertain(1.0 - share))
    if share > 0:
        place = place.plus(_centre(chosen, after).times(Uncertain(share)))
    place = _at_about(place, chosen.times_s, chosen.centres, moment)
    flags = () if chosen.seen[before] and chosen.seen[after] else (f"{chosen.name} {chosen.id}: hidden at that time",)
    frames = tuple(sorted({int(chosen.frames[before]), int(chosen.frames[after])}))
    own = Evidence(frames, (chosen.id,), 0, (*_evidence(track, chosen).flags, *flags))
    evidence = pooled(own, moment.evidence)
    place = place.scaled_by(context.scale_error, SCALE)
    return PointValue(place, context.scene.unit, f"the {chosen.name} at {moment.value:.3g} s", evidence=evidence)


def _centre(track: Track, index: int) -> Vec:
    source = f"track {track.id} at {int(track.frames[index])}"
    return Vec.around(track.centres[index], float(track.centre_sd[index]), source)


def _at_about(place: Vec, times_s: Array, places: Array, moment: Quantity) -> Vec:
    """A place at a moment that is not known exactly: off by how far it goes in that time.

    ``places`` (N, 3) at ``times_s`` (N,) say how fast it goes around then.
    """
    if not moment.number.errors or len(times_s) < 2:
        return place
    off = moment.number - Uncertain(moment.value)
    reach = max(moment.sd, float(np.diff(times_s).min()))
    early, late = np.clip([moment.value - reach, moment.value + reach], times_s[0], times_s[-1])
    first, last = (np.array([np.interp(t, times_s, places[:, k]) for k in range(3)]) for t in (early, late))
    return place.plus(Vec(*(off.times(float(step)) for step in (last - first) / max(float(late - early), 1e-9))))


def _around(track: Track, time_s: float, kind: str) -> tuple[int, int, float] | Absent:
    """The moments before and after a time, and how far it is from the one to the other, 0..1."""
    first, last = track.span_s
    if not first - _SLACK_S <= time_s <= last + _SLACK_S:
        message = f"the {track.name} is known from {first:.2f} to {last:.2f} s, not at {time_s:.2f} s"
        return Absent(kind, "not seen", message)
    after = int(np.clip(np.searchsorted(track.times_s, time_s), 0, len(track.times_s) - 1))
    before = max(after - 1, 0)
    gap = float(track.times_s[after] - track.times_s[before])
    share = min(max((time_s - float(track.times_s[before])) / gap, 0.0), 1.0) if gap > 0 else 0.0
    return before, after, share


@implements_in_cells("camera_at")
def camera_at(context: CellContext, moment: Quantity) -> FrameValue | Absent:
    """The placed frame nearest in time."""
    placed = [(abs(f.time_s - moment.value), f.number) for f in context.scene.posed_frames if f.time_s is not None]
    if not placed:
        return Absent(Kind.FRAME, "not in memory", "the memory has no placed image with a time")
    times = [f.time_s for f in context.scene.frames if f.time_s is not None]
    away, number = min(placed)
    step = (max(times) - min(times)) / max(len(times) - 1, 1)
    if away > max(step, _SLACK_S):
        return Absent(Kind.FRAME, "not seen", f"no placed image is from {moment.value:.2f} s or close to it")
    pose = query_camera_pose(context, context.scene, number)
    if isinstance(pose, Absent):
        return Absent(Kind.FRAME, pose.reason, pose.message)
    here = frame_of_pose(context, pose)
    return replace(here, evidence=pooled(here.evidence, moment.evidence))


@implements_in_cells("track_frame")
def track_frame(context: CellContext, track: TrackValue, moment: Quantity) -> FrameValue | Absent:
    """By its front, else by the way it moves."""
    chosen = _surest(track, Kind.FRAME)
    if isinstance(chosen, Absent):
        return chosen
    place = position_at(context, track, moment)
    if isinstance(place, Absent):
        return replace(place, kind=Kind.FRAME)
    nearest = int(np.abs(chosen.times_s - moment.value).argmin())
    label = f"the {chosen.name} at {moment.value:.3g} s"
    if math.isfinite(float(chosen.front_deg[nearest])):
        heading = Uncertain(float(chosen.front_deg[nearest]))
        return FrameValue(Axes(place.place, heading), label, place.unit, evidence=place.evidence)
    before, after = max(nearest - 2, 0), min(nearest + 2, len(chosen.times_s) - 1)
    way = _centre(chosen, after).minus(_centre(chosen, before))
    still = heading_of(way, f"of the {chosen.name} around {moment.value:.3g} s")
    if still is not None:
        return still
    flags = Evidence(flags=("its front is taken to be the way it moves",))
    evidence = replace(place.evidence, flags=(*place.evidence.flags, *flags.flags))
    return FrameValue(Axes(place.place, way.heading()), label, place.unit, evidence=evidence)


@implements_in_cells("seen_at")
def seen_at(context: CellContext, track: TrackValue, moment: Quantity) -> Verdict | Absent:
    """In the frame nearest in time."""
    chosen = _surest(track, Kind.VERDICT)
    if isinstance(chosen, Absent):
        return chosen
    first, last = chosen.span_s
    if not first - _SLACK_S <= moment.value <= last + _SLACK_S:
        return Verdict(NO, None, _evidence(track, chosen, moment))
    nearest = int(np.abs(chosen.times_s - moment.value).argmin())
    own = replace(_evidence(track, chosen), frames=(int(chosen.frames[nearest]),))
    evidence = pooled(own, moment.evidence)
    return Verdict(YES if chosen.seen[nearest] else NO, None, evidence)


@implements_in_cells("path_between")
def path_between(context: CellContext, track: TrackValue, start: Quantity, end: Quantity) -> Quantity | Absent:
    """Along its way; of a track without noise every step counts."""
    piece = _piece(context, track, start, end, Kind.LENGTH)
    if isinstance(piece, Absent):
        return piece
    chosen, moved = piece
    length = moved.path if chosen.centre_sd.any() else _steps(chosen, start.value, end.value)
    ends = chosen.between(start.value, end.value)[[0, -1]]
    left = [share_left(chosen.times_s, int(i)) for i in ends]
    sd = float(np.hypot(*(chosen.centre_sd[ends] * left)))
    own = measured(length, sd, f"path {chosen.id} {start.value!r} {end.value!r}")
    number = with_error(own, length * context.scale_error, SCALE)
    return Quantity(number, length_dimension(context.scene.unit), _evidence(track, chosen, start, end))


@implements_in_cells("speed_between")
def speed_between(context: CellContext, track: TrackValue, start: Quantity, end: Quantity) -> Quantity | Absent:
    """Its way by the time it was seen in."""
    way = path_between(context, track, start, end)
    if isinstance(way, Absent):
        return replace(way, kind=Kind.SPEED)
    number = way.number.times(1.0 / (end.value - start.value))
    return Quantity(number, way.dimension.over(SECONDS), way.evidence)


@implements_in_cells("turn_between")
def turn_between(context: CellContext, track: TrackValue, start: Quantity, end: Quantity) -> Quantity | Absent:
    """Degrees to its right: of its front where that is known all along, else of its way."""
    piece = _piece(context, track, start, end, Kind.ANGLE)
    if isinstance(piece, Absent):
        return piece
    chosen, moved = piece
    front = _front_turned(chosen, start.value, end.value)
    if front is not None:
        return Quantity(Uncertain(front), DEGREES, _evidence(track, chosen, start, end))
    source = f"turn {chosen.id} {start.value!r} {end.value!r}"
    return Quantity(measured(moved.turned, moved.turned_sd, source), DEGREES, _evidence(track, chosen, start, end))


def _front_turned(track: Track, start_s: float, end_s: float) -> float | None:
    """Degrees that a front known at every moment turned; None where it is not known."""
    inside = track.between(start_s, end_s)
    front = track.front_deg[inside]
    if len(front) < 2 or not np.isfinite(front).all():
        return None
    start, end = np.interp((start_s, end_s), track.times_s[inside], np.unwrap(front, period=360.0))
    return float(end - start)


def _steps(track: Track, start_s: float, end_s: float) -> float:
    """Length of the way through every centre between two times."""
    inside = track.times_s[(track.times_s > start_s) & (track.times_s < end_s)]
    times = np.concatenate([[start_s], inside, [end_s]])
    points = np.stack([np.interp(times, track.times_s, track.centres[:, k]) for k in range(3)], axis=-1)
    return float(np.linalg.norm(np.diff(points, axis=0), axis=1).sum())


def _piece(
    context: CellContext, track: TrackValue, start: Quantity, end: Quantity, kind: str
) -> tuple[Track, Movement] | Absent:
    """The surest track, and what it did between two times that lie in it."""
    chosen = _surest(track, kind)
    if isinstance(chosen, Absent):
        return chosen
    if not start.value < end.value:
        return Absent(kind, "degenerate", f"the time from {start.value:.2f} to {end.value:.2f} s is no stretch of time")
    for moment in (start, end):
        around = _around(chosen, moment.value, kind)
        if isinstance(around, Absent):
            return around
    if not context.scene.posed_frames:
        return Absent(kind, "not in memory", "no image of the video is placed")
    part = Window(start.value, end.value, f"from {start.value:g} to {end.value:g} s")
    found = movement(context.scene, chosen, "world", part)
    if found is None:
        return Absent(kind, "not seen", f"the {chosen.name} is not seen {part.words}")
    return chosen, found


def _surest(track: TrackValue, kind: str) -> Track | Absent:
    return track.tracks[0] if track.tracks else _no_track(track, kind)


def _no_track(track: TrackValue, kind: str) -> Absent:
    what = "nobody looked for it" if track.reason == "not looked for" else "the video shows none"
    return Absent(kind, track.reason or "not found", f"there is no {track.name}: {what}")


def _evidence(track: TrackValue, chosen: Track, *moments: Quantity) -> Evidence:
    """That of the whole value and of how the moments were chosen, and which of its tracks was taken."""
    flags = (f"the surest of {len(track.tracks)} {track.name}",) if len(track.tracks) > 1 else ()
    own = Evidence(track.evidence.frames, (chosen.id,), 0, (*track.evidence.flags, *flags))
    return pooled(own, *(moment.evidence for moment in moments))
