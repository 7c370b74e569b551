"""What a server takes, does and gives at most. Knows numbers only."""

from __future__ import annotations

from dataclasses import dataclass

_MB = 2**20


@dataclass(frozen=True)
class Limits:
    """Beyond a limit a call is refused or stopped, with a text that names the limit; the server goes on.

    ``request_bytes``: of an HTTP request. ``argument_bytes``: of a call's arguments, on every transport.
    ``places``: calls worked on at a time; ``waiting``: further calls that may wait for a place.
    ``call_seconds``, ``build_seconds``: of one call, of one build. ``builds``: under way or waiting, one runs.
    ``memories``, ``sessions``: kept open; the least recently used is closed. ``trace_bytes``: of all kept traces.
    ``picture_side``: pixels. ``picture_bytes`` in base64, ``pictures``, ``text_bytes``: of a whole reply.
    ``listed``: memories, and names in the served folder.
    """

    request_bytes: int = 4 * _MB
    argument_bytes: int = 1 * _MB
    places: int = 4
    waiting: int = 32
    call_seconds: float = 120.0
    build_seconds: float = 3600.0
    builds: int = 4
    memories: int = 8
    sessions: int = 32
    trace_bytes: int = 64 * _MB
    picture_side: int = 1024
    picture_bytes: int = 700_000
    pictures: int = 4
    text_bytes: int = 120_000
    listed: int = 1000
