"""Intervals of answers from memories that are off by chance hold the truth about as often as they say."""

import numpy as np
import pytest
from cell_noise import sampled
from cell_questions import FAMILIES

NINETY = 1.645
SEEDS = range(2)


@pytest.fixture(scope="module")
def answers():
    return list(sampled(SEEDS))


def test_ninety_percent_intervals_hold_the_truth_in_85_to_95_percent(answers):
    off = np.array([a.off for a in answers if a.off is not None and a.decided])
    assert len(off) > 200
    assert 0.85 <= (off <= NINETY).mean() <= 0.95


@pytest.mark.parametrize("family", FAMILIES)
def test_no_family_is_much_surer_than_it_may_be(family, answers):
    off = np.array([a.off for a in answers if a.off is not None and a.question.family == family])
    # Of 20 answers at 90 %, fewer than 15 in the interval has a chance of 1 %.
    assert (off <= NINETY).mean() >= 0.7


def test_an_answer_is_only_missing_where_something_was_too_close_to_call(answers):
    missing = [a for a in answers if a.off is None]
    assert len(missing) <= 0.03 * len(answers)
    assert {a.reason for a in missing} <= {"ambiguous"}
