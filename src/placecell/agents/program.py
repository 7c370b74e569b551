"""Answering by a program (Reasmory): decompose, plan, check, run, read.

Knows the order of the stages, and what follows when one fails; grammar, prompts and wording are an ``Author``'s. A
model's answer is sought in this order:

1. the measured values, when they decide the question;
2. the model's reading of values, renders and photos; agreement with a measured answer raises its confidence;
3. a measured answer that is not sure, when the model gives none;
4. without an accepted program, the model's reading of the photos alone.

The answer's notes say which it was. With "auto" the rules go first, and the model is asked for what they do not
understand or cannot answer, and for a second opinion where they are not sure. A model that cannot be reached, or a
budget that is used up, ends the question at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from placecell.agents.answer import Finding
from placecell.agents.author import Author, Rules
from placecell.agents.events import DecompositionEvent, NoteEvent, ProgramEvent
from placecell.agents.opinions import SURE, agreement, disagreement
from placecell.agents.reading import Reading, no_answer
from placecell.agents.recording import run_event
from placecell.agents.strategy import Outcome, Task
from placecell.agents.strategy_options import settings_of
from placecell.engine.interpreter import run
from placecell.language.check import check
from placecell.language.diagnostics import Diagnostic
from placecell.language.rewrite import rewrite

if TYPE_CHECKING:
    from placecell.agents.vlm import Vlm

_MEMORY_CODES = {
    "T212": "not in memory",
    "T214": "unknown scale",
    "T215": "not in memory",
    "T219": "not in memory",
}
"""Diagnostics that find fault with the memory rather than with the program."""


@dataclass(frozen=True)
class ProgramSettings:
    """``second_opinion`` (with "auto" only): when a model is asked what it thinks of an answer of the rules."""

    second_opinion: Literal["unsure", "always", "never"] = "unsure"


class Program:
    """The strategy; its options are the fields of ``ProgramSettings``."""

    name = "program"

    def answer(self, task: Task) -> Outcome:
        """Answer by rules, by a model, or by rules first (``task.author``)."""
        settings = settings_of(ProgramSettings, task.options, self.name) if task.options else ProgramSettings()
        if task.author == "rules":
            return follow(task, Rules())
        from placecell.agents.vlm import Vlm

        if task.author == "vlm":
            return _by_model(task, Vlm(task))
        return _rules_first(task, Vlm(task), settings.second_opinion)


def follow(task: Task, author: Author) -> Outcome:
    """One author's way from the question to the answer, or to where it got stuck."""
    understood = author.decompose(task.asked, task.facts)
    if isinstance(understood, Reading):
        return Outcome(understood, author.method)
    decomposition = understood.decomposition
    if task.trace:
        event = DecompositionEvent(author=author.name, family=understood.family, decomposition=decomposition)
        task.log.add(event)
    text = author.plan(decomposition, task.facts, pictures=task.trace)
    if isinstance(text, Reading):
        return Outcome(text, author.method, understood)
    report = check(text, facts=task.facts, decomposition=decomposition)
    if task.trace and isinstance(author, Rules):  # a model's programs are recorded as they come
        found = tuple(Finding.of(d) for d in report.diagnostics)
        task.log.add(ProgramEvent(author=author.name, text=text, diagnostics=found, accepted=report.ok))
    if report.plan is None:
        return Outcome(rejected(report.errors), author.method, understood, text, report)
    plan, _ = rewrite(report.plan, task.facts)
    result = run(plan, task.memory, budget=task.budget, judge=task.judge)
    if task.trace:
        task.log.add(run_event(task.log, result))
    reading = author.read(task.asked, decomposition, result)
    return Outcome(reading, author.method, understood, plan.text, report, result)


def _by_model(task: Task, author: Vlm) -> Outcome:
    """The model's way; without an accepted program its answer from the photos alone."""
    outcome = follow(task, author)
    stuck = outcome.reading
    if stuck.stage in ("decomposition", "plan") and stuck.reason is not None:
        why = f"no program was accepted ({stuck.reason})"
        task.log.add(NoteEvent(text=f"{why}; the model answers from the photos alone"))
        reading = author.from_photos(outcome.understanding)
        noted = reading.noting(f"answered from the photos alone: {why}" if reading.reason is None else why)
        outcome = Outcome(noted, "vlm", outcome.understanding, outcome.program, outcome.report, outcome.result)
    return outcome.with_attempts(author.attempts)


def _rules_first(task: Task, author: Vlm, wish: str) -> Outcome:
    """The rules' way; the model's for what they cannot answer, and its opinion where they are not sure."""
    first = follow(task, Rules())
    if first.reading.reason is not None:
        why = f"the rules gave no answer ({first.reading.reason})"
        task.log.add(NoteEvent(text=f"{why}; the model takes over"))
        second = _by_model(task, author)
        if second.reading.reason is None or first.reading.stage == "decomposition":
            return second.noting(why)
        return first.noting(f"nor did the model ({second.reading.reason})").with_attempts(author.attempts)
    if wish == "never" or (wish != "always" and first.reading.confidence >= SURE):
        return first
    opinion = author.opinion(first.understanding, first.result)
    if opinion.reason is not None:
        return first.noting(f"no second opinion: {opinion.reason}")
    same = opinion.text == first.reading.text
    task.log.add(NoteEvent(text=f"second opinion: {opinion.text!r}, {'the same' if same else 'another answer'}"))
    merged = (agreement if same else disagreement)(first.reading, opinion)
    return first.reread(merged, "both" if same else first.method)


def rejected(errors: Sequence[Diagnostic]) -> Reading:
    """The author wrote a program that the checker does not accept, for the memory at hand or at all."""
    first = errors[0]
    if first.code in _MEMORY_CODES:
        return no_answer(f"{_MEMORY_CODES[first.code]}: {first.message}", "memory")
    return no_answer(f"the program was not accepted: {first.code} {first.message}", "plan")
