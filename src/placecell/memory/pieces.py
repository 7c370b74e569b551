"""What label images say, view by view: the pixels and points of one label id, or of one connected part of it.

Knows label images, depth and cameras. Does not know which pieces of different views are one object (``instances``).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from placecell.memory.ports import FrameLabels, Labels
from placecell.memory.scene import DepthMap, Float32, Frame, InstanceView

Int32 = NDArray[np.int32]

DEPTH_JUMP = 0.05
"""Neighbouring pixels belong to one surface when their depths differ by less than this share."""
SMALLEST_PIECE = 0.0002
"""A connected part smaller than this share of its picture is a speck of the label image."""


@dataclass(frozen=True, eq=False)
class Piece:
    """Pixels of one label id in one frame. ``points`` (M, 3) world, may be empty; ``distances`` (M,) their z-depths."""

    label: int
    view: InstanceView
    points: Float32
    distances: Float32
    focal_px: float


def pieces(frames: tuple[Frame, ...], labels: Labels, *, split: bool) -> Iterator[Piece]:
    """Every labelled piece, by frame, then by label; ``split`` makes each connected part of a label a piece."""
    for frame in frames:
        if frame.number in labels.frames:
            yield from _pieces_of(frame, labels.frames[frame.number], split)


def resized_ids(ids: NDArray[Any], shape: tuple[int, ...]) -> Int32:
    """Nearest-neighbour resize of label ids (h, w) to ``shape``, by pixel centres."""
    if ids.shape == shape:
        return np.asarray(ids, np.int32)
    rows = ((np.arange(shape[0]) + 0.5) * ids.shape[0] / shape[0]).astype(np.int64)
    columns = ((np.arange(shape[1]) + 0.5) * ids.shape[1] / shape[1]).astype(np.int64)
    return np.ascontiguousarray(ids[rows[:, None], columns], dtype=np.int32)


def _pieces_of(frame: Frame, labelled: FrameLabels, split: bool) -> Iterator[Piece]:
    depth = frame.depth
    ids = labelled.ids if depth is None else resized_ids(labelled.ids, depth.z.shape)
    parts, label_of = _parts(ids, None if depth is None else depth.z, split)
    scale = np.array([frame.width / ids.shape[1], frame.height / ids.shape[0]])
    smallest = SMALLEST_PIECE * ids.size if split else 1
    for number, where in enumerate(ndimage.find_objects(parts), 1):
        mask = parts[where] == number
        count = int(mask.sum())
        if count < smallest:
            continue
        view = _view(frame.number, where, count, scale)
        points, distances = _points(depth, where, mask)
        focal = 0.0 if depth is None else float(depth.camera.K[0, 0])
        yield Piece(int(label_of[number]), view, points, distances, focal)


def _parts(ids: Int32, z: Float32 | None, split: bool) -> tuple[Int32, NDArray[np.int64]]:
    """Part number of each pixel (0 = none), and the label of each part number."""
    present = np.unique(ids[ids > 0])
    if not split:
        number = np.searchsorted(present, ids).astype(np.int32) + 1
        return np.where(ids > 0, number, 0).astype(np.int32), np.concatenate([[0], present])
    parts, label_of, count = np.zeros(ids.shape, np.int32), [0], 0
    for label in present.tolist():
        mask = ids == label
        inside = mask if z is None else mask & (z > 0) & ~_at_jump(z)
        found, n = ndimage.label(inside, structure=np.ones((3, 3), bool))
        parts[found > 0] = found[found > 0] + count
        label_of += [label] * n
        count += n
    return parts, np.array(label_of)


def _at_jump(z: Float32) -> NDArray[np.bool_]:
    """Pixels on the far side of a depth discontinuity, so that surfaces behind each other come apart."""
    far = np.zeros(z.shape, bool)
    for axis in (0, 1):
        a, b = (z[:-1], z[1:]) if axis == 0 else (z[:, :-1], z[:, 1:])
        jump = (np.abs(a - b) > DEPTH_JUMP * np.minimum(a, b)) & (a > 0) & (b > 0)
        first, second = (far[:-1], far[1:]) if axis == 0 else (far[:, :-1], far[:, 1:])
        first |= jump & (a > b)
        second |= jump & (b > a)
    return far


def _view(frame: int, where: tuple[slice, ...], count: int, scale: NDArray[np.float64]) -> InstanceView:
    """Pixel count and box in the frame's own pixels, whatever the size of the label image."""
    rows, columns = where
    x, y = scale.tolist()
    box = (columns.start * x, rows.start * y, columns.stop * x, rows.stop * y)
    left, top, right, bottom = (round(side) for side in box)
    return InstanceView(frame, max(1, round(count * x * y)), (left, top, right, bottom))


def _points(depth: DepthMap | None, where: tuple[slice, ...], mask: NDArray[np.bool_]) -> tuple[Float32, Float32]:
    if depth is None:
        return np.zeros((0, 3), np.float32), np.zeros(0, np.float32)
    z = depth.z[where]
    rows, columns = np.nonzero(mask & (z > 0))
    distances = z[rows, columns]
    pixels = np.stack([columns + where[1].start, rows + where[0].start], axis=1) + 0.5
    return depth.camera.unproject_pixels(pixels, distances).astype(np.float32), distances
