"""``placecell ask``: one question, or a file of them, over a memory, by rules or by a model."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from placecell.apps.memories import open_memory
from placecell.apps.output import EXHAUSTED, FINDINGS, Output, counted
from placecell.errors import UserError

if TYPE_CHECKING:
    from placecell.agents.answer import Answer
    from placecell.agents.answering import How
    from placecell.agents.strategy import Value

STRATEGIES = "program, cells, explore, primitives, imagine, direct"
MODELS = "rules, PROVIDER:NAME, PROVIDER:NAME@URL, or auto:PROVIDER:NAME (rules first)."
BUDGET = "Limits for each question, e.g. calls=10,usd=0.5,seconds=60,pictures=20,tokens=50000."


def ask(
    out: Output,
    memory: Annotated[str, typer.Argument(help="A .pcell, any source `build` takes, or oracle:FILE.jsonl#SCENE.")],
    question: Annotated[str | None, typer.Argument(help="The question, in plain English.")] = None,
    option: Annotated[list[str] | None, typer.Option(help="An offered answer (repeat).")] = None,
    questions: Annotated[Path | None, typer.Option(help="JSONL with id, question, options.")] = None,
    strategy: Annotated[str, typer.Option(help=f"One of {STRATEGIES}.")] = "program",
    model: Annotated[str, typer.Option(help=MODELS)] = "rules",
    budget: Annotated[str | None, typer.Option(metavar="NAME=MOST,...", help=BUDGET)] = None,
    rounds: Annotated[int | None, typer.Option(min=1, help="Same as --set rounds=N: rounds of exploration.")] = None,
    images: Annotated[int | None, typer.Option(min=1, help="Show a model at most this many photos.")] = None,
    set_: Annotated[
        list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="A setting of the strategy (repeat).")
    ] = None,
    offline: Annotated[bool, typer.Option("--offline", help="Refuse every connection beyond this machine.")] = False,
    trace: Annotated[Path | None, typer.Option(help="Write how it was answered as one HTML file.")] = None,
    log: Annotated[Path | None, typer.Option(help="Write everything that happens as JSONL; see `trace`.")] = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Say in words how it was understood and computed.")
    ] = False,
) -> int:
    """Ask a memory spatial questions. Nothing leaves this machine unless a cloud model is named."""
    if (question is None) == (questions is None):
        raise UserError("give either a question or --questions FILE")
    from placecell.agents import pipeline
    from placecell.agents.log import Log
    from placecell.agents.trace_page import write_page
    from placecell.apps.questions_file import LONGEST, Asked, read_questions

    if question is not None and not 0 < len(question.strip()) <= LONGEST:
        raise UserError(f"the question is {'empty' if not question.strip() else f'longer than {LONGEST} characters'}")
    asked = read_questions(questions) if questions else [Asked(question=question or "", options=option)]
    settings = [*(set_ or ()), *([f"rounds={rounds}"] if rounds is not None else [])]
    how = _how(strategy, model, budget, images, settings, offline=offline)
    asker = pipeline.Asker(open_memory(memory, out), how)
    kept = Log(log) if log is not None or trace is not None else None
    code = 0
    try:
        for item in asked:
            answer = asker.ask(item.question, item.options, log=kept)
            answer = answer.model_copy(update={"trace": str(trace)}) if trace is not None else answer
            out.record(({"id": item.id} if questions else {}) | answer.record())
            _show(out, answer, prefix=f"{item.id}: " if questions else "")
            if explain:
                out.text(pipeline.explain(answer))
            code = max(code, _code(answer))
    finally:
        if kept is not None:
            kept.close()
            if trace is not None:
                write_page(kept, trace)
    return code


def _how(
    strategy: str, model: str, budget: str | None, images: int | None, settings: list[str], *, offline: bool
) -> How:
    from placecell.agents.answering import How
    from placecell.agents.models.budget import Limits
    from placecell.agents.models.settings import Settings
    from placecell.memory.selection import SHOWN

    return How(
        strategy,
        model,
        limits=Limits.parse(budget or ""),
        settings=Settings.of_environment(offline=True if offline else None),
        images=SHOWN if images is None else images,
        options=dict(setting(text) for text in settings),
    )


def setting(text: str) -> tuple[str, Value]:
    """A strategy's setting from "NAME=VALUE". UserError for anything else."""
    name, equals, said = text.partition("=")
    if not equals or not name.strip():
        raise UserError(f"--set {text}: not NAME=VALUE", hint="write it like rounds=3")
    value: Value = said.strip()
    if said.strip().lower() in ("true", "false"):
        value = said.strip().lower() == "true"
    else:
        for kind in (int, float):
            try:
                value = kind(said)
                break
            except ValueError:
                continue
    return name.strip(), value


def _code(answer: Answer) -> int:
    """A question that ended at its budget is 4, one that ended because a model did not reply is 1, all others 0."""
    return {"budget": EXHAUSTED, "model": FINDINGS}.get(answer.stage or "", 0)


def _show(out: Output, answer: Answer, prefix: str) -> None:
    usage = answer.usage
    if usage.calls:
        cost = "price not known" if usage.usd is None else f"{usage.usd:.4f} USD"
        out.notice(f"{prefix}{counted(usage.calls, 'call')}, {usage.tokens:,} tokens, {cost}, {usage.seconds:.1f} s")
    if answer.abstained:
        out.text(f"{prefix}no answer: {answer.reason}")
        return
    letter = f"{answer.letter}. " if answer.letter else ""
    interval = ""
    if answer.between and answer.unit:
        interval = f"  [{answer.between[0]:.3g} to {answer.between[1]:.3g} {answer.unit}]"
    out.text(f"{prefix}{letter}{answer.answer}{interval}  (confidence {answer.confidence:.2f})")
    for note in answer.notes:
        out.text(f"  {note}")
