"""What a ray meets first: a point of a cloud, an oriented box, a rectangle in space.

A ray is an ``origin`` (3,) and a ``direction`` (3,) of any length; how far along it something is, is in the world's
lengths.
"""

from __future__ import annotations

import math

import numba as nb
import numpy as np
from numpy.typing import ArrayLike, NDArray

from placecell.geometry.boxes import OrientedBox
from placecell.geometry.transforms import Array

_SAME_SURFACE = 0.02
"""Points whose distances from the eye differ by less than this share of it are taken as one surface."""


def first_point(
    points: NDArray[np.float32], origin: ArrayLike, direction: ArrayLike, slope: float, radius: float = 0.0
) -> int | None:
    """The index of the point of (N, 3) that is in front, of those the ray passes closely; None when it passes none.

    Closely is within ``radius`` + ``slope`` x the distance from the origin: half a point, and some pixels for the hand.
    On the surface in front the point nearest to the ray is taken.
    """
    eye, ahead = np.asarray(origin, np.float64), _unit(direction)
    front = _front(points, eye, ahead, slope, radius)
    if not np.isfinite(front):
        return None
    return int(_nearest(points, eye, ahead, slope, radius, front * (1 + _SAME_SURFACE) + radius))


def box_entry(box: OrientedBox, origin: ArrayLike, direction: ArrayLike) -> float | None:
    """How far along the ray it enters the box, 0 from inside, None when it misses (slabs, Kay and Kajiya 1986)."""
    eye, ahead = box.to_local(origin), box.axes @ _unit(direction)
    near, far = 0.0, math.inf
    for start, step, half in zip(eye.tolist(), ahead.tolist(), (box.size / 2).tolist(), strict=True):
        if abs(step) < 1e-12:
            if abs(start) > half:
                return None
            continue
        enter, leave = sorted(((-half - start) / step, (half - start) / step))
        near, far = max(near, enter), min(far, leave)
    return near if near <= far else None


def rectangle_hit(
    world_from_cam: ArrayLike, corner: ArrayLike, origin: ArrayLike, direction: ArrayLike
) -> float | None:
    """How far along the ray it meets a picture in space, None when it misses.

    The picture is upright to the view of ``world_from_cam`` (4, 4) and centred in it; ``corner`` (3,) is its bottom
    right corner in the camera's axes.
    """
    pose, (right, bottom, depth) = np.asarray(world_from_cam, np.float64), np.asarray(corner, np.float64)
    eye, ahead = (np.asarray(origin, np.float64) - pose[:3, 3]) @ pose[:3, :3], _unit(direction) @ pose[:3, :3]
    if abs(ahead[2]) < 1e-12:
        return None
    along = float((depth - eye[2]) / ahead[2])
    x, y, _ = eye + along * ahead
    return along if along >= 0 and abs(x) <= right and abs(y) <= bottom else None


def _unit(direction: ArrayLike) -> Array:
    vector = np.asarray(direction, np.float64)
    length = float(np.linalg.norm(vector))
    if not 0 < length < math.inf:
        raise ValueError(f"a ray needs a direction, got {vector.tolist()}")
    return vector / length


@nb.njit(cache=True, nogil=True)
def _front(points: NDArray[np.float32], eye: Array, ahead: Array, slope: float, radius: float) -> float:
    front = np.inf
    for i in range(len(points)):
        x, y, z = points[i, 0] - eye[0], points[i, 1] - eye[1], points[i, 2] - eye[2]
        along = x * ahead[0] + y * ahead[1] + z * ahead[2]
        if 0.0 < along < front:
            reach = radius + slope * along
            if x * x + y * y + z * z - along * along <= reach * reach:
                front = along
    return front


@nb.njit(cache=True, nogil=True)
def _nearest(points: NDArray[np.float32], eye: Array, ahead: Array, slope: float, radius: float, deepest: float) -> int:
    found, least = -1, np.inf
    for i in range(len(points)):
        x, y, z = points[i, 0] - eye[0], points[i, 1] - eye[1], points[i, 2] - eye[2]
        along = x * ahead[0] + y * ahead[1] + z * ahead[2]
        if 0.0 < along <= deepest:
            reach = radius + slope * along
            beside = x * x + y * y + z * z - along * along
            if beside <= reach * reach and beside < least:
                found, least = i, beside
    return found
