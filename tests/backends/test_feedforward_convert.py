"""Every convention of the models, on a room that is known exactly: what comes out is that room, or the test fails."""

from __future__ import annotations

import numpy as np
import pytest

import feedforward_scenes as scenes
from placecell.backends.feedforward import convert
from placecell.geometry.transforms import apply, invert

SIZE = (56, 42)


def assert_same(found, expected):
    for view, truth in zip(found, expected, strict=True):
        np.testing.assert_allclose(view.z, truth.z, rtol=1e-6)
        np.testing.assert_allclose(view.camera.K, truth.camera.K, rtol=1e-5, atol=1e-4)
        np.testing.assert_allclose(view.camera.world_from_cam, truth.camera.world_from_cam, atol=1e-6)
        np.testing.assert_allclose(view.confidence, truth.confidence, atol=1e-5)


def test_pi3_answers_with_points_from_which_k_is_fitted_with_logits_and_with_camera_to_world():
    views = scenes.scene(*SIZE)
    assert_same(convert.from_point_maps(*scenes.point_maps(views)), views)


def test_vggt_answers_with_world_to_camera_a_quaternion_with_its_scalar_last_and_fields_of_view():
    views = scenes.scene(*SIZE, shift=0.5)  # its principal point is width / 2 where pixel centres count from 0
    depth, confidence, encoding = scenes.vggt(views)
    K = convert.K_from_fov(encoding[:, 7], encoding[:, 8], SIZE[1], SIZE[0])
    extrinsics = convert.extrinsics_from_encoding(encoding)
    assert_same(convert.from_depth_and_extrinsics(depth, confidence, extrinsics, K), views)


def test_vggt_s_pixels_unproject_to_the_points_that_its_own_code_computes():
    """``depth_to_world_coords_points``: x = (column - cx) / fx * depth, columns from 0, cx = width / 2."""
    depth, confidence, encoding = scenes.vggt(scenes.scene(*SIZE, shift=0.5))
    K = convert.K_from_fov(encoding[:, 7], encoding[:, 8], SIZE[1], SIZE[0])
    cam_from_world = convert.extrinsics_from_encoding(encoding)
    found = convert.from_depth_and_extrinsics(depth, confidence, cam_from_world, K)
    columns, rows = np.meshgrid(np.arange(SIZE[0]), np.arange(SIZE[1]))
    for i, view in enumerate(found):
        z = depth[i, ..., 0]
        cam = np.stack([(columns - K[i, 0, 2]) / K[i, 0, 0] * z, (rows - K[i, 1, 2]) / K[i, 1, 1] * z, z], axis=-1)
        np.testing.assert_allclose(view.camera.unproject(view.z), apply(invert(cam_from_world[i]), cam), atol=1e-5)


def test_depth_anything_3_answers_with_3_x_4_world_to_camera_and_k_that_counts_pixels_from_0():
    views = scenes.scene(*SIZE, shift=1.25)
    assert_same(convert.from_depth_and_extrinsics(*scenes.da3(views)), views)


def test_mapanything_answers_with_camera_to_world_and_k_that_counts_pixels_from_0():
    views = scenes.scene(*SIZE, shift=-0.75)
    assert_same(convert.from_depth_and_poses(*scenes.mapanything(views)), views)


def test_the_metric_model_answers_for_a_focal_length_of_300_pixels():
    (view, *_) = scenes.scene(*SIZE, focal=1.3)
    focal = view.camera.K[0, 0]
    sky = np.zeros((1, *view.z.shape), bool)
    sky[0, :3] = True
    (found,) = convert.from_metric_depth(view.z[None] * 300 / focal, sky, focal)
    np.testing.assert_allclose(found.z[3:], view.z[3:], rtol=1e-6)
    assert not found.z[:3].any()
    np.testing.assert_allclose(found.camera.K, view.camera.K, atol=1e-9)
    assert found.confidence is None


def test_swapping_a_convention_changes_the_room_so_none_of_these_tests_passes_by_chance():
    views = scenes.scene(*SIZE, shift=0.5)
    depth, confidence, extrinsics, K = scenes.da3(views)
    as_camera_to_world = convert.from_depth_and_poses(depth[..., None], confidence, extrinsics, K)
    assert np.abs(as_camera_to_world[1].camera.centre - views[1].camera.centre).max() > 0.5
    points, logits, poses = scenes.point_maps(views)
    as_probability = convert.from_point_maps(points, 1 / (1 + np.exp(-logits)), poses)
    assert np.abs(as_probability[0].confidence - views[0].confidence).max() > 0.1


def test_one_plus_exp_becomes_the_probability_of_its_logit():
    x = np.linspace(-20, 20, 81)
    np.testing.assert_allclose(convert.from_one_plus_exp(1 + np.exp(x)), convert.sigmoid(x), atol=1e-6)
    assert convert.from_one_plus_exp([np.inf, 0.5]).tolist() == [1.0, 0.0]
    assert convert.sigmoid([-1e4, 0.0, 1e4]).tolist() == [0.0, 0.5, 1.0]


def test_what_is_no_depth_is_0_and_what_is_no_confidence_is_0():
    view = scenes.scene(*SIZE)[0]
    depth, confidence, extrinsics, K = scenes.da3([view])
    depth[0, 0, :4] = np.nan, np.inf, -1, 0
    confidence[0, 1, 0] = np.nan
    (found,) = convert.from_depth_and_extrinsics(depth, confidence, extrinsics, K)
    assert not found.z[0, :4].any() and (found.z[1:] > 0).all()
    assert found.confidence[1, 0] == 0


def test_k_is_fitted_to_the_pixels_that_the_model_is_sure_of():
    view = scenes.scene(*SIZE)[0]
    points = scenes.point_maps([view])[0][0]
    sure = np.ones(view.z.shape)
    points[:5, :, :2] *= 3  # rays that bend away
    sure[:5] = 0
    np.testing.assert_allclose(convert.fit_pinhole(points, sure), view.camera.K, rtol=1e-5)
    assert abs(convert.fit_pinhole(points, np.ones(view.z.shape))[0, 0] - view.camera.K[0, 0]) > 1
    points[..., 2] *= -1
    with pytest.raises(convert.UnusableAnswer, match="no point lies in front"):
        convert.fit_pinhole(points, sure)


def test_poses_of_half_precision_become_rigid_and_what_is_no_pose_is_refused():
    poses = scenes.poses(scenes.scene(*SIZE))
    found = convert.cleaned_poses(poses.astype(np.float16))
    np.testing.assert_allclose(found, poses, atol=2e-3)
    turns = found[:, :3, :3] @ found[:, :3, :3].transpose(0, 2, 1)
    np.testing.assert_allclose(turns, np.broadcast_to(np.eye(3), turns.shape), atol=1e-12)
    with pytest.raises(convert.UnusableAnswer, match="no rotation"):
        convert.cleaned_poses(poses * 2)
    with pytest.raises(convert.UnusableAnswer, match="not finite"):
        convert.cleaned_poses(np.full((1, 4, 4), np.nan))


def test_sky_painted_at_the_largest_depth_is_taken_off_and_a_single_farthest_pixel_is_not():
    z = scenes.stacked_depth(scenes.scene(*SIZE))
    np.testing.assert_array_equal(convert.without_painted_sky(z), z)
    z[:, :5] = 200
    assert not convert.without_painted_sky(z)[:, :5].any()
    assert (convert.without_painted_sky(z)[:, 5:] > 0).all()


def test_cameras_that_cannot_be_are_refused_in_words():
    depth, confidence, extrinsics, K = scenes.da3(scenes.scene(*SIZE, count=1))
    for focal in (0.0, np.inf, np.nan, -3.0):
        K[0, 0, 0] = focal
        with pytest.raises(convert.UnusableAnswer, match="a focal length is not positive and finite"):
            convert.from_depth_and_extrinsics(depth, confidence, extrinsics, K)
    with pytest.raises(convert.UnusableAnswer, match="a camera pose is not finite"):
        convert.extrinsics_from_encoding(np.zeros((1, 9)))
