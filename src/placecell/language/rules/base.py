"""What a rule is. The rules themselves are in the modules beside this one, one for each of the six categories."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from placecell.language.diagnostics import Diagnostic, Fix, Severity

if TYPE_CHECKING:
    from placecell.language.decomposition import Decomposition
    from placecell.language.plan import MemoryFacts, Span


class RuleCategory(StrEnum):
    """The paper's six categories; the first letter of a code names one."""

    SYNTAX = "syntax"
    TOOL = "tool usage"
    DEPENDENCY = "dependency consistency"
    VIEWPOINT = "viewpoint state"
    EXECUTION = "execution discipline"
    PLAN = "plan consistency"


_BY_LETTER = dict(zip("STDVEP", RuleCategory, strict=True))


@dataclass(frozen=True)
class Rule:
    """One rule of the language.

    ``code`` never changes its meaning. ``what`` is the fault in one line, ``why`` the reason for the rule, ``allowed``
    what to write instead, ``repair`` what ``fix`` does about it ("" = nothing). ``bad`` triggers exactly this rule,
    ``good`` is accepted, both under ``facts`` and ``decomposition`` where those matter.
    """

    code: str
    what: str
    why: str
    allowed: str
    bad: str
    good: str
    repair: str = ""
    severity: Severity = Severity.ERROR
    facts: MemoryFacts | None = None
    decomposition: Decomposition | None = None

    @property
    def category(self) -> StrEnum:
        return _BY_LETTER[self.code[0]]

    def at(self, span: Span, message: str, hint: str = "", fix: Fix | None = None) -> Diagnostic:
        """A diagnostic of this rule; ``hint`` defaults to what is allowed."""
        return Diagnostic(self.code, str(self.category), self.severity, span, message, hint or self.allowed, fix)


def program(*body: str, argument: str = "images") -> str:
    """The text of an example: a plan with these lines as its body."""
    return "\n".join([f"def plan({argument}):", *(f"    {line}" for line in body)]) + "\n"
