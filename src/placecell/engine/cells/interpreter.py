"""Runs a checked cell over the state of a session: the one-shot interpreter, and what only cells have.

A cell that passed the checker never raises here, whatever the memory holds; every name it binds has a value or an
``Absent``. Nothing of the state changes: what a cell came to is a ``CellRun``, and ``state.after(run)`` the next state.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import ClassVar

# Importing these registers the operations of cells.
from placecell.engine.cells import clearway, frames, moments, perception, pixels, points, sides, whatif  # noqa: F401
from placecell.engine.cells import functions as builtin
from placecell.engine.cells.arithmetic import arithmetic, negative
from placecell.engine.cells.border import bind, field_of, result_of
from placecell.engine.cells.changes import MemoryChange, change_between, stale_names
from placecell.engine.cells.comparing import agree, compare, joined_verdict, negated, undecided, verdict_of
from placecell.engine.cells.context import NO_EFFECTS, CellContext, Effects
from placecell.engine.cells.quantities import quantity_of
from placecell.engine.cells.sets import Members, element_kind, members_of, object_of, pairs, remarks, resting_on, set_of
from placecell.engine.cells.use import Use
from placecell.engine.cells.values import NO, YES, SetValue, Verdict
from placecell.engine.context import Budget, PictureSettings
from placecell.engine.fields import element
from placecell.engine.interpreter import Session, Step, run
from placecell.engine.registry import CELLS_IMPL, OPERATIONS_IMPL
from placecell.engine.values import Absent, Evidence, InstancesValue, ListValue, MemoryValue, Text, TrackValue, Value
from placecell.engine.viewpoint import Viewpoint
from placecell.language.cell_ops import CELL_OPERATIONS
from placecell.language.cells.scope import CellCost, CheckedCell
from placecell.language.plan import (
    Apply,
    Assign,
    Binary,
    Compare,
    Composed,
    Comprehension,
    Conditional,
    Expr,
    ExprStatement,
    Field,
    Helper,
    Index,
    Logic,
    Name,
    Negate,
    OrElse,
    Statement,
)
from placecell.language.signature import Operation
from placecell.language.types import Kind, StaticType
from placecell.memory.scene import SpatialMemory

MEMORY = "memory"
_NO_BINDINGS: Mapping[str, Value] = MappingProxyType({})
_ANY = StaticType(Kind.UNKNOWN)


@dataclass(frozen=True, eq=False)
class CellState:
    """What a session has: its memory, what is bound, where the viewer stands, and settings of a cell's run."""

    memory: SpatialMemory
    bindings: Mapping[str, Value] = field(default_factory=lambda: _NO_BINDINGS)
    viewpoint: Viewpoint | Absent | None = None
    pictures: PictureSettings = PictureSettings()  # noqa: RUF009 - frozen
    seconds: float = 120.0

    def after(self, run: CellRun) -> CellState:
        """The state that the next cell begins with."""
        bindings = MappingProxyType({**self.bindings, **run.bindings})
        return replace(self, memory=run.memory, bindings=bindings, viewpoint=run.viewpoint)


@dataclass(frozen=True, eq=False)
class CellRun:
    """What a cell came to.

    ``bindings`` are its new names in order, ``answer`` what it answered with, ``values`` what a one-shot program
    returned. ``memory`` and ``viewpoint`` hold after it; ``change`` says what it added to the memory, ``stale`` which
    earlier names rest on objects that are no longer in it. ``used`` never exceeds the bound printed beforehand.
    """

    bindings: Mapping[str, Value]
    steps: tuple[Step, ...]
    memory: SpatialMemory
    viewpoint: Viewpoint | Absent | None
    used: CellCost
    answer: Value | None = None
    values: tuple[Value, ...] = ()
    change: MemoryChange | None = None
    stale: tuple[str, ...] = ()


def run_cell(cell: CheckedCell, state: CellState, effects: Effects = NO_EFFECTS) -> CellRun:
    """Run an accepted cell; ``state`` stays as it is."""
    budget = Budget(max(cell.cost.operations, 1), max(cell.cost.pictures, 1), state.seconds)
    if cell.program is not None:
        result = run(cell.program, state.memory, budget=budget, pictures=state.pictures)
        used = CellCost(result.stats.operations, result.stats.pictures)
        return CellRun(_NO_BINDINGS, result.steps, state.memory, state.viewpoint, used, values=result.values)
    context = CellContext(lambda _request: state.memory, budget, state.pictures, memory=state.memory, effects=effects)
    context.viewpoint = state.viewpoint
    session = CellInterpreter(context, bindings=dict(state.bindings))
    session.execute_cell(cell.statements)
    new = {name: _absent_as(session.bindings[name], type_) for name, type_ in cell.types.items()}
    memory = context.scene
    return CellRun(
        bindings=MappingProxyType(new),
        steps=tuple(session.steps),
        memory=memory,
        viewpoint=context.viewpoint,
        used=CellCost(context.operations, context.rendered, session.model_calls, session.evaluations),
        answer=session.answer,
        change=change_between(state.memory, memory),
        stale=stale_names(state.bindings, memory),
    )


def _absent_as(value: Value, type_: StaticType) -> Value:
    """An absent value is of the kind that its name would have had."""
    return replace(value, kind=type_.kind) if isinstance(value, Absent) else value


@dataclass
class CellInterpreter(Session):
    """A tree walker for cells. ``variables`` are those of the comprehensions and helpers around an expression."""

    answer: Value | None = None
    evaluations: int = 0
    model_calls: int = 0
    variables: Mapping[str, Value] = field(default_factory=lambda: _NO_BINDINGS)
    operations: ClassVar[Mapping[str, Operation]] = CELL_OPERATIONS

    @property
    def cell(self) -> CellContext:
        context = self.context
        if not isinstance(context, CellContext):
            raise TypeError("a cell runs in the context of a cell")
        return context

    def execute_cell(self, statements: Sequence[Statement]) -> None:
        """Run the statements in order."""
        for statement in statements:
            match statement:
                case Assign(target, value):
                    self.bindings[target] = self._evaluate(value, target)
                case ExprStatement(Apply("answer", (value,))):
                    self.evaluations += 1
                    self.answer = self._evaluate(value)
                case ExprStatement(value):
                    self._evaluate(value)

    def _evaluate(self, node: Expr, target: str | None = None) -> Value:
        match node:
            case Name(name):
                return self._named(name)
            case Field(value, name):
                return field_of(self.cell, self._evaluate(value), name)
            case Index(value, index):
                return self._element(self._evaluate(value), index)
        return super()._evaluate(node, target)

    def _named(self, name: str) -> Value:
        if name in self.variables:
            return self.variables[name]
        if name == MEMORY:
            return MemoryValue(self.cell.scene)
        missing = Absent(Kind.UNKNOWN, "not in memory", f"nothing is bound to {name}")
        return self.bindings.get(name, missing)

    def _element(self, value: Value, index: int | str) -> Value:
        if isinstance(value, InstancesValue) and isinstance(index, int):
            things = value.instances
            if -len(things) <= index < len(things):
                return resting_on(object_of(value, things[index]), Evidence(flags=remarks(value)))
        if not isinstance(value, SetValue):
            return element(value, index)
        if isinstance(index, int) and -len(value.items) <= index < len(value.items):
            return value.items[index]
        return Absent(value.element, "not found", f"there is no {value.name or 'member'} number {index}")

    def _computed(self, operation: Operation, arguments: Mapping[str, Value]) -> Value:
        self.model_calls += operation.effect
        bound = bind(operation, arguments)
        if isinstance(bound, Absent):
            return bound
        implementation = CELLS_IMPL.get(operation.name) or OPERATIONS_IMPL[operation.name]
        return result_of(self.cell, operation, arguments, implementation(self.cell, **bound))

    def _composed(self, node: Composed) -> Value:
        self.evaluations += 1
        match node:
            case Binary():
                left, right = self._evaluate(node.left), self._evaluate(node.right)
                return arithmetic(node.op, left, right, _kind(node), self.cell.scale_error)
            case Negate(operand):
                return negative(self._evaluate(operand), _kind(node), self.cell.scale_error)
            case Compare(op, left, right):
                return self._compared(op, self._evaluate(left), self._evaluate(right))
            case Logic("not", (operand,)):
                return negated(self._evaluate(operand))
            case Logic(op, operands):
                return joined_verdict(op, [self._evaluate(o) for o in operands])  # type: ignore[arg-type]
            case Conditional():
                return self._conditional(node)
            case OrElse(value, otherwise):
                first = self._evaluate(value)
                return self._evaluate(otherwise) if _nothing(first) else first
            case Comprehension():
                return self._comprehension(node)
            case Apply():
                return self._apply(node)
            case Helper():
                return Absent(Kind.UNKNOWN, "degenerate", "a function is no value")

    def _compared(self, op: str, a: Value, b: Value) -> Value:
        for value in (a, b):
            if isinstance(value, Absent):
                return Absent(Kind.VERDICT, "input absent", f"one side of the {op!r} is absent", value)
        left, right = (quantity_of(v, self.cell.scale_error) or v for v in (a, b))
        return compare(op, left, right)

    def _conditional(self, node: Conditional) -> Value:
        verdict = verdict_of(self._evaluate(node.test))
        if isinstance(verdict, Absent):
            return Absent(_kind(node), "input absent", "it is not known which branch holds", verdict.cause or verdict)
        if verdict.decided:
            chosen = self._evaluate(node.then if verdict.state == YES else node.otherwise)
            if isinstance(chosen, Text) and chosen.margin is None:
                chosen = replace(chosen, margin=verdict.margin)
            return resting_on(chosen, verdict.evidence)
        both = self._evaluate(node.then), self._evaluate(node.otherwise)
        if agree(*both):
            return resting_on(both[0], verdict.evidence)
        return undecided(verdict, _kind(node), "what decides between the two")

    def _comprehension(self, node: Comprehension) -> Value:
        source = self._gone_through(node.source, _kind(node))
        if isinstance(source, Absent):
            return source
        kept: list[Value] = []
        doubtful: set[int] = set()
        unknown: list[Absent] = []
        for index, item in enumerate(source.items):
            with self._inside(_bound(node.variables, item)):
                self.evaluations += 1
                verdict = None if node.condition is None else verdict_of(self._evaluate(node.condition))
                if isinstance(verdict, Verdict) and verdict.state == NO:
                    continue
                if isinstance(verdict, Absent):
                    unknown.append(verdict)
                if index in source.doubtful or not (verdict is None or _is_yes(verdict)):
                    doubtful.add(len(kept))
                kept.append(self._evaluate(node.element))
        if unknown and len(unknown) == len(source.items):
            return Absent(_kind(node), "input absent", "the condition is absent for every member", unknown[0].cause)
        members = replace(source, items=tuple(kept), doubtful=frozenset(doubtful))
        return set_of(members, element_kind(node.type))

    def _gone_through(self, node: Expr, kind: str) -> Members | Absent:
        if isinstance(node, Apply) and node.function == "pairs":
            self.evaluations += 1
            sets = [members_of(self._evaluate(argument), kind) for argument in node.arguments]
            for found in sets:
                if isinstance(found, Absent):
                    return found
            known = [found for found in sets if isinstance(found, Members)]
            return pairs(known[0], known[1] if len(known) > 1 else None)
        return members_of(self._evaluate(node), kind)

    def _apply(self, node: Apply) -> Value:
        given = [self._evaluate(argument) for argument in node.arguments]
        if node.helper is not None:
            with self._inside(dict(zip(node.helper.parameters, given, strict=True)), closed=True):
                return self._evaluate(node.helper.body)
        scores = None if node.by is None else self._scores(node.by, given[0])
        use = Use(node.function, given, node.type or _ANY, scores, self.cell.scale_error)
        return builtin.apply(use)

    def _scores(self, by: Helper, value: Value) -> list[Value]:
        """The score of every member of a set."""
        found = members_of(value, Kind.UNKNOWN)
        scores: list[Value] = []
        for item in () if isinstance(found, Absent) else found.items:  # doubtful ones too
            with self._inside({by.parameters[0]: item}):
                self.evaluations += 1
                scores.append(self._evaluate(by.body))
        return scores

    @contextmanager
    def _inside(self, variables: Mapping[str, Value], *, closed: bool = False) -> Iterator[None]:
        """Variables of a comprehension or helper; those around it are seen too unless it is ``closed``."""
        before = self.variables
        self.variables = variables if closed else {**before, **variables}
        yield
        self.variables = before


def _kind(node: Binary | Negate | Conditional | Comprehension) -> Kind:
    return Kind.UNKNOWN if node.type is None else node.type.kind


def _bound(variables: tuple[str, ...], item: Value) -> dict[str, Value]:
    """The variables of one round; two of them go through a pair."""
    if len(variables) == 1:
        return {variables[0]: item}
    return dict(zip(variables, item.items if isinstance(item, ListValue) else (item,), strict=False))


def _is_yes(verdict: Verdict | Absent) -> bool:
    return isinstance(verdict, Verdict) and verdict.state == YES


def _nothing(value: Value) -> bool:
    """Whether ``or_else`` goes on to the next: absent, or nothing of a name."""
    match value:
        case Absent():
            return True
        case InstancesValue():
            return not value.instances
        case TrackValue():
            return not value.tracks
    return False
