"""What the one-shot language can say of the questions: programs where it can, the nearest to one where it cannot."""

from __future__ import annotations

from cell_forms import CellQuestion

from placecell.engine.values import Angle, Text, Value

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

_WORDS = {"more": "yes", "less": "no"}


def program_of(question: CellQuestion) -> str | None:
    """The question as a whole program; None where the language has no form for it."""
    return None if question.program is None else f"{STILL}{question.program.strip()}\n"


def is_right(question: CellQuestion, value: Value) -> bool:
    """Whether what a program returned is the truth."""
    if isinstance(value, Angle) and not isinstance(question.truth, str):
        return abs(value.value - question.truth) < 0.5
    return isinstance(value, Text) and _WORDS.get(value.value, value.value) == question.truth
