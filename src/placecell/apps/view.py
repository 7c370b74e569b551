"""``placecell view``: a memory in the browser."""

from __future__ import annotations

import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from placecell.apps.asking import MODELS
from placecell.apps.memories import open_memory
from placecell.apps.output import Output
from placecell.errors import BackendUnavailable, UserError


def view(
    out: Output,
    memory: Annotated[str, typer.Argument(help="A .pcell, any source `build` takes, or oracle:FILE#SCENE.")],
    log: Annotated[Path | None, typer.Option(help="A log written by `ask --log`, to step through.")] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Save corrections here instead of over the memory.")
    ] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; the next free one if taken, 0 for any.")] = 8474,
    points: Annotated[int, typer.Option(min=10_000, help="Points drawn at a time.")] = 1_000_000,
    model: Annotated[str, typer.Option(help=MODELS)] = "rules",
    strategy: Annotated[str, typer.Option(help="How questions are answered, see `placecell ask`.")] = "program",
    budget: Annotated[str | None, typer.Option(metavar="NAME=MOST,...", help="Limits of each question.")] = None,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Only print the address.")] = False,
) -> int:
    """Look at a memory in the browser: cloud, photos, objects; measure, ask, replay, correct.

    It serves this machine only. From another one: ssh -L 8474:127.0.0.1:8474 THERE, then open the printed address.
    """
    try:
        from placecell.apps.viewer.server import Viewer
    except ImportError:
        raise BackendUnavailable("the viewer needs viser", hint="pip install 'placecell[viewer]'") from None
    from placecell.agents.answering import How
    from placecell.agents.log import Log
    from placecell.agents.models.budget import Limits
    from placecell.apps.viewer.session import Session

    scene = open_memory(memory, out)
    recorded = None if log is None else Log.read(log)
    session = Session(scene, _target(memory, output), How(strategy, model, Limits.parse(budget or "")))
    viewer = Viewer(session, port=port, log=recorded, budget=points)
    out.record({"url": viewer.url})
    out.text(f"{memory} at {viewer.url}, to this machine only; Ctrl+C ends it")
    if not no_browser:
        webbrowser.open(viewer.url)
    try:
        viewer.wait()
    finally:
        viewer.stop()
        if session.unsaved:
            out.notice(f"WARNING: {session.unsaved} changes were not saved")
    return 0


def _target(spec: str, output: Path | None) -> Path | None:
    """The file corrections go to: ``output``, else the memory's own; None for what is no memory's file."""
    from placecell.memory import storage

    path = output or Path(spec)
    if path.suffix == storage.SUFFIX and (output is not None or path.is_file()):
        storage.check_target(path)
        return path
    if output is not None:
        raise UserError(f"{output}: a memory is saved as NAME{storage.SUFFIX}")
    return None
