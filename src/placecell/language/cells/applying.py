"""Types and cost of what is applied: functions, helpers and scores; and of comprehensions, which apply an expression.

A helper is checked once for each combination of types it is used with, and counts as often as it is used.
"""

from __future__ import annotations

from dataclasses import replace

from placecell.language.cells import functions
from placecell.language.cells.algebra import UNKNOWN, Operand
from placecell.language.cells.builtins import BUILTINS, SYNONYMS
from placecell.language.cells.composing import ONE, ComposedChecker, Typed, left_scope
from placecell.language.cells.scope import CellCost
from placecell.language.diagnostics import Edit, Fix
from placecell.language.environment import Environment
from placecell.language.plan import (
    Apply,
    Argument,
    Call,
    Comprehension,
    Define,
    Expr,
    Helper,
    Name,
    Span,
)
from placecell.language.rules import cells as rule
from placecell.language.rules.syntax import RESERVED
from placecell.language.rules.tool import RENAMED
from placecell.language.source import Source
from placecell.language.text import statement_text
from placecell.language.types import Kind, StaticType, with_article

MAX_NESTED = 12
"""How deep helpers may use helpers."""


class ApplyingChecker(ComposedChecker):
    """Checks calls of what is no operation, and comprehensions."""

    def __init__(self, env: Environment, helpers: dict[str, Define]) -> None:
        super().__init__(env)
        self.helpers = helpers
        self.foreign = frozenset(helpers)
        """Helpers of earlier cells: their spans are those of their own text."""
        self._text = env.source
        self._applying: list[str] = []
        self._memo: dict[object, tuple[Helper, StaticType, CellCost]] = {}

    def expression(self, node: Expr, target: str | None = None) -> Typed:
        match node:
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

    def named(self, node: Name) -> StaticType:
        if node.id not in self.locals and (node.id in self.helpers or node.id in BUILTINS):
            self.env.report(rule.ARGUMENTS.at(node.span, f"{node.id} is a function", f"call it: {node.id}(...)"))
            return UNKNOWN
        return super().named(node)

    def _is_function(self, name: str) -> bool:
        return name in self.helpers or name in BUILTINS or name in self.env.operations

    def _check_variables(self, names: tuple[str, ...], span: Span) -> None:
        """A variable may hide a name of the session, but nothing that has a meaning of its own."""
        for name in names:
            if name == "memory" or self._is_function(name):
                self.env.report(RESERVED.at(span, f"{name} is no name for a variable"))

    def comprehension(self, node: Comprehension) -> Typed:
        """What goes through a set, with its members and its size."""
        source, types, size, exact = self._gone_through(node)
        if types is None:
            return node, UNKNOWN
        self._check_variables(node.variables, node.span)
        condition = None
        with self.scope_of(dict(zip(node.variables, types, strict=True)), size):
            if node.condition is not None:
                condition = self.verdict(node.condition)[0]
            element, type_ = self.expression(node.element)
            self.spend(ONE)
        if type_.kind in (Kind.UNKNOWN, Kind.LIST, Kind.NOTHING, Kind.MEMORY):
            if type_.kind is not Kind.UNKNOWN:
                self.env.report(rule.DIFFERENT.at(node.element.span, f"{with_article(type_)} is no member of a set"))
            return node, UNKNOWN
        result = functions.set_of(left_scope(type_), size, exact and condition is None)
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
        self.spend(ONE)
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
        self.spend(ONE)
        builtin = BUILTINS[call.operation]
        given: list[Operand] = []
        last: list[Operand] = []
        by: Argument | None = None
        for argument in call.arguments:
            name = SYNONYMS.get(argument.name or "", argument.name)
            if name is None:
                given.append(self.operand(argument.value))
            elif name == "by" and builtin.by:
                by = argument
                self._note_synonym(argument)
            elif name == builtin.named:
                last.append(self.operand(argument.value))
            else:
                message = f"{builtin.name} has no argument {name!r}"
                self.env.report(rule.ARGUMENTS.at(argument.span, message, builtin.signature))
                return call, UNKNOWN
        score = None
        if by is not None and given:
            score = self._score(by, given[0])
            if score is None:
                return call, UNKNOWN
        given += last
        use = functions.Use(self.env, builtin.name, call.span, given, score.type if score else None)
        type_ = functions.apply(use)
        return Apply(builtin.name, tuple(n for n, _ in given), score, span=call.span, type=type_), type_

    def _note_synonym(self, argument: Argument) -> None:
        """``key=`` is ``by=``."""
        name = argument.name or ""
        if name in SYNONYMS:
            line, column = argument.span[:2]
            mend = Fix("usual names", "write by", (Edit(Span(line, column, line, column + len(name)), SYNONYMS[name]),))
            self.env.report(RENAMED.at(argument.span, f"{name} is {SYNONYMS[name]}", "", mend))

    def _score(self, argument: Argument, set_: Operand) -> Helper | None:
        """What ``by`` says of each member: a lambda, or the name of a helper, operation or function of one argument."""
        node = argument.value
        member = functions.members(self.env, *set_)
        if member is None:
            return None
        if isinstance(node, Name) and self._is_function(node.id):
            inner = Call(node.id, (Argument(None, Name("member", node.span), node.span),), node.span, node.span)
            node = Helper(("member",), inner, node.span)
        if not isinstance(node, Helper) or len(node.parameters) != 1:
            self.env.report(rule.NO_SCORE.at(argument.span, "by is no score of one member"))
            return None
        self._check_variables(node.parameters, node.span)
        with self.scope_of({node.parameters[0]: member}, functions.size_of(set_[1])[0]):
            body, type_ = self.operand(node.body)
            self.spend(ONE)
        return Helper(node.parameters, body, node.span, type_)

    def _use_helper(self, call: Call) -> Typed:
        self.spend(ONE)
        name, defined = call.operation, self.helpers[call.operation]
        given = [self.expression(a.value) for a in call.arguments]
        types = tuple(t for _, t in given)
        wanted = len(defined.value.parameters)
        if name in self._applying:
            self.env.report(rule.RECURSIVE.at(call.span, f"{name} would go round for ever"))
            return call, UNKNOWN
        if len(self._applying) >= MAX_NESTED:
            self.env.report(rule.TOO_LONG.at(call.span, f"helpers use helpers more than {MAX_NESTED} deep"))
            return call, UNKNOWN
        if len(given) != wanted or any(a.name is not None for a in call.arguments):
            shown = f"{name}({', '.join(defined.value.parameters)})"
            self.env.report(rule.ARGUMENTS.at(call.span, f"{name} takes {wanted} arguments by place", shown))
            return call, UNKNOWN
        key = (name, types, self.env.view, self.may_be_absent)
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
        with self.scope_of(dict(zip(defined.value.parameters, types, strict=True)), closed=True):
            body, type_ = self.expression(defined.value.body)
        self._applying.pop()
        used, self.cost, self.times, env.source = self.cost, cost, times, source
        if foreign and source is self._text:
            env.diagnostics[found:] = [
                replace(d, span=call.span, message=f"in {call.operation}: {d.message}", fix=None)
                for d in env.diagnostics[found:]
            ]
        type_ = left_scope(type_)
        return Helper(defined.value.parameters, body, defined.value.span, type_), type_, used
