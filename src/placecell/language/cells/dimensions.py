"""What a number counts: powers of length, time and angle. Shared by static types and by run-time quantities.

Knows which kinds are numbers, of which dimension. Does not know units: whether a length is in metres or in a memory's
own units is the memory's matter.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from placecell.language.types import Kind


class Dimension(NamedTuple):
    """Exponents. Counts, shares and ratios have none; degrees keep one of their own, so that none is taken for a ratio."""

    length: int = 0
    time: int = 0
    angle: int = 0

    def times(self, other: Dimension) -> Dimension:
        return Dimension(self.length + other.length, self.time + other.time, self.angle + other.angle)

    def per(self, other: Dimension) -> Dimension:
        return Dimension(self.length - other.length, self.time - other.time, self.angle - other.angle)

    def root(self) -> Dimension | None:
        """That of a square root; None where an exponent is odd."""
        if any(exponent % 2 for exponent in self):
            return None
        return Dimension(self.length // 2, self.time // 2, self.angle // 2)

    @property
    def kind(self) -> Kind:
        """The kind of a number of this dimension. Counts are numbers here: only counting makes one."""
        return _KINDS.get(self, Kind.QUANTITY)

    def text(self, unit: str = "units") -> str:
        """ "m", "m2", "degrees/s": ``unit`` is that of length."""
        parts = [(unit, self.length), ("s", self.time), ("degrees", self.angle)]
        above = " ".join(_power(name, n) for name, n in parts if n > 0)
        below = " ".join(_power(name, -n) for name, n in parts if n < 0)
        return f"{above or '1'}/{below}" if below else above


RATIO = Dimension()
LENGTH = Dimension(length=1)
AREA = Dimension(length=2)
TIME = Dimension(time=1)
SPEED = Dimension(length=1, time=-1)
ANGLE = Dimension(angle=1)

_KINDS: Mapping[Dimension, Kind] = MappingProxyType(
    {
        RATIO: Kind.NUMBER,
        LENGTH: Kind.LENGTH,
        AREA: Kind.AREA,
        TIME: Kind.TIME,
        SPEED: Kind.SPEED,
        ANGLE: Kind.ANGLE,
    }
)

DIMENSION_OF: Mapping[Kind, Dimension] = MappingProxyType(
    {kind: dimension for dimension, kind in _KINDS.items()} | {Kind.COUNT: RATIO}
)
"""The dimension of every kind that is a number; a ``QUANTITY`` has one of its own."""


def _power(name: str, exponent: int) -> str:
    return name if exponent == 1 else f"{name}{exponent}"
