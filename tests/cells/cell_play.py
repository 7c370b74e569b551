"""Playing the cells of a question in a session, and judging what they come to. Knows sessions, not families."""

from __future__ import annotations

from dataclasses import dataclass, replace

from cell_forms import CellQuestion
from cell_worlds import memory

from placecell.agents.answer import Answer
from placecell.engine.cells.context import Effects
from placecell.engine.cells.quantities import quantity_of
from placecell.engine.context import Judgement
from placecell.engine.session import CellSession, Turn
from placecell.engine.values import Absent, InstanceValue, Text, Value
from placecell.memory.scene import SpatialMemory

EXACTLY = 0.005
"""Metres, degrees, or of a plain number, that rounding of the truth may take."""


@dataclass(frozen=True, eq=False)
class Played:
    """What a question's cells came to: each turn, up to the first that was not accepted."""

    question: CellQuestion
    turns: tuple[Turn, ...]

    @property
    def accepted(self) -> bool:
        return len(self.turns) == len(self.question.cells) and all(turn.accepted for turn in self.turns)

    @property
    def value(self) -> Value | None:
        return self.turns[-1].answer

    @property
    def right(self) -> bool:
        """The right option, or the number up to half a percent."""
        value, truth = self.value, self.question.truth
        if isinstance(truth, str):
            return option_of(value) == truth
        number = None if value is None else quantity_of(value)
        return number is not None and abs(number.value - truth) <= EXACTLY * max(1.0, abs(truth))

    def holds(self, z: float) -> bool:
        """Whether the truth lies within ``z`` standard deviations of the value."""
        number = None if self.value is None else quantity_of(self.value)
        assert number is not None and not isinstance(self.question.truth, str)
        low, high = number.interval(z)
        return low - 1e-9 <= self.question.truth <= high + 1e-9


def is_right(question: CellQuestion, answer: Answer) -> bool:
    """The option, or the number as far as an answer rounds it; an answer tells the side of an angle in words."""
    if isinstance(question.truth, str):
        return answer.answer == question.truth
    if isinstance(answer.value, bool) or not isinstance(answer.value, int | float):
        return False
    least = 0.6 if question.unit == "degrees" else 0.01
    return abs(abs(answer.value) - abs(question.truth)) <= max(least, 0.01 * abs(question.truth))


def option_of(value: Value | None) -> str | None:
    """The option an answer names: as text, or by the object it is."""
    if isinstance(value, Text):
        return value.value
    return value.instance.name if isinstance(value, InstanceValue) else None


def judge(question: CellQuestion) -> Effects:
    """A judge that answers what the question says a picture would show."""
    return Effects(judge=lambda asked, pictures, options: Judgement(question.judged[asked]))


def at_once(question: CellQuestion) -> CellQuestion:
    """The question with all of its cells as one."""
    return replace(question, cells=("\n".join(question.cells),))


def play(question: CellQuestion, seen: SpatialMemory | None = None, effects: Effects | None = None) -> Played:
    """The question's cells over ``seen``, by default its exact memory."""
    session = CellSession(
        memory(question.world, question.seed) if seen is None else seen,
        options=question.options,
        effects=judge(question) if effects is None else effects,
    )
    turns: list[Turn] = []
    for cell in question.cells:
        turns.append(session.run(cell))
        if not turns[-1].accepted:
            break
    return Played(question, tuple(turns))


def told(played: Played) -> str:
    """For the message of a failing test."""
    last = played.turns[-1]
    faults = [f"{fault.code} {fault.message}" for fault in last.faults]
    return "\n".join([played.question.question, last.text, *faults, *last.told(), f"truth: {played.question.truth}"])


def cause_of(value: Value | None) -> Absent | None:
    """The first absent value of a chain of absent ones."""
    while isinstance(value, Absent) and value.cause is not None:
        value = value.cause
    return value if isinstance(value, Absent) else None
