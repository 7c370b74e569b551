"""Objects: from label images over several views, or from boxes, to instances with robust boxes and their uncertainty.

Label ids of kind "instance" already say which pixels are one object. Ids of kind "class" do not: their connected parts
are merged over views where they occupy the same space (``merge_pieces``, the one place to change for better merging).
Frames are in the world frame. Does not know where labels come from, or how an object is asked for.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from placecell.geometry.boxes import OrientedBox, gravity_box, oriented_box
from placecell.geometry.cloud import Cloud, fuse, voxel_ids
from placecell.geometry.consistency import DepthView, settle
from placecell.geometry.proximity import overlap_volume
from placecell.geometry.transforms import Array, rotate
from placecell.memory.pieces import Piece, pieces
from placecell.memory.ports import Labels, NamedBox
from placecell.memory.scene import DepthMap, Float32, Frame, Instance, InstanceView
from placecell.memory.votes import LabelledView, agreement, labelled_views

SAME_SPACE = 0.3
"""Two pieces are one object when they share this part of the smaller one's voxels, or of the smaller one's box."""
MASK_EDGE = 0.2
"""Parts of a mask with less than this share of its largest part's pixels are edges that reach over something else."""
STRAY = 0.1
"""A separate cluster of points with less than this share of the largest one's is not part of the object."""
TRIM = 0.005
"""Share of an object's points at each end of each side that its box may leave out as specks."""
TILT_GAIN = 0.5
"""Things stand upright. A tilted box around a chair or a bed with a headboard saves up to 30 % where they were not seen
from below; only what leans itself saves more than this."""
MAX_POINTS = 20_000
"""An object keeps at most about this many points."""
_MAJORITY = 0.5
_WORTH_SAYING = 0.05
_NOISY = 0.15  # depth noise in pixel widths, above which taking the mean of the views is worth its own small blur


@dataclass(frozen=True)
class Found:
    """Instances, and what a person should know about how they came about."""

    instances: tuple[Instance, ...]
    notes: tuple[str, ...] = ()


def from_labels(frames: tuple[Frame, ...], labels: Labels, *, depth_sd: float) -> Found:
    """Instances of labelled frames. ``depth_sd`` is the relative standard deviation of a depth reading."""
    split = labels.kind == "class"
    by_label: defaultdict[int, list[Piece]] = defaultdict(list)
    for piece in pieces(frames, labels, split=split):
        by_label[piece.label].append(piece)
    times = {frame.number: frame.time_s for frame in frames}
    views = labelled_views(frames, labels)
    groups: list[tuple[int, list[Piece]]] = []
    notes = []
    for label, parts in sorted(by_label.items()):
        name = labels.names[label]
        if not any(len(part.points) for part in parts):
            notes.append(f"{name} (label {label}) has no depth in any view, so it has no place")
            continue
        kept = outvote(parts, views, depth_sd)
        merged = merge_pieces(kept, depth_sd) if split else [kept]
        groups += [(label, group) for group in merged]
        left_out = 1 - sum(_size(group) for group in merged) / _size(parts)
        if left_out > _WORTH_SAYING:
            notes.append(f"{left_out:.0%} of what is labelled {name} left out: most views say otherwise, or mask edges")
    instances = tuple(
        _instance(number if split else label, labels.names[label], group, views, times, depth_sd)
        for number, (label, group) in enumerate(groups, 1)
    )
    return Found(instances, tuple(notes))


def outvote(parts: Sequence[Piece], views: Sequence[LabelledView], depth_sd: float) -> list[Piece]:
    """The pieces of one label that have points, without the points that most views label otherwise.

    A piece that loses most of its points goes; if all would go, the views are no judges and all stay.
    """
    placed = [part for part in parts if len(part.points)]
    points = np.concatenate([part.points for part in placed])
    share = agreement(points, placed[0].label, views, depth_sd, 2 * _footprint(placed))
    kept = []
    for part, mine in zip(placed, np.split(share, np.cumsum([len(p.points) for p in placed])[:-1]), strict=True):
        good = mine >= _MAJORITY
        if good.mean() >= _MAJORITY:
            mean = float(mine[good].mean())
            kept.append(replace(part, points=part.points[good], distances=part.distances[good], agreement=mean))
    return kept or placed


def from_boxes(boxes: Sequence[NamedBox], world_from_recon: Array, frames: tuple[Frame, ...]) -> Found:
    """Instances of boxes, with the points that the depth maps measured inside each, and the views they were seen in."""
    moved = [named.box.moved(world_from_recon) for named in boxes]
    seen: list[list[tuple[Float32, InstanceView]]] = [[] for _ in boxes]
    for frame in frames:
        if frame.depth is not None:
            for i, inside in _inside(frame, frame.depth, moved):
                seen[i].append(inside)
    times = {frame.number: frame.time_s for frame in frames}
    instances = []
    for number, (named, box, parts) in enumerate(zip(boxes, moved, seen, strict=True), 1):
        first, last = _times([view.frame for _, view in parts], times)
        instances.append(
            Instance(
                id=number,
                name=named.name,
                box=box,
                upright_box=gravity_box(box.corners),
                points=_thinned(np.concatenate([p for p, _ in parts] or [np.zeros((0, 3), np.float32)])),
                views=tuple(view for _, view in parts),
                first_seen_s=first,
                last_seen_s=last,
                front=None if named.front is None else rotate(world_from_recon, named.front),
            )
        )
    return Found(tuple(instances))


def merge_pieces(parts: Sequence[Piece], depth_sd: float) -> list[list[Piece]]:
    """Pieces of one category, all with points, that are one object: those that share space, directly or through others.

    First by voxels as large as depth and pixels are uncertain, then by boxes, for things seen from two sides that
    share no surface. Groups that are only ever the small rest of a mask, behind or before its main part, are mask
    edges and left out.
    """
    size = 3 * max(depth_sd * float(np.median([np.median(p.distances) for p in parts])), _footprint(parts))
    group = _linked(_share_voxels([p.points for p in parts], size))
    boxes = [gravity_box(_stacked(parts, group == k), trim=0.02) for k in range(group.max() + 1)]
    group = _linked(_share_boxes(boxes))[group]
    members = [[p for p, k in zip(parts, group, strict=True) if k == n] for n in range(group.max() + 1)]
    return [m for m in members if _share_of_masks(m) >= MASK_EDGE]


def _share_voxels(clouds: Sequence[Float32], size: float) -> NDArray[np.bool_]:
    """(N, N) whether two point sets occupy the same voxels, for at least ``SAME_SPACE`` of the smaller one's."""
    owner = np.repeat(np.arange(len(clouds)), [len(c) for c in clouds])
    voxel, count = voxel_ids(np.concatenate(clouds), size)
    occupied = coo_array((np.ones(len(owner), np.int32), (owner, voxel)), shape=(len(clouds), count)).tocsr()
    occupied.data[:] = 1
    shared = (occupied @ occupied.T).toarray()
    own = np.diag(shared)
    return np.asarray(shared >= SAME_SPACE * np.minimum(own[:, None], own[None, :]))


def _share_boxes(boxes: Sequence[OrientedBox]) -> NDArray[np.bool_]:
    """(N, N) whether two boxes have at least ``SAME_SPACE`` of the smaller one's volume in common."""
    shared = np.eye(len(boxes), dtype=bool)
    for i in range(len(boxes)):
        for j in range(i):
            smaller = min(boxes[i].volume, boxes[j].volume)
            shared[i, j] = smaller > 0 and overlap_volume(boxes[i], boxes[j]) >= SAME_SPACE * smaller
    return shared


def _share_of_masks(group: Sequence[Piece]) -> float:
    """Pixels of the pieces, over all views, as a share of the largest parts of the masks they belong to."""
    largest = {(p.view.frame, p.mask): p.mask_pixels for p in group}
    return sum(p.view.pixels for p in group) / max(sum(largest.values()), 1)


def _linked(shared: NDArray[np.bool_]) -> NDArray[np.int32]:
    """Group number of each of N things of which some are the same; numbers in order of first appearance."""
    _, group = connected_components(shared, directed=False)
    return np.asarray(group, np.int32)


def _instance(
    number: int,
    name: str,
    group: Sequence[Piece],
    views: Sequence[LabelledView],
    times: Mapping[int, float | None],
    depth_sd: float,
) -> Instance:
    points = _stacked(group, np.ones(len(group), bool))
    distances = np.concatenate([piece.distances for piece in group])
    distance, footprint = float(np.median(distances)), _footprint(group)
    if depth_sd * distance > _NOISY * footprint:
        points = _settled(points, views, depth_sd, footprint)
    points = _without_strays(points, max(4 * footprint, 3 * depth_sd * distance))
    seen = _views(group)
    # Each side is off by depth noise, averaged over views, and by the width of a pixel at its edge.
    edge_sd = float(np.hypot(depth_sd * distance / np.sqrt(len(seen)), footprint / np.sqrt(12)))
    first, last = _times([view.frame for view in seen], times)
    free, upright = oriented_box(points, trim=TRIM), gravity_box(points, trim=TRIM)
    return Instance(
        id=number,
        name=name,
        box=_standing(upright) if upright.volume <= free.volume * (1 + TILT_GAIN) else free,
        upright_box=upright,
        points=_thinned(points),
        views=seen,
        confidence=float(np.average([p.agreement for p in group], weights=[len(p.points) for p in group])),
        size_sd=edge_sd * np.sqrt(2.0),
        centre_sd=edge_sd / np.sqrt(2.0),
        first_seen_s=first,
        last_seen_s=last,
    )


def _standing(upright: OrientedBox) -> OrientedBox:
    """An upright box as a free one: longest side first."""
    order = np.argsort(-upright.size, kind="stable")
    return OrientedBox(upright.centre, upright.axes[order], upright.size[order])


def _settled(points: Float32, views: Sequence[LabelledView], depth_sd: float, footprint: float) -> Float32:
    """The points on the mean of the surfaces that the views measured: a layer as thick as the noise widens a box."""
    cloud = settle(
        fuse(Cloud.of_points(points), footprint), [DepthView(v.camera, v.z) for v in views], depth_sd, footprint
    )
    return cloud.points if len(cloud) else points


def _size(parts: Sequence[Piece]) -> int:
    return sum(len(part.points) for part in parts)


def _footprint(group: Sequence[Piece]) -> float:
    """Width of a depth pixel on the object, in world lengths."""
    return float(np.median([np.median(p.distances) / p.focal_px for p in group if len(p.points)]))


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


def _thinned(points: Float32) -> Float32:
    step = -(-len(points) // MAX_POINTS) or 1
    return np.ascontiguousarray(points[::step], dtype=np.float32)


def _stacked(group: Sequence[Piece], which: NDArray[np.bool_]) -> Float32:
    return np.concatenate([piece.points for piece, taken in zip(group, which, strict=True) if taken])


def _views(group: Sequence[Piece]) -> tuple[InstanceView, ...]:
    """One view a frame: pixels added up, boxes joined."""
    by_frame: defaultdict[int, list[InstanceView]] = defaultdict(list)
    for piece in group:
        by_frame[piece.view.frame].append(piece.view)
    joined = []
    for frame, views in sorted(by_frame.items()):
        boxes = np.array([view.bbox for view in views])
        left, top = boxes[:, :2].min(axis=0).tolist()
        right, bottom = boxes[:, 2:].max(axis=0).tolist()
        joined.append(InstanceView(frame, sum(view.pixels for view in views), (left, top, right, bottom)))
    return tuple(joined)


def _times(frames: Sequence[int], times: Mapping[int, float | None]) -> tuple[float | None, float | None]:
    known = [t for t in (times.get(frame) for frame in frames) if t is not None]
    return (min(known), max(known)) if known else (None, None)


_GRID = 120


def _inside(
    frame: Frame, depth: DepthMap, boxes: Sequence[OrientedBox]
) -> list[tuple[int, tuple[Float32, InstanceView]]]:
    """For each box that holds measured points of this frame: its index, the points, and the view of it."""
    step = max(1, min(depth.z.shape) // _GRID)
    rows, columns = np.mgrid[step // 2 : depth.z.shape[0] : step, step // 2 : depth.z.shape[1] : step]
    z = depth.z[rows, columns]
    pixels = np.stack([columns, rows], axis=-1)[z > 0] + 0.5
    points = depth.camera.unproject_pixels(pixels, z[z > 0]).astype(np.float32)
    scale = np.array([frame.width / depth.z.shape[1], frame.height / depth.z.shape[0]])
    found = []
    for i, box in enumerate(boxes):
        inside = box.contains(points, margin=0.02 * box.longest)
        if inside.any():
            corners = np.concatenate([pixels[inside].min(axis=0) - step / 2, pixels[inside].max(axis=0) + step / 2])
            left, top, right, bottom = np.rint(corners * np.tile(scale, 2)).astype(int).tolist()
            count = max(1, round(int(inside.sum()) * step * step * float(np.prod(scale))))
            view = InstanceView(frame.number, count, (max(left, 0), max(top, 0), right, bottom))
            found.append((i, (points[inside], view)))
    return found
