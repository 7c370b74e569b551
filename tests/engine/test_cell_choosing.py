"""The least of uncertain numbers, against independent sampling; and verdicts, against every truth they allow."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from placecell.engine.cells.choosing import choose, extreme
from placecell.engine.cells.comparing import agree, compare, joined_verdict, negated, sign_test, verdict_of
from placecell.engine.cells.quantities import Quantity, plain
from placecell.engine.cells.uncertain import Uncertain, measured
from placecell.engine.cells.values import NO, UNDECIDED, YES, Verdict
from placecell.engine.context import Context
from placecell.engine.measures import compare as compare_in_programs
from placecell.engine.values import Absent, Count, Flag, Length, Text
from placecell.language.dimensions import METRES

EXAMPLES = settings(max_examples=60, deadline=None)
scores = st.lists(st.tuples(st.floats(-5, 5), st.floats(0, 1)), min_size=1, max_size=5)


def numbers(pairs):
    return [measured(value, sd, f"score {k}") for k, (value, sd) in enumerate(pairs)]


@EXAMPLES
@given(scores, st.booleans())
def test_the_order_is_that_of_the_values_and_shares_add_up(pairs, greatest):
    found = numbers(pairs)
    choice = choose(found, greatest=greatest)
    ordered = [found[i].value for i in choice.order]
    assert ordered == sorted((n.value for n in found), reverse=greatest)
    assert sum(choice.wins) == pytest.approx(1.0)
    assert all(m >= 0 for m in choice.margins) and len(choice.margins) == len(found) - 1


def test_shares_and_spread_of_the_least_follow_sampling():
    rng = np.random.default_rng(8)
    for _ in range(12):
        means, sds, shared = rng.uniform(0, 2, 4), rng.uniform(0.1, 1.0, 4), rng.uniform(-0.5, 0.5, 4)
        found = [measured(m, s, f"own {k}") for k, (m, s) in enumerate(zip(means, sds, strict=True))]
        found = [n + Uncertain(0.0, (("shared", c),)) for n, c in zip(found, shared, strict=True)]
        choice = choose(found)
        draws = means + rng.standard_normal((20_000, 4)) * sds + rng.standard_normal((20_000, 1)) * shared
        wins = np.bincount(draws.argmin(axis=1), minlength=4) / len(draws)
        assert np.abs(np.array(choice.wins) - wins).max() < 0.11
        assert extreme(found, choice).sd == pytest.approx(draws.min(axis=1).std(), rel=0.2)
        assert extreme(found, choice).value == means.min()


def test_a_clear_winner_keeps_its_own_errors_and_a_tie_is_told():
    clear = [measured(1.0, 0.01, "a"), measured(5.0, 0.01, "b")]
    choice = choose(clear)
    assert extreme(clear, choice) == clear[0] and not choice.ties and choice.runner_up == 1
    close = choose([measured(1.0, 0.1, "a"), measured(1.1, 0.1, "b")])
    assert close.ties == ((0, 1),) and close.margin == pytest.approx(0.1 / math.hypot(0.1, 0.1))
    together = choose([measured(1.0, 0.5, "same"), measured(1.1, 0.5, "same")])
    assert not together.ties, "what both share does not make them close"


@EXAMPLES
@given(st.floats(-10, 10), st.just(0.0) | st.floats(1e-3, 3), st.sampled_from(["<", "<=", ">", ">=", "==", "!="]))
def test_a_verdict_holds_at_both_ends_of_the_interval_or_is_too_close(value, sd, op):
    state, margin = sign_test(op, measured(value, sd, "a"))
    ends = {_holds(op, value + z * sd) for z in (-1.95, 0, 1.95)}
    if state == UNDECIDED:
        assert margin is not None and margin < 1.96
    elif op not in ("==", "!="):
        assert ends == {state == YES}
    else:
        assert (state == YES) == _holds(op, value)


def _holds(op, value):
    return {
        "<": value < 0, "<=": value <= 0, ">": value > 0, ">=": value >= 0, "==": value == 0, "!=": value != 0,
    }[op]  # fmt: skip


@EXAMPLES
@given(st.floats(0.1, 10), st.floats(0, 1), st.floats(0.1, 10), st.floats(0, 1))
def test_verdicts_say_what_compare_says_in_a_program(a, sd_a, b, sd_b):
    assume(abs(a - b) > 1e-6)
    first, second = Length(a, "m", sd_a), Length(b, "m", sd_b)
    word = compare_in_programs(Context(lambda _: None, None, None), first, second).value
    less, more = (compare(op, _as_quantity(first), _as_quantity(second)).state for op in "<>")
    assert {"less": (YES, NO), "more": (NO, YES), "same": (NO, NO)}.get(word, (UNDECIDED, UNDECIDED)) == (less, more)


def _as_quantity(value):
    return Quantity(measured(value.value, value.sd, f"{value.value} {value.sd}"), METRES)


STATES = (Verdict(YES), Verdict(NO), Verdict(UNDECIDED, 1.0))


@pytest.mark.parametrize("op", ["and", "or"])
def test_logic_is_decided_when_every_possible_truth_agrees(op):
    join = all if op == "and" else any
    for verdicts in itertools.product(STATES, repeat=3):
        possible = [(True, False) if v.state == UNDECIDED else (v.state == YES,) for v in verdicts]
        truths = {join(truth) for truth in itertools.product(*possible)}
        expected = UNDECIDED if len(truths) == 2 else YES if truths == {True} else NO
        assert joined_verdict(op, verdicts).state == expected


def test_an_absent_operand_matters_only_when_the_others_do_not_decide():
    gone = Absent("verdict", "not found", "no chair")
    assert joined_verdict("and", [gone, Verdict(NO)]).state == NO
    assert joined_verdict("or", [gone, Verdict(YES)]).state == YES
    undecided = joined_verdict("and", [gone, Verdict(YES)])
    assert isinstance(undecided, Absent) and undecided.cause is gone


def test_not_and_what_counts_as_a_verdict():
    assert negated(Verdict(YES, 3.0)) == Verdict(NO, 3.0)
    assert negated(Verdict(UNDECIDED, 0.5)).state == UNDECIDED
    assert verdict_of(Flag(True)).state == YES
    assert isinstance(verdict_of(plain(3.0)), Absent)


def test_branches_agree_only_when_they_are_the_same_value():
    one = Quantity(measured(2.0, 0.1, "a"), METRES)
    assert agree(one, one) and not agree(one, Quantity(measured(2.0, 0.1, "b"), METRES))
    assert agree(Text("Left"), Text("left")) and not agree(Text("left"), Text("right"))
    assert agree(Count(2), Count(2))
