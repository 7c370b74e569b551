"""What the one-shot language can say of the families: run where it can, refused with a code where it cannot."""

import pytest
from cell_questions import FAMILIES, questions
from cell_worlds import memory

from placecell.engine.interpreter import run
from placecell.engine.values import Absent, Angle, Text
from placecell.language.check import check

STILL = "def plan(images):\n    memory = build_static_memory(images)\n    "
VIDEO = "def plan(video):\n    memory = build_dynamic_memory(video)\n    "
THINGS = """
    one = query_3d_object_location(memory, "door")
    other = query_3d_object_location(memory, "table")
    gap = measure_distance(memory, one, other)
    """
CAR = """
    car = track_object(memory, "car")
    """
ATTEMPTS = {
    "a known size": (f"{STILL}{THINGS}return [gap / measure_size(memory, one[0]).height * 2.04]", "S113"),
    "arithmetic": (f"{STILL}{THINGS}return [gap + gap]", "S113"),
    "a hypothetical move": (f"{STILL}{THINGS}return [measure_distance(memory, moved(one, by=other), other)]", "T202"),
    "a moment by conditions": (f"{VIDEO}{CAR}return [measure_motion(memory, car).nearest]", "D302"),
    "motion in pieces": (f"{VIDEO}{CAR}return [measure_motion(memory, car, start=1, end=3)]", "T205"),
    "a point given by a pixel": (f"{STILL}{THINGS}return [measure_distance(memory, one, locate_pixel(3, 40))]", "T202"),
    "two routes that agree": (f'{STILL}{THINGS}return [gap if compare(gap, gap) == "same" else one]', "S113"),
    "a judgement that steers": (
        f'{STILL}{THINGS}return [gap if select_object(one, by="the open one") else other]',
        "S113",
    ),
}
"""The nearest that a program of the one-shot language comes to a family that it has no form for."""
SAID = [question for question in questions() if question.program is not None]
WORDS = {"more": "yes", "less": "no"}


@pytest.mark.parametrize("question", SAID, ids=lambda question: question.id)
def test_what_a_program_can_say_it_gets_right(question):
    report = check(STILL + question.program.strip() + "\n")
    assert report.plan is not None, report.diagnostics
    value = run(report.plan, memory(question.world, question.seed)).values[-1]
    assert not isinstance(value, Absent), value
    if isinstance(value, Angle):
        assert value.value == pytest.approx(question.truth, abs=0.5)
    else:
        assert isinstance(value, Text)
        assert WORDS.get(value.value, value.value) == question.truth


@pytest.mark.parametrize("family", ATTEMPTS)
def test_what_it_has_no_form_for_is_refused_with_a_code(family):
    text, code = ATTEMPTS[family]
    report = check(text)
    assert not report.ok
    assert code in {diagnostic.code for diagnostic in report.errors}


def test_at_least_half_of_the_families_have_no_form():
    assert set(ATTEMPTS) | {question.family for question in SAID} == set(FAMILIES)
    assert not set(ATTEMPTS) & {question.family for question in SAID}
    assert len(ATTEMPTS) >= len(FAMILIES) / 2
