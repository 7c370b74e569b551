"""The strategy `cells` with scripted models of three abilities: mistakes cost turns, never answers."""

import pytest
from cell_authors import by_cells
from cell_play import is_right
from cell_questions import questions

ONE_OF_EACH_FORM = list({question.form: question for question in reversed(questions())}.values())
ONE_OF_EACH_FAMILY = list({question.family: question for question in reversed(questions())}.values())


@pytest.mark.parametrize("question", ONE_OF_EACH_FORM, ids=lambda question: question.id)
def test_a_perfect_author_is_right_without_a_rejected_cell(question):
    answer = by_cells(question, "perfect")
    assert is_right(question, answer), answer
    assert [attempt.accepted for attempt in answer.attempts] == [True] * len(question.cells)


@pytest.mark.parametrize("ability", ["forgetful", "careless"])
@pytest.mark.parametrize("question", ONE_OF_EACH_FAMILY, ids=lambda question: question.id)
def test_a_worse_author_is_right_all_the_same(question, ability):
    answer = by_cells(question, ability)
    assert is_right(question, answer), answer
    if ability == "careless":
        assert not all(attempt.accepted for attempt in answer.attempts)


def test_a_forgotten_name_is_not_mended_to_one_that_looks_like_it():
    question = next(question for question in questions() if question.form == "seen at another place")
    answer = by_cells(question, "forgetful")
    assert "there" in answer.attempts[1].program
    assert "D301" in answer.attempts[1].codes
    assert not answer.attempts[1].repaired
    assert is_right(question, answer), answer
