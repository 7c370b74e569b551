"""Colours from photos for a picture whose depth is known: each pixel is looked up in the photo that saw it best.

Knows: backward warping with a depth test, and which of several photos to prefer. Does not know: where depth comes from.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numba as nb
import numpy as np
from numpy.typing import NDArray

from placecell.geometry.camera import Camera
from placecell.geometry.transforms import Array, compose, invert

Float32 = NDArray[np.float32]
UInt8 = NDArray[np.uint8]

_COARSE = 0.6  # a source counts as coarse when it has fewer of its pixels than this for one of ours
_CARVED = 0.5  # how far to trust what was seen behind a surface that should not be there
_STEPS = 5


@dataclass(frozen=True, eq=False)
class Source:
    """A photo (h, w, 3) with its camera, and the z-depth map of its own size that says what it saw."""

    rgb: UInt8
    camera: Camera
    depth: Float32
    depth_camera: Camera


def warp(
    rgb: UInt8, depth: Float32, camera: Camera, sources: Sequence[Source], *, relative: float, absolute: float
) -> tuple[UInt8, NDArray[np.int16]]:
    """``rgb`` (H, W, 3), recoloured from ``sources`` where they saw the same surface, and the source used, -1 = none.

    ``depth`` (H, W) is the picture's z-depth, 0 = unknown. A source saw the surface when its own depth there agrees
    within ``relative`` times that depth plus ``absolute``. A source that looked through the surface to something behind
    shows that instead: nothing can be there. From the very place of the picture every pixel was seen as it is, whatever
    its depth. Among several sources, the one that saw a pixel most nearly from here and not more coarsely is taken.
    """
    out = rgb.copy()
    used = np.full(depth.shape, -1, np.int16)
    quality = np.zeros(depth.shape, np.float32)
    for number, source in enumerate(sources):
        source_from_here = compose(invert(source.camera.world_from_cam), camera.world_from_cam)
        same_place = float(np.linalg.norm(source_from_here[:3, 3])) <= 1e-6 * max(1.0, absolute)
        limits = np.array([relative, absolute, float(same_place)])
        lenses = np.stack([_lens(camera), _lens(source.camera), _lens(source.depth_camera)])
        _recolour(depth, lenses, source_from_here, source.rgb, source.depth, limits, number, quality, used, out)
    return out, used


def _lens(camera: Camera) -> Array:
    return np.array([camera.K[0, 0], camera.K[1, 1], camera.K[0, 2], camera.K[1, 2]])


_jit = nb.njit(cache=True, nogil=True, error_model="numpy")


@_jit
def _recolour(  # noqa: PLR0913
    depth: Float32,
    lenses: Array,
    source_from_here: Array,
    photo: UInt8,
    seen: Float32,
    limits: Array,
    number: int,
    quality: Float32,
    used: NDArray[np.int16],
    out: UInt8,
) -> None:
    height, width = depth.shape
    fx, fy, cx, cy = lenses[0]
    photo_fx, photo_fy, photo_cx, photo_cy = lenses[1]
    m, t = source_from_here, source_from_here[:3, 3].copy()
    same_place = limits[2] > 0
    for row in range(height):
        y = (row + 0.5 - cy) / fy
        for column in range(width):
            z = float(depth[row, column])
            x = (column + 0.5 - cx) / fx
            # The ray in the source's axes: a point of it is at z * (dx, dy, dz) + t.
            dx = m[0, 0] * x + m[0, 1] * y + m[0, 2]
            dy = m[1, 0] * x + m[1, 1] * y + m[1, 2]
            dz = m[2, 0] * x + m[2, 1] * y + m[2, 2]
            if same_place:
                z, trust = 1.0, 1.0
            elif z > 0 and _toward(z, x, y, dx, dy, dz, t) > quality[row, column]:
                z, trust = _settle(z, dx, dy, dz, source_from_here, seen, lenses[2], limits)
            else:
                continue
            pz = z * dz + t[2]
            if not (z > 0 and pz > 0):
                continue
            u = (z * dx + t[0]) / pz * photo_fx + photo_cx
            v = (z * dy + t[1]) / pz * photo_fy + photo_cy
            if not (u >= 0 and v >= 0 and u < photo.shape[1] and v < photo.shape[0]):
                continue
            # The source's pixels per length against ours.
            sharpness = min(1.0, photo_fx * z / (pz * fx * _COARSE))
            score = np.float32(trust * sharpness * _toward(z, x, y, dx, dy, dz, t))
            if score > quality[row, column]:
                quality[row, column] = score
                used[row, column] = number
                _sample(photo, u, v, out, row, column)


@_jit
def _toward(z: float, x: float, y: float, dx: float, dy: float, dz: float, t: Array) -> float:
    """Fourth power of the cosine between the rays from here and from the source to the point at ``z``."""
    px, py, pz = z * dx + t[0], z * dy + t[1], z * dz + t[2]
    dot = (px * dx + py * dy + pz * dz) * z
    squared = (px * px + py * py + pz * pz) * z * z * (x * x + y * y + 1.0)
    return (dot * dot / squared) ** 2 if dot > 0 else 0.0


@_jit
def _settle(
    z: float, dx: float, dy: float, dz: float, m: Array, seen: Float32, lens: Array, limits: Array
) -> tuple[float, float]:
    """z-depth at which the source saw something on the ray (dx, dy, dz), 0 = nothing, and the trust in it.

    Starting from ``z``; where the source looked through, the depth moves back to what it saw behind, which takes a few
    steps to settle when the source is elsewhere.
    """
    trust = 1.0
    for _ in range(_STEPS):
        px, py, pz = z * dx + m[0, 3], z * dy + m[1, 3], z * dz + m[2, 3]
        column, row = px / pz * lens[0] + lens[2], py / pz * lens[1] + lens[3]
        if not (pz > 0 and column >= 0 and row >= 0 and column < seen.shape[1] and row < seen.shape[0]):
            break
        there = np.float64(seen[np.uint32(row), np.uint32(column)])
        allowed = limits[0] * there + limits[1]
        if not (there > 0 and there >= pz - allowed):
            break
        if there <= pz + allowed:
            return z, trust
        back = there / pz
        z = m[0, 2] * (back * px - m[0, 3]) + m[1, 2] * (back * py - m[1, 3]) + m[2, 2] * (there - m[2, 3])
        trust = _CARVED
    return 0.0, 0.0


@_jit
def _sample(photo: UInt8, u: float, v: float, out: UInt8, row: int, column: int) -> None:
    """Bilinear colour at (u, v), whose pixel centres are at halves."""
    height, width = photo.shape[:2]
    x, y = min(max(u - 0.5, 0.0), width - 1.0), min(max(v - 0.5, 0.0), height - 1.0)
    left, top = np.uint32(x), np.uint32(y)
    right, bottom = min(left + 1, np.uint32(width - 1)), min(top + 1, np.uint32(height - 1))
    fx, fy = np.float32(x - left), np.float32(y - top)
    one = np.float32(1.0)
    for k in range(3):
        upper = (one - fx) * photo[top, left, k] + fx * photo[top, right, k]
        lower = (one - fx) * photo[bottom, left, k] + fx * photo[bottom, right, k]
        out[row, column, k] = np.uint8((one - fy) * upper + fy * lower + np.float32(0.5))
