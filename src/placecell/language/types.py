"""Static types of the program language: what kind of value an expression has, in which unit, and whose frame.

Knows nothing of arrays or of the engine; ``engine.values`` has one class per kind. A value is *frame-free* (a handle, a
length, a count: the same from everywhere) or *bound* to the viewpoint it was taken from (a direction, a position in
viewer terms). A bound value carries the stamp of that viewpoint and is stale once the viewpoint has changed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import NamedTuple

from placecell.language.dimensions import DEGREES, METRES, PLAIN, SECONDS, Dimension
from placecell.language.viewpoint import ViewPose


class Kind(StrEnum):
    """What a value is: first what operations give, then literals and the plan's argument, then what only cells have."""

    MEMORY = "memory"
    POSE = "pose"
    INSTANCE = "instance"
    INSTANCES = "instances"
    PICTURE = "picture"
    LENGTH = "length"
    EXTENTS = "extents"
    AREA = "area"
    COUNT = "count"
    ANGLE = "angle"
    DIRECTION = "direction"
    ORDER = "order"
    VISIBILITY = "visibility"
    ROUTE = "route"
    TRACK = "track"
    MOTION = "motion"
    VECTOR = "vector"
    TEXT = "text"
    NUMBER = "number"
    BOOL = "yes/no"
    NOTHING = "None"
    LIST = "list"
    SOURCE = "source"
    TIME = "time"
    SPEED = "speed"
    QUANTITY = "quantity"
    """A number of another dimension than those above: a volume, degrees per second."""
    VERDICT = "verdict"
    """Yes, no, or too close to call."""
    FRAME = "frame"
    POINT = "point"
    SET = "set"
    """Known finite: ``StaticType.element`` says of what, ``size`` how many at most."""
    UNTRUSTED = "untrusted text"
    """Read from a picture; only what asks a model takes it, and nothing in it is followed."""
    UNKNOWN = "unknown"
    """Stands for a value whose own fault has been reported already; never reported again."""


class Unit(StrEnum):
    """Units of kinds that measure. "length" is metres or, in a relative memory, units: the memory decides."""

    LENGTH = "length"
    AREA = "length^2"
    DEGREES = "degrees"
    COUNT = "count"
    NONE = ""


UNIT: Mapping[Kind, Unit] = MappingProxyType(
    {
        Kind.LENGTH: Unit.LENGTH,
        Kind.EXTENTS: Unit.LENGTH,
        Kind.AREA: Unit.AREA,
        Kind.ANGLE: Unit.DEGREES,
        Kind.COUNT: Unit.COUNT,
    }
)

SCALARS: Mapping[Kind, Dimension | None] = MappingProxyType(
    {
        Kind.LENGTH: METRES,
        Kind.AREA: Dimension(metres=2),
        Kind.TIME: SECONDS,
        Kind.SPEED: Dimension(metres=1, seconds=-1),
        Kind.ANGLE: DEGREES,
        Kind.COUNT: PLAIN,
        Kind.NUMBER: PLAIN,
        Kind.QUANTITY: None,
    }
)
"""Kinds that cells compute with, and the dimension each has in a memory of known scale."""


def kind_of_dimension(dimension: Dimension) -> Kind:
    """The kind of a computed quantity; a length in units is a length too."""
    length, seconds, degrees = dimension.metres + dimension.units, dimension.seconds, dimension.degrees
    if dimension.metres and dimension.units:
        return Kind.QUANTITY
    return _KINDS.get((length, seconds, degrees), Kind.QUANTITY)


_KINDS = {
    (0, 0, 0): Kind.NUMBER, (1, 0, 0): Kind.LENGTH, (2, 0, 0): Kind.AREA, (0, 1, 0): Kind.TIME,
    (1, -1, 0): Kind.SPEED, (0, 0, 1): Kind.ANGLE,
}  # fmt: skip

BOUND_WHEN_READ = frozenset({Kind.POSE})
"""Handles while they are passed to operations; read out (returned), they are numbers in the viewpoint's terms."""


@dataclass(frozen=True, slots=True)
class FieldSpec:
    """A documented read-only field. ``bound``: its value belongs to the viewpoint of the value it is read from.

    ``label``: it is a name that somebody or some model gave, which cells do not trust.
    """

    kind: Kind
    summary: str
    bound: bool = False
    label: bool = False


FIELDS: Mapping[Kind, Mapping[str, FieldSpec]] = MappingProxyType(
    {
        Kind.POSE: {
            "position": FieldSpec(Kind.VECTOR, "centre, as right, up, forward of the current viewpoint", bound=True),
            "right": FieldSpec(Kind.VECTOR, "unit vector to its right, in viewer terms", bound=True),
            "up": FieldSpec(Kind.VECTOR, "its own up, in viewer terms", bound=True),
            "forward": FieldSpec(Kind.VECTOR, "where it looks, in viewer terms", bound=True),
        },
        Kind.INSTANCE: {
            "centre": FieldSpec(Kind.VECTOR, "centre, as right, up, forward of the current viewpoint", bound=True),
            "front": FieldSpec(
                Kind.VECTOR, "where its own front points, in viewer terms; absent when unknown", bound=True
            ),
            "size": FieldSpec(Kind.EXTENTS, "sides of its box"),
            "name": FieldSpec(Kind.TEXT, "what it was asked for as", label=True),
            "confidence": FieldSpec(Kind.NUMBER, "0 to 1"),
        },
        Kind.EXTENTS: {
            "longest": FieldSpec(Kind.LENGTH, "longest side of the free box"),
            "width": FieldSpec(Kind.LENGTH, "longer horizontal side of the upright box"),
            "depth": FieldSpec(Kind.LENGTH, "shorter horizontal side of the upright box"),
            "height": FieldSpec(Kind.LENGTH, "vertical side of the upright box"),
        },
        Kind.AREA: {"height": FieldSpec(Kind.LENGTH, "height of the room")},
        Kind.DIRECTION: {
            "bearing": FieldSpec(Kind.ANGLE, "degrees, positive to the right, 0 ahead", bound=True),
            "elevation": FieldSpec(Kind.ANGLE, "degrees above the viewer's horizon", bound=True),
            "distance": FieldSpec(Kind.LENGTH, "how far the target is"),
            "words": FieldSpec(Kind.TEXT, "left, right, front, back, up, down or their combinations", bound=True),
        },
        Kind.ORDER: {
            "first": FieldSpec(Kind.TEXT, "name that comes first", label=True),
            "last": FieldSpec(Kind.TEXT, "name that comes last", label=True),
        },
        Kind.VISIBILITY: {
            "state": FieldSpec(Kind.TEXT, "seen, hidden or outside", bound=True),
            "share": FieldSpec(Kind.NUMBER, "visible share, 0 to 1", bound=True),
            "hidden_by": FieldSpec(Kind.TEXT, "name of what hides it", bound=True, label=True),
        },
    }
)
"""The fields a program may read, by kind. Anything else after a dot is a D3 diagnostic."""

_COMPONENTS = {
    "right": FieldSpec(Kind.LENGTH, "how far to the right, in the terms of its frame"),
    "up": FieldSpec(Kind.LENGTH, "how far up"),
    "forward": FieldSpec(Kind.LENGTH, "how far ahead, in the terms of its frame"),
}
CELL_FIELDS: Mapping[Kind, Mapping[str, FieldSpec]] = MappingProxyType(
    {**FIELDS, Kind.POINT: _COMPONENTS, Kind.VECTOR: _COMPONENTS}
)
"""The fields a cell may read: its points and vectors have components too."""

INDEXABLE: Mapping[Kind, Kind] = MappingProxyType({Kind.INSTANCES: Kind.INSTANCE, Kind.ORDER: Kind.TEXT})
"""Kind of ``x[0]`` by kind of ``x``; a list literal's elements keep their own types."""


class StaticType(NamedTuple):
    """The type of one expression.

    ``bound`` values belong to the viewpoint number ``stamp`` (0 = before any was set); a pose or instance carries the
    stamp it was queried under, for when it is read out. ``items`` are the element types of a list literal, ``name``
    the object phrase of instances, ``pose`` where a pose is, ``value`` that of a literal, each where it is known.

    In cells, scalars have a ``dimension``, points, vectors and sides the ``frame`` their numbers are in (for a frame
    itself: which one it is), sets an ``element`` and, like instances, the largest ``size`` they can have; ``exact``
    says that they have it. ``measured``: it depends on the memory, not on literals alone.
    """

    kind: Kind
    bound: bool = False
    stamp: int = 0
    items: tuple[StaticType, ...] = ()
    name: str | None = None
    pose: ViewPose | None = None
    value: bool | int | float | str | None = None
    dimension: Dimension | None = None
    frame: str | None = None
    element: StaticType | None = None
    size: int | None = None
    exact: bool = False
    measured: bool = False

    def __str__(self) -> str:
        if self.kind is Kind.LIST:
            inner = sorted({str(item) for item in self.items})
            return f"list of {' or '.join(inner)}" if inner else "empty list"
        if self.kind is Kind.SET and self.element is not None:
            return f"set of {self.element.kind} values"
        return str(self.kind)


def with_article(type_: StaticType) -> str:
    """ "a pose", "an instance", "instances": a kind for a message."""
    text = str(type_)
    if type_.kind in (Kind.INSTANCES, Kind.EXTENTS, Kind.NOTHING, Kind.TEXT):
        return text
    return f"an {text}" if text[0] in "aeiou" else f"a {text}"
