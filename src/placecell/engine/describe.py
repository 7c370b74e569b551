"""Values in words and as JSON: one line a person reads, one record a program reads. Both say the same."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from placecell.engine import describe_motion as motion
from placecell.engine.cells import describing
from placecell.engine.cells.values import DirectionValue, FilteredValue, SupposedValue
from placecell.engine.values import (
    Absent,
    Angle,
    Area,
    Count,
    Direction,
    Evidence,
    Extents,
    Flag,
    InstancesValue,
    InstanceValue,
    Leg,
    Length,
    ListValue,
    MemoryValue,
    MotionValue,
    Number,
    Order,
    Picture,
    PoseValue,
    Route,
    Text,
    TrackValue,
    Value,
    Vector,
    Visibility,
)
from placecell.engine.viewpoint import in_viewer_terms
from placecell.memory.scene import Instance, SpatialMemory

_MANY = 12


def describe(value: Value) -> str:
    """One line: the value with its unit, uncertainty and what matters about it."""
    return _WORDS[type(value)](value)


def record(value: Value) -> dict[str, Any]:
    """The value as JSON: its type, its numbers, what it rests on. Pixels are left out."""
    out: dict[str, Any] = {"type": type(value).__name__.removesuffix("Value").lower(), "text": describe(value)}
    out |= _NUMBERS[type(value)](value)
    evidence = getattr(value, "evidence", None)
    if isinstance(evidence, Evidence) and evidence != Evidence():
        out["evidence"] = {
            "frames": list(evidence.frames),
            "instances": list(evidence.instances),
            "points": evidence.points,
            "flags": list(evidence.flags),
        }
    return out


def instance_record(instance: Instance) -> dict[str, Any]:
    """An object as JSON: id, name, centre, sides, views, confidence."""
    return {
        "id": instance.id,
        "name": instance.name,
        "centre": instance.centre.tolist(),
        "size": instance.box.size.tolist(),
        "axes": instance.box.axes.tolist(),
        "views": [v.frame for v in instance.views],
        "confidence": instance.confidence,
        "certain": instance.certain,
    }


def _because(cause: Absent | None) -> str:
    return f"; because {cause.message}{_because(cause.cause)}" if cause else ""


def _pm(sd: float) -> str:
    return f" ± {sd:.2g}" if sd > 0 else ""


def _length(value: Length) -> str:
    return f"{value.value:.3g}{_pm(value.sd)} {value.unit}"


def _memory(memory: SpatialMemory) -> str:
    scale = "in metres" if memory.scale.metric else "of unknown scale"
    return (
        f"memory of {len(memory.frames)} images, {len(memory.cloud)} points, {len(memory.instances)} objects, {scale}"
    )


def _in_terms(value: PoseValue) -> str:
    if value.seen_from is None:
        return ""
    right, up, forward = in_viewer_terms(value.seen_from, value.position).tolist()
    if max(abs(right), abs(up), abs(forward)) < 5e-3:
        return ""
    return f" (right {right:.2f}, up {up:.2f}, forward {forward:.2f} {value.unit} of the viewpoint)"


def _instance(instance: Instance) -> str:
    views = f"seen in {len(instance.views)} images, " if instance.views else ""
    return f"{instance.name} {instance.id} ({views}confidence {instance.confidence:.2f})"


def _instances(value: InstancesValue) -> str:
    if not value.instances:
        return f"no {value.name} ({value.note or value.reason or 'not found'})"
    shown = ", ".join(f"{i.name} {i.id}" for i in value.instances[:_MANY])
    more = len(value.instances) - _MANY
    return f"{len(value.instances)} for {value.name!r}: {shown}" + (f" and {more} more" if more > 0 else "")


def _direction(value: Direction) -> str:
    side = "right" if value.bearing > 0 else "left"
    words = "-".join(value.words) or "here"
    return (
        f"{words}: {abs(value.bearing):.0f} degrees to the {side}, {value.elevation:+.0f} up, "
        f"{_length(value.distance)} away, seen {value.viewpoint}"
    )


def _order(value: Order) -> str:
    unit = "" if value.unit == "image" else f" {value.unit}"
    prefix = "image " if value.unit == "image" else ""
    listed = ", ".join(f"{n} ({prefix}{m:.3g}{unit})" for n, m in zip(value.names, value.measures, strict=True))
    ties = "; ".join(f"{a} and {b} too close to call" for a, b in value.ties)
    missing = "; ".join(m.message for m in value.missing)
    return "; ".join(part for part in (listed, ties, missing) if part)


def _absent(value: Absent) -> str:
    return f"no {value.kind} ({value.reason}): {value.message}" + _because(value.cause)


def _chosen(value: InstanceValue) -> str:
    return _instance(value.instance) + (f", margin {value.margin:.2f}" if value.margin is not None else "")


def _area(value: Area) -> str:
    height = f", height {_length(value.height)}" if value.height else ""
    return f"{value.value:.3g}{_pm(value.sd)} {'m2' if value.unit == 'm' else 'square units'}{height}"


def _visibility(value: Visibility) -> str:
    by = f" by the {value.hidden_by}" if value.hidden_by else ""
    return f"{value.state}{by}, {100 * value.share:.0f} % of it free to the eye"


def _leg(leg: Leg) -> str:
    return f"turn {leg.turn} ({leg.turn_degrees:.0f} degrees), {_length(leg.distance)} to the {leg.goal}"


def _verdict(value: Text) -> str:
    decided = value.margin is not None and np.isfinite(value.margin)
    return value.value + (f" (margin {value.margin:.1f} standard deviations)" if decided else "")


def _vector(value: Vector) -> str:
    unit = f" {value.unit}" if value.unit else ""
    return f"right {value.right:.2f}, up {value.up:.2f}, forward {value.forward:.2f}{unit}"


_SIDES = ("longest", "width", "depth", "height")

_WORDS: Mapping[type, Callable[[Any], str]] = {
    Absent: _absent,
    MemoryValue: lambda v: _memory(v.memory),
    PoseValue: lambda v: v.label + _in_terms(v),
    InstanceValue: _chosen,
    InstancesValue: _instances,
    Length: _length,
    Extents: lambda v: ", ".join(f"{side} {_length(getattr(v, side))}" for side in _SIDES),
    Area: _area,
    Angle: lambda v: f"{v.value:.1f}{_pm(v.sd)} degrees",
    Count: lambda v: str(v.value) + (f", {v.uncertain} of them not certain" if v.uncertain else ""),
    Direction: _direction,
    Order: _order,
    Visibility: _visibility,
    Route: lambda v: "; ".join(_leg(leg) for leg in v.legs),
    Text: _verdict,
    TrackValue: motion.track_words,
    MotionValue: motion.motion_words,
    Picture: lambda v: v.caption,
    Number: lambda v: f"{v.value:g}",
    Flag: lambda v: "yes" if v.value else "no",
    Vector: _vector,
    ListValue: lambda v: "[" + ", ".join(describe(item) for item in v.items) + "]",
    DirectionValue: _direction,
    SupposedValue: lambda v: f"{v.instance.name} {v.instance.id}, supposed elsewhere",
    FilteredValue: lambda v: _instances(v) + (f" ({v.undecided} too close to call)" if v.undecided else ""),
    **describing.words(describe),
}


def _plain(*names: str) -> Callable[[Any], dict[str, Any]]:
    """The named fields as they are."""
    return lambda value: {name: getattr(value, name) for name in names}


def _length_numbers(value: Length) -> dict[str, Any]:
    ends = {} if value.ends is None else {"ends": value.ends.tolist()}
    return {"value": value.value, "sd": value.sd, "unit": value.unit} | ends


def _area_numbers(value: Area) -> dict[str, Any]:
    height = None if value.height is None else _length_numbers(value.height)
    return {"value": value.value, "sd": value.sd, "unit": value.unit, "height": height}


def _instances_numbers(value: InstancesValue) -> dict[str, Any]:
    shown = [instance_record(i) for i in value.instances[:_MANY]]
    return {"name": value.name, "reason": value.reason, "count": len(value.instances), "instances": shown}


def _direction_numbers(value: Direction) -> dict[str, Any]:
    numbers = _plain("bearing", "elevation", "sd", "viewpoint")(value)
    lists = {"offset": list(value.offset), "span": list(value.span), "words": list(value.words)}
    return numbers | lists | {"distance": _length_numbers(value.distance)}


def _order_numbers(value: Order) -> dict[str, Any]:
    return {
        "names": list(value.names),
        "measures": list(value.measures),
        "unit": value.unit,
        "ties": [list(tie) for tie in value.ties],
        "missing": [record(absent) for absent in value.missing],
    }


def _leg_numbers(leg: Leg) -> dict[str, Any]:
    return _plain("goal", "turn", "turn_degrees")(leg) | {"distance": _length_numbers(leg.distance)}


def _text_numbers(value: Text) -> dict[str, Any]:
    decided = value.margin is not None and np.isfinite(value.margin)
    return {"value": value.value} | ({"margin": value.margin} if decided else {})


_NUMBERS: Mapping[type, Callable[[Any], dict[str, Any]]] = {
    Absent: lambda v: {"kind": str(v.kind), "reason": v.reason} | ({"cause": record(v.cause)} if v.cause else {}),
    MemoryValue: lambda v: {"version": v.memory.version, "unit": v.memory.unit},
    PoseValue: lambda v: {"image": v.image, "world_from_cam": v.world_from_cam.tolist()},
    InstanceValue: lambda v: {"instance": instance_record(v.instance), "margin": v.margin},
    InstancesValue: _instances_numbers,
    Length: _length_numbers,
    Extents: lambda v: {side: _length_numbers(getattr(v, side)) for side in _SIDES},
    Area: _area_numbers,
    Angle: lambda v: {"value": v.value, "sd": v.sd, "unit": "degrees"},
    Count: _plain("value", "uncertain"),
    Direction: _direction_numbers,
    Order: _order_numbers,
    Visibility: _plain("state", "share", "hidden_by"),
    Route: lambda v: {"legs": [_leg_numbers(leg) for leg in v.legs]},
    Text: _text_numbers,
    TrackValue: motion.track_numbers,
    MotionValue: motion.motion_numbers,
    Picture: lambda v: {"mode": v.mode, "caption": v.caption, "camera": v.sidecar},
    Number: _plain("value"),
    Flag: _plain("value"),
    Vector: _plain("right", "up", "forward", "unit"),
    ListValue: lambda v: {"items": [record(item) for item in v.items]},
    DirectionValue: _direction_numbers,
    SupposedValue: lambda v: {"instance": instance_record(v.instance), "margin": None},
    FilteredValue: lambda v: _instances_numbers(v) | {"undecided": v.undecided},
    **describing.numbers(record),
}
