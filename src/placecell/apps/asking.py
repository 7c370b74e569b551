"""``placecell ask``: one question, or a file of them, over a memory."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from placecell.apps.memories import open_memory
from placecell.apps.output import Output
from placecell.errors import UserError

if TYPE_CHECKING:
    from placecell.agents.answer import Answer


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
    from placecell.agents import pipeline
    from placecell.apps.questions_file import LONGEST, Asked, read_questions

    if question is not None and not 0 < len(question.strip()) <= LONGEST:
        raise UserError(f"the question is {'empty' if not question.strip() else f'longer than {LONGEST} characters'}")
    asked = list(read_questions(questions)) if questions else [Asked(question=question or "", options=option)]
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
