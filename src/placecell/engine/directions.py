"""Which way things lie from a viewpoint: bearing, angular extent, words, and who is met first that way.

Knows: angles in the viewer's levelled terms (positive right and up), sectors, the viewer's terms around another thing.
Does not know: whether something is hidden (``sight``).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from placecell.engine.context import Context
from placecell.engine.evidence import seen_by
from placecell.engine.places import Closest, Place, closest, distance, place_of, places, viewpoint_place
from placecell.engine.registry import implements
from placecell.engine.values import Absent, Direction, InstancesValue, InstanceValue, Reason, Value
from placecell.engine.viewpoint import Viewpoint, in_viewer_terms
from placecell.geometry import transforms
from placecell.language.viewpoint import SIDE_BEARING
from placecell.memory.scene import Instance, SpatialMemory

Array = NDArray[np.float64]

_SIDE_HALF = 45.0
"""Half the width of a side in degrees: left, right, front and back share the circle; so do the four diagonal ones."""
_MET = 10.0
"""A thing within so many degrees of the middle of a side counts as straight that way: the nearest is met first."""
_WORD = 22.5
"""Degrees beyond which a word joins: "front" alone up to here, "front-right" from here, "right" alone from 67.5."""


@dataclass(frozen=True, eq=False)
class Bearing:
    """Where a thing lies: ``bearing`` and ``elevation`` of its centre, ``span`` of its bearings, nearest ``reach``.

    ``around``: one stands in or right above it, so it lies every way and no way.
    """

    bearing: float
    elevation: float
    span: tuple[float, float]
    offset: tuple[float, float, float]
    reach: float
    around: bool = False

    def off(self, bearing: float) -> float:
        """Degrees by which the thing misses a direction; 0 when its extent covers it."""
        away = float(transforms.wrap_degrees(bearing - self.bearing))
        return max(self.span[0] - self.bearing - away, away - (self.span[1] - self.bearing), 0.0)


def bearing_of(levelled: Array, place: Place) -> Bearing:
    """A thing as seen from a levelled pose (4, 4)."""
    right, up, forward = in_viewer_terms(levelled, place.position).tolist()
    flat = math.hypot(right, forward)
    middle = math.degrees(math.atan2(right, forward)) if flat > 0 else 0.0
    elevation = math.degrees(math.atan2(up, flat)) if flat or up else 0.0
    corners = in_viewer_terms(
        levelled, place.box.corners if place.instance is None else place.instance.upright_box.corners
    )
    around = _around(levelled[:3, 3], place)
    angles = np.degrees(np.arctan2(corners[:, 0], corners[:, 2]))
    away = transforms.wrap_degrees(angles - middle)
    low, high = (-180.0, 180.0) if around else (min(0.0, float(away.min())), max(0.0, float(away.max())))
    reach = float(np.hypot(*_outside(corners)))
    return Bearing(middle, elevation, (middle + low, middle + high), (right, up, forward), reach, around or flat == 0)


def _around(eye: Array, place: Place) -> bool:
    """Whether the eye is inside the thing's outline, seen from above."""
    if place.instance is None:
        return False
    box = place.instance.upright_box
    level = np.array([eye[0], box.centre[1], eye[2]])
    return bool(box.contains(level))


def _outside(corners: Array) -> tuple[float, float]:
    """Right and forward of the nearest point of the axis-aligned outline of viewer-term corners (8, 3)."""
    low, high = corners.min(axis=0), corners.max(axis=0)
    nearest = np.clip(0.0, low, high)
    return float(nearest[0]), float(nearest[2])


def words_for(bearing: float, elevation: float, flat: float, *, away_is_back: bool = False) -> tuple[str, ...]:
    """front, back, left, right, up, down for an offset; ``away_is_back`` for things seen beyond another thing."""
    words = []
    if flat > 0 and abs(elevation) < 90.0 - _WORD:
        turned = abs(float(transforms.wrap_degrees(bearing)))
        front, back = ("back", "front") if away_is_back else ("front", "back")
        if turned < 90.0 - _WORD:
            words.append(front)
        elif turned > 90.0 + _WORD:
            words.append(back)
        if _WORD < turned < 180.0 - _WORD:
            words.append("right" if transforms.wrap_degrees(bearing) > 0 else "left")
    if abs(elevation) > _WORD:
        words.append("up" if elevation > 0 else "down")
    return tuple(words)


@implements("locate")
def locate(context: Context, memory: SpatialMemory, target: Value, of: Value | None) -> Direction | Absent:
    """Direction of ``target`` (of several instances the nearest) from the viewpoint, or around ``of`` in its terms."""
    here = context.standing("direction")
    return here if isinstance(here, Absent) else located(memory, here, target, of)


def located(memory: SpatialMemory, here: Viewpoint, target: Value, of: Value | None = None) -> Direction | Absent:
    """Direction of ``target`` from a viewpoint, or around ``of`` in its terms."""
    targets = places(target, "direction")
    if isinstance(targets, Absent):
        return targets
    frame, origin, label = here.levelled, (viewpoint_place(here),), here.words()
    if of is not None:
        around = places(of, "direction")
        if isinstance(around, Absent):
            return around
        pair = closest(memory, around, targets)
        frame, origin, targets = around_thing(here, pair.a), (pair.a,), (pair.b,)
        label = f"around {_the(pair.a)}, seen {here.words()}"
    pair = closest(memory, origin, targets)
    seen = bearing_of(frame, pair.b)
    if seen.around and _same_place(seen):
        return Absent("direction", "degenerate", f"{_the(pair.b)} is at the very place it should be located from")
    flags = ["one stands in it"] if seen.around else []
    if len(targets) > 1:
        flags.append(f"the nearest of {len(targets)}")
    things = [p.instance for p in (pair.a, pair.b) if p.instance is not None]
    images = [p.image for p in (pair.a, pair.b) if p.image is not None]
    flat = math.hypot(seen.offset[0], seen.offset[2])
    return Direction(
        bearing=seen.bearing,
        elevation=seen.elevation,
        distance=distance(memory, pair),
        offset=seen.offset,
        span=seen.span,
        words=words_for(seen.bearing, seen.elevation, flat, away_is_back=of is not None),
        viewpoint=label,
        sd=_bearing_sd(pair, flat),
        evidence=seen_by(things, images, flags),
    )


def around_thing(here: Viewpoint, thing: Place) -> Array:
    """A levelled frame (4, 4) at ``thing`` in the viewer's terms: forward is away from the viewer, right the viewer's.

    Where the viewer stands at the thing itself, forward is the viewer's own heading.
    """
    eye, centre = here.levelled[:3, 3], thing.position
    away = np.array([centre[0], eye[1], centre[2]])
    standing_there = np.linalg.norm(away - eye) <= 1e-9 or _around(eye, thing)
    frame = here.levelled.copy() if standing_there else transforms.look_at(eye, away)
    frame[:3, 3] = centre
    return frame


@implements("find_in_direction")
def find_in_direction(
    context: Context, memory: SpatialMemory, direction: str, candidates: Sequence[Value] | None, of: Value | None
) -> InstancesValue | Absent:
    """The things that way, met first first; of the viewer or, in the viewer's terms, of another thing."""
    here = context.standing("instances")
    if isinstance(here, Absent):
        return here
    frame, start = here.levelled, [here.standing_in] if here.standing_in else []
    name = f"{direction} of the viewer"
    if of is not None:
        around = places(of, "instances")
        if isinstance(around, Absent):
            return around
        frame, start = around_thing(here, around[0]), [p.instance for p in around if p.instance]
        name = f"{direction} of {_the(around[0])}"
    things = memory.instances if candidates is None else _listed(candidates)
    if isinstance(things, Absent):
        return things
    left_out = {id(thing) for thing in start}
    side = _opposite(direction) if of is not None and direction not in ("up", "down") else direction
    found = met_first(frame, side, [t for t in things if id(t) not in left_out])
    looked = memory.vocabulary or memory.instances
    reason: Reason | None = None if found else "not found" if looked else "not looked for"
    return InstancesValue(name, tuple(found), reason, seen_by(found))


def met_first(levelled: Array, direction: str, things: Iterable[Instance]) -> list[Instance]:
    """Things whose extent reaches into a side, in the order in which they are met.

    Those straight that way come first, the nearest leading; then the others by how far off they are. What one stands
    in is nowhere.
    """
    ranked = []
    for thing in things:
        seen = bearing_of(levelled, place_of(thing))
        if direction in ("up", "down"):
            rank = _vertical(levelled, thing, direction, seen)
        elif seen.around:
            continue
        else:
            off = seen.off(SIDE_BEARING[direction])
            rank = (off if off > _MET else 0.0, seen.reach) if off < _SIDE_HALF else None
        if rank is not None:
            ranked.append((*rank, thing.id, thing))
    return [entry[-1] for entry in sorted(ranked, key=lambda e: e[:3])]


def _vertical(levelled: Array, thing: Instance, direction: str, seen: Bearing) -> tuple[float, float] | None:
    """Rank of a thing above or below: straight above when the viewer is inside its outline, else by how far off."""
    heights = thing.upright_box.corners[:, 1] - levelled[1, 3]
    gap = float(heights.min()) if direction == "up" else -float(heights.max())
    if gap < 0:
        return None
    off = math.degrees(math.atan2(seen.reach, gap)) if gap or seen.reach else 0.0
    return (0.0 if off <= _MET else off, gap) if off < _SIDE_HALF else None


def _listed(candidates: Sequence[Value]) -> list[Instance] | Absent:
    """Every instance of a list of objects; an absent entry has none, but absent entries alone are absent."""
    things: list[Instance] = []
    missing = [c for c in candidates if isinstance(c, Absent)]
    for value in candidates:
        if isinstance(value, InstancesValue):
            things += value.instances
        elif isinstance(value, InstanceValue):
            things.append(value.instance)
    if missing and len(missing) == len(candidates):
        return Absent("instances", "input absent", "there are no candidates", missing[0])
    return list(dict.fromkeys(things))


def _opposite(direction: str) -> str:
    """Around a thing, front is the side nearer to the viewer: the frame's back."""
    swap = {"front": "back", "back": "front"}
    depth, _, side = direction.partition("-")
    return "-".join(part for part in (swap.get(depth, depth), side) if part)


def _same_place(seen: Bearing) -> bool:
    return not any(abs(x) > 1e-12 for x in seen.offset)


def _bearing_sd(pair: Closest, flat: float) -> float:
    """Standard deviation of the bearing of the centre of the second, degrees."""
    thing = pair.b.instance
    if thing is None:
        return 0.0
    way = pair.b.position - pair.a.position
    across = np.array([-way[2], 0.0, way[0]]) / max(math.hypot(way[0], way[2]), 1e-9)
    sd = thing.place_sd(across)
    return math.degrees(math.atan2(sd, flat)) if sd else 0.0


def _the(place: Place) -> str:
    return place.name if place.instance is None else f"the {place.name}"
