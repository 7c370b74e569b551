"""Walks a parsed program through an environment: types every expression, binds names, records events, asks the rules.

The rules themselves are in ``rules``; here is only the order in which they are asked. Statements can be checked in
pieces against one environment.
"""

from __future__ import annotations

from dataclasses import replace

from placecell.language.diagnostics import Edit, Fix, Severity
from placecell.language.environment import Binding, Environment, Event
from placecell.language.expressions import Hole
from placecell.language.plan import (
    NOWHERE,
    Argument,
    Assign,
    Call,
    Composed,
    Define,
    Expr,
    ExprStatement,
    Field,
    Index,
    ListExpr,
    Literal,
    Name,
    Program,
    Return,
    Statement,
)
from placecell.language.rules import answer, dependency, execution, tool, values, viewpoint
from placecell.language.rules import syntax as syntax_rules
from placecell.language.signature import Operation
from placecell.language.types import Kind, StaticType
from placecell.language.viewpoint import Heading, Place, ViewPose

_UNKNOWN = StaticType(Kind.UNKNOWN)
_LITERALS = {bool: Kind.BOOL, int: Kind.NUMBER, float: Kind.NUMBER, str: Kind.TEXT, type(None): Kind.NOTHING}


class Checker:
    """Checks statements one after the other. ``env`` holds everything that is known so far."""

    def __init__(self, env: Environment) -> None:
        self.env = env
        self.results: tuple[StaticType, ...] = ()
        self._statement_span = NOWHERE

    def check_program(self, parsed: Program) -> Program:
        """Check a whole function; the result has canonical calls and is worth something only without errors."""
        self.env.parameter = parsed.parameter
        statements = tuple(self.statement(s, i) for i, s in enumerate(parsed.statements))
        if not parsed.statements or not isinstance(parsed.statements[-1], Return):
            self._no_return(parsed)
        dependency.not_built(self.env, parsed)
        for name, binding in self.env.bindings.items():
            dependency.unused(self.env, name, binding)
        execution.check_execution(self.env, parsed, self.results)
        question = self.env.decomposition
        if question is not None and not self.env.blurred and self._understood():
            answer.check_plan(self.env, parsed, question)
        return Program("plan", self._argument(), statements, parsed.span)

    def _argument(self) -> str:
        """The usual name of the plan's argument."""
        return syntax_rules.PARAMETERS.get(self.env.parameter, self.env.parameter)

    def _understood(self) -> bool:
        """Whether what the program does is known, so that holding it against the question makes sense."""
        return not any(d.code[0] in "STD" and d.severity is Severity.ERROR for d in self.env.diagnostics)

    def statement(self, statement: Statement, index: int) -> Statement:
        """Check one statement and take its effects into the environment."""
        self.env.statement, self._statement_span = index, statement.span
        match statement:
            case Assign():
                return self._assign(statement)
            case Return():
                return self._return(statement)
            case ExprStatement():
                value, _ = self.expression(statement.value)
                return ExprStatement(value if isinstance(value, Call) else statement.value, statement.span)
            case Define():
                return self.define(statement)

    def define(self, statement: Define) -> Statement:
        """A helper of a cell; the parser of programs makes none."""
        raise TypeError(f"a program has no helper {statement.name}")

    def _assign(self, statement: Assign) -> Assign:
        value, type_ = self.expression(statement.value, statement.target)
        if statement.target in (self.env.parameter, self._argument()):
            message = f"{statement.target} is the plan's argument"
            self.env.report(syntax_rules.RESERVED.at(statement.target_span, message))
        call = value if isinstance(value, Call) else None
        old = self.env.bindings.get(statement.target)
        if old is not None:
            dependency.unused(self.env, statement.target, old)
        self.env.bindings[statement.target] = Binding(type_, statement.target_span, self.env.statement, call)
        return Assign(statement.target, value, statement.span, statement.target_span)

    def expression(self, node: Expr, target: str | None = None) -> tuple[Expr, StaticType]:
        """The expression in canonical form, and its type; effects of its calls happen in order of evaluation.

        ``target`` is the name that the whole expression is about to be bound to.
        """
        match node:
            case Hole():
                self.env.blurred = True
                return node, _UNKNOWN
            case Call():
                return self._call(node, target)
            case Name():
                type_ = dependency.lookup(self.env, node)
                return (Name(self._argument(), node.span) if type_.kind is Kind.SOURCE else node), type_
            case Literal():
                return node, StaticType(_LITERALS[type(node.value)], value=node.value)
            case ListExpr():
                pairs = [self.expression(item) for item in node.items]
                items = tuple(t for _, t in pairs)
                return ListExpr(tuple(n for n, _ in pairs), node.span), StaticType(Kind.LIST, items=items)
            case Index():
                base, type_ = self.expression(node.value)
                return dependency.read_index(self.env, Index(base, node.index, node.span), type_)
            case Field():
                base, type_ = self.expression(node.value)
                return dependency.read_field(self.env, Field(base, node.name, node.span), type_)
            case _:
                return self.composed(node)

    def composed(self, node: Composed) -> tuple[Expr, StaticType]:
        """Expressions of cells; the parser of programs makes none."""
        raise TypeError(f"a program has no {type(node).__name__}")

    def _call(self, call: Call, target: str | None) -> tuple[Expr, StaticType]:
        env = self.env
        operation = tool.resolve(env, call)
        given = []
        for argument in call.arguments:
            node, type_ = self.expression(argument.value)
            given.append((argument if node is argument.value else replace(argument, value=node), type_))
        if operation is None:
            return call, _UNKNOWN
        bound = tool.bind(env, call, operation, given)
        if bound is None:
            env.blurred = True
            return call, _result_of_unknown(operation)
        checked = values.check_values(env, operation, bound)
        for node, type_ in checked.values():
            if type_.bound or type_.items:
                viewpoint.check_use(env, node, type_, self._statement_span)
        arguments = tuple(Argument(name, node, node.span) for name, (node, _) in checked.items())
        canonical = Call(operation.name, arguments, call.span, call.name_span)
        types = {name: type_ for name, (_, type_) in checked.items()}
        return canonical, self._event(Event(operation, canonical, types, _UNKNOWN, env.view, env.statement, target))

    def _event(self, event: Event) -> StaticType:
        """Record what a call does, and give the type of its result."""
        env = self.env
        event.faulty = any(map(_has_fault, event.arguments.values()))
        if event.builds and any(e.builds for e in env.events):
            dependency.built_again(env, event.call, self._statement_span, event.target)
        if not event.faulty:
            viewpoint.check_viewpoint(env, event, self._statement_span)
        else:
            env.blurred = True
        if event.moves:
            env.change_view(_moved(event, env.view.pose))
        event.view = env.view
        event.result = _result(event)
        env.events.append(event)
        return event.result

    def _return(self, statement: Return) -> Return:
        env = self.env
        value, type_ = self.expression(statement.value)
        env.blurred = env.blurred or _has_fault(type_)
        if type_.kind is Kind.UNKNOWN:
            return statement
        if type_.kind is not Kind.LIST:
            env.report(syntax_rules.not_a_list(value.span, "one value"))
            value, type_ = ListExpr((value,), value.span), StaticType(Kind.LIST, items=(type_,))
        nodes = value.items if isinstance(value, ListExpr) else tuple(value for _ in type_.items)
        for node, item in zip(nodes, type_.items, strict=True):
            viewpoint.check_use(env, node, item, statement.span, read_out=True)
        self.results = type_.items
        execution.check_results(env, value, type_.items)
        return Return(value, statement.span)

    def _no_return(self, parsed: Program) -> None:
        env = self.env
        last = parsed.statements[-1].span if parsed.statements else parsed.span
        names = execution.observed_names(env)
        mend = None
        if names and parsed.statements:
            line = f"\n{env.source.indentation(last.line)}return [{', '.join(names)}]"
            mend = Fix("missing return", f"return {', '.join(names)}", (Edit(last.end, line),))
            for name in names:
                env.bindings[name].used = True
        env.report(syntax_rules.NO_RETURN.at(last, "the program does not end with a return", "", mend))


def _has_fault(type_: StaticType) -> bool:
    return type_.kind is Kind.UNKNOWN or (bool(type_.items) and any(map(_has_fault, type_.items)))


def _result_of_unknown(operation: Operation) -> StaticType:
    """A call with faulty arguments: its result is not reported again, but a memory stays a memory."""
    return StaticType(Kind.MEMORY) if operation.returns is Kind.MEMORY else _UNKNOWN


def _moved(event: Event, pose: ViewPose | None) -> ViewPose | None:
    """The viewpoint after a motion, None when it cannot be told."""
    types = event.arguments
    if event.name == "set_viewpoint":
        placed = _placed(types.get("at"), types.get("facing"))
        level = "level" not in types or types["level"].value is not False
        return replace(placed, level=level) if placed is not None else None
    direction = types["direction"].value if "direction" in types else None
    amount = types.get("degrees", types.get("distance"))
    size = amount.value if amount is not None else None
    if pose is None or not isinstance(direction, str) or isinstance(size, str):
        return None
    return pose.turned(direction, size) if event.name == "turn_camera" else pose.stepped(direction, size)


def _placed(at: StaticType | None, facing: StaticType | None) -> ViewPose | None:
    if at is None or Kind.UNKNOWN in (at.kind, facing.kind if facing else at.kind):
        return None
    if at.kind is Kind.POSE:
        if at.pose is None:
            return None
        if facing is None:
            return at.pose
        return ViewPose(at.pose.place, _heading(facing)) if at.pose.displacement == (0.0, 0.0, 0.0) else None
    return ViewPose(Place(name=at.name), Heading() if facing is None else _heading(facing))


def _heading(facing: StaticType) -> Heading:
    if facing.kind is Kind.POSE:
        return Heading(own=False, image=facing.pose.place.image if facing.pose else None)
    return Heading(own=False, towards=facing.name or "")


def _result(event: Event) -> StaticType:
    """Type of a call's result: kind from the table, stamp from the viewpoint, name and pose where they are known."""
    operation, types = event.operation, event.arguments
    name, pose = None, None
    if event.name in ("query_3d_object_location", "track_object"):
        value = types["name"].value
        name = value if isinstance(value, str) else None
    elif event.name == "select_object":
        name = types["objects"].name
    elif event.name == "query_camera_pose":
        number = types["image"].value
        pose = ViewPose(Place(image=number), Heading()) if isinstance(number, int) else None
    elif event.moves:
        pose = event.view.pose
    return StaticType(operation.returns, operation.frame_bound, event.view.stamp, name=name, pose=pose)
