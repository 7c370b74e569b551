"""What reading the values of a program gives: an answer before it becomes a record, or why there is none.

Knows how absent values are told to a person, and how a margin becomes a confidence. Does not know single questions.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TypeVar

from placecell.agents.answer import Stage
from placecell.engine.interpreter import RunResult
from placecell.engine.values import Absent, InstancesValue, InstanceValue, Picture, Reason, Value
from placecell.language.decomposition import Option

_SURE = 0.99
"""No answer is more certain than this: the memory itself may be wrong."""

_NOT_IN_MEMORY = frozenset(
    {"not looked for", "not in memory", "not seen", "no such image", "image not placed", "no points"}
)
_STAGES: dict[Reason, Stage] = {
    "not found": "grounding",
    "not looked for": "grounding",
    "ambiguous": "grounding",
    "unknown scale": "memory",
    "not seen": "memory",
    "no such image": "memory",
    "image not placed": "memory",
    "no points": "memory",
    "not in memory": "memory",
}


@dataclass(frozen=True)
class Reading:
    """An answer in the making. ``reason`` and ``stage`` are set, and nothing else, when there is none."""

    text: str | None = None
    option: Option | None = None
    value: bool | int | float | str | None = None
    unit: str | None = None
    interval: tuple[float, float] | None = None
    confidence: float = 0.0
    notes: tuple[str, ...] = ()
    reason: str | None = None
    stage: Stage | None = None

    def noting(self, *notes: str) -> Reading:
        return replace(self, notes=(*self.notes, *(n for n in notes if n)))


def no_answer(reason: str, stage: Stage = "answer") -> Reading:
    """Nothing could be read."""
    return Reading(reason=reason, stage=stage)


def absent(value: Absent) -> Reading:
    """Why a value is missing, from the first cause on."""
    root = root_cause(value)
    prefix = "not in memory" if root.reason in _NOT_IN_MEMORY else root.reason
    return no_answer(f"{prefix}: {root.message}", _STAGES.get(root.reason, "execution"))


def root_cause(value: Absent) -> Absent:
    """The absent value that all later ones come from."""
    while value.cause is not None:
        value = value.cause
    return value


def first_absent(values: Iterable[object]) -> Reading | None:
    """The reading of the first absent value, None when all are there."""
    return next((absent(v) for v in values if isinstance(v, Absent)), None)


def nothing_found(objects: InstancesValue) -> Reading:
    """No instance of an asked name: known not to be there, or never looked for."""
    if objects.reason == "not looked for":
        return no_answer(f"not in memory: nobody looked for {objects.name!r}", "grounding")
    if objects.note:
        prefix = "not in memory" if objects.reason in _NOT_IN_MEMORY else objects.reason
        return no_answer(f"{prefix}: {objects.note}", "grounding")
    return no_answer(f"not found: there is no {objects.name} in the memory", "grounding")


def certainty(margin: float | None) -> float:
    """Probability that a choice with this margin, in standard deviations, is right; 0.5 at a tie."""
    if margin is None:
        return _SURE
    return min(_SURE, 0.5 * (1.0 + math.erf(max(margin, 0.0) / math.sqrt(2.0))))


def in_sd(margin: float, sd: float) -> float | None:
    """``margin`` in standard deviations; None when it is exact and no tie."""
    if sd > 0:
        return margin / sd
    return None if margin > 0 else 0.0


def selected(value: InstanceValue) -> float:
    """How sure a selection among several objects is: the engine says when it was close."""
    return 0.6 if value.margin == 0.0 else _SURE


def asked_objects(result: RunResult) -> dict[str, InstancesValue]:
    """What each looked-up phrase gave."""
    found: dict[str, InstancesValue] = {}
    for step in result.steps:
        if step.operation == "query_3d_object_location" and isinstance(step.result, InstancesValue):
            found[step.result.name] = step.result
    return found


def judged(reading: Reading, result: RunResult) -> Reading:
    """The reading, as sure as the attributes of its phrases were judged; a doubtful one is said."""
    for objects in asked_objects(result).values():
        if objects.judged is not None and reading.reason is None:
            doubt = (f"{objects.name}: {objects.note}",) if objects.instances and objects.note else ()
            reading = replace(reading, confidence=reading.confidence * objects.judged).noting(*doubt)
    return reading


_Kind = TypeVar("_Kind")


def of_kind(result: RunResult, kind: type[_Kind]) -> list[_Kind]:
    """The returned values of one kind, in order."""
    return [v for v in result.values if isinstance(v, kind)]


def measured_values(result: RunResult) -> list[Value]:
    """The returned values without the pictures."""
    return [v for v in result.values if not isinstance(v, Picture)]
