"""Objects without names: our merging and a MaskClustering-style baseline on the same masks, scored by ScanNet's AP.

    python benchmarks/instances.py [--rooms 6] [--first 2000]

Each synthetic room is photographed from its default path; every mask is called "object". Vertices are the fused cloud
in cubes of 3 cm, their true ids those of the pixels they come from. AP, AP50, AP25 are pooled over rooms.
"""

from __future__ import annotations

import argparse
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import KDTree

from placecell.backends.synthetic.capture import default_views, make_room, photograph
from placecell.backends.synthetic.noise import LEVELS, SyntheticSegmenter
from placecell.evaluation.grounding import ScoredScene, instance_ap, masks_of
from placecell.evaluation.view_consensus import cluster_masks
from placecell.geometry.cloud import fuse
from placecell.memory.depthmaps import FusionSettings, cloud_of
from placecell.memory.instances import from_proposals
from placecell.memory.ports import FrameLabels, Labels, Proposal
from placecell.memory.scene import Frame

SIZE = (192, 144)
VOXEL_M = 0.03
DEPTH_SD = 0.005
CLASSES = {1: "object"}


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rooms", type=int, default=6)
    parser.add_argument("--first", type=int, default=2000)
    wish = parser.parse_args()
    scenes: defaultdict[tuple[str, str], list[ScoredScene]] = defaultdict(list)
    seconds: defaultdict[tuple[str, str], float] = defaultdict(float)
    for seed in range(wish.first, wish.first + wish.rooms):
        room = make_room(seed)
        capture = photograph(room, default_views(room), size=SIZE, frame="world", lit=False)
        if capture.labels is None:
            raise SystemExit("a room without labels")
        points, truth = vertices(capture.frames, capture.labels)
        for level, noise in LEVELS.items():
            segmenter = SyntheticSegmenter(capture.labels, noise, seed)
            found = segmenter.segment(capture.frames, sorted(set(capture.labels.names.values())))
            masks = [replace(p, phrase="object") for proposals in found for p in proposals]
            for method in METHODS:
                started = time.perf_counter()
                members, scores = METHODS[method](points, capture.frames, masks)
                seconds[level, method] += time.perf_counter() - started
                kind = np.ones(len(members), np.int64)
                scenes[level, method].append(ScoredScene(masks_of(members, len(points)), scores, kind, truth))
    print("| masks | method | AP | AP50 | AP25 | seconds a room |\n|---|---|---|---|---|---|")
    for (level, method), pool in scenes.items():
        score = instance_ap(pool, CLASSES)
        figures = " | ".join(f"{v:.3f}" for v in (score.ap or 0, score.ap50 or 0, score.ap25 or 0))
        print(f"| {level} | {method} | {figures} | {seconds[level, method] / wish.rooms:.2f} |")


def vertices(frames: tuple[Frame, ...], labels: Labels) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """Points (N, 3) of the fused cloud, and the true id (N,) of each."""
    cloud = fuse(cloud_of(frames, FusionSettings(), DEPTH_SD)[0], VOXEL_M)
    ids = np.zeros(len(cloud), np.int64)
    for number, labelled in labels.frames.items():
        mine = cloud.frame == number
        column, row = cloud.pixel[mine].astype(int).T
        ids[mine] = labelled.ids[row, column]
    return cloud.points, np.where(ids > 0, 1000 + ids, 0)


Found = tuple[list[NDArray[np.intp]], NDArray[np.float64]]


def ours(points: NDArray[np.float32], frames: Sequence[Frame], masks: Sequence[Proposal]) -> Found:
    """Our merging of unnamed masks; an object has the vertices that lie on its points."""
    found = from_proposals(frames, masks, depth_sd=DEPTH_SD).instances
    members = []
    for instance in found:
        reach, _ = KDTree(instance.points).query(points, distance_upper_bound=VOXEL_M)
        members.append(np.flatnonzero(np.isfinite(reach)))
    return members, np.array([i.confidence for i in found])


def baseline(points: NDArray[np.float32], frames: Sequence[Frame], masks: Sequence[Proposal]) -> Found:
    """View consensus; where masks of a frame overlap, the smaller one is in front."""
    labels = {f.number: FrameLabels(np.zeros((f.height, f.width), np.int32)) for f in frames}
    for number, mask in enumerate(sorted(masks, key=lambda p: -int(p.mask.sum())), 1):
        left, top, right, bottom = mask.bbox
        labels[mask.frame].ids[top:bottom, left:right][mask.mask] = number
    members = cluster_masks(points, frames, labels)
    return members, np.ones(len(members))


METHODS = {"view consensus": baseline, "ours": ours}

if __name__ == "__main__":
    main()
