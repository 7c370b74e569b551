"""The plan tree back to text in one canonical form: double quotes, four spaces, arguments as in the tree."""

from __future__ import annotations

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
            shown = ((f"{a.name}=" if a.name else "") + expression_text(a.value) for a in node.arguments)
            return f"{node.operation}({', '.join(shown)})"


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
