"""``placecell worker``: lend this machine's backends to other machines."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from placecell.apps.output import Output
from placecell.errors import UserError


def worker(
    out: Output,
    backend: Annotated[list[str], typer.Argument(help="What to offer, names from `placecell backends`.")],
    host: Annotated[str, typer.Option(help="Address to listen at; others than this machine need a token.")] = (
        "127.0.0.1"
    ),
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen at; 0 takes a free one.")] = 8471,
    max_mb: Annotated[int, typer.Option(min=1, help="Largest request in MB.")] = 256,
    time_limit: Annotated[float, typer.Option(min=0.1, help="Seconds a request may take.")] = 1800.0,
    jobs: Annotated[int, typer.Option(min=1, help="Requests worked on at a time; more are told to come later.")] = 1,
) -> int:
    """Serve `remote:http://HOST:PORT/BACKEND`; the token is read from PLACECELL_WORKER_TOKEN."""
    from placecell.backends.remote.server import TOKEN_VARIABLE, Worker, WorkerSettings
    from placecell.backends.table import find_backend

    for name in backend:
        offered = find_backend(name)
        missing = offered.missing()
        if missing is not None or offered.factory is None:
            raise UserError(f"the backend {name} cannot run here", hint=missing or offered.what)
    settings = WorkerSettings(
        backends=tuple(dict.fromkeys(backend)),
        host=host,
        port=port,
        token=os.environ.get(TOKEN_VARIABLE) or None,
        max_bytes=max_mb * 2**20,
        time_limit_s=time_limit,
        places=jobs,
    )
    server = Worker(settings, lambda line: out.notice(line, level=2))
    shown = f"[{host}]" if ":" in host else host
    addresses = [f"remote:http://{shown}:{server.port}/{name}" for name in settings.backends]
    out.record({"port": server.port, "reconstructors": addresses, "token": settings.token is not None})
    out.text(f"serving {', '.join(addresses)}{', with a token' if settings.token else ', this machine only'}")
    try:
        server.serve()
    finally:
        server.close()
    return 0
