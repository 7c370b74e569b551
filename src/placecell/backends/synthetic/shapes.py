"""The solids a synthetic room is made of: boxes, tapered cylinders and ellipsoids with a procedural finish.

Knows: their exact extent, samples of their surface, and how they are packed for the renderer. Does not know: what they
stand for. A part lives in its object's frame: x to the right, y up, z to the front, the floor at y = 0, metres.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.transform import Rotation

from placecell.geometry.transforms import Array

Colour = tuple[float, float, float]
"""Linear RGB, 0 to 1."""


class Solid(IntEnum):
    """What the three numbers of ``Part.half`` mean."""

    BOX = 0  # half width, half height, half depth
    CYLINDER = 1  # radius at the bottom, half height, radius at the top; axis along y
    ELLIPSOID = 2  # radii


class Pattern(IntEnum):
    """How a surface varies between its two colours (``texture`` paints them)."""

    PLAIN = 0
    WOOD = 1
    FABRIC = 2
    TILES = 3
    PLASTER = 4
    STRIPES = 5
    DOTS = 6
    BRICKS = 7
    RUG = 8
    PAINTING = 9
    BOOKS = 10
    OUTDOORS = 11
    SCREEN = 12
    DIAL = 13
    LEAVES = 14
    PLANKS = 15


class Finish(NamedTuple):
    """Two colours mixed by a pattern. ``scale`` stretches it; ``seed`` makes each surface its own."""

    pattern: Pattern
    light: Colour
    dark: Colour
    seed: int = 0
    scale: float = 1.0


@dataclass(frozen=True, eq=False)
class Part:
    """One solid at ``centre`` (3,), turned by ``object_from_part`` (3, 3), both in its object's frame."""

    solid: Solid
    half: tuple[float, float, float]
    centre: Array
    object_from_part: Array
    finish: Finish

    def extent(self, directions: ArrayLike) -> tuple[Array, Array]:
        """Lowest and highest coordinate (N,) along unit ``directions`` (N, 3), exactly."""
        local = np.atleast_2d(np.asarray(directions, dtype=np.float64)) @ self.object_from_part
        middle = np.atleast_2d(directions) @ self.centre
        a, b, c = self.half
        if self.solid is Solid.BOX:
            reach = np.abs(local) @ np.array(self.half)
            return middle - reach, middle + reach
        if self.solid is Solid.ELLIPSOID:
            reach = np.linalg.norm(local * self.half, axis=-1)
            return middle - reach, middle + reach
        across = np.hypot(local[:, 0], local[:, 2])
        bottom, top = -b * local[:, 1], b * local[:, 1]
        lowest = np.minimum(bottom - a * across, top - c * across)
        highest = np.maximum(bottom + a * across, top + c * across)
        return middle + lowest, middle + highest

    def surface(self, spacing: float) -> Array:
        """Points (N, 3) on the surface at most about ``spacing`` apart, in the object's frame."""
        local = _SURFACES[self.solid](self.half, spacing)
        return local @ self.object_from_part.T + self.centre


def box(size: tuple[float, float, float], at: tuple[float, float, float], finish: Finish, yaw: float = 0.0) -> Part:
    """A box of full ``size`` whose *bottom* centre is ``at``, turned ``yaw`` degrees about y."""
    w, h, d = size
    return Part(Solid.BOX, (w / 2, h / 2, d / 2), np.array([at[0], at[1] + h / 2, at[2]]), _about_y(yaw), finish)


def cylinder(
    radius: float, height: float, at: tuple[float, float, float], finish: Finish, top: float | None = None
) -> Part:
    """An upright cylinder, or a frustum when ``top`` gives another radius, whose *bottom* centre is ``at``."""
    half = (radius, height / 2, radius if top is None else top)
    return Part(Solid.CYLINDER, half, np.array([at[0], at[1] + height / 2, at[2]]), np.eye(3), finish)


def disc(radius: float, thickness: float, at: tuple[float, float, float], finish: Finish) -> Part:
    """A disc that faces the front (its axis along z), with its *centre* at ``at``."""
    facing = Rotation.from_euler("x", 90, degrees=True).as_matrix()
    return Part(Solid.CYLINDER, (radius, thickness / 2, radius), np.array(at), facing, finish)


def ellipsoid(radii: tuple[float, float, float], at: tuple[float, float, float], finish: Finish) -> Part:
    """An ellipsoid whose *centre* is ``at``."""
    return Part(Solid.ELLIPSOID, radii, np.array(at), np.eye(3), finish)


def tight_bounds(parts: Sequence[Part]) -> tuple[Array, Array]:
    """Lowest and highest corner (3,) of all parts along their object's axes."""
    extents = [part.extent(np.eye(3)) for part in parts]
    return np.min([low for low, _ in extents], axis=0), np.max([high for _, high in extents], axis=0)


class Packed(NamedTuple):
    """Parts of a whole room as arrays for the renderer.

    ``geometry`` (P, 23): ``part_from_world`` rotation row by row (9), centre (3), half (3), radius of the sphere about
    the centre that holds the part, light colour (3), dark colour (3), scale of the pattern;
    ``p_part = rotation @ (p_world - centre)``. ``kinds`` (P, 4): solid, owner (object id, 0 = the room itself),
    pattern, seed.
    """

    geometry: Array
    kinds: NDArray[np.int64]


def pack(placed: Sequence[tuple[int, Array, Part]]) -> Packed:
    """Arrays for (owner, ``world_from_object`` (4, 4), part) triples."""
    rows, kinds = [], []
    for owner, pose, part in placed:
        part_from_world = (pose[:3, :3] @ part.object_from_part).T
        centre = pose[:3, :3] @ part.centre + pose[:3, 3]
        finish = part.finish
        rows.append(
            [*part_from_world.ravel(), *centre, *part.half, _radius(part), *finish.light, *finish.dark, finish.scale]
        )
        kinds.append([part.solid, owner, finish.pattern, finish.seed])
    return Packed(np.array(rows, np.float64), np.array(kinds, np.int64))


def _radius(part: Part) -> float:
    a, b, c = part.half
    if part.solid is Solid.ELLIPSOID:
        return max(part.half)
    return float(np.hypot(b, max(a, c)) if part.solid is Solid.CYLINDER else np.linalg.norm(part.half))


def _about_y(degrees: float) -> Array:
    return np.asarray(Rotation.from_euler("y", degrees, degrees=True).as_matrix())


def _steps(half: float, spacing: float) -> Array:
    return np.linspace(-half, half, max(2, int(np.ceil(2 * half / spacing)) + 1))


def _box_surface(half: tuple[float, float, float], spacing: float) -> Array:
    faces = []
    for axis in range(3):
        u, v = [k for k in range(3) if k != axis]
        grid = np.stack(np.meshgrid(_steps(half[u], spacing), _steps(half[v], spacing)), axis=-1).reshape(-1, 2)
        for side in (-half[axis], half[axis]):
            face = np.full((len(grid), 3), side)
            face[:, [u, v]] = grid
            faces.append(face)
    return np.concatenate(faces)


def _ring(radius: float, spacing: float) -> Array:
    angles = np.linspace(0, 2 * np.pi, max(8, int(np.ceil(2 * np.pi * radius / spacing))), endpoint=False)
    return radius * np.stack([np.cos(angles), np.sin(angles)], axis=-1)


def _cylinder_surface(half: tuple[float, float, float], spacing: float) -> Array:
    bottom, h, top = half
    rings = [(bottom + (top - bottom) * (y + h) / (2 * h), y) for y in _steps(h, spacing)]
    for radius, y in ((bottom, -h), (top, h)):
        rings += [(r, y) for r in np.arange(radius, 0, -spacing)]
    points = []
    for radius, y in rings:
        xz = _ring(radius, spacing)
        points.append(np.stack([xz[:, 0], np.full(len(xz), y), xz[:, 1]], axis=-1))
    return np.concatenate(points)


def _ellipsoid_surface(half: tuple[float, float, float], spacing: float) -> Array:
    largest = max(half)
    points = []
    for latitude in np.linspace(-np.pi / 2, np.pi / 2, max(6, int(np.ceil(np.pi * largest / spacing)))):
        xz = _ring(np.cos(latitude), spacing / largest)
        points.append(np.stack([xz[:, 0], np.full(len(xz), np.sin(latitude)), xz[:, 1]], axis=-1))
    return np.concatenate(points) * half


_SURFACES = {Solid.BOX: _box_surface, Solid.CYLINDER: _cylinder_surface, Solid.ELLIPSOID: _ellipsoid_surface}
