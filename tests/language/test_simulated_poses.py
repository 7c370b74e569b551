"""Simulated poses: turns add up modulo 360, steps follow the heading, units stay apart."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from placecell.language.viewpoint import Heading, Place, ViewPose, angle_between, same_way, turn_words

START = ViewPose(Place(image=1), Heading())
TURNS = st.tuples(st.sampled_from(["left", "right", "back"]), st.one_of(st.none(), st.floats(1, 360)))
STEPS = st.tuples(st.sampled_from(["forward", "backward", "left", "right", "up", "down"]), st.none())
OPPOSITE = {"left": "right", "right": "left", "forward": "backward", "backward": "forward", "up": "down", "down": "up"}


@given(TURNS)
def test_a_turn_and_its_opposite_cancel(turn):
    direction, degrees = turn
    back = START.turned(direction, degrees).turned(OPPOSITE.get(direction, "back"), degrees)
    if direction != "back":
        assert angle_between(back.yaw, 0.0) < 1e-6


@given(st.sampled_from(["left", "right"]))
def test_four_quarter_turns_are_none(direction):
    pose = START
    for _ in range(4):
        pose = pose.turned(direction, None)
    assert pose == START


@given(st.lists(TURNS, max_size=5), STEPS)
def test_a_step_and_its_opposite_cancel_under_any_heading(turns, step):
    pose = START
    for turn in turns:
        pose = pose.turned(*turn)
    direction, distance = step
    there = pose.stepped(direction, distance)
    assert there.stepped(OPPOSITE[direction], distance).displacement == pytest.approx((0, 0, 0), abs=1e-9)
    assert math.hypot(*there.displacement) == pytest.approx(1.0)


def test_after_a_right_turn_forward_is_the_old_right():
    assert START.turned("right", None).stepped("forward", None).displacement == pytest.approx((1, 0, 0))
    assert START.stepped("right", None).displacement == pytest.approx((1, 0, 0))
    assert START.stepped("forward", None).displacement == pytest.approx((0, 0, 1))
    assert START.turned("back", None).stepped("left", None).displacement == pytest.approx((1, 0, 0))


def test_metres_and_default_steps_are_never_added():
    pose = START.stepped("forward", None).stepped("forward", 2.0)
    assert pose.moved == pytest.approx((0, 0, 1))
    assert pose.metres == pytest.approx((0, 0, 2))


def test_directions_compare_by_direction_not_by_length():
    assert same_way((0, 0, 1), (0, 0, 5))
    assert not same_way((0, 0, 1), (0, 0, -1))
    assert not same_way((0, 0, 1), (0, 0, 0))
    assert same_way((0, 0, 0), (0, 0, 0))
    assert not same_way((0, 0, 1), (0.1, 0, 1))


@given(st.floats(-1000, 1000), st.floats(-1000, 1000))
def test_the_angle_between_headings_is_symmetric_and_at_most_a_half_turn(a, b):
    assert 0.0 <= angle_between(a, b) <= 180.0
    assert angle_between(a, b) == pytest.approx(angle_between(b, a), abs=1e-6)
    assert angle_between(a, a + 360.0) == pytest.approx(0.0, abs=1e-6)


def test_only_an_unmoved_unlevelled_camera_pose_is_a_photo():
    assert START.photo == 1
    assert START.turned("left", None).photo is None
    assert START.turned("left", None).turned("right", None).photo == 1
    assert ViewPose(Place(image=1), Heading(own=False, towards="sofa")).photo is None
    assert ViewPose(Place(image=1), Heading(), level=True).photo is None
    assert ViewPose(Place(name="sofa"), Heading()).photo is None


def test_turns_are_told_in_words():
    assert [turn_words(y) for y in (0, 90, 270, 180, -45, 360)] == [
        "not at all", "90 degrees right", "90 degrees left", "back", "45 degrees left", "not at all",
    ]  # fmt: skip
