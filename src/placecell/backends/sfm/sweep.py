"""Depth of one view by plane sweep over known poses, smoothed by semi-global matching: the kernels.

Knows: grey pictures and the homographies of depth planes. Does not know: cameras, files, or other views' depth.

Matching cost is 1 - zero-mean normalised cross-correlation of square patches, the mean of the best half of the source
views (Kang et al. 2001: a surface hidden in some sources shows in others). Smoothing is Hirschmüller's (2008) along
rows and columns, with a smaller penalty for depth jumps at edges of the picture. Volumes are (rows, planes, columns):
the innermost loops then run over columns, which the processor does eight at a time.
"""

from __future__ import annotations

from typing import NamedTuple

import numba as nb
import numpy as np
from numpy.typing import NDArray

Float32 = NDArray[np.float32]
UInt8 = NDArray[np.uint8]

UNSEEN = 255
"""Cost where no source sees a hypothesis; otherwise 0 (equal) to 254 (opposite)."""
_NOT_SEEN = np.float32(-2)
_HALF = 127.0
_FLAT = 4e-5  # variance of a patch (grey is 0..1) below which it is too plain to compare
_EDGE = 0.04  # a grey step that halves the penalty of a depth jump

_jit = nb.njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract", "nsz", "arcp"})


class Swept(NamedTuple):
    """``plane`` (h, w) float32, fractional index of the best plane, -1 = none; ``cost`` (h, w) there, 0..1."""

    plane: Float32
    cost: Float32


def sweep(
    reference: Float32,
    sources: Float32,
    sizes: NDArray[np.int64],
    homographies: NDArray[np.float64],
    *,
    window: int,
    smooth_near: int,
    smooth_far: int,
) -> Swept:
    """The best of several depth planes at each pixel of ``reference`` (h, w), grey 0..1.

    ``sources`` (s, H, W) grey, each filling ``sizes`` (s, 2) rows and columns of that. ``homographies``
    (s, planes, 3, 3): from pixels of the reference to those of a source when the surface lies on a plane; pixel centres
    at halves.
    """
    volume = costs(reference, sources, sizes, homographies, window)
    summed = np.zeros(volume.shape, np.uint16)
    _smooth_columns(volume, reference, smooth_near, smooth_far, False, summed)
    _smooth_columns(volume, reference, smooth_near, smooth_far, True, summed)
    _smooth_rows(volume, reference, smooth_near, smooth_far, summed)
    plane, cost = _best(volume, summed)
    return Swept(plane, cost)


@_jit
def costs(
    reference: Float32, sources: Float32, sizes: NDArray[np.int64], homographies: NDArray[np.float64], window: int
) -> UInt8:
    """Matching costs (h, planes, w), 0..254, 255 = unseen."""
    height, width = reference.shape
    count, planes = homographies.shape[:2]
    r = window // 2
    out = np.full((height, planes, width), UNSEEN, np.uint8)
    mean, deviation = _patches(reference, r)
    # A ring of the last rows: warped values, their squares, their products with the reference.
    ring = np.zeros((count, window, 3, width), np.float32)
    first = np.zeros((count, window), np.int64)
    last = np.zeros((count, window), np.int64)
    sums = np.zeros((3, width), np.float32)
    running = np.zeros((3, width + 1))
    scores = np.zeros((count, width), np.float32)
    best = np.zeros((2, width), np.float32)
    for plane in range(planes):
        for row in range(height):
            slot, done = row % window, row - r
            for s in range(count):
                new = ring[s, slot]
                first[s, slot], last[s, slot] = _warp(sources[s], sizes[s], homographies[s, plane], row, new[0])
                _multiply(new[0], reference[row], new[1], new[2])
                if row >= window - 1:
                    _add_rows(ring[s], sums)
                    _accumulate(sums, running)
                    scores[s] = _NOT_SEEN
                    left, right = first[s].max(), last[s].min()
                    if right - left >= window:
                        _correlate(
                            running[:, left : right + 1],
                            mean[done, left:right],
                            deviation[done, left:right],
                            r,
                            scores[s, left:right],
                        )
            if row >= window - 1:
                _combine(scores, best, out[done, plane])
    return out


@_jit
def _multiply(values: Float32, reference: Float32, squares: Float32, products: Float32) -> None:
    for x in range(len(values)):
        squares[x] = values[x] * values[x]
        products[x] = values[x] * reference[x]


@_jit
def _add_rows(rows: Float32, out: Float32) -> None:
    """Sums (3, w) of all rows (window, 3, w)."""
    for part in range(3):
        total = out[part]
        total[:] = rows[0, part]
        for k in range(1, rows.shape[0]):
            line = rows[k, part]
            for x in range(len(total)):
                total[x] += line[x]


@_jit
def _accumulate(sums: Float32, running: NDArray[np.float64]) -> None:
    """Running totals along the row, so that a window is the difference of two of them."""
    a, b, c = 0.0, 0.0, 0.0
    for x in range(sums.shape[1]):
        a += sums[0, x]
        b += sums[1, x]
        c += sums[2, x]
        running[0, x + 1], running[1, x + 1], running[2, x + 1] = a, b, c


@_jit
def _correlate(running: NDArray[np.float64], mean: Float32, deviation: Float32, r: int, out: Float32) -> None:
    """Correlation at each pixel whose window lies within these columns."""
    window = 2 * r + 1
    scale = 1.0 / (window * window)
    inner = len(out) - 2 * r
    values, squares, products = running[0], running[1], running[2]
    mean, deviation, out = mean[r:], deviation[r:], out[r:]
    for x in range(inner):
        m = np.float32((values[x + window] - values[x]) * scale)
        v = np.float32((squares[x + window] - squares[x]) * scale) - m * m
        c = np.float32((products[x + window] - products[x]) * scale) - m * mean[x]
        out[x] = c / (np.sqrt(max(v, np.float32(_FLAT))) * deviation[x])


@_jit
def _warp(source: Float32, size: NDArray[np.int64], h: NDArray[np.float64], row: int, out: Float32) -> tuple[int, int]:
    """One row of the reference's pixels looked up in the source, and the columns from, to where it has them."""
    bottom, right = size[0] - 1, size[1] - 1
    y = row + 0.5
    # Steps of one column; the sums stay accurate to 1e-10 pixels over a row.
    u = h[0, 0] * 0.5 + h[0, 1] * y + h[0, 2]
    v = h[1, 0] * 0.5 + h[1, 1] * y + h[1, 2]
    w = h[2, 0] * 0.5 + h[2, 1] * y + h[2, 2]
    begin, end = len(out), 0
    for column in range(len(out)):
        inverse = 1.0 / w
        a, b = u * inverse - 0.5, v * inverse - 0.5
        if w > 0 and a >= 0 and b >= 0 and a < right and b < bottom:
            i, j = np.uint32(b), np.uint32(a)
            fy, fx = np.float32(b - i), np.float32(a - j)
            upper = source[i, j] + fx * (source[i, j + 1] - source[i, j])
            lower = source[i + 1, j] + fx * (source[i + 1, j + 1] - source[i + 1, j])
            out[column] = upper + fy * (lower - upper)
            begin = min(begin, column)
            end = column + 1
        else:
            out[column] = 0
        u += h[0, 0]
        v += h[1, 0]
        w += h[2, 0]
    return begin, end


@_jit
def _patches(image: Float32, r: int) -> tuple[Float32, Float32]:
    """Mean and standard deviation (h, w) of the patch around each pixel; 0 near the border."""
    height, width = image.shape
    mean, deviation = np.zeros_like(image), np.zeros_like(image)
    area = (2 * r + 1) ** 2
    for row in range(r, height - r):
        for x in range(r, width - r):
            patch = image[row - r : row + r + 1, x - r : x + r + 1]
            m = patch.sum() / area
            mean[row, x] = m
            deviation[row, x] = np.sqrt(max((patch * patch).sum() / area - m * m, _FLAT))
    return mean, deviation


@_jit
def _combine(scores: Float32, best: Float32, out: UInt8) -> None:
    """Costs of one row: the mean of the best half of up to four sources. ``best`` (2, w) is working space."""
    first, second = best[0], best[1]
    first[:] = _NOT_SEEN
    second[:] = _NOT_SEEN
    for s in range(len(scores)):
        line = scores[s]
        for x in range(len(out)):
            second[x] = max(second[x], min(first[x], line[x]))
            first[x] = max(first[x], line[x])
    pairs = len(scores) > 2
    for x in range(len(out)):
        score = np.float32(0.5) * (first[x] + second[x]) if pairs and second[x] > _NOT_SEEN else first[x]
        cost = min(max((1 - score) * np.float32(_HALF), np.float32(0)), np.float32(UNSEEN - 1))
        out[x] = np.uint8(cost) if first[x] > _NOT_SEEN else np.uint8(UNSEEN)


@_jit
def _smooth_columns(
    volume: UInt8, reference: Float32, near: int, far: int, upwards: bool, summed: NDArray[np.uint16]
) -> None:
    """Adds path costs from the top (or the bottom) of each column to ``summed``."""
    height, planes, width = volume.shape
    before = np.zeros((planes, width), np.int32)
    now = np.zeros((planes, width), np.int32)
    low = np.zeros(width, np.int32)
    jump = np.zeros(width, np.int32)
    for step in range(height):
        row = height - 1 - step if upwards else step
        previous = row + 1 if upwards else row - 1
        if step == 0:
            for d in range(planes):
                for x in range(width):
                    now[d, x] = volume[row, d, x]
        else:
            for x in range(width):
                edge = abs(reference[row, x] - reference[previous, x]) / np.float32(_EDGE)
                jump[x] = low[x] + max(near, int(far / (1 + edge)))
            for d in range(planes):
                down, up = max(d - 1, 0), min(d + 1, planes - 1)
                for x in range(width):
                    best = min(before[d, x], jump[x])
                    best = min(best, min(before[down, x], before[up, x]) + near)
                    now[d, x] = volume[row, d, x] + best - low[x]
        for x in range(width):
            low[x] = now[0, x]
        for d in range(planes):
            for x in range(width):
                low[x] = min(low[x], now[d, x])
                summed[row, d, x] += now[d, x]
        before, now = now, before


@_jit
def _smooth_rows(volume: UInt8, reference: Float32, near: int, far: int, summed: NDArray[np.uint16]) -> None:
    """Adds path costs from both ends of each row to ``summed``."""
    height, planes, width = volume.shape
    line = np.zeros((width, planes), np.int32)
    total = np.zeros((width, planes), np.int32)
    path = np.zeros((2, planes + 2), np.int32)
    path[:, 0] = path[:, planes + 1] = 1 << 20
    for row in range(height):
        for d in range(planes):
            for x in range(width):
                line[x, d] = volume[row, d, x]
        total[:] = 0
        for backwards in range(2):
            low = 0
            for step in range(width):
                x = width - 1 - step if backwards else step
                now, before = path[step % 2], path[1 - step % 2]
                if step == 0:
                    now[1 : planes + 1] = line[x]
                else:
                    previous = x + 1 if backwards else x - 1
                    edge = abs(reference[row, x] - reference[row, previous]) / np.float32(_EDGE)
                    jump = low + max(near, int(far / (1 + edge)))
                    for d in range(planes):
                        best = min(min(before[d + 1], jump), min(before[d], before[d + 2]) + near)
                        now[d + 1] = line[x, d] + best - low
                low = now[1]
                for d in range(planes):
                    low = min(low, now[d + 1])
                    total[x, d] += now[d + 1]
        for d in range(planes):
            for x in range(width):
                summed[row, d, x] += total[x, d]


@_jit
def _best(volume: UInt8, summed: NDArray[np.uint16]) -> tuple[Float32, Float32]:
    """The plane of the lowest smoothed cost, between planes by a parabola, and the matching cost there."""
    height, planes, width = volume.shape
    plane = np.full((height, width), np.float32(-1))
    cost = np.ones((height, width), np.float32)
    low = np.zeros(width, np.int32)
    at = np.zeros(width, np.int32)
    for row in range(height):
        low[:] = 1 << 30
        for d in range(planes):
            for x in range(width):
                if summed[row, d, x] < low[x]:
                    low[x], at[x] = summed[row, d, x], d
        for x in range(width):
            d = at[x]
            here = volume[row, d, x]
            # The end planes are where everything beyond them ends up.
            if here == UNSEEN or d == 0 or d == planes - 1:
                continue
            before, after = np.float32(summed[row, d - 1, x]), np.float32(summed[row, d + 1, x])
            bend = before + after - 2 * np.float32(low[x])
            plane[row, x] = d + (np.float32(0.5) * (before - after) / bend if bend > 0 else np.float32(0))
            cost[row, x] = here / np.float32(UNSEEN)
    return plane, cost
