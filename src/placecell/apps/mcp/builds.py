"""Builds under way: each in a process of its own, one at a time, known by a job's name, stoppable.

A build that is waited for ends with its call; one that was begun without waiting goes on until it is done or stopped.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import signal
import sys
import tempfile
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import anyio

from placecell.apps.mcp.builder import BuildLine, BuildRequest
from placecell.apps.mcp.limits import Limits
from placecell.errors import PlacecellError, UserError

State = Literal["waiting", "running", "done", "failed", "stopped"]
OnNews = Callable[["Job"], Awaitable[None]]

_KEPT = 32
_LOOK_S = 0.3
_LINE_BYTES = 2**20


@dataclass(eq=False)
class Job:
    """One build: where it stands, and the error it ended with."""

    id: str
    output: Path
    state: State = "waiting"
    stage: str = "waiting for another build"
    done: int = 0
    total: int | None = None
    error: PlacecellError | None = None
    task: asyncio.Task[None] | None = field(default=None, repr=False)

    @property
    def over(self) -> bool:
        return self.state in ("done", "failed", "stopped")


class Builds:
    """The jobs of a server. Used from its event loop only."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._jobs: OrderedDict[str, Job] = OrderedDict()
        self._place: asyncio.Semaphore | None = None

    def start(self, request: BuildRequest, output: Path) -> Job:
        """Begin, or queue, a build whose memory becomes ``output``. UserError when too many are under way.

        ``request.work`` is the folder in which a work folder is made.
        """
        under_way = [job for job in self._jobs.values() if not job.over]
        if len(under_way) >= self._limits.builds:
            raise UserError(f"{len(under_way)} builds are under way", hint="wait for one, or stop it with stop_build")
        if any(job.output == output for job in under_way):
            raise UserError(f"{output} is being built already", hint="ask build_status how far it is")
        job = Job(f"b{secrets.token_hex(4)}", output)
        self._jobs[job.id] = job
        while len(self._jobs) > _KEPT and next(iter(self._jobs.values())).over:
            self._jobs.popitem(last=False)
        job.task = asyncio.get_running_loop().create_task(self._run(job, request))
        return job

    def find(self, id: str) -> Job:
        """The job of this name. UserError when there is none."""
        if id not in self._jobs:
            raise UserError(f"there is no build {id!r}", hint="a server forgets old builds when it restarts")
        return self._jobs[id]

    async def wait(self, job: Job, seconds: float | None, news: OnNews) -> None:
        """Until the job is over, or so long; ``news`` is told whenever something has changed."""
        if job.task is None:
            raise RuntimeError("a job is started before it is waited for")
        told: tuple[str, int] | None = None
        loop = asyncio.get_running_loop()
        end = None if seconds is None else loop.time() + seconds
        while not job.over and (end is None or loop.time() < end):
            left = _LOOK_S if end is None else max(0.0, min(_LOOK_S, end - loop.time()))
            await asyncio.wait([job.task], timeout=left)
            if not job.over and told != (job.stage, job.done):
                told = job.stage, job.done
                await news(job)

    async def stop(self, job: Job) -> None:
        """End a build and remove what it had written."""
        if job.task is None or job.over:
            return
        with anyio.CancelScope(shield=True):  # also when the call that asks is itself being cancelled
            job.task.cancel()
            await asyncio.wait([job.task])
            if not job.over:  # it had not begun
                job.state, job.error = "stopped", UserError("the build was stopped")

    async def close(self) -> None:
        """Stop all of them."""
        for job in list(self._jobs.values()):
            await self.stop(job)

    async def _run(self, job: Job, request: BuildRequest) -> None:
        if self._place is None:
            self._place = asyncio.Semaphore(1)
        try:
            async with self._place:
                job.state, job.stage = "running", "starting"
                with tempfile.TemporaryDirectory(prefix=".placecell-build-", dir=request.work) as name:
                    mine = request.model_copy(update={"work": Path(name)})
                    job.error = await self._worked(job, mine)
                    if job.error is None:
                        mine.made.replace(job.output)
            job.state = "done" if job.error is None else "failed"
        except OSError as error:
            job.state, job.error = "failed", UserError(f"the memory cannot be written ({error.strerror or error})")
        except asyncio.CancelledError:
            job.state, job.error = "stopped", UserError("the build was stopped")

    async def _worked(self, job: Job, request: BuildRequest) -> PlacecellError | None:
        """None when the memory was made, else why not."""
        child = await asyncio.create_subprocess_exec(
            sys.executable,
            "-P",  # nothing is imported from the folder it happens to be in, which may be the served one
            "-m",
            "placecell.apps.mcp.builder",
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            start_new_session=True,
            limit=_LINE_BYTES,
        )
        try:
            async with asyncio.timeout(self._limits.build_seconds):
                return await _followed(child, job, request)
        except TimeoutError:
            return UserError(
                f"the build took longer than this server's limit of {self._limits.build_seconds:g} s",
                hint="build from fewer frames",
            )
        finally:
            _kill(child)
            await child.wait()


async def _followed(child: asyncio.subprocess.Process, job: Job, request: BuildRequest) -> PlacecellError | None:
    if child.stdin is None or child.stdout is None:
        raise RuntimeError("the build's process was started without pipes")
    child.stdin.write(request.model_dump_json().encode() + b"\n")  # left open: its end is the end of the build
    async for data in child.stdout:
        line = BuildLine.model_validate_json(data)
        if line.kind == "error":
            return UserError(line.text, hint=line.hint)
        if line.kind == "done":
            return None
        job.stage, job.done, job.total = line.text, line.done, line.total
    code = await child.wait()
    how = f"signal {-code}" if code < 0 else f"exit status {code}"
    return UserError(f"the build ended unexpectedly ({how})", hint="the server's log says more; try fewer frames")


def _kill(child: asyncio.subprocess.Process) -> None:
    """The process and what it started, which are a group of their own."""
    try:
        if hasattr(os, "killpg"):
            os.killpg(child.pid, signal.SIGKILL)
        elif child.returncode is None:
            child.kill()
    except (ProcessLookupError, PermissionError):  # over already
        pass
