"""Memories on disk, each made once, whatever the number of processes that want it.

An entry is named by the SHA-256 of everything that shapes it, so another medium or setting never finds it. Saving is
atomic (``memory.storage``); while one process makes a memory, the others that want it wait.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

from placecell.errors import BackendUnavailable, UserError
from placecell.memory import storage
from placecell.memory.scene import SpatialMemory


def default_cache() -> Path:
    """``$PLACECELL_CACHE``, else ``placecell`` in the user's cache folder (XDG)."""
    own = os.environ.get("PLACECELL_CACHE")
    return Path(own) if own else Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "placecell")


def key_of(**shaping: Any) -> str:
    """The name of an entry: a digest of what shapes it and of placecell's version."""
    text = json.dumps(shaping | {"placecell": metadata.version("placecell")}, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


@dataclass(frozen=True)
class Shelf:
    """A folder of memories."""

    folder: Path

    def get(self, shaping: Mapping[str, Any], make: Callable[[], SpatialMemory]) -> SpatialMemory:
        """The memory shaped by this, made when it is not there yet. Whatever ``make`` raises leaves nothing behind.

        Raises:
            UserError: the folder cannot be written.
            BackendUnavailable: the extra [eval] is missing.
        """
        path = self.folder / f"{key_of(**shaping)}{storage.SUFFIX}"
        if not path.exists():
            with locked(path.with_suffix(".lock")):
                if not path.exists():
                    storage.save(make(), path)
        return storage.load(path)


def locked(path: Path, *, wait: bool = True) -> Any:
    """A lock between processes, as a context; it goes with its process, however that ends.

    Raises:
        UserError: the file cannot be written, or (without ``wait``) another process holds the lock.
        BackendUnavailable: the extra [eval] is missing.
    """
    try:
        import filelock
    except ImportError:
        raise BackendUnavailable("runs need the extra [eval]", hint="pip install 'placecell[eval]'") from None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return filelock.FileLock(path).acquire(timeout=-1 if wait else 0)
    except filelock.Timeout:
        raise UserError(f"{path.parent} is being written by another process", hint="wait for it, or stop it") from None
    except OSError as error:
        raise UserError(f"{path.parent}: {error.strerror or error}", hint="choose another folder") from None
