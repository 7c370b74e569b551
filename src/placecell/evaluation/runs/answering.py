"""One sample, from its media to its record. Every failure is a record with stage and reason, never an exception."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from placecell.agents.answer import Answer
from placecell.agents.answering import How
from placecell.agents.events import ViewEvent
from placecell.agents.log import Log
from placecell.agents.pipeline import Asker
from placecell.errors import PlacecellError
from placecell.evaluation.benchmarks.sample import MediaError, Sample
from placecell.evaluation.runs.record import FailureStage, RunSettings, SampleRecord
from placecell.evaluation.runs.sources import KEPT, MemorySource
from placecell.evaluation.scoring.scorer import Scorer
from placecell.memory.scene import SpatialMemory

if TYPE_CHECKING:
    from pydantic_ai.models import Model


@dataclass
class Solver:
    """A strategy and a model over memories of a source. Thread-safe.

    The first scorer of each type of answer is the benchmark's own. ``model`` takes the place of the one ``how`` names.
    """

    settings: RunSettings
    how: How
    source: MemorySource
    choice: tuple[Scorer, ...]
    number: tuple[Scorer, ...]
    model: Model[Any] | None = None
    _askers: OrderedDict[int, Asker] = field(default_factory=OrderedDict, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def solve(self, sample: Sample) -> SampleRecord:
        """Answer a sample and score the answer."""
        started = time.perf_counter()
        try:
            memory = self.source.make(sample)
        except PlacecellError as error:
            stage: FailureStage = "media" if isinstance(error, MediaError) else "memory"
            return self.lost(sample, stage, str(error))
        took = time.perf_counter() - started
        # What was looked at stands in the log only, and a log costs pictures: it is kept for explorations.
        log = Log() if self.how.strategy == "explore" else None
        answer = self._asker(memory).ask(sample.question, sample.options or None, log=log)
        record = self._record(sample, answer, took)
        return record.model_copy(update=looks_of(log)) if log is not None else record

    def lost(self, sample: Sample, stage: FailureStage, reason: str, *, final: bool = True) -> SampleRecord:
        """The record of a sample that could not even be asked."""
        return self._unanswered(sample).model_copy(update={"stage": stage, "reason": reason, "final": final})

    def _asker(self, memory: SpatialMemory) -> Asker:
        """Opening a model takes longer than asking rules; one is kept for each memory that is open."""
        with self._lock:
            found = self._askers.pop(id(memory), None)
            if found is None or found.memory is not memory:
                found = Asker(memory, self.how, model=self.model)
            self._askers[id(memory)] = found
            while len(self._askers) > KEPT:
                self._askers.popitem(last=False)
            return found

    def _record(self, sample: Sample, answer: Answer, memory_seconds: float) -> SampleRecord:
        reply = reply_of(answer)
        return self._unanswered(sample).model_copy(
            update={
                "reply": reply,
                "letter": answer.letter,
                "value": answer.value if isinstance(answer.value, int | float) else None,
                "confidence": answer.confidence,
                "method": answer.method,
                "scores": self.score(sample, reply),
                "stage": answer.stage,
                "reason": answer.reason,
                # a server that was down may be up when the run goes on; nothing else changes by itself
                "final": answer.usage.lost_calls == 0,
                "attempts": answer.attempts,
                "usage": answer.usage,
                "memory_seconds": round(memory_seconds, 6),
            }
        )

    def _unanswered(self, sample: Sample) -> SampleRecord:
        return SampleRecord(
            scorer=self._scorers(sample)[0].name,
            run=self.settings.digest,
            sample=sample.id,
            kind=sample.kind,
            question=sample.question,
            group=sample.group,
            scene=sample.scene,
            options=len(sample.options),
            truth=sample.truth,
            scores=self.score(sample, None),
        )

    def score(self, sample: Sample, reply: str | None) -> Mapping[str, float]:
        """Score of the reply by each scorer of its type of answer; nothing said scores 0."""
        truths = (sample.truth, *sample.also_right)
        return {
            scorer.name: 0.0 if reply is None else max(scorer(reply, truth, sample.options).value for truth in truths)
            for scorer in self._scorers(sample)
        }

    def _scorers(self, sample: Sample) -> tuple[Scorer, ...]:
        return self.choice if sample.options else self.number


def looks_of(log: Log) -> dict[str, Any]:
    """The renders an exploration chose, as fields of a record."""
    made = [event for event in log.of(ViewEvent) if event.refused is None]
    views = tuple((event.asked["azimuth"], event.asked["elevation"], event.asked["mode"]) for event in made)
    return {"views": views, "rounds": len({event.round for event in made})}


def reply_of(answer: Answer) -> str | None:
    """What is handed to a scorer: the bare letter or the bare number, which every official rule reads."""
    if answer.abstained:
        return None
    if answer.letter is not None:
        return answer.letter
    if isinstance(answer.value, bool):
        return "yes" if answer.value else "no"
    if isinstance(answer.value, int | float):
        return f"{answer.value:.6g}"
    return answer.answer
