"""Types and cost of the expressions of a cell: operators, choices, comprehensions, functions and helpers.

A variable of a comprehension or helper is known inside of it only. What is counted inside counts as often as the set
has members at most; a helper is checked once for each kind of arguments it gets.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace

from placecell.language.cells import algebra, functions
from placecell.language.cells.algebra import UNKNOWN, Operand
from placecell.language.cells.builtins import BUILTINS, SYNONYMS
from placecell.language.cells.scope import CellCost
from placecell.language.checker import Checker
from placecell.language.diagnostics import Edit, Fix
from placecell.language.dimensions import PLAIN
from placecell.language.environment import Environment
from placecell.language.expressions import Hole
from placecell.language.plan import (
    Apply,
    Argument,
    Binary,
    Call,
    Compare,
    Composed,
    Comprehension,
    Conditional,
    Define,
    Expr,
    Field,
    Helper,
    Index,
    Literal,
    Logic,
    Name,
    Negate,
    OrElse,
    Span,
)
from placecell.language.rules import cells as rule
from placecell.language.rules import dependency, viewpoint
from placecell.language.rules.tool import RENAMED
from placecell.language.source import Source
from placecell.language.text import statement_text
from placecell.language.types import Kind, StaticType, with_article

Typed = tuple[Expr, StaticType]
_ONE = CellCost(evaluations=1)


class ComposedChecker(Checker):
    """Checks expressions. ``cost`` grows with everything that is checked, ``times`` over."""

    def __init__(self, env: Environment, helpers: dict[str, Define]) -> None:
        super().__init__(env)
        self.helpers = helpers
        self.foreign = frozenset(helpers)
        """Helpers of earlier cells: their spans are those of their own text."""
        self.absent: Mapping[str, str] = {}
        self.cost = CellCost()
        self.times = 1
        self.inside = 0
        """How many expressions around this one are evaluated more or less than once."""
        self.locals: dict[str, StaticType] = {}
        self.local = ""
        """Marks what depends on the variables of the innermost comprehension or helper."""
        self._scopes = 0
        self._may_be_absent = False
        self._applying: list[str] = []
        self._memo: dict[object, tuple[Helper, StaticType, CellCost]] = {}

    def spend(self, cost: CellCost) -> None:
        self.cost = self.cost.plus(cost, self.times)

    def expression(self, node: Expr, target: str | None = None) -> Typed:
        match node:
            case Hole():
                return super().expression(node)
            case Name():
                return node, self._named(node)
            case Literal(value=int() | float() as value) if not isinstance(value, bool):
                return node, StaticType(Kind.NUMBER, value=value, dimension=PLAIN)
            case Field():
                return self._field(node)
            case Index():
                return self._index(node)
            case Call() if node.operation in self.helpers:
                return self._use_helper(node)
            case Call() if node.operation in BUILTINS:
                return self._use_builtin(node)
            case Call() if node.operation in SYNONYMS and SYNONYMS[node.operation] in BUILTINS:
                name = SYNONYMS[node.operation]
                mend = Fix("usual names", f"write {name}", (Edit(node.name_span, name),))
                self.env.report(RENAMED.at(node.span, f"{node.operation} is {name}", "", mend))
                return self._use_builtin(replace(node, operation=name))
        return super().expression(node, target)

    def composed(self, node: Composed) -> Typed:
        self.spend(_ONE)
        match node:
            case Binary():
                left, right = self._operand(node.left), self._operand(node.right)
                type_ = algebra.arithmetic(self.env, node, left[1], right[1])
                return Binary(node.op, left[0], right[0], node.span, type_), type_
            case Negate():
                return self._negate(node)
            case Compare():
                left, right = self._operand(node.left), self._operand(node.right)
                type_ = algebra.comparison(self.env, node, left[1], right[1])
                return Compare(node.op, left[0], right[0], node.span, type_), type_
            case Logic():
                parts = [self._verdict(operand) for operand in node.operands]
                type_ = StaticType(Kind.VERDICT, measured=any(t.measured for _, t in parts))
                return Logic(node.op, tuple(n for n, _ in parts), node.span, type_), type_
            case Conditional():
                return self._conditional(node)
            case OrElse():
                return self._or_else(node)
            case Comprehension():
                return self._comprehension(node)
            case Helper() | Apply():
                self.env.report(rule.ARGUMENTS.at(node.span, "a lambda is only a score: by=lambda o: ..."))
                return node, UNKNOWN

    def _named(self, node: Name) -> StaticType:
        if node.id in self.locals:
            return self.locals[node.id]
        if node.id in self.helpers or node.id in BUILTINS:
            self.env.report(rule.ARGUMENTS.at(node.span, f"{node.id} is a function", f"call it: {node.id}(...)"))
            return UNKNOWN
        if node.id in self.absent and not self._may_be_absent:
            self.env.report(rule.ABSENT.at(node.span, f"{node.id} is absent: {self.absent[node.id]}"))
            return UNKNOWN
        return dependency.lookup(self.env, node)

    def _operand(self, node: Expr) -> Typed:
        """A value whose frame matters; a list as a set is none."""
        checked, type_ = self.expression(node)
        viewpoint.check_use(self.env, checked, type_, self._statement_span)
        return checked, type_

    def _verdict(self, node: Expr) -> Typed:
        checked, type_ = self.expression(node)
        if type_.kind not in (Kind.VERDICT, Kind.UNKNOWN):
            self.env.report(rule.NO_VERDICT.at(node.span, f"{with_article(type_)} is neither yes nor no"))
        return checked, type_

    def _negate(self, node: Negate) -> Typed:
        checked, type_ = self._operand(node.operand)
        if type_.kind is not Kind.VECTOR or type_.frame is None:
            dimension = algebra.dimension_of(self.env, node.operand, type_, "compute with")
            type_ = UNKNOWN if dimension is None else algebra.scalar(dimension, type_)
        return Negate(checked, node.span, type_), type_

    def _conditional(self, node: Conditional) -> Typed:
        test, verdict = self._verdict(node.test)
        with self._maybe():
            then, otherwise = self.expression(node.then), self.expression(node.otherwise)
        type_ = algebra.joined(self.env, node.span, then, otherwise, "branches")
        type_ = type_._replace(measured=type_.measured or verdict.measured)
        return Conditional(then[0], test, otherwise[0], node.span, type_), type_

    def _or_else(self, node: OrElse) -> Typed:
        before, self._may_be_absent = self._may_be_absent, True
        value = self.expression(node.value)
        self._may_be_absent = before
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
    def _scope(self, variables: Mapping[str, StaticType], times: int = 1, *, closed: bool = False) -> Iterator[None]:
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

    def _comprehension(self, node: Comprehension) -> Typed:
        source, types, size, exact = self._gone_through(node)
        if types is None:
            return node, UNKNOWN
        for name in node.variables:
            if name in self.helpers or name in BUILTINS or name in self.env.operations:
                self.env.report(rule.ARGUMENTS.at(node.span, f"{name} is taken: it is a function"))
        condition = None
        with self._scope(dict(zip(node.variables, types, strict=True)), size):
            if node.condition is not None:
                condition = self._verdict(node.condition)[0]
            element, type_ = self.expression(node.element)
            self.spend(_ONE)
        if type_.kind in (Kind.UNKNOWN, Kind.LIST, Kind.NOTHING, Kind.MEMORY):
            if type_.kind is not Kind.UNKNOWN:
                self.env.report(rule.DIFFERENT.at(node.element.span, f"{with_article(type_)} is no member of a set"))
            return node, UNKNOWN
        result = functions.set_of(_left(type_), size, exact and condition is None)
        return Comprehension(element, node.variables, source, condition, node.span, result), result

    def _gone_through(self, node: Comprehension) -> tuple[Expr, list[StaticType] | None, int, bool]:
        """What a comprehension goes through: canonical, the types of its variables, how many times, exactly or not."""
        source, names = node.source, node.variables
        if isinstance(source, Call) and source.operation == "pairs":
            return self._pairs(source, names)
        checked, type_ = self.expression(source)
        member = functions.members(self.env, source, type_)
        if len(names) > 1 and member is not None:
            message, hint = "two variables go through the pairs of two sets", "for a, b in pairs(x, y)"
            self.env.report(rule.COMPREHENSION_FORM.at(node.span, message, hint))
            return checked, None, 0, False
        return checked, None if member is None else [member], *functions.size_of(type_)

    def _pairs(self, call: Call, names: tuple[str, ...]) -> tuple[Expr, list[StaticType] | None, int, bool]:
        self.spend(_ONE)
        given = [self.expression(a.value) for a in call.arguments if a.name is None]
        if len(names) != 2 or not 1 <= len(given) <= 2 or len(given) < len(call.arguments):
            message = "pairs takes one or two sets, and two variables go through it"
            self.env.report(rule.COMPREHENSION_FORM.at(call.span, message, BUILTINS["pairs"].signature))
            return call, None, 0, False
        types = [functions.members(self.env, a.value, t) for a, (_, t) in zip(call.arguments, given, strict=True)]
        sizes = [functions.size_of(t) for _, t in given]
        exact = all(e for _, e in sizes)
        source = Apply("pairs", tuple(n for n, _ in given), span=call.span)
        if any(t is None for t in types):
            return source, None, 0, False
        members = [t for t in types if t is not None]
        if len(members) == 1:
            return source, members * 2, sizes[0][0] * (sizes[0][0] - 1) // 2, exact
        return source, members, sizes[0][0] * sizes[1][0], exact

    def _use_builtin(self, call: Call) -> Typed:
        self.spend(_ONE)
        builtin = BUILTINS[call.operation]
        given, score_argument, reverse = self._split(call)
        if given is None:
            return call, UNKNOWN
        score: tuple[Helper, StaticType] | None = None
        if score_argument is not None and given:
            score = self._score(score_argument, given[0])
            if score is None:
                return call, UNKNOWN
        if reverse is not None:
            given.append(reverse)
        type_ = functions.apply(
            functions.Use(self.env, builtin.name, call.span, given, None if score is None else score[1])
        )
        by = None if score is None else score[0]
        return Apply(builtin.name, tuple(n for n, _ in given), by, span=call.span, type=type_), type_

    def _split(self, call: Call) -> tuple[list[Operand] | None, Argument | None, Operand | None]:
        """Arguments in order, the score, and sorted's reverse; a wrong name is reported."""
        builtin = BUILTINS[call.operation]
        given: list[Operand] = []
        score, reverse = None, None
        for argument in call.arguments:
            name = SYNONYMS.get(argument.name or "", argument.name)
            if name == "by" and builtin.by:
                score = argument
                if argument.name != name:
                    at = Span(*argument.span[:2], argument.span.line, argument.span.column + len(argument.name or ""))
                    mend = Fix("usual names", "write by", (Edit(at, "by"),))
                    self.env.report(RENAMED.at(argument.span, f"{argument.name} is by", "", mend))
            elif name == "reverse" and builtin.name == "sorted":
                reverse = self.expression(argument.value)
            elif name is None or (name == "digits" and builtin.name == "round") or (
                name == "frame" and builtin.name == "in_frame"
            ):  # fmt: skip
                given.append(self._operand(argument.value))
            else:
                self.env.report(
                    rule.ARGUMENTS.at(argument.span, f"{builtin.name} has no argument {name!r}", builtin.signature)
                )
                return None, None, None
        return given, score, reverse

    def _score(self, argument: Argument, set_: Operand) -> tuple[Helper, StaticType] | None:
        """What ``by`` says of each member: a lambda, or the name of a helper, operation or function of one argument."""
        node = argument.value
        member = functions.members(self.env, *set_)
        if member is None:
            return None
        if isinstance(node, Name) and (
            node.id in self.helpers or node.id in BUILTINS or node.id in self.env.operations
        ):  # fmt: skip
            inner = Call(node.id, (Argument(None, Name("member", node.span), node.span),), node.span, node.span)
            node = Helper(("member",), inner, node.span)
        if not isinstance(node, Helper) or len(node.parameters) != 1:
            self.env.report(rule.NO_SCORE.at(argument.span, "by is no score of one member"))
            return None
        with self._scope({node.parameters[0]: member}, functions.size_of(set_[1])[0]):
            body, type_ = self._operand(node.body)
            self.spend(_ONE)
        return Helper(node.parameters, body, node.span, type_), type_

    def _use_helper(self, call: Call) -> Typed:
        self.spend(_ONE)
        name, defined = call.operation, self.helpers[call.operation]
        given = [self.expression(a.value) for a in call.arguments]
        types = tuple(t for _, t in given)
        wanted = len(defined.value.parameters)
        if name in self._applying:
            self.env.report(rule.RECURSIVE.at(call.span, f"{name} would go round for ever"))
            return call, UNKNOWN
        if len(given) != wanted or any(a.name is not None for a in call.arguments):
            shown = f"{name}({', '.join(defined.value.parameters)})"
            self.env.report(rule.ARGUMENTS.at(call.span, f"{name} takes {wanted} arguments by place", shown))
            return call, UNKNOWN
        key = (name, types, self.env.view, len(self.env.diagnostics))
        if key not in self._memo:
            self._memo[key] = self._body(call, defined, types)
        helper, type_, cost = self._memo[key]
        self.spend(cost)
        return Apply(name, tuple(n for n, _ in given), helper=helper, span=call.span, type=type_), type_

    def _body(self, call: Call, defined: Define, types: tuple[StaticType, ...]) -> tuple[Helper, StaticType, CellCost]:
        """A helper with arguments of these types: its canonical body, what it gives, what one use costs."""
        env, cost, times = self.env, self.cost, self.times
        source, found = env.source, len(env.diagnostics)
        foreign = call.operation in self.foreign
        if foreign:
            env.source = Source(statement_text(defined))
        self.cost, self.times = CellCost(), 1
        self._applying.append(call.operation)
        with self._scope(dict(zip(defined.value.parameters, types, strict=True)), closed=True):
            body, type_ = self.expression(defined.value.body)
        self._applying.pop()
        used, self.cost, self.times, env.source = self.cost, cost, times, source
        if foreign:
            env.diagnostics[found:] = [
                replace(d, span=call.span, message=f"in {call.operation}: {d.message}", fix=None)
                for d in env.diagnostics[found:]
            ]
        type_ = _left(type_)
        return Helper(defined.value.parameters, body, defined.value.span, type_), type_, used

    def _field(self, node: Field) -> Typed:
        base, type_ = self.expression(node.value)
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


def _left(type_: StaticType) -> StaticType:
    """A value that leaves the scope whose variables its frame depends on: which frame it is in is not known outside."""
    element = type_.element
    if element is not None:
        type_ = type_._replace(element=_left(element))
    return type_._replace(frame=None) if type_.frame is not None and "#local" in type_.frame else type_
