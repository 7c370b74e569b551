"""The least, the greatest, the order of uncertain numbers: who wins, how often, by how much.

Whether one score is below another is a matter of both and of what they share. So all are drawn together from their
sources, always with the same random numbers: the same scores always give the same choice.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np

from placecell.engine.cells.uncertain import Uncertain, combined, source_of, with_error
from placecell.engine.measures import CLEAR
from placecell.geometry.transforms import Array

DRAWS = 256
_SEED = 20_261_130


@dataclass(frozen=True)
class Choice:
    """``order``: indices from the first on. ``wins`` (n,): share of the draws in which each one was first.

    ``margins`` (n - 1,): standard deviations between neighbours in the order; inf where nothing is uncertain.
    ``greatest``: whether the order goes down.
    """

    order: tuple[int, ...]
    wins: tuple[float, ...]
    margins: tuple[float, ...]
    greatest: bool = False

    @property
    def best(self) -> int:
        return self.order[0]

    @property
    def runner_up(self) -> int | None:
        return self.order[1] if len(self.order) > 1 else None

    @property
    def margin(self) -> float | None:
        """Of the first to the second; None when there is no other or nothing is uncertain."""
        return self.margins[0] if self.margins and math.isfinite(self.margins[0]) else None

    @property
    def ties(self) -> tuple[tuple[int, int], ...]:
        """Neighbours in the order that are too close to call."""
        pairs = zip(pairwise(self.order), self.margins, strict=True)
        return tuple(pair for pair, margin in pairs if margin < CLEAR)


def choose(scores: Sequence[Uncertain], *, greatest: bool = False) -> Choice:
    """The order of scores, at least one; of equal ones the first stays first."""
    sign = -1.0 if greatest else 1.0
    order = sorted(range(len(scores)), key=lambda i: sign * scores[i].value)
    gaps = [scores[b] - scores[a] for a, b in pairwise(order)]
    margins = tuple(_margin(gap) for gap in gaps)
    return Choice(tuple(order), _wins(scores, sign), margins, greatest)


def extreme(scores: Sequence[Uncertain], choice: Choice) -> Uncertain:
    """The value of the first, with the errors of whoever may be it.

    How the extreme changes with a source is, on average, how each score does times its chance to be first; what that
    leaves of the spread of the draws is one more error.
    """
    value = scores[choice.best].value
    shared = combined(value, ((wins, score) for wins, score in zip(choice.wins, scores, strict=True) if wins))
    if choice.wins[choice.best] == 1.0:
        return shared
    sampled = drawn(scores)
    first = sampled.max(axis=1) if choice.greatest else sampled.min(axis=1)
    rest = math.sqrt(max(0.0, float(first.var()) - shared.sd**2))
    return with_error(shared, rest, source_of("extreme", *scores))


def _margin(gap: Uncertain) -> float:
    if gap.value == 0.0 and gap.sd == 0.0:
        return 0.0
    return abs(gap.value) / gap.sd if gap.sd else math.inf


def _wins(scores: Sequence[Uncertain], sign: float) -> tuple[float, ...]:
    if all(not s.errors for s in scores):
        best = min(range(len(scores)), key=lambda i: sign * scores[i].value)
        return tuple(float(i == best) for i in range(len(scores)))
    first = np.argmin(sign * drawn(scores), axis=1)
    return tuple((np.bincount(first, minlength=len(scores)) / DRAWS).tolist())


def drawn(numbers: Sequence[Uncertain], count: int = DRAWS) -> Array:
    """(count, n) numbers drawn together, an even count up to ``DRAWS``: what they share, they share in every draw."""
    sources = sorted({source for number in numbers for source, _ in number.errors})
    place = {source: k for k, source in enumerate(sources)}
    changes = np.zeros((len(sources), len(numbers)))
    for i, number in enumerate(numbers):
        for source, change in number.errors:
            changes[place[source], i] = change
    # Pairs of opposite draws: nothing leans to one side by chance.
    half = _normal(len(sources))[: count // 2]
    return np.array([number.value for number in numbers]) + np.concatenate([half, -half]) @ changes


@lru_cache(maxsize=64)
def _normal(count: int) -> Array:
    return np.random.default_rng(_SEED).standard_normal((count, DRAWS // 2)).T
