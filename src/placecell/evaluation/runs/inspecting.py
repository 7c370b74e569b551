"""A run as a task of inspect-ai: its concurrency, its limits, its logs and its viewer around our solver.

Knows inspect-ai's names for things. Does not know engines or files of records.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from inspect_ai import Task
from inspect_ai.dataset import MemoryDataset
from inspect_ai.dataset import Sample as Shown
from inspect_ai.model import ModelOutput
from inspect_ai.scorer import Score, Scorer, Target, grouped, mean, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, solver

from placecell.evaluation.benchmarks.sample import Sample
from placecell.evaluation.runs.record import RunSettings, SampleRecord

_RECORD = "placecell"
"""Where a sample's record lies in the metadata of its log entry: its store would be written down with every span."""

Solve = Callable[[Sample], Awaitable[SampleRecord]]


def task_of(settings: RunSettings, samples: Sequence[Sample], solve: Solve) -> Task:
    """The samples as a task. A sample that raises is logged as an error and scores 0; it stays in the count."""
    return Task(
        dataset=MemoryDataset([_shown(sample) for sample in samples], name=settings.benchmark),
        solver=_solver(samples, solve),
        scorer=_scorer(),
        name=settings.benchmark,
        metadata=settings.model_dump(mode="json") | {"run": settings.digest},
        fail_on_error=False,
        score_on_error=True,
    )


def _shown(sample: Sample) -> Shown:
    return Shown(
        id=sample.id,
        input="\n".join([sample.question, *sample.options]),
        target=[sample.truth, *sample.also_right],
        metadata={"kind": sample.kind, "group": sample.group, "scene": sample.scene, "media": list(sample.media)},
    )


def _solver(samples: Sequence[Sample], solve: Solve) -> Solver:
    by_id = {sample.id: sample for sample in samples}

    @solver(name="placecell/strategy")
    def strategy() -> Solver:
        async def answer(state: TaskState, generate: Generate) -> TaskState:
            record = await solve(by_id[str(state.sample_id)])
            state.metadata[_RECORD] = record.model_dump(mode="json", exclude_defaults=True)
            state.output = ModelOutput.from_content(str(state.model), record.reply or "")
            return state

        return answer

    return strategy()


def _scorer() -> Scorer:
    @scorer(metrics=[grouped(mean(), "kind"), stderr()], name="placecell/official")
    def official() -> Scorer:
        async def score(state: TaskState, target: Target) -> Score:
            found: dict[str, Any] | None = state.metadata.get(_RECORD)
            if found is None:
                return Score(value=0.0, explanation="crash")
            record = SampleRecord.model_validate(found)
            why = f"{record.stage}: {record.reason}" if record.stage else record.method
            return Score(value=record.score, answer=record.reply, explanation=why, metadata=dict(record.scores))

        return score

    return official()
