"""How sure a figure is, and whether two runs differ. Each test is scipy's; here is only which one fits which scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy import stats

LEVEL = 0.95
SEED = 0
_RESAMPLES = 2000
_AT_A_TIME = 500
"""Sign flips drawn together: all 10,000 of a benchmark's thousands of samples would take a gigabyte."""


@dataclass(frozen=True)
class Interval:
    """A two-sided interval of a mean score, with the method that made it."""

    low: float
    high: float
    method: Literal["wilson", "bootstrap", "combined"]


def interval(scores: Sequence[float], *, level: float = LEVEL) -> Interval | None:
    """Wilson's interval for scores of 0 and 1, a percentile bootstrap for others; None without scores."""
    values = np.asarray(scores, float)
    if len(values) == 0:
        return None
    if np.isin(values, (0.0, 1.0)).all():
        found = stats.binomtest(int(values.sum()), len(values)).proportion_ci(level, method="wilson")
        return Interval(float(found.low), float(found.high), "wilson")
    drawn = np.random.default_rng(SEED).integers(0, len(values), (_RESAMPLES, len(values)))
    low, high = np.quantile(values[drawn].mean(axis=1), [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(low), float(high), "bootstrap")


def combined(parts: Sequence[tuple[float, float, Interval]]) -> Interval:
    """Interval of a weighted sum of independent means, from (weight >= 0, mean, interval) of each.

    The distances of the means to their own limits add up in squares (Zou and Donner, "Construction of confidence limits
    about effect measures", Statistics in Medicine 27, 2008). A part that is all right or all wrong keeps
    its width, which a bootstrap would take for certainty.
    """
    total = sum(weight * mean for weight, mean, _ in parts)
    below = sum((weight * (mean - found.low)) ** 2 for weight, mean, found in parts) ** 0.5
    above = sum((weight * (found.high - mean)) ** 2 for weight, mean, found in parts) ** 0.5
    return Interval(total - below, total + above, "combined")


@dataclass(frozen=True)
class Paired:
    """Two runs on the same samples: difference of their means (second minus first), p-value, samples that differ."""

    difference: float
    p: float
    differing: int
    method: Literal["mcnemar exact", "sign-flip permutation"]


def paired(first: Sequence[float], second: Sequence[float]) -> Paired:
    """Exact McNemar's test for scores of 0 and 1, else a permutation test that flips the signs of the differences.

    Raises:
        ValueError: the runs have different numbers of samples, or none.
    """
    a, b = np.asarray(first, float), np.asarray(second, float)
    if a.shape != b.shape or len(a) == 0:
        raise ValueError(f"a paired test needs the same samples in both runs, got {len(a)} and {len(b)}")
    change = b - a
    differing = int((change != 0).sum())
    if np.isin(a, (0.0, 1.0)).all() and np.isin(b, (0.0, 1.0)).all():
        p = stats.binomtest(int((change > 0).sum()), differing).pvalue if differing else 1.0
        return Paired(float(change.mean()), float(p), differing, "mcnemar exact")
    if differing == 0:
        return Paired(0.0, 1.0, 0, "sign-flip permutation")
    generator, flips, as_far = np.random.default_rng(SEED), _RESAMPLES * 5, 0
    for _ in range(0, flips, _AT_A_TIME):
        signs = generator.choice((-1.0, 1.0), (_AT_A_TIME, len(change)))
        as_far += int((np.abs(signs @ change) >= abs(change.sum()) - 1e-12).sum())
    return Paired(float(change.mean()), (as_far + 1) / (flips + 1), differing, "sign-flip permutation")
