"""The first half of ``raster``: from points to the nearest splat in each pixel.

Knows: flat arrays and how to draw them fast. An unknown pixel has an infinite depth.
Does not know: cameras, colours, or how holes close (``holes``).

An assignment to a slice would do for `_copy` and `_clear`, but makes numba compile its error messages, for seconds.
The inner loops are written so that LLVM vectorises them: one simple loop per function, selections instead of branches,
numpy's error model (division by zero gives infinity), unsigned indices where the compiler cannot see that they are not
negative. Nothing is compiled with fast-math, so vectorised and scalar parts round alike.
"""

from __future__ import annotations

from typing import NamedTuple

import numba as nb
import numpy as np
from numpy.typing import NDArray

Float32 = NDArray[np.float32]
Int32 = NDArray[np.int32]
UInt64 = NDArray[np.uint64]

kernel = nb.njit(cache=True, nogil=True, error_model="numpy")

WIDEST = 24  # pixels a splat may reach; also how far outside of the picture points are drawn, for their rims
TILE = 128  # columns that share one reach; larger than WIDEST, so that a splat stays in its own and the next tile
_RING = 2 * WIDEST + 1
_CHUNK = 1024
_EMPTY = np.uint64(0xFFFFFFFFFFFFFFFF)
_INF = np.float32(np.inf)


class View(NamedTuple):
    """How big things appear. Along a surface at depth z one ``spacing`` covers ``pixels`` / z pixels in a perspective
    picture and ``pixels`` in an orthographic one."""

    spacing: np.float32
    pixels: np.float32
    perspective: bool


def draw(
    points: Float32, pose: Float32, lens: Float32, view: View, near: float, size: tuple[int, int]
) -> tuple[Float32, Int32]:
    """Depth and index, both of ``size`` (height, width), of the splats.

    ``pose`` (3, 4) is cam_from_world, ``lens`` is fx, fy, cx, cy.
    """
    keys = np.full((size[0] + 2 * WIDEST, size[1] + 2 * WIDEST), _EMPTY, np.uint64)
    lens = lens + np.array([0, 0, WIDEST, WIDEST], np.float32)
    _nearest_points(points, pose, lens, view.perspective, np.float32(near), keys)
    depth, index = np.empty(size, np.float32), np.empty(size, np.int32)
    _widen(keys, view, depth, index)
    return depth, index


@kernel
def _nearest_points(
    points: Float32, pose: Float32, lens: Float32, perspective: bool, near: np.float32, keys: UInt64
) -> None:
    """Keep in each pixel the smallest (depth, point number), both in one 64-bit key."""
    flat = keys.reshape(-1)
    depth, u, v = np.empty(_CHUNK, np.float32), np.empty(_CHUNK, np.float32), np.empty(_CHUNK, np.float32)
    bits = depth.view(np.uint32)  # of positive floats, in the same order as the floats
    place = np.empty(_CHUNK, np.int32)
    for start in range(0, len(points), _CHUNK):
        count = min(_CHUNK, len(points) - start)
        project(points[start : start + count], pose, lens, perspective, depth, u, v)
        _locate(depth[:count], u, v, near, keys.shape, place)
        for i in range(count):
            if place[i] >= 0:
                key = (np.uint64(bits[i]) << np.uint64(32)) | np.uint64(start + i)
                flat[np.uint64(place[i])] = min(flat[np.uint64(place[i])], key)


@kernel
def project(
    points: Float32, pose: Float32, lens: Float32, perspective: bool, depth: Float32, u: Float32, v: Float32
) -> None:
    """z-depth and pixel of each point; of a point behind a perspective camera the pixel means nothing."""
    p00, p01, p02, p03 = pose[0, 0], pose[0, 1], pose[0, 2], pose[0, 3]
    p10, p11, p12, p13 = pose[1, 0], pose[1, 1], pose[1, 2], pose[1, 3]
    p20, p21, p22, p23 = pose[2, 0], pose[2, 1], pose[2, 2], pose[2, 3]
    fx, fy, cx, cy = lens[0], lens[1], lens[2], lens[3]
    divide = np.float32(1.0) if perspective else np.float32(0.0)
    constant = np.float32(1.0) - divide
    for i in range(len(points)):
        x, y, z = points[i, 0], points[i, 1], points[i, 2]
        d = p20 * x + p21 * y + p22 * z + p23
        scale = np.float32(1.0) / (divide * d + constant)
        depth[i] = d
        u[i] = (p00 * x + p01 * y + p02 * z + p03) * scale * fx + cx
        v[i] = (p10 * x + p11 * y + p12 * z + p13) * scale * fy + cy


@kernel
def _locate(depth: Float32, u: Float32, v: Float32, near: np.float32, size: tuple[int, int], place: Int32) -> None:
    """Number of the pixel, row by row, or -1."""
    zero, high, wide = np.float32(0.0), np.float32(size[0]), np.float32(size[1])
    width = np.int32(size[1])
    for i in range(len(depth)):
        a, b = u[i], v[i]
        seen = (depth[i] >= near) & (a >= zero) & (b >= zero) & (a < wide) & (b < high)
        pixel = np.int32(b) * width + np.int32(a)
        place[i] = pixel if seen else np.int32(-1)


@kernel
def _widen(keys: UInt64, view: View, out_depth: Float32, out_index: Int32) -> None:
    """Let each pixel's point spread as a paraboloid splat, and cut off the margin.

    A splat's radius is half the diagonal of one spacing and one pixel, since neighbours, moved to the middles of their
    pixels, may be that far apart; there it has drooped by one spacing and ends. The paraboloid, squared distance
    times droop, is one along the row plus one along the column, so the lower envelope of all splats is found along the
    rows first, then along the columns. Only rows that can reach the present one are held, in a ring.
    """
    rows, width = keys.shape
    tiles = -(-width // TILE)
    front, depth = np.empty((_RING, width), np.float32), np.empty((_RING, width), np.float32)
    droop, left = np.empty((_RING, width), np.float32), np.empty((_RING, width), np.float32)
    index = np.empty((_RING, width), np.int32)
    reach = np.zeros((_RING, tiles), np.int64)
    z, own_droop, best = np.empty(width, np.float32), np.empty(width, np.float32), np.empty(width, np.float32)
    numbers, offset = np.empty(width, np.int32), np.empty(width, np.int32)
    own_reach = np.empty(tiles + 2, np.int64)
    own_reach[0] = own_reach[-1] = 0
    for ahead in range(rows):
        slot = ahead % _RING
        _unpack(keys[ahead], z, numbers)
        _copy(z, front[slot])
        _clear(offset)
        for tile in range(tiles):
            a, b = tile * TILE, min((tile + 1) * TILE, width)
            own_reach[tile + 1] = _droops(z[a:b], view, own_droop[a:b])
            _spread_along_row(z, own_droop, view.spacing, front[slot], offset, a, b, own_reach[tile + 1])
        for tile in range(tiles):  # what came in from a neighbouring tile reaches as far as that one's
            reach[slot, tile] = max(own_reach[tile], own_reach[tile + 1], own_reach[tile + 2])
        _settle_row(offset, z, numbers, own_droop, depth[slot], index[slot], droop[slot])
        _subtract(view.spacing, front[slot], depth[slot], left[slot])
        row = ahead - WIDEST
        if row >= WIDEST:
            _copy(front[row % _RING], best)
            _clear(offset)
            for step in range(-WIDEST, WIDEST + 1):
                source = (row + step) % _RING
                for tile in range(tiles):
                    if step != 0 and abs(step) <= reach[source, tile]:
                        a, b = tile * TILE, min((tile + 1) * TILE, width)
                        _spread_along_column(step, front[source], droop[source], left[source], best, offset, a, b)
            _settle_column(row, offset, depth, index, out_depth[row - WIDEST], out_index[row - WIDEST])


@kernel
def _copy(values: Float32, to: Float32) -> None:
    for c in range(len(to)):
        to[c] = values[c]


@kernel
def _clear(values: Int32) -> None:
    for c in range(len(values)):
        values[c] = 0


@kernel
def _unpack(keys: UInt64, depth: Float32, index: Int32) -> None:
    for c in range(len(keys)):
        index[c] = np.int32(keys[c] & np.uint64(0xFFFFFFFF))
        depth[c] = np.uint32(keys[c] >> np.uint64(32)).view(np.float32) if keys[c] != _EMPTY else _INF


@kernel
def _droops(z: Float32, view: View, droop: Float32) -> int:
    """Droop per squared pixel of each splat, and the largest radius in whole pixels."""
    half_diagonal, one = np.float32(0.7072), np.float32(1.0)
    nearest = _INF
    for c in range(len(z)):
        radius = half_diagonal * ((view.pixels / z[c] if view.perspective else view.pixels) + one)
        droop[c] = view.spacing / (radius * radius)
        nearest = z[c] if z[c] < nearest else nearest
    if nearest == _INF:
        return 0
    radius = half_diagonal * ((view.pixels / nearest if view.perspective else view.pixels) + one)
    return int(min(radius, np.float32(WIDEST)))


@kernel
def _spread_along_row(
    z: Float32, droop: Float32, spacing: np.float32, best: Float32, offset: Int32, start: int, end: int, reach: int
) -> None:
    """Spread the columns from start to end by up to ``reach`` to either side."""
    for d in range(1, reach + 1):
        squared, step, distance = np.float32(d * d), np.int32(d), np.uint64(d)
        for c in range(np.uint64(max(start, d)), np.uint64(end)):
            lower, to = squared * droop[c], c - distance
            take = (z[c] + lower < best[to]) & (lower <= spacing)
            best[to] = z[c] + lower if take else best[to]
            offset[to] = step if take else offset[to]
        for c in range(np.uint64(start), np.uint64(min(end, len(z) - d))):
            lower, to = squared * droop[c], c + distance
            take = (z[c] + lower < best[to]) & (lower <= spacing)
            best[to] = z[c] + lower if take else best[to]
            offset[to] = -step if take else offset[to]


@kernel
def _settle_row(
    offset: Int32, z: Float32, numbers: Int32, own_droop: Float32, depth: Float32, index: Int32, droop: Float32
) -> None:
    """Depth, point number and droop of the splat that won each pixel."""
    for c in range(len(z)):
        source = np.uint32(np.int32(c) + offset[c])
        depth[c] = z[source]
        index[c] = numbers[source]
        droop[c] = own_droop[source]


@kernel
def _subtract(spacing: np.float32, front: Float32, depth: Float32, left: Float32) -> None:
    """What is left of a splat's droop after its spread along the row."""
    for c in range(len(left)):
        left[c] = spacing - (front[c] - depth[c])


@kernel
def _spread_along_column(
    step: int, front: Float32, droop: Float32, left: Float32, best: Float32, offset: Int32, start: int, end: int
) -> None:
    squared, rows = np.float32(step * step), np.int32(step)
    for c in range(np.uint64(start), np.uint64(end)):
        lower = squared * droop[c]
        take = (front[c] + lower < best[c]) & (lower <= left[c])
        best[c] = front[c] + lower if take else best[c]
        offset[c] = rows if take else offset[c]


@kernel
def _settle_column(row: int, offset: Int32, depth: Float32, index: Int32, out_depth: Float32, out_index: Int32) -> None:
    width, depths, indices = np.uint32(depth.shape[1]), depth.reshape(-1), index.reshape(-1)
    inner = offset[WIDEST : WIDEST + len(out_depth)]
    for c in range(len(out_depth)):
        slot = np.uint32(np.int32(row) + inner[c]) % np.uint32(_RING)
        source = slot * width + np.uint32(c + WIDEST)
        out_depth[c] = depths[source]
        out_index[c] = indices[source]
