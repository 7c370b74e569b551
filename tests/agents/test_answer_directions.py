"""The word of a set that fits a direction: the definitions of VSI-Bench, MindCube and ViewSpatial as properties."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from placecell.agents.directions import EIGHT, angle_to, axis, best_side
from placecell.engine.values import Direction, Length

clockwise = st.floats(0.01, 359.99).filter(lambda a: all(abs(a % 45 - x) > 1e-6 for x in (0, 22.5, 45)))


def towards(bearing, up=0.0):
    return (math.sin(math.radians(bearing)), up, math.cos(math.radians(bearing)))


@given(clockwise)
def test_quadrants_are_those_of_the_plane(bearing):
    counter = 360 - bearing
    wanted = ("front-left", "back-left", "back-right", "front-right")[int(counter // 90)]
    assert best_side(towards(bearing), ["back-right", "front-left", "front-right", "back-left"]).word == wanted


@given(clockwise)
def test_back_begins_at_135_degrees_of_turn(bearing):
    turn = min(bearing, 360 - bearing)
    wanted = "back" if turn > 135 else "right" if bearing < 180 else "left"
    assert best_side(towards(bearing), ["left", "right", "back"]).word == wanted


@given(clockwise)
def test_left_and_right_share_the_circle(bearing):
    side = best_side(towards(bearing), ["left", "right"])
    assert side.word == ("right" if bearing < 180 else "left")
    assert side.margin == pytest.approx(min(bearing, 360 - bearing, abs(180 - bearing)), abs=1e-6)


@given(clockwise)
def test_eight_words_are_45_degrees_wide(bearing):
    assert best_side(towards(bearing), EIGHT).word == EIGHT[round(bearing / 45) % 8]


@given(clockwise, st.floats(-5, 5))
def test_height_does_not_matter_unless_a_word_is_about_it(bearing, up):
    assert best_side(towards(bearing, up), EIGHT).word == best_side(towards(bearing), EIGHT).word


@pytest.mark.parametrize(
    ("offset", "word"),
    [
        ((0.1, 2.0, 0.1), "up"),
        ((-1.0, 1.0, 0.0), "left-up"),
        ((1.0, -0.2, 0.0), "right"),
        ((0.0, -1.0, 1.1), "front-down"),
    ],
)
def test_words_about_height_compete_in_space(offset, word):
    assert best_side(offset, ["up", "left-up", "right", "front-down"]).word == word


def test_the_margin_is_the_distance_to_the_border():
    side = best_side(towards(85.0), ["front-left", "front-right", "back-left", "back-right"])
    assert (side.word, side.rival) == ("front-right", "back-right")
    assert side.margin == pytest.approx(5.0)


def test_no_direction_and_no_side_words_give_nothing():
    assert best_side((0.0, 0.0, 0.0), ["left", "right"]) is None
    assert best_side((1.0, 0.0, 0.0), ["sofa"]) is None
    assert axis("left-sofa") is None


def direction(bearing, half_width):
    return Direction(
        bearing, 0.0, Length(2.0, "m"), towards(bearing), (bearing - half_width, bearing + half_width), (), "here"
    )


@given(st.floats(-179, 179), st.floats(0, 60))
def test_a_thing_misses_a_side_by_what_its_extent_does_not_reach(bearing, half_width):
    for word, centre in (("front", 0), ("right", 90), ("back", 180), ("left", -90)):
        off = abs((bearing - centre + 180) % 360 - 180)
        assert angle_to(direction(bearing, half_width), word) == pytest.approx(max(0.0, off - half_width), abs=1e-6)
