"""Groups of masks that are where the other is: one object seen from two sides, or by masks that hold parts of it.

Knows points, boxes and the votes of the views. Does not know how the groups came about.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array

from placecell.geometry.boxes import OrientedBox, gravity_box
from placecell.geometry.cloud import voxel_ids
from placecell.geometry.proximity import overlap_volume
from placecell.geometry.transforms import Array
from placecell.memory.merging.consensus import Consensus
from placecell.memory.merging.settings import MergeSettings
from placecell.memory.merging.support import samples
from placecell.memory.pieces import Piece

Int64 = NDArray[np.int64]
_SPECKS = 0.02


def joined_in_space(
    parts: Sequence[Piece], group: Int64, found: Consensus, depth_sd: float, settings: MergeSettings
) -> Int64:
    """The groups (C,), -1 for none, after those that share space are joined, those that share most first.

    Who share voxels are one object unless the views show them as two; those of which only the boxes overlap may not be
    denied by any majority. Voxels are as large as depth and pixels are uncertain.
    """
    count = int(group.max(initial=-1)) + 1
    if count < 2:
        return group
    votes = found.votes(group)
    filled = np.triu(_shared_voxels(parts, group, voxel_size(parts, depth_sd)), 1)
    around = _shared_boxes(parts, group, _undecided(votes.yes, votes.say, settings), settings.samples)
    share = np.maximum(filled, around)
    into = np.arange(count)
    pairs = np.argwhere(share >= settings.same_space)
    for first, second in pairs[np.argsort(-share[tuple(pairs.T)], kind="stable")].tolist():
        a, b = sorted((int(into[first]), int(into[second])))
        against = votes.apart if filled[first, second] >= settings.same_space else votes.say - votes.yes
        if a != b and votes.yes[a, b] >= settings.consensus * (votes.yes[a, b] + against[a, b]):
            into[into == b] = a
            for counts in votes:
                counts[a] += counts[b]
                counts[:, a] += counts[:, b]
    _, numbers = np.unique(into, return_inverse=True)
    return np.where(group >= 0, numbers[group], -1)


def _undecided(yes: Array, say: Array, settings: MergeSettings) -> NDArray[np.bool_]:
    return np.triu(yes >= settings.consensus * say, 1)


def voxel_size(parts: Sequence[Piece], depth_sd: float) -> float:
    """Three times the uncertainty of a point: depth noise, or the width of a depth pixel."""
    distance = float(np.median([np.median(part.distances) for part in parts]))
    return 3 * max(depth_sd * distance, footprint(parts))


def distance_of(parts: Sequence[Piece]) -> float:
    """How far the object was from the cameras: the median over all its points."""
    return float(np.median(np.concatenate([part.distances for part in parts])))


def footprint(parts: Sequence[Piece]) -> float:
    """Width of a depth pixel on the object, in world lengths."""
    return float(np.median([np.median(part.distances) / part.focal_px for part in parts if len(part.points)]))


def _shared_voxels(parts: Sequence[Piece], group: Int64, size: float) -> NDArray[np.float64]:
    """(G, G) share of the smaller group's voxels that both occupy."""
    members = np.flatnonzero(group >= 0).tolist()
    owner = np.repeat(group[members], [len(parts[i].points) for i in members])
    voxel, count = voxel_ids(np.concatenate([parts[i].points for i in members]), size)
    occupied = coo_array((np.ones(len(owner), np.int32), (owner, voxel)), shape=(int(group.max()) + 1, count)).tocsr()
    occupied.data[:] = 1
    shared = (occupied @ occupied.T).toarray()
    own = np.diag(shared)
    return np.asarray(shared / np.minimum(own[:, None], own[None, :]))


def _shared_boxes(parts: Sequence[Piece], group: Int64, which: NDArray[np.bool_], most: int) -> NDArray[np.float64]:
    """(G, G) share of the smaller group's upright box that both fill, for the pairs of ``which``."""
    shared = np.zeros(which.shape)
    boxes: dict[int, OrientedBox] = {}
    for k in np.unique(np.argwhere(which)).tolist():
        mine = [samples(parts[i], most) for i in np.flatnonzero(group == k).tolist()]
        boxes[k] = gravity_box(np.concatenate(mine), trim=_SPECKS)
    for a, b in np.argwhere(which).tolist():
        smaller = min(boxes[a].volume, boxes[b].volume)
        if smaller > 0:
            shared[a, b] = overlap_volume(boxes[a], boxes[b]) / smaller
    return shared
