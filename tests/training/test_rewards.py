"""Rewards: exact numbers for exact cases, and no number where there is none."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from placecell.errors import UserError
from placecell.evaluation.benchmarks.sample import Sample
from placecell.training.rewards import (
    Rewards,
    RewardWeights,
    answer_reward,
    finite,
    format_reward,
    group_advantages,
    plan_reward,
    rewards_of,
    wasted_view_penalty,
)
from placecell.training.trajectories import CallRecord, Message, Trajectory

CHOICE = Sample("1", "Where is the lamp?", "B", "side", "room", ("A. left", "B. right", "C. behind", "D. ahead"))
NUMBER = Sample("2", "How far is the lamp in meters?", "2.0", "distance", "room")


def called(kind="view", ok=True, turn=1):
    return CallRecord(turn, kind, kind, {}, ok)


def finished(final="Answer: B", calls=(), sample=CHOICE):
    replies = (Message("assistant", ("...",)),)
    return Trajectory(sample, "explore", replies, tuple(calls), final)


@pytest.mark.parametrize(
    ("reply", "worth"),
    [
        ("B", 1), ("Answer: B", 1), ("<think>A?</think><answer>B. right</answer>", 1), ("I think it is right.", 1),
        ("Answer: A", 0), ("A or B", 0), ("Based on the view I cannot tell.", 0), ("", 0), ("E", 0), (None, 0),
    ],
)  # fmt: skip
def test_an_answer_is_worth_1_when_it_is_the_right_option_and_else_0(reply, worth):
    assert answer_reward(CHOICE, reply) == worth


@pytest.mark.parametrize(
    ("reply", "worth"),
    [("2.0", 1.0), ("Answer: 2.21", 0.8), ("2.62 m", 0.4), ("262 cm", 0.4), ("2.99", 0.1), ("4", 0.0), ("far", 0.0)],
)
def test_a_number_is_worth_its_mean_relative_accuracy_in_the_asked_unit(reply, worth):
    assert answer_reward(NUMBER, reply, "m") == pytest.approx(worth, abs=1e-9)


def test_any_of_several_right_letters_counts():
    twice = Sample("3", "?", "A", "direction", "v", ("A. left", "B. right", "C. left"), also_right=("C",))
    assert [answer_reward(twice, letter) for letter in "ABC"] == [1, 0, 1]


@pytest.mark.parametrize(
    ("reply", "worth"),
    [
        ("Answer: B", 1), ("The lamp is there.\nAnswer: B\n", 1), ("answer: 2.5", 1),
        ("<think>so</think>\n<answer>B</answer>", 1), ("<answer>\nB\n</answer>", 1),
        ("B", 0), ("Answer:", 0), ("Answer: A\nAnswer: B", 0), ("Answer: B\nbecause", 0), ("<answer></answer>", 0),
        ("<answer>A</answer><answer>B</answer>", 0), ("<answer>B", 0), ("<answer>B</answer> or so", 0),
        ("Answer: B <answer>B</answer>", 0), ("", 0), (None, 0),
    ],
)  # fmt: skip
def test_the_form_is_worth_1_when_the_answer_is_marked_once_and_comes_last(reply, worth):
    assert format_reward(reply) == worth


@pytest.mark.parametrize(
    ("calls", "penalty"),
    [
        ((), 0), ((called(),), 0), ((called(ok=False),), -0.5), ((called("other", ok=False),), -0.5),
        ((called(ok=False),) * 2, -1), ((called(ok=False),) * 5, -1),
        ((called("program", ok=False),), 0), ((called("answer"),), 0),
    ],
)  # fmt: skip
def test_each_call_that_shows_nothing_new_costs_a_half_and_all_of_them_at_most_1(calls, penalty):
    assert wasted_view_penalty(calls) == penalty
    assert math.copysign(1, wasted_view_penalty(())) == 1


@pytest.mark.parametrize(
    ("accepted", "worth"), [((), 0), ((True,), 1), ((False,), 0), ((False, True), 1), ((True, False), 0)]
)
def test_a_plan_is_worth_1_when_the_last_program_was_accepted(accepted, worth):
    assert plan_reward([called(), *(called("program", ok) for ok in accepted)]) == worth


def test_the_default_reward_is_the_papers_answer_and_a_small_bonus_for_form():
    def worth(trajectory, **weights):
        return rewards_of(trajectory).total(RewardWeights(**weights))

    assert worth(finished("Answer: B")) == pytest.approx(1.1)
    assert worth(finished("B")) == 1.0
    assert worth(finished("Answer: A")) == pytest.approx(0.1)
    assert worth(finished(None)) == 0.0
    wasted = finished("Answer: B", [called(ok=False)])
    assert worth(wasted) == pytest.approx(1.1)
    assert worth(wasted, wasted_view=0.2) == pytest.approx(1.0)


@pytest.mark.parametrize("broken", [None, math.nan, math.inf, -math.inf])
def test_no_number_is_no_reward(broken):
    with pytest.raises(ValueError, match="finite number"):
        finite("it", broken)
    with pytest.raises(ValueError, match="answer is"):
        Rewards(broken, 0.0, 0.0, 0.0)
    with pytest.raises(ValueError, match="finite number"):
        group_advantages([1.0, broken])


@pytest.mark.parametrize("broken", [math.nan, math.inf, -0.1])
def test_a_weight_is_a_finite_number_that_is_not_negative(broken):
    with pytest.raises(UserError, match="format"):
        RewardWeights(format=broken)


def test_a_truth_of_zero_has_no_relative_accuracy():
    with pytest.raises(ValueError, match="other than 0"):
        answer_reward(Sample("4", "How many?", "0", "count", "room"), "0")


@given(st.lists(st.floats(-1, 2).map(lambda x: round(x, 3)), min_size=1, max_size=16))
def test_advantages_of_a_group_have_mean_0_and_deviation_1_or_are_all_0(rewards):
    advantages = group_advantages(rewards)
    assert sum(advantages) == pytest.approx(0, abs=1e-6)
    squares = sum(a * a for a in advantages) / len(advantages)
    assert squares == pytest.approx(1 if len(set(rewards)) > 1 else 0)


@given(st.text(), st.lists(st.tuples(st.sampled_from(["view", "program", "answer", "other"]), st.booleans())))
def test_whatever_a_policy_says_its_reward_lies_between_the_bounds(reply, made):
    parts = rewards_of(finished(reply, [called(kind, ok) for kind, ok in made]))
    assert parts.answer in (0, 1) and parts.format in (0, 1) and parts.plan in (0, 1)
    assert -1 <= parts.wasted_view <= 0
