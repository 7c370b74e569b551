"""A report as a folder: ``report.md``, and each table and chart as files of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from placecell.errors import BackendUnavailable, UserError
from placecell.evaluation.report import reasmory, think3d
from placecell.evaluation.report.charts import Chart, as_table, charts
from placecell.evaluation.report.logs import Logs
from placecell.evaluation.report.overview import overview
from placecell.evaluation.report.plots import draw
from placecell.evaluation.report.table import Missing, Table, as_csv, latex, markdown


@dataclass(frozen=True)
class Report:
    """Everything that was found in the logs. ``missing``: what they cannot fill, with the reason."""

    tables: tuple[Table, ...]
    paper: tuple[Table, ...]
    charts: tuple[Chart, ...]
    missing: tuple[Missing, ...]


@dataclass(frozen=True)
class Written:
    """The files of a report; ``undrawn`` says why there are no pictures, if there are none."""

    files: tuple[Path, ...]
    undrawn: str | None


def report_of(logs: Logs) -> Report:
    """The tables and charts of the logs."""
    found = [*reasmory.tables(logs), *think3d.tables(logs)]
    drawn = list(charts(logs.runs)) if logs.runs else []
    return Report(
        tables=tuple(overview(logs.runs)) if logs.runs else (),
        paper=tuple(one for one in found if isinstance(one, Table)),
        charts=tuple(one for one in drawn if not isinstance(one, Missing)),
        missing=tuple(one for one in (*found, *drawn) if isinstance(one, Missing)),
    )


def write(report: Report, folder: Path) -> Written:
    """Write ``report.md``, ``tables/*.csv``, ``tables/*.tex`` and ``figures/*`` (csv, png, svg) below the folder.

    Without matplotlib the figures are written as CSV only. UserError when the folder cannot be written.
    """
    undrawn = None
    try:
        for name in ("tables", "figures"):
            (folder / name).mkdir(parents=True, exist_ok=True)
        files = [file for table in (*report.tables, *report.paper) for file in _write_table(table, folder / "tables")]
        for chart in report.charts:
            stem = folder / "figures" / chart.name
            files.append(_put(stem.with_name(f"{stem.name}.csv"), as_csv(as_table(chart))))
            try:
                files += draw(chart, stem)
            except BackendUnavailable as error:
                undrawn = str(error)
        files.insert(0, _put(folder / "report.md", page(report, drawn=undrawn is None)))
    except OSError as error:
        raise UserError(f"{folder}: {error.strerror or error}", hint="choose another folder with -o") from None
    return Written(tuple(files), undrawn)


def page(report: Report, *, drawn: bool = True) -> str:
    """The whole report in Markdown."""
    ending = "png" if drawn else "csv"
    pictures = [f"{'!' if drawn else ''}[{chart.title}](figures/{chart.name}.{ending})\n" for chart in report.charts]
    missing = [f"- {one.title}: {one.why}.\n" for one in report.missing]
    parts: list[tuple[str, Sequence[str]]] = [
        ("Runs", [markdown(table) for table in report.tables]),
        ("Tables of the papers", [markdown(table) for table in report.paper]),
        ("Figures", pictures),
        ("Not in these logs", ["".join(missing)] if missing else []),
    ]
    return "# Report\n\n" + "\n".join(f"## {title}\n\n" + "\n".join(texts) for title, texts in parts if texts)


def _write_table(table: Table, folder: Path) -> list[Path]:
    stem = folder / table.name
    return [
        _put(stem.with_name(f"{stem.name}.csv"), as_csv(table)),
        _put(stem.with_name(f"{stem.name}.tex"), latex(table)),
    ]


def _put(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path
