"""Floors are the best scores that need no picture: worked out by hand, and against trying every constant answer."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from placecell.evaluation.floors import Asked, floors
from placecell.evaluation.scoring.accuracy import mean_relative_accuracy


def test_floors_of_choices_are_counts():
    asked = [Asked("A", "side", 4), Asked("A", "side", 4), Asked("B", "closer", 2), Asked("B", "closer", 2)]
    asked.append(Asked("C", "side", 4))
    found = floors(asked)
    assert found.chance == pytest.approx((0.75 + 1.0) / 5)
    assert found.constant == pytest.approx(2 / 5)
    assert found.prior == pytest.approx((2 + 2) / 5)


def test_a_guess_at_numbers_gains_nothing_but_the_same_number_does():
    found = floors([Asked("2", "count"), Asked("2", "count"), Asked("4", "count"), Asked("100", "size")])
    assert found.chance == 0
    assert found.constant == pytest.approx((1 + 1 + 0.1) / 4)  # 2 for 4 is off by half: the loosest threshold of ten
    assert found.prior == pytest.approx((1 + 1 + 0.1 + 1) / 4)


@settings(max_examples=40)
@given(st.lists(st.integers(1, 12), min_size=1, max_size=5))
def test_no_constant_number_scores_more_than_the_floor(truths):
    best = floors([Asked(str(truth)) for truth in truths]).constant
    tried = [np.mean([mean_relative_accuracy(v, t) for t in truths]) for v in np.arange(0.5, 19, 0.1)]
    assert max(tried) <= best + 1e-9


def test_there_is_no_floor_without_questions():
    with pytest.raises(ValueError, match="nothing"):
        floors([])
