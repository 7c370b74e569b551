"""What a measure can start or end at: a camera's centre or an object, and how two of them lie to each other.

Distances are between closest points: of true surfaces where points show them, else of oriented boxes. Does not know
directions (``directions``) or words.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from placecell.engine.derived import has_surface, surface_points, tree
from placecell.engine.values import Absent, InstancesValue, InstanceValue, Length, PoseValue, Value
from placecell.engine.viewpoint import Viewpoint
from placecell.geometry.boxes import OrientedBox
from placecell.geometry.proximity import box_distances, closest_points
from placecell.memory.scene import Instance, SpatialMemory

Array = NDArray[np.float64]

_CLOSE_PAIRS = 200
"""Of many pairs of instances only these, the closest by box, are measured between their points."""
_BLOCK = 2_000_000
"""Pairs looked at in one go."""
_ANNOTATED = ("annotation",)
"""Scale sources of memories whose boxes are the truth."""
_MOST_TOLD = 8


@dataclass(frozen=True, eq=False)
class Place:
    """A point (cameras, viewpoints) or an object. ``sd`` is the uncertainty of the surface one measures to."""

    name: str
    position: Array
    instance: Instance | None = None
    image: int | None = None
    sd: float = 0.0

    @property
    def box(self) -> OrientedBox:
        return OrientedBox(self.position, np.eye(3), np.zeros(3)) if self.instance is None else self.instance.box


@dataclass(frozen=True, eq=False)
class Closest:
    """The closest pair of two sets of places: ``distance`` between ``ends`` (2, 3), and how it was measured."""

    a: Place
    b: Place
    distance: float
    ends: Array
    flags: tuple[str, ...] = ()


def place_of(instance: Instance) -> Place:
    """An object as a place, its surface as uncertain as its centre and a side together.

    In synthetic rooms with depth noise of 0 to 2 %, 0 to 5 % of the distances are off by more than 1.96 of that.
    """
    return Place(instance.name, instance.centre, instance, sd=math.hypot(instance.centre_sd, instance.size_sd))


def viewpoint_place(here: Viewpoint) -> Place:
    """The viewer as a place."""
    return Place(f"the viewer ({here.words()})", here.position)


def places(value: Value, kind: str) -> tuple[Place, ...] | Absent:
    """The places of a pose, an object or objects; why a result of ``kind`` is absent when there are none."""
    match value:
        case PoseValue():
            return (Place(value.label, value.position, image=value.image),)
        case InstanceValue():
            return (place_of(value.instance),)
        case InstancesValue() if value.instances:
            return tuple(place_of(i) for i in value.instances)
        case InstancesValue():
            return no_objects(value, kind)
        case Absent():
            return Absent(kind, "input absent", value.message, value)
    return Absent(kind, "degenerate", "this has no place")


def no_objects(value: InstancesValue, kind: str) -> Absent:
    """Why an empty set of objects gives no value of ``kind``."""
    reason = value.reason or "not found"
    if reason == "not looked for":
        return Absent(kind, reason, f"nobody looked for {value.name!r} in this memory")
    return Absent(kind, reason, f"no {value.name} was found" + (f": {value.note}" if value.note else ""))


def told_apart(things: Sequence[Instance]) -> str:
    """Objects by name and number, as they can be asked for: "chair 16, chair 17"."""
    named = [f"{thing.name} {thing.id}" for thing in sorted(things, key=lambda thing: thing.id)]
    return ", ".join(named[:_MOST_TOLD]) + (f" and {len(named) - _MOST_TOLD} more" if len(named) > _MOST_TOLD else "")


def one_of_many(objects: InstancesValue, kind: str) -> Absent:
    """Several objects where one is needed."""
    things = objects.instances
    many = f"there are {len(things)} of {objects.name}, not one; name one: {told_apart(things)}"
    return Absent(kind, "ambiguous", many)


def closest(memory: SpatialMemory, group_a: Sequence[Place], group_b: Sequence[Place]) -> Closest:
    """The closest pair of two non-empty groups; an object is not compared with itself unless there is nothing else."""
    exact = memory.scale.source in _ANNOTATED
    best: Closest | None = None
    for at_least, i, j in _likely_pairs(group_a, group_b):
        # Surfaces lie inside their boxes, so no later pair can be closer than its boxes are.
        if best is not None and at_least >= best.distance:
            break
        pair = between(group_a[i], group_b[j], exact=exact)
        if best is None or pair.distance < best.distance:
            best = pair
    if best is None:
        raise ValueError("both groups need a place")
    return best


def _likely_pairs(group_a: Sequence[Place], group_b: Sequence[Place]) -> list[tuple[float, int, int]]:
    """Pairs that may be the closest, with the distance of their boxes, nearest first; at most ``_CLOSE_PAIRS``."""
    if len(group_a) == len(group_b) == 1:
        return [(0.0, 0, 0)]
    centres_a, radii_a = _spheres(group_a)
    centres_b, radii_b = _spheres(group_b)
    where = {id(place.instance): j for j, place in enumerate(group_b) if place.instance is not None}
    own = [where.get(id(place.instance), -1) for place in group_a]
    near: list[tuple[float, int, int]] = []
    rows = max(1, _BLOCK // len(group_b))
    for start in range(0, len(group_a), rows):
        block = slice(start, start + rows)
        apart = cdist(centres_a[block], centres_b) - radii_a[block, None] - radii_b
        for i, j in enumerate(own[block]):
            if j >= 0:
                apart[i, j] = np.inf
        flat = apart.ravel()
        few = np.argpartition(flat, _CLOSE_PAIRS)[:_CLOSE_PAIRS] if flat.size > _CLOSE_PAIRS else np.arange(flat.size)
        near += [(float(flat[k]), start + int(k) // len(group_b), int(k) % len(group_b)) for k in few]
    likely: dict[int, list[int]] = {}
    for bound, i, j in sorted(near)[:_CLOSE_PAIRS]:
        if math.isfinite(bound):
            likely.setdefault(i, []).append(j)
    pairs: list[tuple[float, int, int]] = []
    for i, js in likely.items():
        apart = box_distances([group_a[i].box], [group_b[j].box for j in js])[0]
        pairs += zip(apart.tolist(), [i] * len(js), js, strict=True)
    return sorted(pairs) or [(0.0, 0, 0)]


def _spheres(group: Sequence[Place]) -> tuple[Array, Array]:
    boxes = [place.box for place in group]
    return np.array([b.centre for b in boxes]), np.linalg.norm([b.size for b in boxes], axis=1) / 2


def distance(memory: SpatialMemory, pair: Closest) -> Length:
    """The pair's distance as a length with its uncertainty; evidence is the caller's."""
    scale_sd = pair.distance * (memory.scale.relative_error or 0.0) if memory.scale.metric else 0.0
    own = math.hypot(pair.a.sd, pair.b.sd)
    return Length(pair.distance, memory.unit, math.hypot(own, scale_sd), scale_sd, pair.ends)


def length(memory: SpatialMemory, value: float, own_sd: float = 0.0, ends: Array | None = None) -> Length:
    """A length of the memory: in its unit, with its scale's uncertainty added."""
    scale_sd = value * (memory.scale.relative_error or 0.0) if memory.scale.metric else 0.0
    return Length(value, memory.unit, math.hypot(own_sd, scale_sd), scale_sd, ends)


def between(a: Place, b: Place, *, exact: bool = False) -> Closest:
    """Two places: between their points where those show the surface, else between boxes; ``exact`` trusts the boxes."""
    on_a, on_b = _surface(a), _surface(b)
    if on_a is not None and on_b is not None and not exact:
        return Closest(a, b, *_between_surfaces(on_a, on_b), ("between points",))
    if on_a is not None and not exact:
        return _surface_to(a, on_a, b)
    if on_b is not None and not exact:
        return _flip(_surface_to(b, on_b, a))
    found = closest_points(a.box, b.box)
    return Closest(a, b, found.distance, np.stack([found.on_a, found.on_b]), ("between boxes",))


def _surface(place: Place) -> Instance | None:
    return place.instance if place.instance is not None and has_surface(place.instance) else None


def _flip(pair: Closest) -> Closest:
    return Closest(pair.b, pair.a, pair.distance, pair.ends[::-1], pair.flags)


def _surface_to(a: Place, surface: Instance, b: Place) -> Closest:
    """From the points of ``a`` to the box (or point) of ``b``."""
    points = surface_points(surface)
    apart = b.box.distance(points)
    nearest = int(np.argmin(apart))
    ends = np.stack([points[nearest], b.box.closest_points(points[nearest])])
    return Closest(a, b, float(apart[nearest]), ends, ("between points and a box" if b.instance else "to points",))


def _between_surfaces(a: Instance, b: Instance) -> tuple[float, Array]:
    """Distance and ends (2, 3) of the closest points of two objects."""
    if tree(a).n > tree(b).n:
        apart, ends = _between_surfaces(b, a)
        return apart, ends[::-1]
    few, search = surface_points(a), tree(b)
    # A first guess prunes nearly all of the search: no other pair can matter beyond it.
    bound = float(np.min(search.query(few[:: max(1, len(few) // 16)])[0]))
    reach, index = search.query(few, distance_upper_bound=max(bound * (1 + 1e-9), 1e-9))
    nearest = int(np.argmin(reach))
    ends = np.stack([few[nearest], search.data[int(np.asarray(index)[nearest])]])
    return float(np.asarray(reach)[nearest]), ends
