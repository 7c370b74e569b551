"""``placecell trace``: what a recorded run did, how two differ, and the same run again without its model."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from placecell.apps.memories import open_memory
from placecell.apps.output import FINDINGS, Output, counted
from placecell.errors import UserError

if TYPE_CHECKING:
    from placecell.agents.log import Log

LogFile = Annotated[Path, typer.Argument(metavar="LOG", help="A log written by `ask --log`.")]


def show(
    out: Output,
    log: LogFile,
    html: Annotated[Path | None, typer.Option(help="Write the trace page here.")] = None,
    question: Annotated[int | None, typer.Option(min=1, help="Only this question, counted from 1.")] = None,
) -> int:
    """Say what happened in a recorded run; with --html as one page that needs nothing else."""
    from placecell.agents.trace_diff import cost
    from placecell.agents.trace_page import write_page

    recorded = _read(log, question)
    numbers = [question] if question is not None else list(range(1, recorded.questions + 1))
    for number in numbers:
        events = recorded.only(number).events
        spent = cost(events)
        out.record({"question": number, **vars(spent), "events": [e.model_dump(mode="json") for e in events]})
        price = "price not known" if spent.usd is None else f"{spent.usd:.4f} USD"
        out.text(f"{number}. {spent.question}")
        out.text(f"   {spent.answer}")
        calls = counted(spent.calls, "call")
        out.text(f"   {spent.model}: {calls}, {spent.tokens:,} tokens, {price}, {spent.seconds:.2f} s")
    if html is not None:
        write_page(recorded, html)
        out.notice(f"wrote {html}")
    return 0


def diff(
    out: Output,
    first: LogFile,
    second: Annotated[Path, typer.Argument(metavar="OTHER", help="Another one, of the same questions.")],
) -> int:
    """Show where two recorded runs part first, stage by stage, and what each cost. Exit code 1 when they differ."""
    from placecell.agents.log import Log
    from placecell.agents.trace_diff import compare

    compared = compare(Log.read(first), Log.read(second))
    for found in compared:
        out.record(found.record())
        a, b = found.costs
        out.text(f"{found.number}. {found.question}")
        out.text(f"   {'the same' if found.difference is None else f'differ in {found.difference}'}")
        changed = [f"{kind} {n} | {m}" for kind, n, m, same in found.stages if not same]
        if changed:
            out.text(f"   stages that differ: {', '.join(changed)}")
        for name in ("answer", "model", "calls", "tokens", "usd", "operations", "seconds"):
            x, y = getattr(a, name), getattr(b, name)
            if x != y:
                out.text(f"   {name}: {x} | {y}")
    same = sum(found.same for found in compared)
    out.text(f"{same} of {len(compared)} questions went the same way")
    return 0 if same == len(compared) else FINDINGS


def replay(
    out: Output,
    log: LogFile,
    memory: Annotated[str, typer.Argument(help="The memory the questions were put to.")],
    question: Annotated[int | None, typer.Option(min=1, help="Only this question, counted from 1.")] = None,
    output: Annotated[Path | None, typer.Option("--log", help="Record this run, too.")] = None,
) -> int:
    """Answer recorded questions again with the recorded replies, no model. Exit code 1 when an answer differs."""
    from placecell.agents.log import Log
    from placecell.agents.replaying import replay as again

    recorded = _read(log, question)
    kept = Log(output) if output is not None else None
    code = 0
    for found in again(recorded, open_memory(memory, out), log=kept):
        out.record({"question": found.number, "same": found.difference is None, **found.again.record()})
        if found.difference is None:
            out.text(f"{found.number}. the same answer: {found.again.answer or found.again.reason}")
            continue
        place, then, now = found.difference
        out.text(f"{found.number}. another answer: {place} was {then}, is {now}")
        code = FINDINGS
    if kept is not None:
        kept.close()
    return code


def _read(path: Path, question: int | None) -> Log:
    from placecell.agents.log import Log

    log = Log.read(path)
    if log.questions == 0:
        raise UserError(f"{path}: no question was recorded")
    return log if question is None else log.only(question)
