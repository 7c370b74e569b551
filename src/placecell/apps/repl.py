"""The conversation of ``placecell session``: lines in, what they came to out.

Knows what a person types: cells, commands that begin with a colon, a name alone. Does not know terminals (``session``)
or completion (``completing``); what a cell means is the session's.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from placecell.engine.session import CellSession, Turn
from placecell.engine.session_log import write_log
from placecell.errors import UserError
from placecell.language.cell_ops import CELL_OPERATIONS
from placecell.language.cells.builtins import BUILTINS
from placecell.language.reference import explain_rule
from placecell.language.tokens import tokenize

HELP = """\
A line is a cell; one that is not complete goes on until an empty line. A value without a name is called it1, it2, ...
A name alone shows its value.
  :cell         begin a cell of several lines, ended by an empty line
  :names        what is bound, and by which cell
  :left         what is left of the budget
  :cost CELL    what a cell of one line would cost at most
  :log [FILE]   the cells so far, or the log written to FILE
  :help [NAME]  this, or an operation, a builtin or a rule (C301)
  :quit         leave (also Ctrl-D); Ctrl-C drops what is being typed or run"""

_BINDS = re.compile(r"\s*(?:[A-Za-z_]\w*\s*=(?!=)|def\b|answer\s*\()")
_NAME = re.compile(r"\s*([A-Za-z_]\w*)\s*$")


class Repl:
    """One conversation. ``say`` takes lines for the person, ``show`` takes every turn that was made."""

    def __init__(self, session: CellSession, say: Callable[[str], None], show: Callable[[Turn], None]) -> None:
        self.session = session
        self._say = say
        self._show = show
        self._lines: list[str] = []
        self._until_empty = False
        self._unnamed = 0

    @property
    def prompt(self) -> str:
        return "... " if self._lines or self._until_empty else "> "

    def drop(self) -> None:
        """Forget the lines of an unfinished cell."""
        self._lines, self._until_empty = [], False

    def feed(self, line: str) -> bool:
        """Take one line; False when the person leaves."""
        if self._until_empty:
            return self._next_line(line)
        said = line.strip()
        if not said or said.startswith("#"):
            return True
        if said.startswith(":"):
            return self._command(*said[1:].split(maxsplit=1))
        if (name := _NAME.match(line)) and name[1] in self.session.names:
            self._say(self.session.names[name[1]].told())
            return True
        if unfinished(line):
            self._until_empty = True
            return self._next_line(line)
        self._run(line)
        return True

    def end(self) -> None:
        """The input is over: run what was typed of a cell."""
        if self._lines:
            self._next_line("")

    def _next_line(self, line: str) -> bool:
        if line.strip():
            self._lines.append(line)
            return True
        text = "\n".join(self._lines)
        self.drop()
        if text:
            self._run(text)
        return True

    def _run(self, text: str) -> None:
        named = text
        if "\n" not in text and not _BINDS.match(text):
            named = f"it{self._unnamed + 1} = {text.strip()}"
        turn = self.session.run(named)
        self._unnamed += named is not text and turn.accepted
        self._show(turn)

    def _command(self, name: str = "", argument: str = "") -> bool:
        match name:
            case "quit" | "q" | "exit":
                return False
            case "cell":
                self._until_empty = True
            case "names":
                for bound in self.session.names.values():
                    self._say(f"{bound.told()}  (cell {bound.cell})")
            case "cost":
                checked = self.session.check(argument).cell
                self._say("it is not accepted" if checked is None else f"at most {checked.cost}")
            case "left":
                self._say(self.session.left.told())
            case "log" if argument:
                self._written(Path(argument))
            case "log":
                for turn in self.session.turns:
                    self._say(turn.headline())
            case "help" | "h" | "?":
                self._say(_explained(argument) if argument else HELP)
            case _:
                self._say(f"there is no command :{name}; :help lists them")
        return True

    def _written(self, path: Path) -> None:
        try:
            write_log(self.session, path)
        except UserError as error:
            self._say(str(error))
        else:
            self._say(f"wrote {path}")


def unfinished(line: str) -> bool:
    """Whether a cell that begins with this line must go on: a bracket is open, or a helper has no body yet."""
    return tokenize(line).open_end is not None or line.rstrip().endswith((":", "\\"))


def _explained(name: str) -> str:
    """What an operation, a function or a rule is, for a person."""
    if operation := CELL_OPERATIONS.get(name):
        return f"{operation.signature} gives {operation.returns}\n{operation.summary} {operation.documentation}"
    if builtin := BUILTINS.get(name):
        return f"{builtin.signature}\n{builtin.summary}"
    try:
        return explain_rule(name)
    except UserError:
        return f"{name} is no operation, function or rule"
