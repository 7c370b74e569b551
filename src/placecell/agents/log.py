"""The log of a run: events in the order they happened, kept in memory and, when asked, line by line in a JSONL file.

Append-only and thread-safe. A line is flushed before ``add`` returns, so a killed process loses nothing that was
finished; a torn last line is dropped on reading. Secrets are removed at the door (``redaction``). Every picture is kept
once, under the digest of its bytes, inside the same file, which therefore needs nothing beside it.

>>> with Log(Path("run.jsonl")) as log:
...     log.add(QuestionEvent(text="Where is the lamp?", strategy="program", model="rules"))
"""

from __future__ import annotations

import base64
import hashlib
import json
import math
import threading
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, TextIO, TypeVar

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from pydantic import TypeAdapter, ValidationError

from placecell.agents.events import Event, LogEvent, PictureRef
from placecell.agents.image_file import ImageFile
from placecell.agents.redaction import redactor
from placecell.errors import UserError

VERSION = 1
_HEAD = "log"
_PICTURE = "picture"
_EVENTS: TypeAdapter[Event] = TypeAdapter(Event)
_Kind = TypeVar("_Kind", bound=LogEvent)


class _Store:
    """What the questions of a log share: the events, the pictures, the file, and the lock around all three."""

    def __init__(self, path: Path | None) -> None:
        self.lock = threading.Lock()
        self.events: list[LogEvent] = []
        self.pictures: dict[str, bytes] = {}
        self.questions = 0
        self.started = time.perf_counter()
        self.clean = redactor()
        self.path = path
        self.file: TextIO | None = None
        if path is not None:
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                self.file = path.open("w", encoding="utf-8", newline="\n")
            except OSError as error:
                raise UserError(f"{path}: {error.strerror or error}", hint="choose another place for the log") from None
            self.line({"kind": _HEAD, "version": VERSION})

    def line(self, record: Mapping[str, Any]) -> None:
        """Write one line; the caller holds the lock."""
        if self.file is not None:
            self.file.write(json.dumps(record, ensure_ascii=False, separators=(",", ":")) + "\n")
            self.file.flush()


class Log:
    """A log, or the part of it that belongs to one question (``asking``)."""

    def __init__(self, path: Path | None = None) -> None:
        """Begin an empty log, in memory only without ``path``. UserError when the file cannot be written."""
        self._store = _Store(path)
        self._question = 0

    def asking(self) -> Log:
        """The same log for the next question: what is added through it carries that question's number."""
        part = Log.__new__(Log)
        part._store = self._store
        with self._store.lock:
            self._store.questions += 1
            part._question = self._store.questions
        return part

    def add(self, event: _Kind) -> _Kind:
        """Append an event; returns it as it was kept: numbered, timed and without secrets."""
        store = self._store
        record = _finite(store.clean(event.model_dump(mode="json")))
        with store.lock:
            at = round(time.perf_counter() - store.started, 6)
            record |= {"n": len(store.events) + 1, "question": event.question or self._question, "at": at}
            kept = type(event).model_validate(record)
            store.line(record)
            store.events.append(kept)
        return kept

    def picture(
        self,
        picture: NDArray[np.uint8] | ImageFile,
        *,
        caption: str = "",
        image: int | None = None,
        camera: Mapping[str, Any] | None = None,
    ) -> PictureRef:
        """Keep a picture, (H, W, 3) RGB or encoded already, and return the reference for an event."""
        file = picture if isinstance(picture, ImageFile) else _png(picture)
        self._keep(file)
        return PictureRef(
            digest=file.digest,
            media_type=file.media_type,
            bytes=len(file.data),
            width=file.width,
            height=file.height,
            caption=caption,
            image=image,
            camera=dict(camera or {}),
        )

    def _keep(self, file: ImageFile) -> None:
        store = self._store
        with store.lock:
            if file.digest not in store.pictures:
                store.pictures[file.digest] = file.data
                if store.file is not None:
                    text = base64.b64encode(file.data).decode("ascii")
                    store.line({"kind": _PICTURE, "digest": file.digest, "media_type": file.media_type, "data": text})

    @property
    def events(self) -> tuple[LogEvent, ...]:
        """What has been added so far; through ``asking``, of that question only."""
        with self._store.lock:
            kept = tuple(self._store.events)
        return tuple(e for e in kept if e.question == self._question) if self._question else kept

    @property
    def questions(self) -> int:
        """How many questions were put."""
        return self._store.questions

    @property
    def path(self) -> Path | None:
        """The file, None in memory."""
        return self._store.path

    def of(self, kind: type[_Kind]) -> tuple[_Kind, ...]:
        """The events of one kind, in order."""
        return tuple(e for e in self.events if isinstance(e, kind))

    def only(self, question: int) -> Log:
        """The part of this log that belongs to one question, counted from 1. UserError when there is no such one."""
        if not 1 <= question <= self.questions:
            raise UserError(f"the log has {self.questions} questions, there is no question {question}")
        part = Log.__new__(Log)
        part._store, part._question = self._store, question
        return part

    def data(self, digest: str) -> bytes:
        """The encoded bytes of a kept picture. UserError when the log does not hold them."""
        found = self._store.pictures.get(digest)
        if found is None:
            raise UserError(f"the log holds no picture {digest[:12]}", hint="use the complete log file")
        return found

    def close(self) -> None:
        """Close the file; what is added later is kept in memory only."""
        with self._store.lock:
            if self._store.file is not None:
                self._store.file.close()
                self._store.file = None

    def __enter__(self) -> Log:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self.close()

    @classmethod
    def read(cls, path: Path) -> Log:
        """A log from its file, for reading. A torn last line, which a killed process leaves, is dropped.

        Raises:
            UserError: the file cannot be read, is no log, or is damaged in the middle; the message names the line.
        """
        log = cls()
        store = log._store
        store.path = path
        for record in _records(path):
            if record.get("kind") == _PICTURE:
                data = _picture(record)
                if data is None:
                    raise UserError(f"{path}: picture {str(record.get('digest'))[:12]} is damaged")
                store.pictures[record["digest"]] = data
                continue
            try:
                event = _EVENTS.validate_python(record)
            except ValidationError as error:
                first = error.errors()[0]
                where = ".".join(map(str, first["loc"]))
                raise UserError(f"{path}: event {len(store.events) + 1}: {where}: {first['msg']}") from None
            store.events.append(event)
            store.questions = max(store.questions, event.question)
        return log


class Unread(Log):
    """A log that nobody will read: events and pictures go through it, and nothing is kept."""

    def add(self, event: _Kind) -> _Kind:
        """The event as it is."""
        return event

    def _keep(self, file: ImageFile) -> None:
        pass


def _records(path: Path) -> Iterator[dict[str, Any]]:
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").split("\n")
    except OSError as error:
        raise UserError(f"{path}: {error.strerror or error}") from None
    torn = lines.pop()  # empty when the last line was finished
    for number, line in enumerate(lines, 1):
        try:
            record = json.loads(line)
        except json.JSONDecodeError:
            raise UserError(f"{path}, line {number}: not JSON", hint="give a log written by `ask --log`") from None
        if not isinstance(record, dict) or (number == 1 and record.get("kind") != _HEAD):
            raise UserError(f"{path}, line {number}: not a placecell log", hint="give a log written by `ask --log`")
        if number > 1:
            yield record
        elif record.get("version") != VERSION:
            raise UserError(f"{path}: a log of version {record.get('version')}, this placecell reads {VERSION}")
    if not lines:
        raise UserError(f"{path}: {'not a placecell log' if torn else 'empty'}", hint="give a log of `ask --log`")


def _picture(record: Mapping[str, Any]) -> bytes | None:
    """The bytes of a picture's line; None when they are not those its digest names."""
    try:
        data = base64.b64decode(record["data"])
    except (KeyError, TypeError, ValueError):
        return None
    return data if hashlib.sha256(data).hexdigest() == record.get("digest") else None


def _finite(value: Any) -> Any:
    """NaN and infinity are not JSON; they become null."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {k: _finite(v) for k, v in value.items()}
    return [_finite(v) for v in value] if isinstance(value, list) else value


def _png(rgb: NDArray[np.uint8]) -> ImageFile:
    return ImageFile.of(Image.fromarray(rgb), "PNG", compress_level=3)  # a third of the time, a few per cent more bytes
