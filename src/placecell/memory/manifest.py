"""The manifest of a saved memory: everything but pixels and long arrays, as validated records.

Knows how a memory's values become records and back, given its arrays and pictures. Does not know files (``storage``).
Numbers are written so that reading gives back the same floats.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field

from placecell.geometry.boxes import OrientedBox
from placecell.geometry.camera import Camera
from placecell.geometry.cloud import Cloud
from placecell.geometry.walls import Wall
from placecell.media.sources import Skipped
from placecell.memory.scene import (
    Alignment,
    DepthMap,
    Edit,
    Frame,
    Instance,
    InstanceView,
    Layout,
    Provenance,
    Scale,
    SpatialMemory,
)
from placecell.memory.track import ARRAYS, Track

FORMAT = "placecell.memory"
SCHEMA = 3
READABLE = (1, 2, 3)
"""2 added tracks, 3 how far objects may go on unseen; an older memory is one without."""

Arrays = Mapping[str, NDArray[Any]]
Vector = tuple[float, float, float]
Pair = tuple[float, float]
Matrix = tuple[Vector, Vector, Vector]
Pose = tuple[tuple[float, float, float, float], ...]


class Record(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, ser_json_inf_nan="strings")


class MemberRecord(Record):
    bytes: int = Field(ge=0)
    sha256: str = Field(pattern="^[0-9a-f]{64}$")


class CameraRecord(Record):
    K: Matrix
    width: int = Field(ge=1)
    height: int = Field(ge=1)
    world_from_cam: Pose

    @classmethod
    def of(cls, camera: Camera) -> CameraRecord:
        return cls(
            K=camera.K.tolist(),
            width=camera.width,
            height=camera.height,
            world_from_cam=camera.world_from_cam.tolist(),
        )

    def value(self) -> Camera:
        return Camera(np.array(self.K), self.width, self.height, np.array(self.world_from_cam))


class DepthRecord(Record):
    """``z`` and ``confidence`` name arrays; whole steps of depth are divided by ``steps_per_unit``."""

    z: str
    steps_per_unit: float | None = Field(default=None, gt=0)
    confidence: str | None = None
    camera: CameraRecord

    def value(self, array: Callable[[str], NDArray[Any]]) -> DepthMap:
        """The depth map; ``array`` gives the array of a name."""
        z = array(self.z).astype(np.float32, copy=False)
        if self.steps_per_unit is not None:
            z = z / np.float32(self.steps_per_unit)
        confidence = None if self.confidence is None else array(self.confidence).astype(np.float32, copy=False)
        return DepthMap(z, self.camera.value(), confidence)


class FrameRecord(Record):
    number: int = Field(ge=1)
    name: str
    digest: str
    width: int = Field(ge=1)
    height: int = Field(ge=1)
    picture: str
    camera: CameraRecord | None = None
    depth: DepthRecord | None = None
    time_s: float | None = None
    original_size: tuple[int, int] | None = None
    notes: tuple[str, ...] = ()

    @classmethod
    def of(cls, frame: Frame, picture: str, depth: DepthRecord | None) -> FrameRecord:
        return cls(
            number=frame.number,
            name=frame.name,
            digest=frame.digest,
            width=frame.width,
            height=frame.height,
            picture=picture,
            camera=None if frame.camera is None else CameraRecord.of(frame.camera),
            depth=depth,
            time_s=frame.time_s,
            original_size=frame.original_size,
            notes=frame.notes,
        )

    def value(self, array: Callable[[str], NDArray[Any]], read_rgb: Callable[[], Any]) -> Frame:
        """The frame; ``array`` gives the array of a name."""
        return Frame(
            number=self.number,
            name=self.name,
            digest=self.digest,
            width=self.width,
            height=self.height,
            read_rgb=read_rgb,
            camera=None if self.camera is None else self.camera.value(),
            depth=None if self.depth is None else self.depth.value(array),
            time_s=self.time_s,
            original_size=self.original_size,
            notes=self.notes,
        )


class BoxRecord(Record):
    centre: Vector
    axes: Matrix
    size: Vector

    @classmethod
    def of(cls, box: OrientedBox) -> BoxRecord:
        return cls(centre=box.centre.tolist(), axes=box.axes.tolist(), size=box.size.tolist())

    def value(self) -> OrientedBox:
        return OrientedBox(np.array(self.centre), np.array(self.axes), np.array(self.size))


class ViewRecord(Record):
    frame: int
    pixels: int
    bbox: tuple[int, int, int, int]


class InstanceRecord(Record):
    """``points`` names an array."""

    id: int
    name: str
    box: BoxRecord
    upright_box: BoxRecord
    points: str
    views: tuple[ViewRecord, ...]
    confidence: float
    certain: bool
    size_sd: float
    centre_sd: float
    hidden_sd: tuple[Pair, Pair, Pair] = ((0.0, 0.0),) * 3
    first_seen_s: float | None
    last_seen_s: float | None
    front: Vector | None

    @classmethod
    def of(cls, instance: Instance, points: str) -> InstanceRecord:
        return cls(
            id=instance.id,
            name=instance.name,
            box=BoxRecord.of(instance.box),
            upright_box=BoxRecord.of(instance.upright_box),
            points=points,
            views=tuple(ViewRecord(**vars(v)) for v in instance.views),
            confidence=instance.confidence,
            certain=instance.certain,
            size_sd=instance.size_sd,
            centre_sd=instance.centre_sd,
            hidden_sd=instance.hidden_sd.tolist(),
            first_seen_s=instance.first_seen_s,
            last_seen_s=instance.last_seen_s,
            front=None if instance.front is None else tuple(instance.front.tolist()),
        )

    def value(self, arrays: Arrays) -> Instance:
        return Instance(
            id=self.id,
            name=self.name,
            box=self.box.value(),
            upright_box=self.upright_box.value(),
            points=arrays[self.points],
            views=tuple(InstanceView(v.frame, v.pixels, v.bbox) for v in self.views),
            confidence=self.confidence,
            certain=self.certain,
            size_sd=self.size_sd,
            centre_sd=self.centre_sd,
            hidden_sd=np.array(self.hidden_sd),
            first_seen_s=self.first_seen_s,
            last_seen_s=self.last_seen_s,
            front=None if self.front is None else np.array(self.front),
        )


class TrackRecord(Record):
    """Its arrays are named ``tracks/ID/NAME``."""

    id: int
    name: str
    front_from: Literal["label", "motion"] | None
    size: float
    width: float = 0.0
    drift: float
    depth_from: Literal["depth", "size", "truth"]
    confidence: float

    @classmethod
    def of(cls, track: Track) -> TrackRecord:
        return cls(**{name: getattr(track, name) for name in cls.model_fields})

    def value(self, arrays: Arrays) -> Track:
        values: dict[str, Any] = {name: arrays[track_array(self.id, name)] for name in ARRAYS}
        return Track(**vars(self), **values)


class ScaleRecord(Record):
    kind: Literal["relative", "metric"]
    source: Literal["sensor", "poses", "model", "user", "reference", "gps", "synthetic", "annotation"] | None
    relative_error: float | None


class AlignmentRecord(Record):
    world_from_recon: Pose
    method: str
    residual_deg: float | None
    confident: bool


class WallRecord(Record):
    start: tuple[float, float]
    end: tuple[float, float]
    bottom: float
    top: float


class LayoutRecord(Record):
    floor_area: float | None
    floor_area_sd: float
    height: float | None
    outline: tuple[tuple[float, float], ...] | None
    walls: tuple[WallRecord, ...] = ()

    @classmethod
    def of(cls, layout: Layout) -> LayoutRecord:
        outline = None if layout.outline is None else layout.outline.tolist()
        walls = tuple(WallRecord(**vars(wall)) for wall in layout.walls)
        return cls(**{**vars(layout), "outline": outline, "walls": walls})

    def value(self) -> Layout:
        outline = None if self.outline is None else np.array(self.outline)
        walls = tuple(Wall(**vars(wall)) for wall in self.walls)
        return Layout(self.floor_area, self.floor_area_sd, self.height, outline, walls)


class ProvenanceRecord(Record):
    backend: str
    placecell: str
    settings: dict[str, Any]
    sources: tuple[str, ...]
    notes: tuple[str, ...]
    licences: tuple[str, ...]


class SkippedRecord(Record):
    name: str
    reason: str


class EditRecord(Record):
    version: int
    action: str
    detail: str
    made: tuple[int, ...] = ()
    retired: tuple[int, ...] = ()
    renamed: tuple[tuple[int, str, str], ...] = ()
    undoes: int | None = None


class Manifest(Record):
    """``conventions`` is for whoever opens the file without placecell."""

    format: Literal["placecell.memory"] = "placecell.memory"
    format_version: int = SCHEMA
    conventions: str = (
        "world: right-handed, +y up, floor near y = 0; cameras: x right, y down, z forward, world_from_cam; "
        "depth: along the optical axis, 0 unknown; pixels: (0.5, 0.5) is the centre of the first; "
        "lengths in `unit`; frames are numbered from 1"
    )
    unit: Literal["m", "units"]
    frames: tuple[FrameRecord, ...]
    scale: ScaleRecord
    alignment: AlignmentRecord
    provenance: ProvenanceRecord
    instances: tuple[InstanceRecord, ...]
    vocabulary: tuple[str, ...]
    layout: LayoutRecord
    skipped: tuple[SkippedRecord, ...]
    version: int
    edits: tuple[EditRecord, ...]
    dynamic: bool
    retired: tuple[InstanceRecord, ...] = ()
    tracks: tuple[TrackRecord, ...] = ()
    members: dict[str, MemberRecord]


def track_array(id: int, name: str) -> str:
    """Where an array of a track is kept."""
    return f"tracks/{id}/{name}"


def track_arrays(track: Track) -> dict[str, NDArray[Any]]:
    """The arrays of a track under those names, flags as bytes."""
    values = {name: getattr(track, name) for name in ARRAYS}
    return {
        track_array(track.id, name): array.astype(np.uint8) if array.dtype == np.bool_ else array
        for name, array in values.items()
    }


CLOUD_ARRAYS = ("points", "colors", "confidence", "frame", "pixel")


def describe(
    memory: SpatialMemory,
    frames: tuple[FrameRecord, ...],
    points_of: Mapping[int, str],
    members: Mapping[str, MemberRecord],
) -> Manifest:
    """The manifest of a memory; ``points_of`` names the array of each instance's points."""
    return Manifest(
        unit=memory.unit,
        frames=frames,
        scale=ScaleRecord(**vars(memory.scale)),
        alignment=AlignmentRecord(
            world_from_recon=memory.alignment.world_from_recon.tolist(),
            method=memory.alignment.method,
            residual_deg=memory.alignment.residual_deg,
            confident=memory.alignment.confident,
        ),
        provenance=ProvenanceRecord(**{**vars(memory.provenance), "settings": dict(memory.provenance.settings)}),
        instances=tuple(InstanceRecord.of(i, points_of[i.id]) for i in memory.instances),
        vocabulary=tuple(sorted(memory.vocabulary)),
        layout=LayoutRecord.of(memory.layout),
        skipped=tuple(SkippedRecord(name=s.name, reason=s.reason) for s in memory.skipped),
        version=memory.version,
        edits=tuple(EditRecord(**vars(e)) for e in memory.edits),
        dynamic=memory.dynamic,
        retired=tuple(InstanceRecord.of(i, points_of[i.id]) for i in memory.retired),
        tracks=tuple(TrackRecord.of(t) for t in memory.tracks),
        members=dict(members),
    )


def restore(manifest: Manifest, arrays: Arrays, read_rgb: Callable[[FrameRecord], Callable[[], Any]]) -> SpatialMemory:
    """The memory a manifest describes. KeyError for an array that is missing, ValueError for values that do not fit."""
    return SpatialMemory(
        frames=tuple(record.value(arrays.__getitem__, read_rgb(record)) for record in manifest.frames),
        cloud=Cloud(*(arrays[f"cloud/{name}"] for name in CLOUD_ARRAYS)),
        scale=Scale(**vars(manifest.scale)),
        alignment=Alignment(
            **{**vars(manifest.alignment), "world_from_recon": np.array(manifest.alignment.world_from_recon)}
        ),
        provenance=Provenance(**vars(manifest.provenance)),
        instances=tuple(record.value(arrays) for record in manifest.instances),
        vocabulary=frozenset(manifest.vocabulary),
        layout=manifest.layout.value(),
        skipped=tuple(Skipped(s.name, s.reason) for s in manifest.skipped),
        version=manifest.version,
        edits=tuple(Edit(**vars(e)) for e in manifest.edits),
        dynamic=manifest.dynamic,
        retired=tuple(record.value(arrays) for record in manifest.retired),
        tracks=tuple(record.value(arrays) for record in manifest.tracks),
    )
