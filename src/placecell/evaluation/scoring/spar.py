"""SPAR-Bench's reading of a reply (lmms-eval 1741440). Not its view_change_infer, whose answers are lists of moves."""

from __future__ import annotations

import re

from placecell.evaluation.scoring.accuracy import THRESHOLDS
from placecell.evaluation.scoring.scorer import Score

_NUMBER = re.compile(r"(?<!\^)\d+\.\d+|(?<!\^)\d+")
_NONE_GIVEN = -1.0


def choice(reply: str, truth: str) -> Score:
    """Right when the reply is part of the truth, or begins with it; so an empty reply is right."""
    said, right = reply.lower(), truth.lower()
    return Score(float(said in right or said[:1] == right), reply or None)


def number_first(reply: str, truth: str) -> Score:
    """The first number, its sign not read: the tasks of one picture."""
    found = _NUMBER.findall(reply)
    return _accuracy(float(found[0]), truth) if found else Score(0.0)


def number_last(reply: str, truth: str) -> Score:
    """The last number, its sign not read, -1 for none: the tasks of several pictures (``*_mv``)."""
    found = _NUMBER.findall(reply)
    return _accuracy(float(found[-1]) if found else _NONE_GIVEN, truth)


def _accuracy(value: float, truth: str) -> Score:
    """Mean relative accuracy, of the absolute error where the truth is 0."""
    right = float(truth)
    error = abs(value - right) if right == 0 else abs((value - right) / right)
    return Score(float((error <= 1 - THRESHOLDS).mean()), value)
