"""What each view says about each mask: how much of it the view sees, and in which of its own masks that lies.

Knows masks with points, depth and cameras. Does not know what follows from it (``edges``, ``consensus``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array

from placecell.geometry.cloud import voxel_ids
from placecell.geometry.consistency import projected
from placecell.geometry.splats import kernel
from placecell.memory.merging.settings import MergeSettings
from placecell.memory.pieces import Piece
from placecell.memory.scene import DepthMap, Float32, Frame

Bool = NDArray[np.bool_]
Ints = NDArray[np.signedinteger[Any]]
Said = tuple[Bool, Ints, Ints, NDArray[np.float64]]
"""Visible (C, V), and of what the view of a mask sees of another: number of the other, of the mask, share inside."""


@dataclass(frozen=True, eq=False)
class Support:
    """For C masks and V views.

    view: (C,) index of the view of each mask
    outline: (C,) the same number for masks that are parts of one outline of their view, which may be one object or more
    visible: (C, V) whether a view sees enough of a mask to have a say; its own view always does
    inside: (C, C) sparse; of what the view of the second mask sees of the first, the share inside the second
    """

    view: NDArray[np.int64]
    outline: NDArray[np.int64]
    visible: Bool
    inside: csr_array


@dataclass(frozen=True, eq=False)
class Witnesses:
    """The depth maps of the frames that were searched, to be asked about masks of several names in turn.

    ``depth_sd``: relative standard deviation of a depth reading. Frames without depth have no say.
    """

    frames: Sequence[Frame]
    depth_sd: float
    settings: MergeSettings

    @cached_property
    def maps(self) -> list[DepthMap]:
        return [frame.depth for frame in self.frames if frame.depth is not None]

    @cached_property
    def _index(self) -> dict[int, int]:
        numbers = [frame.number for frame in self.frames if frame.depth is not None]
        return {number: k for k, number in enumerate(numbers)}

    @cached_property
    def voxels(self) -> Voxels:
        return Voxels.of(self.maps, self.settings.voxel)

    def support(self, parts: Sequence[Piece]) -> Support:
        """What the views say about masks that all have points and lie in ``frames``."""
        view = np.array([self._index[part.view.frame] for part in parts], np.int64)
        outlines: dict[tuple[int, int], int] = {}
        keys = [(part.view.frame, part.mask or -i) for i, part in enumerate(parts, 1)]
        outline = np.array([outlines.setdefault(key, len(outlines)) for key in keys], np.int64)
        if self.settings.visibility == "depth":
            visible, rows, columns, shares = _by_depth(parts, view, self.maps, self.depth_sd, self.settings)
        else:
            visible, rows, columns, shares = _by_voxels(parts, view, self.voxels, self.settings)
        each = np.arange(len(parts))
        visible[each, view] = True
        say = visible[rows, view[columns]] & (rows != columns)
        rows, columns = np.concatenate([rows[say], each]), np.concatenate([columns[say], each])
        shares = np.concatenate([shares[say], np.ones(len(parts))])
        inside = coo_array((shares, (rows, columns)), shape=(len(parts), len(parts))).tocsr()
        return Support(view, outline, visible, inside)


def samples(part: Piece, most: int) -> Float32:
    """At most ``most`` points (N, 3) of a mask, evenly over its pixels."""
    count = len(part.points)
    return part.points if count <= most else part.points[(np.arange(most) * count) // most]


def _by_depth(
    parts: Sequence[Piece], view: NDArray[np.int64], maps: Sequence[DepthMap], depth_sd: float, settings: MergeSettings
) -> Said:
    clouds = [samples(part, settings.samples) for part in parts]
    points = np.ascontiguousarray(np.concatenate(clouds), dtype=np.float32)
    starts = np.cumsum([0, *map(len, clouds)])
    seen = np.zeros((len(maps), len(parts)), np.int32)
    rows, columns, shares, into = [], [], [], None
    for k, depth in enumerate(maps):
        mine = np.flatnonzero(view == k)
        boxes, bits = _packed([parts[i] for i in mine.tolist()])
        hits = np.zeros((len(parts), len(mine)), np.int32)
        tolerance = np.float32(settings.depth_sigmas * depth_sd + settings.slack_pixels / depth.camera.K[0, 0])
        into = projected(points, depth.camera, into)
        _look(*into, starts, depth.z, tolerance, boxes, bits, seen[k], hits)
        i, j = np.nonzero(hits)
        rows.append(i)
        columns.append(mine[j])
        shares.append(hits[i, j] / seen[k, i])
    counts = np.diff(starts)[:, None]
    enough = np.maximum(settings.visible_share * counts, np.minimum(counts, settings.visible_points))
    visible = np.greater_equal(seen.T, enough)
    return visible, np.concatenate(rows), np.concatenate(columns), np.concatenate(shares)


def _packed(parts: Sequence[Piece]) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
    """Left, top, right, bottom and start (K, 5) of each mask in one row of pixels."""
    boxes = np.zeros((len(parts), 5), np.int64)
    bits, start = [np.zeros(0, np.uint8)], 0
    for row, part in zip(boxes, parts, strict=True):
        (left, top), (height, width) = part.corner, part.region.shape
        row[:] = left, top, left + width, top + height, start
        bits.append(part.region.astype(np.uint8).ravel())
        start += part.region.size
    return boxes, np.concatenate(bits)


@kernel
def _look(  # noqa: PLR0913
    distance: Float32, u: Float32, v: Float32, starts: NDArray[np.int64], z: Float32, tolerance: np.float32,
    boxes: NDArray[np.int64], bits: NDArray[np.uint8], seen: NDArray[np.int32], hits: NDArray[np.int32],
) -> None:  # fmt: skip
    """Count, for each range of points, those one view sees (``seen``), and those in each of its masks (``hits``)."""
    height, width = z.shape
    for c in range(len(starts) - 1):
        for i in range(starts[c], starts[c + 1]):
            if not (distance[i] > 0 and u[i] >= 0 and v[i] >= 0 and u[i] < width and v[i] < height):
                continue
            column, row = int(u[i]), int(v[i])
            measured = z[row, column]
            if not (measured > 0 and abs(measured - distance[i]) <= tolerance * distance[i]):
                continue
            seen[c] += 1
            for k in range(len(boxes)):
                left, top, right = boxes[k, 0], boxes[k, 1], boxes[k, 2]
                if left <= column < right and top <= row < boxes[k, 3]:
                    hits[c, k] += bits[boxes[k, 4] + (row - top) * (right - left) + column - left]


@dataclass(frozen=True, eq=False)
class Voxels:
    """The voxels that the depth maps fill: number of each pixel's, (h, w) each, -1 unknown; pixels of each view in each
    voxel, (voxels, V) sparse."""

    numbers: list[NDArray[np.int32]]
    pixels: csr_array

    @classmethod
    def of(cls, maps: Sequence[DepthMap], size: float) -> Voxels:
        known = [depth.z > 0 for depth in maps]
        clouds = [d.camera.unproject(d.z)[k].astype(np.float32) for d, k in zip(maps, known, strict=True)]
        voxel, count = voxel_ids(np.concatenate(clouds), size)
        of_view = np.split(voxel, np.cumsum([len(cloud) for cloud in clouds])[:-1])
        numbers = [np.full(depth.z.shape, -1, np.int32) for depth in maps]
        for number, inside, mine in zip(numbers, known, of_view, strict=True):
            number[inside] = mine
        return cls(numbers, _histogram(of_view, count).T.tocsr())


def _by_voxels(parts: Sequence[Piece], view: NDArray[np.int64], voxels: Voxels, settings: MergeSettings) -> Said:
    """As the paper: a mask's voxels, and the pixels of each view, and of each of its masks, that fall into them."""
    of_part = []
    for part, k in zip(parts, view.tolist(), strict=True):
        (left, top), region = part.corner, part.region
        inside = voxels.numbers[k][top : top + region.shape[0], left : left + region.shape[1]][region]
        of_part.append(inside[inside >= 0])
    in_part = _histogram(of_part, voxels.pixels.shape[0])
    occupied = in_part.copy()
    occupied.data = np.ones_like(occupied.data)
    pixels = (occupied @ voxels.pixels).toarray()
    visible = pixels >= np.maximum(1, settings.visible_share * np.array([number.size for number in voxels.numbers]))
    both = coo_array(occupied @ in_part.T)
    return visible, both.row, both.col, both.data / np.maximum(pixels[both.row, view[both.col]], 1)


def _histogram(numbers: Sequence[NDArray[np.int32]], count: int) -> csr_array:
    """(len(numbers), count) how often each number occurs in each list."""
    owner = np.repeat(np.arange(len(numbers)), [len(n) for n in numbers])
    ones = np.ones(len(owner), np.int32)
    return coo_array((ones, (owner, np.concatenate(numbers))), shape=(len(numbers), count)).tocsr()
