"""Types and cost of the expressions of a cell: names, fields, members, operators and choices.

A variable of a comprehension or helper is known inside of it only, and what is counted inside counts as often as the
set has members at most. What goes through sets and what is applied is in ``applying``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from placecell.language.cells import algebra, functions
from placecell.language.cells.algebra import UNKNOWN
from placecell.language.cells.scope import CellCost
from placecell.language.checker import Checker
from placecell.language.diagnostics import Edit, Fix
from placecell.language.dimensions import PLAIN
from placecell.language.environment import Environment
from placecell.language.expressions import Hole
from placecell.language.plan import (
    Apply,
    Binary,
    Compare,
    Composed,
    Comprehension,
    Conditional,
    Expr,
    Field,
    Helper,
    Index,
    Literal,
    Logic,
    Name,
    Negate,
    OrElse,
)
from placecell.language.rules import cells as rule
from placecell.language.rules import dependency, viewpoint
from placecell.language.rules.tool import RENAMED
from placecell.language.tokens import shorten
from placecell.language.types import SCALARS, Kind, StaticType, with_article

Typed = tuple[Expr, StaticType]
_ITSELF = frozenset({"value", "metres", "meters", "degrees", "seconds", "magnitude"})
"""What other code reads a number by."""
ONE = CellCost(evaluations=1)


class ComposedChecker(Checker):
    """Checks expressions. ``cost`` grows with everything that is checked, ``times`` over."""

    def __init__(self, env: Environment) -> None:
        super().__init__(env)
        self.absent: Mapping[str, str] = {}
        self.cost = CellCost()
        self.times = 1
        self.inside = 0
        """How many expressions around this one are evaluated more or less than once."""
        self.locals: dict[str, StaticType] = {}
        self.local = ""
        """Marks what depends on the variables of the innermost comprehension or helper."""
        self.may_be_absent = False
        self._scopes = 0

    def spend(self, cost: CellCost) -> None:
        """Count something as often as it happens."""
        self.cost = self.cost.plus(cost, self.times)

    def expression(self, node: Expr, target: str | None = None) -> Typed:
        match node:
            case Hole():
                return super().expression(node)
            case Name():
                return node, self.named(node)
            case Literal(value=int() | float() as value) if not isinstance(value, bool):
                return node, StaticType(Kind.NUMBER, value=value, dimension=PLAIN)
            case Field():
                return self._field(node)
            case Index():
                return self._index(node)
        return super().expression(node, target)

    def composed(self, node: Composed) -> Typed:
        self.spend(ONE)
        match node:
            case Binary():
                left, right = self.operand(node.left), self.operand(node.right)
                type_ = algebra.arithmetic(self.env, node, left[1], right[1])
                return Binary(node.op, left[0], right[0], node.span, type_), type_
            case Negate():
                return self._negate(node)
            case Compare():
                left, right = self.operand(node.left), self.operand(node.right)
                type_ = algebra.comparison(self.env, node, left[1], right[1])
                return Compare(node.op, left[0], right[0], node.span, type_), type_
            case Logic():
                parts = [self.verdict(operand) for operand in node.operands]
                type_ = StaticType(Kind.VERDICT, measured=any(t.measured for _, t in parts))
                return Logic(node.op, tuple(n for n, _ in parts), node.span, type_), type_
            case Conditional():
                return self._conditional(node)
            case OrElse():
                return self._or_else(node)
            case Comprehension():
                return self.comprehension(node)
            case Helper() | Apply():
                self.env.report(rule.ARGUMENTS.at(node.span, "a lambda is only a score: by=lambda o: ..."))
                return node, UNKNOWN

    def comprehension(self, node: Comprehension) -> Typed:
        """What goes through a set."""
        raise NotImplementedError

    def named(self, node: Name) -> StaticType:
        """The type of a variable or name."""
        if node.id in self.locals:
            return self.locals[node.id]
        if node.id in self.absent and not self.may_be_absent:
            self.env.report(rule.ABSENT.at(node.span, f"{node.id} is absent: {self.absent[node.id]}"))
            return UNKNOWN
        return dependency.lookup(self.env, node)

    def operand(self, node: Expr) -> Typed:
        """A value whose frame matters."""
        checked, type_ = self.expression(node)
        viewpoint.check_use(self.env, checked, type_, self._statement_span)
        return checked, type_

    def verdict(self, node: Expr) -> Typed:
        """A condition."""
        checked, type_ = self.expression(node)
        if type_.kind not in (Kind.VERDICT, Kind.UNKNOWN):
            self.env.report(rule.NO_VERDICT.at(node.span, f"{with_article(type_)} is neither yes nor no"))
        return checked, type_

    def _negate(self, node: Negate) -> Typed:
        checked, type_ = self.operand(node.operand)
        if type_.kind is not Kind.VECTOR or type_.frame is None:
            dimension = algebra.dimension_of(self.env, node.operand, type_, "compute with")
            type_ = UNKNOWN if dimension is None else algebra.scalar(dimension, type_)
        return Negate(checked, node.span, type_), type_

    def _conditional(self, node: Conditional) -> Typed:
        test, verdict = self.verdict(node.test)
        with self._maybe():
            then, otherwise = self.expression(node.then), self.expression(node.otherwise)
        type_ = algebra.joined(self.env, node.span, then, otherwise, "branches")
        type_ = type_._replace(measured=type_.measured or verdict.measured)
        return Conditional(then[0], test, otherwise[0], node.span, type_), type_

    def _or_else(self, node: OrElse) -> Typed:
        before, self.may_be_absent = self.may_be_absent, True
        value = self.expression(node.value)
        self.may_be_absent = before
        with self._maybe():
            otherwise = self.expression(node.otherwise)
        type_ = algebra.joined(self.env, node.span, value, otherwise, "values")
        return OrElse(value[0], otherwise[0], node.span, type_), type_

    @contextmanager
    def _maybe(self) -> Iterator[None]:
        """Something that is perhaps not evaluated, or more than once."""
        self.inside += 1
        yield
        self.inside -= 1

    @contextmanager
    def scope_of(self, variables: Mapping[str, StaticType], times: int = 1, *, closed: bool = False) -> Iterator[None]:
        """Local variables; those around them are seen too unless it is ``closed``."""
        before = self.locals, self.local, self.times
        self._scopes += 1
        self.local, self.times = f"#local {self._scopes}", self.times * times
        known = {
            name: type_._replace(frame=f"{name}{self.local}") if type_.frame is None and has_frame(type_) else type_
            for name, type_ in variables.items()
        }
        self.locals = known if closed else {**self.locals, **known}
        with self._maybe():
            yield
        self.locals, self.local, self.times = before

    def _field(self, node: Field) -> Typed:
        base, type_ = self.expression(node.value)
        if type_.kind in SCALARS and node.name in _ITSELF:
            text = self.env.source.slice(node.value.span)
            mend = Fix("usual form", f"write {shorten(text)}", (Edit(node.span, text),))
            self.env.report(RENAMED.at(node.span, f".{node.name} is the value itself", "", mend))
            return base, type_
        field, read = dependency.read_field(self.env, Field(base, node.name, node.span), type_)
        spec = self.env.fields.get(type_.kind, {}).get(node.name)
        if spec is None:
            return field, read
        kind = Kind.UNTRUSTED if spec.label else spec.kind
        bound = read.bound and type_.frame is None
        dimension = type_.dimension if type_.kind is Kind.EXTENTS and kind is Kind.LENGTH else None
        read = read._replace(kind=kind, bound=bound, measured=True, dimension=dimension)
        return field, algebra.in_memory(read, self.env.facts)

    def _index(self, node: Index) -> Typed:
        base, type_ = self.expression(node.value)
        if type_.kind in (Kind.INSTANCES, Kind.SET) and isinstance(node.index, int):
            size, exact = functions.size_of(type_)
            if (exact or size) and not -size <= node.index < size:
                hint = f"it has {'' if exact else 'at most '}{size}, counted from 0"
                message = f"there is no member {node.index}"
                self.env.report(dependency.NO_ELEMENT.at(node.span, message, hint))
                return node, UNKNOWN
            member = functions.members(self.env, base, type_)
            return Index(base, node.index, node.span), UNKNOWN if member is None else member
        checked, read = dependency.read_index(self.env, Index(base, node.index, node.span), type_)
        return checked, read._replace(kind=Kind.UNTRUSTED, measured=True) if type_.kind is Kind.ORDER else read


def has_frame(type_: StaticType) -> bool:
    """Whether its numbers are in a frame; a position in the viewer's terms (``bound``) is for reading only."""
    return type_.kind in (Kind.POINT, Kind.VECTOR, Kind.FRAME) and not type_.bound


def left_scope(type_: StaticType) -> StaticType:
    """A value that leaves the scope whose variables its frame depends on: which frame it is in is not known outside."""
    element = type_.element
    if element is not None:
        type_ = type_._replace(element=left_scope(element))
    return type_._replace(frame=None) if type_.frame is not None and "#local" in type_.frame else type_
