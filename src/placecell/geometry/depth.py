"""What one depth map says about itself: where it jumps, and which way its surfaces face.

Knows: z-depth maps (h, w) with 0 or NaN for unknown, organised as their camera's pixels.
Does not know: other views (``consistency``) or point clouds.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from placecell.geometry.camera import Camera


def depth_edges(depth: ArrayLike, ratio: float = 0.03) -> NDArray[np.bool_]:
    """Mask (h, w) of known pixels whose depth differs from a neighbour's (of 8) by more than ``ratio`` of the nearer.

    There, sensors and networks return points in the air between the two surfaces.
    """
    z = np.asarray(depth, dtype=np.float32)
    known = z > 0
    low = _spread(np.where(known, z, np.inf), np.minimum)
    high = _spread(np.where(known, z, 0), np.maximum)
    return np.asarray(known & ((z > low * (1 + ratio)) | (high > z * (1 + ratio))))


def _spread(values: NDArray[Any], keep: np.ufunc) -> NDArray[Any]:
    """Smallest or largest of each pixel and its 8 neighbours."""
    for axis in range(2):
        centre = values
        values = centre.copy()
        ahead = [slice(None), slice(None)]
        behind = [slice(None), slice(None)]
        ahead[axis], behind[axis] = slice(1, None), slice(None, -1)
        to, back = tuple(ahead), tuple(behind)
        values[to] = keep(values[to], centre[back])
        values[back] = keep(values[back], centre[to])
    return values


def normals_from_depth(camera: Camera, depth: ArrayLike, ratio: float = 0.03) -> NDArray[np.float32]:
    """Unit normals (h, w, 3), world, turned towards the camera; NaN where depth is unknown or jumps.

    From the cross product of central differences, so an edge pixel has none. ``ratio`` is that of `depth_edges`.
    """
    z = np.asarray(depth, dtype=np.float32)
    smooth = (z > 0) & ~depth_edges(z, ratio)
    points = camera.unproject(np.where(smooth, z, 0))
    normals = np.full(points.shape, np.nan, np.float32)
    across = points[1:-1, 2:] - points[1:-1, :-2]
    down = points[2:, 1:-1] - points[:-2, 1:-1]
    # x right, y down, z forward: down x across points back to the camera.
    normal = np.cross(down, across)
    length = np.linalg.norm(normal, axis=-1, keepdims=True)
    normals[1:-1, 1:-1] = normal / np.where(length > 0, length, np.nan)
    normals[~smooth] = np.nan
    return normals
