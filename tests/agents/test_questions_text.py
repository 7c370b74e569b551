"""Spelling: what tokens a question gives, and that quotes are always the question's own words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from placecell.agents.questions.text import tokenise


@pytest.mark.parametrize(
    ("question", "tokens"),
    [
        ("What's on my left?", "what is on my left ?"),
        ("What\u2019s on my left?", "what is on my left ?"),
        ("It isn't there; I can't see", "it is not there ; i can not see"),
        ("the man's hat", "the man 's hat"),
        ("from the cars' own perspective", "from the cars 's own perspective"),
        ("from it's own perspective", "from its own perspective"),
        ("turn 90\u00b0 left", "turn 90 degrees left"),
        ("a 90-degree turn", "a 90 degrees turn"),
        ("walk 1.5m", "walk 1.5 m"),
        ("table(s)", "table"),
        ("[please fill in] and ___", "__ and __"),
        ("counter-clockwise or anti clockwise", "counterclockwise or counterclockwise"),
        ("in front of the trash can", "in_front_of the trash can_n"),
        ("on my left-hand side", "on my left"),
        ("the man who is on the phone", "the man who_is on the phone"),
        ("Who is it?", "who is it ?"),
    ],
)
def test_a_question_is_spelled_one_way(question: str, tokens: str) -> None:
    assert " ".join(tokenise(question).norms) == tokens


@pytest.mark.parametrize(
    "wording",
    ["image 2", "Image #2", "photo 2", "picture two", "the second view", "2nd photo", "frame 2", "image number 2",
     "the 2nd picture", "IMAGE 2", "img2"],
)  # fmt: skip
def test_an_image_reference_is_one_token(wording: str) -> None:
    assert tokenise(f"from {wording}, look").norms == ("from", "@2", ",", "look")


def test_several_images_are_numbered_one_by_one() -> None:
    assert tokenise("images 1, 2 and 3").norms == ("@1", ",", "@2", "and", "@3")
    assert tokenise("the first and the second image").norms == ("@1", "and", "@2")
    assert tokenise("between picture 1 and 3").norms == ("between", "@1", "and", "@3")


def test_the_last_image_needs_the_number_of_images() -> None:
    assert tokenise("the last image", last=5).norms == ("@5",)
    assert tokenise("the last image").norms == ("@last",)


def test_counted_things_are_not_image_numbers() -> None:
    assert tokenise("in the picture two people walk").norms == ("in", "the", "picture", "two", "people", "walk")


@given(st.text(alphabet="abc .,?'\u2019-()[]/123 \nimage", max_size=60))
def test_every_token_comes_from_the_source_in_order(source: str) -> None:
    text = tokenise(source)
    ends = [0, *(token.end for token in text.tokens)]
    assert all(token.start >= 0 and token.end <= len(source) for token in text.tokens)
    assert ends == sorted(ends)
    quote = text.quote(0, len(text))
    assert quote in source
