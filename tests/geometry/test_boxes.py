import numpy as np
import pytest
from geometry_strategies import boxes, prove, rigids, vectors
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

from placecell.errors import UserError
from placecell.geometry import transforms as tf
from placecell.geometry.boxes import OrientedBox, gravity_box, oriented_box

point_sets = st.lists(vectors(3.0), min_size=1, max_size=30).map(np.array)


def points_on(box, n=3000, seed=0):
    """Points on the faces of a box, corners included."""
    rng = np.random.default_rng(seed)
    local = rng.uniform(-1, 1, (n, 3))
    face = rng.integers(0, 3, n)
    local[np.arange(n), face] = np.sign(local[np.arange(n), face])
    return np.concatenate([tf.apply(box.world_from_box, local * box.size / 2), box.corners])


@prove
@given(point_sets)
def test_every_point_is_in_its_box(points):
    for box in (gravity_box(points), oriented_box(points)):
        assert box.contains(points, margin=1e-6).all()


def test_a_free_box_is_close_to_the_smallest_that_many_turns_find():
    # Close: the search is not exhaustive, and for a handful of points its starts are few.
    rng = np.random.default_rng(0)
    excess = []
    for count in (5, 10, 30, 100) * 5:
        points = rng.normal(size=(count, 3)) * rng.uniform(0.2, 1, 3)
        turns = Rotation.random(3000, rng=rng).as_matrix()
        tried = np.ptp(points @ turns, axis=1).prod(axis=1).min()
        turned = oriented_box(tf.apply(tf.rigid(turns[0]), points)).volume
        found = oriented_box(points).volume
        assert found <= tried * 1.02
        excess.append(abs(np.log(turned / found)))
    assert np.median(excess) < 0.001
    assert max(excess) < 0.05


@prove
@given(rigids(), st.tuples(*[st.floats(0.1, 3)] * 3))
def test_the_box_of_points_on_a_box_is_that_box(pose, size):
    truth = OrientedBox(pose[:3, 3], pose[:3, :3].T, np.array(size))
    found = oriented_box(points_on(truth))
    assert_allclose(np.sort(found.size), np.sort(size), atol=1e-6)
    assert_allclose(found.centre, truth.centre, atol=1e-6)
    assert found.size[0] >= found.size[1] >= found.size[2]


@prove
@given(vectors(), st.floats(-180, 180), st.tuples(*[st.floats(0.1, 3)] * 3))
def test_the_upright_box_of_points_on_an_upright_box_is_that_box(centre, turn, size):
    axes = Rotation.from_euler("y", turn, degrees=True).as_matrix()
    found = gravity_box(points_on(OrientedBox(centre, axes, np.array(size))))
    assert_allclose(found.axes[1], [0, 1, 0])
    assert found.size[1] == pytest.approx(size[1])
    assert_allclose(found.size[[0, 2]], sorted([size[0], size[2]], reverse=True), atol=1e-6)


@pytest.mark.parametrize("turn", [0, 20, 45])
def test_two_faces_of_a_thing_show_its_orientation(turn):
    """The rectangle along the diagonal of its outline would be as small."""
    thing = OrientedBox(np.array([1.0, 1.0, 0.0]), tf.yaw(turn)[:3, :3].T, np.array([0.7, 1.8, 0.6]))
    points = points_on(thing)
    local = thing.to_local(points) / thing.size
    seen = points[(local[:, 0] > 0.499) | (local[:, 2] > 0.499)]
    seen = seen + 0.01 * np.random.default_rng(1).standard_normal(seen.shape)
    found = gravity_box(seen, trim=0.005, grow=0.0)
    assert_allclose(found.centre, thing.centre, atol=0.03)
    assert_allclose(found.size, thing.size, atol=0.06)


@pytest.mark.parametrize("fit", [gravity_box, oriented_box])
def test_trimming_drops_specks_without_shrinking_the_thing(fit):
    thing = OrientedBox(np.array([1.0, 1.0, 0.0]), tf.yaw(25)[:3, :3].T, np.array([2.0, 0.8, 0.5]))
    specks = np.random.default_rng(5).uniform(-4, 4, (15, 3))
    points = np.concatenate([points_on(thing), specks])
    assert fit(points).longest > 4
    assert_allclose(np.sort(fit(points, trim=0.01).size), np.sort(thing.size), rtol=0.03)
    assert_allclose(np.sort(fit(points_on(thing), trim=0.01).size), np.sort(thing.size), rtol=0.03)


@pytest.mark.parametrize("fit", [gravity_box, oriented_box])
@pytest.mark.parametrize("trim", [0.0, 0.02])
@pytest.mark.parametrize(
    ("points", "sides"),
    [
        (np.ones((1, 3)), [0, 0, 0]),
        (np.ones((7, 3)), [0, 0, 0]),
        (np.array([[0, 1, 2], [3, 1, 2.0]]), [3, 0, 0]),
        (np.outer(np.arange(60.0), [0, 1, 0]), [59, 0, 0]),
        (np.array([[x, 0, z] for x in range(9) for z in range(5)], float), [8, 4, 0]),
    ],
)
def test_points_without_volume_have_a_flat_box(fit, trim, points, sides):
    assert_allclose(np.sort(fit(points, trim).size)[::-1], sides, atol=1e-9)


def test_a_tilted_plane_has_a_free_box_without_thickness():
    flat = np.random.default_rng(0).uniform(0, 1, (500, 3)) * [2, 1, 0]
    tilted = tf.apply(tf.rigid(Rotation.from_euler("xyz", [20, 30, 40], degrees=True)), flat)
    assert oriented_box(tilted).size[2] < 1e-9


def test_a_round_thing_of_many_corners_has_a_box_of_its_diameter():
    sphere = np.random.default_rng(0).normal(size=(20_000, 3))
    sphere /= np.linalg.norm(sphere, axis=1, keepdims=True)
    assert_allclose(oriented_box(sphere).size, 2, atol=0.01)


def test_no_points_have_no_box():
    for fit in (gravity_box, oriented_box):
        with pytest.raises(UserError, match="no points"):
            fit(np.zeros((0, 3)))


@prove
@given(boxes(), rigids(), vectors())
def test_a_moved_box_is_as_far_from_moved_points(box, pose, point):
    assert box.moved(pose).distance(tf.apply(pose, point)) == pytest.approx(box.distance(point), abs=1e-9)


@prove
@given(boxes(), vectors(4.0))
def test_the_closest_point_is_in_the_box_and_as_far_as_the_distance_says(box, point):
    closest = box.closest_points(point)
    assert box.distance(closest) < 1e-9
    assert np.linalg.norm(closest - point) == pytest.approx(box.distance(point), abs=1e-9)
    # Optimal for a convex set: no point of the box lies further towards the outside point.
    assert ((box.corners - closest) @ (point - closest) <= 1e-9).all()


@prove
@given(boxes())
def test_corners_are_numbered_by_the_ends_of_the_axes(box):
    local = box.to_local(box.corners)
    expected = [[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
    assert_allclose(local, np.array(expected) * box.size / 2, atol=1e-9)
    assert box.contains(box.corners, margin=1e-9).all()


def test_left_handed_axes_describe_the_same_box():
    axes = np.diag([1.0, 1.0, -1.0])
    box = OrientedBox(np.zeros(3), axes, np.array([1.0, 2, 3]))
    assert np.linalg.det(box.axes) == pytest.approx(1)
    assert_allclose(axes[2], [0, 0, -1])


@pytest.mark.parametrize(
    ("centre", "axes", "size"),
    [
        (np.zeros(2), np.eye(3), np.ones(3)),
        (np.zeros(3), 2 * np.eye(3), np.ones(3)),
        (np.zeros(3), np.eye(3), -np.ones(3)),
        (np.full(3, np.nan), np.eye(3), np.ones(3)),
    ],
)
def test_what_is_no_box_is_refused(centre, axes, size):
    with pytest.raises(ValueError, match=r"centre|axes|size"):
        OrientedBox(centre, axes, size)
