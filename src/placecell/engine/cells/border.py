"""Between the operations of the one-shot language and the values of cells: arguments one way, results the other.

Operations of both take and give what they always did; only here is known which of their numbers become quantities, with
which sources of error.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from placecell.engine import binding
from placecell.engine.cells.box_errors import length_between
from placecell.engine.cells.context import CellContext
from placecell.engine.cells.frames import components
from placecell.engine.cells.quantities import Quantity, core_of, length_dimension, quantity_of
from placecell.engine.cells.sets import capped, counted, remarks, resting_on
from placecell.engine.cells.spots import pose_of, side, vertical
from placecell.engine.cells.values import (
    DirectionValue,
    PointValue,
    SetValue,
    UntrustedText,
    VectorValue,
)
from placecell.engine.fields import read_field
from placecell.engine.values import (
    Absent,
    Angle,
    Count,
    Direction,
    Evidence,
    Extents,
    InstancesValue,
    Length,
    ListValue,
    Number,
    Text,
    Value,
)
from placecell.language.cells.scope import MOST_FOUND
from placecell.language.dimensions import DEGREES
from placecell.language.signature import Operation, Parameter
from placecell.language.types import CELL_FIELDS, Kind
from placecell.memory.scene import Instance

_NUMBERS = frozenset({Kind.NUMBER})
_COMPONENTS = {"right": 0, "up": 1, "forward": 2}
_NO_LENGTH = Absent(Kind.LENGTH, "no viewpoint", "it is measured from the viewpoint")


def bind(operation: Operation, arguments: Mapping[str, Value]) -> dict[str, Any] | Absent:
    """Keyword arguments for an operation's implementation, or the reason why it has no result."""
    listed = {name: _listed(value) for name, value in arguments.items()}
    plain = _plain_in_cells if operation.cells_only else _plain_in_core
    bound = binding.bind(operation, listed, plain)
    if isinstance(bound, Absent):
        return bound
    for parameter in operation.parameters:
        outside = _outside(parameter, bound[parameter.name])
        if outside is not None:
            message = f"{operation.name} takes no {parameter.name} of {outside:g}"
            return Absent(operation.returns, "degenerate", message)
    return bound


def _listed(value: Value) -> Value:
    """A set as a list, for parameters that take several; objects of a name are one value."""
    return ListValue(value.items) if isinstance(value, SetValue) else value


def _outside(parameter: Parameter, value: Any) -> float | None:
    """A number outside of what a parameter takes: computed ones are only known now."""
    for number in value if isinstance(value, tuple) else (value,):
        if isinstance(number, int | float) and not isinstance(number, bool):
            low, high = parameter.minimum, parameter.maximum
            below = low is not None and (number <= low if parameter.above_minimum else number < low)
            if below or (high is not None and number > high):
                return float(number)
    return None


def _plain_in_cells(parameter: Parameter, value: Value) -> Any:
    """For operations of cells: numbers are quantities, but where only a plain number will do."""
    if isinstance(value, UntrustedText):
        return value.value
    number = quantity_of(value)
    if number is None:
        return binding.plain(parameter, value)
    if parameter.kinds <= _NUMBERS:
        return round(number.value) if parameter.integer else number.value
    return number


def _plain_in_core(parameter: Parameter, value: Value) -> Any:
    """For operations of the one-shot language: its own numbers, and poses for points and frames."""
    if isinstance(value, UntrustedText):
        return value.value
    return binding.plain(parameter, pose_of(core_of(value) if isinstance(value, Quantity) else value))


def result_of(context: CellContext, operation: Operation, arguments: Mapping[str, Value], result: Value) -> Value:
    """What an operation gave, as cells have it; what is to be known of its arguments stays with it."""
    flags = dict.fromkeys(flag for value in arguments.values() for flag in remarks(value))
    return resting_on(_told(context, operation, arguments, result), Evidence(flags=tuple(flags)))


def _told(context: CellContext, operation: Operation, arguments: Mapping[str, Value], result: Value) -> Value:
    match result:
        case Length() if operation.name == "measure_distance":
            a, b = (arguments.get(name, _NO_LENGTH) for name in ("a", "b"))
            return length_between(context, result, a, b)
        case Length() | Angle():
            return quantity_of(result, context.scale_error) or result
        case InstancesValue():
            return capped(result, MOST_FOUND)
        case Count() if "objects" in arguments:
            return counted(result, arguments["objects"])
    return result


def field_of(context: CellContext, value: Value, name: str) -> Value:
    """``value.name`` as cells have it."""
    match value:
        case PointValue() | VectorValue() if name in _COMPONENTS:
            number = components(value)[_COMPONENTS[name]]
            return Quantity(number, length_dimension(value.unit), value.evidence)
        case PointValue() | VectorValue():
            return Absent(Kind.UNKNOWN, "not in memory", f"there is no field {name}")
        case DirectionValue() if name == "bearing":
            return Quantity(value.number, DEGREES, value.evidence, "bearing")
        case Extents() if name in ("longest", "width", "depth", "height"):
            return _side_of(context, value, name)
        case Absent():
            spec = CELL_FIELDS.get(Kind(value.kind), {}).get(name)
            kind = Kind.UNKNOWN if spec is None else Kind.UNTRUSTED if spec.label else spec.kind
            return Absent(kind, "input absent", f"there is no {value.kind} to read {name} of", value)
    read = read_field(value, name, context)
    if isinstance(read, Text) and name in ("name", "first", "last", "hidden_by"):
        return UntrustedText(read.value, read.evidence)
    scalar = quantity_of(read) if isinstance(read, Length | Angle | Number) else None
    if scalar is not None and isinstance(value, Direction) and name == "bearing":
        return replace(scalar, turning="bearing")
    return scalar or read


def _side_of(context: CellContext, extents: Extents, name: str) -> Value:
    """A side with the error of that side of that object; the longest, which may be tilted, has one of its own."""
    length: Length = getattr(extents, name)
    measured = quantity_of(replace(length, evidence=extents.evidence))
    thing = next((i for i in context.scene.instances if i.id in extents.evidence.instances[:1]), None)
    axis = None if thing is None or name == "longest" else _axis_of(thing, name)
    if measured is None or thing is None or axis is None:
        return measured or length
    number = side(context, thing, axis)
    # A supposed object has the sides of the one it is a copy of; another one of that id would not.
    same = np.isclose(number.value, length.value, rtol=1e-9, atol=0.0)
    return replace(measured, number=number) if same else measured


def _axis_of(thing: Instance, name: str) -> int:
    """Which axis of the upright box a side is."""
    up = vertical(thing)
    if name == "height":
        return up
    level = sorted((k for k in range(3) if k != up), key=lambda k: -thing.upright_box.size[k])
    return level[0 if name == "width" else 1]
