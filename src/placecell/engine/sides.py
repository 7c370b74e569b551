"""Which side of each point of the cloud was seen: a surface normal that faces the camera it came from.

Normals are those of small cells of the cloud; where a cell's points lie in no plane, the way to the camera must do.
"""

from __future__ import annotations

from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from placecell.engine.derived import derived
from placecell.geometry.cloud import voxel_ids
from placecell.memory.scene import SpatialMemory

Float32 = NDArray[np.float32]

_CELL = 5.0  # spacings across a cell
_FEW = 6
_FLAT = 0.35  # thickness of a plane's cell against its narrower width, as standard deviations


class Sides(NamedTuple):
    """``toward`` (N, 3): unit normals to the cameras that saw the points, where ``flat`` (N,); elsewhere the way there.

    Points without a camera have neither: 0.
    """

    toward: Float32
    flat: NDArray[np.bool_]


_SIDES: WeakKeyDictionary[SpatialMemory, Sides] = WeakKeyDictionary()


def seen_sides(memory: SpatialMemory) -> Sides:
    """Which sides of the cloud's points were seen, worked out on first use."""
    found = _SIDES.get(memory)
    return _SIDES.setdefault(memory, _seen_sides(memory)) if found is None else found


def _seen_sides(memory: SpatialMemory) -> Sides:
    cloud = memory.cloud
    centres = {f.number: f.camera.centre for f in memory.frames if f.camera is not None}
    if not len(cloud) or not centres:
        return Sides(np.zeros((len(cloud), 3), np.float32), np.zeros(len(cloud), bool))
    numbers = np.array(sorted(centres), dtype=np.int64)
    slot = np.clip(np.searchsorted(numbers, cloud.frame), 0, len(numbers) - 1)
    known = numbers[slot] == cloud.frame
    to_camera = np.array([centres[int(n)] for n in numbers], dtype=np.float32)[slot] - cloud.points
    extent = float(np.ptp(cloud.points, axis=0).max())
    voxel, count = voxel_ids(cloud.points, max(_CELL * derived(memory).spacing, extent / 2**19))
    normals = _plane_normals(cloud.points, voxel, count)[voxel]
    flat: NDArray[np.bool_] = np.abs(normals).max(axis=1, initial=0.0) > 0
    way = to_camera / np.maximum(np.linalg.norm(to_camera, axis=1), 1e-12)[:, None]
    side = np.where(np.einsum("ij,ij->i", normals, to_camera) >= 0, 1, -1)[:, None] * normals
    toward: Float32 = (np.where(flat[:, None], side, way) * known[:, None]).astype(np.float32)
    return Sides(toward, flat)


def _plane_normals(points: Float32, voxel: NDArray[np.int32], count: int) -> Float32:
    """Normal (count, 3) of the plane through the points of each cell; 0 where they lie in none."""
    weight = np.maximum(np.bincount(voxel, minlength=count), 1).astype(np.float64)
    local = points - points.mean(axis=0)
    mean = np.stack([np.bincount(voxel, local[:, k], count) / weight for k in range(3)], axis=-1)
    local = (local - mean[voxel]).astype(np.float64)
    spread = np.empty((count, 3, 3))
    for i in range(3):
        for j in range(i + 1):
            spread[:, i, j] = spread[:, j, i] = np.bincount(voxel, local[:, i] * local[:, j], count) / weight
    values, vectors = np.linalg.eigh(spread)
    flat = (weight >= _FEW) & (values[:, 1] > 0) & (values[:, 0] <= _FLAT**2 * values[:, 1])
    normals: Float32 = np.where(flat[:, None], vectors[:, :, 0], 0.0).astype(np.float32)
    return normals
