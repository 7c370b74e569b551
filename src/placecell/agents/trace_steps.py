"""How each event of a log is shown on a trace page.

Knows the kinds of events. Does not know the page around them (``trace_page``).
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence

from placecell.agents.answer import Finding
from placecell.agents.events import (
    AnswerEvent,
    BudgetEvent,
    CallPart,
    DecompositionEvent,
    FailureEvent,
    LogEvent,
    Message,
    NoteEvent,
    Part,
    PicturePart,
    PictureRef,
    ProgramEvent,
    ReplyEvent,
    RequestEvent,
    ResultPart,
    RunEvent,
    TextPart,
    ViewEvent,
)
from placecell.agents.explaining import slots
from placecell.agents.markup import Markup, join, tag
from placecell.agents.trace_pictures import Pictures
from placecell.language.diagnostics import carets

_TONES = {"error": "bad", "warning": "warn", "note": "quiet"}


def table(head: Sequence[str], rows: Iterable[Sequence[object]], *, numbers: Collection[int] = (0,)) -> Markup:
    """Rows below a head; the columns of ``numbers`` stand to the right. Scrolls sideways where it does not fit."""

    def cells(name: str, row: Sequence[object]) -> Markup:
        return join(tag(name, cell, class_="number" if n in numbers else None) for n, cell in enumerate(row))

    body = [tag("tr", cells("td", row)) for row in rows]
    return tag("div", tag("table", tag("tr", cells("th", head)), *body), class_="wide")


def facts(rows: Mapping[str, object]) -> Markup | None:
    """Names and values in two columns; None is left out."""
    lines = [tag("tr", tag("th", name), tag("td", value)) for name, value in rows.items() if value is not None]
    return tag("table", *lines, class_="facts") if lines else None


class Steps:
    """Shows the events of one question, one after the other.

    ``views`` are the renders shown so far with the names they have on the page.
    """

    def __init__(self, pictures: Pictures, *, started: float) -> None:
        self.views: list[tuple[str, PictureRef]] = []
        self._pictures = pictures
        self._started = started

    def show(self, event: LogEvent) -> Markup | None:
        """An item of the list of what happened; None for what the page shows elsewhere (question, answer)."""
        match event:
            case DecompositionEvent():
                return self._decomposition(event)
            case RequestEvent():
                return self._request(event)
            case ReplyEvent():
                return self._reply(event)
            case ProgramEvent():
                return self._program(event)
            case RunEvent():
                return self._run(event)
            case ViewEvent():
                return self._view(event)
            case NoteEvent():
                rows = {name: _plain(value) for name, value in event.facts.items()}
                return self._step(event, "Note", event.text, facts(rows))
            case FailureEvent():
                of = f", call {event.call}" if event.call is not None else ""
                return self._step(
                    event, f"Failed at {event.stage}{of}", tag("span", event.reason, class_="bad"), tone="bad"
                )
            case BudgetEvent():
                used = event.used.get(event.limit)
                of = f"{used:g} of {event.allowed:g}" if used is not None else f"{event.allowed:g} allowed"
                return self._step(event, "Budget used up", f"{event.limit}: {of}", tone="bad")
            case AnswerEvent() if event.answer.values:
                rows = dict(event.answer.values)
                return self._step(event, "Answer", "", _folded(f"{len(rows)} named values", facts(rows)))
        return None

    def _step(self, event: LogEvent, title: str, more: object, *body: object, tone: str = "") -> Markup:
        when = tag("span", f" +{max(0.0, event.at - self._started):.2f} s", class_="quiet")
        first = tag("p", tag("b", title), " " if more else None, more or None, when)
        return tag("li", first, *body, class_=f"{tone}-step" if tone else None)

    def _decomposition(self, event: DecompositionEvent) -> Markup:
        rows = tag("pre", "\n".join(line.strip() for line in slots(event.decomposition)), class_="said")
        record = json.dumps(event.decomposition.model_dump(mode="json"), indent=1, ensure_ascii=False)
        said = f"by {event.author}{f': {event.family}' if event.family else ''}"
        return self._step(event, "Understood", said, rows, _folded("as JSON", tag("pre", record)))

    def _request(self, event: RequestEvent) -> Markup:
        pictures = event.pictures
        count = f", {len(pictures)} picture{'s' if len(pictures) > 1 else ''}" if pictures else ""
        length = sum(len(p.text) for m in event.messages for p in m.parts if isinstance(p, TextPart))
        inner = [self._message(message) for message in event.messages]
        if event.tools:
            names = ", ".join(str(t.get("name", "?")) for t in event.tools)
            inner.append(_folded(f"tools: {names}", tag("pre", json.dumps(list(event.tools), indent=1))))
        if event.output is not None:
            inner.append(_folded("wanted as", tag("pre", json.dumps(event.output, indent=1))))
        if event.settings:
            inner.append(tag("p", ", ".join(f"{k} {_plain(v)}" for k, v in event.settings.items()), class_="quiet"))
        dropped = [tag("p", f"left out: {what}", class_="warn") for what in event.dropped]
        title = f"Sent to {event.role}"
        return self._step(
            event, title, f"call {event.call}, {event.model}", *dropped,
            _folded(f"{length:,} characters{count}", *inner),
        )  # fmt: skip

    def _message(self, message: Message) -> Markup:
        parts: list[Markup] = [tag("p", message.role, class_="role")]
        strip: list[Markup] = []
        for part in message.parts:
            if isinstance(part, PicturePart):
                strip.append(self._pictures.thumbnail(part.picture))
                continue
            parts += [tag("div", *strip, class_="strip")] if strip else []
            strip = []
            parts.append(_part(part))
        parts += [tag("div", *strip, class_="strip")] if strip else []
        return join(parts)

    def _reply(self, event: ReplyEvent) -> Markup:
        finish = f", {event.finish}" if event.finish not in (None, "stop", "tool_call") else ""
        tokens = f"{event.usage.input:,} + {event.usage.output:,} tokens"
        cached = ", from the cache" if event.cached else f", {event.seconds:.1f} s"
        body = [_part(part) for part in event.parts] or [tag("p", "nothing", class_="bad")]
        return self._step(event, "Reply", f"to call {event.call}{finish}, {tokens}{cached}", *body)

    def _program(self, event: ProgramEvent) -> Markup:
        errors = sum(d.severity == "error" for d in event.diagnostics)
        verdict = "accepted" if event.accepted else f"rejected, {errors} error{'s' if errors != 1 else ''}"
        repaired = ", repaired" if event.repaired else ""
        said = tag("span", f"{verdict}{repaired}", class_="good" if event.accepted else "bad")
        which = f"Cell {event.attempt}" if event.what == "cell" else f"Program, attempt {event.attempt}"
        title = f"{which}, by {event.author}:"
        tone = "good" if event.accepted else "bad"
        return self._step(event, title, said, _listing(event.text, event.diagnostics), tone=tone)

    def _run(self, event: RunEvent) -> Markup:
        values = table(("", "value", "rests on"), [(n, v.words, v.rests_on) for n, v in enumerate(event.values, 1)])
        head = ("", "line", "operation", "arguments", "result", "rests on", "viewpoint", "ms")
        rows = [
            (s.number, s.line, f"{s.target} = {s.operation}" if s.target else s.operation, s.arguments, s.result,
             s.rests_on, s.viewpoint, f"{s.milliseconds:.1f}")
            for s in event.steps
        ]  # fmt: skip
        steps = _folded(f"{len(rows)} steps", table(head, rows, numbers=(0, 1, 7))) if rows else None
        figures = [self._figure(picture) for picture in event.pictures]
        return self._step(
            event, "Run", f"{event.operations} operations", values if event.values else None, steps, *figures
        )

    def _view(self, event: ViewEvent) -> Markup:
        asked = ", ".join(f"{name} {_plain(value)}" for name, value in event.asked.items() if value is not None)
        title = "View" if event.round is None else f"View in round {event.round}"
        if event.refused is not None:
            return self._step(event, title, asked, tag("p", f"refused: {event.refused}", class_="warn"))
        return self._step(event, title, asked, self._figure(event.picture) if event.picture else None)

    def _figure(self, picture: PictureRef) -> Markup:
        name = _letters(len(self.views))
        self.views.append((name, picture))
        return self._pictures.figure(picture, title=name)


def _part(part: Part) -> Markup:
    match part:
        case TextPart():
            return tag("pre", part.text, class_="said")
        case CallPart():
            return tag("pre", f"{part.name}({part.arguments})", class_="said")
        case ResultPart():
            return tag("pre", f"{part.name} gave: {part.text}", class_="said")
        case PicturePart():
            return tag("p", part.picture.caption)


def _listing(text: str, diagnostics: Sequence[Finding]) -> Markup:
    """A program with line numbers, and below each faulty line carets and what is wrong."""
    lines = text.rstrip("\n").split("\n")
    rows: list[object] = []
    for number, line in enumerate(lines, 1):
        rows += [tag("span", f"{number:3d}  ", class_="line"), line.replace("\t", "    "), "\n"]
        for d in (d for d in diagnostics if d.line == number):
            end = d.end_column if d.end_line == d.line else len(line) + 1
            hint = f"\n     hint: {d.hint}" if d.hint else ""
            said = f"     {carets(line, d.column, end)}\n     {d.severity} {d.code} {d.category}: {d.message}{hint}\n"
            rows.append(tag("span", said, class_=f"flaw {_TONES.get(d.severity, '')}"))
    rest = [d for d in diagnostics if d.line > len(lines)]
    rows += [f"     {d.severity} {d.code}: {d.message}\n" for d in rest]
    return tag("pre", *rows)


def _folded(summary: str, *inner: object) -> Markup:
    return tag("details", tag("summary", tag("span", summary, class_="more")), *inner)


def _plain(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _letters(n: int) -> str:
    """a, b, ... z, aa, ab, ...: viewpoints are told from images by having letters."""
    name = ""
    n += 1
    while n:
        n, rest = divmod(n - 1, 26)
        name = chr(ord("a") + rest) + name
    return name
