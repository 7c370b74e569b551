"""Objects: from label images or a segmenter's masks over several views, or from boxes, to instances.

Label ids of kind "instance" already say which pixels are one object. Ids of kind "class" do not, nor do masks: their
pieces are merged over views (``merging``). Frames are in the world frame. Does not know where labels and masks come
from, or how an object is asked for.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from placecell.geometry.boxes import OrientedBox, gravity_box
from placecell.geometry.transforms import Array, rotate
from placecell.memory.depthmaps import known_pixels
from placecell.memory.measured import measured, seen_times
from placecell.memory.merging.merge import Group, merge
from placecell.memory.merging.proposals import distinct, lift
from placecell.memory.merging.settings import OURS, MergeSettings
from placecell.memory.merging.support import Witnesses
from placecell.memory.pieces import MASK_EDGE, Piece, pieces
from placecell.memory.ports import Labels, NamedBox, Proposal
from placecell.memory.scene import DepthMap, Float32, Frame, Instance, InstanceView
from placecell.memory.shapes import thinned
from placecell.memory.votes import MAJORITY, labelled_views, member_views, outvote

_WORTH_SAYING = 0.05


@dataclass(frozen=True)
class Found:
    """Instances, and what a person should know about how they came about."""

    instances: tuple[Instance, ...]
    notes: tuple[str, ...] = ()


def from_labels(frames: tuple[Frame, ...], labels: Labels, *, depth_sd: float, settings: MergeSettings = OURS) -> Found:
    """Instances of labelled frames. ``depth_sd`` is the relative standard deviation of a depth reading."""
    split = labels.kind == "class"
    by_label: defaultdict[int, list[Piece]] = defaultdict(list)
    for piece in pieces(frames, labels, split=split):
        by_label[piece.label].append(piece)
    times = {frame.number: frame.time_s for frame in frames}
    labelled = [frame for frame in frames if frame.number in labels.frames]
    views = labelled_views(labelled, labels)
    witnesses = Witnesses(labelled, depth_sd, settings)
    groups: list[tuple[int, Sequence[Piece]]] = []
    notes = []
    for label, parts in sorted(by_label.items()):
        name = labels.names[label]
        if not any(len(part.points) for part in parts):
            notes.append(f"{name} (label {label}) has no depth in any view, so it has no place")
            continue
        kept = outvote(parts, views, depth_sd)
        merged = merge(kept, witnesses) if split else [Group(tuple(kept), 1.0, 1.0)]
        found = [group.parts for group in merged if not split or not _edge_of_masks(group)]
        groups += [(label, group) for group in found]
        left_out = 1 - sum(_size(group) for group in found) / _size(parts)
        if left_out > _WORTH_SAYING:
            notes.append(f"{left_out:.0%} of what is labelled {name} left out: most views say otherwise, or mask edges")
    instances = tuple(
        measured(number if split else label, labels.names[label], group, labelled, times, depth_sd)
        for number, (label, group) in enumerate(groups, 1)
    )
    return Found(instances, tuple(notes))


def from_proposals(
    frames: Sequence[Frame],
    proposals: Sequence[Proposal],
    *,
    depth_sd: float,
    settings: MergeSettings = OURS,
    first_id: int = 1,
) -> Found:
    """Instances of the masks that a segmenter proposed, named by their phrases, numbered from ``first_id``.

    ``frames`` are all those that the segmenter looked at: one that sees an object and has no mask of it speaks against
    it. Objects that too few views show are kept with ``certain`` False, the least certain ones left out and counted in
    the notes.
    """
    times = {frame.number: frame.time_s for frame in frames}
    instances: list[Instance] = []
    groups, notes = objects_among(frames, proposals, depth_sd=depth_sd, settings=settings)
    for phrase, group in groups:
        instance = measured(first_id + len(instances), phrase, group.parts, frames, times, depth_sd)
        certain = group.confidence >= settings.sure
        instances.append(replace(instance, confidence=group.confidence, certain=certain))
    return Found(tuple(instances), tuple(notes))


def objects_among(
    frames: Sequence[Frame], proposals: Sequence[Proposal], *, depth_sd: float, settings: MergeSettings = OURS
) -> tuple[list[tuple[str, Group]], list[str]]:
    """The masks of each object with its phrase, by phrase, and notes on what was left out; as `from_proposals` does."""
    by_number = {frame.number: frame for frame in frames}
    by_phrase: defaultdict[str, list[Proposal]] = defaultdict(list)
    for proposal in distinct(proposals, settings):
        by_phrase[proposal.phrase].append(proposal)
    witnesses = Witnesses(frames, depth_sd, settings)
    found: list[tuple[str, Group]] = []
    notes = []
    for label, (phrase, mine) in enumerate(sorted(by_phrase.items()), 1):
        most = max(settings.points_least, settings.points // len(mine))
        lifted = [lift(p, by_number[p.frame], label, most) for p in mine]
        parts = [part for part in lifted if len(part.points)]
        if not parts:
            notes.append(f"{phrase} has no depth in any view, so it has no place")
            continue
        groups = merge(parts, witnesses)
        believed = [group for group in groups if group.confidence >= settings.dropped]
        if len(believed) < len(groups):
            notes.append(f"{len(groups) - len(believed)} x {phrase} left out: nearly all views of the place show none")
        found += [(phrase, _cleaned(group, frames, depth_sd) if settings.clean else group) for group in believed]
    return found, notes


def _cleaned(group: Group, frames: Sequence[Frame], depth_sd: float) -> Group:
    """The pieces without the points that most other pieces' views leave out of the object."""
    return replace(group, parts=tuple(outvote(group.parts, member_views(group.parts, frames), depth_sd)))


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
        first, last = seen_times([view.frame for _, view in parts], times)
        instances.append(
            Instance(
                id=number,
                name=named.name,
                box=box,
                upright_box=gravity_box(box.corners),
                points=thinned(np.concatenate([p for p, _ in parts] or [np.zeros((0, 3), np.float32)])),
                views=tuple(view for _, view in parts),
                first_seen_s=first,
                last_seen_s=last,
                front=None if named.front is None else rotate(world_from_recon, named.front),
            )
        )
    return Found(tuple(instances))


def _edge_of_masks(group: Group) -> bool:
    """Whether the pieces are what masks of something else hold behind or before it, beyond its edges.

    Such pieces are a small part of their masks. Those that never are the main part of one count as an object only when
    they are about as large, and most views of the place show them.
    """
    largest = {(p.view.frame, p.mask): p.mask_pixels for p in group.parts}
    share = sum(p.view.pixels for p in group.parts) / max(sum(largest.values()), 1)
    main = any(p.view.pixels >= p.mask_pixels for p in group.parts)
    return share < MASK_EDGE or (not main and (share < MAJORITY or group.shown < MAJORITY))


def _size(parts: Sequence[Piece]) -> int:
    return sum(len(part.points) for part in parts)


_GRID = 120


def _inside(
    frame: Frame, depth: DepthMap, boxes: Sequence[OrientedBox]
) -> list[tuple[int, tuple[Float32, InstanceView]]]:
    """For each box that holds measured points of this frame: its index, the points, and the view of it."""
    step = max(1, min(depth.z.shape) // _GRID)
    pixels, z = known_pixels(depth, step)
    points = depth.camera.unproject_pixels(pixels, z).astype(np.float32)
    scale = np.array([frame.width / depth.z.shape[1], frame.height / depth.z.shape[0]])
    found = []
    for i, box in enumerate(boxes):
        inside = box.contains(points, margin=0.02 * box.longest)
        if inside.any():
            corners = np.concatenate([pixels[inside].min(axis=0) - step / 2, pixels[inside].max(axis=0) + step / 2])
            left, top, right, bottom = np.rint(corners * np.tile(scale, 2)).astype(int).tolist()
            count = max(1, round(int(inside.sum()) * step * step * float(np.prod(scale))))
            box_in_view = (max(left, 0), max(top, 0), min(right, frame.width), min(bottom, frame.height))
            view = InstanceView(frame.number, count, box_in_view)
            found.append((i, (points[inside], view)))
    return found
