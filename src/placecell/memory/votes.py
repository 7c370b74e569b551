"""Do the views agree about a label? Each point of an object is looked up in every labelled view that sees it.

A mask that reaches over the edge of an object marks a piece of what lies behind. Only its own view says so; the others
see the same place without the label, and outvote it. Knows labels, depth and cameras; does not know objects.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from placecell.geometry.camera import Camera
from placecell.geometry.cloud import voxel_ids
from placecell.memory.pieces import Int32, resized_ids
from placecell.memory.ports import Labels
from placecell.memory.scene import Float32, Frame

MOST_VOTERS = 4000
"""An object is asked about at no more places than this."""
ENOUGH_VIEWS = 3
"""A point that fewer views see is not voted on."""


@dataclass(frozen=True, eq=False)
class LabelledView:
    """Label ids and z-depth of one frame, both (h, w), with the camera of that size."""

    camera: Camera
    z: Float32
    ids: Int32


def labelled_views(frames: Sequence[Frame], labels: Labels) -> list[LabelledView]:
    """The frames that have both labels and depth."""
    views = []
    for frame in frames:
        if frame.depth is not None and frame.number in labels.frames:
            ids = resized_ids(labels.frames[frame.number].ids, frame.depth.z.shape)
            views.append(LabelledView(frame.depth.camera, frame.depth.z, ids))
    return views


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
    middle = sums / np.bincount(cell, minlength=count)[:, None]
    seen, yes = np.zeros(count), np.zeros(count)
    for view in views:
        projected = view.camera.project(middle)
        at = np.nonzero(projected.in_view)[0]
        column, row = projected.pixels[at].astype(np.int64).T
        z, depth = view.z[row, column], projected.depth[at]
        visible = (z > 0) & (np.abs(z - depth) <= 3 * depth_sd * depth + size)
        seen[at[visible]] += 1
        yes[at[visible]] += view.ids[row[visible], column[visible]] == label
    return np.where(seen < ENOUGH_VIEWS, 1.0, yes / np.maximum(seen, 1))[cell]
