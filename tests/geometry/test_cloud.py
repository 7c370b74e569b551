import numpy as np
import pytest
from geometry_strategies import prove
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from placecell.geometry import transforms as tf
from placecell.geometry.cloud import (
    Cloud,
    concat,
    estimate_normals,
    fuse,
    robust_extent,
    typical_spacing,
    voxel_ids,
)


def random_cloud(seed, n=300, extent=1.0):
    rng = np.random.default_rng(seed)
    confidence = rng.choice([0.0, 0.25, 0.5, 1.0], n).astype(np.float32)
    pixel = rng.uniform(0, 100, (n, 2))
    return Cloud(rng.uniform(0, extent, (n, 3)), rng.integers(0, 256, (n, 3)), confidence, rng.integers(1, 9, n), pixel)


@prove
@given(st.integers(0, 2**31), st.floats(0.05, 2))
def test_fusion_is_the_weighted_mean_of_each_voxel_with_the_origin_of_its_best_point(seed, size):
    cloud = random_cloud(seed)
    fused = fuse(cloud, size)
    known = cloud.select(cloud.confidence > 0)
    cells = np.floor((known.points - known.points.min(axis=0).astype(float)) * (1 / size)).astype(int)
    order = list(dict.fromkeys(map(tuple, cells)))
    assert len(fused) == len(order)
    for i, cell in enumerate(order):
        mine = known.select((cells == cell).all(axis=1))
        best = int(np.argmax(mine.confidence))
        assert_allclose(fused.points[i], np.average(mine.points, axis=0, weights=mine.confidence), atol=1e-5)
        assert_allclose(fused.colors[i], np.average(mine.colors, axis=0, weights=mine.confidence), atol=0.501)
        assert fused.confidence[i] == mine.confidence[best]
        assert fused.frame[i] == mine.frame[best]
        assert_array_equal(fused.pixel[i], mine.pixel[best])


def test_fusing_parts_is_fusing_the_whole():
    cloud = random_cloud(1)
    parts = [cloud.select(slice(0, 100)), cloud.select(slice(100, 300))]
    assert_array_equal(fuse(parts, 0.2).points, fuse(cloud, 0.2).points)


def test_voxels_are_numbered_in_order_of_appearance_however_many_there_are():
    points = np.arange(200_000, dtype=np.float32)[::-1, None] * [1, 0, 0]
    voxel, count = voxel_ids(points, 0.5)
    assert count == 200_000
    assert_array_equal(voxel, np.arange(200_000))


def test_voxels_too_small_to_number_are_an_error_and_not_a_wrong_cloud():
    with pytest.raises(ValueError, match="too small"):
        fuse(Cloud.of_points([[0, 0, 0], [1e6, 0, 0]]), 1e-3)


def test_a_cloud_without_points_or_without_confidence_fuses_to_nothing():
    assert len(fuse(Cloud.empty(), 0.1)) == 0
    assert len(fuse([], 0.1)) == 0
    blind = Cloud(np.zeros((2, 3)), np.zeros((2, 3)), np.zeros(2), np.zeros(2), np.zeros((2, 2)))
    assert len(fuse(blind, 0.1)) == 0


@pytest.mark.parametrize("size", [0, -1, np.nan, np.inf])
def test_a_voxel_size_must_be_a_length(size):
    with pytest.raises(ValueError, match="voxel_size"):
        fuse(random_cloud(0), size)


def test_fields_of_other_lengths_and_points_that_are_not_finite_are_refused():
    with pytest.raises(ValueError, match="frame"):
        Cloud(np.zeros((2, 3)), np.zeros((2, 3)), np.zeros(2), np.zeros(3), np.zeros((2, 2)))
    with pytest.raises(ValueError, match="finite"):
        Cloud.of_points([[0, 0, np.nan]])


def test_a_cloud_is_read_only():
    with pytest.raises(ValueError, match="read-only"):
        random_cloud(0).points[0] = 0


def test_moving_a_cloud_moves_its_points_and_keeps_the_rest():
    cloud = random_cloud(2)
    pose = tf.look_at([1, 2, 3], [0, 0, 0])
    assert_allclose(cloud.moved(pose).points, tf.apply(pose, cloud.points))
    assert_array_equal(cloud.moved(pose).frame, cloud.frame)


def test_joining_keeps_order_and_selecting_takes_masks_indices_and_slices():
    a, b = random_cloud(3, 5), random_cloud(4, 3)
    both = concat([a, b])
    assert_array_equal(both.frame, np.concatenate([a.frame, b.frame]))
    assert_array_equal(both.select(np.array([7, 0])).frame, [b.frame[2], a.frame[0]])
    assert_array_equal(both.select(both.frame > 4).frame, both.frame[both.frame > 4])


def test_the_extent_ignores_a_few_far_points():
    points = np.concatenate([np.random.default_rng(0).uniform(0, 1, (1000, 3)), [[1e6, -1e6, 1e6]]])
    assert (robust_extent(points).size < 1).all()
    with pytest.raises(ValueError, match="no points"):
        robust_extent(np.zeros((0, 3)))


def test_spacing_is_that_of_the_grid_and_equal_points_do_not_count():
    grid = np.stack(np.meshgrid(np.arange(50) * 0.02, np.arange(50) * 0.02, [0.0]), axis=-1).reshape(-1, 3)
    assert typical_spacing(np.concatenate([grid, grid[:100]])) == pytest.approx(0.02)
    assert typical_spacing(np.zeros((10, 3))) == 0
    assert typical_spacing(np.zeros((1, 3))) == 0


def test_normals_of_a_plane_are_its_own_and_a_line_is_rough():
    rng = np.random.default_rng(0)
    plane = rng.uniform(0, 1, (500, 3)) * [1, 0, 1]
    normals = estimate_normals(tf.apply(tf.pitch(30), plane))
    assert_allclose(np.abs(normals.directions @ tf.pitch(30)[:3, 1]), 1, atol=1e-6)
    assert (normals.roughness < 1e-9).all()
    assert (estimate_normals(rng.normal(size=(500, 3))).roughness > 0.01).mean() > 0.9
    assert len(estimate_normals(np.zeros((1, 3))).directions) == 1
