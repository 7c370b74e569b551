"""What label images say, view by view: the pixels and points of one label id, or of one connected part of it.

Knows label images, depth and cameras. Does not know which pieces of different views are one object (``instances``).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from placecell.geometry.splats import kernel
from placecell.memory.ports import FrameLabels, Labels
from placecell.memory.scene import DepthMap, Float32, Frame, InstanceView

Int32 = NDArray[np.int32]

DEPTH_JUMP = 0.05
"""Neighbouring pixels belong to one surface when their depths differ by less than this share."""
HOLE = 0.02
"""Unknown depth up to this share of the picture's width away from known depth does not take a surface apart."""
SMALLEST_PIECE = 0.0002
"""A connected part smaller than this share of its picture is a speck of the label image."""
MASK_EDGE = 0.2
"""Parts of a mask with less than this share of its largest part's pixels are edges that reach over something else."""


@dataclass(frozen=True, eq=False)
class Piece:
    """Pixels of one label id in one frame. ``points`` (M, 3) world, may be empty; ``distances`` (M,) their z-depths.

    ``region`` (h, w) are its pixels in the depth map, from column and row ``corner`` on, with the edges it was cut at.
    ``score``: how sure the segmenter was. ``mask`` numbers the connected masks of the frame that pieces were cut out
    of, at jumps in depth; ``mask_pixels`` are those of the largest piece of it. ``agreement``: share of all views that
    give these points the same label.
    """

    label: int
    view: InstanceView
    points: Float32
    distances: Float32
    focal_px: float
    region: NDArray[np.bool_]
    corner: tuple[int, int]
    score: float = 1.0
    mask: int = 0
    mask_pixels: int = 0
    agreement: float = 1.0


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
    joined = np.ones(ids.shape, bool) if depth is None else surface(depth.z, ids)
    parts = _connected(ids, joined) if split else _whole(ids)
    scale = np.array([frame.width / ids.shape[1], frame.height / ids.shape[0]])
    smallest = SMALLEST_PIECE * ids.size if split else 1
    regions = _with_edges(parts, ids, smallest) if split else parts.number
    around = ndimage.find_objects(regions)
    for number, where in enumerate(ndimage.find_objects(parts.number), 1):
        mask = parts.number[where] == number
        count = int(mask.sum())
        if count < smallest:
            continue
        points, distances = _points(depth, where, mask & joined[where])
        yield Piece(
            label=int(parts.label[number]),
            view=_view(frame.number, where, count, scale),
            points=points,
            distances=distances,
            focal_px=0.0 if depth is None else float(depth.camera.K[0, 0]),
            region=regions[around[number - 1]] == number,
            corner=(around[number - 1][1].start, around[number - 1][0].start),
            mask=int(parts.mask[number]),
            mask_pixels=round(float(parts.mask_pixels[number]) * float(np.prod(scale))),
        )


class _Parts(NamedTuple):
    """Part ``number`` (h, w) of each pixel, 0 = none; by number its ``label`` and, as in ``Piece``, its mask."""

    number: Int32
    label: NDArray[np.int64]
    mask: NDArray[np.int64]
    mask_pixels: NDArray[np.int64]


def label_windows(ids: NDArray[Any]) -> Iterator[tuple[int, tuple[slice, ...]]]:
    """The label ids of an image (h, w) that are not 0, ascending, with the rows and columns that hold each."""
    number, present = _numbered(ids)
    return zip(present.tolist(), ndimage.find_objects(number), strict=True)


def _numbered(ids: NDArray[Any]) -> tuple[Int32, NDArray[Any]]:
    """The ids counted from 1 without gaps, 0 = none, and what id each number stands for."""
    present = np.unique(ids[ids > 0])
    return np.where(ids > 0, np.searchsorted(present, ids) + 1, 0).astype(np.int32), present


def _whole(ids: Int32) -> _Parts:
    number, present = _numbered(ids)
    numbers = np.arange(len(present) + 1)
    return _Parts(number, np.concatenate([[0], present]), numbers, np.bincount(number.ravel(), minlength=len(numbers)))


def _connected(ids: Int32, surface: NDArray[np.bool_]) -> _Parts:
    number, count, masks = np.zeros(ids.shape, np.int32), 0, 0
    label_of, mask_of, mask_pixels = ([np.zeros(1, np.int64)] for _ in range(3))
    for label, where in label_windows(ids):
        outline, outlines = ndimage.label(ids[where] == label)
        part, parts = ndimage.label((outline > 0) & surface[where])
        number[where][part > 0] = part[part > 0] + count
        pixels = np.bincount(part.ravel(), minlength=parts + 1)
        within = np.zeros(parts + 1, np.int64)
        within[part[part > 0]] = outline[part > 0]
        largest = np.zeros(outlines + 1, np.int64)
        np.maximum.at(largest, within[1:], pixels[1:])
        label_of.append(np.full(parts, label))
        mask_of.append(within[1:] + masks)
        mask_pixels.append(largest[within[1:]])
        count, masks = count + parts, masks + outlines
    return _Parts(number, np.concatenate(label_of), np.concatenate(mask_of), np.concatenate(mask_pixels))


def _with_edges(parts: _Parts, ids: Int32, smallest: float) -> Int32:
    """The number of each pixel's part; of edges and parts too small that of the nearest part if of their label."""
    pixels = np.bincount(parts.number.ravel(), minlength=len(parts.label))
    regions = np.where(pixels[parts.number] >= smallest, parts.number, 0).astype(np.int32)
    cut = (ids > 0) & (regions == 0)
    if not cut.any() or not regions.any():
        return regions
    rows, columns = ndimage.distance_transform_edt(regions == 0, return_distances=False, return_indices=True)
    nearest = regions[rows[cut], columns[cut]]
    regions[cut] = np.where(parts.label[nearest] == ids[cut], nearest, 0)
    return regions


def surface(z: Float32, ids: NDArray[Any]) -> NDArray[np.bool_]:
    """Pixels that may be joined with their neighbours: small holes take the nearest depth, jumps come apart.

    At a jump inside of one label, two pixels of the far side go: there a mask reaches over the edge of its object.
    """
    filled = z
    if not (z > 0).all():
        distance, (rows, columns) = ndimage.distance_transform_edt(z <= 0, return_indices=True)
        filled = np.where(distance <= HOLE * z.shape[1], z[rows, columns], np.float32(0))
    sides = np.zeros(z.shape, np.uint8)
    _mark_jumps(filled, np.asarray(ids, np.int32), sides)
    return _apart(filled, sides)


@kernel
def _mark_jumps(z: Float32, ids: Int32, sides: NDArray[np.uint8]) -> None:
    """Sets bit 1 of ``sides`` on the near side and bit 2 on the far side of each jump inside of a label."""
    for row in range(z.shape[0]):
        for column in range(z.shape[1]):
            for down, right in ((0, 1), (1, 0)):
                r, c = row + down, column + right
                if r >= z.shape[0] or c >= z.shape[1] or ids[row, column] != ids[r, c]:
                    continue
                a, b = z[row, column], z[r, c]
                if a > 0 and b > 0 and abs(a - b) > DEPTH_JUMP * min(a, b):
                    sides[row, column] |= 2 if a > b else 1
                    sides[r, c] |= 1 if a > b else 2


@kernel
def _apart(z: Float32, sides: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Pixels with depth that are neither on the far side of a jump nor, unless on a near side, next to one."""
    height, width = z.shape
    kept = np.zeros(z.shape, np.bool_)
    for row in range(height):
        for column in range(width):
            kept[row, column] = z[row, column] > 0 and not sides[row, column] & 2
            if sides[row, column] or not kept[row, column]:
                continue
            for down, right in ((0, 1), (1, 0), (0, -1), (-1, 0)):
                r, c = row + down, column + right
                if 0 <= r < height and 0 <= c < width and sides[r, c] & 2:
                    kept[row, column] = False
    return kept


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
