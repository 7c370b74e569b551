"""What the one-shot language can say of the families: run where it can, refused with a code where it cannot."""

import pytest
from cell_programs import ATTEMPTS, is_right, program_of
from cell_questions import FAMILIES, questions
from cell_worlds import memory

from placecell.engine.interpreter import run
from placecell.language.check import check

SAID = [question for question in questions() if question.program is not None]


@pytest.mark.parametrize("question", SAID, ids=lambda question: question.id)
def test_what_a_program_can_say_it_gets_right(question):
    report = check(program_of(question))
    assert report.plan is not None, report.diagnostics
    value = run(report.plan, memory(question.world, question.seed)).values[-1]
    assert is_right(question, value), value


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
