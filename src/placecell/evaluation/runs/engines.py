"""Where samples are answered: in threads of this process, or in worker processes of a Ray cluster.

Either way one sample goes in and its record comes out; what is kept and logged is the same (``running``).
"""

from __future__ import annotations

import asyncio
import importlib
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import cached_property
from typing import Any, Protocol

from placecell.errors import BackendUnavailable, UserError
from placecell.evaluation.benchmarks.sample import Sample
from placecell.evaluation.runs.answering import Solver
from placecell.evaluation.runs.record import SampleRecord
from placecell.evaluation.runs.request import Prepared, Request, prepare

NAMES = ("local", "ray")
_EXTRA = "pip install 'placecell[ray]'"


class Engine(Protocol):
    """``places``: how many samples it answers at a time."""

    places: int

    async def solve(self, sample: Sample) -> SampleRecord:
        """The record of a sample. Raises only what nobody foresaw."""
        ...

    def close(self) -> None:
        """Give back what was taken: threads, workers."""
        ...


class Threads:
    """This process. Models are waited for together; what computes takes turns."""

    def __init__(self, solver: Solver, places: int) -> None:
        self.solver, self.places = solver, places
        self._pool = ThreadPoolExecutor(places, thread_name_prefix="placecell sample")

    async def solve(self, sample: Sample) -> SampleRecord:
        # The caller's context goes along: inspect-ai finds its sample in it when a model of its own is called.
        context = copy_context()
        return await asyncio.get_running_loop().run_in_executor(self._pool, context.run, self.solver.solve, sample)

    def close(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)


class RayWorkers:
    """Worker processes on a Ray cluster, this machine's when none is named; a lost one is started again.

    Workers see the benchmark's folder and the cache under the same paths as this process.
    """

    def __init__(self, prepared: Prepared, workers: int, each: int, address: str | None = None) -> None:
        """``workers`` processes that answer ``each`` samples at a time.

        Raises:
            BackendUnavailable: Ray is not installed.
            UserError: there is no cluster at ``address``.
        """
        try:
            self._ray: Any = importlib.import_module("ray")
        except ImportError:
            raise BackendUnavailable("--engine ray needs Ray", hint=_EXTRA) from None
        self.places = workers * each
        self._ours = not self._ray.is_initialized()
        if self._ours:
            quiet: dict[str, Any] = {"include_dashboard": False, "log_to_driver": False, "logging_level": "ERROR"}
            place = {"address": address} if address else {"num_cpus": workers}
            try:
                self._ray.init(**place, **quiet)
            except ConnectionError as error:
                raise UserError(f"no Ray cluster at {address}: {error}", hint="see `ray status`") from None
        remote = self._ray.remote(num_cpus=1, max_restarts=-1, max_task_retries=2, max_concurrency=each)(_Worker)
        self._workers = [remote.remote(prepared.request) for _ in range(workers)]
        self._each = each

    @cached_property
    def _free(self) -> asyncio.Queue[Any]:
        """One ticket for each place, each worker's first places first. Made in the loop that uses it."""
        tickets: asyncio.Queue[Any] = asyncio.Queue()
        for _ in range(self._each):
            for worker in self._workers:
                tickets.put_nowait(worker)
        return tickets

    async def solve(self, sample: Sample) -> SampleRecord:
        worker = await self._free.get()
        try:
            text: str = await worker.solve.remote(sample)
        finally:
            self._free.put_nowait(worker)
        return SampleRecord.model_validate_json(text)

    def close(self) -> None:
        for worker in self._workers:
            self._ray.kill(worker)
        if self._ours:
            self._ray.shutdown()


class _Worker:
    """In a worker process: opens its own solver."""

    def __init__(self, request: Request) -> None:
        self.solver = prepare(request).solver()

    def solve(self, sample: Sample) -> str:
        return self.solver.solve(sample).model_dump_json()
