"""``placecell serve``: memories for other agents, over MCP."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Annotated

import typer

from placecell.apps.asking import MODELS
from placecell.apps.output import INTERRUPTED, Output
from placecell.errors import BackendUnavailable


def serve(
    out: Output,
    root: Annotated[Path, typer.Argument(help="The folder with captures and memories; nothing outside is touched.")],
    http: Annotated[bool, typer.Option("--http", help="Serve over HTTP instead of stdin and stdout.")] = False,
    host: Annotated[str, typer.Option(help="Address to listen at; others than this machine need a token.")] = (
        "127.0.0.1"
    ),
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen at; 0 takes a free one.")] = 8472,
    name: Annotated[list[str] | None, typer.Option(help="A host name clients use to reach it (repeat).")] = None,
    model: Annotated[str, typer.Option(help=MODELS)] = "rules",
    strategy: Annotated[str, typer.Option(help="How the tool ask answers, see `placecell ask`.")] = "program",
    budget: Annotated[str | None, typer.Option(metavar="NAME=MOST,...", help="Limits of each question.")] = None,
    no_operations: Annotated[
        bool, typer.Option("--no-operations", help="Do not offer the operations one by one.")
    ] = False,
    read_only: Annotated[bool, typer.Option("--read-only", help="Build nothing, write nothing.")] = False,
    jobs: Annotated[int, typer.Option(min=1, max=64, help="Calls worked on at a time.")] = 4,
    max_mb: Annotated[int, typer.Option(min=1, help="Largest HTTP request in MB.")] = 4,
    time_limit: Annotated[float, typer.Option(min=1, help="Seconds a call may take; builds have their own.")] = 120.0,
    build_limit: Annotated[float, typer.Option(min=1, help="Seconds a build may take.")] = 3600.0,
) -> int:
    """Serve memories to agents over MCP; a token for HTTP is read from PLACECELL_SERVE_TOKEN."""
    try:
        from placecell.apps.mcp.http import TOKEN_VARIABLE, Address, listen, serve_http
        from placecell.apps.mcp.server import serve_stdio
    except ImportError:
        raise BackendUnavailable("serving needs the MCP SDK", hint="pip install 'placecell[mcp]'") from None
    from placecell.agents.answering import How
    from placecell.agents.models.budget import Limits as AskLimits
    from placecell.apps.mcp.limits import Limits
    from placecell.apps.mcp.service import Service
    from placecell.apps.mcp.tools import Tools

    limits = Limits(request_bytes=max_mb * 2**20, places=jobs, call_seconds=time_limit, build_seconds=build_limit)
    service = Service(root, how=How(strategy, model, AskLimits.parse(budget or "")), limits=limits)
    tools = Tools(service, operations=not no_operations, building=not read_only)
    if not http:
        out.notice(f"serving {root} to the client at stdin", level=2)
        try:
            asyncio.run(serve_stdio(service, tools))
        except KeyboardInterrupt:
            os._exit(INTERRUPTED)  # everything is closed, but the SDK's thread that reads stdin cannot be ended
        return 0
    address = Address(host, port, tuple(name or ()), os.environ.get(TOKEN_VARIABLE) or None)

    def started(url: str) -> None:
        out.record({"url": url, "token": address.token is not None})
        out.text(f"serving {root} at {url}{', with a token' if address.token else ', to this machine only'}")

    with listen(address) as bound:
        asyncio.run(serve_http(service, tools, address, bound, started))
    return 0
