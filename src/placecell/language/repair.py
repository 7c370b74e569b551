"""Applies the fixes that diagnostics carry, round by round, as long as the program gets no worse.

A repair is named by its ``Fix``; its precondition is that the rule which offers it was triggered. What a repair does
is decided where the rule is; here they are only chosen, applied together without overlapping, and reported.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from placecell.language.diagnostics import Diagnostic, Fix, Severity
from placecell.language.rules.syntax import INCOMPLETE
from placecell.language.source import Source

MAX_ROUNDS = 12


@dataclass(frozen=True)
class Repair:
    """One named change that was made to a program, with the lines before and after it."""

    name: str
    description: str
    before: str
    after: str


@dataclass(frozen=True, kw_only=True)
class Report:
    """What checking gave: the text that the spans refer to, and the changes that were made to it."""

    text: str
    diagnostics: tuple[Diagnostic, ...]
    repairs: tuple[Repair, ...] = ()

    @property
    def errors(self) -> tuple[Diagnostic, ...]:
        return tuple(d for d in self.diagnostics if d.severity is Severity.ERROR)


_R = TypeVar("_R", bound=Report)


def repaired(report: _R, again: Callable[[str], _R]) -> _R:
    """Apply fixes round by round as long as they help; ``again`` checks a mended text."""
    for _ in range(MAX_ROUNDS):
        better = _round(report, again)
        if better is None:
            break
        report = better
    return report


def _round(report: _R, again: Callable[[str], _R]) -> _R | None:
    """One round of repairs: all at once, else the first that helps alone. None when nothing helps."""
    fixes = fixes_of(report.diagnostics)
    if any(d.code == INCOMPLETE.code for d in report.diagnostics):
        return None
    for attempt in (fixes, *([f] for f in fixes if len(fixes) > 1)):
        text, repairs = apply_together(report.text, attempt)
        if not repairs or text == report.text:
            continue
        new = again(text)
        if _helps(report, new):
            return replace(new, repairs=report.repairs + repairs)
    return None


def _helps(old: Report, new: Report) -> bool:
    """Fewer errors; or as many but others, which the old ones hid; or no more errors and fewer things to mend."""
    if len(new.errors) != len(old.errors):
        return len(new.errors) < len(old.errors)
    faults = [{(d.code, d.message) for d in report.errors} for report in (old, new)]
    return bool(faults[0] - faults[1]) or len(fixes_of(new.diagnostics)) < len(fixes_of(old.diagnostics))


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
