"""Whether two depth maps measured the same surface: a point must come back where it started, at the same depth."""

from __future__ import annotations

import numba as nb
import numpy as np
from numpy.typing import NDArray

Float32 = NDArray[np.float32]
Float64 = NDArray[np.float64]
Int32 = NDArray[np.int32]

_SEEN_THROUGH = 3.0  # tolerances behind a surface at which the other view speaks against it


@nb.njit(cache=True, nogil=True, error_model="numpy")
def agree(  # noqa: PLR0913
    depth: Float32,
    other: Float32,
    lens: Float64,
    other_lens: Float64,
    other_from_here: Float64,
    limits: Float64,
    total: Float64,
    squares: Float64,
    count: Int32,
    denied: Int32,
) -> None:
    """Compare ``depth`` (h, w) with the ``other`` view's and add to four (h, w) maps, in place.

    ``lens``: fx, fy, cx, cy. ``limits``: pixels by which a point may miss its start on the way there and back, and the
    relative difference of depth. Where they agree, ``count`` grows by 1, ``total`` by the depth the other measured, as
    seen from here, and ``squares`` by the squared relative difference. Where the other view sees through the
    surface, ``denied`` grows.
    """
    height, width = depth.shape
    fx, fy, cx, cy = lens
    gx, gy, dx, dy = other_lens
    m = other_from_here
    for row in range(height):
        for column in range(width):
            z = np.float64(depth[row, column])
            if not z > 0:
                continue
            x, y = (column + 0.5 - cx) / fx * z, (row + 0.5 - cy) / fy * z
            pz = m[2, 0] * x + m[2, 1] * y + m[2, 2] * z + m[2, 3]
            if not pz > 0:
                continue
            u = (m[0, 0] * x + m[0, 1] * y + m[0, 2] * z + m[0, 3]) / pz * gx + dx
            v = (m[1, 0] * x + m[1, 1] * y + m[1, 2] * z + m[1, 3]) / pz * gy + dy
            if not (u >= 0 and v >= 0 and u < other.shape[1] and v < other.shape[0]):
                continue
            there = np.float64(other[np.uint32(v), np.uint32(u)])
            if not there > 0:
                continue
            if abs(there - pz) > limits[1] * pz:
                if there > pz * (1 + _SEEN_THROUGH * limits[1]):
                    denied[row, column] += 1
                continue
            # Along the exact line of sight, at the depth measured there, back to here.
            qx, qy, qz = (u - dx) / gx * there - m[0, 3], (v - dy) / gy * there - m[1, 3], there - m[2, 3]
            bx = m[0, 0] * qx + m[1, 0] * qy + m[2, 0] * qz
            by = m[0, 1] * qx + m[1, 1] * qy + m[2, 1] * qz
            bz = m[0, 2] * qx + m[1, 2] * qy + m[2, 2] * qz
            off_u, off_v = bx / bz * fx + cx - column - 0.5, by / bz * fy + cy - row - 0.5
            if bz > 0 and off_u * off_u + off_v * off_v <= limits[0] * limits[0]:
                count[row, column] += 1
                total[row, column] += bz
                squares[row, column] += (bz / z - 1) ** 2
