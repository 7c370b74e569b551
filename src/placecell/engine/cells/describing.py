"""The values of cells in words and as JSON; ``engine.describe`` reads these tables beside its own."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from placecell.engine.cells.frames import components
from placecell.engine.cells.quantities import Quantity
from placecell.engine.cells.uncertain import Uncertain
from placecell.engine.cells.values import FrameValue, PointValue, SetValue, UntrustedText, VectorValue, Verdict
from placecell.language.tokens import shorten

_MANY = 8
_SHOWN = 200


def _number(value: float, sd: float, unit: str) -> str:
    """ "1.24 ± 0.03 m": as many digits as the deviation is worth."""
    if not sd:
        return f"{value:.4g} {unit}".rstrip()
    digits = min(max(1 - math.floor(math.log10(sd)), 0), 9)
    shown = f"{value:.{digits}f}" if abs(value) < 1e6 else f"{value:.4g}"
    return f"{shown} ± {sd:.2g} {unit}".rstrip()


def quantity_words(value: Quantity) -> str:
    return _number(value.value, value.sd, value.unit)


def _verdict_words(value: Verdict) -> str:
    return value.state + ("" if value.margin is None else f" (margin {value.margin:.1f} standard deviations)")


def _parts(value: PointValue | VectorValue) -> dict[str, Uncertain]:
    return dict(zip(("right", "up", "forward"), components(value), strict=True))


def _place_words(value: PointValue | VectorValue) -> str:
    parts = ", ".join(f"{name} {_number(part.value, part.sd, '')}" for name, part in _parts(value).items())
    seen = "in the memory's own frame" if value.frame is None else f"seen from {value.frame.label}"
    return f"{parts} {value.unit} {seen}"


def _frame_words(value: FrameValue) -> str:
    sd = value.axes.heading.sd
    known = f", heading known to {sd:.2g} degrees" if sd else ""
    return f"{value.label}{known}"


def _set_words(describe: Callable[[Any], str]) -> Callable[[SetValue], str]:
    def words(value: SetValue) -> str:
        shown = "; ".join(describe(item) for item in value.items[:_MANY])
        more = f" and {len(value.items) - _MANY} more" if len(value.items) > _MANY else ""
        left = f" ({value.undecided} left out, too close to call)" if value.undecided else ""
        return f"{len(value.items)} of {value.element}: {shown}{more}{left}" if value.items else f"none{left}"

    return words


def words(describe: Callable[[Any], str]) -> Mapping[type, Callable[[Any], str]]:
    """One line for each type; ``describe`` is for members of sets."""
    return {
        Quantity: quantity_words,
        Verdict: _verdict_words,
        PointValue: _place_words,
        VectorValue: _place_words,
        FrameValue: _frame_words,
        SetValue: _set_words(describe),
        UntrustedText: lambda v: repr(shorten(v.value, _SHOWN)),
    }


def numbers(record: Callable[[Any], dict[str, Any]]) -> Mapping[type, Callable[[Any], dict[str, Any]]]:
    """The numbers of each type; ``record`` is for members of sets."""
    return {
        Quantity: lambda v: {"kind": str(v.kind), "value": v.value, "sd": v.sd, "unit": v.unit},
        Verdict: lambda v: {"state": v.state} | ({} if v.margin is None else {"margin": v.margin}),
        PointValue: _place_numbers,
        VectorValue: _place_numbers,
        FrameValue: _frame_numbers,
        SetValue: lambda v: {
            "element": str(v.element),
            "undecided": v.undecided,
            "items": [record(item) for item in v.items],
        },
        UntrustedText: lambda v: {"value": v.value},
    }


def _place_numbers(value: PointValue | VectorValue) -> dict[str, Any]:
    parts = {name: {"value": part.value, "sd": part.sd} for name, part in _parts(value).items()}
    return parts | {"unit": value.unit, "frame": None if value.frame is None else value.frame.label}


def _frame_numbers(value: FrameValue) -> dict[str, Any]:
    origin, heading = value.axes
    return {
        "origin": origin.array.tolist(),
        "origin_sd": origin.sd,
        "heading": heading.value,
        "heading_sd": heading.sd,
        "unit": value.unit,
    }
