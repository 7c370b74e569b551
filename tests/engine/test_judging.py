"""Looks that only eyes can judge: a model is asked about a picture of each candidate, and nothing is guessed else."""

from __future__ import annotations

from dataclasses import replace

import pytest
from engine_memories import frame, memory, thing

from placecell.engine.context import Judgement
from placecell.engine.grounding import ground
from placecell.engine.interpreter import run
from placecell.engine.judging import MOST_ASKED
from placecell.engine.values import Absent, InstanceValue
from placecell.errors import BackendUnavailable
from placecell.language.check import check

BROWN, GREY, RED, RUSTY = (120, 80, 40), (128, 128, 128), (200, 30, 30), (120, 60, 60)


def scene(*colours):
    """One chair a colour, each in a photo of its own that is all in that colour."""
    frames = [frame(n, (0, 1, 0), colour=c) for n, c in enumerate(colours, 1)]
    return memory(frames, [thing(n, "chair", (2 * n, 0.5, -2), views=(n,)) for n in range(1, len(colours) + 1)])


class Eyes:
    """Takes brown for padding, by the picture it is shown; grey it cannot make out."""

    def __init__(self, confidence=0.8):
        self.asked, self.confidence = [], confidence

    def __call__(self, question, pictures, options):
        self.asked.append(question)
        (picture,) = pictures
        red, _, blue = picture.rgb.reshape(-1, 3).mean(axis=0)
        if abs(red - blue) < 5:
            return None
        return Judgement("yes" if blue < 60 < red < 150 else "no", self.confidence)


def broken(question, pictures, options):
    raise BackendUnavailable("the model is down")


def selected(place, by, judge):
    text = f"""def plan(images):
    memory = build_static_memory(images)
    chairs = query_3d_object_location(memory, "chair")
    one = select_object(chairs, by="{by}")
    size = measure_size(memory, one)
    return [size.height]
"""
    return run(check(text).plan, place, judge=judge).bindings["one"]


def test_the_objects_that_a_model_says_a_phrase_describes_are_meant():
    eyes = Eyes()
    found = ground(scene(BROWN, RED, BROWN), "padded chair", eyes)
    assert [i.id for i in found.instances] == [1, 3]
    assert found.judged == 0.8 and "padded chair: judged on pictures" in found.evidence.flags
    assert eyes.asked == ['Does "padded chair" describe the chair in the middle of the picture?'] * 3


def test_without_a_model_such_a_phrase_stays_unknown():
    found = ground(scene(BROWN, RED), "padded chair")
    assert not found.instances and found.reason == "not looked for"


def test_a_colour_that_decides_is_not_asked_about():
    eyes = Eyes()
    assert [i.id for i in ground(scene(BROWN, RED), "red chair", eyes).instances] == [2]
    assert eyes.asked == []


@pytest.mark.parametrize(
    ("colours", "by", "asked", "outcome"),
    [
        ((BROWN, RED), "the red one", 0, 2),
        ((BROWN, RED), "the blue one", 0, "not found"),
        ((RED, RED), "the red one", 0, "ambiguous"),
        ((BROWN, RUSTY), "the red one", 2, 1),
        ((BROWN, RED), "the red one with padding", 2, 1),
        ((BROWN, RED), "the one with a red cushion", 2, 1),
    ],
)
def test_a_model_is_asked_about_a_selection_only_where_colours_do_not_decide(colours, by, asked, outcome):
    eyes = Eyes()
    one = selected(scene(*colours), by, eyes)
    assert len(eyes.asked) == asked
    assert outcome == (one.reason if isinstance(one, Absent) else one.instance.id)


def test_objects_whose_colour_no_photo_shows_are_told():
    seen = scene(RED, BROWN)
    hidden = replace(seen, instances=(*seen.instances, thing(3, "chair", (9, 0.5, -2))))
    said = "shows the colour of 1 more"
    assert any(said in f for f in ground(hidden, "red chair").evidence.flags)
    assert any(said in f for f in selected(hidden, "the red one", None).evidence.flags)
    assert said in ground(hidden, "blue chair").note
    assert selected(hidden, "the blue one", None).reason == "not seen"


def test_none_of_them_and_cannot_be_seen_stay_apart():
    assert ground(scene(RED), "padded chair", Eyes()).reason == "not found"
    assert ground(scene(RED, GREY), "padded chair", Eyes()).reason == "not seen"


def test_one_is_selected_when_exactly_one_is_judged_to_be_it():
    one = selected(scene(RED, BROWN), "the padded one", Eyes())
    assert isinstance(one, InstanceValue) and one.instance.id == 2
    assert "the padded one: judged on pictures" in one.evidence.flags


@pytest.mark.parametrize(
    ("colours", "reason"),
    [((BROWN, BROWN), "ambiguous"), ((BROWN, GREY), "ambiguous"), ((RED, RED), "not found")],
)
def test_two_or_a_doubtful_one_or_none_is_no_choice(colours, reason):
    one = selected(scene(*colours), "the padded one", Eyes())
    assert isinstance(one, Absent) and one.kind == "instance" and one.reason == reason


def test_a_model_that_is_down_is_the_reason_and_not_an_exception():
    one = selected(scene(RED, BROWN), "the padded one", broken)
    assert isinstance(one, Absent) and "the model is down" in one.message
    assert "the model is down" in ground(scene(RED, BROWN), "padded chair", broken).note


def test_a_model_is_not_asked_about_very_many():
    eyes = Eyes()
    assert ground(scene(*[RED] * (MOST_ASKED + 1)), "padded chair", eyes).reason == "ambiguous"
    assert eyes.asked == []
