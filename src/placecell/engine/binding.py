"""From evaluated arguments to what an implementation takes: literals unwrapped, defaults filled.

The checker has seen to kinds, choices and ranges; what is left for run time is an input that turned out absent.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from placecell.engine.values import Absent, Flag, ListValue, MemoryValue, Number, Text, Value
from placecell.language.signature import Operation, Parameter
from placecell.language.types import Kind


def plain(parameter: Parameter, value: Value) -> Any:
    """Memories and written literals as what they stand for; other values as they are."""
    match value:
        case MemoryValue():
            return value.memory
        case Flag() | Text():
            return value.value
        case Number():
            return int(value.value) if parameter.integer else value.value
        case _:
            return value


def bind(
    operation: Operation, arguments: Mapping[str, Value], plain: Callable[[Parameter, Value], Any] = plain
) -> dict[str, Any] | Absent:
    """Keyword arguments for the implementation of ``operation``, or the reason why it has no result.

    A list arrives as a tuple of values, absent ones among them: the implementation knows whether it can do without.
    ``plain`` makes of a value what the implementation takes for a parameter.
    """
    bound: dict[str, Any] = {}
    for parameter in operation.parameters:
        value = arguments.get(parameter.name)
        if value is None or (isinstance(value, Absent) and value.kind == Kind.NOTHING):
            bound[parameter.name] = parameter.default
        elif isinstance(value, Absent):
            return Absent(operation.returns, "input absent", f"{operation.name}: there is no {parameter.name}", value)
        elif parameter.many:
            items = value.items if isinstance(value, ListValue) else (value,)
            bound[parameter.name] = tuple(plain(parameter, item) for item in items)
        else:
            bound[parameter.name] = plain(parameter, value)
    return bound
