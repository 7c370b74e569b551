"""Applies the fixes that diagnostics carry, round by round, as long as the program gets no worse.

A repair is named by its ``Fix``; its precondition is that the rule which offers it was triggered. What a repair does
is decided where the rule is; here they are only chosen, applied together without overlapping, and reported.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from placecell.language.diagnostics import Diagnostic, Fix, Severity
from placecell.language.source import Source

MAX_ROUNDS = 12


@dataclass(frozen=True)
class Repair:
    """One named change that was made to a program, with the lines before and after it."""

    name: str
    description: str
    before: str
    after: str


def fixes_of(diagnostics: Iterable[Diagnostic]) -> list[Fix]:
    """Fixes of errors and notes in order, each once; a warning is the author's decision."""
    return list(dict.fromkeys(d.fix for d in diagnostics if d.fix and d.severity is not Severity.WARNING))


def apply_together(text: str, fixes: Sequence[Fix]) -> tuple[str, tuple[Repair, ...]]:
    """Apply every fix that does not overlap one before it, as a whole or not at all."""
    source = Source(text)
    taken: list[tuple[int, int]] = []
    chosen = []
    for fix in fixes:
        ranges = [(source.offset(*e.span[:2]), source.offset(*e.span[2:])) for e in fix.edits]
        if not ranges or any(_overlap(a, b) for a in ranges for b in taken):
            continue
        taken += ranges
        chosen.append(fix)
    repairs = tuple(_describe(source, fix) for fix in chosen)
    return source.apply(e for fix in chosen for e in fix.edits), repairs


def _overlap(a: tuple[int, int], b: tuple[int, int]) -> bool:
    """Two replaced ranges clash; insertions clash only inside a replaced range."""
    return a[0] < b[1] and b[0] < a[1] if a != b else a[0] != a[1]


def _describe(source: Source, fix: Fix) -> Repair:
    """The lines a fix touches, before and after it alone."""
    first = min(e.span.line for e in fix.edits)
    last = max(e.span.end_line for e in fix.edits)
    after = source.apply(fix.edits).split("\n")
    grown = len(after) - len(source.lines)
    before = "\n".join(source.lines[first - 1 : last])
    return Repair(fix.repair, fix.description, before, "\n".join(after[first - 1 : last + grown]))
