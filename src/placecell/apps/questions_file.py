"""A file of questions: one JSON object a line with ``id``, ``question`` and ``options``."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from placecell.errors import UserError

LONGEST = 20_000
"""Characters of a question."""
_LINE = 'a line is {"id": ..., "question": "...", "options": [...]}'


class Asked(BaseModel):
    """One line of a questions file; other keys are allowed and ignored."""

    model_config = ConfigDict(extra="ignore")

    id: str | int | None = None
    question: str = Field(min_length=1, max_length=LONGEST)
    options: list[str] | None = None


def read_questions(path: Path) -> Iterator[Asked]:
    """The questions of a JSONL file, in order; blank lines are left out.

    Raises:
        UserError: there is no such file, no question in it, or a faulty line, which is named.
    """
    if not path.is_file():
        raise UserError(f"{path}: no such file", hint="give a JSONL file with one question a line")
    empty = True
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                record: Any = json.loads(line)
                asked = Asked.model_validate(record)
            except (json.JSONDecodeError, ValidationError) as error:
                reason = error.errors()[0]["msg"] if isinstance(error, ValidationError) else error.msg
                raise UserError(
                    f"{path}, line {number}: {reason}",
                    hint=_LINE,
                ) from None
            empty = False
            yield asked
    if empty:
        raise UserError(f"{path} holds no questions", hint=_LINE)
