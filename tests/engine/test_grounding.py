"""Phrases: a name means its objects, a colour is judged on the photos, and nothing is claimed that nobody saw."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from engine_memories import frame, memory, room, thing
from hypothesis import given
from hypothesis import strategies as st

from placecell.agents.pipeline import ask
from placecell.engine.colours import PERHAPS, SURE, colour_fits
from placecell.engine.grounding import ground
from placecell.language.attributes import BASIC
from placecell.memory.names import find

RED, BLUE, RUSTY = (200, 30, 30), (30, 60, 200), (120, 60, 60)


def scene(*colours, name="chair"):
    """One chair a colour, each in a photo of its own that is all in that colour, and a table two metres off."""
    frames = [frame(n, (0, 1, 0), colour=c) for n, c in enumerate(colours, 1)]
    things = [thing(n, name, (2 * n, 0.5, -2), views=(n,)) for n in range(1, len(colours) + 1)]
    return memory(frames, [*things, thing(99, "table", (0, 0.5, -2), views=(1,))], vocabulary=("sofa",))


def ids(found):
    return [i.id for i in found.instances]


def test_the_object_of_that_colour_is_meant():
    two = scene(RED, BLUE)
    assert ids(ground(two, "red chair")) == [1]
    assert ids(ground(two, "the blue chairs")) == [2]
    assert ids(ground(scene(RED, BLUE, RED), "red chairs")) == [1, 3]


def test_a_name_of_the_memory_wins_over_judging():
    named = replace(scene(BLUE), instances=(*scene(BLUE).instances, thing(7, "red chair", (5, 0, 0))))
    found = ground(named, "the red chair")
    assert ids(found) == [7] and found.judged is None


def test_of_several_one_is_named_by_the_number_it_has_in_lists_and_pictures():
    two = scene(RED, BLUE)
    assert ids(ground(two, "chair 2")) == ids(ground(two, "the chair #2")) == [2]
    assert [i.id for i in find(two, "chairs 2")] == [2] and find(two, "chair 99") == ()
    assert ground(two, "chair 99").note == "there is chair 1, chair 2" and not ids(ground(two, "chair 99"))
    assert ground(two, "piano 2").reason == "not looked for"
    many = ask(two, "How wide is the chair?").reason or ""
    assert many.endswith("there are 2 of chair, not one; name one: chair 1, chair 2")
    assert ask(two, "How wide is chair 2?").value is not None


def test_what_has_another_colour_is_not_there():
    found = ground(scene(BLUE, BLUE), "yellow chair")
    assert (found.instances, found.reason) == ((), "not found")
    assert found.note == "none of 2 chair looks yellow"
    assert found.judged is not None and found.judged > 0.9


def test_a_colour_between_two_names_is_said_to_be_uncertain():
    found = ground(scene(RUSTY), "red chair")
    assert ids(found) == [1] and found.judged is not None and found.judged < 0.9
    assert "not certain that it is red" in found.evidence.flags


def test_without_photos_no_colour_is_claimed_or_denied():
    found = ground(room(), "red table")
    blind = replace(room(), instances=tuple(replace(i, views=()) for i in room().instances))
    assert ground(blind, "red table").reason == "not seen"
    assert found.reason == "not found"


def test_not_looked_for_and_not_there_stay_apart():
    assert ground(scene(RED), "red sofa").reason == "not found"
    assert ground(scene(RED), "red piano").reason == "not looked for"
    assert ground(scene(RED), "red").reason == "not looked for"


def test_too_many_objects_are_not_looked_at():
    assert ground(scene(*[RED] * 41), "red chair").reason == "ambiguous"


def test_questions_with_a_colour_are_answered_about_that_object():
    two = scene(RED, BLUE)
    red, blue = (ask(two, f"How far is the {c} chair from the table?") for c in ("red", "blue"))
    assert (red.value, blue.value) == pytest.approx((1.5, 3.5))
    assert 'query_3d_object_location(memory, "red chair")' in (red.program or "")
    assert ask(two, "How many red chairs are there?").value == 1
    assert ask(two, "Is there a yellow chair?").value is False
    assert ask(two, "Is there a red chair?").value is True
    assert ask(two, "Which is closer to the table, the red chair or the blue chair?").answer == "red chair"
    assert ask(two, "How wide is the blue chair?").value == pytest.approx(0.5)


def test_a_doubtful_colour_lowers_the_confidence_and_is_said():
    sure, doubtful = (ask(scene(c), "How far is the red chair from the table?") for c in (RED, RUSTY))
    assert doubtful.confidence < 0.65 < sure.confidence
    assert "red chair: not certain that it is red" in doubtful.notes
    count = ask(scene(RUSTY), "How many red chairs are there?")
    assert count.interval == (0, 1) and "1 of them uncertain" in count.notes


def test_why_there_is_no_answer_about_a_colour_is_said():
    assert "the chair is not yellow" in (ask(scene(RED), "How far is the yellow chair from the table?").reason or "")
    blind = memory([], [thing(1, "chair", (0, 0, 0)), thing(2, "table", (3, 0, 0))])
    for question in (
        "How far is the red chair from the table?",
        "How many red chairs are there?",
        "Is there a red chair?",
    ):
        answer = ask(blind, question)
        assert answer.abstained and "no photo shows the colour of any chair" in (answer.reason or ""), answer.reason


def test_two_of_a_colour_are_ambiguous_where_one_is_needed():
    answer = ask(scene(RED, RED), "How wide is the red chair?")
    assert answer.abstained and "2 of red chair" in (answer.reason or "")


def test_names_in_other_languages_are_found_as_they_are():
    german = memory(
        [frame(1, (0, 1, 0))],
        [
            thing(1, "Kühlschrank", (0, 1, 0), (1, 2, 1)),
            thing(2, "Tür", (3, 1, 0), (1, 2, 0.1)),
            thing(3, "椅子", (0, 0, 5)),
        ],
    )
    answer = ask(german, "How far is the Kühlschrank from the Tür?")
    assert answer.value == pytest.approx(2.0)
    assert ids(ground(german, "KÜHLSCHRANK")) == [1] and ids(ground(german, "椅子")) == [3]


@given(st.tuples(*[st.integers(0, 255)] * 3))
def test_the_fitting_terms_are_those_near_the_colour(colour):
    found = colour_fits(scene(colour), scene(colour).instances[0])
    assert set(found) == set(BASIC) and all(0 <= f <= 1 for f in found.values())
    assert max(found.values()) == pytest.approx(1.0) and SURE > PERHAPS


def test_a_dark_photo_is_judged_as_if_well_exposed():
    dim = np.full((48, 64, 3), (150, 148, 146), np.uint8)
    dim[:, :32] = (90, 20, 20)
    made = memory([replace(frame(1, (0, 1, 0)), read_rgb=lambda: dim)], [thing(1, "wall", (0, 0, -2), views=(1,))])
    assert colour_fits(made, made.instances[0])["red"] > 0.3
