"""Oriented boxes, and how one is put around points.

Knows: the box itself; the smallest yaw-only and a (nearly) smallest free box of any point set that is not empty.
Does not know: distances and overlap between boxes (``proximity``), or which points are one object.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numba as nb
import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial import ConvexHull, QhullError

from placecell.errors import UserError
from placecell.geometry.transforms import Array, as_transforms, rigid

# A side that is shorter than this share of the longest is no side: the points lie in a plane or on a line.
_FLAT = 1e-6
# After specks are trimmed, a box grows back to points within this share of its side.
_GROW = 0.05
# Free boxes are tried flush with at most this many faces of the convex hull, the largest ones, and the search for the
# axes looks at no more points and hull corners than these; the box is then put around all points.
_MAX_FACES = 256
_MAX_POINTS = 20_000
_MAX_CORNERS = 512

_CORNER_SIGNS = np.array([[x, y, z] for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])


@dataclass(frozen=True, eq=False)
class OrientedBox:
    """``centre`` (3,), ``axes`` (3, 3) with the unit axes as rows, ``size`` (3,) full lengths along them, may be 0.

    A left-handed set of axes is accepted and its third axis turned round, which describes the same box.
    """

    centre: Array
    axes: Array
    size: Array

    def __post_init__(self) -> None:
        for name, shape in (("centre", (3,)), ("axes", (3, 3)), ("size", (3,))):
            array = np.array(getattr(self, name), dtype=np.float64)
            if array.shape != shape or not np.isfinite(array).all():
                raise ValueError(f"{name} must be finite and {shape}, got {array.tolist()}")
            object.__setattr__(self, name, array)
        if (self.size < 0).any():
            raise ValueError(f"size must not be negative, got {self.size.tolist()}")
        if np.abs(self.axes @ self.axes.T - np.eye(3)).max() > 1e-5:
            raise ValueError("the rows of axes must be orthonormal")
        if np.linalg.det(self.axes) < 0:
            self.axes[2] *= -1
        for array in (self.centre, self.axes, self.size):
            array.flags.writeable = False

    @property
    def corners(self) -> Array:
        """(8, 3); corner 4 i + 2 j + k is at the high end of the first, second, third axis where i, j, k is 1."""
        return self.centre + (_CORNER_SIGNS * (self.size / 2)) @ self.axes

    @property
    def volume(self) -> float:
        return float(np.prod(self.size))

    @property
    def longest(self) -> float:
        """Length of the longest side."""
        return float(self.size.max())

    @property
    def world_from_box(self) -> Array:
        """(4, 4); the box frame has its origin at the centre and the box's axes."""
        return rigid(self.axes.T, self.centre)

    def to_local(self, points: ArrayLike) -> NDArray[Any]:
        """Points (..., 3) in the box frame."""
        return (np.asarray(points, dtype=np.float64) - self.centre) @ self.axes.T

    def contains(self, points: ArrayLike, margin: float = 0.0) -> NDArray[np.bool_]:
        """Mask (...) of points (..., 3) in the closed box, grown by ``margin`` on every side."""
        return np.asarray((np.abs(self.to_local(points)) <= self.size / 2 + margin).all(axis=-1))

    def closest_points(self, points: ArrayLike) -> Array:
        """For each point (..., 3) the closest point of the solid box; a point inside is its own."""
        half = self.size / 2
        closest: Array = self.centre + np.clip(self.to_local(points), -half, half) @ self.axes
        return closest

    def distance(self, points: ArrayLike) -> Array:
        """Distance (...) of points (..., 3) from the solid box, 0 inside."""
        outside = np.maximum(np.abs(self.to_local(points)) - self.size / 2, 0.0)
        return np.asarray(np.linalg.norm(outside, axis=-1))

    def moved(self, a_from_b: ArrayLike) -> Self:
        """The box in another frame of reference."""
        matrix = as_transforms(a_from_b)
        return type(self)(matrix[:3, :3] @ self.centre + matrix[:3, 3], self.axes @ matrix[:3, :3].T, self.size)


def gravity_box(points: ArrayLike, trim: float = 0.0) -> OrientedBox:
    """The smallest box around points (N, 3) that stands upright: its second axis is +y, its first the longer side.

    ``trim`` is the share of points at each end of each side that may be specks: the box is put around the rest, then
    grown back to points within 5 % of its side. UserError when there are no points.
    """
    xyz = _points(points)
    yaw_only = np.array([[0.0, 1.0, 0.0]])
    axes = _smallest(_thinned(xyz) if trim > 0 else xyz, yaw_only)
    for _ in range(2 if trim > 0 else 0):
        axes = _smallest(_without_specks(_thinned(xyz), axes, trim), yaw_only)
    if trim > 0:
        xyz = _without_specks(xyz, axes, trim)
    flat, up, across = axes[1], axes[0], axes[2]
    if np.ptp(xyz @ across) > np.ptp(xyz @ flat):
        flat, across = across, -flat
    return _around(xyz, np.stack([flat, up, across]))


def oriented_box(points: ArrayLike, trim: float = 0.0) -> OrientedBox:
    """A free box around points (N, 3), longest side first, as small as tries along the convex hull's faces make it.

    The smallest possible box touches the hull with edges in two adjacent faces (O'Rourke 1985), not always with a face,
    so after the faces each axis of the best box is tried in turn until none makes it smaller. One point gives a box of
    size 0, points on a line or in a plane a box without thickness. ``trim`` as in `gravity_box`.
    """
    xyz = _points(points)
    some = _thinned(xyz) if trim > 0 else xyz
    axes = _smallest(some, _hull_normals(some))
    for _ in range(2 if trim > 0 else 0):
        kept = _without_specks(some, axes, trim)
        axes = _smallest(kept, _hull_normals(kept))
    if trim > 0:
        xyz = _without_specks(xyz, axes, trim)
    order = np.argsort(-np.ptp(xyz @ axes.T, axis=0), kind="stable")
    return _around(xyz, axes[order])


def _points(points: ArrayLike) -> Array:
    xyz = np.asarray(points, dtype=np.float64)
    if xyz.ndim != 2 or xyz.shape[1] != 3:
        raise ValueError(f"points must be (N, 3), got {xyz.shape}")
    if len(xyz) == 0:
        raise UserError("there are no points to put a box around")
    if not np.isfinite(xyz).all():
        raise ValueError("points must be finite")
    return xyz


def _around(xyz: Array, axes: Array) -> OrientedBox:
    local = xyz @ axes.T
    low, high = local.min(axis=0), local.max(axis=0)
    return OrientedBox((low + high) / 2 @ axes, axes, high - low)


def _without_specks(xyz: Array, axes: Array, trim: float) -> Array:
    """The points inside, or within ``_GROW`` of, the box that leaves out ``trim`` at each end of each axis."""
    if not 0 <= trim < 0.5:
        raise ValueError(f"trim is a share of the points below 0.5, got {trim}")
    local = xyz @ axes.T
    low, high = np.quantile(local, [trim, 1 - trim], axis=0)
    margin = _GROW * (high - low)
    kept: Array = xyz[((local >= low - margin) & (local <= high + margin)).all(axis=1)]
    return kept if len(kept) else xyz


def _hull_normals(xyz: Array) -> Array:
    """Directions (M, 3) worth trying as a side: principal axes and the hull's largest faces; across a plane or line."""
    centred = xyz - xyz.mean(axis=0)
    _, spread, axes = np.linalg.svd(centred.T @ centred)
    spread = np.sqrt(spread)
    if spread[2] <= _FLAT * spread[0] or len(xyz) < 4:
        return np.asarray(axes[2:])
    try:
        hull = ConvexHull(xyz)
    except QhullError:  # flatter than Qhull can tell apart
        return np.asarray(axes[2:])
    corners = xyz[hull.simplices]
    area = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    # Triangles of one face share their equation to rounding, up to the sign of the opposite face.
    normals = hull.equations[:, :3]
    lead = np.take_along_axis(normals, np.argmax(np.abs(normals) > 0.5, axis=1)[:, None], axis=1)
    faces, face = np.unique(np.round(normals * np.sign(lead), 6), axis=0, return_inverse=True)
    largest = np.argsort(-np.bincount(face.ravel(), area), kind="stable")[:_MAX_FACES]
    normals = faces[largest] / np.linalg.norm(faces[largest], axis=1, keepdims=True)
    return np.concatenate([axes, normals])


def _smallest(xyz: Array, normals: Array) -> Array:
    """Axes (3, 3) of the smallest box with one side across one of ``normals`` (M, 3); that normal is the first axis.

    With more than one normal to choose from, the box is then made smaller by turning it about its own axes.
    """
    hull = _hull_points(xyz)
    best, axes = _best_of(hull, normals)
    while len(normals) > 1:
        smaller, turned = _best_of(hull, axes)
        if not smaller < best * (1 - 1e-9):
            break
        best, axes = smaller, turned
    return axes


def _best_of(hull: Array, normals: Array) -> tuple[float, Array]:
    # Equal volumes (a flat set has none) are told apart by area, so a plane still gets its smallest rectangle.
    candidates = np.empty((len(normals), 3, 3))
    measures = np.empty((len(normals), 2))
    for i, normal in enumerate(normals):
        measures[i], candidates[i] = _flush_with(hull, normal)
    best = int(np.lexsort((measures[:, 1], measures[:, 0]))[0])
    return float(measures[best, 0]), candidates[best]


def _flush_with(hull: Array, normal: Array) -> tuple[Array, Array]:
    """(volume, area) and axes of the smallest box around the points with one side across ``normal``."""
    first = np.cross(normal, np.eye(3)[np.argmin(np.abs(normal))])
    first /= np.linalg.norm(first)
    second = np.cross(normal, first)
    flat = np.stack([hull @ first, hull @ second], axis=1)
    area, c, s = _smallest_rectangle(flat[np.lexsort((flat[:, 1], flat[:, 0]))])
    height = float(np.ptp(hull @ normal))
    along = c * first + s * second
    return np.array([area * height, area]), np.stack([normal, along, np.cross(normal, along)])


def _hull_points(xyz: Array) -> Array:
    """The points that matter for a box: the corners of the hull, or all when the set is flat or small."""
    if len(xyz) < 50:
        return xyz
    try:
        corners = xyz[ConvexHull(xyz).vertices]
    except QhullError:
        return xyz
    if len(corners) > _MAX_CORNERS:  # a round thing: keep the farthest in evenly spread directions
        k = np.arange(_MAX_CORNERS) + 0.5
        z, turn = 1 - 2 * k / _MAX_CORNERS, k * (np.pi * (1 + 5**0.5))
        directions = np.stack([np.cos(turn) * np.sqrt(1 - z * z), np.sin(turn) * np.sqrt(1 - z * z), z])
        corners = corners[np.unique(np.argmax(corners @ directions, axis=0))]
    return np.asarray(corners)


def _thinned(xyz: Array) -> Array:
    return xyz[:: -(-len(xyz) // _MAX_POINTS)]


@nb.njit(cache=True, nogil=True)
def _smallest_rectangle(points: Array) -> tuple[float, float, float]:
    """Area and direction (cos, sin) of the smallest rectangle around 2D points sorted by x, then y.

    One side lies along an edge of the convex hull (Freeman and Shapira 1975); the hull is Andrew's monotone chain.
    """
    n = len(points)
    hull = np.empty((2 * n + 2, 2))
    k = 0
    for sweep in range(2):
        start = k + 1 if sweep == 0 else k
        for j in range(n):
            i = j if sweep == 0 else n - 1 - j
            while k > start and _turn(hull[k - 2], hull[k - 1], points[i]) <= 0:
                k -= 1
            hull[k] = points[i]
            k += 1
    best_area, best_c, best_s, best_side = np.inf, 1.0, 0.0, np.inf
    for i in range(k - 1):
        dx, dy = hull[i + 1, 0] - hull[i, 0], hull[i + 1, 1] - hull[i, 1]
        length = np.hypot(dx, dy)
        if length == 0.0:
            continue
        c, s = dx / length, dy / length
        low_u, high_u, low_v, high_v = np.inf, -np.inf, np.inf, -np.inf
        for j in range(k - 1):
            u, v = c * hull[j, 0] + s * hull[j, 1], c * hull[j, 1] - s * hull[j, 0]
            low_u, high_u = min(low_u, u), max(high_u, u)
            low_v, high_v = min(low_v, v), max(high_v, v)
        area, side = (high_u - low_u) * (high_v - low_v), high_v - low_v
        if area < best_area or (area == best_area and side < best_side):
            best_area, best_c, best_s, best_side = area, c, s, side
    return (best_area if k > 2 else 0.0), best_c, best_s


@nb.njit(cache=True, nogil=True)
def _turn(a: Array, b: Array, c: Array) -> float:
    turn: float = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
    return turn
