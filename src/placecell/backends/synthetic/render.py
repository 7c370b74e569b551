"""Exact pictures of solids by casting one ray a pixel: z-depth, which part, and a lit colour image.

Knows: packed parts, a camera, point lights. Does not know: objects' names or why they stand where they stand.
Depth and part numbers are those of the ray through the pixel's centre (0.5, 0.5); only colours are averaged, over four
rays where neighbouring pixels see different parts. Work is kept small by tiles: each looks only at the parts whose
bounds reach it, and at the parts that can shade the points it sees.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from placecell.backends.synthetic.rays import MISS, face, gap, meet
from placecell.backends.synthetic.shapes import Packed
from placecell.backends.synthetic.texture import paint
from placecell.geometry.camera import Camera
from placecell.geometry.transforms import Array

_TILE = 16
_NEAR = 0.02  # metres in front of the camera where bounds are clipped
_REACH = 0.45  # metres within which one surface darkens another
_AMBIENT = np.array([0.36, 0.38, 0.42])


@dataclass(frozen=True, eq=False)
class Lights:
    """Point lights: ``position`` (L, 3), ``colour`` (L, 3) linear. ``range_m``: where the light has fallen to half."""

    position: Array
    colour: Array
    range_m: float = 3.5


@dataclass(frozen=True, eq=False)
class Shot:
    """One picture: ``rgb`` (h, w, 3) uint8 sRGB, ``depth`` (h, w) float32 z-depth, ``owner`` (h, w) int32 object ids."""

    rgb: NDArray[np.uint8]
    depth: NDArray[np.float32]
    owner: NDArray[np.int32]


def look(packed: Packed, camera: Camera) -> tuple[NDArray[np.float32], NDArray[np.int32]]:
    """Depth (h, w) float32 and object id (h, w) int32 without colours: what truth needs, in a third of the time.

    Depth is 0 and the id is 0 where a ray meets nothing.
    """
    depth, part = _look(packed, camera)[:2]
    return _owned(packed, depth, part)


def shoot(packed: Packed, camera: Camera, lights: Lights) -> Shot:
    """The lit picture with its exact depth and object ids."""
    depth, part, starts, tiled, local = _look(packed, camera)
    rotation, origin, lens = _lens(camera)
    rgb = np.zeros((camera.height, camera.width, 3), np.uint8)
    _shade(
        packed,
        rotation,
        origin,
        lens,
        lights.position,
        lights.colour,
        lights.range_m,
        _AMBIENT,
        depth,
        part,
        starts,
        tiled,
        local,
        rgb,
    )
    z, owner = _owned(packed, depth, part)
    return Shot(rgb, z, owner)


def _look(packed: Packed, camera: Camera):  # type: ignore[no-untyped-def]
    rotation, origin, lens = _lens(camera)
    local = np.einsum("pij,pj->pi", packed.part_from_world, origin - packed.centre)
    starts, tiled = _tiles(packed, rotation, origin, lens, camera.width, camera.height)
    depth = np.full((camera.height, camera.width), MISS)
    part = np.full((camera.height, camera.width), -1, np.int32)
    _cast(packed, rotation, lens, local, starts, tiled, depth, part)
    return depth, part, starts, tiled, local


def _owned(packed: Packed, depth: Array, part: NDArray[np.int32]) -> tuple[NDArray[np.float32], NDArray[np.int32]]:
    hit = part >= 0
    z = np.where(hit, depth, 0.0).astype(np.float32)
    return z, np.where(hit, packed.owner[part], 0).astype(np.int32)


def _lens(camera: Camera) -> tuple[Array, Array, Array]:
    K = camera.K
    pose = camera.world_from_cam
    return np.ascontiguousarray(pose[:3, :3]), pose[:3, 3].copy(), np.array([K[0, 0], K[1, 1], K[0, 2], K[1, 2]])


@njit(cache=True, nogil=True)
def _tiles(packed, rotation, origin, lens, width, height):  # type: ignore[no-untyped-def]
    """Parts by tile as ``tiled[starts[k]:starts[k + 1]]``, from the projected corners of their bounds."""
    across, down = (width + _TILE - 1) // _TILE, (height + _TILE - 1) // _TILE
    n = len(packed.solid)
    rects = np.zeros((n, 4), np.int64)
    for p in range(n):
        wide = max(packed.half[p, 0], packed.half[p, 2]) if packed.solid[p] == 1 else packed.half[p, 0]
        deep = wide if packed.solid[p] == 1 else packed.half[p, 2]
        tall = packed.half[p, 1]
        left, top, right, bottom = MISS, MISS, -MISS, -MISS
        ahead, clipped = False, False
        for corner in range(8):
            x = wide if corner & 1 else -wide
            y = tall if corner & 2 else -tall
            z = deep if corner & 4 else -deep
            wx = packed.centre[p, 0] - origin[0]
            wy = packed.centre[p, 1] - origin[1]
            wz = packed.centre[p, 2] - origin[2]
            m = packed.part_from_world[p]
            wx += m[0, 0] * x + m[1, 0] * y + m[2, 0] * z
            wy += m[0, 1] * x + m[1, 1] * y + m[2, 1] * z
            wz += m[0, 2] * x + m[1, 2] * y + m[2, 2] * z
            cz = rotation[0, 2] * wx + rotation[1, 2] * wy + rotation[2, 2] * wz
            if cz < _NEAR:
                clipped = True
                continue
            ahead = True
            u = lens[2] + lens[0] * (rotation[0, 0] * wx + rotation[1, 0] * wy + rotation[2, 0] * wz) / cz
            v = lens[3] + lens[1] * (rotation[0, 1] * wx + rotation[1, 1] * wy + rotation[2, 1] * wz) / cz
            left, right, top, bottom = min(left, u), max(right, u), min(top, v), max(bottom, v)
        if not ahead:
            rects[p] = np.array([0, 0, 0, 0])
        elif clipped:
            rects[p] = np.array([0, 0, across, down])
        else:
            rects[p, 0] = min(max(int(math.floor(left)) // _TILE, 0), across)
            rects[p, 1] = min(max(int(math.floor(top)) // _TILE, 0), down)
            rects[p, 2] = min(max(int(math.ceil(right)) // _TILE + 1, 0), across)
            rects[p, 3] = min(max(int(math.ceil(bottom)) // _TILE + 1, 0), down)
    starts = np.zeros(across * down + 1, np.int64)
    for p in range(n):
        for j in range(rects[p, 1], rects[p, 3]):
            for i in range(rects[p, 0], rects[p, 2]):
                starts[j * across + i + 1] += 1
    starts = np.cumsum(starts)
    fill = starts[:-1].copy()
    tiled = np.empty(starts[-1], np.int64)
    for p in range(n):
        for j in range(rects[p, 1], rects[p, 3]):
            for i in range(rects[p, 0], rects[p, 2]):
                tiled[fill[j * across + i]] = p
                fill[j * across + i] += 1
    return starts, tiled


@njit(cache=True, nogil=True)
def _first(packed, rotation, lens, local, u, v, tiled, begin, end):  # type: ignore[no-untyped-def]
    """z-depth and number of the first part on the ray through pixel position (u, v)."""
    x, y = (u - lens[2]) / lens[0], (v - lens[3]) / lens[1]
    wx = rotation[0, 0] * x + rotation[0, 1] * y + rotation[0, 2]
    wy = rotation[1, 0] * x + rotation[1, 1] * y + rotation[1, 2]
    wz = rotation[2, 0] * x + rotation[2, 1] * y + rotation[2, 2]
    best, found = MISS, -1
    for k in range(begin, end):
        p = tiled[k]
        m = packed.part_from_world[p]
        dx = m[0, 0] * wx + m[0, 1] * wy + m[0, 2] * wz
        dy = m[1, 0] * wx + m[1, 1] * wy + m[1, 2] * wz
        dz = m[2, 0] * wx + m[2, 1] * wy + m[2, 2] * wz
        h = packed.half[p]
        t = meet(packed.solid[p], h[0], h[1], h[2], local[p, 0], local[p, 1], local[p, 2], dx, dy, dz)
        if t < best:
            best, found = t, p
    return best, found, wx, wy, wz


@njit(cache=True, nogil=True)
def _cast(packed, rotation, lens, local, starts, tiled, depth, part):  # type: ignore[no-untyped-def]
    height, width = depth.shape
    across = (width + _TILE - 1) // _TILE
    for tile in range(len(starts) - 1):
        top, left = tile // across * _TILE, tile % across * _TILE
        for v in range(top, min(top + _TILE, height)):
            for u in range(left, min(left + _TILE, width)):
                found = _first(packed, rotation, lens, local, u + 0.5, v + 0.5, tiled, starts[tile], starts[tile + 1])
                depth[v, u], part[v, u] = found[0], found[1]


@njit(cache=True, nogil=True)
def _bounding_sphere(rotation, origin, lens, depth, top, left, bottom, right):  # type: ignore[no-untyped-def]
    """Centre and radius of a sphere about the points a tile sees."""
    low, high = np.full(3, MISS), np.full(3, -MISS)
    for v in range(top, bottom):
        for u in range(left, right):
            t = depth[v, u]
            if t >= MISS:
                continue
            x, y = (u + 0.5 - lens[2]) / lens[0], (v + 0.5 - lens[3]) / lens[1]
            for k in range(3):
                w = origin[k] + t * (rotation[k, 0] * x + rotation[k, 1] * y + rotation[k, 2])
                low[k], high[k] = min(low[k], w), max(high[k], w)
    middle, size = 0.5 * (low + high), high - low
    return middle, 0.5 * math.sqrt(size[0] ** 2 + size[1] ** 2 + size[2] ** 2)


@njit(cache=True, nogil=True)
def _gap_to(packed, p, x, y, z):  # type: ignore[no-untyped-def]
    x, y, z = x - packed.centre[p, 0], y - packed.centre[p, 1], z - packed.centre[p, 2]
    m, h = packed.part_from_world[p], packed.half[p]
    lx = m[0, 0] * x + m[0, 1] * y + m[0, 2] * z
    ly = m[1, 0] * x + m[1, 1] * y + m[1, 2] * z
    lz = m[2, 0] * x + m[2, 1] * y + m[2, 2] * z
    return gap(packed.solid[p], h[0], h[1], h[2], lx, ly, lz)


@njit(cache=True, nogil=True)
def _blocked(packed, shaders, count, x, y, z, dx, dy, dz):  # type: ignore[no-untyped-def]
    """Whether a part lies on the segment from (x, y, z) to (x + dx, y + dy, z + dz)."""
    for k in range(count):
        p = shaders[k]
        ox, oy, oz = x - packed.centre[p, 0], y - packed.centre[p, 1], z - packed.centre[p, 2]
        along = -(ox * dx + oy * dy + oz * dz) / (dx * dx + dy * dy + dz * dz)
        along = min(1.0, max(0.0, along))
        cx, cy, cz = ox + along * dx, oy + along * dy, oz + along * dz
        if cx * cx + cy * cy + cz * cz > packed.radius[p] ** 2:
            continue
        m, h = packed.part_from_world[p], packed.half[p]
        t = meet(
            packed.solid[p],
            h[0],
            h[1],
            h[2],
            m[0, 0] * ox + m[0, 1] * oy + m[0, 2] * oz,
            m[1, 0] * ox + m[1, 1] * oy + m[1, 2] * oz,
            m[2, 0] * ox + m[2, 1] * oy + m[2, 2] * oz,
            m[0, 0] * dx + m[0, 1] * dy + m[0, 2] * dz,
            m[1, 0] * dx + m[1, 1] * dy + m[1, 2] * dz,
            m[2, 0] * dx + m[2, 1] * dy + m[2, 2] * dz,
        )
        if t < 1.0:
            return True
    return False


@njit(cache=True, nogil=True)
def _lit(packed, p, t, wx, wy, wz, origin, focal, lights, colours, falloff, ambient, near, near_count, shaders, counts):  # type: ignore[no-untyped-def]
    """Linear RGB of the point at depth t on a ray: painted colour times ambient light and lamps."""
    x, y, z = origin[0] + t * wx, origin[1] + t * wy, origin[2] + t * wz
    cx, cy, cz = x - packed.centre[p, 0], y - packed.centre[p, 1], z - packed.centre[p, 2]
    m, h = packed.part_from_world[p], packed.half[p]
    lx = m[0, 0] * cx + m[0, 1] * cy + m[0, 2] * cz
    ly = m[1, 0] * cx + m[1, 1] * cy + m[1, 2] * cz
    lz = m[2, 0] * cx + m[2, 1] * cy + m[2, 2] * cz
    fx, fy, fz, u, v, half_u, half_v = face(packed.solid[p], h[0], h[1], h[2], lx, ly, lz)
    nx = m[0, 0] * fx + m[1, 0] * fy + m[2, 0] * fz
    ny = m[0, 1] * fx + m[1, 1] * fy + m[2, 1] * fz
    nz = m[0, 2] * fx + m[1, 2] * fy + m[2, 2] * fz
    length = math.sqrt(wx * wx + wy * wy + wz * wz)
    slant = max(0.2, abs(nx * wx + ny * wy + nz * wz) / length)
    s = packed.scale[p]
    light = (packed.light[p, 0], packed.light[p, 1], packed.light[p, 2])
    dark = (packed.dark[p, 0], packed.dark[p, 1], packed.dark[p, 2])
    footprint = t / focal / slant / s
    r, g, b = paint(packed.pattern[p], u / s, v / s, half_u / s, half_v / s, light, dark, packed.seed[p], footprint)
    if packed.pattern[p] == 11 or packed.pattern[p] == 12:  # windows and screens glow
        return 0.95 * r, 0.95 * g, 0.95 * b
    x, y, z = x + 2e-4 * nx, y + 2e-4 * ny, z + 2e-4 * nz
    open_ = 1.0
    for k in range(3):
        reach = (0.06, 0.18, _REACH)[k]
        nearest = reach
        for q in range(near_count):
            nearest = min(nearest, _gap_to(packed, near[q], x + reach * nx, y + reach * ny, z + reach * nz))
        open_ -= (0.22, 0.22, 0.24)[k] * (1.0 - max(nearest, 0.0) / reach)
    sky = open_ * (0.82 + 0.18 * ny)
    er, eg, eb = ambient[0] * sky, ambient[1] * sky, ambient[2] * sky
    for k in range(len(lights)):
        dx, dy, dz = lights[k, 0] - x, lights[k, 1] - y, lights[k, 2] - z
        d2 = dx * dx + dy * dy + dz * dz
        cosine = (nx * dx + ny * dy + nz * dz) / math.sqrt(d2)
        if cosine <= 0.0 or _blocked(packed, shaders[k], counts[k], x, y, z, dx, dy, dz):
            continue
        power = cosine / (1.0 + d2 / (falloff * falloff))
        er += power * colours[k, 0]
        eg += power * colours[k, 1]
        eb += power * colours[k, 2]
    mix = 0.35 + 0.65 * open_
    return r * (er * mix), g * (eg * mix), b * (eb * mix)


@njit(cache=True, nogil=True)
def _byte(linear):  # type: ignore[no-untyped-def]
    """sRGB 8 bit of linear light, with a soft shoulder instead of clipping."""
    x = linear if linear < 0.6 else 0.6 + 0.4 * (1.0 - math.exp(-(linear - 0.6) / 0.4))
    return np.uint8(255.0 * min(1.0, max(0.0, x)) ** (1.0 / 2.2) + 0.5)


@njit(cache=True, nogil=True)
def _shade(packed, rotation, origin, lens, lights, colours, falloff, ambient, depth, part, starts, tiled, local, rgb):  # type: ignore[no-untyped-def]
    height, width = depth.shape
    across = (width + _TILE - 1) // _TILE
    n = len(packed.solid)
    near = np.empty(n, np.int64)
    shaders = np.empty((len(lights), n), np.int64)
    counts = np.zeros(len(lights), np.int64)
    for tile in range(len(starts) - 1):
        top, left = tile // across * _TILE, tile % across * _TILE
        bottom, right = min(top + _TILE, height), min(left + _TILE, width)
        middle, radius = _bounding_sphere(rotation, origin, lens, depth, top, left, bottom, right)
        near_count = 0
        counts[:] = 0
        for p in range(n):
            if _gap_to(packed, p, middle[0], middle[1], middle[2]) < radius + 2 * _REACH:
                near[near_count] = p
                near_count += 1
            if packed.owner[p] == 0:
                continue
            for k in range(len(lights)):
                ox, oy, oz = middle - packed.centre[p]
                dx, dy, dz = lights[k] - middle
                along = -(ox * dx + oy * dy + oz * dz) / (dx * dx + dy * dy + dz * dz)
                along = min(1.0, max(0.0, along))
                reach = packed.radius[p] + radius
                if (ox + along * dx) ** 2 + (oy + along * dy) ** 2 + (oz + along * dz) ** 2 < reach * reach:
                    shaders[k, counts[k]] = p
                    counts[k] += 1
        for v in range(top, bottom):
            for u in range(left, right):
                p = part[v, u]
                edge = (
                    (u > 0 and part[v, u - 1] != p)
                    or (v > 0 and part[v - 1, u] != p)
                    or (u + 1 < width and part[v, u + 1] != p)
                    or (v + 1 < height and part[v + 1, u] != p)
                )
                r, g, b = 0.0, 0.0, 0.0
                rays = 4 if edge else 1
                for k in range(rays):
                    du = 0.5 if not edge else 0.25 + 0.5 * (k % 2)
                    dv = 0.5 if not edge else 0.25 + 0.5 * (k // 2)
                    t, q, wx, wy, wz = _first(
                        packed, rotation, lens, local, u + du, v + dv, tiled, starts[tile], starts[tile + 1]
                    )
                    if q >= 0:
                        c = _lit(
                            packed,
                            q,
                            t,
                            wx,
                            wy,
                            wz,
                            origin,
                            lens[0],
                            lights,
                            colours,
                            falloff,
                            ambient,
                            near,
                            near_count,
                            shaders,
                            counts,
                        )
                        r, g, b = r + c[0] / rays, g + c[1] / rays, b + c[2] / rays
                rgb[v, u, 0], rgb[v, u, 1], rgb[v, u, 2] = _byte(r), _byte(g), _byte(b)
