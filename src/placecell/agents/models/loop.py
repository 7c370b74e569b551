"""One event loop in a background thread, which all conversations share.

Model clients are asynchronous and belong to the loop they were first used on, while placecell is called from any thread
and from inside other loops. Everything asynchronous therefore happens here, and callers wait.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

_T = TypeVar("_T")
_lock = threading.Lock()
_loop: asyncio.AbstractEventLoop | None = None
_process: int | None = None


def run(work: Coroutine[Any, Any, _T]) -> _T:
    """Run to the end and return the result; interrupting the caller cancels the work."""
    future = asyncio.run_coroutine_threadsafe(work, _running())
    try:
        return future.result()
    except BaseException:
        future.cancel()
        raise


def _running() -> asyncio.AbstractEventLoop:
    global _loop, _process
    with _lock:
        if _loop is None or _process != os.getpid():  # threads do not survive a fork
            _process = os.getpid()
            _loop = asyncio.new_event_loop()
            threading.Thread(target=_loop.run_forever, name="placecell models", daemon=True).start()
        return _loop
