"""A coloured point cloud that remembers where each point was seen, and how several are made into one.

Knows: points, colours, confidence, frame and pixel of origin; voxel fusion, robust extent, spacing, normals.
Does not know: files, or what the points belong to.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Any, NamedTuple, Self

import numba as nb
import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial import KDTree

from placecell.geometry.transforms import apply

Float32 = NDArray[np.float32]
_CELLS_PER_AXIS = 1 << 21  # three axes share a 64-bit key


@dataclass(frozen=True, eq=False)
class Cloud:
    """N points of one frame of reference; arrays of other types are converted, of other shapes refused.

    points:     (N, 3) float32, finite
    colors:     (N, 3) uint8, RGB
    confidence: (N,) float32, 0..1
    frame:      (N,) int32, number of the frame the point was seen in (the first is 1), 0 = no frame
    pixel:      (N, 2) float32, (u, v) in that frame, NaN when there is no frame
    """

    points: Float32
    colors: NDArray[np.uint8]
    confidence: Float32
    frame: NDArray[np.int32]
    pixel: Float32

    def __post_init__(self) -> None:
        n = len(self.points)
        kinds = (np.float32, (n, 3)), (np.uint8, (n, 3)), (np.float32, (n,)), (np.int32, (n,)), (np.float32, (n, 2))
        for item, (dtype, shape) in zip(fields(self), kinds, strict=True):
            array = np.asarray(getattr(self, item.name))
            if array.shape != shape:
                raise ValueError(f"{item.name} must be {shape} for {n} points, got {array.shape}")
            array = np.ascontiguousarray(array, dtype=dtype).view()
            array.flags.writeable = False
            object.__setattr__(self, item.name, array)
        if not np.isfinite(self.points).all():
            raise ValueError("points must be finite; leave unknown depth out of a cloud")

    @classmethod
    def of_points(cls, points: ArrayLike, colors: ArrayLike | None = None) -> Self:
        """A cloud without frames: colours default to mid grey, confidence to 1."""
        xyz = np.asarray(points, dtype=np.float32).reshape(-1, 3)
        n = len(xyz)
        rgb = np.full((n, 3), 128, np.uint8) if colors is None else np.asarray(colors, dtype=np.uint8)
        return cls(xyz, rgb, np.ones(n, np.float32), np.zeros(n, np.int32), np.full((n, 2), np.nan, np.float32))

    @classmethod
    def empty(cls) -> Self:
        """No points."""
        return cls.of_points(np.zeros((0, 3), np.float32))

    def __len__(self) -> int:
        return len(self.points)

    def select(self, which: NDArray[Any] | slice) -> Self:
        """The points of a mask (N,), of indices, or of a slice."""
        return type(self)(*(getattr(self, item.name)[which] for item in fields(self)))

    def moved(self, a_from_b: ArrayLike) -> Self:
        """The cloud in another frame of reference."""
        rest = (getattr(self, item.name) for item in fields(self)[1:])
        return type(self)(apply(a_from_b, self.points), *rest)


def concat(clouds: Iterable[Cloud]) -> Cloud:
    """All points, in the given order."""
    parts = list(clouds)
    if not parts:
        return Cloud.empty()
    return Cloud(*(np.concatenate([getattr(part, item.name) for part in parts]) for item in fields(Cloud)))


def fuse(clouds: Cloud | Sequence[Cloud], voxel_size: float) -> Cloud:
    """One point for each occupied cube of ``voxel_size``: positions and colours averaged, weighted by confidence.

    Confidence, frame and pixel are those of the most confident contributor (the earlier one of equals). Points of
    confidence 0 are unknown and take no part. Voxels come in the order of their first point, so equal input gives
    equal output.
    """
    if not (voxel_size > 0 and np.isfinite(voxel_size)):
        raise ValueError(f"voxel_size must be positive, got {voxel_size}")
    cloud = clouds if isinstance(clouds, Cloud) else concat(clouds)
    known = cloud.confidence > 0
    if not known.all():
        cloud = cloud.select(known)
    if len(cloud) == 0:
        return cloud
    voxel, count = voxel_ids(cloud.points, voxel_size)
    points, colors, best = _average(cloud.points, cloud.colors, cloud.confidence, voxel, count)
    return Cloud(points, colors, cloud.confidence[best], cloud.frame[best], cloud.pixel[best])


def voxel_ids(points: Float32, voxel_size: float) -> tuple[NDArray[np.int32], int]:
    """The number (N,) of each point's voxel, counted from 0 in order of appearance, and how many voxels there are."""
    origin = points.min(axis=0, initial=np.inf).astype(np.float64)
    extent = points.max(axis=0, initial=-np.inf).astype(np.float64) - origin
    if len(points) and not extent.max() / voxel_size < _CELLS_PER_AXIS - 1:
        raise ValueError(f"voxels of {voxel_size:g} are too small for an extent of {extent.max():g}")
    voxel, count = _number_voxels(np.ascontiguousarray(points, dtype=np.float32), origin, 1.0 / voxel_size)
    return voxel, int(count)


@nb.njit(cache=True, nogil=True)
def _number_voxels(points: Float32, origin: NDArray[np.float64], scale: float) -> tuple[NDArray[np.int32], int]:
    """Open-addressing hash table of voxel keys that doubles when half full."""
    capacity = 1 << 16
    keys = np.full(capacity, -1, np.int64)
    values = np.empty(capacity, np.int32)
    voxel = np.empty(len(points), np.int32)
    count = 0
    for i in range(len(points)):
        x = np.int64((points[i, 0] - origin[0]) * scale)
        y = np.int64((points[i, 1] - origin[1]) * scale)
        z = np.int64((points[i, 2] - origin[2]) * scale)
        key = (x << 42) | (y << 21) | z
        slot = _slot(keys, key)
        if keys[slot] < 0:
            keys[slot] = key
            values[slot] = count
            count += 1
            if 2 * count > capacity:
                capacity *= 4
                old_keys, old_values = keys, values
                keys = np.full(capacity, -1, np.int64)
                values = np.empty(capacity, np.int32)
                for j in range(len(old_keys)):
                    if old_keys[j] >= 0:
                        moved = _slot(keys, old_keys[j])
                        keys[moved] = old_keys[j]
                        values[moved] = old_values[j]
                slot = _slot(keys, key)
        voxel[i] = values[slot]
    return voxel, count


@nb.njit(cache=True, nogil=True)
def _slot(keys: NDArray[np.int64], key: np.int64) -> np.int64:
    """Where ``key`` is, or the free place where it belongs."""
    mask = np.uint64(len(keys) - 1)
    mixed = np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)
    slot = (mixed ^ (mixed >> np.uint64(32))) & mask
    while keys[slot] >= 0 and keys[slot] != key:
        slot = (slot + np.uint64(1)) & mask
    return np.int64(slot)


@nb.njit(cache=True, nogil=True)
def _average(
    points: Float32, colors: NDArray[np.uint8], weight: Float32, voxel: NDArray[np.int32], count: int
) -> tuple[Float32, NDArray[np.uint8], NDArray[np.int64]]:
    sums = np.zeros((count, 7), np.float64)
    best = np.full(count, -1, np.int64)
    for i in range(len(points)):
        v = voxel[i]
        w = np.float64(weight[i])
        for axis in range(3):
            sums[v, axis] += w * points[i, axis]
            sums[v, 3 + axis] += w * colors[i, axis]
        sums[v, 6] += w
        if best[v] < 0 or weight[i] > weight[best[v]]:
            best[v] = i
    mean_points = np.empty((count, 3), np.float32)
    mean_colors = np.empty((count, 3), np.uint8)
    for v in range(count):
        for axis in range(3):
            mean_points[v, axis] = sums[v, axis] / sums[v, 6]
            mean_colors[v, axis] = np.uint8(sums[v, 3 + axis] / sums[v, 6] + 0.5)
    return mean_points, mean_colors, best


class Extent(NamedTuple):
    """Axis-aligned bounds (3,), (3,)."""

    low: NDArray[np.float64]
    high: NDArray[np.float64]

    @property
    def size(self) -> NDArray[np.float64]:
        return self.high - self.low


def robust_extent(points: ArrayLike, outside: float = 0.005) -> Extent:
    """Bounds that leave out the share ``outside`` of the points at each end of each axis."""
    xyz = np.asarray(points)
    if xyz.ndim != 2 or len(xyz) == 0:
        raise ValueError("there are no points to take the extent of")
    low, high = np.quantile(xyz, [outside, 1 - outside], axis=0).astype(np.float64)
    return Extent(low, high)


def near_most(points: ArrayLike, extents: float = 1000.0) -> NDArray[Any]:
    """The points (N, k) without those that are so many extents away from the middle of most: none of the place."""
    xyz = np.asarray(points)
    if len(xyz) == 0:
        return xyz
    most = robust_extent(xyz[:: max(1, len(xyz) // 100_000)], 0.01)
    reach = extents * float(np.linalg.norm(most.size))
    near: NDArray[Any] = xyz[(np.abs(xyz - (most.low + most.high) / 2) <= reach).all(axis=1)]
    return near


def typical_spacing(points: ArrayLike, samples: int = 2000) -> float:
    """Median distance from a point to its nearest neighbour, from an even sample of the points; 0 for fewer than two.

    Points at one place count as one.
    """
    xyz = np.asarray(points)
    if len(xyz) < 2:
        return 0.0
    tree = KDTree(xyz, balanced_tree=False, compact_nodes=False)  # few queries: building is what takes the time
    distance = np.asarray(tree.query(xyz[:: max(1, len(xyz) // samples)], 2)[0])[:, 1]
    apart = distance[distance > 0]
    return float(np.median(apart)) if len(apart) else 0.0


class Normals(NamedTuple):
    """``directions`` (N, 3) of either sign; ``roughness`` (N,) share of the variance across the surface, 0 to 1/3."""

    directions: NDArray[np.float64]
    roughness: NDArray[np.float64]


def estimate_normals(points: ArrayLike, neighbours: int = 12) -> Normals:
    """Normals from the principal axes of each point's neighbourhood; with fewer than 3 points they mean nothing."""
    xyz = np.asarray(points, dtype=np.float64)
    k = min(neighbours + 1, len(xyz))
    if k < 3:
        return Normals(np.tile([0.0, 1.0, 0.0], (len(xyz), 1)), np.full(len(xyz), 1 / 3))
    _, nearest = KDTree(xyz).query(xyz, k)
    around = xyz[nearest]
    around -= around.mean(axis=1, keepdims=True)
    variance, axes = np.linalg.eigh(np.swapaxes(around, 1, 2) @ around)
    total = variance.sum(axis=1)
    roughness = np.full(len(xyz), 1 / 3)
    np.divide(np.maximum(variance[:, 0], 0), total, out=roughness, where=total > 0)
    return Normals(axes[:, :, 0], roughness)
