"""Reconstructions and proposals as messages, and back."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields
from functools import partial
from io import BytesIO
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from placecell.backends.remote.records import (
    LabelsRecord,
    NamedBoxRecord,
    ProposalRecord,
    ProposalsRecord,
    ReconstructionRecord,
)
from placecell.backends.remote.wire import Arrays, WireError, labels_name, message, picture_name, taken
from placecell.errors import UserError
from placecell.geometry.cloud import Cloud
from placecell.media.sources import Skipped
from placecell.memory.manifest import BoxRecord, CameraRecord, DepthRecord, FrameRecord, ScaleRecord, SkippedRecord
from placecell.memory.pictures import StoredPicture, encode_exactly
from placecell.memory.ports import FrameLabels, Labels, NamedBox, Proposal, Reconstruction
from placecell.memory.scene import DepthMap, Frame, Scale

Pixels = Mapping[int, Callable[[], NDArray[np.uint8]]]
"""How to read the pixels of each picture, by number."""

_MOST_IDS = 65535  # of a PNG
_CLOUD = tuple(field.name for field in fields(Cloud))


def reconstruction_message(made: Reconstruction, sent: Mapping[int, bytes]) -> bytes:
    """``sent``: the pictures of the request by number; those that come back as they are do not travel again."""
    arrays: dict[str, NDArray[Any]] = {}
    frames = tuple(_frame_record(frame, sent, arrays) for frame in made.frames)
    if made.points is not None:
        arrays |= {f"points/{name}": getattr(made.points, name) for name in _CLOUD}
    record = ReconstructionRecord(
        frames=frames,
        scale=ScaleRecord(**vars(made.scale)),
        backend=made.backend,
        settings=dict(made.settings),
        has_points=made.points is not None,
        up=None if made.up is None else tuple(made.up.tolist()),
        labels=None if made.labels is None else labels_record(made.labels, arrays),
        boxes=tuple(NamedBoxRecord(name=b.name, box=BoxRecord.of(b.box), front=_vector(b.front)) for b in made.boxes),
        vocabulary=tuple(sorted(made.vocabulary)),
        skipped=tuple(SkippedRecord(name=s.name, reason=s.reason) for s in made.skipped),
        notes=made.notes,
        licences=made.licences,
        depth_sd=made.depth_sd,
    )
    return message(record, arrays)


def reconstruction_of(record: ReconstructionRecord, arrays: Arrays, own: Pixels) -> Reconstruction:
    """The reconstruction a message describes; ``own``: the pixels of what was sent, by number. WireError, as above."""
    try:
        return _reconstruction(record, arrays, own)
    except (ValueError, KeyError) as error:
        raise WireError(str(error)) from None


def _reconstruction(record: ReconstructionRecord, arrays: Arrays, own: Pixels) -> Reconstruction:
    return Reconstruction(
        frames=tuple(_frame(f, arrays, own) for f in record.frames),
        scale=Scale(**vars(record.scale)),
        backend=record.backend,
        settings=record.settings,
        points=Cloud(*(taken(arrays, f"points/{name}") for name in _CLOUD)) if record.has_points else None,
        up=None if record.up is None else np.array(record.up),
        labels=None if record.labels is None else labels_of(record.labels, arrays),
        boxes=tuple(
            NamedBox(b.name, b.box.value(), None if b.front is None else np.array(b.front)) for b in record.boxes
        ),
        vocabulary=frozenset(record.vocabulary),
        skipped=tuple(Skipped(s.name, s.reason) for s in record.skipped),
        notes=record.notes,
        licences=record.licences,
        depth_sd=record.depth_sd,
    )


def labels_record(labels: Labels, arrays: dict[str, NDArray[Any]]) -> LabelsRecord:
    """The record of label images, which are added to ``arrays``. UserError for ids beyond 16 bits."""
    for number, frame in labels.frames.items():
        if frame.ids.size and not 0 <= frame.ids.min() <= frame.ids.max() <= _MOST_IDS:
            raise UserError(f"label id {frame.ids.max()} cannot be sent to or from a worker: more than {_MOST_IDS}")
        data = BytesIO()
        Image.fromarray(frame.ids.astype(np.uint16)).save(data, "PNG")
        arrays[labels_name(number)] = np.frombuffer(data.getvalue(), np.uint8)
    return LabelsRecord(kind=labels.kind, names=dict(labels.names), frames=tuple(labels.frames))


def labels_of(record: LabelsRecord, arrays: Arrays) -> Labels:
    """Label images of a message. WireError when one is missing or no picture."""
    frames = {}
    for number in record.frames:
        try:
            with Image.open(BytesIO(taken(arrays, labels_name(number)).tobytes()), formats=["PNG"]) as image:
                frames[number] = FrameLabels(np.asarray(image).astype(np.int32))
        except (OSError, Image.DecompressionBombError) as error:
            raise WireError(f"{labels_name(number)}: {error}") from None
    return Labels(record.kind, record.names, frames)


def proposals_message(found: Sequence[Sequence[Proposal]], settings: Mapping[str, object]) -> bytes:
    """The proposals of each picture."""
    arrays: dict[str, NDArray[Any]] = {}

    def record(proposal: Proposal) -> ProposalRecord:
        name = f"mask/{len(arrays)}"
        arrays[name] = np.packbits(proposal.mask)
        return ProposalRecord(
            frame=proposal.frame,
            phrase=proposal.phrase,
            mask=name,
            shape=(proposal.mask.shape[0], proposal.mask.shape[1]),
            corner=proposal.corner,
            score=proposal.score,
        )

    frames = tuple(tuple(record(p) for p in frame) for frame in found)
    return message(ProposalsRecord(settings=dict(settings), frames=frames), arrays)


def proposals_of(record: ProposalsRecord, arrays: Arrays) -> Iterator[list[Proposal]]:
    """The proposals of each picture. WireError when a mask is missing or has another size."""
    for frame in record.frames:
        yield [Proposal(p.frame, p.phrase, _mask(taken(arrays, p.mask), p.shape), p.corner, p.score) for p in frame]


def _mask(bits: NDArray[Any], shape: tuple[int, int]) -> NDArray[np.bool_]:
    count = shape[0] * shape[1]
    if min(shape) < 1 or bits.dtype != np.uint8 or bits.shape != (-(-count // 8),):
        raise WireError(f"a mask of {bits.shape} bytes does not fit {shape}")
    return np.unpackbits(bits, count=count).reshape(shape).astype(bool)


def _frame_record(frame: Frame, sent: Mapping[int, bytes], arrays: dict[str, NDArray[Any]]) -> FrameRecord:
    data, _ = encode_exactly(frame.read_rgb)
    picture = ""
    if data != sent.get(frame.number):
        picture = picture_name(frame.number)
        arrays[picture] = np.frombuffer(data, np.uint8)
    depth = None if frame.depth is None else _depth_record(frame.depth, frame.number, arrays)
    return FrameRecord.of(frame, picture, depth)


def _depth_record(depth: DepthMap, number: int, arrays: dict[str, NDArray[Any]]) -> DepthRecord:
    z, confidence = f"depth/{number}", None
    arrays[z] = depth.z
    if depth.confidence is not None:
        confidence = f"confidence/{number}"
        arrays[confidence] = depth.confidence
    return DepthRecord(z=z, confidence=confidence, camera=CameraRecord.of(depth.camera))


def _frame(record: FrameRecord, arrays: Arrays, own: Pixels) -> Frame:
    pixels = own[record.number]
    if record.picture:
        data = memoryview(taken(arrays, record.picture).tobytes())
        pixels = StoredPicture(data, record.name, record.width, record.height)
    return record.value(partial(taken, arrays), pixels)


def _vector(values: NDArray[np.float64] | None) -> tuple[float, float, float] | None:
    return None if values is None else (float(values[0]), float(values[1]), float(values[2]))
