"""Keeps a build's process inside the served folder, whatever a capture's files refer to.

A ``transforms.json`` or a COLMAP model names its pictures, and nothing stops it from naming ``/home/you/photo.png``.
Python tells an audit hook about every file before it opens it; files outside are refused there, which a capture reader
reports as a picture that cannot be read. Libraries that open files by themselves are given names that were checked.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import placecell

_SYSTEM = ("/usr", "/lib", "/lib64", "/opt", "/etc", "/proc", "/sys", "/dev", "/System", "/Library", "C:\\Windows")
_CACHES = ("HF_HOME", "HF_HUB_CACHE", "TORCH_HOME", "XDG_CACHE_HOME", "NUMBA_CACHE_DIR", "PIP_CACHE_DIR")
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


def confine(root: Path, work: Path) -> None:
    """From here on this process opens files of ``root`` for reading only, and writes below ``work`` and in caches.

    What the program itself is made of (Python, packages, model weights in caches or named by PLACECELL_* variables) can
    be read. It cannot be undone.
    """
    caches = [*_named(_CACHES), Path.home() / ".cache"]
    own = [Path(placecell.__file__).parent, Path(sys.prefix), Path(sys.base_prefix)]
    settings = _named(name for name in os.environ if name.startswith("PLACECELL_"))
    readable = _prefixes([root, work, *caches, *own, *settings, *(Path(p) for p in _SYSTEM)])
    writable = _prefixes([work, *caches, own[0], Path("/dev"), Path("/proc")])

    def check(event: str, arguments: tuple[Any, ...]) -> None:
        if event != "open" or isinstance(arguments[0], int):
            return
        name, mode, flags = arguments
        path = os.path.realpath(os.fsdecode(name))
        writes = any(c in mode for c in "wax+") if isinstance(mode, str) else bool(flags & _WRITING)
        if not (path + os.sep).startswith(writable if writes else readable):
            raise PermissionError(errno.EACCES, "outside the served folder", os.fsdecode(name))

    sys.addaudithook(check)


def _named(names: Iterable[str]) -> list[Path]:
    said = (os.environ.get(name, "") for name in names)
    return [Path(text) for text in said if Path(text).is_absolute()]


def _prefixes(paths: Iterable[Path]) -> tuple[str, ...]:
    """Resolved folders that end in a separator, so that a sibling with the same beginning is none of them."""
    return tuple(os.path.realpath(path).rstrip(os.sep) + os.sep for path in paths)
