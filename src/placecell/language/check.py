"""The public entry: text in, a checked plan or diagnostics out.

``check`` reports, ``fix`` repairs and checks again. Neither ever raises for anything a text can contain.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from types import MappingProxyType

from placecell.language.checker import Checker
from placecell.language.decomposition import Decomposition
from placecell.language.diagnostics import Diagnostic, Severity
from placecell.language.environment import Environment
from placecell.language.plan import NO_FACTS, CheckedPlan, MemoryFacts, PlanCost, Program
from placecell.language.rules.execution import stages
from placecell.language.signature import Category
from placecell.language.syntax import parse
from placecell.language.text import program_text


@dataclass(frozen=True)
class Repair:
    """One named change that was made to a program, with the text before and after it."""

    name: str
    description: str
    before: str
    after: str


@dataclass(frozen=True)
class CheckReport:
    """Outcome of a check. ``text`` is the program the spans refer to; ``plan`` is None unless there is no error.

    ``repairs`` are the changes made on the way: cutting the program out of a model's reply, and what ``fix`` did.
    """

    text: str
    plan: CheckedPlan | None
    diagnostics: tuple[Diagnostic, ...]
    repairs: tuple[Repair, ...] = ()

    @property
    def ok(self) -> bool:
        return self.plan is not None

    @property
    def errors(self) -> tuple[Diagnostic, ...]:
        return tuple(d for d in self.diagnostics if d.severity is Severity.ERROR)


def check(
    text: str,
    *,
    facts: MemoryFacts | None = None,
    decomposition: Decomposition | None = None,
    extract: bool = False,
    truncated: bool = False,
) -> CheckReport:
    """Check one program.

    Args:
        text: the program; with ``extract``, a model's reply that contains one.
        facts: what is known about the memory it is meant for (image count, objects, scale).
        decomposition: the question it must answer; enables the plan consistency rules.
        extract: cut the program out of prose, fences and reasoning first.
        truncated: the reply was cut off by a length limit, so even a text that parses is incomplete.
    """
    parsed = parse(text, truncated=truncated)
    diagnostics = list(parsed.diagnostics)
    plan = None
    if parsed.program is not None:
        env = Environment(parsed.source, facts or NO_FACTS, decomposition=decomposition, blurred=parsed.lossy)
        checker = Checker(env)
        program = checker.check_program(parsed.program)
        diagnostics += env.diagnostics
        if not any(d.severity is Severity.ERROR for d in diagnostics):
            plan = _checked(env, program, checker)
    diagnostics.sort(key=lambda d: (d.span, d.code))
    return CheckReport(text, plan, tuple(diagnostics))


def _checked(env: Environment, program: Program, checker: Checker) -> CheckedPlan:
    """The accepted program with what the interpreter and the traces need to know."""
    calls = Counter(e.name for e in env.events)
    renders = sum(e.operation.category is Category.RENDER for e in env.events)
    types = MappingProxyType({name: b.type for name, b in env.bindings.items()})
    cost = PlanCost(MappingProxyType(dict(calls)), renders, len(env.events))
    return CheckedPlan(program, program_text(program), types, checker.results, stages(env, program), cost)


def fix(
    text: str,
    *,
    facts: MemoryFacts | None = None,
    decomposition: Decomposition | None = None,
    extract: bool = False,
    truncated: bool = False,
) -> CheckReport:
    """Check, apply every repair whose precondition holds, and check again; ``report.text`` is the repaired program."""
    raise NotImplementedError
