"""The spatial memory: an immutable value. Changing anything gives a new memory with the next version number.

Knows what a memory holds and in which frame and unit; does not know how it was made (``backends``), how it is stored
(``storage``) or how questions are answered (``engine``). Everything is in the *world* frame: right-handed, +y up, floor
near y = 0, lengths in metres when ``scale.kind`` is "metric", else in "units".
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from placecell.errors import UserError
from placecell.geometry.boxes import OrientedBox
from placecell.geometry.camera import Camera
from placecell.geometry.cloud import Cloud
from placecell.geometry.walls import Wall
from placecell.media.sources import Skipped
from placecell.memory.track import Track

Float32 = NDArray[np.float32]
Float64 = NDArray[np.float64]
UInt8 = NDArray[np.uint8]


@dataclass(frozen=True)
class Scale:
    """What one unit of length of the memory means.

    ``relative_error`` is the standard deviation of the scale factor (0.01 = 1 %), None when it is not known.
    """

    kind: Literal["relative", "metric"] = "relative"
    source: Literal["sensor", "poses", "model", "user", "reference", "gps", "synthetic", "annotation"] | None = None
    relative_error: float | None = None

    def __post_init__(self) -> None:
        if self.kind == "metric" and self.source is None:
            raise ValueError("a metric scale needs its source")

    @property
    def metric(self) -> bool:
        return self.kind == "metric"

    @property
    def unit(self) -> Literal["m", "units"]:
        return "m" if self.metric else "units"


@dataclass(frozen=True)
class Alignment:
    """How the reconstruction was turned upright: ``p_world = world_from_recon @ p_recon``, rigid, undoable."""

    world_from_recon: Float64
    method: str
    residual_deg: float | None = None
    confident: bool = True


@dataclass(frozen=True, eq=False)
class DepthMap:
    """z-depth of one frame, (h, w) float32, 0 = unknown, with the camera that goes with *this* size.

    ``confidence`` is (h, w) in 0..1, or None when every known pixel counts the same. ``noise`` is the relative
    standard deviation of depth at 1 unit of distance, when the sensor's is known.
    """

    z: Float32
    camera: Camera
    confidence: Float32 | None = None

    def __post_init__(self) -> None:
        if self.z.shape != (self.camera.height, self.camera.width):
            raise ValueError(f"depth {self.z.shape} does not fit its camera {self.camera.height}x{self.camera.width}")
        if self.confidence is not None and self.confidence.shape != self.z.shape:
            raise ValueError(f"confidence {self.confidence.shape} does not fit depth {self.z.shape}")


@dataclass(frozen=True, eq=False)
class Frame:
    """One picture of the memory. ``number`` is how a person counts it: the first is 1, and it never changes.

    ``camera`` is None when the picture could not be placed (it keeps its number). ``read_rgb`` decodes the upright,
    undistorted pixels, (height, width, 3) uint8; ``original_size`` (width, height) is the file's upright size.
    ``digest`` identifies the content the frame came from.
    """

    number: int
    name: str
    digest: str
    width: int
    height: int
    read_rgb: Callable[[], UInt8]
    camera: Camera | None = None
    depth: DepthMap | None = None
    time_s: float | None = None
    original_size: tuple[int, int] | None = None
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.number < 1:
            raise ValueError(f"frame numbers start at 1, got {self.number}")
        if self.camera is not None and (self.camera.width, self.camera.height) != (self.width, self.height):
            raise ValueError(f"camera of frame {self.number} is for another image size")

    @property
    def rgb(self) -> UInt8:
        return self.read_rgb()


@dataclass(frozen=True)
class InstanceView:
    """Where an instance shows in one frame: pixel count and bounding box (left, top, right, bottom), in its pixels."""

    frame: int
    pixels: int
    bbox: tuple[int, int, int, int]


@dataclass(frozen=True, eq=False)
class Instance:
    """One object. ``box`` is its free oriented box, ``upright_box`` the yaw-only one (+y is one of its axes).

    ``points`` (M, 3) float32, world, may be empty when only the box is known. ``front`` is a unit vector in the world
    when the object's own front is known. ``size_sd`` and ``centre_sd`` are standard deviations of a side of the box and
    of its centre along each axis, as far as it was seen. ``hidden_sd`` (3, 2) is how much further it may go on beyond
    the low and the high end of each axis of ``upright_box`` where no view shows that it ends, 0 elsewhere; such an end
    moves the centre by half of that. All in the memory's unit.
    """

    id: int
    name: str
    box: OrientedBox
    upright_box: OrientedBox
    points: Float32 = field(default_factory=lambda: np.zeros((0, 3), np.float32))
    views: tuple[InstanceView, ...] = ()
    confidence: float = 1.0
    certain: bool = True
    size_sd: float = 0.0
    centre_sd: float = 0.0
    hidden_sd: Float64 = field(default_factory=lambda: np.zeros((3, 2)))
    first_seen_s: float | None = None
    last_seen_s: float | None = None
    front: Float64 | None = None

    @property
    def centre(self) -> Float64:
        return self.box.centre

    def hidden_along(self, way: Float64) -> float:
        """How much further it may go on that way, a unit vector (3,): one standard deviation."""
        share = self.upright_box.axes @ way
        return float(np.linalg.norm(share * np.where(share > 0, self.hidden_sd[:, 1], self.hidden_sd[:, 0])))

    def side_sd(self, way: Float64) -> float:
        """Standard deviation of its length along a unit vector (3,)."""
        return math.hypot(self.size_sd, self.hidden_along(way), self.hidden_along(-way))

    def place_sd(self, way: Float64) -> float:
        """Standard deviation of its centre along a unit vector (3,)."""
        return math.hypot(self.centre_sd, self.hidden_along(way) / 2, self.hidden_along(-way) / 2)

    def face_sd(self, way: Float64) -> float:
        """Standard deviation of where it ends that way, a unit vector (3,)."""
        return math.hypot(self.centre_sd, self.size_sd / 2, self.hidden_along(way))


@dataclass(frozen=True, eq=False)
class Layout:
    """The room itself: floor area (unit squared), ceiling height, outline of the floor, (K, 2) x-z; None: not found.

    ``walls``: longest first; straight pieces along the two commonest directions.
    """

    floor_area: float | None = None
    floor_area_sd: float = 0.0
    height: float | None = None
    outline: Float64 | None = None
    walls: tuple[Wall, ...] = ()


@dataclass(frozen=True)
class Provenance:
    """What made the memory: enough to make it again. No clock time, so equal inputs give equal artefacts."""

    backend: str
    placecell: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    sources: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    licences: tuple[str, ...] = ()


@dataclass(frozen=True)
class Edit:
    """One recorded change by a person or a tool: which version it made, what it did.

    ``made`` and ``retired`` are ids of objects that came and went, ``renamed`` is (id, old name, new name): with them
    and the memory's ``retired`` objects a correction can be undone. ``undoes``: the version whose edit was taken back.
    """

    version: int
    action: str
    detail: str
    made: tuple[int, ...] = ()
    retired: tuple[int, ...] = ()
    renamed: tuple[tuple[int, str, str], ...] = ()
    undoes: int | None = None


@dataclass(frozen=True, eq=False)
class SpatialMemory:
    """Frames, cameras, depth, fused cloud, objects, layout, scale and provenance of one place.

    ``vocabulary``: the object names that were looked for everywhere, found or not. A name outside of it is unknown
    ("nobody looked"), a name inside it without instances is absent. ``retired``: objects that an edit took out, kept so
    that it can be undone; their ids are never given again. ``dynamic``: a video with time, whose moving things are
    ``tracks`` and whose cloud is what stayed.
    """

    frames: tuple[Frame, ...]
    cloud: Cloud
    scale: Scale
    alignment: Alignment
    provenance: Provenance
    instances: tuple[Instance, ...] = ()
    vocabulary: frozenset[str] = frozenset()
    layout: Layout = field(default_factory=Layout)
    skipped: tuple[Skipped, ...] = ()
    version: int = 1
    edits: tuple[Edit, ...] = ()
    dynamic: bool = False
    retired: tuple[Instance, ...] = ()
    tracks: tuple[Track, ...] = ()

    def __post_init__(self) -> None:
        numbers = [f.number for f in self.frames]
        if len(set(numbers)) != len(numbers):
            raise ValueError("frame numbers repeat")
        ids = [i.id for i in (*self.instances, *self.retired)]
        if len(set(ids)) != len(ids):
            raise ValueError("instance ids repeat")
        if len({t.id for t in self.tracks}) != len(self.tracks):
            raise ValueError("track ids repeat")

    @cached_property
    def _by_number(self) -> dict[int, Frame]:
        return {f.number: f for f in self.frames}

    def frame(self, number: int) -> Frame:
        """The frame a person calls "image ``number``". UserError when there is none."""
        try:
            return self._by_number[number]
        except KeyError:
            raise UserError(f"there is no image {number}", hint=f"the memory has {self.describe_numbers()}") from None

    def describe_numbers(self) -> str:
        """ "images 1 to 40", or the list when numbers are missing."""
        numbers = sorted(self._by_number)
        if not numbers:
            return "no images"
        if numbers == list(range(numbers[0], numbers[-1] + 1)):
            return f"images {numbers[0]} to {numbers[-1]}" if len(numbers) > 1 else f"image {numbers[0]} only"
        return "images " + ", ".join(map(str, numbers))

    @property
    def posed_frames(self) -> tuple[Frame, ...]:
        """Frames whose camera is known, in order."""
        return tuple(f for f in self.frames if f.camera is not None)

    @cached_property
    def object_names(self) -> tuple[str, ...]:
        """Distinct names of the instances, sorted."""
        return tuple(sorted({i.name for i in self.instances}))

    @property
    def unit(self) -> Literal["m", "units"]:
        return self.scale.unit

    @property
    def next_id(self) -> int:
        """An id that no object has or ever had."""
        given = [i.id for i in (*self.instances, *self.retired)] + [id_ for e in self.edits for id_ in e.made]
        return max(given, default=0) + 1

    def changed(self, action: str, detail: str, *, record: Edit | None = None, **fields: Any) -> SpatialMemory:
        """A new memory with ``fields`` replaced, the next version number, and the edit recorded.

        ``record`` lends its ids and names to the edit.
        """
        edit = replace(record or Edit(0, "", ""), version=self.version + 1, action=action, detail=detail)
        return replace(self, **fields, version=self.version + 1, edits=(*self.edits, edit))
