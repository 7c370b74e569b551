"""From the pieces of one object to its instance: clean points, both boxes, views, times and how sure each is.

Knows pieces and the depth maps around them. Does not know how it was found that the pieces are one object, or what
tells that a side of it was not seen (``hidden``).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from scipy import ndimage

from placecell.geometry.boxes import OrientedBox
from placecell.geometry.cloud import Cloud, fuse, voxel_ids
from placecell.geometry.consistency import DepthView, settle
from placecell.memory.hidden import hidden_room
from placecell.memory.merging.space import distance_of, footprint
from placecell.memory.pieces import Piece
from placecell.memory.scene import Float32, Float64, Frame, Instance
from placecell.memory.shapes import STRAY, boxes_of, joined_views, thinned

_NOISY = 0.15  # depth noise in pixel widths, above which taking the mean of the views is worth its own small blur


def measured(
    number: int,
    name: str,
    group: Sequence[Piece],
    frames: Sequence[Frame],
    times: Mapping[int, float | None],
    depth_sd: float,
) -> Instance:
    """The instance of pieces that all have points; its confidence is how far the views agree with them.

    ``frames`` are all whose depth may tell where it ends.
    """
    points = clean_points(group, depth_views(frames), depth_sd)
    seen = joined_views(piece.view for piece in group)
    first, last = seen_times([view.frame for view in seen], times)
    free, upright = boxes_of(points, noisy=_blur(group, depth_sd).thick)
    errors = errors_of(upright, group, frames, depth_sd)
    return Instance(
        id=number,
        name=name,
        box=free,
        upright_box=upright,
        points=thinned(points),
        views=seen,
        confidence=float(np.average([p.agreement for p in group], weights=[len(p.points) for p in group])),
        size_sd=errors.size,
        centre_sd=errors.centre,
        hidden_sd=errors.hidden,
        first_seen_s=first,
        last_seen_s=last,
    )


class Errors(NamedTuple):
    """What ``Instance`` states as size_sd, centre_sd and hidden_sd."""

    size: float
    centre: float
    hidden: Float64


def errors_of(box: OrientedBox, group: Sequence[Piece], frames: Sequence[Frame], depth_sd: float) -> Errors:
    """How far off the upright box around the points of the pieces is.

    An end that was seen is off by depth noise, averaged over the views, and by half of a reading's noise and half of
    the width of a pixel however many there are, since it is where the outermost points are and not their mean. One that
    was not lies anywhere in the room there is, and is off by the root of the mean square of that.
    """
    noise, pixel = _blur(group, depth_sd)
    views = len({piece.view.frame for piece in group})
    end = math.hypot(noise / math.sqrt(views), noise / 2, pixel / 2)
    room = hidden_room(box, group, frames, depth_sd)
    return Errors(end * math.sqrt(2.0), end / math.sqrt(2.0), room / math.sqrt(3.0))


def clean_points(group: Sequence[Piece], views: Sequence[DepthView], depth_sd: float) -> Float32:
    """The points (N, 3) of all pieces, on the surfaces the views agree on where depth is noisy, without strays."""
    points = np.concatenate([piece.points for piece in group])
    blur = _blur(group, depth_sd)
    if blur.thick:
        # A layer as thick as the noise would widen the box.
        cloud = settle(fuse(Cloud.of_points(points), blur.pixel), views, depth_sd, blur.pixel)
        points = cloud.points if len(cloud) else points
    return _without_strays(points, max(4 * blur.pixel, 3 * blur.noise))


def depth_views(frames: Iterable[Frame]) -> list[DepthView]:
    """The depth maps of the frames that have one."""
    return [DepthView(frame.depth.camera, frame.depth.z) for frame in frames if frame.depth is not None]


def seen_times(frames: Sequence[int], times: Mapping[int, float | None]) -> tuple[float | None, float | None]:
    """The first and the last known time of the frames."""
    known = [t for t in (times.get(frame) for frame in frames) if t is not None]
    return (min(known), max(known)) if known else (None, None)


class _Blur(NamedTuple):
    """Standard deviation of a depth reading on an object, and the width of a pixel there."""

    noise: float
    pixel: float

    @property
    def thick(self) -> bool:
        return self.noise > _NOISY * self.pixel


def _blur(group: Sequence[Piece], depth_sd: float) -> _Blur:
    return _Blur(depth_sd * distance_of(group), footprint(group))


def _without_strays(points: Float32, reach: float) -> Float32:
    """The points of the clusters that are not far smaller than the largest; clusters are more than ``reach`` apart."""
    voxel, count = voxel_ids(points, reach)
    if count == 1:
        return points
    first = np.zeros(count, np.int64)
    first[voxel[::-1]] = np.arange(len(points) - 1, -1, -1)
    cell = np.floor((points[first] - points.min(axis=0)) / reach).astype(np.int64)
    if np.prod(cell.max(axis=0) + 1, dtype=np.float64) > 5e7:  # strays very far away: look at it coarser
        return _without_strays(points, 2 * reach)
    grid = np.zeros(cell.max(axis=0) + 1, bool)
    grid[tuple(cell.T)] = True
    cluster, _ = ndimage.label(grid, structure=np.ones((3, 3, 3), bool))
    of_voxel = cluster[tuple(cell.T)]
    voxels = np.bincount(of_voxel)
    kept = voxels >= STRAY * voxels.max()
    return np.asarray(points[kept[of_voxel[voxel]]])
