"""Dimensions of quantities: exponents of metres, units, seconds and degrees, and what arithmetic does to them.

A memory of unknown scale measures in *units*, a dimension of its own: units and metres never add up, and a ratio of
two lengths of one memory is a plain number whatever its scale. A count and a share have no dimension.
"""

from __future__ import annotations

from typing import NamedTuple

MAX_EXPONENT = 6
"""Larger exponents are no quantity that a question about a place could ask for."""
LARGEST = 1e30
"""Larger numbers measure nothing; below it no product of two and their errors overflows."""


class Dimension(NamedTuple):
    """Exponents: an area in metres is (2, 0, 0, 0), a speed in units (0, 1, -1, 0)."""

    metres: int = 0
    units: int = 0
    seconds: int = 0
    degrees: int = 0

    def times(self, other: Dimension) -> Dimension:
        return Dimension(*(a + b for a, b in zip(self, other, strict=True)))

    def over(self, other: Dimension) -> Dimension:
        return Dimension(*(a - b for a, b in zip(self, other, strict=True)))

    def root(self) -> Dimension | None:
        """Dimension of the square root, None when there is none."""
        return None if any(e % 2 for e in self) else Dimension(*(e // 2 for e in self))

    @property
    def too_large(self) -> bool:
        return any(abs(e) > MAX_EXPONENT for e in self)

    @property
    def unit(self) -> str:
        """ "m", "units^2", "m/s", "degrees"; "" for a plain number."""
        powers = [(name, e) for name, e in zip(_NAMES, self, strict=True) if e]
        above = [_power(name, e) for name, e in powers if e > 0]
        below = [_power(name, -e) for name, e in powers if e < 0]
        if not below:
            return " ".join(above)
        bottom = " ".join(below)
        return f"{' '.join(above) or '1'}/{f'({bottom})' if len(below) > 1 else bottom}"


_NAMES = ("m", "units", "s", "degrees")


def _power(name: str, exponent: int) -> str:
    return name if exponent == 1 else f"{name}^{exponent}"


PLAIN = Dimension()
METRES = Dimension(metres=1)
UNITS = Dimension(units=1)
SECONDS = Dimension(seconds=1)
DEGREES = Dimension(degrees=1)
