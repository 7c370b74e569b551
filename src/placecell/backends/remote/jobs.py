"""Jobs of a worker: at most so many at a time, each with a time limit, each known by the digest of its request.

The work is done in processes (``runner``) that can be stopped. A finished result is kept for a while, so that asking
again for the same thing, because a connection broke, costs nothing.
"""

from __future__ import annotations

import contextlib
import subprocess
import sys
import threading
from collections import OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import IO

from pydantic import TypeAdapter

from placecell.backends.remote.records import ErrorRecord, JobRecord, ProgressRecord
from placecell.backends.remote.runner import PROGRESS, REQUEST, receive, send
from placecell.backends.remote.wire import message, opened

Log = Callable[[str], None]

_KEPT = 4  # finished results
_PROGRESS: TypeAdapter[ProgressRecord | None] = TypeAdapter(ProgressRecord)


class Busy(Exception):
    """Every place is taken."""


@dataclass(eq=False)
class Job:
    """One request. ``result``, a message, is there when it is ``over``; ``failed``: trying again may go better."""

    digest: str
    over: threading.Event = field(default_factory=threading.Event)
    progress: ProgressRecord | None = None
    result: bytes = b""
    failed: bool = False
    stop: Callable[[str], None] = lambda reason: None


class Process:
    """One runner, started when first needed and again after it died or was stopped."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._child: subprocess.Popen[bytes] | None = None
        self._last_words: deque[str] = deque(maxlen=1)
        self._listener: threading.Thread | None = None

    def work(self, request: bytes, job: Job, limit_s: float) -> bytes | ErrorRecord:
        """Do a job: its result, or what happened instead when the process was stopped or died."""
        stopped: list[str] = []
        child = self._running()

        def stop(reason: str) -> None:
            stopped.append(reason)
            child.kill()

        job.stop = stop
        watchdog = threading.Timer(limit_s, stop, [f"the work took longer than the worker's limit of {limit_s:g} s"])
        watchdog.start()
        try:
            result = self._exchange(child, request, job)
        finally:
            watchdog.cancel()
            job.stop = Job.stop
        if result is not None:
            return result
        self.close()
        if stopped:
            return ErrorRecord(
                error="exhausted", message=stopped[0], hint="send fewer pictures, or raise its --time-limit"
            )
        how = f"signal {-child.returncode}" if child.returncode < 0 else f"exit status {child.returncode}"
        said = f": {self._last_words[0]}" if self._last_words else ""
        return ErrorRecord(
            error="user",
            message=f"the process that did the work ended unexpectedly ({how}{said})",
            hint="the worker's log says more; if it ran out of memory, send fewer pictures",
        )

    def close(self) -> None:
        """End the process, if there is one."""
        child, self._child = self._child, None
        if child is not None:
            child.kill()
            child.wait()
            for stream in (child.stdin, child.stdout):
                if stream is not None:
                    _close(stream)

    def _running(self) -> subprocess.Popen[bytes]:
        if self._child is None or self._child.poll() is not None:
            self.close()
            self._child = subprocess.Popen(
                [sys.executable, "-m", "placecell.backends.remote.runner"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            )
            self._last_words.clear()
            self._listener = threading.Thread(target=self._pass_on, args=(self._child.stderr,), daemon=True)
            self._listener.start()
        return self._child

    def _exchange(self, child: subprocess.Popen[bytes], request: bytes, job: Job) -> bytes | None:
        """The result of a request, None when the process died."""
        if child.stdin is None or child.stdout is None:
            raise RuntimeError("the runner was started without pipes")
        try:
            send(child.stdin, REQUEST, request)
            while (part := receive(child.stdout)) is not None:
                kind, data = part
                if kind != PROGRESS:
                    return data
                job.progress, _ = opened(data, _PROGRESS)
        except (BrokenPipeError, ConnectionResetError):
            pass
        child.wait()
        if self._listener is not None:
            self._listener.join(timeout=1.0)  # its last words
        return None

    def _pass_on(self, stream: IO[bytes]) -> None:
        with stream:
            for line in stream:
                text = line.decode(errors="replace").rstrip()
                if text:
                    self._last_words.append(text[:300])
                self._log(text)


class Jobs:
    """``places`` jobs at a time."""

    def __init__(self, *, places: int, limit_s: float, kept_bytes: int, log: Log) -> None:
        self.limit_s = limit_s
        self._kept_bytes = kept_bytes
        self._lock = threading.Lock()
        self._free = [Process(log) for _ in range(places)]
        self._all = tuple(self._free)
        self._running: dict[str, Job] = {}
        self._done: OrderedDict[str, Job] = OrderedDict()

    def find(self, digest: str) -> Job | None:
        """The job of this request, running or finished; None when it is not known, or failed and may be tried again."""
        with self._lock:
            return self._running.get(digest) or self._done.get(digest)

    def reserve(self) -> Process:
        """A place for one more job, to be given to ``start`` or ``release``. Busy when there is none."""
        with self._lock:
            if not self._free:
                raise Busy
            return self._free.pop()

    def release(self, process: Process) -> None:
        """Give a place back."""
        with self._lock:
            self._free.append(process)

    def start(self, digest: str, request: bytes, process: Process) -> Job:
        """Begin, unless the same request is known: then that job."""
        with self._lock:
            known = self._running.get(digest) or self._done.get(digest)
            if known is not None and not known.failed:
                self._free.append(process)
                return known
            job = self._running[digest] = Job(digest)
            self._done.pop(digest, None)
        threading.Thread(target=self._work, args=(job, request, process), daemon=True).start()
        return job

    def forget(self, digest: str) -> None:
        """Stop the job or drop its result: its sender has it, or no longer wants it."""
        with self._lock:
            job = self._running.get(digest)
            self._done.pop(digest, None)
        if job is not None:
            job.stop("stopped by the one who asked for it")

    def close(self) -> None:
        """End all processes."""
        for process in self._all:
            process.close()

    def _work(self, job: Job, request: bytes, process: Process) -> None:
        result = process.work(request, job, self.limit_s)
        job.failed = isinstance(result, ErrorRecord)
        job.result = message(result) if isinstance(result, ErrorRecord) else result
        with self._lock:
            del self._running[job.digest]
            self._done[job.digest] = job
            self._free.append(process)
            while len(self._done) > 1 and (len(self._done) > _KEPT or self._bytes() > self._kept_bytes):
                self._done.popitem(last=False)
        job.over.set()

    def _bytes(self) -> int:
        return sum(len(job.result) for job in self._done.values())


def state(job: Job) -> bytes:
    """What is said of a running job."""
    return message(JobRecord(progress=job.progress))


def _close(stream: IO[bytes]) -> None:
    with contextlib.suppress(BrokenPipeError):
        stream.close()
