"""Measured numbers in the unit a question asks for, in words, and the numeric option they fit.

Knows units and rounding; a length without scale is never given in metres. Does not know what was measured.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from placecell.agents.reading import Reading, certainty, in_sd, no_answer
from placecell.engine.values import Area, Count, Length
from placecell.language.decomposition import METRIC_UNITS, Option, Unit

METRES: dict[str, float] = {
    "m": 1.0, "cm": 0.01, "mm": 0.001, "km": 1000.0, "in": 0.0254, "ft": 0.3048, "steps": 0.75,
}  # fmt: skip
"""Length units in metres; a person's step is taken as 75 cm."""
_SQUARE: dict[str, float] = {"m2": 1.0, "ft2": 0.3048**2}
_DECIMALS = {"m": 2, "cm": 0, "mm": 0, "km": 3, "in": 1, "ft": 2, "steps": 0, "m2": 1, "ft2": 0, "degrees": 0}
_NUMBER = re.compile(r"[-+]?\d+(?:,\d{3})*(?:\.\d+)?")
_RIGHT_WITHIN = 0.1
"""A number counts as right, for its confidence, within this share of the truth."""


def length_reading(length: Length, unit: Unit | None, options: Sequence[Option], *, least: float = 0.0) -> Reading:
    """A length in ``unit``, else in the memory's; a difference may be below 0, and has no ``least`` value."""
    if unit in ("m2", "ft2", "degrees", "s"):
        return no_answer(f"a length cannot be given in {unit}")
    if length.unit == "units":
        if unit in METRIC_UNITS or unit == "steps":
            return no_answer(
                f"unknown scale: the memory has no metres ({_round(length.value):g} units were measured)", "memory"
            )
        return number_reading(length.value, length.sd, "units", options, least=least)
    factor = METRES[unit or "m"]
    reading = number_reading(length.value / factor, length.sd / factor, unit or "m", options, least=least)
    return reading.noting(f"a step taken as {factor:g} m") if unit == "steps" else reading


def area_reading(area: Area, unit: Unit | None, options: Sequence[Option], *, least: float = 0.0) -> Reading:
    """An area in ``unit``, else in square metres or square units."""
    if area.unit == "units":
        if unit in METRIC_UNITS:
            return no_answer(
                f"unknown scale: the memory has no metres ({_round(area.value):g} square units were measured)", "memory"
            )
        return number_reading(area.value, area.sd, "units2", options, least=least)
    shown = unit if unit in _SQUARE else "m2"
    return number_reading(area.value / _SQUARE[shown], area.sd / _SQUARE[shown], shown, options, least=least)


def count_reading(count: Count, options: Sequence[Option]) -> Reading:
    """How many; doubtful ones widen the interval downwards."""
    if options:
        return _choose(float(count.value), float(count.uncertain), None, options)
    low = float(count.value - count.uncertain)
    notes = (f"{count.uncertain} of them uncertain",) if count.uncertain else ()
    sure = certainty(None) * 0.7**count.uncertain
    return Reading(str(count.value), None, count.value, None, (low, float(count.value)), sure, notes)


def angle_reading(bearing: float, sd: float, options: Sequence[Option]) -> Reading:
    """How many degrees to turn, and which way."""
    turn = abs(bearing)
    reading = number_reading(turn, sd, "degrees", options)
    return reading.noting("to the right" if bearing > 0 else "to the left" if bearing < 0 else "")


def number_reading(
    value: float, sd: float, unit: str | None, options: Sequence[Option], *, least: float = 0.0
) -> Reading:
    """A number in the unit it is shown in (None: a ratio), not below ``least``, or the option with the nearest one."""
    if any(_number(o) is not None for o in options):
        return _choose(value, sd, unit, options, least)
    low, high = max(least, value - 1.96 * sd), value + 1.96 * sd
    # Two-sided: the truth lies within the tolerance on either side.
    confidence = 2 * certainty(in_sd(_RIGHT_WITHIN * abs(value), sd)) - 1
    shown, low, high = (_round(number, unit or "") for number in (value, low, high))
    text = f"{shown:g} {words(unit)}" if unit else f"{shown:g}"
    return Reading(text, None, shown, unit, (low, high), confidence)


def _choose(value: float, sd: float, unit: str | None, options: Sequence[Option], least: float = 0.0) -> Reading:
    """The option with the nearest number."""
    numbered = sorted((abs(n - value), i) for i, o in enumerate(options) if (n := _number(o)) is not None)
    if not numbered:
        return no_answer("no option is a number")
    best = options[numbered[0][1]]
    margin = (numbered[1][0] - numbered[0][0]) / 2 if len(numbered) > 1 else math.inf
    confidence = certainty(in_sd(margin, sd))
    shown = int(value) if unit is None and value == int(value) else _round(value, unit or "")
    return Reading(best.text, best, shown, unit, (max(least, value - 1.96 * sd), value + 1.96 * sd), confidence)


def _number(option: Option) -> float | None:
    found = _NUMBER.search(option.answer or option.text)
    return float(found[0].replace(",", "")) if found else None


def words(unit: str) -> str:
    """A unit as it stands after a number."""
    return {"m2": "square metres", "ft2": "square feet", "units2": "square units", "in": "inches", "ft": "feet"}.get(
        unit, unit
    )


def _round(value: float, unit: str = "") -> float:
    """To the centimetre, the tenth of a square metre and so on, but always to two significant digits at least."""
    if value == 0 or not math.isfinite(value):
        return value
    return round(value, max(_DECIMALS.get(unit, 2), 1 - math.floor(math.log10(abs(value)))))
