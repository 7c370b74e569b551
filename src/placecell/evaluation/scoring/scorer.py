"""What a scorer is: a rule that reads an answer out of a reply and compares it with the truth."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Score:
    """``extracted``: what the rule took for the answer (None: nothing). ``value``: 0 to 1."""

    value: float
    extracted: str | float | None = None


@dataclass(frozen=True)
class Scorer:
    """One named rule. ``source`` says whose rule it is and at which commit it was read."""

    name: str
    kind: Literal["choice", "number"]
    source: str
    rule: Callable[[str, str], Score]

    def __call__(self, reply: str, truth: str) -> Score:
        """Score of one reply; never raises for what a reply says. ValueError: the truth is no answer of this kind."""
        return self.rule(reply, truth)
