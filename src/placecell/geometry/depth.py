"""Where one depth map jumps.

Knows: z-depth maps (h, w) with 0 or NaN for unknown, organised as their camera's pixels.
Does not know: other views (``consistency``) or point clouds.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray


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
