"""The command ``placecell``: every subcommand is a thin function in the module named beside it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import typer

from placecell.apps import asking, memories, pictures, programs, scoring, system
from placecell.apps.output import command

app = typer.Typer(
    name="placecell",
    help="A place memory: photos, video or RGB-D in, checked spatial answers out.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"], "auto_envvar_prefix": "PLACECELL"},
)


def _show_version(asked: bool) -> None:
    if asked:
        from placecell import __version__

        typer.echo(f"placecell {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Version.")] = False,
) -> None:
    """Defaults of every option can be set as PLACECELL_COMMAND_OPTION, e.g. PLACECELL_BUILD_FRAMES=64."""


COMMANDS: dict[str, Callable[..., int]] = {
    "demo": system.demo,
    "build": memories.build,
    "info": memories.info,
    "ask": asking.ask,
    "check": programs.check,
    "run": programs.run,
    "render": pictures.render,
    "score": scoring.score,
    "backends": system.backends,
    "doctor": system.doctor,
}
for name, function in COMMANDS.items():
    command(app, name)(function)


def main() -> None:
    """Entry point of the console script."""
    app()


if __name__ == "__main__":
    main()
