import numpy as np
from numpy.testing import assert_allclose, assert_array_equal

from placecell.geometry import transforms as tf
from placecell.geometry.camera import Camera
from placecell.geometry.depth import depth_edges, normals_from_depth


def test_edges_are_on_both_sides_of_a_jump_and_nowhere_else():
    z = np.ones((6, 8))
    z[:, 4:] = 2
    expected = np.zeros((6, 8), bool)
    expected[:, 3:5] = True
    assert_array_equal(depth_edges(z), expected)


def test_unknown_pixels_are_no_edges_and_make_none():
    z = np.ones((5, 5))
    z[2, 2] = 0
    z[0, 0] = np.nan
    assert not depth_edges(z).any()


def test_a_slant_within_the_ratio_is_no_edge():
    z = np.cumprod(np.full((4, 20), 1.02), axis=1)
    assert not depth_edges(z, ratio=0.03).any()
    assert depth_edges(z, ratio=0.01).all()


def test_normals_are_those_of_the_plane_and_face_the_camera():
    camera = Camera.from_fov(60, 40, 30, tf.look_at([1, 2, 3], [0, 0, 0]))
    rays = camera.rays()
    z = -camera.centre[1] / rays[..., 1]  # the floor
    z[rays[..., 1] >= 0] = 0
    normals = normals_from_depth(camera, z, ratio=0.5)
    inner = np.isfinite(normals).all(axis=-1)
    assert inner[1:-1, 1:-1].all()
    assert_allclose(normals[inner], np.tile([0, 1, 0], (inner.sum(), 1)), atol=1e-4)


def test_there_is_no_normal_at_an_unknown_pixel_or_beside_it():
    z = np.ones((9, 9), np.float32)
    z[4, 4] = 0
    known = np.isfinite(normals_from_depth(Camera.from_fov(60, 9, 9), z)).all(axis=-1)
    assert not known[4, 3:6].any()
    assert not known[3:6, 4].any()
    assert known[2, 2]
