"""Directions: bearings, spans, words, the viewer's terms around a thing, who is met first."""

from __future__ import annotations

import numpy as np
import pytest
from engine_memories import frame, memory, room, thing
from engine_running import values
from hypothesis import given
from hypothesis import strategies as st

from placecell.engine.directions import met_first, words_for
from placecell.engine.values import Absent, Direction
from placecell.geometry.transforms import look_at, turn

STAND = """
    here = query_camera_pose(memory, image=1)
    set_viewpoint(memory, at=here)
"""
NORTH = look_at([0.0, 1.5, 0.0], [0.0, 1.5, -1.0])


def located(scene, target, after="", of=None):
    (where,) = values(
        STAND
        + f"""
        {after}
        target = query_3d_object_location(memory, "{target}")
        other = query_3d_object_location(memory, "{of or target}")
        return [locate(memory, target{", of=other" if of else ""})]
        """,
        scene,
    )
    return where


def test_bearings_are_positive_to_the_right_and_words_say_them():
    table, sofa = located(room(), "table"), located(room(), "sofa")
    assert isinstance(table, Direction) and isinstance(sofa, Direction)
    assert table.bearing == pytest.approx(0) and table.words == ("front", "down")
    assert sofa.bearing == pytest.approx(90) and sofa.words[0] == "right"
    assert sofa.offset == pytest.approx((1.6, -1.1, 0.0))
    assert sofa.viewpoint == "at image 1"


def test_a_turn_moves_every_bearing():
    sofa = located(room(), "sofa", 'turn_camera(memory, "left")')
    assert abs(sofa.bearing) == pytest.approx(180) and sofa.words[0] == "back"


def test_of_several_instances_the_nearest_is_located_and_that_is_said():
    chair = located(room(), "chair")
    assert chair.offset == pytest.approx((-1.5, -1.05, 1.0))
    assert "the nearest of 2" in chair.evidence.flags


def test_the_span_covers_the_things_outline():
    sofa = located(room(), "sofa")
    # 1.8 m along z at x from 1.2 to 2.0: its near corners are at (1.2, +-0.9).
    half = np.degrees(np.arctan2(0.9, 1.2))
    assert sofa.span == pytest.approx((90 - half, 90 + half))


@given(st.floats(-180, 179.9))
def test_relative_direction_at_a_facing_b_is_the_signed_angle_between_centres(angle):
    """VSI-Bench: the angle from (facing - standing) to (asked - standing), over the floor plan."""
    a, b = np.array([0.4, 0.3, -0.7]), np.array([0.4, 0.6, -2.7])
    turned = turn(look_at(a, [0.4, 0.3, -2.7]), right=angle)
    c = a + 1.5 * turned[:3, 2] + [0, 0.4, 0]
    small = (0.1, 0.1, 0.1)
    scene = memory(instances=[thing(1, "desk", a, small), thing(2, "bed", b), thing(3, "lamp", c, small)])
    (where,) = values(
        """
        desks = query_3d_object_location(memory, "desk")
        desk = select_object(desks, by="only")
        beds = query_3d_object_location(memory, "bed")
        bed = select_object(beds, by="only")
        set_viewpoint(memory, at=desk, facing=bed)
        lamp = query_3d_object_location(memory, "lamp")
        return [locate(memory, lamp)]
        """,
        scene,
    )
    assert where.bearing == pytest.approx(angle, abs=1e-6)


def test_around_a_thing_front_is_nearer_to_the_viewer_and_left_stays_the_viewers():
    things = [
        thing(1, "table", (0, 0.5, -3)),
        thing(2, "cup", (0, 0.5, -4), (0.1, 0.1, 0.1)),  # beyond the table
        thing(3, "pen", (0, 0.5, -2), (0.1, 0.1, 0.1)),  # on this side of it
        thing(4, "book", (-1, 0.5, -3), (0.1, 0.1, 0.1)),
    ]
    scene = memory([frame(1, (0, 0.5, 0), (0, 0.5, -1))], things)
    assert located(scene, "cup", of="table").words == ("back",)
    assert located(scene, "pen", of="table").words == ("front",)
    assert located(scene, "book", of="table").words == ("left",)
    # The terms are those of the line of sight to the table, whichever way the viewer has turned.
    assert located(scene, "cup", 'turn_camera(memory, "right")', of="table").words == ("back",)


def test_a_thing_located_from_its_own_place_has_no_direction():
    scene = memory([frame(1, (0, 0, 0))], [thing(1, "table", (0, 0, 0), (0, 0, 0))])
    where = located(scene, "table")
    assert isinstance(where, Absent) and where.reason == "degenerate"


@pytest.mark.parametrize(
    ("bearing", "elevation", "words"),
    [
        (0, 0, ("front",)),
        (45, 0, ("front", "right")),
        (-90, 0, ("left",)),
        (180, 0, ("back",)),
        (-135, 40, ("back", "left", "up")),
        (0, -90, ("down",)),
    ],
)
def test_words_follow_the_eight_sectors(bearing, elevation, words):
    assert words_for(bearing, elevation, 1.0) == words


def found(direction, extra="", scene=None):
    (things,) = values(STAND + f'{extra}\nreturn [find_in_direction(memory, "{direction}")]', scene or room())
    return [t.id for t in things.instances]


def test_what_lies_that_way_is_found_by_extent_nearest_first():
    assert found("front")[0] == 1
    assert found("right") == [2]
    assert found("back")[0] == 5  # the lamp on the south side is straight behind, the chair to its right is not
    assert found("back", 'turn_camera(memory, "right")') == [3, 4]


def test_a_wide_thing_counts_by_its_edge_not_its_centre():
    wall = thing(1, "wall", (4, 1, -3), (9, 2, 0.1))  # its centre is 53 degrees to the right, its edge straight ahead
    scene = memory([frame(1, (0, 1.5, 0), (0, 1.5, -1))], [wall, thing(2, "chair", (0, 0.5, 4))])
    assert found("front", scene=scene) == [1]


def test_what_one_stands_in_is_nowhere():
    here = thing(1, "rug", (0, 0, 0), (3, 0.02, 3))
    scene = memory([frame(1, (0, 1.5, 0), (0, 1.5, -1))], [here, thing(2, "chair", (0, 0.5, -3))])
    assert found("front", scene=scene) == [2]
    assert found("left", scene=scene) == []
    assert found("down", scene=scene) == [1]


def test_behind_a_thing_is_beyond_it():
    (behind, before) = values(
        STAND
        + """
        table = query_3d_object_location(memory, "table")
        a = find_in_direction(memory, "back", of=table)
        b = find_in_direction(memory, "front", of=table)
        return [a, b]
        """,
        memory(
            [frame(1, (0, 0.5, 0), (0, 0.5, -1))],
            [thing(1, "table", (0, 0.5, -3)), thing(2, "cup", (0, 0.5, -4)), thing(3, "pen", (0, 0.5, -2))],
        ),
    )
    assert [t.name for t in behind.instances] == ["cup"]
    assert [t.name for t in before.instances] == ["pen"]


@given(st.floats(-180, 180))
def test_a_small_thing_lies_on_exactly_one_of_the_four_sides(bearing):
    place = turn(NORTH, right=bearing)[:3, 2] * 3 + [0, 1.5, 0]
    dot = thing(1, "dot", place, (0.001, 0.001, 0.001))
    sides = [s for s in ("left", "right", "front", "back") if met_first(NORTH, s, [dot])]
    assert len(sides) == 1 or abs(abs(bearing) % 90 - 45) < 0.1
