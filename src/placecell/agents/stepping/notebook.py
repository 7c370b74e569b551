"""The cells of one question as they are written, by whomever: run, recorded, and read for the answer.

Knows what becomes of a cell in the log and in the outcome. Does not know who writes it (``conversation``,
``by_rules``).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from placecell.agents import answers
from placecell.agents.answer import Attempt, Finding, Method
from placecell.agents.author import Rules, Understanding
from placecell.agents.events import ProgramEvent
from placecell.agents.opinions import TRUST_EVIDENCE
from placecell.agents.questions.units import unit_of
from placecell.agents.reading import Reading, no_answer
from placecell.agents.recording import run_event
from placecell.agents.stepping.values import Sought, read_value
from placecell.agents.strategy import Outcome, Task
from placecell.agents.wanted import Wanted
from placecell.engine.cells.perception import JUDGED
from placecell.engine.cells.quantities import Quantity
from placecell.engine.evidence import rests_on
from placecell.engine.session import CellSession, Turn
from placecell.engine.values import Value

if TYPE_CHECKING:
    from placecell.agents.stepping.goal import Goal

LOW = 0.3
"""Confidence of the best value at hand when no cell answered."""
BETWEEN_CELLS = "\n---\n"


@dataclass(frozen=True)
class Answered:
    """What a cell answers, how it was found, the operations that led to it, and the value itself."""

    reading: Reading
    method: Method = "geometry"
    ways: frozenset[str] = frozenset()
    value: Value | None = None

    def independent_of(self, other: Answered) -> bool:
        """Whether it came about by other means: measuring the same again proves nothing.

        Numbers tell by their errors, half of which at most may be shared; else other operations, or a look at pictures.
        """
        a, b = self.value, other.value
        if isinstance(a, Quantity) and isinstance(b, Quantity) and a.sd and b.sd:
            shared = sum(change * b.number.part(source) for source, change in a.number.errors)
            return abs(shared) <= 0.5 * a.sd * b.sd
        return self.method != other.method or not self.ways <= other.ways


class Notebook:
    """A session, and what the question wants of it.

    ``understood`` is the question taken apart by the grammar, or why it was not: then the values a one-shot program
    returns are no answer until a cell says which of them is.
    """

    def __init__(self, task: Task, session: CellSession) -> None:
        self.task = task
        self.session = session
        self.understood = Rules().decompose(task.asked, task.facts)
        self.wanted = Wanted.of(task.asked, task.facts)
        self.sought = Sought.of(self.understood, self.wanted)
        self._said: Reading | None = None
        self._attempts: list[Attempt] = []

    def aim(self, goal: Goal) -> None:
        """Take the type and unit of the answer from a goal, where the question's wording does not tell them."""
        if not self.sought.options and goal.answer != "option":
            unit = self.sought.unit or unit_of(goal.unit.lower())
            self.sought = replace(self.sought, form=self.sought.form or goal.answer, unit=unit)

    def write(self, text: str, *, author: str) -> Turn:
        """Run a cell, and record it as a program with its run."""
        turn = self.session.run(text)
        repairs = tuple(r.name for r in turn.report.repairs) if turn.accepted else ()
        codes = tuple(dict.fromkeys(d.code for d in turn.faults))
        attempt = Attempt(
            program=turn.text, accepted=not turn.faults, repaired=bool(repairs), codes=codes, repairs=repairs
        )
        self._attempts.append(attempt)
        log = self.task.log
        log.add(
            ProgramEvent(
                what="cell",
                attempt=turn.number,
                author=author,
                text=turn.text,
                diagnostics=tuple(Finding.of(d) for d in turn.faults),
                accepted=turn.accepted,
                repaired=bool(repairs),
            )
        )
        if turn.result is not None:
            log.add(run_event(log, turn.result))
        return turn

    def read(self, turn: Turn) -> Answered | None:
        """What a cell answers; None when it does not say that it does.

        A one-shot program returns the values that answer the question; a cell calls ``answer``. What a value says is
        told by its kind, else by what the grammar knows of the question.
        """
        if not turn.answers or turn.result is None:
            return None
        ways = frozenset(step.operation for step in turn.result.steps)
        reading = no_answer("the cell returned nothing that answers")
        if turn.answer is not None:
            reading = read_value(turn.answer, self.sought)
        if reading.reason is not None and isinstance(self.understood, Understanding):
            by_question = answers.read(self.understood.decomposition, turn.result)
            reading = by_question if turn.answer is None or by_question.reason is None else reading
        seen = any(JUDGED in rests_on(value) for value in turn.answers)
        if turn.chosen or seen:  # by whoever saw the values and pictures
            reading = replace(reading, confidence=min(reading.confidence, TRUST_EVIDENCE))
        return Answered(reading, "vlm" if turn.chosen else "both" if seen else "geometry", ways, turn.answer)

    def hear(self, reply: str) -> None:
        """Note an option that was named outside of any cell; numbers count only when they were measured."""
        reading = self.wanted.reading(reply)
        if reading.option is not None:
            self._said = reading

    def best(self) -> Answered:
        """When no cell says what the answer is: the last measured value that could be it, with low confidence.

        Without one, an option that was named in words.
        """
        for bound in reversed(self.session.names.values()):
            reading = read_value(bound.value, self.sought)
            if reading.reason is None and bound.type.measured:
                return _low(reading, "geometry", f"of the values at hand, {bound.name} comes closest")
        if self._said is not None:
            return _low(self._said, "vlm", "it was said, and nothing was measured for it")
        if not any(turn.accepted for turn in self.session.turns):
            return Answered(no_answer(f"no cell was accepted in {len(self.session.turns)} attempts", "plan"))
        return Answered(no_answer("the cells were used up without an answer"))

    def outcome(self, answered: Answered) -> Outcome:
        """Everything that was written, with the answer it came to."""
        accepted = [turn.program for turn in self.session.turns if turn.program]
        report = self.session.turns[-1].report if self.session.turns else None
        return Outcome(
            answered.reading,
            answered.method,
            self.understood if isinstance(self.understood, Understanding) else None,
            BETWEEN_CELLS.join(accepted) or None,
            report,
            self.session.result(),
            tuple(self._attempts),
        )


def _low(reading: Reading, method: Method, why: str) -> Answered:
    low = replace(reading, confidence=min(reading.confidence, LOW))
    return Answered(low.noting(f"low confidence: the cells were used up without an answer; {why}"), method)
