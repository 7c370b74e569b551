"""Options in every layout give the same letters and texts, and what they mean does not depend on the layout."""

from __future__ import annotations

import pytest

from placecell.agents.questions import answers
from placecell.agents.questions.options import RawOption, read_options

LETTERED = (RawOption("A", "left"), RawOption("B", "front-left"), RawOption("C", "back"))


@pytest.mark.parametrize(
    ("question", "options"),
    [
        ("Where is it?", ["A. left", "B. front-left", "C. back"]),
        ("Where is it?", ["(A) left", "(B) front-left", "(C) back"]),
        ("Where is it?", ["a) left", "b) front-left", "c) back"]),
        ("Where is it?", "A. left\nB. front-left\nC. back"),
        ("Where is it?", "A. left B. front-left C. back"),
        ("Where is it? A. left B. front-left C. back", None),
        ("Where is it? (A) left (B) front-left (C) back", None),
        ("Where is it?\nOptions:\nA) left\nB) front-left\nC) back", None),
        ("Where is it? Choose from the following options: A. left B. front-left C. back", None),
        ("Where is it? A. something B. else", ["A. left", "B. front-left", "C. back"]),
    ],
)
def test_any_layout_gives_letters_and_texts(question: str, options: list[str] | str | None) -> None:
    assert read_options(question, options) == ("Where is it?", LETTERED)


def test_options_without_letters_have_none() -> None:
    assert read_options("Where?", ["left", "A long wall"])[1] == (RawOption("", "left"), RawOption("", "A long wall"))


def test_a_letter_inside_a_question_is_no_option() -> None:
    assert read_options("Is plan A. bigger than the desk?", None) == ("Is plan A. bigger than the desk?", ())


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("left", "left"), ("To my left.", "left"), ("on the left-hand side", "left"), ("front left", "front-left"),
        ("Front-Right", "front-right"), ("behind me", "back"), ("above-right", "right-up"), ("back-down", "back-down"),
        ("straight ahead", "front"), ("left and right", None), ("left or right", None), ("sofa", None), ("", None),
    ],
)  # fmt: skip
def test_sides(text: str, meaning: str | None) -> None:
    assert answers.side(text) == meaning


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("Directly left", "left"), ("Diagonally forward and right", "forward-right"), ("coming closer", "towards"),
        ("away from the camera", "away"), ("going further away", "away"), ("not moving", "not moving"),
        ("staying in place", "not moving"), ("moving straight and not turning", "straight"), ("no turn", "not turning"),
        ("not spinning", "not rotating"), ("anti-clockwise", "counterclockwise"), ("no dog there", "absent"),
        ("there are no cars in the video", "absent"), ("not enough information in the scene to answer", "unsure"),
        ("neither", "neither"), ("both ways", "both"), ("uphill", "uphill"), ("the blue car", None), ("yes", None),
    ],
)  # fmt: skip
def test_ways_of_moving(text: str, meaning: str | None) -> None:
    assert answers.motion(text) == meaning


@pytest.mark.parametrize(("text", "meaning"), [("2", "2"), ("two", "2"), ("Twice", "2"), ("Not at all", "0"),
                                               ("3 logs", "3"), ("left", None), ("", None)])  # fmt: skip
def test_counts(text: str, meaning: str | None) -> None:
    assert answers.number(text) == meaning


def test_turns_and_orders_are_sequences() -> None:
    assert answers.turns("Turn Left, Turn Back") == ("left", "back")
    assert answers.turns("left then right") == ("left", "right")
    assert answers.turns("Dance") is None
    assert answers.order("the door, lamp -> bed", ("lamp", "bed", "door")) == ("door", "lamp", "bed")
    assert answers.order("door, lamp", ("lamp", "bed", "door")) is None
