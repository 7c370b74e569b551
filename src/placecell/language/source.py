"""A program's text with positions: slices, line indentation, and applying edits. Knows nothing of the language."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cached_property

from placecell.language.diagnostics import Edit
from placecell.language.plan import Span


class Source:
    """Text addressed by lines and columns that count from 1."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def lines(self) -> list[str]:
        return self.text.split("\n")

    @cached_property
    def _starts(self) -> list[int]:
        starts, at = [], 0
        for line in self.lines:
            starts.append(at)
            at += len(line) + 1
        return starts

    def offset(self, line: int, column: int) -> int:
        """Index into the text; positions behind the end mean the end."""
        if line > len(self.lines):
            return len(self.text)
        return min(self._starts[line - 1] + column - 1, len(self.text))

    def slice(self, span: Span) -> str:
        return self.text[self.offset(span.line, span.column) : self.offset(span.end_line, span.end_column)]

    def indentation(self, line: int) -> str:
        """The white space a line begins with."""
        text = self.lines[line - 1]
        return text[: len(text) - len(text.lstrip())]

    def insert_line(self, line: int, statement: str) -> Edit:
        """Put ``statement`` on a line of its own before ``line``, indented like it."""
        return Edit(Span(line, 1, line, 1), f"{self.indentation(line)}{statement}\n")

    def delete_lines(self, span: Span) -> Edit:
        """Remove the whole lines a span touches."""
        if span.end_line >= len(self.lines) and span.line > 1:
            before = len(self.lines[span.line - 2]) + 1
            return Edit(Span(span.line - 1, before, span.end_line, len(self.lines[-1]) + 1), "")
        return Edit(Span(span.line, 1, span.end_line + 1, 1), "")

    def apply(self, edits: Iterable[Edit]) -> str:
        """The text after ``edits``; of overlapping ones the first in the text wins, equal ones count once."""
        pieces, at = [], 0
        located = {
            (self.offset(e.span.line, e.span.column), self.offset(e.span.end_line, e.span.end_column), e.text)
            for e in edits
        }
        for start, end, text in sorted(located):
            if start < at:
                continue
            pieces += [self.text[at:start], text]
            at = end
        return "".join([*pieces, self.text[at:]])

    def uses(self, name: str) -> list[Span]:
        """Where ``name`` stands as a word of its own."""
        found = []
        for number, line in enumerate(self.lines, 1):
            for match in re.finditer(rf"(?<![\w.]){re.escape(name)}(?!\w)", line):
                found.append(Span(number, match.start() + 1, number, match.end() + 1))
        return found
