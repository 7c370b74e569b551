"""Yes, no, or too close to call: comparing values, joining verdicts, choosing a branch by one."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import Literal

from placecell.engine.cells.quantities import Quantity, mismatch, quantity_of, readings
from placecell.engine.cells.uncertain import Uncertain
from placecell.engine.cells.values import NO, UNDECIDED, YES, State, Verdict
from placecell.engine.evidence import pooled
from placecell.engine.measures import CLEAR
from placecell.engine.values import NO_EVIDENCE, Absent, Evidence, Flag, InstanceValue, Text, Value
from placecell.language.types import Kind

_ORDERED = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}
_EXACT = 1e-9
"""Shares of a value that are rounding, not a difference."""


def compare(op: str, a: Value, b: Value) -> Verdict | Absent:
    """``a op b`` for two quantities, two texts, two verdicts or two objects; op is one of < <= > >= == !=."""
    left, right = quantity_of(a), quantity_of(b)
    if left is not None and right is not None:
        return compare_quantities(op, left, right)
    same = _same(a, b)
    if same is None or op not in ("==", "!="):
        return Absent(Kind.VERDICT, "degenerate", "these two cannot be compared")
    evidence = pooled(_evidence(a), _evidence(b))
    return Verdict(YES if same == (op == "==") else NO, None, evidence)


def compare_quantities(op: str, a: Quantity, b: Quantity) -> Verdict | Absent:
    wrong = mismatch(a, b)
    if wrong is not None:
        return Absent(Kind.VERDICT, wrong.reason, wrong.message, wrong.cause)
    size = max(abs(a.value), abs(b.value))
    tests = [sign_test(op, x - y, size) for x in readings(a) for y in readings(b)]
    state, margin = min(tests, key=lambda test: math.inf if test[1] is None else test[1])
    if any(other != state for other, _ in tests):
        state, margin = UNDECIDED, min((180.0 - abs(q.value)) / q.sd for q in (a, b) if len(readings(q)) > 1)
    return Verdict(state, margin, pooled(a.evidence, b.evidence))


def sign_test(op: str, difference: Uncertain, size: float = 0.0) -> tuple[State, float | None]:
    """Whether ``difference op 0``, and by how many standard deviations that is clear; ``size`` tells rounding."""
    value = 0.0 if abs(difference.value) <= _EXACT * size else difference.value
    sd = difference.sd if difference.sd > _EXACT * size else 0.0
    margin = abs(value) / sd if sd else None
    if margin is not None and margin < CLEAR:
        return UNDECIDED, margin
    if op in ("==", "!="):
        return (YES if (value == 0) == (op == "==") else NO), margin
    return (YES if _ORDERED[op](value, 0.0) else NO), margin


def joined_verdict(op: Literal["and", "or"], operands: Sequence[Value]) -> Verdict | Absent:
    """Kleene's and, or. What decides it alone does so whatever the others are, absent ones too."""
    decisive: State = NO if op == "and" else YES
    verdicts = [verdict_of(v) for v in operands]
    known = [v for v in verdicts if isinstance(v, Verdict)]
    missing = [v for v in verdicts if isinstance(v, Absent)]
    evidence = pooled(*(v.evidence for v in known))
    alone = [v for v in known if v.state == decisive]
    if alone:
        return Verdict(decisive, _clearest(alone), evidence)
    if missing:
        return Absent(Kind.VERDICT, "input absent", f"one side of the {op!r} is absent", missing[0].cause or missing[0])
    open_ = [v for v in known if not v.decided]
    if open_:
        return Verdict(UNDECIDED, _least(open_), evidence)
    return Verdict(YES if decisive == NO else NO, _least(known), evidence)


def negated(operand: Value) -> Verdict | Absent:
    """not"""
    verdict = verdict_of(operand)
    if isinstance(verdict, Absent) or not verdict.decided:
        return verdict
    return Verdict(NO if verdict.state == YES else YES, verdict.margin, verdict.evidence)


def verdict_of(value: Value) -> Verdict | Absent:
    """A value as a verdict: what stands after ``if``, ``and``, ``or``, ``not``."""
    match value:
        case Verdict():
            return value
        case Flag():
            return Verdict(YES if value.value else NO)
        case Text(value="yes" | "no" | "too close to call"):
            return Verdict(value.value, value.margin, value.evidence)  # type: ignore[arg-type]
        case Absent():
            return Absent(Kind.VERDICT, "input absent", f"there is no {value.kind} to decide by", value)
    return Absent(Kind.VERDICT, "degenerate", "this is neither yes nor no")


def undecided(verdict: Verdict, kind: str, what: str) -> Absent:
    """What a value is that depends on a verdict too close to call."""
    margin = "" if verdict.margin is None else f" (margin {verdict.margin:.1f} standard deviations)"
    return Absent(kind, "ambiguous", f"{what} is too close to call{margin}")


def agree(a: Value, b: Value) -> bool:
    """Whether two branches give the same, so that it does not matter which one holds."""
    left, right = quantity_of(a), quantity_of(b)
    if left is not None and right is not None:
        if left.dimension != right.dimension:
            return False
        difference, size = left.number - right.number, max(abs(left.value), abs(right.value))
        return abs(difference.value) <= _EXACT * size and difference.sd <= _EXACT * size
    return _same(a, b) is True


def _same(a: Value, b: Value) -> bool | None:
    """Whether two values that are no quantities are the same; None where that cannot be said."""
    match a, b:
        case Text(), Text():
            return a.value.casefold() == b.value.casefold()
        case InstanceValue(), InstanceValue():
            return a.instance.id == b.instance.id
        case (Verdict(), Verdict()) if a.decided and b.decided:
            return a.state == b.state
        case Flag(), Flag():
            return a.value == b.value
    return None


def _clearest(verdicts: Sequence[Verdict]) -> float | None:
    """The margin of the clearest one; None when one is not uncertain at all."""
    margins = [math.inf if v.margin is None else v.margin for v in verdicts]
    return None if max(margins) == math.inf else max(margins)


def _least(verdicts: Sequence[Verdict]) -> float | None:
    return min((v.margin for v in verdicts if v.margin is not None), default=None)


def _evidence(value: Value) -> Evidence:
    return getattr(value, "evidence", NO_EVIDENCE)
