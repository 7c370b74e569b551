"""A table of a report and its three forms: Markdown, CSV, LaTeX. Knows no benchmark.

Scores are percent with one decimal and their interval behind them; CSV has them as numbers from 0 to 1 in columns of
their own.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from placecell.evaluation.report.figures import Share

Cell = str | int | float | Share | None
"""None: there is no such figure."""
_NOTHING = "–"
_LATEX = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"} | {
    sign: rf"\{sign}" for sign in "&%$#_{}"
}


@dataclass(frozen=True)
class Table:
    """``name`` is its file's. ``best``: the highest score of a column is bold. ``notes`` stand below."""

    name: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = field(default=())
    best: bool = False

    def __post_init__(self) -> None:
        if any(len(row) != len(self.columns) for row in self.rows):
            raise ValueError(f"table {self.name}: a row has another length than {len(self.columns)}")


@dataclass(frozen=True)
class Missing:
    """A table or figure that these logs cannot fill, and why."""

    name: str
    title: str
    why: str


def markdown(table: Table) -> str:
    """The table with its title and notes."""
    head = [_row(table.columns), _row("---" if place == 0 else "--:" for place in range(len(table.columns)))]
    rows = [_row(cells) for cells in _shown(table, lambda text: f"**{text}**", _plain)]
    return "\n".join([f"### {table.title}", "", *head, *rows, *(f"\n{note}" for note in table.notes), ""])


def latex(table: Table) -> str:
    """A ``table`` environment for booktabs, with caption and label."""
    rows = [" & ".join(cells) + r" \\" for cells in _shown(table, lambda text: rf"\textbf{{{text}}}", _escaped)]
    lines = [
        r"\begin{table}[t]",
        r"\centering",
        rf"\caption{{{_escaped(' '.join([table.title + '.', *table.notes]))}}}",
        rf"\label{{tab:{table.name}}}",
        rf"\begin{{tabular}}{{l{'r' * (len(table.columns) - 1)}}}",
        r"\toprule",
        " & ".join(map(_escaped, table.columns)) + r" \\",
        r"\midrule",
        *rows,
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def as_csv(table: Table) -> str:
    """Numbers unrounded; a score takes four columns: value, low, high, n."""
    wide = [any(isinstance(row[place], Share) for row in table.rows) for place in range(len(table.columns))]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(
        name
        for column, scored in zip(table.columns, wide, strict=True)
        for name in ([column, f"{column} low", f"{column} high", f"{column} n"] if scored else [column])
    )
    for row in table.rows:
        writer.writerow(value for cell, scored in zip(row, wide, strict=True) for value in _values(cell, scored))
    return out.getvalue()


def _values(cell: Cell, scored: bool) -> list[str | int | float]:
    if isinstance(cell, Share):
        found = cell.interval
        return [cell.value, *((found.low, found.high) if found else ("", "")), cell.n]
    value = "" if cell is None else cell
    return [value, "", "", ""] if scored else [value]


def _shown(table: Table, bold: Callable[[str], str], escape: Callable[[str], str]) -> list[list[str]]:
    best = _best(table) if table.best else {}
    return [
        [
            bold(escape(text(cell)))
            if isinstance(cell, Share) and cell.value == best.get(place)
            else escape(text(cell))
            for place, cell in enumerate(row)
        ]
        for row in table.rows
    ]


def _best(table: Table) -> dict[int, float]:
    """The highest score of each column that has several."""
    columns = enumerate(zip(*table.rows, strict=True))
    scores = {place: [cell.value for cell in column if isinstance(cell, Share)] for place, column in columns}
    return {place: max(values) for place, values in scores.items() if len(values) > 1}


def text(cell: Cell) -> str:
    """A cell as it is read: percent for scores."""
    if cell is None:
        return _NOTHING
    if isinstance(cell, Share):
        limits = f" [{cell.interval.low * 100:.1f}, {cell.interval.high * 100:.1f}]" if cell.interval else ""
        return f"{cell.value * 100:.1f}{limits}{' ' + cell.beside if cell.beside else ''}"
    if isinstance(cell, float):
        return f"{cell:,.0f}" if abs(cell) >= 1000 else f"{cell:.3g}"
    return str(cell)


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _plain(said: str) -> str:
    return said.replace("|", "\\|").replace("\n", " ")


def _escaped(said: str) -> str:
    return re.sub(r"[\\~^&%$#_{}]", lambda found: _LATEX[found.group()], said).replace(_NOTHING, "--")
