"""Do the views agree about a label? Each point of an object is looked up in every labelled view that sees it.

A mask that reaches over the edge of an object marks a piece of what lies behind. Only its own view says so; the others
see the same place without the label, and outvote it. Knows labels, depth and cameras; does not know objects.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from placecell.geometry.camera import Camera
from placecell.geometry.cloud import voxel_ids
from placecell.geometry.consistency import projected
from placecell.geometry.splats import kernel
from placecell.memory.merging.space import footprint
from placecell.memory.pieces import Int32, Piece, resized_ids
from placecell.memory.ports import Labels
from placecell.memory.scene import Float32, Frame

MOST_VOTERS = 4000
"""An object is asked about at no more places than this."""
ENOUGH_VIEWS = 3
"""A point that fewer views see is not voted on."""
MAJORITY = 0.5
"""Share of the views that must give a point its label, and of the points of a piece that must stay for it to stay."""


@dataclass(frozen=True, eq=False)
class LabelledView:
    """z-depth (h, w) of one frame with the camera of that size, and label ids of a window of it from ``corner`` on.

    Outside of the window nothing is labelled.
    """

    camera: Camera
    z: Float32
    ids: Int32
    corner: tuple[int, int] = (0, 0)


def labelled_views(frames: Sequence[Frame], labels: Labels) -> list[LabelledView]:
    """The frames that have both labels and depth."""
    views = []
    for frame in frames:
        if frame.depth is not None and frame.number in labels.frames:
            ids = resized_ids(labels.frames[frame.number].ids, frame.depth.z.shape)
            views.append(LabelledView(frame.depth.camera, frame.depth.z, ids))
    return views


def member_views(parts: Sequence[Piece], frames: Sequence[Frame]) -> list[LabelledView]:
    """The frames that have a piece, labelled with the pieces' labels where the pieces are."""
    depths = {frame.number: frame.depth for frame in frames}
    by_frame: defaultdict[int, list[Piece]] = defaultdict(list)
    for part in parts:
        by_frame[part.view.frame].append(part)
    views = []
    for number, mine in by_frame.items():
        depth = depths[number]
        if depth is None:
            continue
        low = np.min([p.corner for p in mine], axis=0)
        high = np.max([np.add(p.corner, p.region.shape[::-1]) for p in mine], axis=0)
        ids = np.zeros((high - low)[::-1], np.int32)
        for part in mine:
            (left, top), (height, width) = part.corner - low, part.region.shape
            ids[top : top + height, left : left + width][part.region] = part.label
        views.append(LabelledView(depth.camera, depth.z, ids, (int(low[0]), int(low[1]))))
    return views


def outvote(parts: Sequence[Piece], views: Sequence[LabelledView], depth_sd: float) -> list[Piece]:
    """The pieces of one label that have points, without the points that most views label otherwise.

    A piece that loses most of its points goes; if all would go, the views are no judges and all stay.
    """
    placed = [part for part in parts if len(part.points)]
    points = np.concatenate([part.points for part in placed])
    share = agreement(points, placed[0].label, views, depth_sd, 2 * footprint(placed))
    kept = []
    for part, mine in zip(placed, np.split(share, np.cumsum([len(p.points) for p in placed])[:-1]), strict=True):
        good = mine >= MAJORITY
        if good.mean() >= MAJORITY:
            mean = float(mine[good].mean())
            kept.append(replace(part, points=part.points[good], distances=part.distances[good], agreement=mean))
    return kept or placed


def agreement(
    points: Float32, label: int, views: Sequence[LabelledView], depth_sd: float, size: float
) -> NDArray[np.float64]:
    """For each point (N, 3) the share of the views that see it which give it this label; 1 where too few see it.

    ``size`` is the edge of the cells, in world lengths, in which points vote together.
    """
    cell, count = voxel_ids(points, size)
    while count > MOST_VOTERS:
        size *= 1.1 * np.sqrt(count / MOST_VOTERS)
        cell, count = voxel_ids(points, size)
    sums = np.stack([np.bincount(cell, points[:, axis], count) for axis in range(3)], axis=1)
    middle = (sums / np.bincount(cell, minlength=count)[:, None]).astype(np.float32)
    votes = np.zeros((count, 2), np.int32)
    for view in views:
        _ask(*projected(middle, view.camera), view.z, 3 * depth_sd, size, view.ids, view.corner, label, votes)
    seen, yes = votes.T
    return np.where(seen < ENOUGH_VIEWS, 1.0, yes / np.maximum(seen, 1))[cell]


@kernel
def _ask(  # noqa: PLR0913
    distance: Float32, u: Float32, v: Float32, z: Float32, relative: float, slack: float,
    ids: Int32, corner: tuple[int, int], label: int, votes: NDArray[np.int32],
) -> None:  # fmt: skip
    height, width = z.shape
    for i in range(len(distance)):
        if not (distance[i] > 0 and u[i] >= 0 and v[i] >= 0 and u[i] < width and v[i] < height):
            continue
        column, row = int(u[i]), int(v[i])
        measured = z[row, column]
        if measured > 0 and abs(measured - distance[i]) <= relative * distance[i] + slack:
            votes[i, 0] += 1
            column, row = column - corner[0], row - corner[1]
            if 0 <= row < ids.shape[0] and 0 <= column < ids.shape[1]:
                votes[i, 1] += ids[row, column] == label
