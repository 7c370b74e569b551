"""The one number of cells: a value with dimension, errors by source, and evidence; its arithmetic.

What arithmetic cannot give (metres and units mixed, a divisor that may be 0) is an ``Absent`` with its reason.
``quantity_of`` and ``core_of`` are the border to the one-shot language's lengths, areas, angles, counts and numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

from placecell.engine.cells.uncertain import Uncertain, measured, source_of, with_error
from placecell.engine.evidence import pooled
from placecell.engine.measures import CLEAR
from placecell.engine.values import NO_EVIDENCE, Absent, Angle, Area, Count, Evidence, Length, Number, Value
from placecell.language.dimensions import DEGREES, LARGEST, METRES, PLAIN, UNITS, Dimension
from placecell.language.types import Kind, kind_of_dimension

SCALE = "scale"
"""The source of error that all lengths of a memory share."""

TOO_LARGE = "the result is too large to mean anything"

Turning = Literal["bearing", "turn"] | None


@dataclass(frozen=True)
class Quantity:
    """``number`` in the unit of ``dimension`` (m or units, s, degrees; none for ratios and shares).

    ``turning``: an angle that means the same a full turn on and is kept in (-180, 180]: a bearing, or the turn from one
    bearing to another.
    """

    number: Uncertain
    dimension: Dimension = PLAIN
    evidence: Evidence = NO_EVIDENCE
    turning: Turning = None

    @property
    def value(self) -> float:
        return self.number.value

    @property
    def sd(self) -> float:
        return self.number.sd

    @property
    def kind(self) -> Kind:
        return kind_of_dimension(self.dimension)

    @property
    def unit(self) -> str:
        return self.dimension.unit

    def interval(self, z: float = CLEAR) -> tuple[float, float]:
        return self.value - z * self.sd, self.value + z * self.sd

    def flagged(self, *flags: str) -> Quantity:
        return replace(self, evidence=pooled(self.evidence, Evidence(flags=flags)))


def plain(value: float) -> Quantity:
    """A bare number."""
    return Quantity(Uncertain(float(value)))


def length_dimension(unit: str) -> Dimension:
    return METRES if unit == "m" else UNITS


def add(a: Quantity, b: Quantity) -> Quantity | Absent:
    """The sum; a bearing and an angle make a bearing."""
    turning: Turning = "bearing" if _is_bearing(a) != _is_bearing(b) else None
    return mismatch(a, b) or _made(a.number + b.number, a.dimension, a, b, turning=turning)


def subtract(a: Quantity, b: Quantity) -> Quantity | Absent:
    """The difference; of two bearings it is the turn from the second to the first, the shorter way round."""
    turning: Turning = ("turn" if _is_bearing(b) else "bearing") if _is_bearing(a) else None
    return mismatch(a, b) or _made(a.number - b.number, a.dimension, a, b, turning=turning)


def multiply(a: Quantity, b: Quantity) -> Quantity | Absent:
    return _made(a.number * b.number, a.dimension.times(b.dimension), a, b)


def divide(a: Quantity, b: Quantity) -> Quantity | Absent:
    """The ratio; absent where the divisor cannot be told from 0."""
    dimension = a.dimension.over(b.dimension)
    if abs(b.value) <= max(CLEAR * b.sd, 1.0 / LARGEST):
        message = f"it is divided by {b.value:.3g}, which cannot be told from 0"
        return Absent(kind_of_dimension(dimension), "degenerate", message)
    return _made(a.number.over(b.number), dimension, a, b)


def negate(a: Quantity) -> Quantity:
    return replace(a, number=wrapped(-a.number) if a.turning else -a.number)


def absolute(a: Quantity) -> Quantity:
    return replace(a, number=-a.number if a.value < 0 else a.number, turning=None)


def square_root(a: Quantity) -> Quantity | Absent:
    """Absent below 0, and where the value cannot be told from 0 without being it."""
    dimension = a.dimension.root()
    if dimension is None:
        return Absent(Kind.QUANTITY, "degenerate", f"there is no square root of a value in {a.unit}")
    if a.value == 0 and a.sd == 0:
        return replace(a, dimension=dimension)
    if a.value <= CLEAR * a.sd:
        message = f"the square root of {a.value:.3g}, which cannot be told from 0"
        return Absent(kind_of_dimension(dimension), "degenerate", message)
    return _made(a.number.root(), dimension, a)


def rounded(a: Quantity, how: Callable[[float], float] = round) -> Quantity:
    """To a whole number; flagged where the uncertainty reaches another one."""
    whole, low, high = (how(v) for v in (a.value, *a.interval()))
    out = replace(a, number=Uncertain(float(whole)), turning=None)
    if low == high:
        return out
    # Of a whole number that may be another one, all that is known is what it may be.
    sd = max(a.sd, (whole - low) / CLEAR, (high - whole) / CLEAR)
    number = measured(float(whole), sd, source_of("rounded", a.number))
    return replace(out, number=number).flagged(f"anything from {low:g} to {high:g} after rounding")


def total(items: list[Quantity], dimension: Dimension = PLAIN) -> Quantity | Absent:
    """The sum; of nothing it is 0 of the given dimension."""
    out: Quantity | Absent = Quantity(Uncertain(0.0), items[0].dimension if items else dimension)
    for item in items:
        if isinstance(out, Absent):
            break
        out = add(out, replace(item, turning=None))
    return out


def scaled(a: Quantity, factor: float) -> Quantity:
    return replace(a, number=a.number.times(factor), turning=None)


def wrapped(number: Uncertain) -> Uncertain:
    """The same angle in (-180, 180] degrees."""
    turns = math.ceil((number.value - 180.0) / 360.0)
    return Uncertain(number.value - 360.0 * turns, number.errors) if turns else number


def readings(a: Quantity) -> tuple[Uncertain, ...]:
    """What a number may be read as: a turning angle that may be past 180 degrees is also one from the other side."""
    if a.turning is None or abs(a.value) + CLEAR * a.sd <= 180.0:
        return (a.number,)
    return a.number, Uncertain(a.value - math.copysign(360.0, a.value), a.number.errors)


def middle(numbers: list[Quantity], of: Callable[[list[Quantity]], Quantity | Absent]) -> Quantity | Absent:
    """Their mean or median ``of``; bearings are unrolled from the first, and have none where they lie all around."""
    if not all(_is_bearing(number) for number in numbers):
        return of(numbers)
    first = numbers[0].number
    unrolled = [replace(q, number=first + wrapped(q.number - first), turning=None) for q in numbers]
    ends = sorted(q.value for q in unrolled)
    if ends[-1] - ends[0] >= 180.0:
        return Absent(Kind.ANGLE, "degenerate", "bearings that lie all around have no middle")
    found = of(unrolled)
    return found if isinstance(found, Absent) else replace(found, number=wrapped(found.number), turning="bearing")


def small_enough(number: Uncertain) -> bool:
    """Whether it means anything; what is not finite does not."""
    return abs(number.value) < LARGEST and number.sd < LARGEST


def mismatch(a: Quantity, b: Quantity) -> Absent | None:
    """Why two quantities cannot be added or compared."""
    if a.dimension == b.dimension:
        return None
    kinds = a.kind, b.kind
    if kinds[0] == kinds[1]:
        message = f"one is in {a.unit}, the other in {b.unit}: the scale of the memory is not known"
        return Absent(a.kind, "unknown scale", message)
    return Absent(a.kind, "degenerate", f"a {kinds[0]} and a {kinds[1]} do not add up or compare")


def _is_bearing(a: Quantity) -> bool:
    return a.turning == "bearing"


def _made(number: Uncertain, dimension: Dimension, *of: Quantity, turning: Turning = None) -> Quantity | Absent:
    if not small_enough(number) or dimension.too_large:
        return Absent(kind_of_dimension(dimension), "degenerate", TOO_LARGE)
    return Quantity(wrapped(number) if turning else number, dimension, pooled(*(q.evidence for q in of)), turning)


def quantity_of(value: Value, scale_error: float = 0.0) -> Quantity | None:
    """A scalar of the one-shot language as a quantity; None for what is no scalar.

    ``scale_error``: the relative error of the memory's scale, for areas, which do not say their part of it.
    """
    match value:
        case Quantity():
            return value
        case Length():
            source = source_of("length", value.value, value.own_sd, _ends(value), value.evidence.instances)
            number = with_error(measured(value.value, value.own_sd, source), value.scale_sd, SCALE)
            return Quantity(number, length_dimension(value.unit), value.evidence)
        case Area():
            shared = min(value.sd, 2 * value.value * scale_error)
            own = math.sqrt(max(0.0, value.sd**2 - shared**2))
            number = with_error(measured(value.value, own, source_of("area", value.value, own)), shared, SCALE)
            dimension = length_dimension(value.unit)
            return Quantity(number, dimension.times(dimension), value.evidence)
        case Angle():
            source = source_of("angle", value.value, value.sd, value.evidence)
            return Quantity(measured(value.value, value.sd, source), DEGREES, value.evidence)
        case Count():
            # Counts differ clearly when they differ by more than their uncertain members, as for `compare`.
            source = source_of("count", value.value, value.uncertain, value.evidence)
            return Quantity(measured(float(value.value), value.uncertain / CLEAR, source), PLAIN, value.evidence)
        case Number():
            return Quantity(Uncertain(float(value.value)), PLAIN, value.evidence)
    return None


def core_of(value: Quantity) -> Value:
    """A quantity as the one-shot language has it, where it has it: for its operations."""
    number, unit = value.number, "m" if value.dimension.metres else "units"
    match value.kind:
        case Kind.LENGTH:
            return Length(value.value, unit, value.sd, abs(number.part(SCALE)), evidence=value.evidence)  # type: ignore[arg-type]
        case Kind.AREA:
            return Area(value.value, unit, value.sd, evidence=value.evidence)  # type: ignore[arg-type]
        case Kind.ANGLE:
            return Angle(value.value, value.sd, value.evidence)
        case Kind.NUMBER:
            return Number(value.value, value.evidence)
        case _:
            return value


def _ends(value: Length) -> list[list[float]] | None:
    return None if value.ends is None else value.ends.tolist()
