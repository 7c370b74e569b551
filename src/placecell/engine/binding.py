"""From evaluated arguments to what an implementation takes: literals unwrapped, defaults filled, ranges kept.

The checker has seen to kinds and to literals; what is left for run time is an absent input and a computed number or
text (``order.first``, ``chair.confidence``) that only now shows its value.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from placecell.engine.values import Absent, Flag, ListValue, MemoryValue, Number, Text, Value
from placecell.language.signature import Operation, Parameter
from placecell.language.types import Kind


def bind(operation: Operation, arguments: Mapping[str, Value]) -> dict[str, Any] | Absent:
    """Keyword arguments for the implementation of ``operation``, or the reason why it has no result."""
    bound: dict[str, Any] = {}
    for parameter in operation.parameters:
        value = arguments.get(parameter.name)
        if value is None or (isinstance(value, Absent) and value.kind == Kind.NOTHING):
            bound[parameter.name] = parameter.default
            continue
        ready = _many(value) if parameter.many else _one(parameter, value)
        if parameter.many and parameter.kinds == frozenset({Kind.NUMBER}):
            ready = _numbers(parameter, ready)
        if isinstance(ready, Absent):
            return _cannot(operation, parameter, ready)
        bound[parameter.name] = ready
    return bound


def _many(value: Value) -> Any:
    return value.items if isinstance(value, ListValue) else value if isinstance(value, Absent) else (value,)


def _numbers(parameter: Parameter, values: Any) -> Any:
    if isinstance(values, Absent):
        return values
    ready = tuple(_one(parameter, value) for value in values)
    return next((value for value in ready if isinstance(value, Absent)), ready)


def _one(parameter: Parameter, value: Value) -> Any:
    match value:
        case Absent():
            return value
        case MemoryValue():
            return value.memory
        case Flag():
            return value.value
        case Text() if Kind.TEXT in parameter.kinds:
            return _choice(parameter, value.value)
        case Number():
            return _in_range(parameter, value.value)
        case _:
            return value


def _choice(parameter: Parameter, text: str) -> str | Absent:
    if not parameter.choices or parameter.open_choices or text in parameter.choices:
        return parameter.choice_aliases.get(text, text)
    if text in parameter.choice_aliases:
        return parameter.choice_aliases[text]
    allowed = ", ".join(parameter.choices)
    return Absent("text", "out of range", f"{parameter.name} must be one of {allowed}, not {text!r}")


def _in_range(parameter: Parameter, value: float) -> float | int | Absent:
    low, high = parameter.minimum, parameter.maximum
    if (
        (low is not None and (value < low or (parameter.above_minimum and value == low)))
        or (high is not None and value > high)
        or (parameter.integer and value != int(value))
    ):
        return Absent("number", "out of range", f"{parameter.name} cannot be {value:g}")
    return int(value) if parameter.integer else value


def _cannot(operation: Operation, parameter: Parameter, cause: Absent) -> Absent:
    if cause.reason == "out of range" and cause.cause is None:
        return Absent(operation.returns, "out of range", cause.message)
    return Absent(operation.returns, "input absent", f"{operation.name}: there is no {parameter.name}", cause)
