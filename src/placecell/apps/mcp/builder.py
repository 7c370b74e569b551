"""The process of one build: a request as a line on stdin, lines of JSON on stdout, then it ends.

A process of its own, because a build must be stoppable at any moment and must not take the server with it; when stdin
ends, the server is gone, and so is the build. It writes into a work folder that it is given; whoever started it moves
the memory to its place.
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import IO, Literal

from pydantic import BaseModel, ConfigDict

from placecell.apps.mcp.confinement import confine
from placecell.errors import PlacecellError
from placecell.progress import OnProgress, Progress

_EVERY_S = 0.2


class BuildRequest(BaseModel):
    """What to build; all paths are absolute and were checked."""

    model_config = ConfigDict(extra="forbid")

    root: Path
    work: Path
    sources: list[Path]
    reconstructor: str
    frames: int | None
    sampling: str
    labels: Path | None
    objects: list[str]
    segmenter: str
    metric: bool
    strict: bool

    @property
    def made(self) -> Path:
        """Where the memory is written."""
        return self.work / "made.pcell"


class BuildLine(BaseModel):
    """One line: progress, an error that ends the build, or "done"."""

    kind: Literal["progress", "error", "done"]
    text: str = ""
    hint: str | None = None
    done: int = 0
    total: int | None = None


def main() -> None:
    """Build what stdin asks for. What a library prints goes to stderr, because stdout carries the lines."""
    out = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    source = os.fdopen(os.dup(sys.stdin.fileno()), "rb", buffering=0)
    line = source.readline()
    if not line:  # the server is gone already
        return
    request = BuildRequest.model_validate_json(line)
    threading.Thread(target=_end_with, args=(source, request.work), daemon=True).start()
    tempfile.tempdir = str(request.work)
    os.environ["TMPDIR"] = str(request.work)
    last = 0.0

    def say(news: BuildLine) -> None:
        out.write(news.model_dump_json() + "\n")
        out.flush()

    def progress(event: Progress) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last >= _EVERY_S:
            last = now
            say(BuildLine(kind="progress", text=event.stage, done=event.done, total=event.total))

    try:
        _build(request, progress)
        say(BuildLine(kind="done"))
    except PlacecellError as error:
        say(BuildLine(kind="error", text=error.message, hint=error.hint))


def _end_with(source: IO[bytes], work: Path) -> None:
    """Wait for the end of the server, then end with everything that was started here, which is a group of its own."""
    source.read()
    shutil.rmtree(work, ignore_errors=True)
    if hasattr(os, "killpg"):
        os.killpg(0, signal.SIGKILL)
    os._exit(1)


def _build(request: BuildRequest, progress: OnProgress) -> None:
    from placecell.backends import auto
    from placecell.memory import storage

    confine(request.root, request.work)
    memory = auto.build(
        request.sources,
        reconstructor=request.reconstructor,
        frames=request.frames,
        sampling=request.sampling,
        labels=request.labels,
        objects=request.objects,
        segmenter=request.segmenter,
        metric=request.metric,
        strict=request.strict,
        progress=progress,
    )
    storage.save(memory, request.made)


if __name__ == "__main__":
    main()
