import numpy as np
import pytest
from geometry_strategies import boxes, prove, rigids
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.optimize import lsq_linear

from placecell.geometry import transforms as tf
from placecell.geometry.boxes import OrientedBox
from placecell.geometry.proximity import (
    box_distances,
    closest_points,
    iou,
    overlap_volume,
    overlaps,
)


def cube(x=0.0, y=0.0, z=0.0, side=2.0):
    return OrientedBox(np.array([x, y, z]), np.eye(3), np.full(3, side))


def optimised_distance(a, b):
    """The distance by bounded least squares over the local coordinates in both boxes."""
    limit = np.concatenate([a.size, b.size]) / 2
    basis = np.concatenate([a.axes.T, -b.axes.T], axis=1)[:, limit > 0]
    limit, gap = limit[limit > 0], b.centre - a.centre
    if len(limit) == 0:
        return np.linalg.norm(gap)
    found = lsq_linear(basis, gap, (-limit, limit), method="bvls", tol=1e-14)
    return np.linalg.norm(basis @ found.x - gap)


@settings(prove, max_examples=300)
@example(  # two sheets that cross at their middles, at no special angle
    OrientedBox(np.zeros(3), tf.yaw(64)[:3, :3], np.array([1.0, 0, 1])),
    OrientedBox(np.zeros(3), tf.yaw(64)[:3, :3] @ tf.pitch(45)[:3, :3], np.array([1.0, 0, 1])),
)
@given(boxes(), boxes())
def test_box_distance_is_what_a_general_optimiser_finds(a, b):
    assert closest_points(a, b).distance == pytest.approx(optimised_distance(a, b), abs=1e-6)


@prove
@given(boxes(), boxes())
def test_the_closest_points_lie_in_their_boxes_at_that_distance(a, b):
    distance, on_a, on_b = closest_points(a, b)
    assert a.distance(on_a) < 1e-9
    assert b.distance(on_b) < 1e-9
    assert np.linalg.norm(on_a - on_b) == pytest.approx(distance, abs=1e-9)


@prove
@given(boxes(), boxes(), rigids())
def test_box_distance_is_symmetric_and_does_not_depend_on_the_frame(a, b, pose):
    distance = closest_points(a, b).distance
    assert closest_points(b, a).distance == pytest.approx(distance, abs=1e-9)
    assert closest_points(a.moved(pose), b.moved(pose)).distance == pytest.approx(distance, abs=1e-6)


@prove
@given(boxes(), boxes())
def test_the_distance_is_zero_exactly_when_the_boxes_overlap(a, b):
    distance = closest_points(a, b).distance
    assume(distance == 0 or distance > 1e-9)  # in between it is rounding that decides
    assert overlaps(a, b) == (distance == 0)


@prove
@given(st.lists(boxes(), min_size=1, max_size=4), st.lists(boxes(), max_size=4))
def test_all_pairs_at_once_are_the_pairs_one_by_one(some, others):
    expected = [[closest_points(a, b).distance for b in others] for a in some]
    assert_allclose(box_distances(some, others), np.reshape(expected, (len(some), len(others))), atol=1e-12)


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        (cube(5), 3),  # face to face
        (cube(5, 5), np.hypot(3, 3)),  # edge to edge, parallel
        (cube(5, 5, 5), np.sqrt(27)),  # corner to corner
        (cube(2), 0),  # touching faces
        (cube(0.1, side=0.5), 0),  # one inside the other
        (OrientedBox(np.array([4.0, 0, 0]), tf.yaw(45)[:3, :3].T, np.full(3, 2.0)), 3 - np.sqrt(2)),  # edge to face
    ],
)
def test_known_distances(other, expected):
    assert closest_points(cube(), other).distance == pytest.approx(expected, abs=1e-12)


def test_crossing_bars_are_closest_inside_their_edges():
    a = OrientedBox(np.zeros(3), np.eye(3), np.array([10.0, 1, 1]))
    b = OrientedBox(np.array([0, 3.0, 0]), tf.yaw(70)[:3, :3].T, np.array([10.0, 1, 1]))
    tilted = b.moved(tf.rigid(tf.pitch(45)[:3, :3], [0, 0, 0]))
    assert closest_points(a, b).distance == pytest.approx(2)
    assert closest_points(a, tilted).distance == pytest.approx(optimised_distance(a, tilted), abs=1e-9)


@prove
@given(boxes(), boxes(), rigids())
def test_shared_volume_is_symmetric_bounded_and_does_not_depend_on_the_frame(a, b, pose):
    shared = overlap_volume(a, b)
    assert 0 <= shared <= min(a.volume, b.volume) + 1e-9
    assert overlap_volume(b, a) == pytest.approx(shared, abs=1e-7)
    assert overlap_volume(a.moved(pose), b.moved(pose)) == pytest.approx(shared, abs=1e-6)


@settings(prove, max_examples=15)
@given(boxes(), boxes())
def test_shared_volume_is_the_share_of_points_in_both(a, b):
    grid = (np.stack(np.meshgrid(*[np.arange(40) + 0.5] * 3), axis=-1).reshape(-1, 3) / 40 - 0.5) * a.size
    inside = b.contains(tf.apply(a.world_from_box, grid)).mean()
    assert overlap_volume(a, b) == pytest.approx(inside * a.volume, abs=0.06 * a.volume)


def test_known_overlaps():
    assert overlap_volume(cube(), cube(1)) == pytest.approx(4)
    assert iou(cube(), cube(1)) == pytest.approx(1 / 3)
    assert iou(cube(), cube()) == pytest.approx(1)
    assert overlap_volume(cube(), cube(2)) == 0
    turned = OrientedBox(np.zeros(3), tf.yaw(45)[:3, :3].T, np.full(3, 2.0))
    assert overlap_volume(cube(), turned) == pytest.approx(2 * 8 * (np.sqrt(2) - 1))
    assert iou(cube(), OrientedBox(np.zeros(3), np.eye(3), np.array([2.0, 2, 0]))) == 0
