"""What stands in the way: walls, objects and surfaces along a straight line, and what is under a thing.

Knows boxes, walls and the cloud of a memory. Does not know verdicts or how sure a place is.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from placecell.engine.derived import derived, has_surface
from placecell.engine.sides import seen_sides
from placecell.geometry.boxes import OrientedBox
from placecell.geometry.picking import box_entry, first_point
from placecell.geometry.proximity import overlaps
from placecell.geometry.transforms import Array
from placecell.geometry.walls import Wall, walls_around
from placecell.memory.scene import Instance, SpatialMemory

FLOOR = 0.0
"""World y of the floor of an upright memory."""
_THIN = 1e-6
_FEW = 12
"""Fewer points than this are no surface."""
_LEVEL = 0.8
"""Cosine of how far from level a surface may be that bears something."""
_TOUCH = 0.02
"""Share of a thing's height by which what it stands on may reach into it."""


@dataclass(frozen=True, eq=False)
class Hit:
    """What a ray meets first: how far along it, what that is, the unit normal (3,) of its surface where known."""

    distance: float
    name: str
    instance: Instance | None = None
    normal: Array | None = None


def seen_until(memory: SpatialMemory, origin: Array, way: Array) -> float | None:
    """How far what was seen of a place goes from ``origin`` along the level unit direction ``way``; None: not known.

    Its border is no wall: mostly it is nearer than one, where nobody looked.
    """
    outline = memory.layout.outline
    border = () if outline is None else walls_around(outline, -math.inf, math.inf)
    return min((hit.distance for wall in border if (hit := _wall_hit(wall, origin, way)) is not None), default=None)


@dataclass(frozen=True, eq=False)
class Obstacles:
    """What a way may end at: walls, things, and ``points`` (N, 3) of surfaces that may belong to nothing known.

    ``reach``: how near to the ray a point is on it.
    """

    walls: tuple[Wall, ...]
    things: tuple[Instance, ...] = ()
    points: NDArray[np.float32] = field(default_factory=lambda: np.zeros((0, 3), np.float32))
    reach: float = 0.0

    @classmethod
    def of(
        cls,
        memory: SpatialMemory,
        until: Literal["anything", "wall"],
        without: Instance | None,
        heights: tuple[float, float],
    ) -> Obstacles:
        """Those of a memory for level ways between two heights: its walls, or whatever but the thing one stands in."""
        if until == "wall":
            return cls(memory.layout.walls)
        things = tuple(i for i in memory.instances if without is None or i.id != without.id)
        if not len(memory.cloud):
            return cls(memory.layout.walls, things)
        spacing, y = derived(memory).spacing, memory.cloud.points[:, 1]
        points = memory.cloud.points[(y >= heights[0] - spacing) & (y <= heights[1] + spacing)]
        if without is not None:
            points = points[~without.upright_box.contains(points, margin=spacing)]
        return cls(memory.layout.walls, things, points, spacing)

    def first(self, origin: Array, way: Array) -> Hit | None:
        """What is met first from ``origin`` along the unit direction ``way``; None when nothing known is there."""
        hits = [hit for wall in self.walls if (hit := _wall_hit(wall, origin, way)) is not None]
        hits += [hit for thing in self.things if (hit := _thing_hit(thing, origin, way)) is not None]
        nearest = first_point(self.points, origin, way, 0.0, self.reach) if len(self.points) else None
        if nearest is not None:
            hits.append(Hit(float((self.points[nearest] - origin) @ way), "surface"))
        return min(hits, key=lambda hit: hit.distance, default=None)


def between(
    memory: SpatialMemory, a: Array, b: Array, apart: Iterable[Instance], sd: float, sigmas: float
) -> str | None:
    """The name of what stands in the straight line from ``a`` to ``b``; None when nothing known does.

    Things are taken as larger by ``sigmas`` standard deviations on every side (smaller, when negative): of their own
    faces and of the line's ends, ``sd``. Things around either end and those of ``apart`` (by id) are not in the way.
    """
    way = b - a
    length = float(np.linalg.norm(way))
    if length <= _THIN:
        return None
    way = way / length
    left_out = {thing.id for thing in apart}
    for thing in memory.instances:
        # What was not seen of a thing may make it larger, not smaller.
        hidden = float(thing.hidden_sd.max()) if sigmas > 0 else 0.0
        grown = sigmas * math.hypot(sd, thing.centre_sd, thing.size_sd / 2, hidden)
        if thing.id not in left_out and in_line(memory, thing, a, way, length, grown):
            return thing.name
    for wall in memory.layout.walls:
        hit = _wall_hit(wall, a, way)
        if hit is not None and _THIN * length < hit.distance < length * (1 - _THIN):
            return hit.name
    return None


def in_line(memory: SpatialMemory, thing: Instance, a: Array, way: Array, length: float, grown: float) -> bool:
    """Whether a thing stands in a line of this length; its points say so where they show its surface."""
    box = resized(thing.box, grown)
    if box is None or box.contains(a) or box.contains(a + length * way):
        return False
    entry = box_entry(box, a, way)
    if entry is None or entry >= length:
        return False
    if not has_surface(thing):
        return True
    offset = thing.points.astype(np.float64) - a
    along = offset @ way
    beside = np.linalg.norm(offset - along[:, None] * way, axis=1)
    reach = max(2 * derived(memory).spacing + grown, 0.0)
    return bool(((beside <= reach) & (along > 0) & (along < length)).any())


def resized(box: OrientedBox, grown: float) -> OrientedBox | None:
    """The box, larger by ``grown`` on every side; None when nothing is left of it."""
    size = box.size + 2 * grown
    return None if (size < 0).any() else OrientedBox(box.centre, box.axes, size)


def support(thing: Instance, others: Sequence[Instance]) -> Instance | None:
    """The highest of ``others`` that the thing would come to rest on, falling straight down; None: the floor."""
    low = float(thing.upright_box.corners[:, 1].min())
    reach = low + _TOUCH * float(np.ptp(thing.upright_box.corners[:, 1]))
    flat = _flat(thing.upright_box)
    under = [
        other
        for other in others
        if other.id != thing.id and top(other) <= reach and overlaps(flat, _flat(other.upright_box))
    ]
    return max(under, key=lambda other: (top(other), -other.id), default=None)


def surface_under(memory: SpatialMemory, thing: Instance) -> float | None:
    """World y of the highest surface under a thing that the cloud shows; None where it shows none.

    Only what faces up bears anything: the wall behind a picture does not. The points of the thing itself, where the
    memory has it, are not under it.
    """
    points = memory.cloud.points
    if not len(points):
        return None
    corners = thing.upright_box.corners
    low, high = corners.min(axis=0), corners.max(axis=0)
    x, y, z = points.T
    below = (y > FLOOR) & (y <= low[1] + _TOUCH * (high[1] - low[1]))
    below &= (x >= low[0]) & (x <= high[0]) & (z >= low[2]) & (z <= high[2])
    if not below.any():
        return None
    under = points[below & (seen_sides(memory).toward[:, 1] > _LEVEL)]
    under = under[_flat(thing.upright_box).contains(under * [1.0, 0.0, 1.0])]
    for own in (i for i in memory.instances if i.id == thing.id):
        under = under[~own.upright_box.contains(under, margin=derived(memory).spacing)]
    if len(under) < _FEW:
        return None
    # Of noisy points the very highest is above the surface.
    return float(np.quantile(under[:, 1], 1 - _FEW / (2 * len(under))))


def top(thing: Instance) -> float:
    """World y of the top of its upright box."""
    return float(thing.upright_box.corners[:, 1].max())


def _flat(box: OrientedBox) -> OrientedBox:
    """Its outline seen from above, as a box of height 1 on the floor; a hair smaller, so that touching is not above."""
    vertical = int(np.argmax(np.abs(box.axes[:, 1])))
    size = box.size * (1 - 1e-6)
    size[vertical] = 1.0
    return OrientedBox(box.centre * [1.0, 0.0, 1.0], box.axes, size)


def _wall_hit(wall: Wall, origin: Array, way: Array) -> Hit | None:
    """Where a ray meets an upright wall, between its ends and heights."""
    (x, z), along = wall.start, np.subtract(wall.end, wall.start)
    normal = np.array([-along[1], 0.0, along[0]]) / max(wall.length, 1e-12)
    towards = float(normal @ way)
    if abs(towards) < 1e-9:
        return None
    distance = float(normal @ (np.array([x, 0.0, z]) - origin)) / towards
    place = origin + distance * way
    share = float((place[[0, 2]] - wall.start) @ along) / max(wall.length**2, 1e-12)
    if distance < 0 or not -1e-9 <= share <= 1 + 1e-9 or not wall.bottom <= place[1] <= wall.top:
        return None
    return Hit(distance, "wall", None, normal)


def _thing_hit(thing: Instance, origin: Array, way: Array) -> Hit | None:
    """Where a ray enters a thing's box; a thing around the origin is not in the way."""
    if thing.box.contains(origin):
        return None
    entry = box_entry(thing.box, origin, way)
    if entry is None:
        return None
    depth = thing.box.size / 2 - np.abs(thing.box.to_local(origin + entry * way))
    # At an edge two faces are met at once: the one that faces the ray more.
    met = depth <= depth.min() + 1e-9 * thing.box.longest
    face = int(np.argmax(met * np.abs(thing.box.axes @ way)))
    return Hit(entry, thing.name, thing, thing.box.axes[face])
