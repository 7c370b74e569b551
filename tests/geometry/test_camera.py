import numpy as np
import pytest
from geometry_strategies import cameras, prove, rigids
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from placecell.geometry import transforms as tf
from placecell.geometry.camera import Camera, OrthoCamera


def example(pose=None):
    K = np.array([[50.0, 0, 21], [0, 60, 14], [0, 0, 1]])
    return Camera(K, 40, 30, tf.look_at([1, 2, 3], [0, 0.5, 0]) if pose is None else pose)


@prove
@given(cameras(), st.integers(0, 2**31))
def test_projecting_what_was_unprojected_gives_the_pixel_centres_back(camera, seed):
    depth = np.random.default_rng(seed).uniform(0.5, 5, (camera.height, camera.width))
    projection = camera.project(camera.unproject(depth))
    v, u = np.mgrid[: camera.height, : camera.width] + 0.5
    assert_allclose(projection.pixels, np.stack([u, v], axis=-1), atol=1e-6)
    assert_allclose(projection.depth, depth, atol=1e-9)
    assert projection.in_view.all()


def test_the_centre_of_the_top_left_pixel_is_at_one_half():
    camera = example(np.eye(4))
    assert_allclose(camera.project(camera.rays()[0, 0]).pixels, [0.5, 0.5])


def test_unknown_depth_gives_no_point():
    depth = np.array([[1, 0], [np.nan, -1]], np.float32)
    points = Camera.from_fov(60, 2, 2).unproject(depth)
    assert_array_equal(np.isfinite(points).all(axis=-1), [[True, False], [False, False]])
    assert points.dtype == np.float32


def test_what_is_behind_or_beside_is_not_in_view():
    camera = Camera.from_fov(90, 10, 10)
    projection = camera.project([[0, 0, 1], [0, 0, -1], [3, 0, 1], [0, 0, 0]])
    assert projection.in_view.tolist() == [True, False, False, False]
    assert np.isnan(projection.pixels[[1, 3]]).all()


@prove
@given(cameras(), st.integers(1, 60), st.integers(1, 60))
def test_resizing_scales_pixels_and_keeps_the_edges_of_the_view(camera, width, height):
    point = camera.unproject_pixels([camera.width / 3, camera.height / 4], 2.0)
    resized = camera.resized(width, height)
    assert_allclose(resized.project(point).pixels, [width / 3, height / 4], atol=1e-6)
    assert resized.fov_x == pytest.approx(camera.fov_x)
    assert resized.fov_y == pytest.approx(camera.fov_y)


def test_a_crop_sees_the_same_at_shifted_pixels():
    camera = example()
    point = camera.unproject_pixels([12.5, 7.25], 2.0)
    cropped = camera.cropped(10, 5, 8, 6)
    assert_allclose(cropped.project(point).pixels, [2.5, 2.25])
    assert (cropped.width, cropped.height) == (8, 6)


@pytest.mark.parametrize("turns", [-1, 0, 1, 2, 3, 4])
def test_a_turned_picture_has_a_turned_camera(turns):
    camera = example()
    depth = np.random.default_rng(0).uniform(1, 2, (30, 40))
    turned = camera.rotated_90(turns)
    there = turned.unproject(np.rot90(depth, -turns))
    assert_allclose(there, np.rot90(camera.unproject(depth), -turns), atol=1e-12)


@prove
@given(st.floats(1, 170), st.integers(1, 2000), st.integers(1, 2000))
def test_a_field_of_view_is_kept(fov, width, height):
    assert Camera.from_fov(fov, width, height).fov_x == pytest.approx(fov)


def test_an_off_centre_view_still_spans_the_angle_between_its_edges():
    camera = example(np.eye(4))
    edges = camera.unproject_pixels([[0, 14], [40, 14]], [1, 1])
    cosine = edges[0] @ edges[1] / np.prod(np.linalg.norm(edges, axis=1))
    assert camera.fov_x == pytest.approx(np.degrees(np.arccos(cosine)))


def test_a_camera_cannot_be_changed_through_the_arrays_it_was_made_from():
    K, pose = np.diag([5.0, 5.0, 1.0]), np.eye(4)
    camera = Camera(K, 4, 4, pose)
    K[0, 0] = 9
    pose[0, 3] = 9
    assert camera.K[0, 0] == 5
    assert camera.centre[0] == 0
    with pytest.raises(ValueError, match="read-only"):
        camera.K[0, 0] = 9


@pytest.mark.parametrize(
    ("K", "size", "pose"),
    [
        (np.diag([5.0, 5.0, 2.0]), (4, 4), np.eye(4)),
        (np.diag([-5.0, 5.0, 1.0]), (4, 4), np.eye(4)),
        (np.array([[5, 1, 2], [0, 5, 2], [0, 0, 1.0]]), (4, 4), np.eye(4)),
        (np.eye(4), (4, 4), np.eye(4)),
        (np.diag([5.0, 5.0, 1.0]), (0, 4), np.eye(4)),
        (np.diag([5.0, 5.0, 1.0]), (4, 4), 2 * np.eye(4)),
        (np.diag([5.0, 5.0, 1.0]), (4, 4), np.diag([1, -1, 1, 1])),
        (np.diag([np.nan, 5.0, 1.0]), (4, 4), np.eye(4)),
    ],
)
def test_what_is_no_camera_is_refused(K, size, pose):
    with pytest.raises(ValueError, match=r"K|pixel|rigid"):
        Camera(K, *size, pose)


def test_depth_of_another_size_is_refused():
    with pytest.raises(ValueError, match=r"\(30, 40\)"):
        example().unproject(np.ones((40, 30)))


@prove
@given(rigids(), st.floats(0.001, 1))
def test_an_orthographic_camera_projects_and_unprojects(pose, scale):
    camera = OrthoCamera(scale, 30, 20, pose)
    pixels = np.array([[0.5, 0.5], [15, 10], [29, 3]])
    projection = camera.project(camera.unproject_pixels(pixels, np.array([1.0, 2.0, 3.0])))
    assert_allclose(projection.pixels, pixels, atol=1e-6)
    assert_allclose(projection.depth, [1, 2, 3], atol=1e-9)
    assert projection.in_view.all()
