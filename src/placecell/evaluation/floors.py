"""What is scored without looking: the floors that stand beside every score, computed from the truths alone.

Each is the best of its sort in hindsight, so that a method that beats it has used the picture. Truths are letters
where options were offered, else numbers.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from placecell.evaluation.scoring.accuracy import THRESHOLDS, mean_relative_accuracy


@dataclass(frozen=True)
class Asked:
    """One question: its truth, its kind, and how many options it offered (0: it asks for a number)."""

    truth: str
    kind: str = ""
    options: int = 0


@dataclass(frozen=True)
class Floors:
    """Mean scores, 0 to 1, over the same questions.

    ``chance``: an option at random, nothing for numbers. ``constant``: always the same letter, always the same number.
    ``prior``: the same letter or number for each kind of question.
    """

    chance: float
    constant: float
    prior: float


def floors(asked: Sequence[Asked]) -> Floors:
    """The floors of these questions. ValueError without questions."""
    if not asked:
        raise ValueError("there is nothing to score")
    chance = sum(1 / question.options for question in asked if question.options)
    constant = _best(asked, lambda question: "choice" if question.options else "number")
    prior = _best(asked, lambda question: f"{question.kind}, {'choice' if question.options else 'number'}")
    return Floors(chance / len(asked), constant / len(asked), prior / len(asked))


def _best(asked: Sequence[Asked], group: Callable[[Asked], str]) -> float:
    """Sum of the scores of the best single answer of each group."""
    groups = defaultdict(list)
    for question in asked:
        groups[group(question)].append(question)
    return sum(_best_letter(members) if members[0].options else _best_number(members) for members in groups.values())


def _best_letter(members: Sequence[Asked]) -> float:
    return float(max(Counter(question.truth for question in members).values()))


def _best_number(members: Sequence[Asked]) -> float:
    """A rising answer loses score only past the upper end of a truth's tolerances, so one of these ends is the best."""
    truths = Counter(float(question.truth) for question in members)
    values, counts = np.array(list(truths)), np.array(list(truths.values()))
    within = (1 - THRESHOLDS) * (1 - 1e-9)  # rounding must not take an end out of its own tolerance
    ends = np.unique(np.outer(values, 1 + within))
    off = np.abs(ends[:, None] - values) / np.abs(values)
    reached = sum((off <= 1 - t) @ counts for t in THRESHOLDS) / len(THRESHOLDS)
    best = float(ends[int(np.argmax(reached))])
    return sum(count * mean_relative_accuracy(best, truth) for truth, count in truths.items())
