"""Replies kept on disk, so that the same request to the same model is paid for once.

Only complete replies at temperature 0 come here (``channel`` decides). One SQLite file, safe for threads and processes.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pydantic import ValidationError
from pydantic_ai.messages import ModelMessagesTypeAdapter, ModelResponse

from placecell.errors import UserError

_WAIT = 30.0


class Replies:
    """Replies by the text that identifies their request."""

    def __init__(self, path: Path) -> None:
        """Open or create the file. UserError when that is impossible."""
        self.path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UserError(f"{path}: {error.strerror or error}", hint="choose another place for the cache") from None
        with self._connection() as c:
            c.execute("CREATE TABLE IF NOT EXISTS replies (key TEXT PRIMARY KEY, reply BLOB NOT NULL)")

    def find(self, request: str) -> ModelResponse | None:
        """The reply kept for a request. What cannot be read any more counts as not kept."""
        with self._connection() as c:
            row = c.execute("SELECT reply FROM replies WHERE key = ?", (_key(request),)).fetchone()
        if row is None:
            return None
        try:
            reply = ModelMessagesTypeAdapter.validate_json(row[0])[0]
        except ValidationError:
            return None
        return reply if isinstance(reply, ModelResponse) else None

    def keep(self, request: str, reply: ModelResponse) -> None:
        """Keep a reply."""
        data = ModelMessagesTypeAdapter.dump_json([reply])
        with self._connection() as c:
            c.execute("INSERT OR REPLACE INTO replies VALUES (?, ?)", (_key(request), data))

    @contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        """A connection for one transaction; cheap beside a model's reply, and nothing is left open."""
        try:
            connection = sqlite3.connect(self.path, timeout=_WAIT)
            try:
                with connection:
                    yield connection
            finally:
                connection.close()
        except sqlite3.DatabaseError as error:
            raise UserError(f"{self.path}: {error}", hint="choose another file for the cache, or delete this") from None


def _key(request: str) -> str:
    return hashlib.sha256(request.encode()).hexdigest()
