"""What is said around a question: places, facings, motions, facts about the photos - in front, behind, in any order."""

from __future__ import annotations

import pytest

from placecell.agents.questions.decompose import NotUnderstood, decompose
from placecell.language.decomposition import Decomposition

ASKED = "what is on my left?"


def read(question: str, **given: object) -> Decomposition:
    found = decompose(question, ["A. Sofa", "B. Door"], **given)  # type: ignore[arg-type]
    assert isinstance(found, Decomposition), str(found)
    return found


@pytest.mark.parametrize(
    ("said", "kind", "direction", "amount"),
    [
        ("I turn left", "turn", "left", None),
        ("I turn 45 degrees to the right", "turn", "right", 45),
        ("I rotate clockwise by 30 degrees", "turn", "right", 30),
        ("I turn counter-clockwise 90 degrees", "turn", "left", 90),
        ("I make a left turn", "turn", "left", None),
        ("I make a 60 degree turn to the left", "turn", "left", 60),
        ("I look to my right", "turn", "right", None),
        ("I turn around", "turn", "back", None),
        ("I turn 180 degrees", "turn", "back", None),
        ("I do an about-face", "turn", "back", None),
        ("I look up", "turn", "up", None),
        ("I walk forward", "step", "forward", None),
        ("I go straight ahead", "step", "forward", None),
        ("I walk two metres forward", "step", "forward", 2),
        ("I step back 1.5 m", "step", "backward", 1.5),
        ("I move to the left", "step", "left", None),
        ("I take three steps to the right", "step", "right", 3),
        ("I take a step backward", "step", "backward", None),
    ],
)
def test_a_stated_motion_is_read_with_its_words(said: str, kind: str, direction: str, amount: float | None) -> None:
    for question in (f"From image 1, {said}. What is on my left?", f"From image 1, if {said}, {ASKED}"):
        (motion,) = read(question).motions
        assert (motion.kind, motion.direction, motion.degrees or motion.distance) == (kind, direction, amount)
        assert motion.quote.lower() in question.lower()


def test_motions_keep_their_order() -> None:
    found = read(f"From image 2 I turn left, walk 2 m forward and then turn around; {ASKED}")
    assert [(m.kind, m.direction) for m in found.motions] == [("turn", "left"), ("step", "forward"), ("turn", "back")]


def test_a_turn_that_is_asked_for_is_not_stated() -> None:
    found = decompose("From image 1, should I turn left or right to face the lamp?")
    assert isinstance(found, Decomposition)
    assert found.motions == ()


@pytest.mark.parametrize(
    "question",
    [
        "From image 2, standing by the sofa, what is on my left?",
        "From image 2, from image 3, what is on my left?",
        "Standing by the sofa facing the door, facing the window, what is on my left?",
    ],
)
def test_two_places_at_once_are_not_understood(question: str) -> None:
    assert isinstance(decompose(question, ["A. Sofa", "B. Door"]), NotUnderstood)


def test_a_stated_facing_replaces_the_heading_of_the_image() -> None:
    found = read("From image 2, facing the window, what is on my left?")
    assert (found.reference.image, found.reference.facing.object) == (2, "window")


def test_one_image_is_where_the_viewer_stands() -> None:
    assert read("What is on my left?", image_count=1).reference.image == 1
    assert read("What is on my left?", image_count=2).reference.kind == "none"


@pytest.mark.parametrize(
    ("said", "degrees"),
    [
        ("Each next photo is 90 degrees further clockwise.", 90),
        ("Each image is rotated 90 degrees clockwise from the previous one.", 90),
        ("Every following picture is turned 60 degrees to the left of the one before.", -60),
        ("Between consecutive images the camera turned 90 degrees counter-clockwise.", -90),
        ("The camera rotates 90 degrees clockwise from each image to the next.", 90),
    ],
)
def test_the_rule_of_a_turning_camera_is_a_given_fact(said: str, degrees: float) -> None:
    found = read(f"Three photos from one standing point. {said} From image 2, {ASKED}")
    assert [(f.kind, f.degrees) for f in found.given] == [("same_spot", None), ("turned", degrees)]
    assert all(f.quote in f"Three photos from one standing point. {said}" for f in found.given)


def test_facts_about_single_images_are_given() -> None:
    found = read(f"Image 1 was taken facing the window. From image 1, {ASKED}")
    assert [(f.kind, f.image, f.object) for f in found.given] == [("faces", 1, "window")]
    found = read(f"Image 2 was taken after turning 90 degrees to the right from image 1. From image 2, {ASKED}")
    assert [(f.kind, f.image, f.other, f.degrees) for f in found.given] == [("turned", 2, 1, 90)]


def test_sides_a_thing_is_shown_from_are_given_in_the_order_of_the_images() -> None:
    preamble = "These four images show the table from different viewpoints: front, left, back and right."
    found = read(f"{preamble} From image 1, {ASKED}")
    assert [(f.kind, f.image, f.side, f.object) for f in found.given] == [
        ("from_side", 1, "front", "table"),
        ("from_side", 2, "left", "table"),
        ("from_side", 3, "back", "table"),
        ("from_side", 4, "right", "table"),
    ]


def test_what_is_only_framing_states_nothing() -> None:
    found = read(f"Hi! These three images show the same scene. Could you tell me: from image 1, {ASKED}")
    assert (found.given, found.motions) == ((), ())
