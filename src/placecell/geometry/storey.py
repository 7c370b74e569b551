"""Floor, ceiling and walls of an upright place, from how high its level surfaces are and how its upright ones face.

Knows: heights and normals in a frame with +y up. Does not know: which way is up (``upright``) or how wide the floor is
(``footprint``).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter1d
from scipy.signal import find_peaks

from placecell.geometry.cloud import estimate_normals, robust_extent, voxel_ids
from placecell.geometry.transforms import Array

_SURFACE_POINTS = 30_000  # about as many voxels are looked at
_ROUGH = 0.04  # share of a neighbourhood's variance across the surface, above which it is no surface
_LEVEL = float(np.cos(np.radians(12.0)))
_UPRIGHT = float(np.sin(np.radians(12.0)))
_BINS = 200  # heights between the lowest and the highest percent
_BELOW = 0.05  # share of the surface that may lie below a floor: reflections, noise
_WALL_BAND = 6.0  # degrees around the commonest direction


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
    extent = robust_extent(points[:: max(1, len(points) // 100_000)], 0.01)
    size = float(np.linalg.norm(extent.size))
    inside = ((points >= extent.low - 0.1 * size) & (points <= extent.high + 0.1 * size)).all(axis=1)
    if not size > 0 or inside.sum() < 100:
        return none
    kept = np.ascontiguousarray(points[inside], dtype=np.float32)
    for cells in (300, 150, 75, 40):
        voxel, count = voxel_ids(kept, size / cells)
        if count <= _SURFACE_POINTS:
            break
    weight = np.bincount(voxel, minlength=count)
    places = np.stack([np.bincount(voxel, kept[:, axis], count) / weight for axis in range(3)], axis=1)
    normals, roughness = estimate_normals(places)
    return Surfaces(places[roughness < _ROUGH], normals[roughness < _ROUGH])


def find_floor(places: Array, normals: Array, camera_heights: Array) -> Floor | None:
    """The lowest large level surface, if it is below the cameras and below nearly everything else.

    A ceiling is not below the cameras; a table is not below the chairs around it.
    """
    peaks, width = _level_peaks(places, normals)
    eye = float(np.median(camera_heights)) if np.size(camera_heights) else np.inf
    for height in peaks:
        if height < eye and (places[:, 1] < height - 4 * width).mean() <= _BELOW:
            on = places[(np.abs(normals[:, 1]) > _LEVEL) & (np.abs(places[:, 1] - height) < 3 * width)]
            return _fit_floor(on)
    return None


def find_levels(points: NDArray[Any], camera_heights: Array) -> Levels:
    """Heights of the floor and the ceiling of an upright cloud (N, 3).

    The ceiling is the highest large level surface, above the cameras and nearly all else.
    """
    places, normals = even_surfaces(points)
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
    if len(upright) < max(30, 0.02 * len(normals)):
        return None
    facing = np.degrees(np.arctan2(upright[:, 0], -upright[:, 2])) % 90.0
    counts = gaussian_filter1d(np.bincount(facing.astype(int) % 90, minlength=90).astype(float), 1.5, mode="wrap")
    peak = float(np.argmax(counts)) + 0.5
    for _ in range(3):
        off = (facing - peak + 45.0) % 90.0 - 45.0
        close = np.abs(off) < _WALL_BAND
        peak += float(np.median(off[close])) if close.any() else 0.0
    return peak % 90.0 if close.mean() > 0.3 else None


def _level_peaks(places: Array, normals: Array) -> tuple[Array, float]:
    """Heights of large level surfaces from low to high, and the width of the bins they were found with."""
    level = places[np.abs(normals[:, 1]) > _LEVEL, 1] if len(places) else np.zeros(0)
    if len(level) < 30:
        return np.zeros(0), 0.0
    low, high = np.quantile(places[:, 1], [0.01, 0.99])
    width = float(high - low) / _BINS
    if not width > 0:
        return np.array([low]), 0.0
    start = low - 10 * width
    bins = np.clip((level - start) / width, 0, _BINS + 19).astype(int)
    area = gaussian_filter1d(np.bincount(bins, minlength=_BINS + 20).astype(float), 1.5)
    # Three bins are about what a surface takes; it must be a good part of the largest and a visible part of all.
    least = max(0.15 * area.max(), 0.01 * len(places) / 3)
    found, _ = find_peaks(np.concatenate([[0], area, [0]]), height=least, distance=4)
    return start + (found - 0.5) * width, width


def _fit_floor(on: Array) -> Floor:
    """Plane y = a x + b z + c by least squares, twice without the points far off it."""
    centre = on.mean(axis=0)
    for _ in range(3):
        design = np.column_stack([on[:, 0] - centre[0], on[:, 2] - centre[2], np.ones(len(on))])
        (a, b, c), *_ = np.linalg.lstsq(design, on[:, 1], rcond=None)
        off = np.abs(design @ (a, b, c) - on[:, 1])
        keep = off <= max(2.5 * float(np.median(off)) * 1.5, 1e-9)
        if keep.sum() < 10:
            break
        on = on[keep]
    return Floor(float(c), float(np.degrees(np.arctan(np.hypot(a, b)))))
