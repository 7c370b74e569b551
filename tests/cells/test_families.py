"""Every question of every family, answered by its cells from an exact memory."""

from collections import Counter

import pytest
from cell_play import play, told
from cell_questions import FAMILIES, questions


@pytest.mark.parametrize("question", questions(), ids=lambda question: question.id)
def test_the_cells_answer_the_question(question):
    played = play(question)
    assert played.accepted, told(played)
    assert played.right, told(played)


def test_there_are_twelve_families_of_at_least_ten_questions_and_three_forms():
    asked = Counter(question.family for question in questions())
    forms = Counter(family for family, _ in {(question.family, question.form) for question in questions()})
    assert tuple(asked) != () and set(asked) == set(FAMILIES)
    assert len(FAMILIES) == 12
    assert min(asked.values()) >= 10
    assert min(forms.values()) >= 3


def test_no_option_is_always_right():
    right = {}
    for question in questions():
        if question.options:
            right.setdefault(question.form, set()).add(question.truth)
    assert right
    assert all(len(options) > 1 for options in right.values())
