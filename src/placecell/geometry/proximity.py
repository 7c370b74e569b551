"""How near two things are: exact closest points of oriented boxes, and how much they overlap.

Knows: box to box (one pair or all pairs), overlap volume.
Does not know: what is in the boxes. `boxes.OrientedBox` itself has the distance from points to a box.

Closest points of two disjoint convex polytopes can be chosen so that one is a corner, or both lie inside edges that are
not parallel. Corners are clamped to the other box. Of the edges along one axis of each box only those that support the
boxes towards each other, across both axes, can matter: one each, or two where a face is parallel to the other edge.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numba as nb
import numpy as np
from scipy.spatial import ConvexHull, QhullError

from placecell.geometry.boxes import OrientedBox
from placecell.geometry.transforms import Array

_PARALLEL = 1e-9


class ClosestPair(NamedTuple):
    """``distance`` and the points (3,) of both boxes it was measured between; a common point when they overlap."""

    distance: float
    on_a: Array
    on_b: Array


def closest_points(a: OrientedBox, b: OrientedBox) -> ClosestPair:
    """Exact closest points of two solid boxes (flat and point-like ones included)."""
    seen, half_a, half_b = _seen_from(a, b), a.size / 2, b.size / 2
    pair = np.zeros((2, 3))
    distance = float(_closest(seen, half_a, half_b, pair))
    on_a, on_b = a.centre + pair @ a.axes
    if not _overlap(seen, half_a, half_b):
        return ClosestPair(distance, on_a, on_b)
    # Sheets that cross meet on edges that are only within rounding of the other sheet.
    slack = 1e-9 * (a.longest + b.longest)
    common = np.concatenate([_clipped_edges(a, b, slack), _clipped_edges(b, a, slack)])
    point = common.mean(axis=0) if len(common) else on_a  # none: they touch within rounding
    return ClosestPair(0.0, point, point)


def box_distances(a: Sequence[OrientedBox], b: Sequence[OrientedBox]) -> Array:
    """Exact distances (len(a), len(b)) between solid boxes, 0 where they overlap."""
    distances: Array = _all_distances(_packed(a), _packed(b))
    return distances


def overlaps(a: OrientedBox, b: OrientedBox) -> bool:
    """Whether two solid boxes share a point (separating axes, Gottschalk 1996)."""
    return bool(_overlap(_seen_from(a, b), a.size / 2, b.size / 2))


def overlap_volume(a: OrientedBox, b: OrientedBox) -> float:
    """Exact volume that two boxes share: the hull of what each leaves of the other's edges."""
    if a.volume == 0 or b.volume == 0 or not overlaps(a, b):
        return 0.0
    try:
        return float(ConvexHull(np.concatenate([_clipped_edges(a, b), _clipped_edges(b, a)])).volume)
    except (QhullError, ValueError):  # they touch in a point, a line or a plane
        return 0.0


def iou(a: OrientedBox, b: OrientedBox) -> float:
    """Shared volume over joint volume, 0 to 1; 0 for boxes without volume."""
    shared = overlap_volume(a, b)
    return shared / (a.volume + b.volume - shared) if shared > 0 else 0.0


def _packed(boxes: Sequence[OrientedBox]) -> Array:
    """(N, 5, 3) for the kernels: centre, three axes, half sizes."""
    packed = np.empty((len(boxes), 5, 3))
    for row, box in zip(packed, boxes, strict=True):
        row[0], row[1:4], row[4] = box.centre, box.axes, box.size / 2
    return packed


def _seen_from(a: OrientedBox, b: OrientedBox) -> Array:
    """(4, 3) centre and axes of ``b`` in the frame of ``a``, where the kernels work."""
    return np.concatenate([(b.centre - a.centre)[None], b.axes]) @ a.axes.T


def _clipped_edges(a: OrientedBox, b: OrientedBox, slack: float = 0.0) -> Array:
    """Ends (2 K, 3) of what is left of the edges of ``a`` inside ``b``, grown by ``slack``."""
    corners = a.corners.reshape(2, 2, 2, 3)
    starts = np.concatenate([np.take(corners, 0, axis=axis).reshape(4, 3) for axis in range(3)])
    ends = np.concatenate([np.take(corners, 1, axis=axis).reshape(4, 3) for axis in range(3)])
    p, d = b.to_local(starts), b.to_local(ends) - b.to_local(starts)
    half, moving = b.size / 2 + slack, np.abs(d) > 1e-15
    step = np.where(moving, d, 1.0)
    enter, leave = np.sort(np.stack([(-half - p) / step, (half - p) / step]), axis=0)
    always = np.abs(p) <= half * (1 + 1e-12)
    enter = np.where(moving, enter, np.where(always, -np.inf, np.inf)).max(axis=1, initial=0.0)
    leave = np.where(moving, leave, np.where(always, np.inf, -np.inf)).min(axis=1, initial=1.0)
    hit = enter <= leave
    along = (ends - starts)[hit]
    return np.concatenate([starts[hit] + t[hit, None] * along for t in (enter, leave)])


@nb.njit(cache=True, nogil=True)
def _all_distances(a: Array, b: Array) -> Array:
    out = np.zeros((len(a), len(b)))
    pair, seen = np.zeros((2, 3)), np.empty((4, 3))
    for i in range(len(a)):
        for j in range(len(b)):
            for k in range(3):
                seen[0, k] = 0.0
                for axis in range(3):
                    seen[0, k] += a[i, 1 + k, axis] * (b[j, 0, axis] - a[i, 0, axis])
                for m in range(3):
                    seen[1 + m, k] = 0.0
                    for axis in range(3):
                        seen[1 + m, k] += a[i, 1 + k, axis] * b[j, 1 + m, axis]
            if not _overlap(seen, a[i, 4], b[j, 4]):
                out[i, j] = _closest(seen, a[i, 4], b[j, 4], pair)
    return out


@nb.njit(cache=True, nogil=True)
def _overlap(b: Array, half_a: Array, half_b: Array) -> bool:
    """No separating axis among the 6 of the boxes and the 9 across one of each."""
    for k in range(3):
        reach = abs(b[1, k]) * half_b[0] + abs(b[2, k]) * half_b[1] + abs(b[3, k]) * half_b[2]
        if abs(b[0, k]) > half_a[k] + reach:
            return False
        reach = abs(b[1 + k, 0]) * half_a[0] + abs(b[1 + k, 1]) * half_a[1] + abs(b[1 + k, 2]) * half_a[2]
        if abs(b[0, 0] * b[1 + k, 0] + b[0, 1] * b[1 + k, 1] + b[0, 2] * b[1 + k, 2]) > half_b[k] + reach:
            return False
    for k in range(3):
        k1, k2 = (k + 1) % 3, (k + 2) % 3
        for m in range(3):
            m1, m2 = 1 + (m + 1) % 3, 1 + (m + 2) % 3
            if 1.0 - b[1 + m, k] ** 2 < _PARALLEL:
                continue
            reach_a = half_a[k1] * abs(b[1 + m, k2]) + half_a[k2] * abs(b[1 + m, k1])
            reach_b = half_b[m1 - 1] * abs(b[m2, k]) + half_b[m2 - 1] * abs(b[m1, k])
            if abs(b[0, k2] * b[1 + m, k1] - b[0, k1] * b[1 + m, k2]) > reach_a + reach_b:
                return False
    return True


@nb.njit(cache=True, nogil=True)
def _closest(b: Array, half_a: Array, half_b: Array, pair: Array) -> float:
    """Distance of boxes that do not overlap; ``pair`` (2, 3) receives the closest points, in the frame of a."""
    best = _corners_of_a(b, half_a, half_b, pair, np.inf)
    best = _corners_of_b(b, half_a, half_b, pair, best)
    for k in range(3):
        for m in range(3):
            best = _edges(b, half_a, half_b, k, m, pair, best)
    distance: float = np.sqrt(best)
    return distance


@nb.njit(cache=True, nogil=True)
def _corners_of_a(b: Array, half_a: Array, half_b: Array, pair: Array, best: float) -> float:
    """The smaller of ``best`` and the squared distance of a's corners from b; if the latter, its points are stored."""
    for number in range(8):
        x = half_a[0] if number & 1 else -half_a[0]
        y = half_a[1] if number & 2 else -half_a[1]
        z = half_a[2] if number & 4 else -half_a[2]
        dx, dy, dz = x - b[0, 0], y - b[0, 1], z - b[0, 2]
        p, q, r = b[0, 0], b[0, 1], b[0, 2]
        for k in range(3):
            along = dx * b[1 + k, 0] + dy * b[1 + k, 1] + dz * b[1 + k, 2]
            along = min(max(along, -half_b[k]), half_b[k])
            p, q, r = p + along * b[1 + k, 0], q + along * b[1 + k, 1], r + along * b[1 + k, 2]
        squared = (x - p) ** 2 + (y - q) ** 2 + (z - r) ** 2
        if squared < best:
            best = squared
            pair[0, 0], pair[0, 1], pair[0, 2] = x, y, z
            pair[1, 0], pair[1, 1], pair[1, 2] = p, q, r
    return best


@nb.njit(cache=True, nogil=True)
def _corners_of_b(b: Array, half_a: Array, half_b: Array, pair: Array, best: float) -> float:
    """As `_corners_of_a`, the other way round."""
    for number in range(8):
        x, y, z = b[0, 0], b[0, 1], b[0, 2]
        for k in range(3):
            side = half_b[k] if (number >> k) & 1 else -half_b[k]
            x, y, z = x + side * b[1 + k, 0], y + side * b[1 + k, 1], z + side * b[1 + k, 2]
        p = min(max(x, -half_a[0]), half_a[0])
        q = min(max(y, -half_a[1]), half_a[1])
        r = min(max(z, -half_a[2]), half_a[2])
        squared = (x - p) ** 2 + (y - q) ** 2 + (z - r) ** 2
        if squared < best:
            best = squared
            pair[0, 0], pair[0, 1], pair[0, 2] = p, q, r
            pair[1, 0], pair[1, 1], pair[1, 2] = x, y, z
    return best


@nb.njit(cache=True, nogil=True)
def _edges(b: Array, half_a: Array, half_b: Array, k: int, m: int, pair: Array, best: float) -> float:
    """As `_corners_of_a`, for the edges along axis k of a and axis m of b that face each other, inside both."""
    k1, k2 = (k + 1) % 3, (k + 2) % 3
    # Across both edges, from a to b; its component along axis k of a is 0.
    n1, n2 = -b[1 + m, k2], b[1 + m, k1]
    scale = n1 * n1 + n2 * n2
    if scale < _PARALLEL * _PARALLEL:
        return best
    cosine = b[1 + m, k]
    length = np.sqrt(scale) if n1 * b[0, k1] + n2 * b[0, k2] >= 0 else -np.sqrt(scale)
    n1, n2 = n1 / length, n2 / length
    p, q = 1 + (m + 1) % 3, 1 + (m + 2) % 3
    lean_p, lean_q = n1 * b[p, k1] + n2 * b[p, k2], n1 * b[q, k1] + n2 * b[q, k2]
    for tie in range(16):  # bits: which side of a's k1, a's k2, b's p, b's q; only ties take the far side too
        if (
            (tie & 1 and abs(n1) > _PARALLEL)
            or (tie & 2 and abs(n2) > _PARALLEL)
            or (tie & 4 and abs(lean_p) > _PARALLEL)
            or (tie & 8 and abs(lean_q) > _PARALLEL)
        ):
            continue
        a1 = half_a[k1] if (n1 > 0) != (tie & 1 > 0) else -half_a[k1]
        a2 = half_a[k2] if (n2 > 0) != (tie & 2 > 0) else -half_a[k2]
        side_p = half_b[p - 1] if (lean_p < 0) != (tie & 4 > 0) else -half_b[p - 1]
        side_q = half_b[q - 1] if (lean_q < 0) != (tie & 8 > 0) else -half_b[q - 1]
        # w: from the middle of a's edge to that of b's, in the order k, k1, k2.
        w0 = b[0, k] + side_p * b[p, k] + side_q * b[q, k]
        w1 = b[0, k1] + side_p * b[p, k1] + side_q * b[q, k1] - a1
        w2 = b[0, k2] + side_p * b[p, k2] + side_q * b[q, k2] - a2
        along = w0 * cosine + w1 * b[1 + m, k1] + w2 * b[1 + m, k2]
        s, t = w0 - cosine * along, cosine * w0 - along
        if abs(s) > half_a[k] * scale or abs(t) > half_b[m] * scale:
            continue
        s, t = s / scale, t / scale
        g0, g1, g2 = w0 + t * cosine - s, w1 + t * b[1 + m, k1], w2 + t * b[1 + m, k2]
        squared = g0 * g0 + g1 * g1 + g2 * g2
        if squared < best:
            best = squared
            pair[0, k], pair[0, k1], pair[0, k2] = s, a1, a2
            pair[1, k], pair[1, k1], pair[1, k2] = s + g0, a1 + g1, a2 + g2
    return best
