"""``placecell ask``: one question, or a file of them, over a memory."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from placecell.apps.memories import open_memory
from placecell.apps.output import Output
from placecell.errors import UserError

if TYPE_CHECKING:
    from placecell.agents.answer import Answer


_LONGEST = 20_000


class _Question(BaseModel):
    """One line of a questions file; other keys are allowed and ignored."""

    model_config = ConfigDict(extra="ignore")

    id: str | int | None = None
    question: str = Field(min_length=1, max_length=_LONGEST)
    options: list[str] | None = None


def ask(
    out: Output,
    memory: Annotated[str, typer.Argument(help="A .pcell, any source `build` takes, or oracle:FILE.jsonl#SCENE.")],
    question: Annotated[str | None, typer.Argument(help="The question, in plain English.")] = None,
    option: Annotated[list[str] | None, typer.Option(help="An offered answer (repeat).")] = None,
    questions: Annotated[Path | None, typer.Option(help="JSONL with id, question, options.")] = None,
    trace: Annotated[Path | None, typer.Option(help="Write how it was answered as one HTML file.")] = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Say in words how it was understood and computed.")
    ] = False,
) -> int:
    """Ask a memory spatial questions."""
    if (question is None) == (questions is None):
        raise UserError("give either a question or --questions FILE")
    if question is not None and not 0 < len(question.strip()) <= _LONGEST:
        raise UserError(f"the question is {'empty' if not question.strip() else f'longer than {_LONGEST} characters'}")
    from placecell.agents import pipeline

    asked = list(_read(questions)) if question is None else [_Question(question=question, options=option)]
    if trace and len(asked) != 1:
        raise UserError("--trace takes one question", hint="ask it alone")
    scene = open_memory(memory, out)
    for item in asked:
        answer = pipeline.ask(scene, item.question, item.options, trace=trace)
        out.record(({"id": item.id} if questions else {}) | answer.record())
        _show(out, answer, prefix=f"{item.id}: " if questions else "")
        if explain:
            out.text(pipeline.explain(answer))
    return 0


def _show(out: Output, answer: Answer, prefix: str) -> None:
    if answer.abstained:
        out.text(f"{prefix}no answer: {answer.reason}")
        return
    letter = f"{answer.letter}. " if answer.letter else ""
    interval = ""
    if answer.interval and answer.unit:
        interval = f"  [{answer.interval[0]:.3g} to {answer.interval[1]:.3g} {answer.unit}]"
    out.text(f"{prefix}{letter}{answer.answer}{interval}  (confidence {answer.confidence:.2f})")
    for note in answer.notes:
        out.text(f"  {note}")


def _read(path: Path | None) -> Iterator[_Question]:
    if path is None or not path.is_file():
        raise UserError(f"{path}: no such file", hint="give a JSONL file with one question a line")
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                record: Any = json.loads(line)
                yield _Question.model_validate(record)
            except (json.JSONDecodeError, ValidationError) as error:
                reason = error.errors()[0]["msg"] if isinstance(error, ValidationError) else error.msg
                raise UserError(
                    f"{path}, line {number}: {reason}",
                    hint='a line is {"id": ..., "question": "...", "options": [...]}',
                ) from None
