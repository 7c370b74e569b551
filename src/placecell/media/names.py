"""File names as people read them: natural order, and text that is safe to print, store and compare."""

from __future__ import annotations

import os
import re
import unicodedata
from pathlib import PurePath

_DIGITS = re.compile(r"([0-9]+)")


def printable(path: PurePath | str) -> str:
    r"""The path with "/" between parts, on one line, as valid UTF-8: odd bytes and control characters as ``\x..``."""
    text = path.as_posix() if isinstance(path, PurePath) else path
    text = os.fsencode(text).decode("utf-8", "backslashreplace")
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


def natural_key(path: PurePath) -> tuple[tuple[object, ...], str]:
    """Sort key by path part, numbers by value: ``f2 < f10``, ``9.jpg < 10.jpg``, case and Unicode form aside."""
    parts = []
    for part in path.parts:
        pieces = _DIGITS.split(unicodedata.normalize("NFC", part).casefold())
        parts.append(tuple((0, int(p), "") if p.isdigit() and p.isascii() else (1, 0, p) for p in pieces if p))
    return tuple(parts), path.as_posix()
