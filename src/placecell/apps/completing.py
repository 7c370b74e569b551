"""What could stand at the end of a line of a cell: operations, builtins, names, fields, objects, commands.

Knows tables and a session. Does not know terminals.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from placecell.engine.session import CellSession
from placecell.language.cell_ops import CELL_OPERATIONS
from placecell.language.cells.builtins import BUILTINS
from placecell.language.types import CELL_FIELDS

COMMANDS = (":cell", ":cost", ":help", ":left", ":log", ":names", ":quit")
WORDS = ("and", "def", "else", "for", "if", "in", "not", "or", "or_else", "return")
_QUOTED = re.compile(r"""(["'])([^"']*)$""")
_FIELD = re.compile(r"([A-Za-z_]\w*)\.(\w*)$")
_WORD = re.compile(r":?[A-Za-z_]?\w*$")


def completions(line: str, session: CellSession) -> tuple[int, list[str]]:
    """Where the piece to be completed begins in ``line``, and what could stand there instead, in order."""
    if line.count('"') % 2 or line.count("'") % 2:
        quoted = _QUOTED.search(line)
        start = quoted.start(2) if quoted else len(line)
        return start, _that_begin(line[start:], sorted(session.memory.object_names))
    if field := _FIELD.search(line):
        bound = session.names.get(field[1])
        return field.start(2), _that_begin(field[2], CELL_FIELDS.get(bound.type.kind, ()) if bound else ())
    word = _WORD.search(line)
    start = word.start() if word else len(line)
    return start, _that_begin(line[start:], COMMANDS if line[start:].startswith(":") else _names(session))


def _names(session: CellSession) -> Iterator[str]:
    """The session's own names first, then what the language has; what is called comes with its bracket."""
    yield from session.names
    yield from (f"{name}(" for name in session.scope.helpers)
    yield "memory"
    yield from (f"{name}(" for name in (*CELL_OPERATIONS, *BUILTINS))
    yield from WORDS


def _that_begin(piece: str, words: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(word for word in words if word.startswith(piece)))
