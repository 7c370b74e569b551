"""The process that does a worker's work: requests on stdin, progress and results on stdout, one after another.

A process of its own, because work must be stoppable and a model that runs out of memory must not take the worker with
it. It keeps its models loaded between requests and ends when the worker does.
"""

from __future__ import annotations

import os
import queue
import struct
import sys
import tempfile
import threading
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import IO

from placecell.backends.remote import records
from placecell.backends.remote.records import ErrorRecord, ProgressRecord, ReconstructRequest, SegmentRequest
from placecell.backends.remote.results import proposals_message, reconstruction_message
from placecell.backends.remote.wire import (
    Arrays,
    WireError,
    message,
    opened,
    picture_name,
    write_labels,
    write_pictures,
)
from placecell.backends.table import find_backend
from placecell.errors import BackendUnavailable, BudgetExhausted, PlacecellError, UserError
from placecell.media.sources import read_photos
from placecell.memory.pictures import PhotoPicture
from placecell.memory.ports import PictureReconstructor, Reconstruction, Reconstructor, Segmenter
from placecell.memory.scene import Frame
from placecell.progress import OnProgress, Progress

REQUEST, PROGRESS, RESULT = b"q", b"p", b"r"
_PART = struct.Struct("<cQ")


def send(stream: IO[bytes], kind: bytes, data: bytes) -> None:
    """Write one part: its kind, its length, its bytes."""
    stream.write(_PART.pack(kind, len(data)))
    stream.write(data)
    stream.flush()


def receive(stream: IO[bytes]) -> tuple[bytes, bytes] | None:
    """The next part, or None when the other side is gone."""
    head = _exactly(stream, _PART.size)
    if head is None:
        return None
    kind, length = _PART.unpack(head)
    data = _exactly(stream, length)
    return None if data is None else (kind, data)


def _exactly(stream: IO[bytes], count: int) -> bytes | None:
    """So many bytes, which may come in pieces; None when they end before."""
    data = bytearray()
    while len(data) < count:
        piece = stream.read(count - len(data))
        if not piece:
            return None
        data += piece
    return bytes(data)


class Runner:
    """Answers requests with the models they name, loaded when first used."""

    def __init__(self) -> None:
        self._reconstructors: dict[str, Reconstructor] = {}
        self._segmenters: dict[str, Segmenter] = {}

    def answer(self, data: bytes, progress: OnProgress) -> bytes:
        """The result of a request, or an error for the one who sent it. Any other exception ends the process."""
        try:
            request, arrays = opened(data, records.REQUEST)
            with tempfile.TemporaryDirectory(prefix="placecell-work-") as name:
                folder = Path(name)
                if isinstance(request, SegmentRequest):
                    return self._segment(request, arrays, folder)
                return self._reconstruct(request, arrays, folder, progress)
        except WireError as error:
            return message(ErrorRecord(error="user", message=f"the request cannot be read: {error}"))
        except PlacecellError as error:
            return message(error_record(error))

    def _reconstruct(self, request: ReconstructRequest, arrays: Arrays, folder: Path, progress: OnProgress) -> bytes:
        photos = folder / "photos"
        photos.mkdir()
        files = write_pictures(request, arrays, photos)
        labels = write_labels(request, arrays, folder / "labels")
        if request.backend not in self._reconstructors:
            self._reconstructors[request.backend] = find_backend(request.backend).reconstructor()
        backend = self._reconstructors[request.backend]
        if labels is None:
            made = backend.reconstruct([photos], frames=len(files), strict=True, progress=progress)
        elif isinstance(backend, PictureReconstructor):
            made = backend.reconstruct_pictures(
                [photos], frames=len(files), sampling="uniform", labels=labels, strict=True, progress=progress
            )
        else:
            raise UserError(f"{request.backend} takes no labels", hint="find objects by name afterwards")
        numbers = {file.name: record.number for file, record in zip(files, request.pictures, strict=True)}
        names = {record.number: record.name for record in request.pictures}
        sent = {n: arrays[picture_name(n)].tobytes() for n in names}
        return reconstruction_message(_numbered(made, numbers, names), sent)

    def _segment(self, request: SegmentRequest, arrays: Arrays, folder: Path) -> bytes:
        write_pictures(request, arrays, folder)
        if request.backend not in self._segmenters:
            self._segmenters[request.backend] = find_backend(request.backend).segmenter()
        segmenter = self._segmenters[request.backend]
        photos, _ = read_photos([folder], strict=True)
        numbers = sorted(record.number for record in request.pictures)
        frames = [
            Frame(n, p.name, p.digest, p.width, p.height, PhotoPicture(folder / p.name, p.name, p.digest))
            for n, p in zip(numbers, photos, strict=True)
        ]
        by_number = dict(zip(numbers, segmenter.segment(frames, request.phrases), strict=True))
        return proposals_message([by_number[r.number] for r in request.pictures], segmenter.settings)


def _numbered(made: Reconstruction, numbers: Mapping[str, int], names: Mapping[int, str]) -> Reconstruction:
    """The reconstruction under the sender's numbers, also from a backend that counts the files it is given."""
    given = {frame.number: numbers.get(frame.name, frame.number) for frame in made.frames}
    frames = tuple(replace(f, number=given[f.number], name=names[given[f.number]]) for f in made.frames)
    if made.labels is not None:
        images = {given[n]: image for n, image in made.labels.frames.items()}
        made = replace(made, labels=replace(made.labels, frames=images))
    if all(old == new for old, new in given.items()) or made.points is None:
        return replace(made, frames=frames)
    origin = made.points.frame.copy()
    for old, new in given.items():
        origin[made.points.frame == old] = new
    return replace(made, frames=frames, points=replace(made.points, frame=origin))


def error_record(error: PlacecellError) -> ErrorRecord:
    """The error as it is sent to the one who can act on it."""
    if isinstance(error, BackendUnavailable):
        return ErrorRecord(error="unavailable", message=error.message, hint=error.hint)
    if isinstance(error, BudgetExhausted):
        return ErrorRecord(error="exhausted", message=error.message, hint=error.hint)
    return ErrorRecord(error="user", message=error.message, hint=error.hint)


def main() -> None:
    """Serve until stdin ends. What a library prints goes to stderr, because stdout carries the results."""
    out = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    requests: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    # Unbuffered: a buffer's lock, held by a waiting thread, would end this process in another way than its error.
    source = os.fdopen(os.dup(sys.stdin.fileno()), "rb", buffering=0)
    threading.Thread(target=_read, args=(source, requests.put), daemon=True).start()
    runner = Runner()

    def progress(event: Progress) -> None:
        send(out, PROGRESS, message(ProgressRecord(**vars(event))))

    while True:
        send(out, RESULT, runner.answer(requests.get(), progress))


def _read(stream: IO[bytes], put: Callable[[bytes], None]) -> None:
    """Requests as they come; the end of them is the end of the worker, so of everything, whatever is being computed."""
    while True:
        part = receive(stream)
        if part is None:
            os._exit(0)
        put(part[1])


if __name__ == "__main__":
    main()
