"""Windows over many pictures: all are covered, and parts in frames and scales of their own become one place again."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

import feedforward_scenes as scenes
from placecell.backends.feedforward.settings import RunSettings
from placecell.backends.feedforward.windows import describe, join, windows_of
from placecell.errors import UserError
from placecell.geometry.similarity import Similarity
from placecell.memory.scene import DepthMap


@given(st.integers(1, 300), st.integers(2, 70), st.data())
def test_windows_cover_every_picture_and_share_what_they_must(count, size, data):
    overlap = data.draw(st.integers(1, size - 1))
    windows = windows_of(count, size, overlap)
    assert sorted({i for w in windows for i in w}) == list(range(count))
    assert all(len(w) <= size for w in windows)
    assert all(len(set(a) & set(b)) >= overlap for a, b in itertools.pairwise(windows))
    assert len(windows) == 1 or all(a.start < b.start for a, b in itertools.pairwise(windows))


def moved(views, move):
    return [
        DepthMap(
            v.z * np.float32(move.scale), v.camera.posed(move.apply_to_poses(v.camera.world_from_cam)), v.confidence
        )
        for v in views
    ]


@pytest.fixture(scope="module")
def views():
    return scenes.scene(42, 28)


def test_two_windows_become_the_place_they_were_cut_from(views):
    move = Similarity(2.5, Rotation.from_euler("xyz", [20, -40, 5], degrees=True).as_matrix(), np.array([1.0, -2, 3]))
    done, joint = join(dict(enumerate(views[:3])), range(1, 4), moved(views[1:], move), RunSettings())
    np.testing.assert_allclose(done[3].z, views[3].z, rtol=1e-5)
    np.testing.assert_allclose(done[3].camera.world_from_cam, views[3].camera.world_from_cam, atol=1e-6)
    assert joint.scale == pytest.approx(1 / 2.5) and joint.spread < 1e-5
    assert describe([joint], 3) == [
        "in 2 windows of 3 pictures, joined by those they share: scales 0.400, depths there differ by up to 0.0%"
    ]


def test_one_shared_picture_is_enough(views):
    done, _ = join(dict(enumerate(views[:2])), range(1, 4), scenes.elsewhere(views[1:]), RunSettings())
    np.testing.assert_allclose(done[3].camera.centre, views[3].camera.centre, atol=1e-6)


def test_windows_whose_depths_contradict_each_other_are_not_joined(views):
    bent = [DepthMap(v.z * np.linspace(0.5, 1.5, 42, dtype=np.float32), v.camera) for v in views[1:]]
    with pytest.raises(UserError, match="do not fit together"):
        join(dict(enumerate(views[:3])), range(1, 4), bent, RunSettings())


def test_windows_whose_cameras_contradict_each_other_are_not_joined(views):
    turn = Rotation.from_euler("y", 40, degrees=True).as_matrix()
    pose = views[2].camera.world_from_cam.copy()
    pose[:3, :3] = pose[:3, :3] @ turn
    wrong = [views[1], DepthMap(views[2].z, views[2].camera.posed(pose)), views[3]]
    with pytest.raises(UserError, match="cameras by 20 degrees"):
        join(dict(enumerate(views[:3])), range(1, 4), wrong, RunSettings())


def test_windows_without_a_shared_depth_are_not_joined(views):
    empty = [DepthMap(v.z * 0, v.camera) for v in views[1:]]
    with pytest.raises(UserError, match="share no depth"):
        join(dict(enumerate(views[:3])), range(1, 4), empty, RunSettings())
