"""Threads for what a call computes: so many at a time, so many waiting, each for so long.

A thread cannot be stopped from outside. A call that is cancelled or out of time is answered at once, and its thread
keeps its place until it is done, so that abandoned work cannot pile up.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from placecell.apps.mcp.limits import Limits
from placecell.errors import BudgetExhausted, UserError

T = TypeVar("T")


class Workers:
    """The threads of a server."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._pool = ThreadPoolExecutor(limits.places, thread_name_prefix="placecell-call")
        self._lock = threading.Lock()
        self._taken = 0

    async def do(self, work: Callable[[], T]) -> T:
        """What ``work`` returns, or raises.

        Raises:
            UserError: too much is waiting already.
            BudgetExhausted: it took too long.
        """
        with self._lock:
            if self._taken >= self._limits.places + self._limits.waiting:
                raise UserError(f"this server is busy with {self._taken} calls", hint="try again in a few seconds")
            self._taken += 1
        future = self._pool.submit(work)
        future.add_done_callback(self._release)
        try:
            async with asyncio.timeout(self._limits.call_seconds):
                return await asyncio.wrap_future(future)
        except TimeoutError:
            raise BudgetExhausted(
                f"the call took longer than this server's limit of {self._limits.call_seconds:g} s",
                hint="ask for less at a time",
            ) from None

    def close(self) -> None:
        """Begin nothing more."""
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _release(self, _: Future[T]) -> None:
        with self._lock:
            self._taken -= 1
