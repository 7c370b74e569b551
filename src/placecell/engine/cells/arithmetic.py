"""+ - * / and the sign, of whatever has them: quantities, points and vectors."""

from __future__ import annotations

from placecell.engine.cells import points, quantities
from placecell.engine.cells.quantities import plain, quantity_of
from placecell.engine.cells.values import PointValue, VectorValue
from placecell.engine.values import Absent, Value
from placecell.language.types import Kind

_OPERATORS = {
    "+": quantities.add,
    "-": quantities.subtract,
    "*": quantities.multiply,
    "/": quantities.divide,
}


def arithmetic(op: str, a: Value, b: Value, kind: Kind, scale_error: float) -> Value:
    """``a op b``, a value of ``kind`` or absent. ``scale_error``: the relative error of the memory's scale."""
    for value in (a, b):
        if isinstance(value, Absent):
            return Absent(kind, "input absent", f"one side of the {op!r} is absent", value)
    if isinstance(a, PointValue | VectorValue) and isinstance(b, PointValue | VectorValue):
        return points.add(op, a, b)
    left, right = quantity_of(a, scale_error), quantity_of(b, scale_error)
    if isinstance(a, VectorValue) and right is not None and op in ("*", "/"):
        factor = right if op == "*" else quantities.divide(plain(1.0), right)
        return Absent(kind, factor.reason, factor.message) if isinstance(factor, Absent) else points.scale(a, factor)
    if isinstance(b, VectorValue) and left is not None and op == "*":
        return points.scale(b, left)
    if left is None or right is None:
        return Absent(kind, "degenerate", f"these two have no {op!r}")
    return _OPERATORS[op](left, right)


def negative(value: Value, kind: Kind, scale_error: float) -> Value:
    """``-value``."""
    if isinstance(value, Absent):
        return Absent(kind, "input absent", "what follows the '-' is absent", value)
    if isinstance(value, VectorValue):
        return points.scale(value, plain(-1.0))
    number = quantity_of(value, scale_error)
    if number is None:
        return Absent(kind, "degenerate", "only numbers and vectors have a sign")
    return quantities.negate(number)
