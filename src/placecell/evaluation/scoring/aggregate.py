"""From scores of single replies to the figures a benchmark reports. Failures are rows too, with score 0."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from placecell.evaluation.statistics import Interval, interval
from placecell.language.decomposition import Unit

VSI_DIRECTIONS = tuple(f"object_rel_direction_{grade}" for grade in ("easy", "medium", "hard"))
VSI_CHOICE = (*VSI_DIRECTIONS, "object_rel_distance", "route_planning", "obj_appearance_order")
VSI_NUMBER = ("object_abs_distance", "object_counting", "object_size_estimation", "room_size_estimation")
VSI_UNITS: Mapping[str, Unit] = {
    "object_abs_distance": "m",
    "object_size_estimation": "cm",
    "room_size_estimation": "m2",
}
MINDCUBE_SETTINGS = ("among", "around", "rotation")
"""Those its overall is over; "translation" is not among them."""


@dataclass(frozen=True)
class Row:
    """Score of one question; ``options``: how many answers were offered, when it was a choice."""

    score: float
    kind: str = ""
    options: int | None = None


@dataclass(frozen=True)
class Aggregate:
    """``micro``: mean over questions, with its interval; ``macro``: mean over kinds of question.

    ``chance_corrected``: (sum of hits - sum of 1/n) / (N - sum of 1/n) over questions with n options (SITE's CAA), None
    when no numbers of options are known.
    """

    n: int
    micro: float
    macro: float
    interval: Interval | None
    by_kind: Mapping[str, float]
    counts: Mapping[str, int]
    chance_corrected: float | None = None


def aggregate(rows: Sequence[Row]) -> Aggregate:
    """Figures of the rows. ValueError without rows: a mean of nothing is no figure."""
    if not rows:
        raise ValueError("there is nothing to score")
    kinds = defaultdict(list)
    for row in rows:
        kinds[row.kind].append(row.score)
    means = {kind: float(np.mean(scores)) for kind, scores in sorted(kinds.items())}
    scores = [row.score for row in rows]
    return Aggregate(
        n=len(rows),
        micro=float(np.mean(scores)),
        macro=float(np.mean(list(means.values()))),
        interval=interval(scores),
        by_kind=means,
        counts={kind: len(kinds[kind]) for kind in means},
        chance_corrected=chance_corrected(rows),
    )


def chance_corrected(rows: Sequence[Row]) -> float | None:
    """1 for all right, 0 for the expected score of a guesser, over the rows that are choices; None without any."""
    choices = [row for row in rows if row.options is not None and row.options > 1]
    if not choices:
        return None
    guessed = sum(1 / row.options for row in choices if row.options)
    return (sum(row.score for row in choices) - guessed) / (len(choices) - guessed)


def vsi_task(kind: str) -> str:
    """The task a kind of question belongs to: the three grades of VSI-Bench's directions are one task."""
    return "object_rel_direction" if kind in VSI_DIRECTIONS else kind


def vsi_overall(by_kind: Mapping[str, float]) -> float:
    """Unweighted mean of the task scores, the three direction tasks counting as one (their unweighted mean).

    The original fails unless all three are there; here those that are there count, as in VLMEvalKit's report of parts.
    """
    if not by_kind:
        raise ValueError("there is nothing to score")
    tasks = defaultdict(list)
    for kind, score in by_kind.items():
        tasks[vsi_task(kind)].append(score)
    return float(np.mean([np.mean(scores) for scores in tasks.values()]))


def mindcube_setting(sample: str) -> str:
    """Setting of a MindCube row from its id, as its authors test them: around before among; "translation" apart."""
    return next((name for name in ("around", "rotation", "translation", "among") if name in sample), "other")
