"""``placecell check`` and ``placecell run``: programs in the language, without and with a memory."""

from __future__ import annotations

import json
import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from placecell.apps.memories import open_memory
from placecell.apps.output import FINDINGS, Output
from placecell.errors import UserError

if TYPE_CHECKING:
    from placecell.language.check import CheckReport
    from placecell.language.decomposition import Decomposition

MAX_PROGRAM_BYTES = 20_000_000
"""Longer files are not read at all; the checker's own limit on program text is far lower and gives a diagnostic."""


class Format(StrEnum):
    """How ``check`` prints diagnostics."""

    TEXT = "text"
    JSON = "json"
    SARIF = "sarif"


def check(
    out: Output,
    program: Annotated[str | None, typer.Argument(help="A program file, or - for standard input.")] = None,
    images: Annotated[int | None, typer.Option(min=1, help="The memory it is meant for has this many images.")] = None,
    memory: Annotated[str | None, typer.Option(help="The memory it is meant for.")] = None,
    plan: Annotated[Path | None, typer.Option(help="A decomposition (JSON) the program must follow.")] = None,
    fix: Annotated[bool, typer.Option("--fix", help="Repair what can be repaired and write the file.")] = False,
    format: Annotated[Format, typer.Option(help="Same as --json when json.")] = Format.TEXT,
    explain: Annotated[str | None, typer.Option(metavar="CODE", help="Explain one rule, e.g. V401.")] = None,
) -> int:
    """Check a program: diagnostics, and exit code 1 when there is an error."""
    from placecell.language import check as checker
    from placecell.language.plan import MemoryFacts

    if explain:
        return _explain(out, explain)
    if program is None or (fix and program == "-"):
        raise UserError(f"give a program file{' to repair' if fix else ', or - for standard input'}")
    out.json = out.json or format is Format.JSON
    if memory is not None and images is not None:
        raise UserError("--images is what --memory tells", hint="give one of them")
    text = _read_program(program)
    facts = MemoryFacts(image_count=images)
    if memory is not None:
        from placecell.engine.facts import facts_of

        facts = facts_of(open_memory(memory, out))
    decomposition = _read_decomposition(plan) if plan else None
    run = checker.fix if fix else checker.check
    report = run(text, facts=facts, decomposition=decomposition, extract=True)
    if fix and report.text != text:
        _write_program(program, report.text)
    _print_report(out, report, program, format)
    return 0 if report.ok else FINDINGS


def run(
    out: Output,
    program: Annotated[str, typer.Argument(help="A program or FILE.cells (--- between cells), or - for stdin.")],
    memory: Annotated[str, typer.Argument(help="A .pcell, any source `build` takes, or oracle:FILE#SCENE.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder for pictures, values and manifest.json.")],
    seconds: Annotated[float, typer.Option(min=0.1, help="Stop after this much time.")] = 60.0,
) -> int:
    """Interpret a program, or cells one after the other. Nothing in it is ever executed as Python."""
    from placecell.apps.cell_files import SUFFIX
    from placecell.engine.export import write_results
    from placecell.engine.facts import facts_of
    from placecell.engine.interpreter import Budget
    from placecell.engine.interpreter import run as interpret
    from placecell.language import check as checker

    if program.endswith(SUFFIX):
        return _run_cells(out, program, memory, output, seconds)
    scene = open_memory(memory, out)
    report = checker.check(_read_program(program), facts=facts_of(scene), extract=True)
    if report.plan is None:
        _print_report(out, report, program, Format.TEXT)
        return FINDINGS
    result = interpret(report.plan, scene, budget=Budget(seconds=seconds))
    manifest = write_results(result, output)
    out.record(manifest)
    for value in manifest["values"]:
        out.text(value["text"] + (f"  ({output / value['picture']})" if value.get("picture") else ""))
    return 0


def _run_cells(out: Output, file: str, memory: str, output: Path, seconds: float) -> int:
    """Run the cells of a file up to the first that is not accepted; what they came to goes into a log beside them."""
    from placecell.apps.cell_files import LOG, cells_of
    from placecell.apps.session import show_turn
    from placecell.engine.session import CellSession, SessionLimits
    from placecell.engine.session_log import write_log
    from placecell.language.diagnostics import render_text

    text = _read_program(file)
    cells = cells_of(text)
    if not cells:
        raise UserError(f"{file}: holds no cell", hint="write cells with a line --- between them")
    session = CellSession(open_memory(memory, out), limits=SessionLimits(cells=len(cells), seconds=seconds))
    for cell in cells:
        turn = session.run(cell.text)
        if not turn.accepted:
            for diagnostic in (found := tuple(cell.in_file(turn.faults))):
                out.record(diagnostic.record())
            out.text(render_text(found, text, file))
            break
        show_turn(out, turn, output)
    write_log(session, output / LOG)
    return 0 if session.turns[-1].accepted else FINDINGS


def _read_program(name: str) -> str:
    if name == "-":
        return sys.stdin.read(MAX_PROGRAM_BYTES)
    path = Path(name)
    if not path.is_file():
        raise UserError(f"{name}: no such file", hint="give a program file, or - for standard input")
    if path.stat().st_size > MAX_PROGRAM_BYTES:
        raise UserError(f"{name}: larger than {MAX_PROGRAM_BYTES // 1_000_000} MB", hint="this is not a program")
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise UserError(f"{name}: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise UserError(f"{name}: not UTF-8 text", hint="save the program as UTF-8") from None


def _write_program(name: str, text: str) -> None:
    try:
        Path(name).write_text(text, encoding="utf-8")
    except OSError as error:
        raise UserError(f"{name}: {error.strerror or error}", hint="the repaired program needs a file") from None


def _read_decomposition(path: Path) -> Decomposition:
    from pydantic import ValidationError

    from placecell.language.decomposition import Decomposition

    try:
        return Decomposition.model_validate_json(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}", hint="give a decomposition as JSON") from None
    except (ValidationError, UnicodeDecodeError) as error:
        first = error.errors()[0] if isinstance(error, ValidationError) else None
        what = f"{'.'.join(map(str, first['loc']))}: {first['msg']}" if first else "not UTF-8 text"
        raise UserError(f"{path}: {what}", hint="a decomposition is what `placecell ask --json` gives") from None


def _explain(out: Output, code: str) -> int:
    from placecell.language.reference import explain_rule

    page = explain_rule(code)
    out.record({"code": code.upper(), "text": page})
    out.text(page)
    return 0


def _print_report(out: Output, report: CheckReport, name: str, format: Format) -> None:
    from placecell.language import diagnostics

    if format is Format.SARIF:
        typer.echo(json.dumps(diagnostics.sarif(report.diagnostics, name), indent=2))
        return
    for diagnostic in report.diagnostics:
        record: dict[str, Any] = diagnostic.record()
        out.record(record)
    if not out.json:
        for repair in report.repairs:
            out.text(f"repaired: {repair.description}")
        out.text(
            diagnostics.render_text(report.diagnostics, report.text, name) if report.diagnostics else f"{name}: ok"
        )
