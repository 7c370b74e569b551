"""A diagnostic, and its renderings: text with carets, compact lines for a model, JSON records, SARIF."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from placecell.language.plan import Span


class Severity(StrEnum):
    """An error rejects the program; a warning and a note do not."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace the text of ``span`` by ``text``."""

    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class Fix:
    """How to mend one fault: the name of the repair, what it does in one sentence, and the edits of the text."""

    repair: str
    description: str
    edits: tuple[Edit, ...] = ()


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One fault, reported once. ``category`` is the rule's, such as "viewpoint state"."""

    code: str
    category: str
    severity: Severity
    span: Span
    message: str
    hint: str = ""
    fix: Fix | None = None
