import numpy as np
import pytest
from geometry_strategies import prove, rigids
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from placecell.geometry import transforms as tf
from placecell.geometry.similarity import Similarity


def similarity(scale, pose):
    return Similarity(scale, pose[:3, :3], pose[:3, 3])


@prove
@given(st.floats(0.05, 20), rigids(), rigids())
def test_what_a_camera_sees_moves_with_it_and_grows(scale, pose, world_from_cam):
    move = similarity(scale, pose)
    seen = np.random.default_rng(0).normal(size=(20, 3))
    there = tf.apply(move.apply_to_poses(world_from_cam), scale * seen)
    assert_allclose(there, move.apply(tf.apply(world_from_cam, seen)), atol=1e-7)


def test_moved_poses_stay_rigid_whatever_the_scale():
    poses = np.stack([tf.look_at([1, 2, 3], [0, 0, 0]), np.eye(4)])
    assert tf.is_rigid(similarity(7.0, tf.yaw(30)).apply_to_poses(poses))


def test_a_scale_must_be_positive():
    with pytest.raises(ValueError, match="scale"):
        Similarity(0.0, np.eye(3), np.zeros(3))
