"""Proposals of a segmenter as pieces: duplicates within a view removed, masks laid on the depth map, points measured.

Knows proposals, depth and cameras. Does not know which pieces of different views are one object (``merge``).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from placecell.memory.merging.settings import MergeSettings
from placecell.memory.pieces import DEPTH_JUMP, MASK_EDGE, Piece, surface
from placecell.memory.ports import Proposal
from placecell.memory.scene import DepthMap, Float32, Frame, InstanceView

Mask = NDArray[np.bool_]


def distinct(proposals: Sequence[Proposal], settings: MergeSettings) -> list[Proposal]:
    """The proposals without those that overlap one of a higher score in the same frame, for the same phrase.

    Of equal scores the larger mask stays. Order is kept.
    """
    area = [int(np.count_nonzero(p.mask)) for p in proposals]
    order = sorted((i for i in range(len(proposals)) if area[i]), key=lambda i: (-proposals[i].score, -area[i], i))
    rivals: defaultdict[tuple[int, str], list[int]] = defaultdict(list)
    for i in order:
        kept = rivals[proposals[i].frame, proposals[i].phrase]
        for j in kept:
            shared = _shared(proposals[i], proposals[j])
            of = min(area[i], area[j]) if settings.duplicate_measure == "smaller" else area[i] + area[j] - shared
            if shared >= settings.duplicate_overlap * of:
                break
        else:
            kept.append(i)
    return [proposals[i] for i in sorted(i for kept in rivals.values() for i in kept)]


def lift(proposal: Proposal, frame: Frame, label: int, most: int) -> Piece:
    """The proposal as a piece of its frame; without points when the frame has no depth there.

    It keeps at most about ``most`` points, on a regular grid of pixels.
    """
    left, top, right, bottom = proposal.bbox
    if left < 0 or top < 0 or right > frame.width or bottom > frame.height:
        raise ValueError(f"mask {proposal.bbox} reaches outside of image {frame.number}, {frame.width}x{frame.height}")
    view = InstanceView(frame.number, int(np.count_nonzero(proposal.mask)), proposal.bbox)
    depth = frame.depth
    if depth is None:
        points, distances = np.zeros((0, 3), np.float32), np.zeros(0, np.float32)
        return Piece(label, view, points, distances, 0.0, proposal.mask, proposal.corner, proposal.score)
    region, corner = _on_depth(proposal, frame, depth)
    points, distances = _points(region, corner, depth, most)
    return Piece(label, view, points, distances, float(depth.camera.K[0, 0]), region, corner, proposal.score)


def _shared(a: Proposal, b: Proposal) -> int:
    """Pixels in both masks."""
    left, top = max(a.bbox[0], b.bbox[0]), max(a.bbox[1], b.bbox[1])
    right, bottom = min(a.bbox[2], b.bbox[2]), min(a.bbox[3], b.bbox[3])
    if left >= right or top >= bottom:
        return 0
    windows = [
        p.mask[top - p.corner[1] : bottom - p.corner[1], left - p.corner[0] : right - p.corner[0]] for p in (a, b)
    ]
    return int(np.count_nonzero(windows[0] & windows[1]))


def _on_depth(proposal: Proposal, frame: Frame, depth: DepthMap) -> tuple[Mask, tuple[int, int]]:
    """The mask and its corner in the pixels of the depth map, by nearest pixel centres."""
    if depth.z.shape == (frame.height, frame.width):
        return proposal.mask, proposal.corner
    inside = []
    for axis, full in ((0, frame.height), (1, frame.width)):
        nearest = ((np.arange(depth.z.shape[axis]) + 0.5) * full / depth.z.shape[axis]).astype(np.int64)
        offset = nearest - proposal.corner[1 - axis]
        first, last = np.searchsorted(offset, [0, proposal.mask.shape[axis]]).tolist()
        inside.append((first, offset[first:last]))
    (top, rows), (left, columns) = inside
    return proposal.mask[np.ix_(rows, columns)], (left, top)


def _points(region: Mask, corner: tuple[int, int], depth: DepthMap, most: int) -> tuple[Float32, Float32]:
    left, top = corner
    z = depth.z[top : top + region.shape[0], left : left + region.shape[1]]
    known = _without_edges(region, z)
    step = max(1, int(np.sqrt(np.count_nonzero(known) / most)))
    rows, columns = np.nonzero(known[::step, ::step])
    if not len(rows):  # too thin for the grid
        rows, columns = np.nonzero(known)
        step = 1
    rows, columns = rows * step + top, columns * step + left
    distances = depth.z[rows, columns]
    points = depth.camera.unproject_pixels(np.stack([columns, rows], axis=1) + 0.5, distances)
    return points.astype(np.float32), distances


def _without_edges(region: Mask, z: Float32) -> Mask:
    """The pixels of a mask that have depth, without small parts before or behind all of its largest part.

    There a mask reaches over the edge of its object.
    """
    known, joined = region & (z > 0), surface(z, region)
    if joined[known].all():
        return known
    parts, count = ndimage.label(region & joined)
    if count < 2:
        return known & (parts > 0) if count else known
    pixels = np.bincount(parts[known], minlength=count + 1)[1:]
    main = known & (parts == np.argmax(pixels) + 1)
    if not main.any():
        return known
    low, high = z[main].min() * (1 - DEPTH_JUMP), z[main].max() * (1 + DEPTH_JUMP)
    middle = np.bincount(parts[known], z[known], count + 1)[1:] / np.maximum(pixels, 1)
    kept = (pixels >= MASK_EDGE * pixels.max()) | ((middle >= low) & (middle <= high))
    return np.asarray(known & np.concatenate([[False], kept])[parts])
