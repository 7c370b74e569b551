"""Procedural surfaces: a colour for a point of a surface, made of hashed lattice noise; no image files.

Knows: how each ``shapes.Pattern`` looks. Does not know: light or geometry. ``u``, ``v`` are metres on the surface (v
up on walls and fronts). Detail finer than ``footprint``, the size of a pixel on the surface, is left out, so that
pictures do not shimmer. Deterministic: no random state, only the seed of the surface.
"""

# ruff: noqa: PLR0913 - kernels take scalars and arrays, not objects

from __future__ import annotations

import math

from numba import njit

_PLAIN, _WOOD, _FABRIC, _TILES, _PLASTER, _STRIPES, _DOTS, _BRICKS = 0, 1, 2, 3, 4, 5, 6, 7
_RUG, _PAINTING, _BOOKS, _OUTDOORS, _SCREEN, _DIAL, _LEAVES, _PLANKS = 8, 9, 10, 11, 12, 13, 14, 15


@njit(cache=True, nogil=True, error_model="numpy", fastmath=True)
def _hash(i: int, j: int, seed: int) -> float:
    """0 to 1, by a 32-bit mix of the lattice point."""
    h = (i * 374761393 + j * 668265263 + seed * 2246822519) & 0xFFFFFFFF
    h = ((h ^ (h >> 13)) * 1274126177) & 0xFFFFFFFF
    return ((h ^ (h >> 16)) & 0xFFFFFF) * (1.0 / 16777216.0)


@njit(cache=True, nogil=True, error_model="numpy", fastmath=True)
def _noise(u: float, v: float, seed: int) -> float:
    """Smooth value noise, 0 to 1, period 1 per cell."""
    i, j = math.floor(u), math.floor(v)
    a, b = u - i, v - j
    a = a * a * (3.0 - 2.0 * a)
    b = b * b * (3.0 - 2.0 * b)
    low = _hash(i, j, seed) * (1.0 - a) + _hash(i + 1, j, seed) * a
    high = _hash(i, j + 1, seed) * (1.0 - a) + _hash(i + 1, j + 1, seed) * a
    return low * (1.0 - b) + high * b


@njit(cache=True, nogil=True, error_model="numpy", fastmath=True)
def _cloudy(u: float, v: float, size: float, seed: int, footprint: float) -> float:
    """Noise of features from ``size`` metres downwards, -1 to 1, without those smaller than the footprint."""
    total, weight = 0.0, 0.5
    for octave in range(4):
        keep = min(1.0, max(0.0, size / (2.0 * footprint) - 0.5))
        if keep <= 0.0:
            break
        total += keep * weight * (2.0 * _noise(u / size, v / size, seed + octave) - 1.0)
        size *= 0.45
        weight *= 0.6
    return total


@njit(cache=True, nogil=True, error_model="numpy", fastmath=True)
def _line(x: float, width: float, footprint: float) -> float:
    """1 within ``width`` of a whole number of ``x`` cells, softened over the footprint (both in cells)."""
    d = abs(x - math.floor(x + 0.5))
    soft = max(footprint, 1e-6)
    return min(1.0, width / soft) * min(1.0, max(0.0, (width + soft - d) / soft))


@njit(cache=True, nogil=True, error_model="numpy", fastmath=True)
def _woven(kind: int, u: float, v: float, seed: int, f: float) -> tuple[float, float]:
    """(share of the dark colour, brightness) of patterns that cover a surface evenly."""
    cloud = _cloudy(u, v, 0.11, seed, f)
    if kind == _WOOD:
        grain = _cloudy(u * 0.12 + 0.03 * cloud, v, 0.03, seed + 7, f * 0.5)
        return min(1.0, max(0.0, 0.5 + 0.9 * grain + 0.3 * cloud)), 1.0 + 0.10 * cloud
    if kind == _FABRIC:
        weave = _cloudy(u, v, 0.012, seed + 3, f)
        return min(1.0, max(0.0, 0.35 + 0.5 * cloud + 0.5 * weave)), 1.0 + 0.12 * weave
    if kind == _STRIPES:
        cell = math.floor(u / 0.14)
        edge = 0.5 + 0.5 * math.copysign(1.0, _hash(int(cell), 0, seed) - 0.5)
        return min(1.0, max(0.0, 0.75 * edge + 0.25 * cloud)), 1.0 + 0.08 * cloud
    if kind == _DOTS:
        i, j = math.floor(u / 0.16), math.floor(v / 0.16)
        du = u / 0.16 - i - 0.3 - 0.4 * _hash(int(i), int(j), seed)
        dv = v / 0.16 - j - 0.3 - 0.4 * _hash(int(i), int(j), seed + 1)
        size = 0.12 + 0.16 * _hash(int(i), int(j), seed + 2)
        inside = (size - math.sqrt(du * du + dv * dv)) / max(f / 0.16, 0.02)
        return min(0.9, max(0.0, inside)) + 0.1 * cloud, 1.0 + 0.08 * cloud
    if kind == _LEAVES:
        leaf = _cloudy(u, v, 0.05, seed + 5, f)
        return min(1.0, max(0.0, 0.5 + 1.3 * leaf)), 1.0 + 0.35 * leaf
    if kind == _PLASTER:
        grain = cloud + 0.7 * _cloudy(u, v, 0.025, seed + 6, f)
        return min(1.0, max(0.0, 0.35 + 0.7 * _cloudy(u, v, 0.5, seed + 4, f) + 0.5 * grain)), 1.0 + 0.08 * grain
    return min(1.0, max(0.0, 0.25 + 0.4 * cloud)), 1.0 + 0.05 * cloud


@njit(cache=True, nogil=True, error_model="numpy", fastmath=True)
def _laid(kind: int, u: float, v: float, seed: int, f: float) -> tuple[float, float]:
    """(share of the dark colour, brightness) of patterns laid in rows: tiles, bricks, floor planks."""
    width, height, joint = 0.33, 0.33, 0.006
    if kind == _BRICKS:
        width, height, joint = 0.25, 0.08, 0.008
    if kind == _PLANKS:
        width, height, joint = 1.1, 0.14, 0.003
    row = math.floor(v / height)
    shift = 0.0
    if kind == _BRICKS:
        shift = 0.5 * (row % 2)
    if kind == _PLANKS:
        shift = _hash(int(row), 3, seed)
    x = u / width + shift
    tone = _hash(math.floor(x), int(row), seed + 1)
    gap = max(_line(x, joint / width, f / width), _line(v / height, joint / height, f / height))
    if kind == _PLANKS:
        grain = _cloudy(u * 0.1, v + 3.0 * tone, 0.03, seed + 9, f * 0.5) + 0.4 * _cloudy(u, v, 0.12, seed + 2, f)
        knots = _cloudy(u, v, 0.05, seed + 11, f)
        return min(1.0, max(0.0, 0.15 + 0.6 * tone + 0.6 * grain + 0.4 * knots)), (1.0 + 0.1 * grain) * (
            1.0 - 0.55 * gap
        )
    speck = _cloudy(u, v, 0.07, seed + 2, f)
    if kind == _TILES:
        checker = (math.floor(x) + row) % 2
        return min(1.0, max(0.0, 0.25 * checker + 0.3 * tone + 0.4 * speck + 0.1)), 1.0 - 0.45 * gap
    return min(1.0, max(0.0, 0.8 * tone + 0.3 * speck)), (1.0 + 0.1 * speck) * (1.0 + 0.35 * gap)


@njit(cache=True, nogil=True, error_model="numpy", fastmath=True)
def _hue(h: float, s: float, value: float) -> tuple[float, float, float]:
    """Linear RGB of a hue in 0..1."""
    r = abs((h * 6.0) % 6.0 - 3.0) - 1.0
    g = 2.0 - abs((h * 6.0) % 6.0 - 2.0)
    b = 2.0 - abs((h * 6.0) % 6.0 - 4.0)
    r, g, b = min(1.0, max(0.0, r)), min(1.0, max(0.0, g)), min(1.0, max(0.0, b))
    return value * (1.0 - s + s * r), value * (1.0 - s + s * g), value * (1.0 - s + s * b)


@njit(cache=True, nogil=True, error_model="numpy", fastmath=True)
def _painting(u: float, v: float, seed: int, f: float) -> tuple[float, float, float]:
    """An abstract painting: a few hashed blots over a graded ground."""
    base = _hash(1, 2, seed)
    r, g, b = _hue(base, 0.55, 0.35 + 0.25 * _noise(v * 4.0, u, seed))
    for k in range(7):
        cu, cv = (_hash(k, 1, seed) - 0.5) * 0.8, (_hash(k, 2, seed) - 0.5) * 0.6
        size = 0.05 + 0.14 * _hash(k, 3, seed)
        stretch = 0.4 + 1.2 * _hash(k, 4, seed)
        du, dv = (u - cu) * stretch, (v - cv) / stretch
        wobble = 0.35 * size * _cloudy(u, v, 0.1, seed + k, f)
        inside = min(1.0, max(0.0, (size + wobble - math.sqrt(du * du + dv * dv)) / max(f, 0.004)))
        hr, hg, hb = _hue(base + 0.2 + 0.6 * _hash(k, 5, seed), 0.75, 0.25 + 0.65 * _hash(k, 6, seed))
        r, g, b = r + inside * (hr - r), g + inside * (hg - g), b + inside * (hb - b)
    stroke = 1.0 + 0.25 * _cloudy(u, v, 0.03, seed + 20, f)
    return r * stroke, g * stroke, b * stroke


@njit(cache=True, nogil=True, error_model="numpy", fastmath=True)
def _books(u: float, v: float, seed: int, f: float) -> tuple[float, float, float]:
    """Spines side by side, of hashed width, height and colour (v runs over one shelf's books)."""
    cell = math.floor(u / 0.16)
    x = u / 0.16 - cell
    cut = 0.3 + 0.15 * _hash(cell, 1, seed)
    cut2 = 0.62 + 0.12 * _hash(cell, 2, seed)
    book = cell * 3 + (0 if x < cut else (1 if x < cut2 else 2))
    edge = min(min(abs(x - cut), abs(x - cut2)), min(x, 1.0 - x)) * 0.16
    r, g, b = _hue(_hash(book, 3, seed), 0.25 + 0.5 * _hash(book, 4, seed), 0.12 + 0.5 * _hash(book, 5, seed))
    band = _line(v / 0.2 + _hash(book, 6, seed), 0.09, f / 0.2)
    shade = (1.0 + 0.9 * band) * min(1.0, 0.45 + edge / 0.008) * (1.0 + 0.2 * _cloudy(u, v, 0.02, seed, f))
    return r * shade, g * shade, b * shade


@njit(cache=True, nogil=True, error_model="numpy", fastmath=True)
def _outdoors(u: float, v: float, seed: int, f: float) -> tuple[float, float, float]:
    """What a window shows: sky with clouds above a line of trees."""
    hill = -0.18 + 0.16 * _noise(u * 2.5, 0.5, seed) + 0.08 * _noise(u * 9.0, 0.5, seed + 1)
    cloud = min(1.0, max(0.0, 0.3 + 1.6 * _cloudy(u, v * 1.8, 0.5, seed + 2, f)))
    r, g, b = 0.55 + 0.42 * cloud, 0.75 + 0.23 * cloud, 1.0
    under = min(1.0, max(0.0, (hill - v) / max(f, 0.01)))
    leaf = 1.0 + 0.7 * _cloudy(u, v, 0.09, seed + 3, f)
    return r + under * (0.16 * leaf - r), g + under * (0.30 * leaf - g), b + under * (0.10 * leaf - b)


@njit(cache=True, nogil=True, error_model="numpy", fastmath=True)
def _rug(u: float, v: float, half_u: float, half_v: float, seed: int, f: float) -> float:
    """Share of the dark colour: border bands and a field of diamonds."""
    inset = min(half_u - abs(u), half_v - abs(v))
    if inset < 0.05 or 0.11 < inset < 0.15:
        return 0.9
    if inset < 0.11:
        return 0.15 + 0.6 * _line((u + v) / 0.11, 0.25, f / 0.11)
    i, j = math.floor((u + v) / 0.30), math.floor((u - v) / 0.30)
    return 0.1 + 0.65 * _hash(int(i), int(j), seed)


@njit(cache=True, nogil=True, error_model="numpy", fastmath=True)
def _screen(u: float, v: float, half_u: float, half_v: float, seed: int) -> tuple[float, float, float]:
    """A switched-on screen: dark frame, then a bright picture of bars."""
    if half_u - abs(u) < 0.02 or half_v - abs(v) < 0.02:
        return 0.015, 0.015, 0.018
    r, g, b = _hue(_hash(5, 5, seed), 0.7, 0.22 + 0.10 * v / half_v)
    row = math.floor(v / 0.045)
    if _hash(row, 7, seed) > 0.25 and abs(u) < half_u * (0.2 + 0.7 * _hash(row, 8, seed)):
        lift = 0.35 + 0.3 * _noise(u * 40.0, row + 0.5, seed)
        return r + lift, g + lift, b + lift
    return r, g, b


@njit(cache=True, nogil=True, error_model="numpy", fastmath=True)
def _dial(u: float, v: float, radius: float) -> float:
    """Share of the dark colour on a clock face: rim, twelve marks, two hands."""
    d = math.sqrt(u * u + v * v) / radius
    angle = math.atan2(u, v) / (2.0 * math.pi) * 12.0
    if d > 0.9 or (d > 0.72 and abs(angle - math.floor(angle + 0.5)) < 0.12):
        return 1.0
    hour, minute = (angle - 10.2 + 6.0) % 12.0 - 6.0, (angle - 2.0 + 6.0) % 12.0 - 6.0
    return 1.0 if (d < 0.45 and abs(hour) * d < 0.12) or (d < 0.65 and abs(minute) * d < 0.09) else 0.0


@njit(cache=True, nogil=True, error_model="numpy", fastmath=True)
def paint(pattern, u, v, half_u, half_v, geometry, p, seed, footprint):  # type: ignore[no-untyped-def]
    """Linear RGB at (u, v) metres from the middle of a face of half size (half_u, half_v); the colours are in row p of
    ``geometry`` (``shapes.Packed``)."""
    if pattern == _PAINTING:
        return _painting(u, v, seed, footprint)
    if pattern == _BOOKS:
        return _books(u, v, seed, footprint)
    if pattern == _OUTDOORS:
        return _outdoors(u, v, seed, footprint)
    if pattern == _SCREEN:
        return _screen(u, v, half_u, half_v, seed)
    if pattern == _RUG:
        share, gain = _rug(u, v, half_u, half_v, seed, footprint), 1.0 + 0.2 * _cloudy(u, v, 0.02, seed, footprint)
    elif pattern == _DIAL:
        share, gain = _dial(u, v, half_u), 1.0
    elif pattern in (_TILES, _BRICKS, _PLANKS):
        share, gain = _laid(pattern, u, v, seed, footprint)
    else:
        share, gain = _woven(pattern, u, v, seed, footprint)
    r = (geometry[p, 16] + share * (geometry[p, 19] - geometry[p, 16])) * gain
    g = (geometry[p, 17] + share * (geometry[p, 20] - geometry[p, 17])) * gain
    b = (geometry[p, 18] + share * (geometry[p, 21] - geometry[p, 18])) * gain
    return r, g, b
