"""Two logs side by side: where they part first, what each stage did, and what each cost.

Knows which fields of an event are chance or choice (times, counters, made-up ids, the model's name) and which are what
happened. Reads logs only; neither a model nor a memory is needed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from placecell.agents.answer import Answer
from placecell.agents.events import AnswerEvent, LogEvent, QuestionEvent, ReplyEvent, RequestEvent, RunEvent
from placecell.agents.log import Log

_CHANCE: dict[str, Any] = {
    **dict.fromkeys(("n", "question", "at", "seconds"), True),
    **dict.fromkeys(("model", "limits", "settings", "use", "versions"), True),  # what was chosen, not what happened
    **dict.fromkeys(("usage", "cached"), True),  # shown as costs
    "steps": {"__all__": {"milliseconds"}},
    "answer": {"trace": True, "versions": True, "usage": {"seconds", "usd"}},
}
"""Fields that may differ between two runs in which the same happened."""
_MARGIN = 30
"""Characters shown before the place where two long texts part."""
_SHOWN = 100


@dataclass(frozen=True)
class Difference:
    """Where two runs part: the event (its kind and place among the question's events), the field, and both values."""

    event: str
    field: str
    first: str
    second: str

    def __str__(self) -> str:
        at = f", {self.field}" if self.field else ""
        return f"{self.event}{at}: {self.first} | {self.second}"


@dataclass(frozen=True)
class Cost:
    """What a run took for one question; ``usd`` None where a price is not known."""

    question: str
    model: str
    answer: str
    calls: int = 0
    tokens: int = 0
    operations: int = 0
    seconds: float = 0.0
    usd: float | None = 0.0


@dataclass(frozen=True)
class Comparison:
    """Two runs of one question. ``stages`` are kind, how many in each, and whether they are the same."""

    number: int
    question: str
    difference: Difference | None
    stages: tuple[tuple[str, int, int, bool], ...]
    costs: tuple[Cost, Cost]

    @property
    def same(self) -> bool:
        return self.difference is None

    def record(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "number": self.number,
            "question": self.question,
            "same": self.same,
            "difference": vars(self.difference) if self.difference else None,
            "stages": [dict(zip(("kind", "first", "second", "same"), row, strict=True)) for row in self.stages],
            "costs": [vars(cost) for cost in self.costs],
        }


def compare(first: Log, second: Log) -> list[Comparison]:
    """Every question of two logs, in order; a question that only one of them has differs at its beginning."""
    count = max(first.questions, second.questions)
    return [_compared(number, _events(first, number), _events(second, number)) for number in range(1, count + 1)]


def first_difference(first: Any, second: Any) -> tuple[str, str, str] | None:
    """The first place where two JSON-able values differ, and both values there, shortened; None when they are equal."""
    found = _differ(first, second, ())
    if found is None:
        return None
    path, a, b = found
    return (_place(path), *_shortened(a, b))


def outcome(answer: Answer) -> dict[str, Any]:
    """An answer for JSON without what is chance or money: equal for a run and its replay, byte by byte."""
    return answer.model_dump(mode="json", exclude=_CHANCE["answer"])


def _events(log: Log, number: int) -> tuple[LogEvent, ...]:
    return log.only(number).events if number <= log.questions else ()


def _compared(number: int, first: Sequence[LogEvent], second: Sequence[LogEvent]) -> Comparison:
    kinds = list(dict.fromkeys(_kind(e) for e in (*first, *second)))
    stages = []
    for kind in kinds:
        a, b = ([_lasting(e) for e in events if _kind(e) == kind] for events in (first, second))
        stages.append((kind, len(a), len(b), a == b))
    text = next((e.text for e in (*first, *second) if isinstance(e, QuestionEvent)), "")
    costs = (cost(first), cost(second))
    return Comparison(number, text, _parting(first, second), tuple(stages), costs)


def _parting(first: Sequence[LogEvent], second: Sequence[LogEvent]) -> Difference | None:
    for place in range(max(len(first), len(second))):
        if place >= len(first) or place >= len(second):
            longer = first if place < len(first) else second
            words = [_kind(longer[place]), "nothing more"]
            a, b = words if longer is first else reversed(words)
            return Difference(f"event {place + 1}", "", a, b)
        a_event, b_event = first[place], second[place]
        if _kind(a_event) != _kind(b_event):
            return Difference(f"event {place + 1}", "", _kind(a_event), _kind(b_event))
        found = first_difference(_lasting(a_event), _lasting(b_event))
        if found is not None:
            return Difference(f"event {place + 1} ({_kind(a_event)})", *found)
    return None


def _kind(event: LogEvent) -> str:
    return str(getattr(event, "kind", ""))


def _lasting(event: LogEvent) -> Any:
    """What happened in an event, for JSON."""
    if isinstance(event, RequestEvent):
        return {"role": event.role, **event.own().shaping(), "dropped": list(event.dropped)}
    lasting = event.model_dump(mode="json", exclude=_CHANCE)
    for part in lasting.get("parts", ()):
        part.pop("id", None)
    return lasting


def _differ(a: Any, b: Any, path: tuple[str | int, ...]) -> tuple[tuple[str | int, ...], Any, Any] | None:
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        for key in [*a, *(k for k in b if k not in a)]:
            if key not in a or key not in b:
                return (*path, key), a.get(key, "nothing"), b.get(key, "nothing")
            if (found := _differ(a[key], b[key], (*path, key))) is not None:
                return found
        return None
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        for n, (x, y) in enumerate(zip(a, b, strict=False)):
            if (found := _differ(x, y, (*path, n))) is not None:
                return found
        return None if len(a) == len(b) else (path, f"{len(a)} items", f"{len(b)} items")
    return None if a == b else (path, a, b)


def _place(path: Sequence[str | int]) -> str:
    parts = [f"[{p}]" if isinstance(p, int) else f".{p}" for p in path]
    return "".join(parts).lstrip(".")


def _shortened(a: Any, b: Any) -> tuple[str, str]:
    """Both values in a line each; of long texts the part around the first character that differs."""
    first, second = (v if isinstance(v, str) else json.dumps(v, ensure_ascii=False) for v in (a, b))
    at = next((n for n, (x, y) in enumerate(zip(first, second, strict=False)) if x != y), min(len(first), len(second)))
    begin = max(0, at - _MARGIN) if max(len(first), len(second)) > _SHOWN else 0

    def line(text: str) -> str:
        part = text[begin : begin + _SHOWN]
        shown = f"{'...' if begin else ''}{part}{'...' if begin + _SHOWN < len(text) else ''}"
        return json.dumps(shown, ensure_ascii=False)

    return line(first), line(second)


def cost(events: Sequence[LogEvent]) -> Cost:
    """What the events of one question took."""
    replies = [e for e in events if isinstance(e, ReplyEvent)]
    prices = [r.usage.usd for r in replies]
    answer = next((e.answer for e in reversed(events) if isinstance(e, AnswerEvent)), None)
    return Cost(
        question=next((e.text for e in events if isinstance(e, QuestionEvent)), ""),
        model=next((e.model for e in events if isinstance(e, QuestionEvent)), ""),
        answer=_said(answer),
        calls=len(replies),
        tokens=sum(r.usage.input + r.usage.output for r in replies),
        operations=sum(e.operations for e in events if isinstance(e, RunEvent)),
        seconds=round(answer.usage.seconds if answer else 0.0, 3),
        usd=None if None in prices else round(sum(p for p in prices if p is not None), 6),
    )


def _said(answer: Answer | None) -> str:
    if answer is None:
        return "unfinished"
    if answer.abstained:
        return f"no answer: {answer.reason}"
    return f"{answer.letter}. {answer.answer}" if answer.letter else str(answer.answer)
