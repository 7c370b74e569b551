"""``placecell session``: cells over a memory, one line after the other, at a terminal or from a pipe."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from placecell.apps.memories import open_memory
from placecell.apps.output import FINDINGS, Output

if TYPE_CHECKING:
    from placecell.apps.repl import Repl
    from placecell.engine.cells.context import Effects
    from placecell.engine.session import CellSession, Turn
    from placecell.memory.scene import SpatialMemory

_MODEL = "Who looks at pictures for judge, facing_of and read_text: PROVIDER:NAME; without one they are absent."
_REPLAY = "Run the cells of a log again instead; exit code 1 when one comes out differently."


def session(
    out: Output,
    memory: Annotated[str, typer.Argument(help="A .pcell, any source `build` takes, or oracle:FILE#SCENE.")],
    cells: Annotated[int, typer.Option(min=1, help="At most this many cells, rejected ones included.")] = 1000,
    option: Annotated[list[str] | None, typer.Option(help="An answer that answer(...) may give (repeat).")] = None,
    model: Annotated[str | None, typer.Option(help=_MODEL)] = None,
    segmenter: Annotated[str | None, typer.Option(help="What find(...) looks with: auto, or a name.")] = None,
    budget: Annotated[str | None, typer.Option(metavar="NAME=MOST,...", help="Limits of the model's use.")] = None,
    offline: Annotated[bool, typer.Option("--offline", help="Refuse every connection beyond this machine.")] = False,
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder for pictures.")] = Path("pictures"),
    log: Annotated[Path | None, typer.Option(help="Write every cell and what it came to as JSONL.")] = None,
    replay: Annotated[Path | None, typer.Option(metavar="LOG", help=_REPLAY)] = None,
) -> int:
    """Measure step by step: each line is a cell, checked before it runs. Nothing in it is ever executed as Python."""
    from placecell.agents.models.budget import Limits
    from placecell.agents.stepping.perception import perception_by
    from placecell.engine.session import CellSession, SessionLimits
    from placecell.engine.session_log import check_place, write_log

    if log is not None:
        check_place(log)
    scene = open_memory(memory, out)
    effects = perception_by(model, segmenter, Limits.parse(budget or ""), offline=offline or None)
    if replay is not None:
        return _replay(out, scene, replay, effects)
    begun = CellSession(scene, limits=SessionLimits(cells=cells), options=tuple(option or ()), effects=effects)
    conversation = _conversation(out, begun, output)
    try:
        _converse(out, conversation)
    finally:
        if log is not None:
            write_log(begun, log)
            out.notice(f"wrote {log}")
    return 0


def _conversation(out: Output, begun: CellSession, pictures: Path) -> Repl:
    from placecell.apps.repl import Repl

    return Repl(begun, out.text, lambda turn: show_turn(out, turn, pictures))


def show_turn(out: Output, turn: Turn, pictures: Path) -> None:
    """What a cell came to: its values, its pictures as files in a folder, or why it was not accepted."""
    from placecell.engine.export import write_pictures
    from placecell.engine.session_log import entry
    from placecell.language.diagnostics import render_text

    out.record(entry(turn))
    for repair in turn.report.repairs if turn.accepted else ():
        out.text(f"repaired: {repair.description}")
    if said := turn.warnings if turn.accepted else turn.faults:
        text = turn.report.text if turn.accepted else turn.text
        out.text(render_text(said, text, f"cell {turn.number}"))
    for line in turn.told():
        out.text(line)
    for path in write_pictures(turn.pictures, pictures):
        out.notice(f"wrote {path}")


def _converse(out: Output, conversation: Repl) -> None:
    """Lines until the input ends or the person leaves; an interrupt drops the cell that is typed or run."""
    terminal = sys.stdin.isatty()
    if terminal:
        from placecell.engine.describe import describe
        from placecell.engine.values import MemoryValue

        out.notice(f"a {describe(MemoryValue(conversation.session.memory))}")
        out.notice("a line is a cell; :help says more, :quit or Ctrl-D leaves")
    with _completion(conversation.session) if terminal else nullcontext():
        while True:
            try:
                line = input(conversation.prompt if terminal else "")
                if not conversation.feed(line):
                    return
            except EOFError:
                conversation.end()
                return
            except KeyboardInterrupt:
                out.go_on()
                out.notice("\ndropped")
                conversation.drop()


@contextmanager
def _completion(session: CellSession) -> Iterator[None]:
    """Tab completes while it lasts, where Python has readline (Windows has not)."""
    try:
        import readline
    except ImportError:
        yield
        return
    from placecell.apps.completing import completions

    def complete(_: str, state: int) -> str | None:
        line = readline.get_line_buffer()[: readline.get_endidx()]
        begin, found = completions(line, session)
        return found[state][readline.get_begidx() - begin :] if state < len(found) else None

    before, delimiters = readline.get_completer(), readline.get_completer_delims()
    readline.set_completer(complete)
    readline.set_completer_delims(" \t\n()[],=+-*/<>!.\"'")
    readline.parse_and_bind("tab: complete")
    try:
        yield
    finally:
        readline.set_completer(before)
        readline.set_completer_delims(delimiters)


def _replay(out: Output, memory: SpatialMemory, log: Path, effects: Effects) -> int:
    """Run the cells of a log again and say whether each came out as it did."""
    from placecell.engine.session_log import read, replayed

    recorded = read(log)
    difference = recorded.first_difference(replayed(recorded, memory, effects))
    out.record({"log": str(log), "cells": len(recorded.texts), "first_difference": difference})
    if difference is None:
        out.text(f"{len(recorded.texts)} cells came out the same")
        return 0
    out.text("the memory is another one" if difference == 0 else f"cell {difference} came out differently")
    return FINDINGS
