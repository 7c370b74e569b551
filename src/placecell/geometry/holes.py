"""The second half of ``raster``: pinholes in surfaces are covered, narrow unknown gaps closed, colours filled in.

Knows: the depth and index of each pixel; an unknown pixel has an infinite depth until `close_gaps` has run.
Does not know: cameras, or how the splats were drawn (``splats``).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from placecell.geometry.splats import TILE, WIDEST, Float32, Int32, View, kernel

_INF = np.float32(np.inf)
# Two depths belong to one surface when they are this many spacings apart, or this share of the depth on a slant.
_JUMP = np.float32(4.0)
_SLOPE = np.float32(0.02)
_SPECK = 2  # an unknown run of this many pixels is closed even where the depth jumps


def cover_leaks(depth: Float32, index: Int32, view: View) -> tuple[Float32, Int32]:
    """Cover known pixels in small holes of one nearer surface that is on the left, on the right, above and below.

    Small is one spacing and a pixel across. Real gaps, such as between the slats of a chair, are longer in a direction.
    """
    out_depth, out_index = depth.copy(), index.copy()
    _cover_leaks(depth, index, view, np.empty_like(depth), out_depth, out_index)
    return out_depth, out_index


@kernel
def _cover_leaks(
    depth: Float32, index: Int32, view: View, covers: Float32, out_depth: Float32, out_index: Int32
) -> None:
    height, width = depth.shape
    tiles = -(-width // TILE)
    reach = np.empty((height, tiles), np.int64)
    for row in range(height):
        for tile in range(tiles):
            a, b = tile * TILE, min((tile + 1) * TILE, width)
            reach[row, tile] = _reaches(depth[row, a:b], view, covers[row, a:b])
    above, below, leak = np.empty(width, np.float32), np.empty(width, np.float32), np.empty(width, np.bool_)
    for row in range(height):
        above[:] = _INF
        below[:] = _INF
        for source in range(max(row - WIDEST, 0), min(row + WIDEST + 1, height)):
            d = abs(source - row)
            for tile in range(tiles):
                if 0 < d <= reach[source, tile]:
                    a, b = tile * TILE, min((tile + 1) * TILE, width)
                    _look(depth[source], covers[source], d, above if source < row else below, a, b)
        if _find_leaks(depth[row], above, below, view.spacing, leak):  # few are, the rest can be looked at one by one
            for c in range(width):
                if leak[c] and _cover(depth[:, c], covers[:, c], row, view.spacing) >= 0:
                    beside = _cover(depth[row], covers[row], c, view.spacing)
                    if beside >= 0:
                        out_depth[row, c] = depth[row, beside]
                        out_index[row, c] = index[row, beside]


@kernel
def _reaches(z: Float32, view: View, covers: Float32) -> int:
    """How far in pixels each pixel's surface covers others, and the farthest, in whole pixels."""
    nearest, one = _INF, np.float32(1.0)
    for c in range(len(z)):
        covers[c] = (view.pixels / z[c] if view.perspective else view.pixels) + one
        nearest = z[c] if z[c] < nearest else nearest
    if nearest == _INF:
        return 0
    farthest = (view.pixels / nearest if view.perspective else view.pixels) + one
    return int(min(farthest, np.float32(WIDEST)))


@kernel
def _look(z: Float32, covers: Float32, d: int, best: Float32, start: int, end: int) -> None:
    """Keep the nearest of the surfaces that reach ``d`` rows far."""
    far = np.float32(d)
    for c in range(np.uint64(start), np.uint64(end)):
        take = (z[c] < best[c]) & (covers[c] >= far)
        best[c] = z[c] if take else best[c]


@kernel
def _find_leaks(z: Float32, above: Float32, below: Float32, spacing: np.float32, leak: NDArray[np.bool_]) -> bool:
    """Mark known pixels with one nearer surface above and below."""
    count = 0
    for c in range(len(z)):
        cover = above[c] if above[c] > below[c] else below[c]
        same = abs(above[c] - below[c]) <= _JUMP * spacing + _SLOPE * cover
        leak[c] = same & (z[c] < _INF) & (z[c] - cover > _JUMP * spacing + _SLOPE * z[c])
        count += leak[c]
    return count > 0


@kernel
def _cover(z: Float32, covers: Float32, at: int, spacing: np.float32) -> int:
    """Where along a row or column the surface is (its farther side) that covers a small hole around ``at``, or -1."""
    before, after = -1, -1
    for d in range(1, WIDEST + 1):
        if at - d >= 0 and covers[at - d] >= d and (before < 0 or z[at - d] < z[before] - _JUMP * spacing):
            before = at - d
        if at + d < len(z) and covers[at + d] >= d and (after < 0 or z[at + d] < z[after] - _JUMP * spacing):
            after = at + d
    if before < 0 or after < 0:
        return -1
    side = before if z[before] > z[after] else after
    same = abs(z[before] - z[after]) <= _JUMP * spacing + _SLOPE * z[side]
    small = after - before - 1 <= covers[side]
    return side if same and small and z[at] - z[side] > _JUMP * spacing + _SLOPE * z[at] else -1


def close_gaps(depth: Float32, index: Int32, view: View, gap: float) -> None:
    """Fill, in place, unknown runs along a row or a column between two pixels of one surface, from the nearer end.

    A run may be ``gap`` spacings long at the depth of its farther end. What remains unknown gets depth 0 and index -1.
    """
    height, width = depth.shape
    source = np.full(height * width, -1, np.int32)
    above = np.full(width, -1, np.int64)
    _close_gaps(depth.reshape(-1), index.reshape(-1), height, view, np.float32(gap), source, above)


@kernel
def _close_gaps(
    depths: Float32, indices: Int32, height: int, view: View, gap: np.float32, source: Int32, above: NDArray[np.int64]
) -> None:
    """``source``: the pixel that fills each; ``above``: the last known one of each column. All -1 at first."""
    width = len(above)
    for row in range(height):
        before = -1
        for c in range(width):
            here = row * width + c
            if depths[here] == _INF:
                continue
            if before >= 0 and here - before > 1:
                _bridge(before, here, 1, depths, view, gap, source)
            if above[c] >= 0 and here - above[c] > width:
                _bridge(above[c], here, width, depths, view, gap, source)
            before = here
            above[c] = here
    for i in range(height * width):
        if source[i] >= 0:
            indices[i] = indices[source[i]]
        elif depths[i] == _INF:
            indices[i] = -1
    for i in range(height * width):
        if source[i] >= 0:
            depths[i] = depths[source[i]]
        elif depths[i] == _INF:
            depths[i] = 0.0


@kernel
def _bridge(a: Any, b: Any, stride: int, depths: Float32, view: View, gap: np.float32, source: Int32) -> None:
    """Note for the pixels between a and b which of the two fills them, unless they are noted or it is no small gap."""
    length = (b - a) // stride - 1
    farther = max(depths[a], depths[b])
    allowed = gap * (view.pixels / farther if view.perspective else view.pixels)
    jump = abs(depths[a] - depths[b]) > _JUMP * view.spacing + _SLOPE * farther
    if gap == 0 or (length > _SPECK and (jump or length > allowed)):
        return
    far_end = a if depths[a] > depths[b] else b
    for i in range(a + stride, b, stride):
        if source[i] < 0:
            source[i] = far_end if jump else (a if i - a < b - i else b)


@kernel
def paint(index: Int32, colors: NDArray[np.uint8], background: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Colours (height, width, 3) of the points."""
    height, width = index.shape
    rgb = np.empty((height, width, 3), np.uint8)
    for row in range(height):
        for c in range(width):
            i = index[row, c]
            for channel in range(3):
                rgb[row, c, channel] = colors[i, channel] if i >= 0 else background[channel]
    return rgb
