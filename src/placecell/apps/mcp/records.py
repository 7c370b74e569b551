"""Results of the tools: what a client gets as structured content. Knows JSON; pictures travel beside it."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from placecell.agents.answer import Answer, Grounds
from placecell.apps.mcp.builds import Job, State
from placecell.apps.memories import summary
from placecell.engine.describe import record
from placecell.engine.values import Value
from placecell.language.diagnostics import Diagnostic
from placecell.memory.scene import Instance, SpatialMemory


class Record(BaseModel):
    model_config = ConfigDict(frozen=True)


class MemoryList(Record):
    """Memories, and what else lies directly in the served folder (folders end in "/")."""

    memories: list[str]
    folder: list[str]


class MemoryRecord(Record):
    """A memory in numbers. ``extent`` along x, y (up), z in ``unit``; ``objects``: how many of each name."""

    memory: str
    frames: int
    placed: int
    points: int
    unit: str
    extent: list[float] | None
    floor_area: float | None
    room_height: float | None
    scale_source: str | None
    objects: dict[str, int]
    backend: str
    notes: list[str]
    skipped: list[str]
    resources: list[str]

    @classmethod
    def of(cls, name: str, memory: SpatialMemory, resources: list[str]) -> MemoryRecord:
        """What ``info`` says, without the list of frames."""
        said = summary(memory)
        return cls(
            memory=name,
            frames=said["frames"],
            placed=said["placed"],
            points=said["points"],
            unit=said["unit"],
            extent=said["extent"],
            floor_area=said["room"]["floor_area"],
            room_height=said["room"]["height"],
            scale_source=said["scale"]["source"],
            objects=said["objects"],
            backend=said["backend"],
            notes=said["notes"],
            skipped=[f"{s['name']}: {s['reason']}" for s in said["skipped"]][:50],
            resources=resources,
        )


class SessionRecord(MemoryRecord):
    """An opened memory; ``session`` goes with every call of an operation."""

    session: str


class ObjectRecord(Record):
    """``centre`` x, y (up), z; ``size`` along the object's own axes; ``images`` that show it."""

    id: int
    name: str
    centre: list[float]
    size: list[float]
    images: list[int]
    confidence: float

    @classmethod
    def of(cls, thing: Instance) -> ObjectRecord:
        box = thing.upright_box
        return cls(
            id=thing.id,
            name=thing.name,
            centre=[round(float(v), 4) for v in box.centre],
            size=[round(float(v), 4) for v in box.size],
            images=[v.frame for v in thing.views],
            confidence=round(float(thing.confidence), 4),
        )


class ObjectList(Record):
    unit: str
    total: int
    objects: list[ObjectRecord]


class PictureRecord(Record):
    """The picture itself is the image beside this. ``camera``: of a render, exactly."""

    caption: str
    width: int
    height: int
    camera: dict[str, Any] = Field(default_factory=dict)


class AnswerRecord(Record):
    """As ``placecell ask --json`` gives it, without what only a developer reads. ``trace``: a resource."""

    answer: str | None
    letter: str | None
    value: bool | int | float | str | None
    unit: str | None
    interval: tuple[float, float] | None
    confidence: float
    method: str | None
    abstained: bool
    reason: str | None
    stage: str | None
    notes: tuple[str, ...]
    program: str | None
    evidence: Grounds
    trace: str | None

    @classmethod
    def of(cls, answer: Answer, trace: str | None) -> AnswerRecord:
        said = {name: getattr(answer, name) for name in cls.model_fields if name != "trace"}
        return cls(**said, trace=trace)


class DiagnosticRecord(Record):
    code: str
    severity: str
    line: int
    column: int
    message: str
    hint: str

    @classmethod
    def of(cls, found: Diagnostic) -> DiagnosticRecord:
        said = found.record()
        return cls(**{name: said.get(name, "") for name in cls.model_fields})


class CheckRecord(Record):
    ok: bool
    diagnostics: list[DiagnosticRecord]


class ValueRecord(Record):
    """A value in words, and its numbers by name; ``picture`` counts the images of the reply, from 1."""

    type: str
    text: str
    numbers: dict[str, Any]
    picture: int | None = None

    @classmethod
    def of(cls, value: Value, picture: int | None = None) -> ValueRecord:
        said = record(value)
        kind, text = said.pop("type"), said.pop("text")
        return cls(type=kind, text=text, numbers=said, picture=picture)


class RunRecord(Record):
    """What the program returns, and every value it bound, in words."""

    values: list[ValueRecord]
    bound: dict[str, str]
    pictures_left_out: int


class OperationRecord(Record):
    """``handle`` stands for the result in later calls of the session."""

    handle: str
    told: str
    result: ValueRecord


class JobRecord(Record):
    """A build. ``done`` of ``total`` units of ``stage`` (None: not known beforehand)."""

    job: str
    state: State
    output: str
    stage: str
    done: int
    total: int | None
    memory: MemoryRecord | None = None

    @classmethod
    def of(cls, job: Job, output: str, memory: MemoryRecord | None = None) -> JobRecord:
        return cls(
            job=job.id, state=job.state, output=output, stage=job.stage, done=job.done, total=job.total, memory=memory
        )
