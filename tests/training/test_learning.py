"""Learning is real: from the rewards alone, where to look goes from chance to sure on rooms never seen."""

from __future__ import annotations

import numpy as np
import pytest

from placecell.agents.exploring.published import CANONICAL
from placecell.engine.renders import render_view
from placecell.errors import UserError
from placecell.evaluation.benchmarks.sample import Sample
from placecell.training.bandit import CHOICES, Bandit, features_of
from placecell.training.env import SpatialEnv
from placecell.training.limits import Limits
from placecell.training.one_view import SIDES, OneView, informative, read_colour, samples
from placecell.training.view_cache import ViewCache

LIMITS = Limits(turns=1, side=96, image_tokens=64)


@pytest.mark.parametrize("sample", samples(12, seed=7), ids=lambda sample: sample.group)
def test_exactly_one_canonical_view_shows_the_answer_and_the_photo_does_not(sample):
    memory = OneView().make(sample)
    read = {
        (azimuth, elevation): read_colour(
            render_view(
                memory, anchor=1, azimuth=azimuth, elevation=elevation, mode="global", size=96, profile="think3d"
            ).rgb,
            sample,
        )
        for azimuth, elevation in CANONICAL
    }
    assert [view for view, letter in read.items() if letter == sample.truth] == [informative(sample)]
    assert read_colour(memory.frame(1).rgb, sample) is None


def test_a_policy_trained_through_the_environment_learns_which_view_to_ask_for(tmp_path):
    env = SpatialEnv("canonical", OneView(), limits=LIMITS, render=ViewCache(tmp_path).render)
    trained, held_out = samples(96, seed=1), samples(40, seed=2)
    assert {s.scene for s in trained}.isdisjoint(s.scene for s in held_out)
    curve = Bandit().train(env, trained, held_out)
    assert curve[0].informative == pytest.approx(1 / len(CHOICES))
    assert curve[-1].informative > 0.9
    assert np.mean([p.reward for p in curve[-3:]]) > 0.8 > 0.6 > curve[1].reward


def test_the_policy_sees_the_sample_only_through_the_photo():
    env = SpatialEnv("canonical", OneView(), limits=LIMITS)
    seen = {side: [] for side in SIDES}
    for sample in samples(12, seed=3):
        seen[sample.group].append(features_of(env.reset(sample)))
    questions = {sample.question for sample in samples(12, seed=3)}
    assert len(questions) == 1 and all(seen.values())
    assert not np.allclose(seen["left"][0], seen["right"][0])


def test_rooms_are_the_same_by_seed_and_others_by_another():
    assert samples(5, seed=1) == samples(9, seed=1)[:5]
    assert {s.scene for s in samples(50, seed=1)}.isdisjoint(s.scene for s in samples(50, seed=2))
    first, again = (OneView().make(samples(1)[0]).cloud.points for _ in range(2))
    assert np.array_equal(first, again)


def test_a_sample_of_another_set_has_no_room_here():
    with pytest.raises(UserError, match="no room of the set"):
        OneView().make(Sample("1", "?", "2.5", "size", "easy-17"))
    with pytest.raises(UserError, match="0 questions"):
        samples(0)
