"""The operations as tools that a model calls one by one: JSON schemas generated from the operation table.

A tool call has no variables, so every result gets a handle ("r1", "r2", ...), and arguments that are values of earlier
calls are written as handles, with an element or a field where needed ("r3[0]", "r5.longest"). The memory is not an
argument: there is one, and it is built. Knows the table and JSON schema; runs nothing (``primitives``).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from placecell.language.ops import OPERATIONS
from placecell.language.rules.values import range_text
from placecell.language.signature import Category, Operation, Parameter
from placecell.language.types import FIELDS, Kind

__all__ = ["HANDLE", "IMPLICIT", "openai_tools", "parameters_schema", "tool_description", "tool_operations"]

HANDLE = r"^r[0-9]{1,9}(\[-?[0-9]{1,9}\]|\.[a-z_]+)*$"
"""What a handle looks like: a result, then elements and fields of it."""

IMPLICIT = frozenset({Kind.MEMORY, Kind.SOURCE})
"""Parameters of these kinds are filled in, never asked for."""

_LITERALS: dict[Kind, str] = {Kind.TEXT: "string", Kind.BOOL: "boolean", Kind.NUMBER: "number"}


def tool_operations(*, dynamic: bool = False, categories: Collection[Category] | None = None) -> Iterator[Operation]:
    """The operations offered as tools: all but the builders; those about time only for a memory with time."""
    for operation in OPERATIONS.values():
        wanted = categories is None or operation.category in categories
        if wanted and operation.category is not Category.CONSTRUCT and (dynamic or not operation.needs_time):
            yield operation


def openai_tools(
    *, dynamic: bool = False, categories: Collection[Category] | None = None, names: Collection[str] | None = None
) -> list[dict[str, Any]]:
    """The operations in the form of OpenAI's ``tools``: ``{"type": "function", "function": {...}}``.

    Args:
        dynamic: also those that need a memory with time.
        categories: only these ("measure", ...); all of them if None.
        names: only these operations; all of them if None.
    """
    return [
        {
            "type": "function",
            "function": {
                "name": operation.name,
                "description": tool_description(operation),
                "parameters": parameters_schema(operation),
            },
        }
        for operation in tool_operations(dynamic=dynamic, categories=categories)
        if names is None or operation.name in names
    ]


def tool_description(operation: Operation) -> str:
    """What an operation does and gives, and what can be read of its result."""
    fields = FIELDS.get(operation.returns, {})
    parts = [operation.summary, operation.documentation, f"Gives {operation.returns}"]
    if fields:
        parts[-1] += f" with fields {', '.join(fields)}"
    if operation.returns is Kind.INSTANCES:
        parts[-1] += "; [0] is the first of them"
    return " ".join(part.rstrip(".") + "." for part in parts if part)


def parameters_schema(operation: Operation) -> dict[str, Any]:
    """JSON schema of an operation's arguments, an object without further properties."""
    asked = [p for p in operation.parameters if not p.kinds & IMPLICIT]
    return {
        "type": "object",
        "properties": {p.name: _described(p) for p in asked},
        "required": [p.name for p in asked if p.required],
        "additionalProperties": False,
    }


def _described(parameter: Parameter) -> dict[str, Any]:
    """A parameter's schema with its summary, its limits and the choices that are only suggestions."""
    schema: dict[str, Any] = dict(_one(parameter))
    if parameter.many:
        schema = {"type": "array", "items": schema}
    notes = [] if parameter.image else [range_text(parameter)]
    if parameter.open_choices:
        notes.append(", ".join(parameter.choices))
    said = "; ".join(note for note in notes if note)
    schema["description"] = f"{parameter.summary} ({said})" if said else parameter.summary
    if not parameter.required and parameter.default not in (None, ()):
        schema["default"] = parameter.default
    return schema


def _one(parameter: Parameter) -> dict[str, Any]:
    """The schema of a single value: a literal, a handle, or either."""
    forms = [_literal(parameter, kind) for kind in sorted(parameter.kinds) if kind in _LITERALS]
    handles = sorted(str(kind) for kind in parameter.kinds if kind not in _LITERALS)
    if handles:
        forms.append({"type": "string", "pattern": HANDLE, "description": f"handle of {' or '.join(handles)}"})
    return forms[0] if len(forms) == 1 else {"anyOf": forms}


def _literal(parameter: Parameter, kind: Kind) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "integer" if parameter.integer else _LITERALS[kind]}
    if kind is Kind.TEXT and parameter.choices and not parameter.open_choices:
        schema["enum"] = list(parameter.choices)
    if kind is Kind.NUMBER and parameter.minimum is not None:
        schema["exclusiveMinimum" if parameter.above_minimum else "minimum"] = parameter.minimum
    if kind is Kind.NUMBER and parameter.maximum is not None:
        schema["maximum"] = parameter.maximum
    return schema
