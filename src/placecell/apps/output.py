"""How a command speaks: records on stdout with ``--json``, text otherwise; notices, progress and errors on stderr."""

from __future__ import annotations

import contextlib
import functools
import inspect
import json
import signal
import sys
import traceback
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Annotated, Any, get_args, get_type_hints

import typer
from typer.models import OptionInfo

from placecell.errors import PlacecellError, ProgramError
from placecell.progress import OnProgress, Progress, silent

FINDINGS, USAGE, MISSING, EXHAUSTED, INTERRUPTED = 1, 2, 3, 4, 130


class Output:
    """Where a command's words go. ``level`` is 1 normally, 0 with ``-q``, 2 with ``-v``.

    ``interrupted``: Ctrl-C was pressed, and the command has not gone on since.
    """

    def __init__(self, *, json: bool = False, level: int = 1) -> None:
        self.json = json
        self.level = level
        self.interrupted = False

    def go_on(self) -> None:
        """The command has dealt with an interrupt: what fails from here on is not due to it."""
        self.interrupted = False

    def record(self, record: dict[str, Any]) -> None:
        """One JSON object on one line of stdout, only with ``--json``. NaN is refused: it is not JSON."""
        if self.json:
            typer.echo(json.dumps(record, ensure_ascii=False, allow_nan=False))

    def text(self, text: str = "") -> None:
        """A line for a person on stdout; nothing with ``--json``."""
        if not self.json:
            typer.echo(text)

    def table(self, columns: list[str], rows: list[list[str]]) -> None:
        """A table for a person on stdout; nothing with ``--json``. Cells are plain text, never markup."""
        if self.json:
            return
        from rich.console import Console
        from rich.table import Table
        from rich.text import Text

        table = Table(*columns, header_style="bold", pad_edge=False)
        for row in rows:
            table.add_row(*(Text(cell) for cell in row))
        Console(file=sys.stdout, width=None if sys.stdout.isatty() else 160).print(table)

    def notice(self, text: str, *, level: int = 1) -> None:
        """A line on stderr, shown at ``level`` and above."""
        if self.level >= level:
            typer.echo(text, err=True)

    @contextlib.contextmanager
    def progress(self) -> Iterator[OnProgress]:
        """A listener that draws bars on stderr; silent with ``-q`` or when stderr is not a terminal."""
        if self.level == 0 or not sys.stderr.isatty():
            yield silent
            return
        from rich.console import Console
        from rich.progress import Progress as Bars
        from rich.progress import TaskID

        with Bars(console=Console(stderr=True), transient=True) as bars:
            tasks: dict[str, TaskID] = {}

            def show(event: Progress) -> None:
                if event.stage not in tasks:
                    tasks[event.stage] = bars.add_task(event.stage, total=event.total)
                bars.update(tasks[event.stage], completed=event.done, total=event.total)

            yield show


Json = Annotated[bool, typer.Option("--json", help="Records on stdout, one JSON object a line, nothing else.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Errors only on stderr.")]
Verbose = Annotated[bool, typer.Option("--verbose", "-v", help="More notices on stderr.")]
Debug = Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")]


def counted(number: int, thing: str) -> str:
    """ "1 frame", "2 frames"."""
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def command(app: typer.Typer, name: str | None = None) -> Callable[[Callable[..., int | None]], Callable[..., None]]:
    """Register ``f(out, ...)`` as a command with the options every command has, and end it in a documented exit code.

    ``f`` returns the exit code (None: 0). A PlacecellError becomes one line on stderr.
    """

    def register(f: Callable[..., int | None]) -> Callable[..., None]:
        hints = get_type_hints(f, include_extras=True)

        @functools.wraps(f)
        def run(*, json: bool, quiet: bool, verbose: bool, debug: bool, **arguments: Any) -> None:
            out = Output(json=json, level=0 if quiet else 2 if verbose else 1)
            raise typer.Exit(end(lambda: f(out, **arguments), out, debug=debug))

        own = [p.replace(annotation=hints[p.name]) for p in list(inspect.signature(f).parameters.values())[1:]]
        flags = {"json": Json, "quiet": Quiet, "verbose": Verbose, "debug": Debug}
        common = [
            inspect.Parameter(flag, inspect.Parameter.KEYWORD_ONLY, default=False, annotation=kind)
            for flag, kind in flags.items()
        ]
        keyword = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in own]
        for option in (meta for p in [*own, *common] for meta in get_args(p.annotation)):
            if isinstance(option, OptionInfo):
                option.show_envvar = False  # the rule is said once, at the root, not at every option
        run.__signature__ = inspect.Signature([*keyword, *common])  # type: ignore[attr-defined]
        run.__annotations__ = {p.name: p.annotation for p in [*keyword, *common]}
        del run.__wrapped__  # typer would look through it at the signature without the common options
        app.command(name)(run)
        return run

    return register


def end(action: Callable[[], int | None], out: Output, *, debug: bool) -> int:
    """Run a command and turn how it ended into its exit code; an error that is nobody's mistake but ours is raised."""

    def interrupt(signum: int, frame: FrameType | None) -> None:
        out.interrupted = True
        raise KeyboardInterrupt

    signals = (signal.SIGINT, signal.SIGTERM)  # a service manager and a batch system end what they started politely
    previous = [signal.signal(number, interrupt) for number in signals]
    try:
        return action() or 0
    except PlacecellError as error:
        if debug:
            traceback.print_exc()
        for diagnostic in error.diagnostics if isinstance(error, ProgramError) else ():
            out.record(diagnostic.record())
        typer.echo(f"placecell: {error}", err=True)
        return error.exit_code
    except BaseException:
        # Compiled modules that are interrupted while they load raise errors of their own.
        if not out.interrupted:
            raise
        typer.echo("placecell: interrupted; finished files are kept", err=True)
        return INTERRUPTED
    finally:
        for number, before in zip(signals, previous, strict=True):
            signal.signal(number, before)
