"""What travels between a client and a worker, as validated records. Arrays and pictures are named in them, not held.

A message is one safetensors file (``wire``): its tensor ``header`` is one of these records as JSON.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter

from placecell.memory.manifest import BoxRecord, FrameRecord, Record, ScaleRecord, SkippedRecord, Vector

PROTOCOL = 1
Name = Annotated[str, Field(min_length=1, max_length=500)]


class PictureRecord(Record):
    """One encoded picture, its bytes in the tensor ``picture/NUMBER``."""

    number: int = Field(ge=1)
    name: Name
    suffix: Literal["jpg", "png", "webp"]
    time_s: float | None = Field(default=None, allow_inf_nan=False)
    focal_px: float | None = Field(default=None, gt=0, allow_inf_nan=False)


class LabelsRecord(Record):
    """The ids of picture N are the tensor ``labels/N``: a PNG of 16 bits."""

    kind: Literal["instance", "class"]
    names: dict[int, str]
    frames: tuple[int, ...]


class ReconstructRequest(Record):
    kind: Literal["reconstruct"] = "reconstruct"
    protocol: Literal[1] = 1
    backend: Name
    pictures: tuple[PictureRecord, ...] = Field(min_length=1)
    labels: LabelsRecord | None = None


class SegmentRequest(Record):
    kind: Literal["segment"] = "segment"
    protocol: Literal[1] = 1
    backend: Name
    pictures: tuple[PictureRecord, ...] = Field(min_length=1)
    phrases: tuple[Name, ...] = Field(min_length=1)


class NamedBoxRecord(Record):
    name: str
    box: BoxRecord
    front: Vector | None = None


class ReconstructionRecord(Record):
    """``frames[i].picture`` names a tensor, or is empty where the pixels are those that were sent.

    Sparse points, when ``has_points``, are the tensors ``points/FIELD`` of a ``Cloud``.
    """

    kind: Literal["reconstruction"] = "reconstruction"
    frames: tuple[FrameRecord, ...]
    scale: ScaleRecord
    backend: str
    settings: dict[str, Any]
    has_points: bool
    up: Vector | None
    labels: LabelsRecord | None
    boxes: tuple[NamedBoxRecord, ...]
    vocabulary: tuple[str, ...]
    skipped: tuple[SkippedRecord, ...]
    notes: tuple[str, ...]
    licences: tuple[str, ...]
    depth_sd: float


class ProposalRecord(Record):
    """``mask`` names a tensor of packed bits, row by row, for ``shape`` (height, width)."""

    frame: int
    phrase: str
    mask: str
    shape: tuple[int, int]
    corner: tuple[int, int]
    score: float


class ProposalsRecord(Record):
    """For each picture sent, in order, what was found in it."""

    kind: Literal["proposals"] = "proposals"
    settings: dict[str, Any]
    frames: tuple[tuple[ProposalRecord, ...], ...]


class ErrorRecord(Record):
    """An error to be raised again at the client: ``error`` names who must act, as in ``placecell.errors``."""

    kind: Literal["error"] = "error"
    error: Literal["user", "unavailable", "exhausted"]
    message: str
    hint: str | None = None


class ProgressRecord(Record):
    kind: Literal["progress"] = "progress"
    stage: str
    done: int
    total: int | None = None
    detail: str = ""


class JobRecord(Record):
    """A job that is running. When it is over, its result or its error is the answer instead."""

    kind: Literal["job"] = "job"
    progress: ProgressRecord | None = None


class WorkerRecord(Record):
    """What a worker says of itself."""

    kind: Literal["worker"] = "worker"
    protocol: int
    placecell: str
    backends: tuple[str, ...]
    max_bytes: int
    time_limit_s: float


Request = Annotated[ReconstructRequest | SegmentRequest, Field(discriminator="kind")]
Reply = Annotated[
    ReconstructionRecord | ProposalsRecord | ErrorRecord | JobRecord | WorkerRecord, Field(discriminator="kind")
]
REQUEST: TypeAdapter[ReconstructRequest | SegmentRequest] = TypeAdapter(Request)
REPLY: TypeAdapter[ReconstructionRecord | ProposalsRecord | ErrorRecord | JobRecord | WorkerRecord] = TypeAdapter(Reply)
