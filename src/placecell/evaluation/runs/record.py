"""What is kept of one sample of a run: enough for every table and figure, and to go on after a crash.

Records are JSON lines, each written before the next sample takes its place: a killed process loses none, a machine that
goes down those of about a second. A line that was cut off by a crash is the last one and is left out; a damaged line
before it is an error. The same run (``RunSettings.digest``) never answers a finished sample twice. Each shard of a run
writes a file of its own; the files of all shards in one folder are the run.
"""

from __future__ import annotations

import hashlib
import json
import os
import threading
import time
import uuid
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from placecell.agents.answer import Attempt, Usage
from placecell.errors import UserError

FailureStage = Literal[
    "media", "memory", "grounding", "decomposition", "plan", "execution", "answer", "model", "budget", "crash"
]
"""Where a sample was lost: its files could not be read, no memory could be made of them, or as in ``Answer.stage``.

"crash": an error nobody foresaw, or a worker process that was lost; it is tried again like a server that was down.
"""

_SYNC_SECONDS = 1.0


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class RunSettings(_Record):
    """Everything that shapes the answers of a run. Not: workers, limits of time."""

    benchmark: str
    strategy: str
    model: str
    memory: str
    seed: int = 0
    debias: tuple[str, ...] = ()
    split: str = "full"
    options: Mapping[str, Any] = Field(default_factory=dict)
    data_sha256: str = ""
    placecell: str = ""

    @property
    def digest(self) -> str:
        """Identifies the run: the same settings give the same digest."""
        return hashlib.sha256(self.model_dump_json().encode()).hexdigest()[:16]


class SampleRecord(_Record):
    """One sample, answered or failed. ``scores`` by scorer name; a failure scores 0 in each and stays in the count.

    ``scorer`` names the one of the scores that is the benchmark's own, the figure of all headlines. ``reply`` is what
    the scorers read: the letter or the bare number of the answer. ``views``: (azimuth, elevation, mode) of each render
    an exploration chose, ``rounds``: its replies that looked. ``final`` is False for a failure that another try may
    mend (a server that was down, a crash): it is tried again when the run is resumed.
    """

    run: str
    sample: str
    kind: str
    question: str = ""
    group: str = ""
    scene: str = ""
    options: int = 0
    truth: str = ""
    reply: str | None = None
    letter: str | None = None
    value: float | None = None
    confidence: float = 0.0
    method: str | None = None
    scores: Mapping[str, float] = Field(default_factory=dict)
    scorer: str = ""
    stage: FailureStage | None = None
    reason: str | None = None
    final: bool = True
    attempts: tuple[Attempt, ...] = ()
    views: tuple[tuple[float, float, str], ...] = ()
    rounds: int = 0
    usage: Usage = Usage()
    memory_seconds: float = 0.0

    @property
    def score(self) -> float:
        """The benchmark's own score, 0 to 1."""
        return self.scores.get(self.scorer, 0.0)

    def content(self) -> dict[str, Any]:
        """The record without what differs from one run to the next: times."""
        content = self.model_dump(mode="json", exclude={"memory_seconds"})
        content["usage"].pop("seconds")
        return content


class Records:
    """The file of a run's records: ``settings.json`` beside ``records.jsonl``. Thread-safe."""

    def __init__(self, folder: Path, settings: RunSettings, part: str = "") -> None:
        """Open the folder to go on, or start it; ``part`` names the shard this process works on ("3-of-8").

        Raises:
            UserError: the folder holds another run, or is damaged.
        """
        self.folder, self.settings = folder, settings
        self._lock = threading.Lock()
        folder.mkdir(parents=True, exist_ok=True)
        known = folder / "settings.json"
        if known.exists():
            _need_same(read_settings(folder), settings, folder)
        else:
            _write(known, settings.model_dump_json(indent=1) + "\n")
        self.path = folder / f"records{f'-{part}' if part else ''}.jsonl"
        self._latest = {record.sample: record for record in read_records(folder)}
        self._synced = 0.0
        _mend(self.path)

    def finished(self, sample: str) -> SampleRecord | None:
        """The record of a sample that needs no further try."""
        with self._lock:
            found = self._latest.get(sample)
        return found if found is not None and found.final else None

    def latest(self) -> Mapping[str, SampleRecord]:
        """The last record of each sample by its id."""
        with self._lock:
            return dict(self._latest)

    def add(self, record: SampleRecord) -> None:
        """Keep a record: a killed process loses none that this returned for. Forced to disk at most once a second."""
        line = record.model_dump_json() + "\n"
        with self._lock, self.path.open("a", encoding="utf-8") as file:
            file.write(line)
            file.flush()
            now = time.monotonic()
            if now - self._synced > _SYNC_SECONDS:  # a disk may take longer for it than all else that a sample takes
                os.fsync(file.fileno())
                self._synced = now
            self._latest[record.sample] = record


def read_settings(folder: Path) -> RunSettings:
    """Settings of a run's folder. UserError when it is none."""
    path = folder / "settings.json"
    try:
        return RunSettings.model_validate_json(path.read_text(encoding="utf-8"))
    except (OSError, ValidationError) as error:
        reason = error.errors()[0]["msg"] if isinstance(error, ValidationError) else error.strerror
        raise UserError(f"{folder} is no folder of a run: {path.name}: {reason}") from None


def read_records(folder: Path) -> list[SampleRecord]:
    """The last record of each sample, of all shards, in the order of their first. UserError names a damaged line."""
    latest: dict[str, SampleRecord] = {}
    for record in (record for path in sorted(folder.glob("records*.jsonl")) for record in _lines(path)):
        known = latest.get(record.sample)
        if known is None or record.final or not known.final:
            latest[record.sample] = record
    return list(latest.values())


def _lines(path: Path) -> Iterator[SampleRecord]:
    *lines, _cut_off = path.read_text(encoding="utf-8", errors="replace").split("\n")
    for number, line in enumerate(lines, 1):
        try:
            yield SampleRecord.model_validate_json(line)
        except ValidationError as error:
            raise UserError(f"{path}, line {number}: {error.errors()[0]['msg']}", hint="the file is damaged") from None


def _mend(path: Path) -> None:
    """Take a line that a crash cut off away, so that the next record starts a line of its own."""
    if path.exists():
        data = path.read_bytes()
        whole = data.rfind(b"\n") + 1
        if whole < len(data):
            with path.open("r+b") as file:
                file.truncate(whole)


def _need_same(known: RunSettings, asked: RunSettings, folder: Path) -> None:
    if known == asked:
        return
    before, now = known.model_dump(), asked.model_dump()
    changed = next(name for name in now if before[name] != now[name])
    raise UserError(
        f"{folder} holds a run with {changed} {json.dumps(before[changed])}, not {json.dumps(now[changed])}",
        hint="give another folder with -o",
    )


def _write(path: Path, text: str) -> None:
    temporary = path.with_suffix(f".{uuid.uuid4().hex}")
    temporary.write_text(text, encoding="utf-8")
    temporary.replace(path)
