"""What a program's operations return: typed values with unit, frame, uncertainty and evidence.

Nothing here is ever a bare number or an exception: what cannot be given is an ``Absent`` with its reason. All lengths
carry their unit ("m" or "units"), all angles are degrees, ``sd`` is one standard deviation in the same unit.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from placecell.engine.movement import CameraMovement, MotionFrame, Movement
from placecell.geometry.camera import Camera
from placecell.memory.scene import Instance, SpatialMemory
from placecell.memory.track import Track

LengthUnit = Literal["m", "units"]
Reason = Literal[
    "not found",  # looked for everywhere, no instance
    "not looked for",  # the memory was never searched for this name
    "unknown scale",  # metres asked of a relative memory
    "not seen",  # no frame or point shows it
    "no such image",
    "image not placed",  # the photo has no camera
    "no viewpoint",
    "degenerate",  # geometry does not define the value (same place, no extent)
    "ambiguous",  # several candidates, none decided
    "no points",
    "not in memory",  # the memory lacks this kind of content (time, layout, ...)
    "input absent",  # an argument was absent; ``cause`` says which
    "over budget",
    "not available",  # what it needs from outside (a model, a segmenter) is not there, or failed
]


@dataclass(frozen=True)
class Evidence:
    """What a value was computed from: frame numbers, instance ids, point count, and remarks such as "one view only"."""

    frames: tuple[int, ...] = ()
    instances: tuple[int, ...] = ()
    points: int = 0
    flags: tuple[str, ...] = ()


NO_EVIDENCE = Evidence()


@dataclass(frozen=True)
class Absent:
    """A value that cannot be given. ``kind`` is the type it would have had, ``message`` one plain sentence."""

    kind: str
    reason: Reason
    message: str
    cause: Absent | None = None


@dataclass(frozen=True, eq=False)
class MemoryValue:
    memory: SpatialMemory


@dataclass(frozen=True, eq=False)
class PoseValue:
    """A camera or viewpoint: ``world_from_cam`` (4, 4), and the photo's camera when it is one.

    ``seen_from`` (4, 4) is the levelled viewpoint that was current when the pose was read: the right, up, forward of
    its numbers. None when there was no viewpoint. ``unit`` is the memory's.
    """

    world_from_cam: NDArray[np.float64]
    label: str
    image: int | None = None
    camera: Camera | None = None
    seen_from: NDArray[np.float64] | None = None
    unit: LengthUnit = "units"
    evidence: Evidence = NO_EVIDENCE

    @property
    def position(self) -> NDArray[np.float64]:
        return self.world_from_cam[:3, 3]


@dataclass(frozen=True, eq=False)
class InstanceValue:
    """One chosen object; ``margin`` says how clearly it won (0 = a tie, None = nothing to choose from)."""

    instance: Instance
    margin: float | None = None
    runner_up: Instance | None = None
    evidence: Evidence = NO_EVIDENCE


@dataclass(frozen=True, eq=False)
class InstancesValue:
    """Objects of one name, best first; empty with a ``reason``: they are absent, or nobody looked for them.

    ``note``: one sentence on why there is none, where the reason is not all, or on what is doubtful of those there are.
    ``judged``: how sure it is, 0..1, that an attribute in the name was judged rightly on pictures; None when the name
    has none. ``beyond``: so many more are known, less sure ones, that were not taken.
    """

    name: str
    instances: tuple[Instance, ...]
    reason: Reason | None = None
    evidence: Evidence = NO_EVIDENCE
    note: str = ""
    judged: float | None = None
    beyond: int = 0


@dataclass(frozen=True, eq=False)
class Length:
    """A distance. ``ends`` (2, 3) are the two points it was measured between, world.

    ``sd`` is the whole uncertainty, ``scale_sd`` the part of it that all lengths of the memory share because its scale
    is uncertain: it drops out when two of them are compared.
    """

    value: float
    unit: LengthUnit
    sd: float = 0.0
    scale_sd: float = 0.0
    ends: NDArray[np.float64] | None = None
    evidence: Evidence = NO_EVIDENCE

    @property
    def own_sd(self) -> float:
        """The uncertainty without the shared scale."""
        return math.sqrt(max(0.0, self.sd**2 - self.scale_sd**2))

    def interval(self, z: float = 1.96) -> tuple[float, float]:
        return max(0.0, self.value - z * self.sd), self.value + z * self.sd


@dataclass(frozen=True)
class Extents:
    """Size of an object: sides of its free oriented box (longest) and of its upright box (width >= depth, height)."""

    longest: Length
    width: Length
    depth: Length
    height: Length
    evidence: Evidence = NO_EVIDENCE


@dataclass(frozen=True)
class Area:
    """Floor area in unit squared, with the room's height when known."""

    value: float
    unit: LengthUnit
    sd: float = 0.0
    height: Length | None = None
    evidence: Evidence = NO_EVIDENCE

    def interval(self, z: float = 1.96) -> tuple[float, float]:
        return max(0.0, self.value - z * self.sd), self.value + z * self.sd


@dataclass(frozen=True)
class Angle:
    """Degrees; a bearing is positive to the right, an elevation positive upwards."""

    value: float
    sd: float = 0.0
    evidence: Evidence = NO_EVIDENCE


@dataclass(frozen=True)
class Number:
    """A bare number: a share, a confidence, a literal."""

    value: float
    evidence: Evidence = NO_EVIDENCE


@dataclass(frozen=True)
class Flag:
    """Yes or no: a literal."""

    value: bool


@dataclass(frozen=True)
class Vector:
    """Right, up, forward in the levelled terms of ``viewpoint``: a place in ``unit``, or a direction (unit "")."""

    right: float
    up: float
    forward: float
    unit: LengthUnit | Literal[""]
    viewpoint: str
    evidence: Evidence = NO_EVIDENCE


@dataclass(frozen=True)
class ListValue:
    """A list literal."""

    items: tuple[Value, ...]


@dataclass(frozen=True)
class Count:
    """How many, and how many of them are uncertain (counted, but marked so in the memory)."""

    value: int
    uncertain: int = 0
    evidence: Evidence = NO_EVIDENCE


@dataclass(frozen=True)
class Direction:
    """Where a target lies from a viewpoint. Bearing: degrees, positive right, 0 ahead, in (-180, 180].

    ``span`` is the angular extent (left edge, right edge) of the target as bearings around ``bearing`` (left <= bearing
    <= right, may leave (-180, 180]). ``offset`` is right, up, forward in the viewpoint's levelled terms.
    """

    bearing: float
    elevation: float
    distance: Length
    offset: tuple[float, float, float]
    span: tuple[float, float]
    words: tuple[str, ...]
    viewpoint: str
    sd: float = 0.0
    evidence: Evidence = NO_EVIDENCE


@dataclass(frozen=True)
class Order:
    """Names in order, each with its measure; ``ties`` are pairs of neighbours too close to call."""

    names: tuple[str, ...]
    measures: tuple[float, ...]
    unit: LengthUnit | Literal["s", "image"]
    ties: tuple[tuple[str, str], ...] = ()
    missing: tuple[Absent, ...] = ()
    evidence: Evidence = NO_EVIDENCE


@dataclass(frozen=True)
class Visibility:
    """Seen, hidden (by what, when known) or outside the view; ``share`` of the object that is free to the eye, 0..1."""

    state: Literal["seen", "hidden", "outside"]
    share: float
    hidden_by: str | None = None
    evidence: Evidence = NO_EVIDENCE


@dataclass(frozen=True)
class Leg:
    """One piece of a route: turn (degrees, positive right; word), then go ``distance`` to ``goal``."""

    goal: str
    turn_degrees: float
    turn: Literal["straight on", "left", "right", "back"]
    distance: Length


@dataclass(frozen=True)
class Route:
    legs: tuple[Leg, ...]
    evidence: Evidence = NO_EVIDENCE


@dataclass(frozen=True, eq=False)
class TrackValue:
    """The tracks of one name, surest first; empty with a ``reason``: there is none, or nobody looked for it.

    ``confidence``: how sure the answer is, 0..1, that there is such a thing (or none, when empty).
    """

    name: str
    tracks: tuple[Track, ...]
    reason: Reason | None = None
    confidence: float = 1.0
    evidence: Evidence = NO_EVIDENCE


@dataclass(frozen=True)
class MotionValue:
    """What each track of a name did, surest first, or what the camera did (``camera``), between two moments.

    ``unit``: that of lengths; ``during``: the window in words.
    """

    mover: str
    frame: MotionFrame
    during: str
    span_s: tuple[float, float]
    unit: LengthUnit
    movements: tuple[Movement, ...] = ()
    camera: CameraMovement | None = None
    evidence: Evidence = NO_EVIDENCE


@dataclass(frozen=True)
class Text:
    """A closed verdict such as "less" or "too close to call", with its ``margin`` in standard deviations."""

    value: str
    margin: float | None = None
    evidence: Evidence = NO_EVIDENCE


@dataclass(frozen=True, eq=False)
class Picture:
    """A rendered view (H, W, 3) with caption and exact camera; a top view has none but ``units_per_pixel``."""

    rgb: NDArray[np.uint8]
    mode: Literal["ego", "global", "bev", "semantic", "photo"]
    caption: str
    camera: Camera | None = None
    units_per_pixel: float | None = None
    shown: tuple[str, ...] = ()
    evidence: Evidence = NO_EVIDENCE
    sidecar: dict[str, object] = field(default_factory=dict)


Core = (
    Absent
    | MemoryValue
    | PoseValue
    | InstanceValue
    | InstancesValue
    | Length
    | Extents
    | Area
    | Angle
    | Number
    | Flag
    | Vector
    | ListValue
    | Count
    | Direction
    | Order
    | Visibility
    | Route
    | TrackValue
    | MotionValue
    | Text
    | Picture
)
"""What one-shot programs compute with."""

if TYPE_CHECKING:
    from placecell.engine.cells.values import CellOnly

    Value: TypeAlias = Core | CellOnly
else:
    Value = Core
