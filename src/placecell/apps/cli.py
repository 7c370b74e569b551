"""The command ``placecell``: every subcommand is a thin function in the module named beside it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import typer

from placecell.apps import (
    asking,
    converting,
    evaluating,
    memories,
    objects,
    pictures,
    programs,
    reporting,
    scoring,
    serve,
    session,
    system,
    tools,
    traces,
    training,
    view,
    worker,
)
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
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Version.", allow_from_autoenv=False),
    ] = False,
) -> None:
    """Defaults of every option can be set as PLACECELL_COMMAND_OPTION, e.g. PLACECELL_BUILD_FRAMES=64."""


COMMANDS: dict[str, Callable[..., int]] = {
    "demo": system.demo,
    "build": memories.build,
    "info": memories.info,
    "objects": objects.objects,
    "scale": objects.scale,
    "ask": asking.ask,
    "check": programs.check,
    "run": programs.run,
    "session": session.session,
    "render": pictures.render,
    "trace show": traces.show,
    "trace diff": traces.diff,
    "trace replay": traces.replay,
    "tools": tools.tools,
    "convert": converting.convert,
    "eval": evaluating.evaluate,
    "score": scoring.score,
    "report": reporting.report,
    "train": training.train,
    "view": view.view,
    "serve": serve.serve,
    "worker": worker.worker,
    "backends": system.backends,
    "doctor": system.doctor,
}
GROUPS = {"trace": "Recorded runs: what happened, how two differ, and once more without the model."}


def _register() -> None:
    """Commands named "GROUP NAME" are found under ``placecell GROUP``."""
    groups = {
        name: typer.Typer(no_args_is_help=True, rich_markup_mode=None, help=text) for name, text in GROUPS.items()
    }
    for name, function in COMMANDS.items():
        group, _, own = name.rpartition(" ")
        command(groups[group] if group else app, own)(function)
    for name, commands in groups.items():
        app.add_typer(commands, name=name)


_register()


def main() -> None:
    """Entry point of the console script."""
    app()


if __name__ == "__main__":
    main()
