"""Mean relative accuracy of a number (VSI-Bench), as its authors compute it, floating point included."""

from __future__ import annotations

import numpy as np

THRESHOLDS = np.linspace(0.5, 0.95, 10)
"""Their ``linspace`` and not 0.5 + 0.05 k: on the edge of a step (12 for 10) its last bit decides."""


def mean_relative_accuracy(value: float | None, truth: float) -> float:
    """Share of the thresholds t for which ``|value - truth| / truth <= 1 - t``; 0 for no value.

    The paper writes "<", the published code "<=". NaN and infinity count as wrong. ValueError for a truth of 0.
    """
    if truth == 0:
        raise ValueError("a relative accuracy needs a truth other than 0")
    if value is None:
        return 0.0
    return float((abs(value - truth) / truth <= 1 - THRESHOLDS).mean())
