"""The benchmarks as tasks of inspect-ai: `inspect eval placecell/vsibench -T data_dir=... -T memory=oracle:...`.

inspect-ai finds them through the entry point of the group "inspect_ai"; concurrency, limits and logs are its own.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

from inspect_ai import Task, task

from placecell.agents.models.budget import Limits
from placecell.evaluation.benchmarks.sample import Sample
from placecell.evaluation.bridges.inspect_model import LOOP, NAME, active_model
from placecell.evaluation.runs.engines import Threads
from placecell.evaluation.runs.inspecting import task_of
from placecell.evaluation.runs.record import SampleRecord
from placecell.evaluation.runs.request import NAMES, Request, prepare

_PLACES = 64
"""Threads at most; how many samples are answered at a time is inspect-ai's --max-samples."""


def _register(benchmark: str) -> Callable[..., Task]:
    @task(name=benchmark)
    def benchmark_task(
        strategy: str = "program",
        reader: str = "rules",
        memory: str | None = None,
        data_dir: str | None = None,
        split: str = "full",
        debias: str = "",
        seed: int = 0,
        budget: str = "",
        **options: Any,
    ) -> Task:
        """A benchmark under a strategy.

        ``reader`` is the model's name as placecell writes them, or "inspect": the one given with --model. Further
        arguments are the strategy's own settings.
        """
        request = Request(
            benchmark=benchmark,
            strategy=strategy,
            model=reader,
            memory=memory,
            data=Path(data_dir) if data_dir else None,
            split=split,
            debias=tuple(step for step in debias.split(",") if step),
            seed=seed,
            limits=Limits.parse(budget),
            options=options,
        )
        prepared = prepare(request)
        threads = Threads(prepared.solver(active_model() if reader == NAME else None), _PLACES)

        async def solve(sample: Sample) -> SampleRecord:
            LOOP.set(asyncio.get_running_loop())
            return await threads.solve(sample)

        return task_of(prepared.settings, prepared.samples, solve)

    return benchmark_task


TASKS = {name: _register(name) for name in NAMES}
