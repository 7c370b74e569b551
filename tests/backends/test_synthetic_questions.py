"""Questions are well formed, balanced, unambiguous by their margins, and their answers follow from the room."""

from __future__ import annotations

import string
from collections import Counter

import numpy as np
import pytest

from placecell.backends.synthetic.asked_views import _sorted_by_sector
from placecell.backends.synthetic.capture import default_views, make_room
from placecell.backends.synthetic.path import around, moves, walk
from placecell.backends.synthetic.questions import FAMILIES, MARGINS, questions_about
from placecell.backends.synthetic.truth import moved
from placecell.backends.synthetic.wording import DIAGONAL_WORDS, MOVE_WORDS, WORDINGS, listed, plural
from placecell.errors import UserError
from placecell.geometry.transforms import look_at

SMALL = (160, 120)


@pytest.fixture(scope="module")
def asked():
    """(room, question) of a few rooms of every level, photos and video."""
    found = []
    for seed, level in enumerate(("easy", "medium", "hard", "adversarial")):
        room = make_room(seed, level)
        found += [(room, q) for q in questions_about(room, default_views(room), per_family=4, size=SMALL)]
    video = make_room(1, "medium")
    found += [(video, q) for q in questions_about(video, walk(video), families=("appearance order",), size=SMALL)]
    return found


def test_every_family_is_asked_and_says_its_margin(asked):
    assert {q.family for _, q in asked} == set(FAMILIES) == set(MARGINS) == set(WORDINGS)


def test_options_are_lettered_distinct_and_hold_the_truth_once(asked):
    for _, q in asked:
        if q.scoring == "mra":
            assert q.options == ()
            assert q.value == float(q.answer) > 0
            continue
        assert q.value is None
        letters, texts = zip(*(option.split(". ", 1) for option in q.options), strict=True)
        assert "".join(letters) == string.ascii_uppercase[: len(letters)]
        assert len(set(texts)) == len(texts) >= 2
        assert texts[letters.index(q.answer)] == q.truth


def test_no_slot_is_left_open_and_named_things_exist(asked):
    for room, q in asked:
        assert "{" not in q.question
        if q.family in ("nearest", "farthest", "side", "side after turn"):
            assert all(option.split(". ")[1] in room.names for option in q.options)


def test_the_same_call_asks_the_same_and_another_seed_differently():
    room = make_room(0, "easy")
    views = around(room, 8)
    one = questions_about(room, views, size=SMALL)
    assert one == questions_about(room, views, size=SMALL)
    assert one != questions_about(room, views, size=SMALL, seed=1)


def test_answers_are_balanced(asked):
    yes = Counter(q.truth for _, q in asked if q.family in ("visibility", "closer"))
    assert 0.5 <= yes["Yes"] / yes["No"] <= 2
    letters = Counter(q.answer for _, q in asked if len(q.options) == 4)
    assert max(letters.values()) < 2.5 * min(letters.values())


def test_things_asked_about_are_the_only_ones_of_their_name(asked):
    for room, q in asked:
        if q.family == "count":
            name = next(n for n in room.names if plural(n) in q.question or f"{n}(s)" in q.question)
            assert q.value == len(room.named(name))
        elif q.family in ("distance", "size"):
            mentioned = [n for n in room.names if f"the {n} " in q.question + " " or f"the {n}," in q.question]
            assert all(len(room.named(n)) == 1 for n in mentioned)


def test_distance_truth_is_that_of_the_boxes_sampled(asked):
    for room, q in asked:
        if q.family != "distance":
            continue
        names = [n for n in room.names if f"the {n} " in q.question.replace(",", " ").replace("?", " ")]
        a, b = (room.named(max(names, key=len))[0], room.named(min(names, key=len))[0])
        if len(names) != 2:
            continue
        grid = np.stack(np.meshgrid(*[np.linspace(-0.5, 0.5, 12)] * 3), axis=-1).reshape(-1, 3)
        points = a.box.centre + (grid * a.box.size) @ a.box.axes
        assert q.value <= b.box.distance(points).min() + 0.006
        assert q.value >= b.box.distance(points).min() - np.linalg.norm(a.box.size) / 11


@pytest.mark.parametrize(
    ("step", "words", "right"),
    [
        ((0.0, 1.0), MOVE_WORDS, "forward"),
        ((-1.0, 0.1), MOVE_WORDS, "left"),
        ((0.2, -1.0), MOVE_WORDS, "backward"),
        ((0.8, 0.8), DIAGONAL_WORDS, "diagonally forward and right"),
        ((-0.8, -0.7), DIAGONAL_WORDS, "diagonally backward and left"),
    ],
)
def test_motion_words_are_those_of_the_step(step, words, right):
    room = make_room(0, "easy")
    views = moves(look_at((0, 1.5, 0), (0.4, 1.4, 1)), [(*step, 70.0)])
    asked = questions_about(room, views, families=("camera motion",), per_family=8, size=SMALL)
    forth = [q for q in asked if q.question.index(" 1") < q.question.index(" 2")]
    assert {q.truth for q in forth if q.truth in words} <= {right}
    assert forth
    assert moved(*views.world_from_cam)[0] == pytest.approx(step[0])


@pytest.mark.parametrize(
    ("spans", "heading", "inside", "outside"),
    [
        ([(-10, 0, 10)], 0, [0], []),
        ([(-10, 0, 10)], 90, [], [0]),
        ([(-60, 0, 60)], 0, [], []),  # wider than the side
        ([(20, 40, 44)], 0, [], []),  # too near the edge
        ([(170, 180, 190)], -180, [0], []),
        ([(-190, -180, -170)], 0, [], [0]),
        ([(40, 90, 140)], 0, [], []),  # reaches to the edge
    ],
)
def test_a_side_takes_what_is_clearly_in_it_and_leaves_what_is_clearly_not(spans, heading, inside, outside):
    class Named:
        name = 0

    found = _sorted_by_sector([(Named, span) for span in spans], heading)
    assert found == (inside, outside)


def test_photos_are_not_asked_for_an_order_of_appearance():
    room = make_room(0, "easy")
    assert questions_about(room, around(room, 4), families=("appearance order",), size=SMALL) == ()


def test_an_unknown_family_is_named():
    room = make_room(0, "easy")
    with pytest.raises(UserError, match="unknown question family 'colour'"):
        questions_about(room, around(room, 2), families=("colour",))


def test_nouns():
    assert plural("bookshelf") == "bookshelves"
    assert plural("bench") == "benches"
    assert plural("trash can") == "trash cans"
    assert listed(("bed", "sofa", "tv"), "or") == "the bed, the sofa or the tv"
