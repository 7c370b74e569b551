"""First hits: which part the ray through each pixel's centre meets, and at which z-depth. Exact; no colours.

Knows: packed parts, a pose, a lens. Does not know: what parts belong to, or light. The picture is cut into tiles, and
each tile looks only at the parts whose projected bounds reach it.

``kinds`` and ``geometry`` are those of ``shapes.Packed``, ``lens`` is (fx, fy, cx, cy), ``rotation`` and ``origin`` are
those of ``world_from_cam``. A ray has a direction with z = 1 in the camera, so that its parameter is z-depth.
"""

# ruff: noqa: PLR0913 - kernels take scalars and arrays, not objects

from __future__ import annotations

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

from placecell.backends.synthetic.rays import MISS, meet
from placecell.geometry.transforms import Array

TILE = 8
_NEAR = 0.02  # metres in front of the camera: bounds that come closer cover the whole picture
_CYLINDER = 1


@njit(cache=True, nogil=True)
def tiles(kinds, geometry, rotation, origin, lens, width: int, height: int):  # type: ignore[no-untyped-def]
    """Parts by tile, row by row: tile k looks at ``tiled[starts[k] : starts[k + 1]]``."""
    across, down = (width + TILE - 1) // TILE, (height + TILE - 1) // TILE
    rects = np.zeros((len(kinds), 4), np.int64)
    for p in range(len(kinds)):
        left, top, right, bottom = _bounds(kinds[p, 0], geometry[p], rotation, origin, lens, width, height)
        rects[p, 0] = min(max(math.floor(left) // TILE, 0), across)
        rects[p, 1] = min(max(math.floor(top) // TILE, 0), down)
        rects[p, 2] = min(max(math.ceil(right) // TILE + 1, 0), across)
        rects[p, 3] = min(max(math.ceil(bottom) // TILE + 1, 0), down)
    counts = np.zeros(across * down, np.int64)
    for p in range(len(kinds)):
        for j in range(rects[p, 1], rects[p, 3]):
            for i in range(rects[p, 0], rects[p, 2]):
                counts[j * across + i] += 1
    starts = np.zeros(across * down + 1, np.int64)
    fill = np.zeros(across * down, np.int64)
    for k in range(across * down):  # slices would compile four times as long
        fill[k] = starts[k]
        starts[k + 1] = starts[k] + counts[k]
    tiled = np.empty(starts[-1], np.int64)
    for p in range(len(kinds)):
        for j in range(rects[p, 1], rects[p, 3]):
            for i in range(rects[p, 0], rects[p, 2]):
                tiled[fill[j * across + i]] = p
                fill[j * across + i] += 1
    return starts, tiled


@njit(cache=True, nogil=True)
def _bounds(solid: int, g, rotation, origin, lens, width: int, height: int):  # type: ignore[no-untyped-def]
    """Left, top, right, bottom in pixels of a part's projected bounding box; empty when it is behind the camera."""
    wide = max(g[12], g[14]) if solid == _CYLINDER else g[12]
    deep = wide if solid == _CYLINDER else g[14]
    left, top, right, bottom = MISS, MISS, -MISS, -MISS
    behind = 0
    for corner in range(8):
        x = wide if corner & 1 else -wide
        y = g[13] if corner & 2 else -g[13]
        z = deep if corner & 4 else -deep
        wx = g[9] - origin[0] + g[0] * x + g[3] * y + g[6] * z
        wy = g[10] - origin[1] + g[1] * x + g[4] * y + g[7] * z
        wz = g[11] - origin[2] + g[2] * x + g[5] * y + g[8] * z
        cz = rotation[0, 2] * wx + rotation[1, 2] * wy + rotation[2, 2] * wz
        if cz < _NEAR:
            behind += 1
            continue
        u = lens[2] + lens[0] * (rotation[0, 0] * wx + rotation[1, 0] * wy + rotation[2, 0] * wz) / cz
        v = lens[3] + lens[1] * (rotation[0, 1] * wx + rotation[1, 1] * wy + rotation[2, 1] * wz) / cz
        left, right, top, bottom = min(left, u), max(right, u), min(top, v), max(bottom, v)
    if behind == 8:
        return 0.0, 0.0, -2.0 * TILE, -2.0 * TILE
    if behind > 0:
        return 0.0, 0.0, float(width), float(height)
    limit = 1e6  # keeps the conversion to whole numbers defined
    return max(left, -limit), max(top, -limit), min(right, limit), min(bottom, limit)


@njit(cache=True, nogil=True, error_model="numpy")
def first(kinds, geometry, local, rotation, lens, u: float, v: float, tiled, begin: int, end: int):  # type: ignore[no-untyped-def]
    """z-depth and number of the first part on the ray through pixel position (u, v); ``MISS`` and -1 for none.

    ``local`` (P, 3) is the camera's centre in each part's frame.
    """
    x, y = (u - lens[2]) / lens[0], (v - lens[3]) / lens[1]
    wx = rotation[0, 0] * x + rotation[0, 1] * y + rotation[0, 2]
    wy = rotation[1, 0] * x + rotation[1, 1] * y + rotation[1, 2]
    wz = rotation[2, 0] * x + rotation[2, 1] * y + rotation[2, 2]
    best, found = MISS, -1
    for k in range(begin, end):
        p = tiled[k]
        dx = geometry[p, 0] * wx + geometry[p, 1] * wy + geometry[p, 2] * wz
        dy = geometry[p, 3] * wx + geometry[p, 4] * wy + geometry[p, 5] * wz
        dz = geometry[p, 6] * wx + geometry[p, 7] * wy + geometry[p, 8] * wz
        h0, h1, h2 = geometry[p, 12], geometry[p, 13], geometry[p, 14]
        t = meet(kinds[p, 0], h0, h1, h2, local[p, 0], local[p, 1], local[p, 2], dx, dy, dz)
        if t < best:
            best, found = t, p
    return best, found


@njit(cache=True, nogil=True)
def _cast(kinds, geometry, local, rotation, lens, starts, tiled, depth, part):  # type: ignore[no-untyped-def]
    height, width = depth.shape
    across = (width + TILE - 1) // TILE
    for tile in range(len(starts) - 1):
        top, left = tile // across * TILE, tile % across * TILE
        for v in range(top, min(top + TILE, height)):
            for u in range(left, min(left + TILE, width)):
                depth[v, u], part[v, u] = first(
                    kinds, geometry, local, rotation, lens, u + 0.5, v + 0.5, tiled, starts[tile], starts[tile + 1]
                )


def cast(
    kinds: NDArray[np.int64],
    geometry: Array,
    local: Array,
    rotation: Array,
    origin: Array,
    lens: Array,
    shape: tuple[int, int],
) -> tuple[Array, NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Depth (h, w), part (h, w) (-1 = none, depth ``MISS``), and the tiles' ``starts`` and ``tiled``."""
    starts, tiled = tiles(kinds, geometry, rotation, origin, lens, shape[1], shape[0])
    depth = np.empty(shape)
    part = np.empty(shape, np.int64)
    _cast(kinds, geometry, local, rotation, lens, starts, tiled, depth, part)
    return depth, part, starts, tiled
