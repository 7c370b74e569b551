"""One self-contained HTML page from a log: everything that happened to each question, readable offline and on a phone.

Knows the order of a page. How single events look is ``trace_steps``; frame and style are ``trace_page.html``.
Every text is escaped (``markup``); the page loads nothing from anywhere and holds no script.
"""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path

from placecell.agents.answer import Answer
from placecell.agents.events import (
    AnswerEvent,
    LogEvent,
    NoteEvent,
    PictureRef,
    QuestionEvent,
    ReplyEvent,
    RequestEvent,
    RunEvent,
    ViewEvent,
)
from placecell.agents.log import Log
from placecell.agents.markup import Markup, join, tag
from placecell.agents.questions.options import read_options
from placecell.agents.trace_pictures import Pictures, viewpoints_over
from placecell.agents.trace_steps import Steps, facts, table
from placecell.errors import UserError


def page(log: Log, *, title: str | None = None) -> str:
    """The page of a log, or of one question of it (``Log.only``)."""
    pictures = Pictures(log)
    asked = _by_question(log)
    questions = [events[0] for events in asked if isinstance(events[0], QuestionEvent)]
    heading = title or (questions[0].text if len(questions) == 1 else f"{len(questions)} questions")
    parts: list[Markup | None] = [tag("h1", heading)]
    if len(asked) > 1:
        parts.append(_contents(asked))
    if not asked:
        parts.append(tag("p", "Nothing was recorded.", class_="quiet"))
    parts += [_article(number, events, pictures, alone=len(asked) == 1) for number, events in enumerate(asked, 1)]
    parts.append(pictures.store())
    frame = resources.files("placecell.agents").joinpath("trace_page.html").read_text(encoding="utf-8")
    before, after = frame.split("{{body}}")
    return before.replace("{{title}}", join([heading])) + join(parts) + after


def write_page(log: Log, path: Path, *, title: str | None = None) -> None:
    """Write the page, or for a path that ends in .json the events, pictures by digest. UserError when it cannot be."""
    as_json = path.suffix.lower() == ".json"
    text = (
        json.dumps([e.model_dump(mode="json") for e in log.events], indent=1) + "\n"
        if as_json
        else page(log, title=title)
    )
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UserError(f"{path}: {error.strerror or error}", hint="choose another place for the trace") from None


def _by_question(log: Log) -> list[list[LogEvent]]:
    groups: dict[int, list[LogEvent]] = {}
    for event in log.events:
        groups.setdefault(event.question, []).append(event)
    return [groups[number] for number in sorted(groups)]


def _contents(asked: list[list[LogEvent]]) -> Markup:
    rows = []
    for number, events in enumerate(asked, 1):
        question = next((e.text for e in events if isinstance(e, QuestionEvent)), "without a question")
        answer = next((e.answer for e in events if isinstance(e, AnswerEvent)), None)
        notes = "; ".join(e.text for e in events if isinstance(e, NoteEvent) and e.headline)
        rows.append((str(number), tag("a", question, href=f"#q{number}"), _verdict_text(answer), notes))
    return table(("", "question", "answer", ""), rows)


def _article(number: int, events: list[LogEvent], pictures: Pictures, *, alone: bool) -> Markup:
    question = events[0] if isinstance(events[0], QuestionEvent) else None
    answer = next((e.answer for e in reversed(events) if isinstance(e, AnswerEvent)), None)
    shown = Steps(pictures, started=events[0].at)
    steps = [step for event in events if (step := shown.show(event)) is not None]
    parts = [
        tag("h2", question.text if question else "Without a question") if not alone else None,
        _options(question, answer),
        _verdict(answer),
        _asked_with(question),
        _overview(question, shown, pictures, alone=alone),
        tag("h3", "What happened") if steps else None,
        tag("ol", *steps, class_="steps") if steps else None,
        _costs(events, answer),
    ]
    return tag("article", *parts, id=f"q{number}")


def _options(question: QuestionEvent | None, answer: Answer | None) -> Markup | None:
    if question is None or not question.options:
        return None
    chosen = answer.answer if answer and not answer.abstained else None
    texts = [option.text for option in read_options("", question.options)[1]]
    items = [
        tag("li", option, class_="chosen" if text == chosen else None)
        for option, text in zip(question.options, texts, strict=True)
    ]
    return tag("ul", *items, class_="options")


def _verdict_text(answer: Answer | None) -> str:
    if answer is None:
        return "unfinished"
    if answer.abstained:
        return f"no answer: {answer.reason}"
    return f"{f'{answer.letter}. ' if answer.letter else ''}{answer.answer}"


def _verdict(answer: Answer | None) -> Markup:
    good = answer is not None and not answer.abstained
    said = tag("p", _verdict_text(answer), class_=f"verdict {'good' if good else 'bad'}")
    if answer is None:
        return said
    interval = answer.between
    rows = {
        "between": f"{interval[0]:g} and {interval[1]:g} {answer.unit or ''} (95 %)" if interval and good else None,
        "confidence": f"{answer.confidence:.2f}" if good else None,
        "by": answer.method,
        "stopped at": answer.stage,
        "notes": "; ".join(answer.notes) or None,
    }
    return join([said, facts(rows)])


def _asked_with(question: QuestionEvent | None) -> Markup | None:
    if question is None:
        return None
    m = question.memory
    objects = ", ".join(f"{n} {name}" for name, n in m.get("objects", {}).items())
    held = f"{m['frames']} images, {m['placed']} of them placed, {m['points']:,} points" if "frames" in m else None
    rows = {
        "strategy": question.strategy,
        "model": question.model,
        "memory": held,
        "objects": objects or None,
        "limits": ", ".join(f"{name} {most:g}" for name, most in question.limits.items() if most is not None) or None,
        "settings": ", ".join(f"{name} {value}" for name, value in question.settings.items()) or None,
        "versions": ", ".join(f"{name} {v}" for name, v in question.versions.items()) or None,
    }
    return tag(
        "details",
        tag("summary", "Asked with ", tag("span", f"{question.strategy}, {question.model}", class_="more")),
        facts(rows),
    )


def _overview(question: QuestionEvent | None, shown: Steps, pictures: Pictures, *, alone: bool) -> Markup | None:
    if question is None or question.overview is None:
        return None
    views: list[tuple[str, PictureRef]] = [(name, ref) for name, ref in shown.views if ref.camera]
    over, outside = viewpoints_over(question.overview, views)
    note = ""
    if over:
        note = "Pink: viewpoints of the pictures below."
        note += f" Beyond the map, drawn at its edge: {', '.join(outside)}." if outside else ""
    figure = pictures.figure(question.overview, over=over or None, note=note)
    if alone:
        return join([tag("h3", "The place, from above"), figure])
    return tag("details", tag("summary", "The place, from above"), figure)


def _costs(events: list[LogEvent], answer: Answer | None) -> Markup | None:
    requests = {e.call: e for e in events if isinstance(e, RequestEvent)}
    replies = [e for e in events if isinstance(e, ReplyEvent)]
    runs = [e for e in events if isinstance(e, RunEvent)]
    renders = sum(len(e.pictures) for e in runs) + sum(
        isinstance(e, ViewEvent) and e.picture is not None for e in events
    )
    parts: list[Markup | None] = [tag("h3", "Costs")]
    if requests:
        rows = []
        for reply in replies:
            request = requests.get(reply.call)
            usd = "cached" if reply.cached else "not known" if reply.usage.usd is None else f"{reply.usage.usd:.4f}"
            rows.append(
                (
                    reply.call,
                    request.role if request else "",
                    reply.model or (request.model if request else ""),
                    reply.finish or "",
                    f"{reply.usage.input:,}",
                    f"{reply.usage.output:,}",
                    len(request.pictures) if request else "",
                    usd,
                    f"{reply.seconds:.1f}",
                )
            )
        for call in sorted(requests.keys() - {r.call for r in replies}):
            request = requests[call]
            rows.append((call, request.role, request.model, "no reply", "", "", len(request.pictures), "", ""))
        head = ("call", "for", "model", "finish", "tokens in", "tokens out", "pictures", "USD", "s")
        parts.append(table(head, rows, numbers=(0, 4, 5, 6, 7, 8)))
        known = [r.usage.usd for r in replies if r.usage.usd is not None]
        parts.append(
            tag(
                "p",
                f"{len(requests)} calls, {sum(r.usage.input for r in replies):,} tokens in, "
                f"{sum(r.usage.output for r in replies):,} out, "
                f"{f'{sum(known):.4f} USD' if known else 'price not known'}",
            )
        )
    operations = sum(e.operations for e in runs)
    seconds = f", {answer.usage.seconds:.2f} s in all" if answer else ""
    parts.append(tag("p", f"{operations} operations, {renders} pictures rendered{seconds}", class_="quiet"))
    return join(parts)
