"""What a server keeps open: memories, sessions of operations, traces of answers. Each so many, the least used go first.

A memory that was built again is noticed by its file's time, size and identity, and opened again.
"""

from __future__ import annotations

import secrets
import threading
from collections import OrderedDict
from dataclasses import dataclass, field
from pathlib import Path

from placecell.agents.answering import How
from placecell.agents.pipeline import Asker
from placecell.agents.toolbox import Toolbox
from placecell.apps.mcp.limits import Limits
from placecell.apps.mcp.root import Root
from placecell.engine.context import Budget, PictureSettings
from placecell.errors import UserError
from placecell.memory import storage
from placecell.memory.scene import SpatialMemory

_SESSION = Budget(operations=2000, pictures=64, seconds=7 * 86400.0)
"""For all calls of a session together; what one call may take is the server's limit."""

Stamp = tuple[int, int, int]


@dataclass(frozen=True, eq=False)
class Opened:
    """A memory, by the ``name`` clients use, and as what it was when it was opened."""

    name: str
    stamp: Stamp
    memory: SpatialMemory
    asker: Asker


@dataclass(eq=False)
class Session:
    """Results and viewpoint of one conversation; one call at a time holds ``lock``."""

    id: str
    opened: Opened
    box: Toolbox
    lock: threading.Lock = field(default_factory=threading.Lock)


class Memories:
    """Opened memories. Usable from several threads."""

    def __init__(self, root: Root, how: How, limits: Limits) -> None:
        self._root, self._how, self._most = root, how, limits.memories
        self._lock = threading.Lock()
        self._opened: OrderedDict[str, Opened] = OrderedDict()

    def open(self, name: str) -> Opened:
        """The memory as its file is now. UserError when there is none, or it is damaged."""
        path = self._root.memory(name)
        with self._lock:
            stamp, known = _stamp(path), self._opened.get(str(path))
            if known is None or known.stamp != stamp:
                memory = storage.load(path)
                known = Opened(self._root.name(path), stamp, memory, Asker(memory, self._how))
                self._opened[str(path)] = known
            self._opened.move_to_end(str(path))
            while len(self._opened) > self._most:
                self._opened.popitem(last=False)
            return known

    def is_current(self, opened: Opened) -> bool:
        """Whether the file is still the one that was opened."""
        try:
            return _stamp(self._root.memory(opened.name)) == opened.stamp
        except UserError:
            return False


class Sessions:
    """Conversations of operations, by names that cannot be guessed. Usable from several threads."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._lock = threading.Lock()
        self._sessions: OrderedDict[str, Session] = OrderedDict()

    def start(self, opened: Opened) -> Session:
        """A new one, without results, at no viewpoint."""
        settings = PictureSettings(size=min(768, self._limits.picture_side))
        session = Session(
            f"s{secrets.token_hex(8)}", opened, Toolbox(opened.memory, budget=_SESSION, pictures=settings)
        )
        with self._lock:
            self._sessions[session.id] = session
            while len(self._sessions) > self._limits.sessions:
                self._sessions.popitem(last=False)
        return session

    def find(self, id: str) -> Session:
        """UserError when it was closed or never was."""
        with self._lock:
            if id not in self._sessions:
                raise UserError(f"there is no session {id!r}", hint="call open_memory for a new one")
            self._sessions.move_to_end(id)
            return self._sessions[id]


class Traces:
    """HTML pages of how questions were answered, by names that cannot be guessed. Usable from several threads."""

    def __init__(self, limits: Limits) -> None:
        self._most = limits.trace_bytes
        self._lock = threading.Lock()
        self._pages: OrderedDict[str, bytes] = OrderedDict()

    def keep(self, page: str) -> str:
        """The page's id."""
        id = secrets.token_hex(8)
        with self._lock:
            self._pages[id] = page.encode()
            while len(self._pages) > 1 and sum(map(len, self._pages.values())) > self._most:
                self._pages.popitem(last=False)
        return id

    def find(self, id: str) -> str:
        """UserError when it is not kept."""
        with self._lock:
            page = self._pages.get(id)
        if page is None:
            raise UserError(f"there is no trace {id!r}", hint="ask again with trace; only the last ones are kept")
        return page.decode()


def _stamp(path: Path) -> Stamp:
    found = path.stat()
    return found.st_mtime_ns, found.st_size, found.st_ino
