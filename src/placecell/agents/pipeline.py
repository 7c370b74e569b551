"""A question's way: text, decomposition, program, check, run, answer. Whatever goes wrong is said in the answer.

Knows the order of the stages. Does not know grammar, geometry or wording; those are an ``Author``'s.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import metadata
from pathlib import Path

from placecell.agents.answer import Answer, Finding, Grounds, Usage
from placecell.agents.author import Asked, Author, Rules
from placecell.agents.choice import letter_of
from placecell.agents.events import AnswerEvent, DecompositionEvent, ProgramEvent, QuestionEvent
from placecell.agents.explaining import explain
from placecell.agents.log import Log
from placecell.agents.reading import Reading, no_answer
from placecell.agents.recording import keep_overview, memory_record, run_event
from placecell.agents.trace_page import write_page
from placecell.engine.describe import describe
from placecell.engine.evidence import joined
from placecell.engine.facts import facts_of
from placecell.engine.interpreter import Budget, RunResult, run
from placecell.engine.values import Evidence, MemoryValue
from placecell.errors import UserError
from placecell.language.check import CheckReport, check
from placecell.language.decomposition import Decomposition
from placecell.language.plan import MemoryFacts
from placecell.language.rewrite import rewrite
from placecell.memory.scene import SpatialMemory

__all__ = ["ask", "ask_many", "explain"]

STRATEGIES = ("program",)
_MEMORY_CODES = {
    "T212": "not in memory",
    "T214": "unknown scale",
    "T215": "not in memory",
    "T219": "not in memory",
}
"""Diagnostics that find fault with the memory rather than with the program."""
_AUTHORS: dict[str, Author] = {"rules": Rules()}


@dataclass
class _Course:
    """What has been made of a question so far; missing parts were not reached."""

    asked: Asked
    author: Author
    log: Log | None = None
    started: float = field(default_factory=time.perf_counter)
    decomposition: Decomposition | None = None
    family: str | None = None
    program: str | None = None
    report: CheckReport | None = None
    result: RunResult | None = None


def ask(
    memory: SpatialMemory,
    question: str,
    options: Sequence[str] | None = None,
    *,
    strategy: str = "program",
    model: str = "rules",
    budget: Budget = Budget(),  # noqa: B008 - frozen
    trace: Path | None = None,
    log: Log | None = None,
) -> Answer:
    """Answer one question about a memory.

    Args:
        memory: what is known of the place.
        question: in plain English; it may contain its options.
        options: the offered answers, lettered or not.
        strategy: "program": decompose, plan, check, run, read.
        model: who writes and reads; "rules" needs no model.
        budget: limits of the run.
        trace: write how it was answered to this HTML file (or its events, for a path that ends in .json).
        log: where what happens is recorded; a person will look at it, so pictures are made.

    Returns:
        An answer, abstained with stage and reason when there is none. Nothing a question says raises.

    Raises:
        UserError: an unknown strategy or model, or a trace file that cannot be written.
    """
    author = _author(strategy, model)
    if log is None and trace is not None:
        log = Log()
    part = log.asking() if log is not None else None
    course = _Course(Asked(question, tuple(options or ())), author, part)
    if part is not None:
        part.add(
            QuestionEvent(
                text=question,
                options=course.asked.options,
                strategy=strategy,
                model=model,
                limits=vars(budget),
                memory=memory_record(memory),
                overview=keep_overview(part, memory),
                versions=_versions(),
            )
        )
    answer = _finish(course, _answer(course, memory, facts_of(memory), budget))
    if trace is not None:
        answer = answer.model_copy(update={"trace": str(trace)})
    if part is not None:
        part.add(AnswerEvent(answer=answer))
        if trace is not None:
            write_page(part, trace)
    return answer


def ask_many(
    memory: SpatialMemory,
    questions: Iterable[tuple[str, Sequence[str] | None]],
    *,
    strategy: str = "program",
    model: str = "rules",
    budget: Budget = Budget(),  # noqa: B008 - frozen
) -> Iterator[Answer]:
    """Answers to (question, options) pairs, in order; as `ask`, with ``budget`` for each."""
    author, facts = _author(strategy, model), facts_of(memory)
    for question, options in questions:
        course = _Course(Asked(question, tuple(options or ())), author)
        yield _finish(course, _answer(course, memory, facts, budget))


def _author(strategy: str, model: str) -> Author:
    if strategy not in STRATEGIES:
        raise UserError(f"unknown strategy {strategy!r}", hint=f"choose {', '.join(STRATEGIES)}")
    if model not in _AUTHORS:
        raise UserError(f"unknown model {model!r}", hint=f"choose {', '.join(_AUTHORS)}")
    return _AUTHORS[model]


def _answer(course: _Course, memory: SpatialMemory, facts: MemoryFacts, budget: Budget) -> Reading:
    understood = course.author.decompose(course.asked, facts)
    if isinstance(understood, Reading):
        return understood
    decomposition = understood.decomposition
    course.decomposition, course.family = decomposition, understood.family
    log = course.log
    if log is not None:
        name = course.author.name
        log.add(DecompositionEvent(author=name, family=understood.family, decomposition=decomposition))
    text = course.author.plan(decomposition, facts, pictures=log is not None)
    if isinstance(text, Reading):
        return text
    course.program = text
    course.report = check(text, facts=facts, decomposition=decomposition)
    if log is not None:
        found = tuple(Finding.of(d) for d in course.report.diagnostics)
        accepted = course.report.plan is not None
        log.add(ProgramEvent(author=course.author.name, text=text, diagnostics=found, accepted=accepted))
    if course.report.plan is None:
        return _rejected(course.report)
    plan, _ = rewrite(course.report.plan, facts)
    course.program = plan.text
    course.result = run(plan, memory, budget=budget)
    if log is not None:
        log.add(run_event(log, course.result))
    return course.author.read(course.asked, decomposition, course.result)


def _rejected(report: CheckReport) -> Reading:
    """The author wrote a program that the checker does not accept, for the memory at hand or at all."""
    first = report.errors[0]
    if first.code in _MEMORY_CODES:
        return no_answer(f"{_MEMORY_CODES[first.code]}: {first.message}", "memory")
    return no_answer(f"the program was not accepted: {first.code} {first.message}", "plan")


def _finish(course: _Course, reading: Reading) -> Answer:
    decomposition, result = course.decomposition, course.result
    options = decomposition.comparison.options if decomposition else ()
    diagnostics = course.report.diagnostics if course.report else ()
    abstained = reading.reason is not None
    return Answer(
        question=course.asked.question,
        answer=reading.text,
        letter=letter_of(reading.option, options, by_place=bool(course.asked.options)),
        value=reading.value,
        unit=reading.unit,
        interval=reading.interval,
        confidence=reading.confidence,
        method=None if abstained else course.author.method,
        abstained=abstained,
        reason=reading.reason,
        stage=reading.stage,
        notes=reading.notes,
        family=course.family,
        decomposition=decomposition,
        program=course.program,
        diagnostics=tuple(Finding.of(d) for d in diagnostics),
        values=_values(result) if result else {},
        evidence=_grounds(result) if result else Grounds(),
        usage=_usage(course),
        versions=_versions(),
    )


def _values(result: RunResult) -> dict[str, str]:
    """Every bound value in words; the memory itself is left out."""
    return {name: describe(v) for name, v in result.bindings.items() if not isinstance(v, MemoryValue)}


def _grounds(result: RunResult) -> Grounds:
    """What the returned values rest on."""
    evidence = joined(*(e for v in result.values if isinstance(e := getattr(v, "evidence", None), Evidence)))
    return Grounds(images=evidence.frames, instances=evidence.instances, remarks=evidence.flags)


def _usage(course: _Course) -> Usage:
    stats = course.result.stats if course.result else None
    return Usage(
        operations=stats.operations if stats else 0,
        pictures=stats.pictures if stats else 0,
        seconds=round(time.perf_counter() - course.started, 6),
    )


@cache
def _versions() -> dict[str, str]:
    return {"placecell": metadata.version("placecell")}
