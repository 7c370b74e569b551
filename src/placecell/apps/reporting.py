"""``placecell report``: tables and figures out of the logs of runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from placecell.apps.output import Output


def report(
    out: Output,
    logs: Annotated[
        list[Path], typer.Argument(help="Folders that `eval -o` wrote, or files of `score scannet --json`.")
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder for report.md, tables and figures.")],
) -> int:
    """Write tables and figures of runs, those of both papers among them, from their logs alone."""
    from placecell.evaluation.report.logs import read_logs
    from placecell.evaluation.report.table import text
    from placecell.evaluation.report.writing import report_of, write

    found = report_of(read_logs(logs))
    written = write(found, output)
    for table in (*found.tables, *found.paper):
        if table.name.startswith("scores-") or table.name == "comparisons":
            out.text(table.title)
            out.table(list(table.columns), [[text(cell) for cell in row] for row in table.rows])
    for file in written.files:
        out.record({"file": str(file)})
    for one in found.missing:
        out.record({"missing": one.name, "why": one.why})
        out.notice(f"not filled: {one.title}: {one.why}", level=2)
    if written.undrawn:
        out.notice(f"no pictures, data only: {written.undrawn}")
    out.text(f"{written.files[0]}: {len(written.files)} files, {len(found.missing)} tables or figures not filled")
    return 0
