"""Walks the statements of a cell: what ``checker`` does for programs, for names that stay, effects and budgets.

The bound that is printed before a cell runs is counted here: every call and every composed expression, as many times
as the sets around it have members at most.
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import fields, replace

from placecell.language.cells.algebra import in_memory
from placecell.language.cells.answers import check_answer, judged
from placecell.language.cells.applying import ApplyingChecker
from placecell.language.cells.builtins import BUILTINS
from placecell.language.cells.composing import Typed, has_frame
from placecell.language.cells.results import check_event, known_objects, result_of
from placecell.language.cells.scope import MAX_STATEMENTS, MOST_FOUND, CellCost, CellScope
from placecell.language.diagnostics import Diagnostic, Edit, Fix
from placecell.language.environment import Binding, Environment, Event
from placecell.language.expressions import Hole
from placecell.language.ops import ALIASES
from placecell.language.plan import (
    Apply,
    Argument,
    Assign,
    Call,
    Define,
    Expr,
    ExprStatement,
    Name,
    Return,
    Span,
    Statement,
    children,
)
from placecell.language.rules import cells as rule
from placecell.language.rules import dependency, viewpoint
from placecell.language.rules.syntax import RESERVED
from placecell.language.signature import Category, Operation
from placecell.language.types import Kind, StaticType

MEMORY = "memory"


class CellChecker(ApplyingChecker):
    """Checks the statements of one cell under a scope. What it finds out is in its attributes afterwards."""

    def __init__(self, env: Environment, scope: CellScope) -> None:
        super().__init__(env, dict(scope.helpers))
        self.scope = scope
        self.absent = {name: known.absent for name, known in scope.names.items() if known.absent is not None}
        self.bound: dict[str, StaticType] = {}
        self.defined: dict[str, Define] = {}
        self.effects: list[str] = []
        self.version = scope.version
        self.objects = known_objects(scope.facts)
        """How many objects the memory can have by now, which is as many as a query can give."""
        self.answers = False
        self._ends = False

    def check_cell(self, statements: tuple[Statement, ...]) -> tuple[Statement, ...]:
        """Check every statement; the result is canonical, and worth something only without errors."""
        checked = []
        self._ends = bool(statements) and _answers(statements[-1])
        for index, statement in enumerate(statements):
            if index == MAX_STATEMENTS:
                self.env.report(rule.TOO_LONG.at(statement.span, f"the cell has more than {MAX_STATEMENTS} statements"))
                break
            if self.answers:
                self.env.report(rule.ANSWER_LAST.at(statement.span, "nothing comes after the answer"))
                break
            before = self.cost
            checked.append(self.statement(statement, index))
            self._check_budget(statement.span, before)
        for name, span in self.env.unbuilt.items():
            mend = Fix("the memory", "its name is memory", (Edit(span, MEMORY),))
            self.env.report(dependency.UNDEFINED.at(span, f"{name!r} is not defined", "", mend))
        return tuple(checked)

    def statement(self, statement: Statement, index: int) -> Statement:
        """Check one statement and take its effects into the environment."""
        self.env.statement, self._statement_span = index, statement.span
        match statement:
            case Return():
                self._remove(rule.NO_RETURN.at(statement.span, "nothing takes what a cell returns"))
                return statement
            case Define():
                return self.define(statement)
            case Assign():
                return self._bind(statement)
            case ExprStatement(value=Call(operation="print")):
                self._remove(rule.NO_RETURN.at(statement.span, "every name is shown without print"))
                return statement
            case ExprStatement(value=Call(operation="answer") as call):
                return self._answer(statement, call)
            case ExprStatement(value=Call() as call) if self._is_build(call):
                self._remove(rule.NO_BUILD.at(statement.span, "the session has its memory"))
                return statement
        value, _ = self.expression(statement.value)
        operation = self.env.operations.get(value.operation) if isinstance(value, Call) else None
        if operation is None or not (operation.category is Category.TRANSFORM or operation.adds):
            self.env.report(rule.UNBOUND.at(statement.span, "this value gets no name"))
        return ExprStatement(value, statement.span)

    def _remove(self, diagnostic: Diagnostic, *more: Edit) -> None:
        """Report a statement that is mended by leaving it out, if its lines hold nothing else."""
        source, span = self.env.source, diagnostic.span
        edits = (source.delete_lines(span), *more)
        alone = ";" not in source.slice(Span(span.line, 1, span.end_line + 1, 1))
        self.env.report(replace(diagnostic, fix=Fix("remove statement", "remove it", edits) if alone else None))

    def _bind(self, statement: Assign) -> Statement:
        target, value = statement.target, statement.value
        if isinstance(value, Call) and self._is_build(value):
            uses = [Edit(s, MEMORY) for s in self.env.source.uses(target) if s.line > statement.span.end_line]
            self._remove(rule.NO_BUILD.at(statement.span, "the session has its memory"), *uses)
            self.env.bindings.setdefault(target, Binding(StaticType(Kind.UNKNOWN), statement.target_span, 0))
            return statement
        node, type_ = self.expression(value, target)
        if type_.frame is None and has_frame(type_):
            type_ = type_._replace(frame=target)  # a name means one value, so it is one frame
        if type_.kind in (Kind.NOTHING, Kind.SOURCE) or (type_.kind is Kind.LIST and not type_.items):
            self.env.report(rule.NO_VALUE.at(statement.span, f"{target} would hold nothing"))
        if target == MEMORY:
            self.env.report(RESERVED.at(statement.target_span, "memory is the session's"))
        elif target in self.env.bindings or target in self.helpers:
            if not isinstance(value, Hole):
                self._rebound(statement)
        else:
            call = node if isinstance(node, Call) else None
            self.env.bindings[target] = Binding(type_, statement.target_span, self.env.statement, call)
            self.bound[target] = type_
        return Assign(target, node, statement.span, statement.target_span)

    def _rebound(self, statement: Assign) -> None:
        """A second value for a name; it gets one of its own where no later cell can take one for the other."""
        target, taken = statement.target, {*self.env.bindings, *self.helpers, *self.env.operations, *BUILTINS}
        fresh = next(name for n in range(2, len(taken) + 3) if (name := f"{target}_{n}") not in taken)
        later = [Edit(s, fresh) for s in self.env.source.uses(target) if s.line > statement.span.end_line]
        mend = Fix("new name", f"call it {fresh}", (Edit(statement.target_span, fresh), *later))
        message, hint = f"{target} has a value already", f"a new name, such as {fresh}"
        self.env.report(rule.REBOUND.at(statement.target_span, message, hint, mend if self._ends else None))

    def _is_build(self, call: Call) -> bool:
        operation = self.env.operations.get(ALIASES.get(call.operation, call.operation))
        return operation is not None and operation.category is Category.CONSTRUCT

    def define(self, statement: Define) -> Statement:
        """A helper: its body is checked for what does not depend on its arguments, and again at each use."""
        name, helper = statement.name, statement.value
        if name in self.helpers or name in self.env.bindings:
            self.env.report(rule.REBOUND.at(statement.span, f"{name} has a meaning already"))
            return statement
        self.helpers[name] = self.defined[name] = statement
        cost, effects = self.cost, len(self.effects)
        arguments = tuple(Argument(None, Name("", statement.span), statement.span) for _ in helper.parameters)
        self._body(Call(name, arguments, statement.span), statement, (StaticType(Kind.UNKNOWN),) * len(arguments))
        self.cost = cost
        del self.effects[effects:]
        return statement

    def _answer(self, statement: ExprStatement, call: Call) -> Statement:
        self.answers = True
        self.spend(CellCost(evaluations=1))
        if len(call.arguments) != 1 or call.arguments[0].name is not None:
            message = "answer takes one value"
            self.env.report(rule.ARGUMENTS.at(call.span, message, BUILTINS["answer"].signature))
            return statement
        argument = call.arguments[0].value
        node, type_ = self.expression(argument)
        viewpoint.check_use(self.env, node, type_, statement.span, read_out=True)
        check_answer(self.env, self.scope, argument, type_)
        return ExprStatement(Apply("answer", (node,), span=call.span, type=type_), statement.span)

    def _call(self, call: Call, target: str | None) -> Typed:
        """An operation; it takes the session's memory when it is not told of one."""
        operation = self.env.operations.get(ALIASES.get(call.operation, call.operation))
        if operation is not None and operation.category is Category.CONSTRUCT:
            self.env.report(rule.NO_BUILD.at(call.span, "the session has its memory"))
            return call, StaticType(Kind.UNKNOWN)
        if operation is not None and self._lacks_memory(call, operation):
            memory = Argument(None, Name(MEMORY, call.name_span), call.name_span)
            call = replace(call, arguments=(memory, *call.arguments))
        node, type_ = super()._call(call, target)
        return node, in_memory(type_, self.env.facts)

    def _lacks_memory(self, call: Call, operation: Operation) -> bool:
        if not operation.parameters or operation.parameters[0].name != MEMORY:
            return False
        named = {operation.by_name[a.name].name for a in call.arguments if a.name and a.name in operation.by_name}
        first = call.arguments[0] if call.arguments else None
        given = first is not None and first.name is None and isinstance(first.value, Name) and (
            first.value.id not in self.locals and self._kind_of(first.value.id) is Kind.MEMORY
        )  # fmt: skip
        return MEMORY not in named and not given

    def _kind_of(self, name: str) -> Kind | None:
        binding = self.env.bindings.get(name)
        return Kind.MEMORY if binding is None and "memory" in name.lower() else binding.type.kind if binding else None

    def _event(self, event: Event) -> StaticType:
        """Record a call: what it costs, what it changes, and its result's dimension, frame and size."""
        super()._event(event)
        operation, env = event.operation, self.env
        self.spend(CellCost(1, int(operation.returns is Kind.PICTURE), int(operation.effect), 1))
        if operation.effect:
            self.effects.append(operation.name)
            if self.scope.effects is not None and operation.name not in self.scope.effects:
                env.report(rule.UNAVAILABLE.at(event.call.span, f"{operation.name} cannot be served here"))
        if self.inside and (event.moves or operation.adds):
            what = "the viewpoint" if event.moves else "the memory"
            env.report(rule.INSIDE.at(event.call.span, f"{operation.name} changes {what} inside an expression"))
        self.version += operation.adds
        if not event.faulty:
            check_event(env, event)
        mark = f"#{self.version}" if self.version else ""
        if operation.returns is Kind.FRAME and any(_mentions(a.value, self.locals) for a in event.call.arguments):
            mark = self.local
        if operation.adds:
            self.objects = MOST_FOUND
        type_ = result_of(event, env.facts, self.objects, mark)
        options = event.arguments.get("options") if operation.name == "judge" else None
        return type_ if options is None else judged(self.scope, type_, options)

    def _check_budget(self, span: Span, before: CellCost) -> None:
        """Report the statement with which the cell's bound leaves the budget."""
        left = self.scope.budget
        for item in fields(CellCost):
            needed, had = getattr(self.cost, item.name), getattr(before, item.name)
            most = getattr(left, item.name)
            if had <= most < needed:
                what = item.name.replace("_", " ")
                self.env.report(rule.BUDGET.at(span, f"the cell needs up to {needed:,} {what}, and {most:,} are left"))


def _answers(statement: Statement) -> bool:
    return isinstance(statement, ExprStatement) and getattr(statement.value, "operation", None) == "answer"


def _mentions(node: Expr, names: Container[str]) -> bool:
    """Whether an expression depends on one of these names; a helper's body sees none of them."""
    if isinstance(node, Apply):
        return any(_mentions(part, names) for part in (*node.arguments, *([node.by] if node.by else [])))
    return (isinstance(node, Name) and node.id in names) or any(_mentions(c, names) for c in children(node))
