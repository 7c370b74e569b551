"""What only cells compute with: verdicts, sets, points, vectors and frames as values.

Each carries its evidence. The one number is a ``Quantity`` (``quantities``).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from placecell.engine.cells.quantities import Quantity
from placecell.engine.cells.uncertain import Uncertain
from placecell.engine.cells.vectors import Axes, Vec
from placecell.engine.values import NO_EVIDENCE, Direction, Evidence, InstancesValue, InstanceValue, LengthUnit
from placecell.language.types import Kind
from placecell.memory.scene import Instance

if TYPE_CHECKING:
    from placecell.engine.values import Value

State = Literal["yes", "no", "too close to call"]

YES: State = "yes"
NO: State = "no"
UNDECIDED: State = "too close to call"


@dataclass(frozen=True)
class Verdict:
    """Yes, no, or too close to call; ``margin`` in standard deviations, None where nothing is uncertain."""

    state: State
    margin: float | None = None
    evidence: Evidence = NO_EVIDENCE

    @property
    def decided(self) -> bool:
        return self.state != UNDECIDED


@dataclass(frozen=True, eq=False)
class FrameValue:
    """A level frame: whose right, up and forward. ``label`` completes "seen ...": "from image 3".

    ``inside`` is the object that one stands in, which is not seen from there. ``compass``: its front is north.
    """

    axes: Axes
    label: str
    unit: LengthUnit
    inside: Instance | None = None
    compass: bool = False
    image: int | None = None
    evidence: Evidence = NO_EVIDENCE


@dataclass(frozen=True, eq=False)
class PointValue:
    """A place in the world; read out in the terms of ``frame`` (None: the memory's own)."""

    place: Vec
    unit: LengthUnit
    label: str = "the point"
    frame: FrameValue | None = None
    evidence: Evidence = NO_EVIDENCE


@dataclass(frozen=True, eq=False)
class VectorValue:
    """A difference of two points, in the world; read out in the terms of ``frame`` (None: the memory's own)."""

    way: Vec
    unit: LengthUnit
    frame: FrameValue | None = None
    evidence: Evidence = NO_EVIDENCE


@dataclass(frozen=True, eq=False)
class SetValue:
    """Known things of one kind, in order.

    ``doubtful`` ones were left out, because a condition was too close to call: each with how many of ``items`` come
    before it. Of ``beyond`` more nothing was computed, since a cell takes so many of a name at most.
    """

    items: tuple[Value, ...]
    element: Kind
    doubtful: tuple[tuple[int, Value], ...] = ()
    name: str = ""
    evidence: Evidence = NO_EVIDENCE
    beyond: int = 0

    @property
    def undecided(self) -> int:
        return len(self.doubtful)


@dataclass(frozen=True, eq=False)
class SupposedValue(InstanceValue):
    """An object where it is not: ``place`` is its centre with errors, ``instance`` a copy of the object there."""

    place: Vec | None = None


@dataclass(frozen=True, eq=False)
class FilteredValue(InstancesValue):
    """Objects of a name that meet a condition. ``doubtful`` as in ``SetValue``; ``beyond`` ones may meet it or not.

    ``close``: ids of those whose choice, or place in the order, was close.
    """

    doubtful: tuple[tuple[int, Instance], ...] = ()
    close: frozenset[int] = frozenset()

    @property
    def undecided(self) -> int:
        return len(self.doubtful)


@dataclass(frozen=True)
class DirectionValue(Direction):
    """Where a target lies in a frame; ``number`` is its bearing with errors by source."""

    number: Uncertain = Uncertain(0.0)  # noqa: RUF009 - frozen


@dataclass(frozen=True)
class UntrustedText:
    """Words read from a picture. They are only ever shown to a model as what to look at, never followed."""

    value: str
    evidence: Evidence = NO_EVIDENCE


CellOnly = Quantity | UntrustedText | Verdict | FrameValue | PointValue | VectorValue | SetValue
