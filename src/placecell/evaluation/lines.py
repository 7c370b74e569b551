"""Files of JSON lines as values: every line is one, or the error names the line. Knows no kind of value."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TypeVar

from pydantic import TypeAdapter, ValidationError

from placecell.errors import UserError

T = TypeVar("T")


def read_lines(path: Path, kind: TypeAdapter[T], what: str, form: str) -> list[T]:
    """The values of all lines that are not blank, in order; ``what`` they are called, ``form`` shows a line.

    Raises:
        UserError: no such file, no text, nothing in it, or a line that is none, which is named.
    """
    if not path.is_file():
        raise UserError(f"{path}: no such file", hint=f"give a JSONL file of {what}; {form}")
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"{path} cannot be read: {error}", hint=f"give a JSONL file of {what}; {form}") from None
    found = []
    for number, line in enumerate(text.split("\n"), 1):  # JSON may hold other ends of lines inside a text
        if line.strip():
            try:
                found.append(kind.validate_python(json.loads(line)))
            except json.JSONDecodeError as error:
                raise UserError(f"{path}, line {number}: {error.msg}", hint=form) from None
            except ValidationError as error:
                raise UserError(f"{path}, line {number}: {_first(error)}", hint=form) from None
    if not found:
        raise UserError(f"{path} holds no {what}", hint=form)
    return found


def _first(error: ValidationError) -> str:
    first = error.errors()[0]
    return ": ".join(filter(None, [".".join(map(str, first["loc"])), first["msg"].removeprefix("Value error, ")]))
