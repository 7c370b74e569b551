"""The generated pages of docs/: ``python -m placecell.apps.reference docs`` writes them, a test compares them."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from typer.testing import CliRunner

from placecell.apps.cli import COMMANDS, app
from placecell.language.reference import diagnostics_page, operations_page


def pages() -> dict[str, str]:
    """File name -> text of every generated page."""
    return {"cli.md": cli_page(), "diagnostics.md": diagnostics_page(), "operations.md": operations_page()}


def cli_page() -> str:
    """What ``--help`` says, of every command."""
    return "\n".join(_cli_lines()) + "\n"


def _cli_lines() -> Iterator[str]:
    yield "# Command line"
    yield ""
    yield "Generated from the commands themselves. Records go to stdout with `--json`, everything else to stderr."
    yield ""
    yield "| exit code | meaning |"
    yield "|---|---|"
    yield "| 0 | done |"
    yield "| 1 | findings, or a failed check |"
    yield "| 2 | usage, or input that cannot be used |"
    yield "| 3 | an extra, weights or a key is missing |"
    yield "| 4 | a budget is exhausted |"
    yield "| 130 | interrupted |"
    for name in COMMANDS:
        yield ""
        yield f"## placecell {name}"
        yield ""
        yield "```text"
        yield _help(name)
        yield "```"


def _help(name: str) -> str:
    plain = {"COLUMNS": "100", "TERMINAL_WIDTH": "100", "NO_COLOR": "1", "TERM": "dumb"}
    shown = CliRunner().invoke(app, [*name.split(), "--help"], env=plain, prog_name="placecell")
    return "\n".join(line.rstrip() for line in shown.stdout.strip().splitlines())


def main(folder: Path) -> None:
    """Write every page into ``folder``."""
    for name, text in pages().items():
        (folder / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
