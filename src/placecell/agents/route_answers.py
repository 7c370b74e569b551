"""Routes: the turns of a simulated walk, put into the blanks of the question.

Knows how blanks and legs belong together and how options are weighed. Does not know where anything is.
"""

from __future__ import annotations

from collections.abc import Sequence

from placecell.agents import choice
from placecell.agents.directions import wrap
from placecell.agents.reading import Reading, certainty, first_absent, no_answer, of_kind
from placecell.engine.interpreter import RunResult
from placecell.engine.values import Route
from placecell.language.decomposition import Decomposition, RouteStep

_DEGREES = {"left": -90.0, "right": 90.0, "back": 180.0}
_CLEAR_DEGREES = 45.0
"""A turn this far from the border between two words is as clear as one can be."""


def route(d: Decomposition, r: RunResult) -> Reading:
    """The option whose turns have the smallest summed angle error, or the turns in words."""
    routes = of_kind(r, Route)
    start = d.reference
    if not routes and start.object and start.object == start.facing.object:
        return no_answer(f"not in memory: at the {start.object}, facing it, the heading is open", "memory")
    if not routes:
        return first_absent(r.values) or no_answer("the program returned no route")
    c = d.comparison
    turns = _blank_turns(c.route, [leg.turn_degrees for leg in routes[0].legs])
    if turns is None:
        return no_answer("the route's steps and its landmarks do not match")
    if not c.options:
        words = [min(_DEGREES, key=lambda w: _error(t, w)) for t in turns]
        text = ", ".join(f"turn {w}" for w in words) or "straight on"
        return choice.chosen(None, text, certainty(None) * 0.9 ** len(turns))
    scored = sorted(
        (sum(_error(t, w) for t, w in zip(turns, words, strict=True)), i)
        for i, option in enumerate(c.options)
        if len(words := _words(option.sequence)) == len(turns)
    )
    if not scored:
        return no_answer("no option fills every blank of the route")
    best = c.options[scored[0][1]]
    gap = scored[1][0] - scored[0][0] if len(scored) > 1 else 180.0
    note = "two options fit the walk almost equally" if gap < 20.0 else ""
    return choice.chosen(best, best.text, certainty(2.0 * gap / (2 * _CLEAR_DEGREES)), note)


def _blank_turns(steps: Sequence[RouteStep], legs: Sequence[float]) -> list[float] | None:
    """The measured turn at each blank: that of the leg walked next. None when a blank has no leg after it."""
    turns: list[float] = []
    walked = 0
    for step in steps:
        if step.kind == "go" and step.until:
            walked += 1
        elif step.kind == "turn" and step.direction is None:
            if walked >= len(legs):
                return None
            turns.append(legs[walked])
    return turns


def _words(sequence: Sequence[str]) -> list[str]:
    return [word for item in sequence for word in _DEGREES if word in item]


def _error(turn: float, word: str) -> float:
    return abs(wrap(turn - _DEGREES[word]))
