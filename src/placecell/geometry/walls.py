"""The walls of an upright place: where upright surfaces line up over most of its height.

Knows surfaces and their normals in a frame with +y up. Does not know rooms, doors or furniture: what stands before a
longer wall is taken for furniture, what is as high as the room and stands alone for a wall.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike
from scipy.ndimage import gaussian_filter1d

from placecell.geometry.storey import Surfaces, peaks, wall_heading
from placecell.geometry.transforms import Array

_FACING = float(np.cos(np.radians(20.0)))
_BINS = 250  # offsets over the extent of the place
_TALL = 0.6  # share of the height that a wall's surface must span
_ROWS = 12  # heights at which a wall is looked for
_SHORTEST = 0.08  # of the extent of the place
_BEFORE = 0.12  # of the extent: how far from a wall furniture may stand before it
_CORNER = 0.04  # of the extent: how far from the line of another wall an end may be that meets it
_GAP = 0.12  # of the extent: a wall goes on behind furniture and past doors up to this wide


@dataclass(frozen=True)
class Wall:
    """A straight piece of wall from ``start`` to ``end``, (x, z) each, between two heights along y."""

    start: tuple[float, float]
    end: tuple[float, float]
    bottom: float
    top: float

    @property
    def length(self) -> float:
        return float(np.hypot(self.end[0] - self.start[0], self.end[1] - self.start[1]))

    def scaled(self, factor: float) -> Wall:
        """The wall with all lengths times ``factor``."""
        (x, z), (u, v) = self.start, self.end
        return Wall((x * factor, z * factor), (u * factor, v * factor), self.bottom * factor, self.top * factor)

    def distance(self, points: ArrayLike) -> Array:
        """Distance (...) in plan of points (..., 3) from it."""
        flat = np.asarray(points, dtype=np.float64)[..., [0, 2]]
        start, along = np.array(self.start), np.subtract(self.end, self.start)
        share = np.clip((flat - start) @ along / max(float(along @ along), 1e-12), 0, 1)
        return np.asarray(np.linalg.norm(flat - start - share[..., None] * along, axis=-1))


def walls_around(outline: ArrayLike, bottom: float, top: float) -> tuple[Wall, ...]:
    """The walls along a closed outline (K, 2), x and z, longest first."""
    corners = [(float(x), float(z)) for x, z in np.asarray(outline, dtype=np.float64)]
    pairs = zip(corners, [*corners[1:], *corners[:1]], strict=True)
    walls = [Wall(start, end, bottom, top) for start, end in pairs if start != end]
    return tuple(sorted(walls, key=lambda wall: -wall.length))


def find_walls(found: Surfaces, floor: float, ceiling: float | None = None) -> tuple[Wall, ...]:
    """Walls among the surfaces of a place, longest first; none where upright surfaces face all ways.

    Without a ``ceiling`` walls are as high as nearly everything that was seen.
    """
    heading = wall_heading(found.normals) if len(found.places) else None
    if heading is None:
        return ()
    top = ceiling if ceiling is not None else float(np.quantile(found.places[:, 1], 0.98))
    extent = float(np.ptp(found.places[:, [0, 2]], axis=0).max())
    if not (extent > 0 and top > floor):
        return ()
    walls = []
    for turned in (heading, heading + 90.0):
        # Heading 0 faces -z, positive headings turn right, towards +x.
        facing = np.array([np.sin(np.radians(turned)), -np.cos(np.radians(turned))])
        walls += _walls_facing(found, facing, floor, top, extent)
    kept: list[Wall] = []
    for wall in sorted(walls, key=lambda wall: -wall.length):
        if not any(_stands_before(wall, longer, _BEFORE * extent) for longer in kept):
            kept.append(wall)
    met = [replace(w, start=_met(w.start, w, kept, extent), end=_met(w.end, w, kept, extent)) for w in kept]
    return tuple(sorted(met, key=lambda wall: -wall.length))


def _met(end: tuple[float, float], wall: Wall, walls: list[Wall], extent: float) -> tuple[float, float]:
    """An end of a wall, on the line of a wall across it that is close: corners are too rough to be seen as surface."""
    along = np.subtract(wall.end, wall.start) / wall.length
    for other in walls:
        across = np.subtract(other.end, other.start) / other.length
        normal = np.array([-across[1], across[0]])
        if abs(along @ across) > 1 - _FACING or other.distance([end[0], 0.0, end[1]]) > _CORNER * extent:
            continue
        moved = np.array(end) + along * ((np.array(other.start) - end) @ normal) / (along @ normal)
        return float(moved[0]), float(moved[1])
    return end


def _stands_before(wall: Wall, longer: Wall, reach: float) -> bool:
    """Whether all of a wall is close to a longer one along the same direction."""
    ends = np.array([[wall.start[0], 0.0, wall.start[1]], [wall.end[0], 0.0, wall.end[1]]])
    along, other = np.subtract(wall.end, wall.start), np.subtract(longer.end, longer.start)
    parallel = abs(along @ other) > _FACING * wall.length * longer.length
    return bool(parallel and (longer.distance(ends) < reach).all())


def _walls_facing(found: Surfaces, facing: Array, floor: float, top: float, extent: float) -> list[Wall]:
    """Walls whose surface faces along ``facing`` (x, z), or against it."""
    flat, along = found.places[:, [0, 2]], np.array([-facing[1], facing[0]])
    upright = np.abs(found.normals[:, [0, 2]] @ facing) > _FACING
    offset, place, height = flat[upright] @ facing, flat[upright] @ along, found.places[upright, 1]
    if len(offset) < _ROWS:
        return []
    width = extent / _BINS
    bins = ((offset - offset.min()) / width).astype(int)
    area = gaussian_filter1d(np.bincount(bins).astype(float), 1.0)
    walls = []
    for peak in peaks(area, least=0.1 * area.max()):
        near = np.abs(bins - peak) <= 2
        line = float(np.median(offset[near]))
        for low, high in _runs(place[near], height[near], (floor, top), extent):
            start, end = facing * line + along * low, facing * line + along * high
            walls.append(Wall((float(start[0]), float(start[1])), (float(end[0]), float(end[1])), floor, top))
    return walls


def _runs(place: Array, height: Array, heights: tuple[float, float], extent: float) -> list[tuple[float, float]]:
    """Stretches along a line on which surface spans most of the height somewhere, and gaps are short."""
    order = np.argsort(place)
    place, height = place[order], height[order]
    rows = np.clip((height - heights[0]) / (heights[1] - heights[0]) * _ROWS, 0, _ROWS - 1).astype(int)
    breaks = np.flatnonzero(np.diff(place) > _GAP * extent) + 1
    runs = []
    for stretch, levels in zip(np.split(place, breaks), np.split(rows, breaks), strict=True):
        tall = len(np.unique(levels)) >= _TALL * _ROWS
        if tall and np.ptp(stretch) >= _SHORTEST * extent:
            runs.append((float(stretch[0]), float(stretch[-1])))
    return runs
