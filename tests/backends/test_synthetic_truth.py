"""The truth's own geometry, against rooms whose answers are known by construction."""

from __future__ import annotations

import numpy as np
import pytest

from placecell.backends.synthetic.path import Views
from placecell.backends.synthetic.scene import Shell, SyntheticObject, SyntheticRoom
from placecell.backends.synthetic.shapes import Finish, Part, Pattern, box, cylinder
from placecell.backends.synthetic.truth import (
    Sight,
    bearing,
    bearing_span,
    box_distance,
    floor_distance,
    moved,
    quadrant_angle,
    surface_distance,
    turned_side,
)
from placecell.geometry.transforms import look_at, rigid, turn, yaw

GREY = Finish(Pattern.PLAIN, (0.5, 0.5, 0.5), (0.4, 0.4, 0.4))


def thing(id_: int, name: str, at: tuple[float, float], *parts: Part, degrees: float = 0.0) -> SyntheticObject:
    pose = rigid(yaw(degrees)[:3, :3], (at[0], 0, at[1]))
    return SyntheticObject(id_, name, pose, parts or (box((0.4, 0.8, 0.4), (0, 0, 0), GREY),), True, "floor")


def room(*things: SyntheticObject) -> SyntheticRoom:
    corners = np.array([[-3.0, -3], [3, -3], [3, 3], [-3, 3]])
    return SyntheticRoom(0, "easy", "test", Shell(corners, 2.5, GREY, GREY, GREY, GREY), things)


def camera(x: float, z: float, *, right: float = 0.0, y: float = 1.5):
    """Level, looking along -z, turned right."""
    return turn(look_at((x, y, z), (x, y, z - 1)), right=right)


def test_box_distance_is_exact_for_faces_edges_and_corners():
    a = thing(1, "a", (0, 0))
    assert box_distance(a, thing(2, "b", (1.4, 0))) == pytest.approx(1.0)  # face to face
    assert box_distance(a, thing(2, "b", (1.4, 1.4))) == pytest.approx(np.sqrt(2))  # edge to edge
    reach = 0.2 * np.sqrt(2)
    assert box_distance(a, thing(2, "b", (1.4, 0), degrees=45)) == pytest.approx(1.4 - 0.2 - reach)  # face to edge
    high = box((0.4, 0.4, 0.4), (0, 1.8, 0), GREY)
    assert box_distance(a, thing(2, "b", (1.4, 1.4), high)) == pytest.approx(np.sqrt(3))  # corner to corner
    assert box_distance(a, thing(2, "b", (0.1, 0.1))) == pytest.approx(0, abs=1e-9)


def test_surface_distance_follows_the_shape_where_the_box_does_not():
    post = cylinder(0.2, 0.8, (0, 0, 0), GREY)
    a, b = thing(1, "a", (0, 0), post), thing(2, "b", (1, 1), post)
    assert box_distance(a, b) == pytest.approx(0.6 * np.sqrt(2))
    assert surface_distance(a, b) == pytest.approx(np.sqrt(2) - 0.4, abs=0.02)


def test_a_turned_box_is_noticed_where_it_fits_as_well():
    assert turned_side(thing(1, "crate", (0, 0))) == pytest.approx(0)
    # A beam that lies askew in its object's axes fits a box turned by 45 degrees better than their box.
    beam = box((2, 0.1, 0.1), (0, 0, 0), GREY, yaw=45)
    assert turned_side(thing(1, "beam", (0, 0), beam)) > 0.3


@pytest.mark.parametrize(
    ("at", "expected"), [((0, -2), 0), ((2, 0), 90), ((-2, 0), -90), ((1, -1), 45), ((-1, 1), -135)]
)
def test_bearings_are_positive_to_the_right(at, expected):
    assert bearing(camera(0, 0), np.array([at[0], 0.4, at[1]])) == pytest.approx(expected)
    assert bearing(camera(0, 0, right=30), np.array([at[0], 0.4, at[1]])) == pytest.approx(expected - 30)


def test_a_span_stays_in_one_piece_behind_the_camera():
    left, middle, right = bearing_span(camera(0, 0), thing(1, "a", (0, 2)))
    assert abs(middle) == pytest.approx(180)
    assert left < middle < right
    assert right - left == pytest.approx(2 * np.degrees(np.arctan2(0.2, 1.8)))


def test_motion_is_seen_from_the_first_camera():
    assert np.allclose(moved(camera(0, 0), camera(1, -2)), (1, 0, 2))
    assert np.allclose(moved(camera(0, 0, right=90), camera(1, -2, y=1.7)), (-2, 0.2, 1))


def test_floor_distance_leaves_out_height():
    assert floor_distance(camera(0, 0, y=1.9), thing(1, "a", (0, -2))) == pytest.approx(1.8)


@pytest.mark.parametrize(
    ("at", "low", "high"), [((1, -1), 0, 90), ((1, 1), 90, 180), ((-1, 1), 180, 270), ((-1, -1), 270, 360)]
)
def test_quadrants_go_clockwise_from_facing(at, low, high):
    # Standing in the middle and facing -z; x is to the right.
    angle = quadrant_angle(thing(1, "a", (0, 0)), thing(2, "b", (0, -2)), np.array([at[0], 0, at[1]]))
    assert low < angle < high


class TestSight:
    wall = thing(1, "wall", (0, -1), box((2.0, 1.6, 0.2), (0, 0, 0), GREY))
    hidden = thing(2, "crate", (0, -2))
    behind = thing(3, "chest", (0, 2.6))
    half = thing(4, "shelf", (1.47, -2))
    views = Views(np.array([camera(0, 1, y=0.8), camera(0, 1, y=0.8, right=180)]))
    sight = Sight.of(room(wall, hidden, behind, half), views)

    def test_hidden_and_outside_things_have_no_pixel_and_are_surely_absent(self):
        assert (self.sight.pixels[0] > 0).tolist() == [True, False, False, True]
        assert self.sight.surely_absent(0, 1)
        assert self.sight.may_show(0, 1)
        assert self.sight.surely_absent(0, 2)
        assert not self.sight.may_show(0, 2)
        assert not self.sight.surely_absent(0, 0)
        assert (self.sight.pixels[1] > 0).tolist() == [False, False, True, False]

    def test_shares_say_how_much_shows(self):
        assert self.sight.share[0, 0] > 0.95
        # The wall's edge hides the shelf up to x = 1.47 at its front, which is its middle; most of its side shows none.
        assert 0.3 < self.sight.share[0, 3] < 0.6
        assert self.sight.share[0, 1] == 0

    def test_a_thing_just_behind_what_hides_it_is_not_surely_absent(self):
        sheet = thing(1, "sheet", (0, -1), box((2.0, 1.6, 0.02), (0, 0, 0), GREY))
        close = thing(2, "poster", (0, -1.05), box((0.4, 0.4, 0.02), (0, 0.5, 0), GREY))
        sight = Sight.of(room(sheet, close), self.views)
        assert sight.pixels[0, 1] == 0
        assert sight.may_show(0, 1)
        assert not sight.surely_absent(0, 1)

    def test_coverage_is_of_the_sides_that_show(self):
        front = self.sight.coverage[0]
        assert front[0] > 0.97
        assert front[2] < 0.1
        assert (self.sight.coverage[1] == 0).all()
        assert 0.1 < self.sight.plan_coverage < 0.5
