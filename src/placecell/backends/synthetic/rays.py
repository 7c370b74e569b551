"""Rays against single solids, in the solid's own frame: where they meet, which way the surface faces, how far it is.

Knows: boxes, tapered cylinders and ellipsoids (``shapes.Solid``). Does not know: rooms, cameras or colours.
All functions are compiled scalars; a ray is origin + t * direction with t > 0, a miss is t = ``MISS``.
"""

# ruff: noqa: PLR0913 - kernels take scalars and arrays, not objects

from __future__ import annotations

import math

from numba import njit

MISS = 1e30
_NEAR = 1e-6
_BOX, _CYLINDER = 0, 1


@njit(cache=True, nogil=True, error_model="numpy")
def _meet_box(hx, hy, hz, ox, oy, oz, dx, dy, dz):  # type: ignore[no-untyped-def]
    # A direction parallel to a face never crosses its plane: 1e-30 sends the crossing out of reach.
    ix = 1.0 / (dx if dx != 0.0 else 1e-30)
    iy = 1.0 / (dy if dy != 0.0 else 1e-30)
    iz = 1.0 / (dz if dz != 0.0 else 1e-30)
    x, y, z = -ox * ix, -oy * iy, -oz * iz
    rx, ry, rz = hx * abs(ix), hy * abs(iy), hz * abs(iz)
    near = max(x - rx, max(y - ry, z - rz))
    far = min(x + rx, min(y + ry, z + rz))
    if near > far or far <= _NEAR:
        return MISS
    return near if near > _NEAR else far


@njit(cache=True, nogil=True, error_model="numpy")
def _meet_cylinder(bottom, h, top, ox, oy, oz, dx, dy, dz):  # type: ignore[no-untyped-def]
    best = MISS
    slope = (top - bottom) / (2.0 * h)
    middle = 0.5 * (top + bottom)
    r = middle + slope * oy
    a = dx * dx + dz * dz - slope * slope * dy * dy
    b = ox * dx + oz * dz - slope * dy * r
    c = ox * ox + oz * oz - r * r
    disc = b * b - a * c
    if disc >= 0.0 and abs(a) > 1e-14:
        root = math.sqrt(disc)
        for t in ((-b - root) / a, (-b + root) / a):
            if _NEAR < t < best and abs(oy + t * dy) <= h and middle + slope * (oy + t * dy) >= 0.0:
                best = t
    if dy != 0.0:
        for side in (-1.0, 1.0):
            t = (side * h - oy) / dy
            radius = bottom if side < 0.0 else top
            x, z = ox + t * dx, oz + t * dz
            if _NEAR < t < best and x * x + z * z <= radius * radius:
                best = t
    return best


@njit(cache=True, nogil=True, error_model="numpy")
def _meet_ellipsoid(rx, ry, rz, ox, oy, oz, dx, dy, dz):  # type: ignore[no-untyped-def]
    ox, oy, oz, dx, dy, dz = ox / rx, oy / ry, oz / rz, dx / rx, dy / ry, dz / rz
    a = dx * dx + dy * dy + dz * dz
    b = ox * dx + oy * dy + oz * dz
    disc = b * b - a * (ox * ox + oy * oy + oz * oz - 1.0)
    if disc < 0.0:
        return MISS
    root = math.sqrt(disc)
    near = (-b - root) / a
    if near > _NEAR:
        return near
    far = (-b + root) / a
    return far if far > _NEAR else MISS


@njit(cache=True, nogil=True, error_model="numpy")
def meet(solid, hx, hy, hz, ox, oy, oz, dx, dy, dz):  # type: ignore[no-untyped-def]
    """Smallest t > 0 at which the ray meets the solid's surface, or ``MISS``."""
    if solid == _BOX:
        return _meet_box(hx, hy, hz, ox, oy, oz, dx, dy, dz)
    if solid == _CYLINDER:
        return _meet_cylinder(hx, hy, hz, ox, oy, oz, dx, dy, dz)
    return _meet_ellipsoid(hx, hy, hz, ox, oy, oz, dx, dy, dz)


@njit(cache=True, nogil=True, error_model="numpy")
def face(solid, hx, hy, hz, x, y, z):  # type: ignore[no-untyped-def]
    """At a surface point: unit normal (3), coordinates (u, v) on the face in metres, and the face's half size (2)."""
    if solid == _BOX:
        ax, ay, az = abs(x) / hx, abs(y) / hy, abs(z) / hz
        if ay >= ax and ay >= az:
            return 0.0, math.copysign(1.0, y), 0.0, x, z, hx, hz
        if ax >= az:
            side = math.copysign(1.0, x)
            return side, 0.0, 0.0, -side * z, y, hz, hy
        side = math.copysign(1.0, z)
        return 0.0, 0.0, side, side * x, y, hx, hy
    if solid == _CYLINDER:
        slope = (hz - hx) / (2.0 * hy)
        radius = max(math.sqrt(x * x + z * z), 1e-9)
        if abs(abs(y) - hy) < 1e-6 and radius < 0.5 * (hx + hz) + slope * y + 1e-9:
            return 0.0, math.copysign(1.0, y), 0.0, x, -y / abs(y) * z, max(hx, hz), max(hx, hz)
        length = math.sqrt(1.0 + slope * slope)
        wide = max(hx, hz)
        return x / radius / length, -slope / length, z / radius / length, math.atan2(x, z) * wide, y, 3.2 * wide, hy
    nx, ny, nz = x / (hx * hx), y / (hy * hy), z / (hz * hz)
    length = math.sqrt(nx * nx + ny * ny + nz * nz)
    wide = max(hx, hz)
    return nx / length, ny / length, nz / length, math.atan2(x, z) * wide, y, 3.2 * wide, hy


@njit(cache=True, nogil=True, error_model="numpy")
def gap(solid, hx, hy, hz, x, y, z):  # type: ignore[no-untyped-def]
    """Distance from a point to the solid, negative inside; exact for boxes, close enough for shading otherwise."""
    if solid == _BOX:
        qx, qy, qz = abs(x) - hx, abs(y) - hy, abs(z) - hz
        inside = min(max(qx, max(qy, qz)), 0.0)
        qx, qy, qz = max(qx, 0.0), max(qy, 0.0), max(qz, 0.0)
        return math.sqrt(qx * qx + qy * qy + qz * qz) + inside
    if solid == _CYLINDER:
        share = min(1.0, max(0.0, 0.5 + 0.5 * y / hy))
        qx, qy = math.sqrt(x * x + z * z) - (hx + (hz - hx) * share), abs(y) - hy
        inside = min(max(qx, qy), 0.0)
        qx, qy = max(qx, 0.0), max(qy, 0.0)
        return math.sqrt(qx * qx + qy * qy) + inside
    ax, ay, az = x / hx, y / hy, z / hz
    k = math.sqrt(ax * ax + ay * ay + az * az)
    bx, by, bz = ax / hx, ay / hy, az / hz
    return k * (k - 1.0) / max(math.sqrt(bx * bx + by * by + bz * bz), 1e-9)
