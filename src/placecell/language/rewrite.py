"""Rewrites of an accepted program that keep its meaning: less work, the same results.

Each rewrite is a named rule on the list of statements with a precondition; what it changed is reported. The result
is checked again, so that a plan is never handed on unchecked.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

from placecell.language.check import check
from placecell.language.ops import OPERATIONS
from placecell.language.plan import (
    Argument,
    Assign,
    Call,
    CheckedPlan,
    Expr,
    ExprStatement,
    Literal,
    MemoryFacts,
    Name,
    Program,
    Statement,
    children,
)
from placecell.language.repair import Repair
from placecell.language.signature import Category
from placecell.language.text import program_text, statement_text

Statements = Sequence[Statement]
Change = tuple[Statements, Repair]
_QUERIES = frozenset({"query_camera_pose", "query_3d_object_location", "select_object", "track_object"})
_OPPOSITE = {"left": "right", "right": "left", "forward": "backward", "backward": "forward", "up": "down", "down": "up"}


def rewrite(plan: CheckedPlan, facts: MemoryFacts | None = None) -> tuple[CheckedPlan, tuple[Repair, ...]]:
    """Apply every rewrite until none fits; returns the plan and what was changed, each with before and after."""
    statements: Statements = plan.statements
    changes: list[Repair] = []
    found = _first_change(statements)
    while found is not None:
        statements, change = found
        changes.append(change)
        found = _first_change(statements)
    if not changes:
        return plan, ()
    text = program_text(Program(plan.program.name, plan.program.parameter, tuple(statements)))
    report = check(text, facts=facts)
    return (report.plan, tuple(changes)) if report.plan is not None else (plan, ())


def _first_change(statements: Statements) -> Change | None:
    for rule in REWRITES:
        change = rule(statements)
        if change is not None:
            return change
    return None


def merge_turns(statements: Statements) -> Change | None:
    """Two turns about the vertical in a row are one by their sum; a whole turn is none. Nothing may use them."""
    for i, (a, b) in enumerate(pairwise(statements)):
        first, second = _bare(a, "turn_camera"), _bare(b, "turn_camera")
        if first is None or second is None or first.argument("memory") != second.argument("memory"):
            continue
        yaw_a, yaw_b = _yaw(first), _yaw(second)
        if yaw_a is None or yaw_b is None:
            continue
        return _replace(statements, i, 2, _turn(first, (yaw_a + yaw_b) % 360.0), "merge turns")
    return None


def cancel_steps(statements: Statements) -> Change | None:
    """A step and the same step back in a row are none. Nothing may use them."""
    for i, (a, b) in enumerate(pairwise(statements)):
        first, second = _bare(a, "step_camera"), _bare(b, "step_camera")
        if first is None or second is None or first.argument("memory") != second.argument("memory"):
            continue
        opposite = _OPPOSITE.get(str(_literal(first, "direction"))) == _literal(second, "direction")
        if opposite and first.argument("distance") == second.argument("distance"):
            return _replace(statements, i, 2, [], "cancel steps")
    return None


def share_queries(statements: Statements) -> Change | None:
    """A query repeated under the same viewpoint, with all names unchanged since, gives the same: use its name."""
    known: dict[Call, str] = {}
    bound: set[str] = set()
    for i, statement in enumerate(statements):
        value = statement.value
        if _moves(value):
            known.clear()
        if not isinstance(statement, Assign):
            continue
        if statement.target in bound:  # only a name that is bound anew can make a known query mean something else
            known = {c: n for c, n in known.items() if n != statement.target and statement.target not in _names(c)}
        bound.add(statement.target)
        if not isinstance(value, Call) or value.operation not in _QUERIES or statement.target in _names(value):
            continue
        if value in known:
            shared = Assign(statement.target, Name(known[value]), statement.span, statement.target_span)
            return _replace(statements, i, 1, [shared], "share queries")
        known[value] = statement.target
    return None


REWRITES: tuple[Callable[[Statements], Change | None], ...] = (merge_turns, cancel_steps, share_queries)
"""All rewrites, in the order they are tried. Each docstring states its precondition."""


def _replace(statements: Statements, at: int, count: int, new: Sequence[Statement], name: str) -> Change:
    old = statements[at : at + count]
    before, after = "\n".join(map(statement_text, old)), "\n".join(map(statement_text, new))
    kept = [*statements[:at], *new, *statements[at + count :]]
    return kept, Repair(name, name, before, after)


def _bare(statement: Statement, operation: str) -> Call | None:
    """The call of a statement that is nothing but that operation, its result unused."""
    if isinstance(statement, ExprStatement) and isinstance(statement.value, Call):
        return statement.value if statement.value.operation == operation else None
    return None


def _literal(call: Call, name: str) -> object:
    node = call.argument(name)
    return node.value if isinstance(node, Literal) else None


def _yaw(turn: Call) -> float | None:
    """Degrees to the right; None for tilts and for what is not written out."""
    direction, degrees = _literal(turn, "direction"), _literal(turn, "degrees")
    if direction == "back":
        return 180.0
    if direction not in ("left", "right") or (turn.argument("degrees") is not None and degrees is None):
        return None
    amount = float(degrees) if isinstance(degrees, int | float) else 90.0
    return amount if direction == "right" else -amount


def _turn(like: Call, yaw: float) -> list[Statement]:
    """The turn by ``yaw`` degrees (0 to 360, right) on the same memory; nothing for a whole turn."""
    if yaw == 0.0:
        return []
    memory = Argument("memory", like.argument("memory") or Name("memory"))
    if yaw == 180.0:
        arguments = [memory, Argument("direction", Literal("back"))]
    else:
        amount = yaw if yaw < 180.0 else 360.0 - yaw
        degrees = int(amount) if amount.is_integer() else amount
        direction = "right" if yaw < 180.0 else "left"
        arguments = [memory, Argument("direction", Literal(direction)), Argument("degrees", Literal(degrees))]
    return [ExprStatement(Call("turn_camera", tuple(arguments), like.span, like.name_span), like.span)]


def _moves(node: Expr) -> bool:
    if isinstance(node, Call) and OPERATIONS[node.operation].category is Category.TRANSFORM:
        return True
    return any(map(_moves, children(node)))


def _names(node: Expr) -> set[str]:
    """Names an expression reads."""
    if isinstance(node, Name):
        return {node.id}
    return set().union(*map(_names, children(node)))
