"""One sample, from its media to its record. Every failure is a record with stage and reason, never an exception."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field

from placecell.agents.answer import Answer
from placecell.agents.answering import How
from placecell.agents.pipeline import Asker
from placecell.errors import PlacecellError
from placecell.evaluation.benchmarks.sample import MediaError, Sample
from placecell.evaluation.runs.record import FailureStage, RunSettings, SampleRecord
from placecell.evaluation.runs.sources import MemorySource
from placecell.evaluation.scoring.scorer import Scorer
from placecell.memory.scene import SpatialMemory

_MAY_MEND: tuple[FailureStage, ...] = ("model",)
"""A server that was down may be up when the run goes on; nothing else changes by itself."""


@dataclass
class Solver:
    """A strategy and a model over memories of a source. Thread-safe."""

    settings: RunSettings
    how: How
    source: MemorySource
    choice: tuple[Scorer, ...]
    number: tuple[Scorer, ...]
    _askers: dict[int, Asker] = field(default_factory=dict)

    def solve(self, sample: Sample) -> SampleRecord:
        """Answer a sample and score the answer."""
        started = time.perf_counter()
        try:
            memory = self.source.make(sample)
        except PlacecellError as error:
            stage: FailureStage = "media" if isinstance(error, MediaError) else "memory"
            return self._unanswered(sample).model_copy(update={"stage": stage, "reason": str(error)})
        took = time.perf_counter() - started
        return self._record(sample, self._asker(memory).ask(sample.question, sample.options or None), took)

    def _asker(self, memory: SpatialMemory) -> Asker:
        """Opening a model takes longer than asking rules; one is kept for each memory that is open."""
        found = self._askers.get(id(memory))
        if found is None or found.memory is not memory:
            if len(self._askers) > 32:
                self._askers.clear()
            found = self._askers[id(memory)] = Asker(memory, self.how)
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
                "final": answer.stage not in _MAY_MEND,
                "attempts": answer.attempts,
                "usage": answer.usage,
                "memory_seconds": round(memory_seconds, 6),
            }
        )

    def _unanswered(self, sample: Sample) -> SampleRecord:
        return SampleRecord(
            run=self.settings.digest,
            sample=sample.id,
            kind=sample.kind,
            group=sample.group,
            scene=sample.scene,
            options=len(sample.options),
            truth=sample.truth,
            scores=self.score(sample, None),
        )

    def score(self, sample: Sample, reply: str | None) -> Mapping[str, float]:
        """Score of the reply by each scorer of its type of answer; nothing said scores 0."""
        scorers = self.choice if sample.options else self.number
        truths = (sample.truth, *sample.also_right)
        return {
            scorer.name: 0.0 if reply is None else max(scorer(reply, truth).value for truth in truths)
            for scorer in scorers
        }


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
