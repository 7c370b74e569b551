"""The public entry: text in, a checked plan or diagnostics out.

``check`` reports, ``fix`` repairs and checks again. Neither ever raises for anything a text can contain.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from types import MappingProxyType

from placecell.language.checker import Checker
from placecell.language.decomposition import Decomposition
from placecell.language.diagnostics import Diagnostic, Severity
from placecell.language.environment import Environment
from placecell.language.extract import extract as find_program
from placecell.language.plan import NO_FACTS, CheckedPlan, MemoryFacts, PlanCost, Program
from placecell.language.repair import Repair, Report, repaired
from placecell.language.rules.execution import stages
from placecell.language.rules.syntax import MAX_CHARACTERS
from placecell.language.rules.tool import RENAMED
from placecell.language.signature import Category
from placecell.language.syntax import parse
from placecell.language.text import program_text
from placecell.language.tokens import shorten


@dataclass(frozen=True, kw_only=True)
class CheckReport(Report):
    """Outcome of a check. ``text`` is the program the spans refer to; ``plan`` is None unless there is no error.

    ``repairs`` are the changes made on the way: cutting the program out of a model's reply, and what ``fix`` did.
    ``first_line`` is the line of the reply that the program was found at (0: it was unpacked from a string).
    """

    plan: CheckedPlan | None
    first_line: int = 1

    @property
    def ok(self) -> bool:
        return self.plan is not None


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
    before, steps, first_line = text, [], 1
    if extract:
        found = find_program(text)
        text, steps, first_line = found.text, list(found.steps), found.first_line
        truncated = truncated or found.cut_off
    elif len(text) <= 2 * MAX_CHARACTERS:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    repairs = tuple(Repair("extract", step, shorten(before, 200), shorten(text, 200)) for step in steps)
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
    diagnostics = sorted(_outermost(diagnostics), key=lambda d: (d.span, d.code))
    return CheckReport(text=text, plan=plan, diagnostics=tuple(diagnostics), repairs=repairs, first_line=first_line)


def _outermost(diagnostics: list[Diagnostic]) -> list[Diagnostic]:
    """Of notes on other code bases' forms inside one another only the outermost; fixing it shows the next."""
    notes = [d for d in diagnostics if d.code == RENAMED.code]
    outer: list[Diagnostic] = []
    for note in sorted(notes, key=lambda d: (d.span[:2], -d.span.end_line, -d.span.end_column)):
        if not outer or note.span[:2] >= outer[-1].span[2:]:
            outer.append(note)
    return [d for d in diagnostics if d.code != RENAMED.code] + outer


def _checked(env: Environment, program: Program, checker: Checker) -> CheckedPlan:
    """The accepted program with what the interpreter and the traces need to know."""
    calls = Counter(e.name for e in env.events)
    renders = sum(e.operation.category is Category.RENDER for e in env.events)
    types = MappingProxyType({name: b.type for name, b in env.bindings.items()})
    cost = PlanCost(MappingProxyType(dict(calls)), renders, len(env.events))
    photos = {i: e.view.pose.photo for i, e in enumerate(env.events) if e.name == "render_egocentric" and e.view.pose}
    exact = MappingProxyType({i: number for i, number in photos.items() if number is not None})
    return CheckedPlan(program, program_text(program), types, checker.results, stages(env, program), cost, exact)


def fix(
    text: str,
    *,
    facts: MemoryFacts | None = None,
    decomposition: Decomposition | None = None,
    extract: bool = False,
    truncated: bool = False,
) -> CheckReport:
    """Check, apply every repair whose precondition holds, and check again; ``report.text`` is the repaired program."""
    report = check(text, facts=facts, decomposition=decomposition, extract=extract, truncated=truncated)
    return repaired(
        report,
        lambda text: replace(check(text, facts=facts, decomposition=decomposition), first_line=report.first_line),
    )
