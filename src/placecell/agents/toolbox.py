"""Operations carried out one call at a time, with handles for results: what free tool calls run on.

No checker: nothing looks at the calls as a whole, so an outdated direction or a forgotten motion goes unnoticed (that
is what the ``primitives`` baseline measures). What a single call cannot do without is seen to here: known names,
kinds, ranges and choices. Knows no model.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from placecell.agents.tool_schemas import HANDLE, IMPLICIT
from placecell.engine import values
from placecell.engine.context import Budget, Context, PictureSettings
from placecell.engine.describe import describe
from placecell.engine.evidence import rests_on
from placecell.engine.fields import element, read_field
from placecell.engine.interpreter import RunResult, RunStats, Session
from placecell.engine.values import Absent, MemoryValue, Value
from placecell.language.attributes import criterion
from placecell.language.ops import ALIASES, OPERATIONS
from placecell.language.plan import Argument, Assign, Call, Expr, ListExpr, Literal, Name
from placecell.language.rules.values import range_text
from placecell.language.signature import Category, Operation, Parameter
from placecell.language.types import FIELDS, INDEXABLE, Kind
from placecell.memory.scene import SpatialMemory

__all__ = ["Made", "Toolbox", "kind_of"]

_KINDS: Mapping[type, Kind] = {
    values.MemoryValue: Kind.MEMORY,
    values.PoseValue: Kind.POSE,
    values.InstanceValue: Kind.INSTANCE,
    values.InstancesValue: Kind.INSTANCES,
    values.Length: Kind.LENGTH,
    values.Extents: Kind.EXTENTS,
    values.Area: Kind.AREA,
    values.Angle: Kind.ANGLE,
    values.Number: Kind.NUMBER,
    values.Flag: Kind.BOOL,
    values.Vector: Kind.VECTOR,
    values.ListValue: Kind.LIST,
    values.Count: Kind.COUNT,
    values.Direction: Kind.DIRECTION,
    values.Order: Kind.ORDER,
    values.Visibility: Kind.VISIBILITY,
    values.Route: Kind.ROUTE,
    values.TrackValue: Kind.TRACK,
    values.MotionValue: Kind.MOTION,
    values.Text: Kind.TEXT,
    values.Picture: Kind.PICTURE,
}
_PART = re.compile(r"\[(-?\d+)\]|\.([a-z_]+)")


def kind_of(value: Value) -> Kind:
    """The kind of a value; of an absent one, the kind it would have had."""
    return Kind(value.kind) if isinstance(value, Absent) else _KINDS[type(value)]


@dataclass(frozen=True, eq=False)
class Made:
    """What a call gave: its ``handle`` and ``value``."""

    handle: str
    value: Value

    def told(self) -> str:
        """The value in words, with what it rests on."""
        grounds = rests_on(self.value)
        return f"{self.handle} = {describe(self.value)}" + (f" [{grounds}]" if grounds else "")


class _Wrong(Exception):
    """A call that cannot be made; the message is for the model."""


class Toolbox:
    """One memory, one viewpoint, and the results so far."""

    def __init__(
        self,
        memory: SpatialMemory,
        *,
        budget: Budget = Budget(),  # noqa: B008 - frozen
        pictures: PictureSettings = PictureSettings(),  # noqa: B008 - frozen
    ) -> None:
        self.memory = memory
        self._session = Session(Context(lambda _request: memory, budget, pictures))
        self._session.context.memory = memory
        self._session.bindings["memory"] = MemoryValue(memory)
        self._results = 0

    def call(self, name: str, arguments: Mapping[str, Any]) -> Made | str:
        """Carry one operation out; a sentence for the model when the call cannot be made."""
        operation = OPERATIONS.get(ALIASES.get(name, name))
        if operation is None or operation.category is Category.CONSTRUCT:
            return f"there is no operation {name!r}"
        try:
            filled = self._filled(operation, arguments)
        except _Wrong as wrong:
            return f"{operation.name}: {wrong}"
        self._results += 1
        handle = f"r{self._results}"
        self._session.execute([Assign(handle, Call(operation.name, filled))])
        return Made(handle, self._session.bindings[handle])

    def last(self) -> RunResult:
        """The last call as a run of its own, for the log."""
        step = self._session.steps[-1]
        pictures = int(isinstance(step.result, values.Picture))
        stats = RunStats(1, pictures, step.milliseconds / 1e3)
        return RunResult((step.result,), {step.target or "": step.result}, (step,), stats, self.memory)

    def result(self) -> RunResult:
        """Everything that was called, as one run whose values are all results."""
        return self._session.result(tuple(step.result for step in self._session.steps))

    def _filled(self, operation: Operation, arguments: Mapping[str, Any]) -> tuple[Argument, ...]:
        given: dict[str, Any] = {}
        for key, value in arguments.items():
            parameter = operation.by_name.get(str(key))
            if parameter is None and str(key) in operation.ignored:
                continue
            if parameter is None:
                named = ", ".join(p.name for p in operation.parameters if not p.kinds & IMPLICIT)
                raise _Wrong(f"there is no argument {str(key)!r}; it takes {named or 'none'}")
            if value is not None and not parameter.kinds & IMPLICIT:
                given[parameter.name] = value
        if operation.name == "render_semantic_bev" and not any(given.values()):
            raise _Wrong("with neither objects nor cameras there is nothing to draw")
        filled = []
        for parameter in operation.parameters:
            if parameter.kinds & IMPLICIT:
                filled.append(Argument(parameter.name, Name("memory")))
            elif parameter.name in given:
                filled.append(Argument(parameter.name, self._argument(parameter, given[parameter.name])))
            elif parameter.required:
                raise _Wrong(f"{parameter.name} is missing: {parameter.summary}")
        return tuple(filled)

    def _argument(self, parameter: Parameter, value: Any) -> Expr:
        if not parameter.many:
            return self._one(parameter, value)
        return ListExpr(tuple(self._one(parameter, item) for item in (value if isinstance(value, list) else [value])))

    def _one(self, parameter: Parameter, value: Any) -> Expr:
        """One value: a handle where the parameter takes results, else a literal."""
        if parameter.needs_metric and not self.memory.scale.metric:
            raise _Wrong(f"lengths are in units of unknown size here; leave {parameter.name} out")
        wants = " or ".join(sorted(str(kind) for kind in parameter.kinds))
        is_handle = isinstance(value, str) and re.match(HANDLE, value.strip())
        if is_handle and parameter.kinds - set(_LITERAL):
            return self._handle(parameter, value.strip(), wants)
        for kind, check in _LITERAL.items():
            if kind in parameter.kinds and (literal := check(parameter, value)) is not None:
                return Literal(literal)
        if parameter.kinds - set(_LITERAL):
            raise _Wrong(f"{parameter.name} is {value!r}; give the handle of an earlier result that is {wants}")
        raise _Wrong(f"{parameter.name} is {value!r}; {_expected(parameter)}")

    def _handle(self, parameter: Parameter, text: str, wants: str) -> Expr:
        value = self._look_up(text)
        kind = kind_of(value)
        if kind not in parameter.kinds:
            raise _Wrong(f"{parameter.name} is {text}, {kind}; it takes {wants}")
        name = f"{text} as argument"
        self._session.bindings[name] = value
        return Name(name)

    def _look_up(self, text: str) -> Value:
        """The value a handle stands for, elements and fields followed."""
        start = text.split("[")[0].split(".")[0]
        value = self._session.bindings.get(start)
        if value is None:
            raise _Wrong(f"there is no result {start}; there are r1 to r{self._results}" if self._results else
                         f"there is no result {start} yet")  # fmt: skip
        for index, name in _PART.findall(text):
            kind = kind_of(value)
            if index and kind not in INDEXABLE:
                raise _Wrong(f"{kind} in {text} has no elements")
            if name and name not in FIELDS.get(kind, {}):
                raise _Wrong(
                    f"{kind} in {text} has no field {name!r}; it has {', '.join(FIELDS.get(kind, {})) or 'none'}"
                )
            value = element(value, int(index)) if index else read_field(value, name, self._session.context)
        return value


def _text(parameter: Parameter, value: Any) -> str | None:
    if not isinstance(value, str) or not value.strip():
        return None
    word = " ".join(value.split())
    if not parameter.choices:
        return word
    key = word.lower().replace(" ", "_") if word.lower().replace(" ", "_") in parameter.choices else word.lower()
    meant = parameter.choice_aliases.get(key, key)
    if parameter.open_choices and meant not in parameter.choices:
        return criterion(word) or word
    return meant if meant in parameter.choices else None


def _number(parameter: Parameter, value: Any) -> float | int | None:
    try:
        value = float(value) if isinstance(value, str) else value
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            return None
    except (ValueError, OverflowError):  # no number, or a whole one that no float can hold
        return None
    low, high = parameter.minimum, parameter.maximum
    if low is not None and (value < low or (parameter.above_minimum and value == low)):
        return None
    if (high is not None and value > high) or (parameter.integer and value != int(value)):
        return None
    return int(value) if parameter.integer else value


def _flag(parameter: Parameter, value: Any) -> bool | None:
    return value if isinstance(value, bool) else {"true": True, "false": False}.get(str(value).strip().lower())


_LITERAL: Mapping[Kind, Callable[[Parameter, Any], bool | int | float | str | None]] = {
    Kind.BOOL: _flag,
    Kind.NUMBER: _number,
    Kind.TEXT: _text,
}


def _expected(parameter: Parameter) -> str:
    if parameter.choices:
        return f"give {', '.join(parameter.choices)}"
    kind = "a whole number" if parameter.integer else "yes or no" if Kind.BOOL in parameter.kinds else "a number"
    limits = range_text(parameter)
    return "give a text" if Kind.TEXT in parameter.kinds else f"give {kind}" + (f", {limits}" if limits else "")
