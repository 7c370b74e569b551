"""Floor, ceiling and walls of an upright place, from how high its level surfaces are and how its upright ones face.

Knows: heights and normals in a frame with +y up. Does not know: which way is up (``upright``) or how wide the floor is
(``footprint``).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter1d

from placecell.geometry.cloud import estimate_normals, near_most, robust_extent, voxel_ids
from placecell.geometry.transforms import Array

_SURFACE_POINTS = 30_000  # about as many voxels are looked at
_ROUGH = 0.04  # share of a neighbourhood's variance across the surface, above which it is no surface
_LEVEL = float(np.cos(np.radians(12.0)))
_UPRIGHT = float(np.sin(np.radians(12.0)))
_BINS = 200  # heights between the lowest and the highest percent,
_THINNEST = 500  # but no finer than this share of the whole extent: a lone floor is as thick as its noise
_BELOW = 0.05  # share of the surface that may lie below a floor: reflections, noise
_WALL_BAND = 6.0  # degrees around the commonest direction; by chance it would hold 13 % of the upright surface
_WALL_SHARE = 0.4


class Surfaces(NamedTuple):
    """``places`` (N, 3), spread evenly so that their number stands for area, and ``normals`` (N, 3) of either sign."""

    places: Array
    normals: Array


class Floor(NamedTuple):
    """``height`` along y, and the angle between +y and the normal of the plane fitted to it."""

    height: float
    tilt_deg: float


class Levels(NamedTuple):
    """Heights along y; None where no such surface was seen."""

    floor: float | None
    ceiling: float | None

    @property
    def height(self) -> float | None:
        """From floor to ceiling."""
        return None if self.floor is None or self.ceiling is None else self.ceiling - self.floor


def even_surfaces(points: NDArray[Any]) -> Surfaces:
    """The surfaces of a cloud (N, 3) of any density; none when it has fewer than 100 points or no extent."""
    none = Surfaces(np.zeros((0, 3)), np.zeros((0, 3)))
    if len(points) < 100:
        return none
    xyz = near_most(np.ascontiguousarray(points, dtype=np.float32))
    size = float(np.linalg.norm(robust_extent(xyz[:: max(1, len(xyz) // 100_000)], 0.01).size))
    if not size > 0:
        return none
    # The extent of what was seen, not of where most was seen: quantiles of coarse voxels, not of points.
    extent = robust_extent(_voxel_means(xyz, size / 60), 0.01)
    size = float(np.linalg.norm(extent.size))
    inside = ((xyz >= extent.low - 0.1 * size) & (xyz <= extent.high + 0.1 * size)).all(axis=1)
    if not size > 0 or inside.sum() < 100:
        return none
    for cells in (120, 80, 50, 30):
        places = _voxel_means(xyz[inside], size / cells)
        if len(places) <= _SURFACE_POINTS:
            break
    normals, roughness = estimate_normals(places)
    return Surfaces(places[roughness < _ROUGH], normals[roughness < _ROUGH])


def _voxel_means(xyz: NDArray[np.float32], size: float) -> Array:
    voxel, count = voxel_ids(xyz, size)
    sums = np.stack([np.bincount(voxel, xyz[:, axis], count) for axis in range(3)], axis=1)
    return sums / np.bincount(voxel)[:, None]


def find_floor(places: Array, normals: Array, camera_heights: Array) -> Floor | None:
    """The lowest large level surface, if it is below the cameras and below nearly everything else.

    A ceiling is not below the cameras; a table is not below the chairs around it.
    """
    peaks, width = _level_peaks(places, normals)
    eye = float(np.median(camera_heights)) if np.size(camera_heights) else np.inf
    for height in peaks:
        if height < eye and (places[:, 1] < height - 4 * width).mean() <= _BELOW:
            return _fit_floor(places[np.abs(normals[:, 1]) > _LEVEL], float(height), 3 * width)
    return None


def levels_of(found: Surfaces, camera_heights: Array) -> Levels:
    """Heights of the floor and the ceiling of an upright place.

    The ceiling is the highest large level surface, above the cameras and nearly all else.
    """
    places, normals = found
    floor = find_floor(places, normals, camera_heights)
    peaks, width = _level_peaks(places, normals)
    eye = float(np.median(camera_heights)) if np.size(camera_heights) else -np.inf
    ceiling = None
    for height in peaks[::-1]:
        if height > eye and (places[:, 1] > height + 4 * width).mean() <= _BELOW:
            ceiling = float(height)
            break
    if floor is not None and ceiling is not None and ceiling <= floor.height:
        ceiling = None
    return Levels(None if floor is None else floor.height, ceiling)


def wall_heading(normals: Array) -> float | None:
    """Heading in degrees, 0 to 90, of one of two directions at right angles that most upright surfaces face.

    None when few surfaces are upright, or they face all ways.
    """
    upright = normals[np.abs(normals[:, 1]) < _UPRIGHT]
    if len(upright) < max(30, 0.1 * len(normals)):
        return None
    facing = np.degrees(np.arctan2(upright[:, 0], -upright[:, 2])) % 90.0
    counts = gaussian_filter1d(np.bincount(facing.astype(int) % 90, minlength=90).astype(float), 1.5, mode="wrap")
    peak = float(np.argmax(counts)) + 0.5
    for _ in range(3):
        off = (facing - peak + 45.0) % 90.0 - 45.0
        close = np.abs(off) < _WALL_BAND
        peak += float(np.median(off[close])) if close.any() else 0.0
    return peak % 90.0 if close.mean() > _WALL_SHARE else None


def _level_peaks(places: Array, normals: Array) -> tuple[Array, float]:
    """Heights of large level surfaces from low to high, and the width of the bins they were found with."""
    level = places[np.abs(normals[:, 1]) > _LEVEL, 1] if len(places) else np.zeros(0)
    if len(level) < 30:
        return np.zeros(0), 0.0
    low, high = np.quantile(places, [0.01, 0.99], axis=0)
    width = float(max((high[1] - low[1]) / _BINS, np.linalg.norm(high - low) / _THINNEST))
    start = low[1] - 10 * width
    bins = np.clip((level - start) / width, 0, _BINS + 19).astype(int)
    area = gaussian_filter1d(np.bincount(bins, minlength=_BINS + 20).astype(float), 1.5)
    # Three bins are about what a surface takes; it must be a good part of the largest and a visible part of all.
    least = max(0.15 * area.max(), 0.01 * len(places) / 3)
    return start + (peaks(area, least) + 0.5) * width, width


def peaks(area: Array, least: float) -> NDArray[np.int64]:
    """Bins of a histogram, its ends included, that hold a peak of at least ``least``; the highest of those near by."""
    from scipy.signal import find_peaks  # brings all of scipy.stats, for which only a build should wait

    found, _ = find_peaks(np.concatenate([[0], area, [0]]), height=least, distance=4)
    return found - 1


def _fit_floor(level: Array, height: float, near: float) -> Floor:
    """Plane y = a x + b z + c by least squares, from the level places near a height on to all near the plane so far."""
    off = np.abs(level[:, 1] - height)
    for _ in range(10):
        on = level[off < near]
        centre = on.mean(axis=0)
        slope, *_ = np.linalg.lstsq((on - centre)[:, [0, 2]], on[:, 1] - centre[1], rcond=None)
        off = np.abs((level - centre)[:, 1] - (level - centre)[:, [0, 2]] @ slope)
        if (off < near).sum() < 10:
            break
    return Floor(float(centre[1]), float(np.degrees(np.arctan(np.hypot(*slope)))))
