"""A question's way: a task for a strategy, its outcome made into an answer, and everything written to the log.

Knows what the answers of all strategies have in common. Does not know how any strategy answers (``strategy``), how a
model is opened (``answering``), nor grammar, geometry or wording.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

from placecell.agents.answer import Answer, Finding, Grounds, Usage
from placecell.agents.answering import How, Ready
from placecell.agents.author import Asked
from placecell.agents.choice import letter_of
from placecell.agents.events import AnswerEvent, FailureEvent, PictureRef, QuestionEvent
from placecell.agents.explaining import explain
from placecell.agents.image_file import ImageFile
from placecell.agents.log import Log
from placecell.agents.models.budget import Spent
from placecell.agents.models.settings import Settings
from placecell.agents.quoting import writable
from placecell.agents.recording import keep_picture, memory_record, overview
from placecell.agents.strategy import Outcome, Task
from placecell.agents.trace_page import write_page
from placecell.engine.describe import describe
from placecell.engine.evidence import joined
from placecell.engine.facts import facts_of
from placecell.engine.interpreter import RunResult
from placecell.engine.values import Evidence, MemoryValue
from placecell.memory.scene import SpatialMemory

if TYPE_CHECKING:
    from pydantic_ai.models import Model

__all__ = ["Asker", "How", "ask", "explain"]


class Asker:
    """A memory and a way to answer questions about it, opened once. Usable from several threads."""

    def __init__(self, memory: SpatialMemory, how: How | None = None, *, model: Model[Any] | None = None) -> None:
        """``model``, a pydantic-ai model, takes the place of the one ``how`` names.

        Raises:
            UserError: an unknown strategy or model, or a strategy that needs a model and has none.
            BackendUnavailable: the model needs an extra or a key.
        """
        self.memory = memory
        self._ready = Ready(how if how is not None else How(), model)
        self._facts = facts_of(memory)
        self._drawn: tuple[PictureRef, ImageFile] | None = None

    def ask(
        self, question: str, options: Sequence[str] | None = None, *, trace: Path | None = None, log: Log | None = None
    ) -> Answer:
        """Answer one question; see the function ``ask``."""
        started = time.perf_counter()
        if log is None and trace is not None:
            log = Log()
        part = log.asking() if log is not None else None
        asked = Asked(writable(question), tuple(map(writable, options or ())))
        task = self._ready.task(self.memory, self._facts, asked, part)
        if part is not None:
            part.add(self._question(task))
        outcome = self._ready.strategy.answer(task)
        answer = _answer(task, outcome, time.perf_counter() - started)
        if trace is not None:
            answer = answer.model_copy(update={"trace": str(trace)})
        if part is not None:
            if answer.stage is not None:
                part.add(FailureEvent(stage=answer.stage, reason=answer.reason or "", final=True))
            part.add(AnswerEvent(answer=answer))
            if trace is not None:
                write_page(part, trace)
        return answer

    def _question(self, task: Task) -> QuestionEvent:
        how, named = self._ready.how, self._ready.how.model
        model = task.channel.wrapped.model_name if task.channel is not None and named == "rules" else named
        return QuestionEvent(
            text=task.asked.question,
            options=task.asked.options,
            strategy=how.strategy,
            model=model,
            limits=vars(how.limits) if task.channel is not None else {},
            settings={"images": how.images, **how.options},
            use=_use(self._ready.settings) if task.channel is not None else {},
            memory=memory_record(self.memory),
            overview=self._overview(task.log),
            versions=_versions(),
        )

    def _overview(self, log: Log) -> PictureRef:
        """The top view of the memory, drawn for the first question and kept for the others."""
        if self._drawn is None:
            ref = keep_picture(log, overview(self.memory))
            self._drawn = ref, ImageFile(log.data(ref.digest), ref.media_type, ref.width, ref.height)
            return ref
        ref, file = self._drawn
        return log.picture(file, caption=ref.caption, camera=ref.camera)


def ask(
    memory: SpatialMemory,
    question: str,
    options: Sequence[str] | None = None,
    how: How | None = None,
    *,
    trace: Path | None = None,
    log: Log | None = None,
) -> Answer:
    """Answer one question about a memory.

    Args:
        memory: what is known of the place.
        question: in plain English; it may contain its options.
        options: the offered answers, lettered or not.
        how: which strategy, model and limits; without, a program by rules.
        trace: write how it was answered to this HTML file (its events, for a path that ends in .json).
        log: where everything that happens is recorded; a person will look at it, so pictures are made.

    Returns:
        An answer, abstained with stage and reason when there is none. Nothing a question or a model says raises.

    Raises:
        UserError: an unknown strategy or model, or a trace file that cannot be written.
        BackendUnavailable: the model needs an extra or a key.
    """
    return Asker(memory, how).ask(question, options, trace=trace, log=log)


def _answer(task: Task, outcome: Outcome, seconds: float) -> Answer:
    reading, understanding, result = outcome.reading, outcome.understanding, outcome.result
    decomposition = understanding.decomposition if understanding else None
    offered = decomposition.comparison.options if decomposition else ()
    abstained = reading.reason is not None
    return Answer(
        question=task.asked.question,
        answer=reading.text,
        letter=letter_of(reading.option, offered, by_place=bool(task.asked.options)),
        value=reading.value,
        unit=reading.unit,
        interval=reading.interval,
        confidence=reading.confidence,
        method=None if abstained else outcome.method,
        abstained=abstained,
        reason=reading.reason,
        stage=reading.stage,
        notes=reading.notes,
        family=understanding.family if understanding else None,
        decomposition=decomposition,
        program=outcome.program,
        diagnostics=tuple(Finding.of(d) for d in outcome.report.diagnostics) if outcome.report else (),
        attempts=outcome.attempts,
        values=_values(result) if result else {},
        evidence=_grounds(result) if result else Grounds(),
        usage=_usage(task, result, seconds),
        versions=_versions(),
    )


def _use(settings: Settings) -> dict[str, Any]:
    """How the model is used, without where it is and the key to it."""
    return {
        name: value for name, value in vars(settings).items() if name not in ("base_url", "api_key", "cache", "offline")
    }


def _values(result: RunResult) -> dict[str, str]:
    """Every bound value in words; the memory itself is left out."""
    return {name: describe(v) for name, v in result.bindings.items() if not isinstance(v, MemoryValue)}


def _grounds(result: RunResult) -> Grounds:
    """What the returned values rest on."""
    evidence = joined(*(e for v in result.values if isinstance(e := getattr(v, "evidence", None), Evidence)))
    return Grounds(images=evidence.frames, instances=evidence.instances, remarks=evidence.flags)


def _usage(task: Task, result: RunResult | None, seconds: float) -> Usage:
    spent = task.channel.account.spent if task.channel is not None else Spent()
    return Usage(
        operations=result.stats.operations if result else 0,
        pictures=result.stats.pictures if result else 0,
        calls=spent.calls,
        lost_calls=spent.lost,
        input_tokens=spent.input_tokens,
        output_tokens=spent.output_tokens,
        tokens=spent.tokens,
        pictures_sent=spent.pictures,
        usd=None if spent.unpriced else round(spent.usd, 6),
        seconds=round(seconds, 6),
    )


@cache
def _versions() -> dict[str, str]:
    return {"placecell": metadata.version("placecell")}
