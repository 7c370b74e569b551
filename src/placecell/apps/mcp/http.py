"""Streamable HTTP: who may connect, from where, how much. The protocol itself is the SDK's.

A page in a browser can make requests to this machine, also under a name of its own that it points here (DNS
rebinding), so ``Host`` and ``Origin`` are checked. Beyond this machine a token is needed.
"""

from __future__ import annotations

import hmac
import socket
from collections.abc import Callable
from dataclasses import dataclass

import uvicorn
from mcp.server.transport_security import TransportSecuritySettings
from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from placecell.apps.mcp.server import make_server
from placecell.apps.mcp.service import Service
from placecell.apps.mcp.tools import Tools
from placecell.backends.remote.server import is_loopback
from placecell.errors import UserError

TOKEN_VARIABLE = "PLACECELL_SERVE_TOKEN"
PATH = "/mcp"
_CONNECTIONS = 64
_SHORTEST_TOKEN = 16
_STOP_S = 3


@dataclass(frozen=True)
class Address:
    """Where to listen. ``names``: further names under which clients reach this server. ``token``: see above."""

    host: str = "127.0.0.1"
    port: int = 8472
    names: tuple[str, ...] = ()
    token: str | None = None

    def __post_init__(self) -> None:
        if self.token is None and not is_loopback(self.host):
            raise UserError(
                f"a server at {self.host} would serve whoever can reach it",
                hint=f"set {TOKEN_VARIABLE} to a long random text, and give it to the clients",
            )
        if self.token is not None and len(self.token) < _SHORTEST_TOKEN:
            raise UserError(
                f"{TOKEN_VARIABLE} is shorter than {_SHORTEST_TOKEN} characters", hint="use: openssl rand -hex 32"
            )


def listen(address: Address) -> socket.socket:
    """A listening socket; port 0 takes a free one. UserError when the address cannot be had."""
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    bound = socket.socket(family, socket.SOCK_STREAM)
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind((address.host, address.port))
        bound.listen(_CONNECTIONS)
    except OSError as error:
        bound.close()
        raise UserError(f"cannot listen at {address.host}:{address.port} ({error.strerror})") from None
    return bound


async def serve_http(
    service: Service, tools: Tools, address: Address, bound: socket.socket, started: Callable[[str], None]
) -> None:
    """Serve any number of clients until interrupted; ``started`` is told the URL."""
    port = int(bound.getsockname()[1])
    hosts = _hosts(address, port)
    app = make_server(service, tools).streamable_http_app(
        streamable_http_path=PATH,
        max_request_body_size=service.limits.request_bytes,
        transport_security=TransportSecuritySettings(
            allowed_hosts=hosts, allowed_origins=[f"{scheme}://{h}" for scheme in ("http", "https") for h in hosts]
        ),
    )
    guarded: ASGIApp = app if address.token is None else _WithToken(app, address.token)
    config = uvicorn.Config(
        guarded,
        log_level="warning",
        limit_concurrency=_CONNECTIONS,
        timeout_graceful_shutdown=_STOP_S,
        server_header=False,
        ws="none",
    )
    shown = f"[{address.host}]" if ":" in address.host else address.host
    started(f"http://{shown}:{port}{PATH}")
    try:
        await uvicorn.Server(config).serve(sockets=[bound])
    finally:
        await service.close()


def _hosts(address: Address, port: int) -> list[str]:
    """What a client may call this server in ``Host``."""
    own = ["127.0.0.1", "localhost", "[::1]"]
    host = f"[{address.host}]" if ":" in address.host else address.host
    ported = [f"{name}:{port}" for name in dict.fromkeys([*own, host, *address.names])]
    return [*ported, *address.names]  # without a port behind a proxy at the scheme's own


class _WithToken:
    """Lets requests through that carry the token; the others are answered before anything of them is read."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app = app
        self._token = token.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            scheme, _, given = Headers(scope=scope).get("authorization", "").partition(" ")
            right = hmac.compare_digest(given.strip().encode("latin-1", "replace"), self._token)
            if not right or scheme.lower() != "bearer":
                text = f"this server needs the header Authorization: Bearer TOKEN, the value of {TOKEN_VARIABLE}\n"
                headers = {"WWW-Authenticate": "Bearer", "Connection": "close"}
                await PlainTextResponse(text, 401, headers)(scope, receive, send)
                return
        await self._app(scope, receive, send)
