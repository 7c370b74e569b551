"""The smallest policy that can learn where to look: one softmax over the canonical views, trained by REINFORCE.

It sees the photo, chooses a view or answers at once, and reads the answer off the render by a fixed rule
(``one_view.read_colour``); only the choice is learned. Episodes, tools and rewards are those a language model is
trained with: what this learns shows that they can be learned from.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from placecell.agents.exploring.published import CANONICAL
from placecell.evaluation.benchmarks.sample import Sample
from placecell.geometry.transforms import Array
from placecell.training.env import Action, Called, Observation, SpatialEnv
from placecell.training.one_view import informative, read_colour
from placecell.training.rewards import group_advantages

CHOICES: tuple[tuple[float, float] | None, ...] = (*CANONICAL, None)
"""What it may do first: look at one of the views, or answer at once (None)."""
_LOOK = "pi3x_tool"
_COLUMNS, _ROWS = 8, 6


@dataclass(frozen=True)
class Progress:
    """How far training is after ``episodes``.

    ``reward``: mean of the last step's episodes, None before the first. ``informative``: mean probability, over rooms
    never trained on, of the one view that shows the answer.
    """

    episodes: int
    reward: float | None
    informative: float


class Bandit:
    """Logits of the choices are linear in the photo: ``weights`` (choices, features). It starts at chance."""

    def __init__(self) -> None:
        self.weights: Array = np.zeros((len(CHOICES), _COLUMNS * _ROWS + 1))

    def probabilities(self, features: Array) -> Array:
        """Of each of ``CHOICES``, (4,)."""
        logits = self.weights @ features
        odds = np.exp(logits - logits.max())
        return np.asarray(odds / odds.sum())

    def train(
        self,
        env: SpatialEnv,
        samples: Sequence[Sample],
        held_out: Sequence[Sample],
        *,
        rollouts: int = 8,
        batch: int = 8,
        rate: float = 10.0,
        seed: int = 0,
    ) -> tuple[Progress, ...]:
        """Once through the samples, ``batch`` of them a step with ``rollouts`` episodes each; how it went, by step."""
        rng = np.random.default_rng(seed)
        unseen = [(features_of(env.reset(sample)), CHOICES.index(informative(sample))) for sample in held_out]
        curve = [Progress(0, None, self._mean(unseen))]
        for start in range(0, len(samples), batch):
            step, earned = np.zeros_like(self.weights), []
            for sample in samples[start : start + batch]:
                episodes = [self._episode(env, sample, rng) for _ in range(rollouts)]
                rewards = [reward for reward, _ in episodes]
                for advantage, (_, gradient) in zip(group_advantages(rewards), episodes, strict=True):
                    step += advantage * gradient
                earned += rewards
            self.weights += rate * step / len(earned)
            done = curve[-1].episodes + len(earned)
            curve.append(Progress(done, float(np.mean(earned)), self._mean(unseen)))
        return tuple(curve)

    def _mean(self, rooms: Sequence[tuple[Array, int]]) -> float:
        return float(np.mean([self.probabilities(features)[right] for features, right in rooms]))

    def _episode(self, env: SpatialEnv, sample: Sample, rng: np.random.Generator) -> tuple[float, Array]:
        """An episode's reward, and the gradient of the log-probability of what was chosen in it."""
        features = features_of(env.reset(sample))
        probabilities = self.probabilities(features)
        chosen = int(rng.choice(len(CHOICES), p=probabilities))
        gradient = np.outer(np.eye(len(CHOICES))[chosen] - probabilities, features)
        angles, letter = CHOICES[chosen], None
        if angles is not None:
            call = Called(_LOOK, {"azimuth_angle": angles[0], "elevation_angle": angles[1]})
            letter = read_colour(env.step(Action(calls=(call,))).observation.pictures[0].rgb, sample)
        guess = sample.options[rng.integers(len(sample.options))][0]
        return env.step(f"Answer: {letter or guess}").reward, gradient


def features_of(observation: Observation) -> Array:
    """Where in the first photo it is red, on a grid of 8 x 6 and scaled to unit length, and a constant."""
    rgb = observation.pictures[0].rgb.astype(np.float64)
    red = np.maximum(0.0, rgb[..., 0] - 2 * rgb[..., 1:].max(axis=-1))
    height, width = (n // parts for n, parts in zip(red.shape, (_ROWS, _COLUMNS), strict=True))
    blocks = red[: height * _ROWS, : width * _COLUMNS].reshape(_ROWS, height, _COLUMNS, width)
    grid = blocks.mean(axis=(1, 3)).ravel()
    return np.append(grid / max(float(np.linalg.norm(grid)), 1e-9), 1.0)
