"""A file of cells: several cells in one text, with a line of dashes between them.

Knows the layout of the file. Does not know what a cell means.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from placecell.language.diagnostics import Diagnostic

SUFFIX = ".cells"
LOG = "session.jsonl"
_BETWEEN = re.compile(r"-{3,}\s*")


@dataclass(frozen=True)
class CellText:
    """One cell of a file; its first line is line ``first_line`` of the file."""

    text: str
    first_line: int

    def in_file(self, diagnostics: Iterable[Diagnostic]) -> Iterator[Diagnostic]:
        """The diagnostics of the cell with the lines of the file."""
        for d in diagnostics:
            more = self.first_line - 1
            yield replace(d, span=d.span._replace(line=d.span.line + more, end_line=d.span.end_line + more))


def cells_of(text: str) -> tuple[CellText, ...]:
    """The cells of a text; pieces that hold nothing but comments and empty lines are no cells."""
    found: list[CellText] = []
    lines: list[str] = []
    for number, line in enumerate([*text.split("\n"), "---"], 1):
        if not _BETWEEN.fullmatch(line):
            lines.append(line)
            continue
        if any(said.strip() and not said.strip().startswith("#") for said in lines):
            found.append(CellText("\n".join(lines), number - len(lines)))
        lines = []
    return tuple(found)
