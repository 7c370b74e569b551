"""A file of questions: one JSON object a line with ``id``, ``question`` and ``options``."""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from placecell.evaluation.lines import read_lines

LONGEST = 20_000
"""Characters of a question."""


class Asked(BaseModel):
    """One line of a questions file; other keys are allowed and ignored."""

    model_config = ConfigDict(extra="ignore")

    id: str | int | None = None
    question: str = Field(min_length=1, max_length=LONGEST)
    options: list[str] | None = None


def read_questions(path: Path) -> list[Asked]:
    """The questions of a JSONL file, in order; blank lines are left out.

    Raises:
        UserError: there is no such file, no question in it, or a faulty line, which is named.
    """
    return read_lines(
        path, TypeAdapter(Asked), "questions", 'a line is {"id": ..., "question": "...", "options": [...]}'
    )
