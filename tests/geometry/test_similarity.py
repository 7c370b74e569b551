import numpy as np
import pytest
from geometry_strategies import prove, rigids
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from placecell.geometry import transforms as tf
from placecell.geometry.similarity import Similarity, fit_pose_similarity, fit_similarity

scales = st.floats(0.05, 20)


def similarity(scale, pose):
    return Similarity(scale, pose[:3, :3], pose[:3, 3])


@prove
@given(scales, rigids())
def test_the_fit_recovers_a_similarity_exactly_from_exact_points(scale, pose):
    truth = similarity(scale, pose)
    points = np.random.default_rng(0).normal(size=(20, 3))
    found = fit_similarity(truth.apply(points), points)
    assert found.scale == pytest.approx(scale)
    assert_allclose(found.rotation, truth.rotation, atol=1e-9)
    assert_allclose(found.translation, truth.translation, atol=1e-8)


@prove
@given(scales, rigids())
def test_the_inverse_undoes(scale, pose):
    truth = similarity(scale, pose)
    points = np.random.default_rng(1).normal(size=(5, 3))
    assert_allclose(truth.inverse.apply(truth.apply(points)), points, atol=1e-9)


def test_weights_choose_whom_to_fit():
    rng = np.random.default_rng(2)
    points = rng.normal(size=(30, 3))
    moved = points + 1.0
    moved[:5] += rng.normal(size=(5, 3))
    found = fit_similarity(moved, points, weights=np.arange(30) >= 5)
    assert_allclose(found.translation, [1, 1, 1], atol=1e-9)


def test_without_scale_the_scale_is_one():
    points = np.random.default_rng(3).normal(size=(10, 3))
    assert fit_similarity(3 * points, points, with_scale=False).scale == 1.0


@pytest.mark.parametrize("points", [np.zeros((2, 3)), np.zeros((5, 3)), np.outer(np.arange(5.0), [1, 2, 3])])
def test_points_that_fix_no_rotation_are_refused(points):
    with pytest.raises(ValueError, match=r"3 points|on a line"):
        fit_similarity(points, points)


@prove
@given(scales, rigids())
def test_camera_poses_on_a_straight_path_are_aligned(scale, pose):
    truth = similarity(scale, pose)
    path = np.stack([tf.look_at([x, 0.1, 2.0], [x, 0, 0]) for x in (0.0, 1.0, 3.0)])
    found = fit_pose_similarity(truth.apply_to_poses(path), path)
    assert found.scale == pytest.approx(scale)
    assert_allclose(found.apply_to_poses(path), truth.apply_to_poses(path), atol=1e-8)


def test_moved_poses_stay_rigid_whatever_the_scale():
    poses = np.stack([tf.look_at([1, 2, 3], [0, 0, 0]), np.eye(4)])
    assert tf.is_rigid(similarity(7.0, tf.yaw(30)).apply_to_poses(poses))


def test_a_scale_must_be_positive():
    with pytest.raises(ValueError, match="scale"):
        Similarity(0.0, np.eye(3), np.zeros(3))
