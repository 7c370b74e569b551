"""A baseline for objects without names: masks of many views clustered by view consensus, after MaskClustering.

Yan et al., "MaskClustering: View Consensus based Mask Graph Clustering for Open-Vocabulary 3D Instance Segmentation"
(CVPR 2024), sections 3.2 to 3.4, with the paper's constants: two masks are one object when nearly all frames that see
both have one mask that contains both. Knows scene points, depth and label images; no names, no boxes. What differs:
points fall into masks by projection with a depth test, and objects come apart at gaps rather than by DBSCAN.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import connected_components

from placecell.memory.pieces import resized_ids
from placecell.memory.ports import FrameLabels
from placecell.memory.scene import Float32, Frame
from placecell.memory.shapes import connected_parts

Bool = NDArray[np.bool_]


@dataclass(frozen=True)
class ConsensusSettings:
    """Names and values of the paper.

    ``visible``: a frame sees a mask when it has this share of its points in masks. ``contained``: a mask of the frame
    contains it when it has this share of those. ``split``: a mask that more than this share of the frames do not
    contain joins several objects, and is no node. ``consensus``: of the frames that see two masks, this share must
    contain both in one. ``detected``: of the frames that see a point of an object, this share must have it in a mask
    of it. ``masks``: an object needs this many. ``depth``: relative tolerance of the depth test. ``smallest``: points
    of the smallest mask.
    """

    visible: float = 0.3
    contained: float = 0.8
    split: float = 0.3
    consensus: float = 0.9
    detected: float = 0.5
    masks: int = 2
    depth: float = 0.03
    smallest: int = 20


def cluster_masks(
    points: Float32,
    frames: Sequence[Frame],
    labels: Mapping[int, FrameLabels],
    settings: ConsensusSettings | None = None,
) -> list[NDArray[np.intp]]:
    """Objects as numbers of ``points`` (N, 3), largest first. ``labels``: by frame number, each id one mask, 0 none."""
    settings = settings or ConsensusSettings()
    posed = [f for f in frames if f.camera is not None and f.number in labels]
    mask_of, owner = _masks_of_points(points, posed, labels, settings)
    if not len(owner):
        return []
    frame, point = np.nonzero(mask_of > 0)
    node = mask_of[frame, point] - 1
    inside = coo_array((np.ones(len(node), np.float32), (node, point)), shape=(len(owner), len(points))).tocsr()
    # As in the authors' code, a point that a frame has in no mask does not count as seen: a missed mask is no vote.
    seen, holds = _visibility(inside, mask_of > 0, owner, settings)
    group = _clusters(seen, holds, settings)
    objects = []
    for number in range(group.max() + 1):
        members = np.flatnonzero(group == number)
        objects += _objects(points, inside[members], mask_of[owner[members]] >= 0, settings)
    return sorted(objects, key=lambda o: (-len(o), int(o[0])))


def _masks_of_points(
    points: Float32, frames: Sequence[Frame], labels: Mapping[int, FrameLabels], settings: ConsensusSettings
) -> tuple[NDArray[np.int32], NDArray[np.intp]]:
    """(F, N): 1 + number of the mask each point falls into, 0 in none, -1 not seen; and the frame (M,) of each mask."""
    mask_of = np.full((len(frames), len(points)), -1, np.int32)
    owner: list[int] = []
    for row, frame in enumerate(frames):
        if frame.camera is None or frame.depth is None:
            continue
        ids, z = resized_ids(labels[frame.number].ids, frame.depth.z.shape), frame.depth.z
        view = frame.depth.camera.project(points)
        u, v = view.pixels[view.in_view].astype(np.intp).T
        measured = z[v, u]
        close = (measured > 0) & (np.abs(view.depth[view.in_view] - measured) <= settings.depth * measured)
        which = np.flatnonzero(view.in_view)[close]
        label = ids[v[close], u[close]]
        known, number, count = np.unique(label, return_inverse=True, return_counts=True)
        kept = (known > 0) & (count >= settings.smallest)
        numbers = np.where(kept, len(owner) + np.cumsum(kept), 0)
        mask_of[row, which] = numbers[number]
        owner += [row] * int(kept.sum())
    return mask_of, np.array(owner, np.intp)


def _visibility(inside: csr_array, seen: Bool, owner: NDArray[np.intp], s: ConsensusSettings) -> tuple[Bool, Bool]:
    """(M, F) frames that see a mask, and (M, M) masks that contain it; mixtures of objects are seen by none."""
    size = np.asarray(inside.sum(axis=1)).ravel()
    count = np.asarray(inside @ seen.T.astype(np.float32))
    visible = count >= s.visible * size[:, None]
    shared = (inside @ inside.T).toarray()
    holds = (shared >= s.contained * np.maximum(count[:, owner], 1)) & visible[:, owner]
    held = np.zeros_like(visible)
    rows, columns = np.nonzero(holds)
    held[rows, owner[columns]] = True
    mixed = (visible & ~held).sum(axis=1) > s.split * visible.sum(axis=1)
    visible = visible & held  # a frame that splits a mask says nothing about what belongs to it
    visible[mixed], holds[mixed] = False, False
    holds[:, mixed] = False
    return visible, holds


def _clusters(seen: Bool, holds: Bool, s: ConsensusSettings) -> NDArray[np.intp]:
    """Group of each mask. Pairs that most frames observe are joined first; groups then see and hold for each other."""
    group: NDArray[np.integer] = np.arange(len(seen))
    observers = seen.astype(np.float32) @ seen.T.astype(np.float32)
    some = observers[observers > 0]
    levels = np.percentile(some, np.arange(95, -1, -5)) if some.size else np.zeros(0)
    for least in np.maximum(levels, 1):
        observed = seen.astype(np.float32) @ seen.T.astype(np.float32)
        supported = holds.astype(np.float32) @ holds.T.astype(np.float32)
        joined = (observed >= least) & (supported >= s.consensus * observed)
        count, new = connected_components(csr_array(joined), directed=False)
        pick = coo_array((np.ones(len(new), np.float32), (new, np.arange(len(new)))), shape=(count, len(new))).tocsr()
        seen, holds = np.asarray(pick @ seen) > 0, np.asarray(pick @ holds) > 0
        group = new[group]
    return np.asarray(group, np.intp)


def _objects(points: Float32, inside: csr_array, seen: Bool, s: ConsensusSettings) -> list[NDArray[np.intp]]:
    """The parts of one cluster of masks: its points that its frames mostly have in a mask, apart at gaps."""
    if inside.shape[0] < s.masks:
        return []
    hits = np.asarray(inside.sum(axis=0)).ravel()
    members = np.flatnonzero((hits > 0) & (hits >= s.detected * seen.sum(axis=0)))
    if len(members) < s.smallest:
        return []
    part = connected_parts(points[members])
    parts = [members[part == k] for k in range(int(part.max()) + 1)]
    return [p for p in parts if len(p) >= s.smallest]
