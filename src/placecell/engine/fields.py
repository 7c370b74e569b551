"""Reading ``x[0]`` and ``x.name``: the documented fields of ``language.types.FIELDS``, as values."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from placecell.engine.context import Context
from placecell.engine.sizes import extents_of
from placecell.engine.values import (
    Absent,
    Angle,
    Area,
    Direction,
    Extents,
    InstancesValue,
    InstanceValue,
    ListValue,
    Number,
    Order,
    PoseValue,
    Text,
    Value,
    Vector,
    Visibility,
)
from placecell.engine.viewpoint import in_viewer_terms
from placecell.language.types import FIELDS, INDEXABLE, Kind

_POSE_AXES = {"right": (0, 1.0), "up": (1, -1.0), "forward": (2, 1.0)}


def element(value: Value, index: int | str) -> Value:
    """``value[index]``, counted from 0."""
    match value:
        case Absent():
            kind = INDEXABLE.get(Kind(value.kind), Kind.UNKNOWN)
            return Absent(kind, "input absent", f"there is no {value.kind} to take an element of", value)
        case InstancesValue():
            if isinstance(index, int) and -len(value.instances) <= index < len(value.instances):
                return InstanceValue(value.instances[index], evidence=value.evidence)
            reason = value.reason if value.reason and not value.instances else "not found"
            return Absent(Kind.INSTANCE, reason, f"there is no {value.name} number {index}")
        case Order():
            if isinstance(index, int) and -len(value.names) <= index < len(value.names):
                return Text(value.names[index], evidence=value.evidence)
            return Absent(Kind.TEXT, "not found", f"the order has no place {index}")
        case ListValue():
            if isinstance(index, int) and -len(value.items) <= index < len(value.items):
                return value.items[index]
    return Absent(Kind.UNKNOWN, "not found", f"there is no element {index}")


def read_field(value: Value, name: str, context: Context) -> Value:
    """``value.name``."""
    if isinstance(value, Absent):
        known = FIELDS.get(Kind(value.kind), {}).get(name)
        kind = known.kind if known else Kind.UNKNOWN
        return Absent(kind, "input absent", f"there is no {value.kind} to read {name} of", value)
    match value:
        case PoseValue():
            return _of_pose(value, name)
        case InstanceValue():
            return _of_instance(value, name, context)
        case Extents() if name in ("longest", "width", "depth", "height"):
            return getattr(value, name)  # type: ignore[no-any-return]
        case Area() if name == "height":
            return value.height or Absent(Kind.LENGTH, "not in memory", "the height of the room is not known")
        case Direction():
            return _of_direction(value, name)
        case Order() if name in ("first", "last"):
            if not value.names:
                return Absent(Kind.TEXT, "not found", "nothing could be put in order")
            return Text(value.names[0 if name == "first" else -1], evidence=value.evidence)
        case Visibility():
            return _of_visibility(value, name)
    return Absent(Kind.UNKNOWN, "not in memory", f"there is no field {name}")


def _of_pose(value: PoseValue, name: str) -> Value:
    if value.seen_from is None:
        return Absent(Kind.VECTOR, "no viewpoint", f"{value.label} was queried before there was a viewpoint")
    if name == "position":
        return _vector(in_viewer_terms(value.seen_from, value.position), value.unit, value.label)
    column, sign = _POSE_AXES[name]
    axis = sign * value.world_from_cam[:3, column]
    return _vector(in_viewer_terms(value.seen_from, value.seen_from[:3, 3] + axis), "", value.label)


def _of_instance(value: InstanceValue, name: str, context: Context) -> Value:
    instance = value.instance
    if name == "name":
        return Text(instance.name, evidence=value.evidence)
    if name == "confidence":
        return Number(instance.confidence, evidence=value.evidence)
    if context.memory is None:
        return Absent(Kind.UNKNOWN, "not in memory", "there is no memory")
    if name == "size":
        return extents_of(context.memory, instance)
    here = context.standing(Kind.VECTOR)
    if isinstance(here, Absent):
        return here
    if name == "front":
        if instance.front is None:
            return Absent(Kind.VECTOR, "not in memory", f"the front of the {instance.name} is not known")
        return _vector(in_viewer_terms(here.levelled, here.levelled[:3, 3] + instance.front), "", here.words())
    return _vector(here.offsets(instance.centre), context.memory.unit, here.words())


def _of_direction(value: Direction, name: str) -> Value:
    if name == "distance":
        return value.distance
    if name == "words":
        return Text("-".join(value.words), evidence=value.evidence)
    return Angle(value.bearing if name == "bearing" else value.elevation, value.sd, value.evidence)


def _of_visibility(value: Visibility, name: str) -> Value:
    if name == "share":
        return Number(value.share, value.evidence)
    if name == "state":
        return Text(value.state, evidence=value.evidence)
    if value.hidden_by is None:
        return Absent(Kind.TEXT, "not found", "nothing known hides it")
    return Text(value.hidden_by, evidence=value.evidence)


def _vector(offset: NDArray[np.float64], unit: str, viewpoint: str) -> Vector:
    right, up, forward = offset.tolist()
    return Vector(right, up, forward, unit, viewpoint)  # type: ignore[arg-type]
