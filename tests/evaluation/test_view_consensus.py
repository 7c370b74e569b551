"""The view-consensus baseline: masks of one object over many views come together, of two objects they do not."""

from __future__ import annotations

import numpy as np
import pytest

from placecell.backends.synthetic.capture import default_views, make_room, photograph
from placecell.evaluation.grounding import ScoredScene, instance_ap, masks_of
from placecell.evaluation.view_consensus import cluster_masks
from placecell.geometry.cloud import fuse
from placecell.memory.depthmaps import FusionSettings, cloud_of
from placecell.memory.ports import FrameLabels

OBJECT = {1: "object"}


@pytest.fixture(scope="module")
def capture():
    """Frames in the world, true masks, and vertices with true ids from the pixel each comes from."""
    room = make_room(3)
    made = photograph(room, default_views(room), size=(128, 96), frame="world", lit=False)
    cloud, _ = cloud_of(made.frames, FusionSettings(), 0.001)
    cloud = fuse(cloud, 0.03)
    ids = np.zeros(len(cloud), np.int64)
    for number, labels in made.labels.frames.items():
        mine = cloud.frame == number
        u, v = cloud.pixel[mine].astype(int).T
        ids[mine] = labels.ids[v, u]
    return made.frames, made.labels.frames, cloud.points, np.where(ids > 0, 1000 + ids, 0)


def renumbered(labels, seed=0):
    """Each frame's masks under numbers of its own: what no tracker has joined."""
    rng = np.random.default_rng(seed)
    most = max(int(f.ids.max()) for f in labels.values())
    tables = {n: np.concatenate([[0], 1 + rng.permutation(most)]).astype(np.int32) for n in labels}
    return {n: FrameLabels(tables[n][f.ids]) for n, f in labels.items()}


def score(objects, points, truth):
    masks = masks_of(objects, len(points))
    return instance_ap([ScoredScene(masks, np.ones(len(objects)), np.ones(len(objects), np.int64), truth)], OBJECT)


def test_true_masks_become_the_true_objects(capture):
    frames, labels, points, truth = capture
    found = cluster_masks(points, frames, renumbered(labels))
    scored = score(found, points, truth)
    assert scored.ap25 > 0.8 and scored.ap50 > 0.7, scored


def test_a_mask_of_two_objects_in_one_view_is_outvoted(capture):
    frames, labels, points, truth = capture
    joined = {}
    for n, f in renumbered(labels).items():
        present = np.unique(f.ids[f.ids > 0])
        ids = f.ids.copy()
        if n % 6 == 0 and len(present) > 1:
            ids[ids == present[0]] = present[1]
        joined[n] = FrameLabels(ids)
    clean, noisy = (score(cluster_masks(points, frames, m), points, truth) for m in (renumbered(labels), joined))
    assert noisy.ap50 > clean.ap50 - 0.15


def test_equal_input_gives_equal_objects_and_numbers_of_masks_do_not_matter(capture):
    frames, labels, points, _ = capture
    first, second = (cluster_masks(points, frames, renumbered(labels, seed)) for seed in (0, 1))
    assert [o.tolist() for o in first] == [o.tolist() for o in second]


def test_without_masks_there_are_no_objects(capture):
    frames, labels, points, _ = capture
    none = {n: FrameLabels(np.zeros_like(f.ids)) for n, f in labels.items()}
    assert cluster_masks(points, frames, none) == []
    assert cluster_masks(points, frames, {}) == []
    assert cluster_masks(points[:0], frames, labels) == []
