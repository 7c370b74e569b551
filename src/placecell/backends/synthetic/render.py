"""Exact pictures of packed parts: z-depth, object ids and a lit colour image, one ray a pixel.

Knows: how a ``Camera`` and lamps are handed to the kernels (``cast``, ``light``). Does not know: objects' names or why
they stand where they stand. Depth and ids are those of the ray through the pixel's centre (0.5, 0.5).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from placecell.backends.synthetic.cast import cast
from placecell.backends.synthetic.light import shade
from placecell.backends.synthetic.shapes import Packed
from placecell.geometry.camera import Camera
from placecell.geometry.transforms import Array


@dataclass(frozen=True, eq=False)
class Lights:
    """Point lamps: ``position`` (L, 3), ``colour`` (L, 3) linear. ``range_m``: where the light has fallen to half."""

    position: Array
    colour: Array
    range_m: float = 3.5


@dataclass(frozen=True, eq=False)
class Shot:
    """One picture: ``rgb`` (h, w, 3) uint8 sRGB, ``depth`` (h, w) float32 z-depth, ``owner`` (h, w) int32 object ids.

    Depth is 0 and the id 0 where a ray meets nothing; the room's own surfaces have id 0 too.
    """

    rgb: NDArray[np.uint8]
    depth: NDArray[np.float32]
    owner: NDArray[np.int32]


def look(packed: Packed, camera: Camera) -> tuple[NDArray[np.float32], NDArray[np.int32]]:
    """Depth (h, w) and object ids (h, w) without colours: all that truth needs, in a fraction of the time."""
    rotation, origin, lens, local = _view(packed, camera)
    shape = (camera.height, camera.width)
    depth, part, _, _ = cast(packed.kinds, packed.geometry, local, rotation, origin, lens, shape)
    return _owned(packed, depth, part)


def shoot(packed: Packed, camera: Camera, lights: Lights) -> Shot:
    """The lit picture with its exact depth and object ids."""
    rotation, origin, lens, local = _view(packed, camera)
    shape = (camera.height, camera.width)
    depth, part, starts, tiled = cast(packed.kinds, packed.geometry, local, rotation, origin, lens, shape)
    rgb = np.zeros((*shape, 3), np.uint8)
    reach = np.full((len(lights.position), 1), lights.range_m)
    lamps = np.concatenate([lights.position, lights.colour, reach], axis=1)
    shade(packed.kinds, packed.geometry, local, rotation, origin, lens, lamps, depth, part, starts, tiled, rgb)
    return Shot(rgb, *_owned(packed, depth, part))


def flat(packed: Packed, camera: Camera) -> Shot:
    """Exact depth and ids with one flat colour an object: for tests that do not look at pictures."""
    depth, owner = look(packed, camera)
    colours = np.random.default_rng(0).integers(40, 255, (int(packed.kinds[:, 1].max()) + 1, 3), np.uint8)
    return Shot(colours[owner], depth, owner)


def _view(packed: Packed, camera: Camera) -> tuple[Array, Array, Array, Array]:
    """Rotation (3, 3), centre (3,), lens (4,), and the centre in each part's frame (P, 3)."""
    pose, K = camera.world_from_cam, camera.K
    matrices = packed.geometry[:, :9].reshape(-1, 3, 3)
    local = np.einsum("pij,pj->pi", matrices, pose[:3, 3] - packed.geometry[:, 9:12])
    return np.ascontiguousarray(pose[:3, :3]), pose[:3, 3].copy(), np.array([K[0, 0], K[1, 1], K[0, 2], K[1, 2]]), local


def _owned(packed: Packed, depth: Array, part: NDArray[np.int64]) -> tuple[NDArray[np.float32], NDArray[np.int32]]:
    hit = part >= 0
    return np.where(hit, depth, 0.0).astype(np.float32), np.where(hit, packed.kinds[part, 1], 0).astype(np.int32)
