"""``remote:http://HOST:PORT/BACKEND``: a reconstructor, or a segmenter, that runs on another machine.

Pictures are read, chosen and numbered here and travel as image files, without loss; label images go with them, because
only the backend knows how it straightens a lens. What comes back is what the backend would have made here, under the
same numbers and names.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from placecell.backends.feedforward.record import label_shots
from placecell.backends.posed.labels import read_labels
from placecell.backends.posed.reading import Given
from placecell.backends.remote.records import (
    PictureRecord,
    ProposalsRecord,
    ReconstructionRecord,
    ReconstructRequest,
    SegmentRequest,
)
from placecell.backends.remote.results import labels_record, proposals_of, reconstruction_of
from placecell.backends.remote.transport import Address, Connection, Patience
from placecell.backends.remote.wire import Arrays, WireError, message, picture_name
from placecell.backends.sfm.pictures import Picture, read_pictures
from placecell.backends.sfm.settings import SfmSettings
from placecell.errors import UserError
from placecell.media.frames import UInt8, area_resize
from placecell.media.sampling import Sampling
from placecell.media.video import DEFAULT_FRAMES
from placecell.memory.pictures import ComputedPicture, encode_exactly
from placecell.memory.ports import Proposal, Reconstruction
from placecell.memory.scene import Frame
from placecell.progress import OnProgress, silent

LONGEST_SIDE = 1600
_READING = SfmSettings(video_frames=DEFAULT_FRAMES, frame_side=LONGEST_SIDE, work_side=LONGEST_SIDE)
_BATCH = 8  # pictures a segmenter is sent at a time: results come as they are made


class RemoteReconstructor:
    """A reconstructor of a worker, for plain photos or one video."""

    def __init__(self, spec: str, *, patience: Patience | None = None) -> None:
        self.name = spec
        self._connection = Connection(Address.of(spec), patience)

    def reconstruct(
        self,
        sources: Sequence[Path],
        *,
        frames: int | None = None,
        strict: bool = False,
        progress: OnProgress = silent,
    ) -> Reconstruction:
        """As ``ports.Reconstructor``; raises as ``reconstruct_pictures``."""
        return self.reconstruct_pictures(
            sources, frames=frames, sampling="uniform", labels=None, strict=strict, progress=progress
        )

    def reconstruct_pictures(
        self,
        sources: Sequence[Path],
        *,
        frames: int | None,
        sampling: Sampling,
        labels: Path | None,
        strict: bool,
        progress: OnProgress,
    ) -> Reconstruction:
        """As ``ports.PictureReconstructor``.

        Raises:
            UserError: the pictures cannot be used, or the worker or the network failed.
            BackendUnavailable: the worker lacks something.
            BudgetExhausted: the work takes longer, or more pictures, than the worker allows.
        """
        about = self._connection.about()
        address = self._connection.address
        with tempfile.TemporaryDirectory(prefix="placecell-remote-") as name:
            read = read_pictures(
                sources,
                Path(name),
                frames=frames,
                sampling=sampling,
                strict=strict,
                settings=_READING,
                progress=progress,
            )
            encoded = {p.number: _encoded(p) for p in read.pictures}
        given = Given() if labels is None else read_labels(labels, label_shots(read.pictures))
        images: dict[str, NDArray[Any]] = {}
        request = ReconstructRequest(
            backend=address.backend,
            pictures=tuple(_record(p, encoded[p.number][1]) for p in read.pictures),
            labels=None if given.labels is None else labels_record(given.labels, images),
        )
        data = _message(request, {n: data for n, (data, _) in encoded.items()}, images)
        record, arrays = self._connection.work(data, about, progress)
        own = {p.number: p for p in read.pictures}
        if not isinstance(record, ReconstructionRecord) or not {f.number for f in record.frames} <= set(own):
            raise UserError(f"the worker at {address} answered with something else", hint="use equal versions")
        try:
            made = reconstruction_of(record, arrays, {n: _pixels(p) for n, p in own.items()})
        except WireError as error:
            raise UserError(f"the answer of the worker at {address} cannot be read: {error}") from None
        return replace(
            made,
            frames=tuple(_own(frame, own[frame.number]) for frame in made.frames),
            boxes=(*made.boxes, *given.boxes),
            vocabulary=made.vocabulary | given.vocabulary,
            skipped=(*read.skipped, *made.skipped),
            notes=(f"computed at {address} by placecell {about.placecell}", *read.notes, *given.notes, *made.notes),
        )


class RemoteSegmenter:
    """A segmenter of a worker. ``settings`` holds the address: what the worker runs behind it is its own affair."""

    def __init__(self, spec: str, *, patience: Patience | None = None) -> None:
        self.name = spec
        self._connection = Connection(Address.of(spec), patience)
        self.settings: Mapping[str, object] = {"worker": spec.removeprefix("remote:")}

    def segment(self, frames: Sequence[Frame], phrases: Sequence[str]) -> Iterator[list[Proposal]]:
        """As ``ports.Segmenter``; errors as ``RemoteReconstructor``."""
        about = self._connection.about()
        for start in range(0, len(frames), _BATCH):
            batch = frames[start : start + _BATCH]
            encoded = {f.number: encode_exactly(f.read_rgb) for f in batch}
            pictures = tuple(
                PictureRecord.model_validate({"number": f.number, "name": f.name, "suffix": encoded[f.number][1]})
                for f in batch
            )
            request = SegmentRequest(
                backend=self._connection.address.backend, pictures=pictures, phrases=tuple(phrases)
            )
            data = _message(request, {n: data for n, (data, _) in encoded.items()})
            record, arrays = self._connection.work(data, about, silent)
            if not isinstance(record, ProposalsRecord) or len(record.frames) != len(batch):
                raise UserError(f"the worker at {self._connection.address} answered with something else")
            yield from proposals_of(record, arrays)


def _message(
    request: ReconstructRequest | SegmentRequest, encoded: Mapping[int, bytes], labels: Arrays | None = None
) -> bytes:
    pictures = {picture_name(n): np.frombuffer(data, np.uint8) for n, data in encoded.items()}
    return message(request, pictures | dict(labels or {}))


def _encoded(picture: Picture) -> tuple[bytes, str]:
    """The photo's own file where its pixels are used as they are, else the lossless copy."""
    if picture.path is not None and picture.original_size == picture.work_size:
        return encode_exactly(picture.read_rgb)
    return picture.file.read_bytes(), "png"


def _record(picture: Picture, suffix: str) -> PictureRecord:
    return PictureRecord.model_validate(
        {
            "number": picture.number,
            "name": picture.name,
            "suffix": suffix,
            "time_s": picture.time_s,
            "focal_px": picture.focal,
        }
    )


def _pixels(picture: Picture) -> Callable[[], UInt8]:
    size = picture.work_size

    def shrink(rgb: NDArray[np.uint8]) -> UInt8:
        return area_resize(rgb, size)

    return ComputedPicture(picture.read_rgb, shrink) if picture.original_size != size else picture.read_rgb


def _own(frame: Frame, picture: Picture) -> Frame:
    """The frame with what only this side knows of its picture."""
    return replace(
        frame,
        name=picture.name,
        digest=picture.digest,
        time_s=picture.time_s,
        original_size=picture.original_size,
        notes=(*picture.notes, *(n for n in frame.notes if n not in picture.notes)),
    )
