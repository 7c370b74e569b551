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
    area = np.float32(window * window)
    out = np.full((height, planes, width), UNSEEN, np.uint8)
    mean, variance = _patches(reference, r)
    # A ring of the last rows: warped values, their squares, their products with the reference, summed over columns.
    ring = np.zeros((count, window, 3, width), np.float32)
    first = np.zeros((count, window), np.int64)
    last = np.zeros((count, window), np.int64)
    warped = np.zeros(width, np.float32)
    sums = np.zeros((3, width), np.float32)
    scores = np.zeros((count, width), np.float32)
    for plane in range(planes):
        for row in range(height):
            slot = row % window
            done = row - r
            for s in range(count):
                begin, end = _warp(sources[s], sizes[s], homographies[s, plane], row, warped)
                first[s, slot], last[s, slot] = begin, end
                _sum_columns(warped, reference[row], r, ring[s, slot])
                if done < r:
                    continue
                left, right = 0, width
                for k in range(window):
                    left, right = max(left, first[s, k]), min(right, last[s, k])
                sums[:] = 0
                for k in range(window):
                    for part in range(3):
                        for x in range(width):
                            sums[part, x] += ring[s, k, part, x]
                line = scores[s]
                line[:] = -2
                for x in range(max(left, 0) + r, right - r):
                    m = sums[0, x] / area
                    v = sums[1, x] / area - m * m
                    c = sums[2, x] / area - m * mean[done, x]
                    line[x] = c / np.sqrt(max(v, np.float32(_FLAT)) * max(variance[done, x], np.float32(_FLAT)))
            if done >= r:
                _combine(scores, out[done, plane])
    return out


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
def _sum_columns(values: Float32, reference: Float32, r: int, out: Float32) -> None:
    """Sums over ``2 r + 1`` columns of values, squares and products with the reference."""
    width = len(values)
    out[:] = 0
    for k in range(-r, r + 1):
        for x in range(r, width - r):
            value = values[x + k]
            out[0, x] += value
            out[1, x] += value * value
            out[2, x] += value * reference[x + k]


@_jit
def _patches(image: Float32, r: int) -> tuple[Float32, Float32]:
    """Mean and variance (h, w) of the patch around each pixel; 0 near the border."""
    height, width = image.shape
    mean, variance = np.zeros_like(image), np.zeros_like(image)
    area = np.float32((2 * r + 1) ** 2)
    for row in range(r, height - r):
        for x in range(r, width - r):
            total, square = np.float32(0), np.float32(0)
            for i in range(row - r, row + r + 1):
                for j in range(x - r, x + r + 1):
                    total += image[i, j]
                    square += image[i, j] * image[i, j]
            mean[row, x] = total / area
            variance[row, x] = square / area - mean[row, x] * mean[row, x]
    return mean, variance


@_jit
def _combine(scores: Float32, out: UInt8) -> None:
    """Costs of one row: the mean of the best half of the sources that see the hypothesis."""
    count, width = scores.shape
    for x in range(width):
        best, second, seen = np.float32(-2), np.float32(-2), 0
        for s in range(count):
            score = scores[s, x]
            if score > -1.5:
                seen += 1
                if score > best:
                    best, second = score, best
                elif score > second:
                    second = score
        if seen:
            score = (best + second) / 2 if seen > 2 else best
            out[x] = np.uint8(min(max((1 - score) * np.float32(_HALF), np.float32(0)), np.float32(UNSEEN - 1)))


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
                jump[x] = low[x] + max(near, np.int32(far / (1 + edge)))
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
                    jump = low + max(near, np.int32(far / (1 + edge)))
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
