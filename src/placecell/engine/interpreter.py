"""Runs a checked plan over a memory: a tree walker around an environment and an append-only log of steps.

Knows: how expressions become values, what an absent input does, budgets. Does not know what any operation computes;
it finds them by name. A program that passed the checker never raises here, whatever the memory holds.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

# Importing these registers the operations.
from placecell.engine import (  # noqa: F401
    construct,
    directions,
    dynamic,
    measures,
    order,
    queries,
    renders,
    selection,
    sight,
    sizes,
    topview,
    transform,
)
from placecell.engine.binding import bind
from placecell.engine.context import Budget, BuildRequest, Context, Judge, MemoryProvider, PictureSettings
from placecell.engine.fields import element, read_field
from placecell.engine.registry import OPERATIONS_IMPL
from placecell.engine.values import Absent, Flag, ListValue, Number, Picture, Text, Value
from placecell.language.ops import OPERATIONS
from placecell.language.plan import (
    Assign,
    Call,
    CheckedPlan,
    Composed,
    Expr,
    ExprStatement,
    Field,
    Index,
    ListExpr,
    Literal,
    Name,
    Return,
    Span,
    Statement,
)
from placecell.language.signature import Category, Operation, Viewpoint
from placecell.memory.scene import SpatialMemory

__all__ = ["Budget", "BuildRequest", "PictureSettings", "RunResult", "Session", "Step", "run"]


@dataclass(frozen=True, eq=False)
class Step:
    """One operation that ran: its arguments and result as values; evidence is in the result.

    ``target`` is the name the result was bound to, ``viewpoint`` the viewpoint after it in words, ``eye`` its pose
    ``world_from_cam`` (4, 4), None when there is none.
    """

    number: int
    operation: str
    arguments: Mapping[str, Value]
    result: Value
    milliseconds: float
    viewpoint: str
    span: Span
    target: str | None = None
    eye: NDArray[np.float64] | None = None


OnStep = Callable[[Step], None]


@dataclass(frozen=True)
class RunStats:
    """What a run used."""

    operations: int = 0
    pictures: int = 0
    seconds: float = 0.0
    bytes: int = 0


@dataclass(frozen=True, eq=False)
class RunResult:
    """``values`` are the returned ones in order, ``bindings`` every name, ``pictures`` all that were made, in order."""

    values: tuple[Value, ...]
    bindings: Mapping[str, Value]
    steps: tuple[Step, ...]
    stats: RunStats
    memory: SpatialMemory | None = None

    @property
    def pictures(self) -> tuple[Picture, ...]:
        return tuple(step.result for step in self.steps if isinstance(step.result, Picture))


@dataclass
class Session:
    """An environment and a log that statements can be run in piece by piece.

    ``bindings`` are single names to values, ``steps`` the log; both only grow.
    """

    context: Context
    on_step: OnStep | None = None
    parameter: str = ""
    bindings: dict[str, Value] = field(default_factory=dict)
    steps: list[Step] = field(default_factory=list)
    operations: ClassVar[Mapping[str, Operation]] = OPERATIONS

    def execute(self, statements: Sequence[Statement]) -> tuple[Value, ...]:
        """Run statements in order; the values of the return, or none without one."""
        for statement in statements:
            match statement:
                case Assign(target, value):
                    self.bindings[target] = self._evaluate(value, target)
                case ExprStatement(value):
                    self._evaluate(value)
                case Return(value):
                    result = self._evaluate(value)
                    return result.items if isinstance(result, ListValue) else (result,)
        return ()

    def result(self, values: tuple[Value, ...]) -> RunResult:
        c = self.context
        stats = RunStats(c.operations, c.rendered, c.seconds(), c.bytes)
        return RunResult(values, MappingProxyType(dict(self.bindings)), tuple(self.steps), stats, c.memory)

    def _evaluate(self, node: Expr, target: str | None = None) -> Value:
        match node:
            case Literal(value):
                return _literal(value)
            case Name(name):
                return Text(self.context.source) if name == self.parameter else self.bindings[name]
            case ListExpr(items):
                return ListValue(tuple(self._evaluate(item) for item in items))
            case Index(value, index):
                return element(self._evaluate(value), index)
            case Field(value, name):
                return read_field(self._evaluate(value), name, self.context)
            case Call():
                return self._call(node, target)
            case _:
                return self._composed(node)

    def _composed(self, node: Composed) -> Value:
        """Expressions of cells, which no program has."""
        raise TypeError(f"a program has no {type(node).__name__}")

    def _call(self, call: Call, target: str | None) -> Value:
        arguments = {a.name or "": self._evaluate(a.value) for a in call.arguments}
        start = time.perf_counter()
        result = self._operate(call.operation, arguments)
        milliseconds = 1e3 * (time.perf_counter() - start)
        here = self.context.viewpoint
        words = "none" if here is None else here.message if isinstance(here, Absent) else here.words()
        eye = None if here is None or isinstance(here, Absent) else here.eye
        number = len(self.steps) + 1
        step = Step(number, call.operation, arguments, result, milliseconds, words, call.span, target, eye)
        self.steps.append(step)
        if self.on_step is not None:
            self.on_step(step)
        return result

    def _operate(self, name: str, arguments: Mapping[str, Value]) -> Value:
        operation = self.operations[name]
        context = self.context
        result: Value | None = context.exceeded(operation.returns)
        if result is None:
            context.operations += 1
            result = self._computed(operation, arguments)
        if operation.category is Category.TRANSFORM and isinstance(result, Absent):
            # What follows must not be computed from the viewpoint before; the first reason stays the reason.
            lost = isinstance(context.viewpoint, Absent) and operation.viewpoint is Viewpoint.MOVES
            context.viewpoint = context.viewpoint if lost else result
        if isinstance(result, Picture):
            context.rendered += 1
            context.bytes += result.rgb.nbytes
        return result

    def _computed(self, operation: Operation, arguments: Mapping[str, Value]) -> Value:
        """What an operation gives for its arguments."""
        bound = bind(operation, arguments)
        return bound if isinstance(bound, Absent) else OPERATIONS_IMPL[operation.name](self.context, **bound)


def _literal(value: bool | int | float | str | None) -> Value:
    match value:
        case bool():
            return Flag(value)
        case int() | float():
            return Number(value)
        case str():
            return Text(value)
        case None:
            return Absent("None", "input absent", "None was given")


def run(
    plan: CheckedPlan,
    memory: SpatialMemory | MemoryProvider,
    *,
    budget: Budget = Budget(),  # noqa: B008 - frozen
    pictures: PictureSettings = PictureSettings(),  # noqa: B008 - frozen
    on_event: OnStep | None = None,
    judge: Judge | None = None,
) -> RunResult:
    """Run an accepted program.

    Args:
        plan: what ``language.check`` accepted.
        memory: the memory the program's build gives, or a function that makes it from the ``BuildRequest``; its
            errors are the caller's own (bad files, missing extras) and pass through.
        budget: limits on operations, pictures, seconds and bytes of pixels.
        pictures: size and default field of view of rendered pictures.
        on_event: called with each ``Step`` as it ends.
        judge: a model that looks at pictures, asked for what only eyes can decide ("the wooden chair").

    Returns:
        Typed values in the order of the program's return; what cannot be given is an ``Absent`` with its reason.
    """
    provider = memory if callable(memory) else lambda _request: memory
    context = Context(provider, budget, pictures, plan.program.source, judge=judge)
    session = Session(context, on_event, plan.parameter)
    return session.result(session.execute(plan.statements))
