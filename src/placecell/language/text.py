"""The plan tree back to text in one canonical form: double quotes, four spaces, optional arguments by name."""

from __future__ import annotations

from collections.abc import Iterator

from placecell.language.ops import OPERATIONS
from placecell.language.plan import (
    Assign,
    Call,
    Expr,
    Field,
    Index,
    ListExpr,
    Literal,
    Name,
    Program,
    Return,
    Statement,
)
from placecell.language.tokens import quote


def expression_text(node: Expr) -> str:
    match node:
        case Literal(value=str() as value):
            return quote(value)
        case Literal(value=value):
            return repr(value)
        case Name():
            return node.id
        case ListExpr():
            return f"[{', '.join(map(expression_text, node.items))}]"
        case Index():
            return f"{expression_text(node.value)}[{node.index!r}]"
        case Field():
            return f"{expression_text(node.value)}.{node.name}"
        case Call():
            return f"{node.operation}({', '.join(_arguments(node))})"


def _arguments(call: Call) -> Iterator[str]:
    """Required arguments by place as long as they come in order, the rest by name."""
    operation = OPERATIONS.get(call.operation)
    places = iter(operation.required if operation else ())
    by_place = True
    for argument in call.arguments:
        parameter = next(places, None)
        by_place = by_place and parameter is not None and parameter.name == argument.name and not parameter.by_name
        named = argument.name is not None and not by_place
        yield f"{argument.name}={expression_text(argument.value)}" if named else expression_text(argument.value)


def statement_text(statement: Statement) -> str:
    match statement:
        case Assign():
            return f"{statement.target} = {expression_text(statement.value)}"
        case Return():
            return f"return {expression_text(statement.value)}"
        case _:
            return expression_text(statement.value)


def program_text(program: Program) -> str:
    """The whole function, ending with a newline."""
    body = (f"    {statement_text(s)}" for s in program.statements)
    return "\n".join([f"def {program.name}({program.parameter}):", *body]) + "\n"
