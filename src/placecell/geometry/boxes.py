"""Oriented boxes, and how one is put around points.

Knows: the box itself; the smallest yaw-only and a (nearly) smallest free box of any point set that is not empty.
Does not know: distances and overlap between boxes (``proximity``), or which points are one object.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import Any, Self

import numba as nb
import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial import ConvexHull, QhullError

from placecell.errors import UserError
from placecell.geometry.transforms import WORLD_UP, Array, as_transforms, rigid

# A side that is shorter than this share of the longest is no side: the points lie in a plane or on a line.
_FLAT = 1e-6
GROW = 0.05
"""After specks are trimmed, a box grows back to points within this share of its side."""
# Of two faces of a thing that meet at an edge, the rectangle along them is as small as the one along the diagonal; its
# sides are this much nearer to the points, on average. Turns are tried at these steps, with no more points.
_NEARER = 0.7
_AS_SMALL = 1.2
_TURNS = np.radians(np.arange(0.0, 90.0, 1.0))
_FINE_TURNS = np.radians(np.arange(-1.0, 1.01, 0.2))
_TURNED_POINTS = 2000
# Free boxes are tried along at most this many faces and edges of the convex hull; some of the best are improved. The
# search for the axes looks at no more points and hull corners than these; the box is then put around all points.
_MAX_DIRECTIONS = 256
_STARTS = 10
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
    def widest(self) -> float:
        """Length of the longest of its sides but the one that is most nearly vertical."""
        return float(np.delete(self.size, np.abs(self.axes @ WORLD_UP).argmax()).max())

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


def gravity_box(points: ArrayLike, trim: float = 0.0, grow: float = GROW) -> OrientedBox:
    """The smallest box around points (N, 3) that stands upright: its second axis is +y, its first the longer side.

    ``trim`` is the share of points at each end of each side that may be specks: the box is put around the rest, then
    grown back to points within the share ``grow`` of its side. Such points are measured surfaces, so of boxes about as
    small the one is taken whose sides have them close by, as two faces of a cupboard have but not their diagonal.
    UserError when there are no points.
    """
    xyz = _points(points)
    axes = _yaw_axes(_thinned(xyz) if trim > 0 else xyz)
    for _ in range(2 if trim > 0 else 0):
        axes = _yaw_axes(_without_specks(_thinned(xyz), axes, trim, grow))
    if trim > 0:
        axes = _along_surfaces(xyz, axes, trim)
        xyz = _without_specks(xyz, axes, trim, grow)
    along, up, across = axes
    if np.ptp(xyz @ across) > np.ptp(xyz @ along):
        along, across = across, -along
    return _around(xyz, np.stack([along, up, across]))


def oriented_box(points: ArrayLike, trim: float = 0.0, grow: float = GROW) -> OrientedBox:
    """A free box around points (N, 3), longest side first, as small as tries along the convex hull's faces make it.

    The smallest possible box has an edge of the hull in each of two adjacent faces (O'Rourke 1985), not always a face
    of the hull in one; so faces and edges are tried as axes, and the best boxes turned about their own until none gets
    smaller. One point gives a box of size 0, points on a line or in a plane a box without thickness. ``trim`` and
    ``grow`` as in `gravity_box`.
    """
    xyz = _points(points)
    some = _thinned(xyz) if trim > 0 else xyz
    axes = _free_axes(some)
    for _ in range(2 if trim > 0 else 0):
        axes = _free_axes(_without_specks(some, axes, trim, grow))
    if trim > 0:
        xyz = _without_specks(xyz, axes, trim, grow)
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


def _without_specks(xyz: Array, axes: Array, trim: float, grow: float) -> Array:
    """The points inside, or within ``grow`` of, the box that leaves out ``trim`` at each end of each axis."""
    if not 0 <= trim < 0.5:
        raise ValueError(f"trim is a share of the points below 0.5, got {trim}")
    local = xyz @ axes.T
    low, high = np.quantile(local, [trim, 1 - trim], axis=0)
    margin = grow * (high - low)
    kept: Array = xyz[((local >= low - margin) & (local <= high + margin)).all(axis=1)]
    return kept if len(kept) else xyz


def _yaw_axes(xyz: Array) -> Array:
    """Axes (3, 3) of the smallest upright box: along a side, +y, across."""
    flat = xyz[:, [0, 2]]
    if len(flat) > 1000:  # Qhull is the faster at dropping the inner points, the outline below does not mind flat sets
        with contextlib.suppress(QhullError):
            flat = flat[ConvexHull(flat).vertices]
    _, (c,), (s,) = _smallest_rectangles(_sorted(flat[None]))
    return _upright_axes(c, s)


def _upright_axes(c: float, s: float) -> Array:
    """Along (c, s) on the plan, +y, across."""
    return np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])


def _along_surfaces(xyz: Array, axes: Array, trim: float) -> Array:
    """Upright ``axes``, or those of a rectangle about as small that runs along the points, when it clearly does.

    How near the points are to the sides tells the orientation of an object of which two faces were seen (the closeness
    criterion of Zhang et al. 2017, Efficient L-Shape Fitting for Vehicle Detection Using Laser Scanners).
    """
    flat = xyz[:: -(-len(xyz) // _TURNED_POINTS)][:, [0, 2]]
    areas, near = _rectangles(flat, _TURNS, trim)
    best = _TURNS[np.argmin(np.where(areas <= _AS_SMALL * areas.min(), near, np.inf))]
    fine = best + _FINE_TURNS
    best = fine[np.argmin(_rectangles(flat, fine, trim)[1])]
    now = np.arctan2(axes[0, 2], axes[0, 0])
    _, (nearer, near_now) = _rectangles(flat, np.array([best, now]), trim)
    return _upright_axes(float(np.cos(best)), float(np.sin(best))) if nearer < _NEARER * near_now else axes


def _rectangles(flat: Array, turns: Array, trim: float) -> tuple[Array, Array]:
    """Area (T,) of the rectangle around flat points (N, 2) at each turn, and their mean distance from its sides."""
    ways = np.stack([np.cos(turns), np.sin(turns)])
    along, across = flat @ ways, flat @ np.stack([-ways[1], ways[0]])
    sides, away = [], []
    for values in (along, across):
        low, high = np.quantile(values, [trim, 1 - trim], axis=0)
        sides.append(high - low)
        away.append(np.minimum(np.abs(values - low), np.abs(high - values)))
    return sides[0] * sides[1], np.minimum(*away).mean(axis=0)


def _free_axes(xyz: Array) -> Array:
    """Axes (3, 3) of a small box around the points."""
    centred = xyz - xyz.mean(axis=0)
    _, spread, principal = np.linalg.svd(centred.T @ centred)
    across = principal[2:]  # of points in a plane; of points on a line one of the directions across
    if len(xyz) < 4 or np.sqrt(spread[2]) <= _FLAT * np.sqrt(spread[0]):
        return np.asarray(_smallest(centred, across)[0][0])
    try:
        hull = ConvexHull(centred)
    except QhullError:  # flatter than Qhull can tell apart
        return np.asarray(_smallest(centred, across)[0][0])
    corners = _far_corners(centred[hull.vertices])
    axes, volumes = _smallest(corners, np.concatenate([principal, _hull_directions(centred, hull)]))
    found = [_turned_smaller(corners, *start) for start in zip(axes[:_STARTS], volumes, strict=False)]
    return min(found, key=lambda item: item[1])[0]


def _turned_smaller(corners: Array, axes: Array, volume: float) -> tuple[Array, float]:
    """The box turned about its own axes for as long as that makes it smaller."""
    while True:
        turned, volumes = _smallest(corners, axes)
        if not volumes[0] < volume * (1 - 1e-9):
            return axes, volume
        axes, volume = turned[0], float(volumes[0])


def _smallest(points: Array, normals: Array) -> tuple[Array, Array]:
    """Axes (M, 3, 3) and volumes (M,) of the smallest box across each of ``normals`` (M, 3), smallest first.

    The normal is the first axis. Equal volumes (flat points have none) are ordered by area.
    """
    # Made units again: rounding would grow with each turn of a box, and shorter axes would look better.
    n = normals / np.linalg.norm(normals, axis=1, keepdims=True)
    first = np.cross(n, np.eye(3)[np.argmin(np.abs(n), axis=1)])
    first /= np.linalg.norm(first, axis=1, keepdims=True)
    second = np.cross(n, first)
    flat = points @ np.stack([first, second], axis=2)
    area, c, s = _smallest_rectangles(_sorted(flat))
    volume = area * np.ptp(points @ n.T, axis=0)
    along = c[:, None] * first + s[:, None] * second
    order = np.lexsort((area, volume))
    return np.stack([n, along, np.cross(n, along)], axis=1)[order], volume[order]


def _sorted(flat: Array) -> Array:
    """Points (M, N, 2), each set by x, then y."""
    return np.take_along_axis(flat, np.lexsort((flat[..., 1], flat[..., 0]), axis=-1)[..., None], axis=1)


def _hull_directions(points: Array, hull: ConvexHull) -> Array:
    """Directions (M, 3) of the hull's largest faces and longest edges."""
    corners = points[hull.simplices]
    edges = np.concatenate([corners[:, k] - corners[:, k - 1] for k in range(3)])
    lengths = np.linalg.norm(edges, axis=1)
    area = np.linalg.norm(np.cross(edges[: len(corners)], edges[len(corners) : 2 * len(corners)]), axis=1)
    faces = _distinct(hull.equations[:, :3], area)[:_MAX_DIRECTIONS]
    return np.concatenate([faces, _distinct(edges / lengths[:, None], lengths)[: _MAX_DIRECTIONS - len(faces)]])


def _distinct(directions: Array, weight: Array) -> Array:
    """Unit directions without repeats, to rounding and up to their sign, those of most weight first."""
    lead = np.take_along_axis(directions, np.argmax(np.abs(directions) > 0.5, axis=1)[:, None], axis=1)
    distinct, which = np.unique(np.round(directions * np.sign(lead), 6), axis=0, return_inverse=True)
    heaviest = np.argsort(-np.bincount(which.ravel(), weight), kind="stable")
    return np.asarray(distinct[heaviest])


def _far_corners(corners: Array) -> Array:
    """Of a hull with very many corners, as a round thing has, the farthest in evenly spread directions."""
    if len(corners) <= _MAX_CORNERS:
        return corners
    k = np.arange(_MAX_CORNERS) + 0.5
    z, turn = 1 - 2 * k / _MAX_CORNERS, k * (np.pi * (1 + 5**0.5))
    directions = np.stack([np.cos(turn) * np.sqrt(1 - z * z), np.sin(turn) * np.sqrt(1 - z * z), z])
    return np.asarray(corners[np.unique(np.argmax(corners @ directions, axis=0))])


def _thinned(xyz: Array) -> Array:
    return xyz[:: -(-len(xyz) // _MAX_POINTS)]


@nb.njit(cache=True, nogil=True)
def _smallest_rectangles(flat: Array) -> tuple[Array, Array, Array]:
    """As `_smallest_rectangle`, for many sets of sorted points (M, N, 2)."""
    area, c, s = np.empty(len(flat)), np.empty(len(flat)), np.empty(len(flat))
    for m in range(len(flat)):
        area[m], c[m], s[m] = _smallest_rectangle(flat[m])
    return area, c, s


@nb.njit(cache=True, nogil=True)
def _smallest_rectangle(points: Array) -> tuple[float, float, float]:
    """Area and direction (cos, sin) of the smallest rectangle around points (N, 2), sorted by x, then y.

    One side lies along an edge of the convex hull (Freeman and Shapira 1975).
    """
    hull = _convex_outline(points)
    best_area, best_c, best_s, best_side = np.inf, 1.0, 0.0, np.inf
    for i in range(len(hull)):
        after = (i + 1) % len(hull)
        dx, dy = hull[after, 0] - hull[i, 0], hull[after, 1] - hull[i, 1]
        length = np.hypot(dx, dy)
        if length == 0.0:
            continue
        c, s = dx / length, dy / length
        low_u, high_u, low_v, high_v = np.inf, -np.inf, np.inf, -np.inf
        for j in range(len(hull)):
            u, v = c * hull[j, 0] + s * hull[j, 1], c * hull[j, 1] - s * hull[j, 0]
            low_u, high_u = min(low_u, u), max(high_u, u)
            low_v, high_v = min(low_v, v), max(high_v, v)
        area, side = (high_u - low_u) * (high_v - low_v), high_v - low_v
        if area < best_area or (area == best_area and side < best_side):
            best_area, best_c, best_s, best_side = area, c, s, side
    return (best_area if best_area < np.inf else 0.0), best_c, best_s


@nb.njit(cache=True, nogil=True)
def _convex_outline(points: Array) -> Array:
    """Corners of the convex hull in order, by Andrew's monotone chain; one point has one, points on a line have two."""
    n = len(points)
    hull = np.empty((2 * n + 2, 2))
    k = 0
    for sweep in range(2):
        start = k + 1 if sweep == 0 else k
        for j in range(n):
            point = points[j if sweep == 0 else n - 1 - j]
            while k > start and _turn(hull[k - 2], hull[k - 1], point) <= 0:
                k -= 1
            hull[k] = point
            k += 1
    return hull[: max(k - 1, 1)]


@nb.njit(cache=True, nogil=True)
def _turn(a: Array, b: Array, c: Array) -> float:
    turn: float = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
    return turn
