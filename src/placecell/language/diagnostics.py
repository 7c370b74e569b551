"""A diagnostic, and its renderings: text with carets for people, compact lines for a model, JSON records, SARIF."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

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

    def record(self) -> dict[str, Any]:
        edits = [{**e.span._asdict(), "text": e.text} for e in self.edits]
        return {"repair": self.repair, "description": self.description, "edits": edits}


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

    def record(self) -> dict[str, Any]:
        """A flat record for JSON: code, category, severity, position, message, hint, fix."""
        return {
            "code": self.code,
            "category": self.category,
            "severity": str(self.severity),
            **self.span._asdict(),
            "message": self.message,
            "hint": self.hint,
            "fix": self.fix.record() if self.fix else None,
        }


def render_text(diagnostics: Sequence[Diagnostic], text: str, name: str = "program") -> str:
    """For people: each diagnostic with its line and carets under the place, then a count."""
    lines = text.split("\n")
    parts = [_with_carets(d, lines, name) for d in diagnostics]
    counts = [(sum(d.severity is s for d in diagnostics), s) for s in Severity]
    parts.append(", ".join(f"{n} {s}{'s' if n > 1 else ''}" for n, s in counts if n) or "no findings")
    return "\n\n".join(parts)


def _with_carets(d: Diagnostic, lines: Sequence[str], name: str) -> str:
    span = d.span
    rows = [f"{name}:{span.line}:{span.column}: {d.severity}[{d.code}] {d.category}: {d.message}"]
    if 1 <= span.line <= len(lines) and len(lines[span.line - 1]) <= 400:
        line = lines[span.line - 1]
        end = span.end_column if span.end_line == span.line else len(line) + 1
        margin = f"{span.line:5d} | "
        rows.append(margin + line.replace("\t", "    "))
        rows.append(" " * (len(margin) - 2) + "| " + carets(line, span.column, end))
    if d.hint:
        rows.append(f"        hint: {d.hint}")
    if d.fix:
        rows.append(f"        fix:  {d.fix.description} ({d.fix.repair})")
    return "\n".join(rows)


def carets(line: str, column: int, end_column: int) -> str:
    """The row to print below ``line``, tabs as four spaces, that points at columns ``column`` to ``end_column`` - 1."""
    before, marked = line[: column - 1], line[column - 1 : end_column - 1]
    return " " * _width(before) + "^" * max(1, _width(marked))


def _width(text: str) -> int:
    """Columns a terminal needs: tabs become four spaces, wide characters take two, combining ones none."""
    total = 0
    for c in text:
        if c == "\t":
            total += 4
        elif not unicodedata.combining(c):
            total += 2 if unicodedata.east_asian_width(c) in "WF" else 1
    return total


def render_compact(diagnostics: Iterable[Diagnostic]) -> str:
    """For a model: one line a fault, errors and warnings only, with what is allowed and the mend."""
    rows = []
    for d in diagnostics:
        if d.severity is Severity.NOTE:
            continue
        mend = f" Fix: {d.fix.description}." if d.fix else ""
        hint = f" {d.hint}." if d.hint else ""
        rows.append(f"line {d.span.line}, column {d.span.column}, {d.severity} {d.code}: {d.message}.{hint}{mend}")
    return "\n".join(rows)


def sarif(diagnostics: Sequence[Diagnostic], name: str) -> dict[str, Any]:
    """A SARIF 2.1.0 log with one run, for editors and code review tools."""
    levels = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "note"}
    results = [
        {
            "ruleId": d.code,
            "level": levels[d.severity],
            "message": {"text": f"{d.message}. {d.hint}" if d.hint else d.message},
            "locations": [{"physicalLocation": {"artifactLocation": {"uri": name}, "region": _region(d.span)}}],
            **({"fixes": [_sarif_fix(d.fix, name)]} if d.fix else {}),
        }
        for d in diagnostics
    ]
    rules = [
        {"id": code, "properties": {"category": c}} for code, c in sorted({(d.code, d.category) for d in diagnostics})
    ]
    driver = {"name": "placecell check", "informationUri": "https://github.com/placecell", "rules": rules}
    schema = "https://json.schemastore.org/sarif-2.1.0.json"
    return {"$schema": schema, "version": "2.1.0", "runs": [{"tool": {"driver": driver}, "results": results}]}


def _region(span: Span) -> dict[str, int]:
    return {
        "startLine": span.line, "startColumn": span.column, "endLine": span.end_line, "endColumn": span.end_column
    }  # fmt: skip


def _sarif_fix(fix: Fix, name: str) -> dict[str, Any]:
    replacements = [{"deletedRegion": _region(e.span), "insertedContent": {"text": e.text}} for e in fix.edits]
    change = {"artifactLocation": {"uri": name}, "replacements": replacements}
    return {"description": {"text": fix.description}, "artifactChanges": [change]}
