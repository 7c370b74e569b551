"""The public entry for cells: text and scope in, a checked cell or diagnostics out. Nothing raises, whatever the text.

A text that is one function ``plan`` is a one-shot program and is checked by the paper's rules instead, unchanged.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from placecell.language.cell_ops import CELL_OPERATIONS
from placecell.language.cells.checker import MEMORY, CellChecker
from placecell.language.cells.parser import parse_cell
from placecell.language.cells.scope import (
    BUDGET,
    NO_SCOPE,
    CellCost,
    CellScope,
    CheckedCell,
    KnownName,
)
from placecell.language.check import CheckReport, check, fix
from placecell.language.diagnostics import Diagnostic, Severity
from placecell.language.environment import Binding, Environment
from placecell.language.plan import NOWHERE, Define, Statement
from placecell.language.repair import Report, repaired
from placecell.language.rules import cells as rule
from placecell.language.rules.syntax import FUNCTION_NAMES, MAX_CHARACTERS
from placecell.language.text import statement_text
from placecell.language.types import CELL_FIELDS, Kind, StaticType

__all__ = [
    "BUDGET", "CellCost", "CellReport", "CellScope", "CheckedCell", "KnownName", "check_cell", "fix_cell",
]  # fmt: skip

_PLAN = re.compile(rf"^[ \t]*def[ \t]+(?:{'|'.join(FUNCTION_NAMES)})[ \t]*\(", re.MULTILINE)


@dataclass(frozen=True, kw_only=True)
class CellReport(Report):
    """Outcome of a check; ``cell`` is None unless there is no error. ``repairs`` are what ``fix_cell`` did."""

    cell: CheckedCell | None

    @property
    def ok(self) -> bool:
        return self.cell is not None


def check_cell(text: str, scope: CellScope = NO_SCOPE, *, truncated: bool = False) -> CellReport:
    """Check one cell.

    Args:
        text: the cell; a single ``def plan(images): ...`` is checked as a one-shot program.
        scope: the session's names and facts, what is left of its budget, the question's options.
        truncated: the text was cut off by a length limit, so even one that parses is incomplete.
    """
    if len(text) <= 2 * MAX_CHARACTERS:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if _PLAN.search(text):
        return _of_program(check(text, facts=scope.facts, truncated=truncated), scope)
    parsed = parse_cell(text, truncated=truncated)
    found = list(parsed.diagnostics)
    cell = None
    if parsed.program is not None:
        env = Environment(
            parsed.source, scope.facts, parameter="", operations=CELL_OPERATIONS, fields=CELL_FIELDS,
            bindings=_bindings(scope), view=scope.view, guesses=False,
        )  # fmt: skip
        checker = CellChecker(env, scope)
        statements = checker.check_cell(parsed.program.statements)
        found += env.diagnostics
        if not _failed(found):
            found += _untold(checker)
        if not _failed(found):
            cell = _checked(checker, statements)
    unique = {(d.code, d.span): d for d in reversed(found)}
    ordered = tuple(sorted(unique.values(), key=lambda d: (d.span, d.code)))
    return CellReport(text=text, diagnostics=ordered, cell=cell)


def _failed(diagnostics: Iterable[Diagnostic]) -> bool:
    return any(d.severity is Severity.ERROR for d in diagnostics)


def _bindings(scope: CellScope) -> dict[str, Binding]:
    """The session's names; they were bound before the first statement."""
    known = {name: Binding(known.type, NOWHERE, -1, used=True) for name, known in scope.names.items()}
    return {MEMORY: Binding(StaticType(Kind.MEMORY), NOWHERE, -1, used=True), **known}


def _untold(checker: CellChecker) -> Iterator[Diagnostic]:
    """Names of which no rule told what they are: nothing is accepted without a type."""
    for name, type_ in checker.bound.items():
        while type_.element is not None:
            type_ = type_.element
        if Kind.UNKNOWN in (type_.kind, *(item.kind for item in type_.items)):
            span = checker.env.bindings[name].span
            yield rule.NO_VALUE.at(span, f"it cannot be told what {name} is")


def _checked(checker: CellChecker, statements: tuple[Statement, ...]) -> CheckedCell:
    return CheckedCell(
        statements,
        "".join(f"{statement_text(statement)}\n" for statement in statements),
        MappingProxyType(dict(checker.bound)),
        MappingProxyType({name: _on_its_own(defined) for name, defined in checker.defined.items()}),
        checker.cost,
        tuple(checker.effects),
        checker.answers,
        checker.env.view,
        checker.version,
    )


def _on_its_own(defined: Define) -> Define:
    """A helper whose spans are those of its own text, for the cells after this one."""
    program = parse_cell(statement_text(defined)).program
    again = program.statements[0] if program is not None and program.statements else defined
    return again if isinstance(again, Define) else defined


def _of_program(report: CheckReport, scope: CellScope) -> CellReport:
    """A one-shot program as a cell: it has its own names and viewpoint, and keeps none."""
    plan = report.plan
    cell = None
    if plan is not None:
        cost = CellCost(plan.cost.operations, plan.cost.renders, evaluations=plan.cost.operations)
        nothing: Mapping[str, Any] = MappingProxyType({})
        cell = CheckedCell((), plan.text, nothing, nothing, cost, view=scope.view, version=scope.version, program=plan)
    return CellReport(text=report.text, diagnostics=report.diagnostics, repairs=report.repairs, cell=cell)


def fix_cell(text: str, scope: CellScope = NO_SCOPE, *, truncated: bool = False) -> CellReport:
    """Check, apply every repair that is the only one, and check again; ``report.text`` is the repaired cell."""
    if _PLAN.search(text):
        return _of_program(fix(text, facts=scope.facts, truncated=truncated), scope)
    return repaired(check_cell(text, scope, truncated=truncated), lambda better: check_cell(better, scope))
