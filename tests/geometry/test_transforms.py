import itertools

import numpy as np
import pytest
from geometry_strategies import level_poses, prove, rigids, vectors
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

from placecell.geometry import transforms as tf

close = {"atol": 1e-9, "rtol": 0}


@prove
@given(rigids(), rigids(), rigids())
def test_composition_is_associative_and_stays_rigid(a, b, c):
    together = tf.compose(a, b, c)
    assert_allclose(together, tf.compose(tf.compose(a, b), c), **close)
    assert_allclose(together, tf.compose(a, tf.compose(b, c)), **close)
    assert tf.is_rigid(together)


@prove
@given(rigids())
def test_the_inverse_undoes_on_either_side(a):
    assert_allclose(tf.compose(a, tf.invert(a)), np.eye(4), **close)
    assert_allclose(tf.compose(tf.invert(a), a), np.eye(4), **close)
    assert_allclose(tf.invert(tf.invert(a)), a, **close)


@prove
@given(rigids(), rigids(), vectors())
def test_applying_a_composition_is_applying_one_after_the_other(a, b, point):
    assert_allclose(tf.apply(tf.compose(a, b), point), tf.apply(a, tf.apply(b, point)), **close)


@prove
@given(rigids(), vectors(), vectors())
def test_distances_do_not_change(a, p, q):
    assert np.linalg.norm(tf.apply(a, p) - tf.apply(a, q)) == pytest.approx(np.linalg.norm(p - q), abs=1e-9)


def test_a_batch_of_transforms_is_each_of_them():
    rng = np.random.default_rng(0)
    batch = tf.rigid(Rotation.random(5, rng=rng), rng.normal(size=(5, 3)))
    points = rng.normal(size=(5, 7, 3))
    assert_allclose(tf.invert(batch), [tf.invert(one) for one in batch])
    assert_allclose(tf.apply(batch, points), [tf.apply(one, p) for one, p in zip(batch, points, strict=True)])
    assert_allclose(tf.apply(batch[0], points), [tf.apply(batch[0], p) for p in points])
    for function in (tf.level, tf.heading, tf.elevation, tf.to_quat_wxyz, tf.rotation_angle, tf.turn, tf.step):
        assert_allclose(function(batch), [function(one) for one in batch], atol=1e-12)


def test_single_precision_points_stay_single_precision():
    assert tf.apply(np.eye(4), np.zeros((3, 3), np.float32)).dtype == np.float32
    assert tf.apply(np.eye(4), np.zeros((3, 3), int)).dtype == np.float64


def test_other_shapes_are_refused():
    with pytest.raises(ValueError, match="transform"):
        tf.invert(np.eye(3))
    with pytest.raises(ValueError, match="points"):
        tf.apply(np.eye(4), np.zeros((3, 2)))
    with pytest.raises(ValueError, match="rotation"):
        tf.rigid(np.eye(2))


@pytest.mark.parametrize("spoil", ["scale", "mirror", "last row", "not a number", "shear"])
def test_what_is_not_rigid_is_told_apart(spoil):
    matrix = tf.look_at([1, 2, 3], [0, 0, 1])
    assert tf.is_rigid(matrix)
    if spoil == "scale":
        matrix[:3, :3] *= 1.001
    elif spoil == "mirror":
        matrix[:3, 0] *= -1
    elif spoil == "last row":
        matrix[3, 0] = 1e-3
    elif spoil == "not a number":
        matrix[0, 3] = np.nan
    else:
        matrix[0, 1] += 1e-3
    assert not tf.is_rigid(matrix)


@given(rigids())
@prove
def test_a_pose_rounded_in_a_file_is_cleaned(pose):
    cleaned = tf.nearest_rigid(np.round(pose, 4))
    assert tf.is_rigid(cleaned, 1e-12)
    assert_allclose(cleaned, pose, atol=2e-4)


def test_a_mirrored_or_scaled_pose_is_not_cleaned_but_refused():
    for factor in (np.diag([1, -1, 1, 1]), np.diag([2, 2, 2, 1]), np.full((4, 4), np.nan)):
        with pytest.raises(ValueError, match="rigid"):
            tf.nearest_rigid(factor)


@prove
@given(rigids(), st.floats(0.01, 100))
def test_quaternions_round_trip_and_need_no_unit_length(pose, length):
    quat = tf.to_quat_wxyz(pose)
    assert quat[0] >= 0
    assert_allclose(tf.from_quat_wxyz(length * quat, pose[:3, 3]), pose, **close)


def test_the_scalar_of_a_quaternion_comes_first():
    assert_allclose(tf.to_quat_wxyz(np.eye(4)), [1, 0, 0, 0])
    quarter_about_y = tf.from_quat_wxyz([np.sqrt(0.5), 0, np.sqrt(0.5), 0])
    assert_allclose(tf.apply(quarter_about_y, [0, 0, 1]), [1, 0, 0], **close)


@prove
@given(st.lists(st.floats(-1, 1), min_size=9, max_size=9), rigids())
def test_no_rotation_is_nearer_than_the_nearest(entries, other):
    matrix = np.array(entries).reshape(3, 3)
    nearest = tf.nearest_rotation(matrix)
    assert tf.is_rigid(tf.rigid(nearest))
    assert np.linalg.norm(matrix - nearest) <= np.linalg.norm(matrix - other[:3, :3]) + 1e-9


def test_positive_yaw_turns_right_and_positive_pitch_looks_up():
    assert_allclose(tf.apply(tf.yaw(90), [0, 0, 1]), [1, 0, 0], **close)
    assert_allclose(tf.apply(tf.pitch(90), [0, 0, 1]), [0, -1, 0], **close)


@prove
@given(level_poses(), st.floats(-360, 360))
def test_turning_right_adds_to_the_heading_and_changes_nothing_else(pose, degrees):
    turned = tf.turn(pose, right=degrees)
    gained = tf.wrap_degrees(tf.heading(turned) - tf.heading(pose) - degrees)
    assert abs(gained) < 1e-6
    assert tf.elevation(turned) == pytest.approx(tf.elevation(pose), abs=1e-6)
    assert_allclose(turned[:3, 3], pose[:3, 3])


@prove
@given(level_poses(), st.floats(-80, 80))
def test_looking_up_from_the_horizon_is_the_elevation(pose, degrees):
    level = tf.level(pose)
    assert tf.elevation(tf.turn(level, up=degrees)) == pytest.approx(degrees, abs=1e-9)
    assert abs(tf.wrap_degrees(tf.heading(tf.turn(level, up=degrees)) - tf.heading(pose))) < 1e-6


def test_heading_is_a_compass_with_north_along_minus_z():
    for direction, expected in (([0, 0, -1], 0), ([1, 0, 0], 90), ([-1, 0, 0], -90), ([0, 0, 1], -180)):
        assert tf.heading(tf.look_at([0, 0, 0], direction)) == pytest.approx(expected)


@prove
@given(rigids())
def test_levelling_keeps_place_and_heading_and_is_done_once(pose):
    level = tf.level(pose)
    assert tf.is_rigid(level)
    assert_allclose(level[:3, 3], pose[:3, 3])
    assert_allclose(level[:3, 1], [0, -1, 0], **close)
    assert abs(tf.wrap_degrees(tf.heading(level) - tf.heading(pose))) < 1e-6
    assert_allclose(tf.level(level), level, **close)


@pytest.mark.parametrize("up", [90, -90])
@pytest.mark.parametrize("right", [0, 30, 170])
def test_a_view_straight_down_or_up_keeps_the_heading_it_was_tilted_from(right, up):
    level = tf.turn(tf.look_at([0, 0, 0], [0, 0, -1]), right=right)
    assert_allclose(tf.level(tf.turn(level, up=up)), level, **close)


@prove
@given(vectors(), vectors(), vectors())
def test_look_at_centres_the_target_and_keeps_up_towards_the_top(eye, target, up):
    distance = np.linalg.norm(target - eye)
    if distance < 1e-3 or np.linalg.norm(up) < 1e-3:
        return
    pose = tf.look_at(eye, target, up)
    assert tf.is_rigid(pose)
    assert_allclose(tf.apply(tf.invert(pose), target), [0, 0, distance], atol=1e-6)
    assert tf.rotate(tf.invert(pose), up)[1] <= 1e-6


def test_looking_straight_down_has_north_at_the_top():
    assert_allclose(tf.look_at([0, 3, 0], [0, 0, 0])[:3, 1], [0, 0, 1], **close)


def test_looking_at_oneself_is_refused():
    with pytest.raises(ValueError, match="same point"):
        tf.look_at([1, 1, 1], [1, 1, 1])


@prove
@given(level_poses(), st.floats(-5, 5), st.floats(-5, 5), st.floats(-5, 5))
def test_steps_are_measured_in_the_levelled_view(pose, right, up, forward):
    there = tf.step(pose, right, up, forward)
    assert_allclose(tf.apply(tf.invert(tf.level(pose)), there[:3, 3]), [right, -up, forward], atol=1e-8)
    assert_allclose(there[:3, :3], pose[:3, :3])


@pytest.mark.parametrize(("source", "target"), list(itertools.product(tf.CAMERA_AXES, repeat=2)))
def test_camera_conventions_round_trip(source, target):
    pose = tf.look_at([1, 2, 3], [0, 1, -1])
    there = tf.convert_camera(pose, source, target)
    assert tf.is_rigid(there)
    assert_allclose(tf.convert_camera(there, target, source), pose, **close)


@pytest.mark.parametrize(
    ("axes", "forward", "up"),
    [
        ("opencv", [0, 0, 1], [0, -1, 0]),
        ("opengl", [0, 0, -1], [0, 1, 0]),
        ("nerfstudio", [0, 0, -1], [0, 1, 0]),
        ("arkit", [0, 0, -1], [0, 1, 0]),
        ("pytorch3d", [0, 0, 1], [0, 1, 0]),
        ("ros_body", [1, 0, 0], [0, 0, 1]),
    ],
)
def test_each_convention_looks_where_its_tool_says(axes, forward, up):
    ours = tf.convert_camera(np.eye(4), axes, "opencv")
    assert_allclose(ours[:3, 2], forward)
    assert_allclose(-ours[:3, 1], up)


def test_an_unknown_convention_is_named():
    with pytest.raises(ValueError, match="unity"):
        tf.convert_camera(np.eye(4), "unity")


def test_a_world_with_z_up_becomes_one_with_y_up():
    assert tf.is_rigid(tf.Y_UP_FROM_Z_UP)
    assert_allclose(tf.apply(tf.Y_UP_FROM_Z_UP, [1, 2, 3]), [1, 3, -2])


@pytest.mark.parametrize("degrees", [0, 1e-6, 30, 179.9999, 180])
def test_rotation_angles_keep_their_digits_at_both_ends(degrees):
    turned = tf.rigid(Rotation.from_rotvec(np.radians(degrees) * np.array([0.6, 0, 0.8])))
    assert tf.rotation_angle(turned) == pytest.approx(degrees, rel=1e-9, abs=1e-12)
