"""Colours: what a ray's first hit looks like under ambient light and a few lamps with shadows.

Knows: packed parts and what ``cast`` found. Does not know: objects. Ambient light is taken away near other surfaces
(signed distances sampled along the normal, after Evans 2006), each lamp casts a hard shadow. A tile first gathers the
parts that can darken what it sees; pixels whose neighbours see another part average four rays.
"""

# ruff: noqa: PLR0913 - kernels take scalars and arrays, not objects

from __future__ import annotations

import math

import numpy as np
from numba import njit

from placecell.backends.synthetic.cast import TILE, first
from placecell.backends.synthetic.rays import MISS, face, gap, meet
from placecell.backends.synthetic.texture import paint

_REACH = 0.36  # metres within which one surface darkens another
_STEPS = (0.09, _REACH)
_LOSSES = (0.34, 0.34)
_AMBIENT = (0.36, 0.38, 0.42)
_GLOWING = (11, 12)  # Pattern.OUTDOORS, Pattern.SCREEN
_BLOCK = 4  # tiles; parts are gathered for blocks of 4 x 4 tiles first
_LIFT = 2e-4  # metres off the surface from which shadow rays start


@njit(cache=True, nogil=True, error_model="numpy", fastmath=True)
def _gap_to(kinds, geometry, p: int, x: float, y: float, z: float) -> float:  # type: ignore[no-untyped-def]
    """Distance of a world point from part p."""
    x, y, z = x - geometry[p, 9], y - geometry[p, 10], z - geometry[p, 11]
    lx = geometry[p, 0] * x + geometry[p, 1] * y + geometry[p, 2] * z
    ly = geometry[p, 3] * x + geometry[p, 4] * y + geometry[p, 5] * z
    lz = geometry[p, 6] * x + geometry[p, 7] * y + geometry[p, 8] * z
    distance: float = gap(kinds[p, 0], geometry[p, 12], geometry[p, 13], geometry[p, 14], lx, ly, lz)
    return distance


@njit(cache=True, nogil=True, error_model="numpy", fastmath=True)
def _off_segment(geometry, p: int, x: float, y: float, z: float, dx: float, dy: float, dz: float) -> float:  # type: ignore[no-untyped-def]
    """Squared distance of part p's centre from the segment (x, y, z) + [0, 1] (dx, dy, dz)."""
    ox, oy, oz = geometry[p, 9] - x, geometry[p, 10] - y, geometry[p, 11] - z
    along = (ox * dx + oy * dy + oz * dz) / (dx * dx + dy * dy + dz * dz)
    along = min(1.0, max(0.0, along))
    ox, oy, oz = ox - along * dx, oy - along * dy, oz - along * dz
    squared: float = ox * ox + oy * oy + oz * oz
    return squared


@njit(cache=True, nogil=True, error_model="numpy", fastmath=True)
def _blocked(kinds, geometry, few, row: int, count: int, x, y, z, dx, dy, dz):  # type: ignore[no-untyped-def]
    """Whether a part of that row lies on the segment from (x, y, z) to (x + dx, y + dy, z + dz)."""
    for k in range(count):
        p = few[row, k]
        if _off_segment(geometry, p, x, y, z, dx, dy, dz) > geometry[p, 15] * geometry[p, 15]:
            continue
        ox, oy, oz = x - geometry[p, 9], y - geometry[p, 10], z - geometry[p, 11]
        m0, m1, m2 = geometry[p, 0], geometry[p, 1], geometry[p, 2]
        m3, m4, m5 = geometry[p, 3], geometry[p, 4], geometry[p, 5]
        m6, m7, m8 = geometry[p, 6], geometry[p, 7], geometry[p, 8]
        lx, ly, lz = m0 * ox + m1 * oy + m2 * oz, m3 * ox + m4 * oy + m5 * oz, m6 * ox + m7 * oy + m8 * oz
        ex, ey, ez = m0 * dx + m1 * dy + m2 * dz, m3 * dx + m4 * dy + m5 * dz, m6 * dx + m7 * dy + m8 * dz
        if meet(kinds[p, 0], geometry[p, 12], geometry[p, 13], geometry[p, 14], lx, ly, lz, ex, ey, ez) < 1.0:
            return True
    return False


@njit(cache=True, nogil=True, error_model="numpy", fastmath=True)
def _openness(kinds, geometry, few, count: int, x, y, z, nx, ny, nz):  # type: ignore[no-untyped-def]
    """1 on an open surface, less in corners and under things."""
    free = 1.0
    for k in range(2):
        reach = _STEPS[k]
        px, py, pz = x + reach * nx, y + reach * ny, z + reach * nz
        nearest = reach
        for q in range(count):
            p = few[0, q]
            cx, cy, cz = px - geometry[p, 9], py - geometry[p, 10], pz - geometry[p, 11]
            bound = geometry[p, 15] + nearest
            if cx * cx + cy * cy + cz * cz < bound * bound:
                nearest = min(nearest, _gap_to(kinds, geometry, p, px, py, pz))
        free -= _LOSSES[k] * (1.0 - max(nearest, 0.0) / reach)
    return free


@njit(cache=True, nogil=True, error_model="numpy", fastmath=True)
def _lit(kinds, geometry, p: int, t: float, u: float, v: float, rotation, origin, lens, lamps, few, counts):  # type: ignore[no-untyped-def]
    """Linear RGB of part p where the ray through (u, v) meets it at depth t. ``few``, ``counts`` as gathered."""
    cx, cy = (u - lens[2]) / lens[0], (v - lens[3]) / lens[1]
    wx = rotation[0, 0] * cx + rotation[0, 1] * cy + rotation[0, 2]
    wy = rotation[1, 0] * cx + rotation[1, 1] * cy + rotation[1, 2]
    wz = rotation[2, 0] * cx + rotation[2, 1] * cy + rotation[2, 2]
    x, y, z = origin[0] + t * wx, origin[1] + t * wy, origin[2] + t * wz
    ox, oy, oz = x - geometry[p, 9], y - geometry[p, 10], z - geometry[p, 11]
    lx = geometry[p, 0] * ox + geometry[p, 1] * oy + geometry[p, 2] * oz
    ly = geometry[p, 3] * ox + geometry[p, 4] * oy + geometry[p, 5] * oz
    lz = geometry[p, 6] * ox + geometry[p, 7] * oy + geometry[p, 8] * oz
    fx, fy, fz, a, b, half_a, half_b = face(kinds[p, 0], geometry[p, 12], geometry[p, 13], geometry[p, 14], lx, ly, lz)
    nx = geometry[p, 0] * fx + geometry[p, 3] * fy + geometry[p, 6] * fz
    ny = geometry[p, 1] * fx + geometry[p, 4] * fy + geometry[p, 7] * fz
    nz = geometry[p, 2] * fx + geometry[p, 5] * fy + geometry[p, 8] * fz
    slant = max(0.2, abs(nx * wx + ny * wy + nz * wz) / math.sqrt(wx * wx + wy * wy + wz * wz))
    s, footprint = geometry[p, 22], t / lens[0] / slant / geometry[p, 22]
    r, g, b = paint(kinds[p, 2], a / s, b / s, half_a / s, half_b / s, geometry, p, kinds[p, 3], footprint)
    if kinds[p, 2] == _GLOWING[0] or kinds[p, 2] == _GLOWING[1]:
        return 0.95 * r, 0.95 * g, 0.95 * b
    x, y, z = x + _LIFT * nx, y + _LIFT * ny, z + _LIFT * nz
    free = _openness(kinds, geometry, few, counts[0], x, y, z, nx, ny, nz)
    sky = free * (0.82 + 0.18 * ny)
    er, eg, eb = _AMBIENT[0] * sky, _AMBIENT[1] * sky, _AMBIENT[2] * sky
    for k in range(len(lamps)):
        dx, dy, dz = lamps[k, 0] - x, lamps[k, 1] - y, lamps[k, 2] - z
        d2 = dx * dx + dy * dy + dz * dz
        cosine = (nx * dx + ny * dy + nz * dz) / math.sqrt(d2)
        if cosine <= 0.0 or _blocked(kinds, geometry, few, 1 + k, counts[1 + k], x, y, z, dx, dy, dz):
            continue
        power = cosine / (1.0 + d2 / (lamps[k, 6] * lamps[k, 6]))
        er, eg, eb = er + power * lamps[k, 3], eg + power * lamps[k, 4], eb + power * lamps[k, 5]
    mix = 0.35 + 0.65 * free
    return r * er * mix, g * eg * mix, b * eb * mix


@njit(cache=True, nogil=True, error_model="numpy")
def _near_segment(kinds, geometry, p: int, x, y, z, dx, dy, dz, radius: float) -> bool:  # type: ignore[no-untyped-def]
    """Whether part p comes within ``radius`` of the segment, found by stepping as far as the distance allows."""
    length = math.sqrt(dx * dx + dy * dy + dz * dz)
    along = 0.0
    while along < length:
        share = along / length
        free = _gap_to(kinds, geometry, p, x + share * dx, y + share * dy, z + share * dz) - radius
        if free <= 0.01:
            return True
        along += 0.7 * free  # ``gap`` may say too much for round parts
    return False


@njit(cache=True, nogil=True)
def _gather(kinds, geometry, rotation, origin, lens, lamps, depth, window, old, old_counts, new, new_counts):  # type: ignore[no-untyped-def]
    """Keeps of ``old`` lists the parts that can darken a point seen in the window (top, bottom, left, right).

    Row 0 lists parts close enough to take ambient light, row 1 + k those that can come between lamp k and a point.
    """
    low, high = np.full(3, MISS), np.full(3, -MISS)
    for v in range(window[0], window[1]):
        for u in range(window[2], window[3]):
            t = depth[v, u]
            if t < MISS:
                x, y = (u + 0.5 - lens[2]) / lens[0], (v + 0.5 - lens[3]) / lens[1]
                for k in range(3):
                    w = origin[k] + t * (rotation[k, 0] * x + rotation[k, 1] * y + rotation[k, 2])
                    low[k], high[k] = min(low[k], w), max(high[k], w)
    x, y, z = 0.5 * (low + high)
    size = high - low
    radius = 0.5 * math.sqrt(size[0] ** 2 + size[1] ** 2 + size[2] ** 2)
    for k in range(1 + len(lamps)):
        new_counts[k] = 0
    for q in range(old_counts[0]):
        p = old[0, q]
        if _gap_to(kinds, geometry, p, x, y, z) < radius + 2 * _REACH:
            new[0, new_counts[0]] = p
            new_counts[0] += 1
    for k in range(len(lamps)):
        dx, dy, dz = lamps[k, 0] - x, lamps[k, 1] - y, lamps[k, 2] - z
        for q in range(old_counts[1 + k]):
            p = old[1 + k, q]
            reach = geometry[p, 15] + radius
            off = _off_segment(geometry, p, x, y, z, dx, dy, dz)
            if off < reach * reach and _near_segment(kinds, geometry, p, x, y, z, dx, dy, dz, radius):
                new[1 + k, new_counts[1 + k]] = p
                new_counts[1 + k] += 1


@njit(cache=True, nogil=True, fastmath=True)
def _byte(linear: float) -> float:
    """0 to 255 of linear light, with a soft shoulder instead of clipping; gamma 2 stands in for sRGB's curve."""
    x = linear if linear < 0.6 else 1.0 - 0.16 / (linear - 0.2)
    return math.sqrt(min(1.0, max(0.0, x))) * 255.0 + 0.5


@njit(cache=True, nogil=True)
def _is_edge(part, u: int, v: int) -> bool:  # type: ignore[no-untyped-def]
    height, width = part.shape
    p = part[v, u]
    sides = (u > 0 and part[v, u - 1] != p) or (u + 1 < width and part[v, u + 1] != p)
    return bool(sides or (v > 0 and part[v - 1, u] != p) or (v + 1 < height and part[v + 1, u] != p))


@njit(cache=True, nogil=True)
def shade(kinds, geometry, local, rotation, origin, lens, lamps, depth, part, starts, tiled, rgb):  # type: ignore[no-untyped-def]
    """Fills ``rgb`` (h, w, 3) uint8. ``lamps`` (L, 7): position, colour, range in metres."""
    height, width = depth.shape
    across = (width + TILE - 1) // TILE
    all_, all_counts = _everything(kinds, len(lamps))
    some, some_counts = np.empty_like(all_), np.empty_like(all_counts)
    few, few_counts = np.empty_like(all_), np.empty_like(all_counts)
    block = _BLOCK * TILE
    for y in range(0, height, block):
        for x in range(0, width, block):
            window = (y, min(y + block, height), x, min(x + block, width))
            _gather(kinds, geometry, rotation, origin, lens, lamps, depth, window, all_, all_counts, some, some_counts)
            for top in range(window[0], window[1], TILE):
                for left in range(window[2], window[3], TILE):
                    inner = (top, min(top + TILE, height), left, min(left + TILE, width))
                    _gather(
                        kinds, geometry, rotation, origin, lens, lamps, depth, inner, some, some_counts, few, few_counts
                    )
                    tile = top // TILE * across + left // TILE
                    span = (starts[tile], starts[tile + 1])
                    _shade_tile(
                        kinds,
                        geometry,
                        local,
                        rotation,
                        origin,
                        lens,
                        lamps,
                        depth,
                        part,
                        tiled,
                        span,
                        inner,
                        few,
                        few_counts,
                        rgb,
                    )


@njit(cache=True, nogil=True)
def _everything(kinds, lamps: int):  # type: ignore[no-untyped-def]
    """Lists to gather from at first: all parts take ambient light, all but the room's own come before lamps."""
    lists = np.empty((1 + lamps, len(kinds)), np.int64)
    counts = np.zeros(1 + lamps, np.int64)
    for p in range(len(kinds)):
        for k in range(1 + lamps):
            if k == 0 or kinds[p, 1] != 0:
                lists[k, counts[k]] = p
                counts[k] += 1
    return lists, counts


@njit(cache=True, nogil=True)
def _shade_tile(  # type: ignore[no-untyped-def]
    kinds, geometry, local, rotation, origin, lens, lamps, depth, part, tiled, span, window, few, counts, rgb
):
    for v in range(window[0], window[1]):
        for u in range(window[2], window[3]):
            r, g, b = 0.0, 0.0, 0.0
            p = part[v, u]
            if not _is_edge(part, u, v):
                if p >= 0:
                    r, g, b = _lit(
                        kinds, geometry, p, depth[v, u], u + 0.5, v + 0.5, rotation, origin, lens, lamps, few, counts
                    )
            else:
                before, cr, cg, cb = -1, 0.0, 0.0, 0.0
                for k in range(4):
                    su, sv = u + 0.25 + 0.5 * (k % 2), v + 0.25 + 0.5 * (k // 2)
                    t, p = first(kinds, geometry, local, rotation, lens, su, sv, tiled, span[0], span[1])
                    if p >= 0 and p != before:
                        cr, cg, cb = _lit(kinds, geometry, p, t, su, sv, rotation, origin, lens, lamps, few, counts)
                        before = p
                    if p >= 0:
                        r, g, b = r + 0.25 * cr, g + 0.25 * cg, b + 0.25 * cb
            rgb[v, u, 0], rgb[v, u, 1], rgb[v, u, 2] = _byte(r), _byte(g), _byte(b)
