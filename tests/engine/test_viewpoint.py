"""Viewpoints as values: turning, stepping, levelling, facing, and the words for them."""

from __future__ import annotations

import numpy as np
import pytest
from engine_memories import room, thing
from hypothesis import given
from hypothesis import strategies as st

from placecell.engine.transform import stand
from placecell.engine.values import Absent, InstanceValue, PoseValue
from placecell.engine.viewpoint import Viewpoint
from placecell.engine.views import View
from placecell.errors import UserError
from placecell.geometry.transforms import apply, is_rigid, look_at, rigid, turn

TURNS = st.tuples(st.sampled_from(["left", "right", "back", "up", "down"]), st.floats(0.1, 360))
STEPS = st.tuples(st.sampled_from(["forward", "backward", "left", "right", "up", "down"]), st.floats(0.01, 5))
NORTH = look_at([0.0, 1.5, 0.0], [0.0, 1.5, -1.0])


def at(pose=NORTH, **more):
    return Viewpoint(pose, "image 1", "m", **more)


def test_the_default_turns_are_a_quarter_half_and_an_eighth():
    assert at().turned("right").yaw == 90
    assert at().turned("left").yaw == 270
    assert at().turned("back").yaw == 180
    assert at().turned("up").elevation == pytest.approx(45)


def test_right_and_left_of_someone_looking_north_are_east_and_west():
    assert at().turned("right").world_from_cam[:3, 2] == pytest.approx([1, 0, 0])
    assert at().turned("left").world_from_cam[:3, 2] == pytest.approx([-1, 0, 0])


@given(st.lists(TURNS, max_size=6), st.permutations(range(6)))
def test_turns_on_one_spot_may_come_in_any_order(turns, order):
    shuffled = [turns[i] for i in order if i < len(turns)]
    a, b = at(), at()
    for direction, degrees in turns:
        a = a.turned(direction, degrees)
    for direction, degrees in shuffled:
        b = b.turned(direction, degrees)
    assert is_rigid(a.world_from_cam)
    assert np.allclose(a.world_from_cam, b.world_from_cam, atol=1e-9)


def test_four_quarter_turns_are_the_same_pose_to_the_last_bit():
    here = at()
    for _ in range(4):
        here = here.turned("right")
    assert np.array_equal(here.world_from_cam, at().world_from_cam)
    assert here.words() == "at image 1"


@given(STEPS, TURNS)
def test_a_step_and_its_opposite_cancel(step, turned):
    pairs = (("forward", "backward"), ("left", "right"), ("up", "down"))
    opposite = dict([*pairs, *(pair[::-1] for pair in pairs)])
    start = at().turned(*turned)
    back = start.stepped(*step).stepped(opposite[step[0]], step[1])
    assert np.allclose(back.world_from_cam, start.world_from_cam, atol=1e-12)


@given(st.floats(-80, 80), st.floats(0.01, 5))
def test_forward_stays_on_the_floor_however_far_one_looks_up_or_down(tilt, distance):
    pose = turn(NORTH, up=tilt)
    for level in (True, False):
        here = at(pose, level=level) if not level else at(NORTH, level=True)
        moved = here.stepped("forward", distance)
        assert moved.position == pytest.approx([0, 1.5, -distance])


@given(st.lists(st.tuples(st.sampled_from(["up", "down"]), st.floats(1, 90)), max_size=5))
def test_looking_up_and_down_ends_at_the_vertical_and_keeps_the_heading(tilts):
    here = at()
    for direction, degrees in tilts:
        here = here.turned(direction, degrees)
    assert abs(here.elevation) <= 90 + 1e-9
    assert here.stepped("forward", 1.0).position == pytest.approx([0, 1.5, -1])


def test_offsets_are_right_up_forward_of_the_levelled_viewer():
    here = at(turn(NORTH, up=-30), level=False)
    assert here.offsets(np.array([2.0, 2.0, -5.0])) == pytest.approx([2.0, 0.5, 5.0])
    assert here.turned("right").offsets(np.array([2.0, 2.0, -5.0])) == pytest.approx([-5.0, 0.5, 2.0])


def test_words_say_the_pose_not_the_way_to_it():
    here = at().turned("right", 30).turned("right", 15).turned("up", 20)
    assert here.words() == "at image 1, turned 45 degrees right, looking 20 degrees up"
    assert at().turned("back").words() == "at image 1, turned 180 degrees"
    moved = at().turned("right").stepped("forward", 0.5)
    assert moved.words() == "at image 1, turned 90 degrees right, moved 0.5 m right as seen before turning"
    assert at().stepped("backward", 1.25).words() == "at image 1, moved 1.25 m back"
    assert at(facing="the sofa").words() == "at image 1, facing the sofa"


def pose_value(pose=NORTH, image=1):
    return PoseValue(pose, f"image {image}", image)


def test_setting_a_level_viewpoint_drops_pitch_and_roll():
    rolled = turn(NORTH, up=-25) @ rigid([[0, -1, 0], [1, 0, 0], [0, 0, 1]])
    level = stand(room(), pose_value(rolled))
    free = stand(room(), pose_value(rolled), level=False)
    assert isinstance(level, Viewpoint) and isinstance(free, Viewpoint)
    assert level.elevation == pytest.approx(0)
    assert np.array_equal(free.world_from_cam, rolled)


def test_facing_an_object_looks_at_its_centre_and_facing_a_pose_takes_its_heading():
    sofa = InstanceValue(room().instances[1])
    towards = stand(room(), pose_value(), sofa)
    assert isinstance(towards, Viewpoint)
    assert towards.world_from_cam[:3, 2] == pytest.approx([1, 0, 0])
    other = pose_value(look_at([1, 1.5, 0.5], [0, 1.5, 0.5]), 2)
    along = stand(room(), pose_value(), other)
    assert isinstance(along, Viewpoint)
    assert along.world_from_cam[:3, 2] == pytest.approx([-1, 0, 0])
    assert along.position == pytest.approx([0, 1.5, 0])
    assert along.words() == "at image 1, facing the same way as image 2"


def test_standing_at_an_object_uses_its_centre_and_lifts_only_the_eye():
    table, sofa = (InstanceValue(room().instances[k]) for k in (0, 1))
    here = stand(room(), table, sofa)
    assert isinstance(here, Viewpoint)
    assert here.position == pytest.approx([0, 0.4, -2])
    assert here.eye[:3, 3] == pytest.approx([0, 1.5, -2])  # as high as the cameras
    assert here.standing_in is table.instance


def test_a_place_without_a_heading_is_absent():
    table = InstanceValue(room().instances[0])
    assert isinstance(stand(room(), table), Absent)  # its front is not known
    assert isinstance(stand(room(), table, table), Absent)  # it cannot face itself
    above = InstanceValue(thing(9, "hook", (0, 2.4, 0)))
    up = stand(room(), pose_value(), above)
    assert isinstance(up, Absent) and up.reason == "degenerate"
    looking = stand(room(), pose_value(), above, level=False)
    assert isinstance(looking, Viewpoint) and looking.elevation == pytest.approx(90)


def test_an_object_with_a_known_front_looks_along_it():
    chair = InstanceValue(thing(1, "chair", (1, 0.5, 1), front=np.array([-1.0, 0.0, 0.0])))
    here = stand(room(), chair)
    assert isinstance(here, Viewpoint)
    assert here.world_from_cam[:3, 2] == pytest.approx([-1, 0, 0])


def test_views_are_values():
    start = View.of_image(room(), 1)
    moved = start.turn("right").step("forward", 0.5)
    assert start.world_from_cam == pytest.approx(NORTH)
    assert moved.world_from_cam[:3, 3] == pytest.approx([0.5, 1.5, 0])
    assert apply(moved.world_from_cam, np.array([0.0, 0.0, 1.0])) == pytest.approx([1.5, 1.5, 0])
    assert start.step("forward").viewpoint.shift == pytest.approx((0, 0, -0.5))  # a tenth of the room's 5 m


@pytest.mark.parametrize(
    "wrong",
    [
        lambda v: v.turn("sideways"),
        lambda v: v.step("back", 1),
        lambda v: View.of_image(v.scene, 9),
        lambda v: View.of_image(v.scene, 3),
        lambda v: View.at(v.scene, 2 * np.eye(4)),
    ],
)
def test_a_view_that_cannot_be_is_the_callers_mistake(wrong):
    with pytest.raises(UserError):
        wrong(View.of_image(room(), 1))
