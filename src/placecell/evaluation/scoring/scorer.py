"""What a scorer is: a rule that reads an answer out of a reply and compares it with the truth."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from placecell.language.decomposition import Unit


@dataclass(frozen=True)
class Score:
    """``extracted``: what the rule took for the answer (None: nothing). ``value``: 0 to 1."""

    value: float
    extracted: str | float | None = None


Rule = Callable[[str, str, Sequence[str], Unit | None], Score]
"""Of reply, truth, offered options and the unit a number is asked in."""


@dataclass(frozen=True)
class Scorer:
    """One named rule. ``source`` says whose rule it is and at which commit it was read."""

    name: str
    kind: Literal["choice", "number"]
    source: str
    rule: Rule

    def __call__(self, reply: str, truth: str, options: Sequence[str] = (), unit: Unit | None = None) -> Score:
        """Score of one reply; never raises for what a reply says. ValueError: the truth is no answer of this kind.

        The published rules see neither options nor unit; the robust ones need both to read prose.
        """
        return self.rule(reply, truth, options, unit)
