"""What the words of a question give away: each is answered by what was right in the other scenes.

A size is nearly known once it is asked of a fridge; this floor says how nearly. No question is answered from its own
scene, so nothing is fitted to the truths it is scored on. `floors` has the floors that know the kind of question only.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from placecell.evaluation.scoring.accuracy import THRESHOLDS

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Worded:
    """One question: its words, its scene, its truth (a letter when ``options`` were offered, else a number)."""

    question: str
    scene: str
    truth: str
    kind: str = ""
    options: int = 0


def wording_scores(asked: Sequence[Worded]) -> list[float]:
    """The score of each question when answered by the single answer that scores best on the same words elsewhere.

    Where no other scene was asked in these words, or letters are asked for, "the same words" are the same kind. 0 where
    there is no other scene at all.
    """
    kinds: defaultdict[tuple[str, bool], list[int]] = defaultdict(list)
    for place, question in enumerate(asked):
        kinds[question.kind, bool(question.options)].append(place)
    scores = np.zeros(len(asked))
    for (_, lettered), places in kinds.items():
        scores[places] = _elsewhere([asked[place] for place in places])
        if lettered:
            continue
        words: defaultdict[str, list[int]] = defaultdict(list)
        for place in places:
            words[asked[place].question].append(place)
        for alike in words.values():
            found = _elsewhere([asked[place] for place in alike])
            scores[alike] = np.where(np.isnan(found), scores[alike], found)
    return [float(score) for score in np.nan_to_num(scores)]


def _elsewhere(members: Sequence[Worded]) -> Array:
    """Score of each by the answer that is best in the other scenes; NaN where there is none."""
    answers, number = np.unique([member.truth for member in members], return_inverse=True)
    _, scene = np.unique([member.scene for member in members], return_inverse=True)
    score = _scores(answers, members[0].options > 0)[:, number]
    found = np.full(len(members), np.nan)
    for place in range(scene.max() + 1):
        here = scene == place
        if here.all():
            continue
        known = np.isin(np.arange(len(answers)), number[~here])
        reached = np.where(known, score[:, ~here].sum(axis=1), -1.0)
        found[here] = score[int(reached.argmax()), here]
    return found


def _scores(answers: NDArray[np.str_], lettered: bool) -> Array:
    """(A, A): the score of each answer for each truth."""
    if lettered:
        return np.eye(len(answers))
    values = answers.astype(float)
    off = np.abs(values[:, None] - values) / np.abs(values)
    return np.asarray(np.mean([off <= tolerance for tolerance in 1 - THRESHOLDS], axis=0))
