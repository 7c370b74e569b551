"""Where things go in a room: its outline, its walls, and what is taken.

Knows: rooms with axis-parallel walls, rectangular footprints that may be turned, and the heights they take up. Does not
know: what the things are. The room's frame is the world: y up, floor at y = 0, outline in (x, z).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from placecell.geometry.transforms import Array


@dataclass(frozen=True)
class Footprint:
    """A rectangle on the floor, ``half`` along its own x and z, turned ``yaw`` degrees about y, between two heights."""

    x: float
    z: float
    yaw: float
    half: tuple[float, float]
    low: float
    high: float

    @cached_property
    def axes(self) -> Array:
        """Its unit x and z axes (2, 2) as rows, in (x, z) of the world."""
        c, s = math.cos(math.radians(self.yaw)), math.sin(math.radians(self.yaw))
        return np.array([[c, -s], [s, c]])

    @cached_property
    def corners(self) -> Array:
        """(4, 2)."""
        signs = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * self.half
        return np.array([self.x, self.z]) + signs @ self.axes

    def meets(self, other: Footprint, margin: float) -> bool:
        """Whether the two come closer than ``margin`` (by separating axes, so corner to corner it is stricter)."""
        if self.high <= other.low or other.high <= self.low:
            return False
        reach = math.hypot(*self.half) + math.hypot(*other.half) + margin
        if (self.x - other.x) ** 2 + (self.z - other.z) ** 2 > reach * reach:
            return False
        a, b = self.corners, other.corners
        for axis in (*self.axes, *other.axes):
            pa, pb = a @ axis, b @ axis
            if pa.min() > pb.max() + margin or pb.min() > pa.max() + margin:
                return False
        return True

    def distance(self, points: Array) -> Array:
        """Distance (...) of points (..., 2) from the rectangle, 0 inside."""
        local = np.abs((points - (self.x, self.z)) @ self.axes.T) - self.half
        return np.asarray(np.linalg.norm(np.maximum(local, 0.0), axis=-1))


@dataclass(frozen=True)
class Wall:
    """A straight piece of wall: where it starts (x, z), its unit direction, length and inward normal."""

    start: tuple[float, float]
    along: tuple[float, float]
    length: float
    inward: tuple[float, float]
    reflex_start: bool
    reflex_end: bool

    @property
    def yaw(self) -> float:
        """Degrees about y that turn +z to the inward normal."""
        return math.degrees(math.atan2(self.inward[0], self.inward[1]))

    def point(self, distance: float, inwards: float) -> tuple[float, float]:
        """(x, z) at ``distance`` along the wall and ``inwards`` from it."""
        x = self.start[0] + distance * self.along[0] + inwards * self.inward[0]
        return x, self.start[1] + distance * self.along[1] + inwards * self.inward[1]


def outline(width: float, depth: float, notch: tuple[float, float] | None = None) -> Array:
    """Corners (K, 2) in (x, z) of a rectangle about the origin; ``notch`` cuts that much off the corner at +x, +z."""
    w, d = width / 2, depth / 2
    if notch is None:
        return np.array([[-w, -d], [w, -d], [w, d], [-w, d]])
    a, b = w - notch[0], d - notch[1]
    return np.array([[-w, -d], [w, -d], [w, b], [a, b], [a, d], [-w, d]])


def area(corners: Array) -> float:
    """Area of a simple polygon (K, 2)."""
    x, z = corners.T
    return float(abs(np.dot(x, np.roll(z, -1)) - np.dot(z, np.roll(x, -1))) / 2)


def inside(corners: Array, points: Array) -> NDArray[np.bool_]:
    """Mask (...) of points (..., 2) in the polygon (even-odd rule)."""
    px, pz = points[..., 0], points[..., 1]
    result = np.zeros(px.shape, bool)
    for (x1, z1), (x2, z2) in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        if z1 == z2:
            continue
        crosses = (z1 > pz) != (z2 > pz)
        result ^= crosses & (px < (x2 - x1) * (pz - z1) / (z2 - z1) + x1)
    return result


def walls(corners: Array) -> tuple[Wall, ...]:
    """The walls of an outline whose corners go round with the room on the side of +z of the first (towards +x) wall."""
    found = []
    count = len(corners)
    for k in range(count):
        a, b = corners[k], corners[(k + 1) % count]
        length = float(np.linalg.norm(b - a))
        along = (b - a) / length
        inward = (-float(along[1]), float(along[0]))
        reflex = [_turn(corners, j) < 0 for j in (k, (k + 1) % count)]
        found.append(Wall((float(a[0]), float(a[1])), (float(along[0]), float(along[1])), length, inward, *reflex))
    return tuple(found)


def _turn(corners: Array, k: int) -> float:
    before, here, after = corners[k - 1], corners[k], corners[(k + 1) % len(corners)]
    a, b = here - before, after - here
    return float(a[0] * b[1] - a[1] * b[0])


class FloorPlan:
    """Keeps what is taken and finds free places; the only mutable thing here, used while a room is furnished."""

    def __init__(self, corners: Array, height: float, rng: np.random.Generator) -> None:
        self.corners = corners
        self.height = height
        self.walls = walls(corners)
        self.rng = rng
        self.taken: list[Footprint] = []
        self._reflex = np.array([wall.start for wall in self.walls if wall.reflex_start])

    def fits(self, place: Footprint, margin: float, ignore: tuple[Footprint, ...] = ()) -> bool:
        """Whether the place lies in the room and keeps ``margin`` from everything taken."""
        middle = np.array([place.x, place.z])
        shrunk = middle + (place.corners - middle) * (1 - 1e-6)
        if not inside(self.corners, shrunk).all():
            return False
        if len(self._reflex) and bool((place.distance(self._reflex) == 0).any()):
            return False
        return not any(place.meets(other, margin) for other in self.taken if other not in ignore)

    def along_wall(
        self,
        half: tuple[float, float],
        heights: tuple[float, float],
        margin: float,
        *,
        gap: float,
        wall: Wall | None = None,
    ) -> tuple[Footprint, Wall] | None:
        """A free place with its back ``gap`` from a wall, or None after 60 tries."""
        lengths = np.array([w.length for w in self.walls])
        for _ in range(60):
            chosen = wall or self.walls[self.rng.choice(len(lengths), p=lengths / lengths.sum())]
            room_left = chosen.length - 2 * half[0] - 0.06
            if room_left <= 0:
                continue
            x, z = chosen.point(half[0] + 0.03 + room_left * self.rng.random(), half[1] + gap)
            place = Footprint(x, z, chosen.yaw, half, *heights)
            if self.fits(place, margin):
                return place, chosen
        return None

    def anywhere(
        self, half: tuple[float, float], heights: tuple[float, float], margin: float, yaw: float | None = None
    ) -> Footprint | None:
        """A free place away from the walls, or None after 80 tries."""
        low, high = self.corners.min(axis=0), self.corners.max(axis=0)
        for _ in range(80):
            x, z = low + (high - low) * (0.18 + 0.64 * self.rng.random(2))
            turned = float(self.rng.uniform(-180, 180)) if yaw is None else yaw
            place = Footprint(float(x), float(z), turned, half, *heights)
            if self.fits(place, margin):
                return place
        return None
