"""The plan tree back to text in one canonical form: double quotes, four spaces, optional arguments by name."""

from __future__ import annotations

from collections.abc import Iterator

from placecell.language.cell_ops import CELL_OPERATIONS
from placecell.language.plan import (
    Apply,
    Assign,
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
    ListExpr,
    Literal,
    Logic,
    Name,
    Negate,
    OrElse,
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
        case _:
            return _composed_text(node)


_BINDING = {
    Helper: 0, OrElse: 1, Conditional: 2, Compare: 6, Negate: 9,
    "or": 3, "and": 4, "not": 5, "+": 7, "-": 7, "*": 8, "/": 8,
}  # fmt: skip
"""How strongly an expression of cells holds together; anything else cannot come apart."""


def _strength(node: Expr) -> int:
    match node:
        case Binary() | Logic():
            return _BINDING[node.op]
        case Literal(value=int() | float() as number) if number < 0:
            return _BINDING[Negate]
        case _:
            return _BINDING.get(type(node), 10)


def _composed_text(node: Composed) -> str:
    own = _strength(node)

    def part(inner: Expr, at_least: int) -> str:
        text = expression_text(inner)
        return text if _strength(inner) >= at_least else f"({text})"

    match node:
        case Binary(op, left, right):
            return f"{part(left, own)} {op} {part(right, own + 1)}"
        case Compare(op, left, right):
            return f"{part(left, own + 1)} {op} {part(right, own + 1)}"
        case Negate(operand):
            return f"-{part(operand, own + 1)}"
        case Logic("not", (operand,)):
            return f"not {part(operand, own)}"
        case Logic(op, operands):
            return f" {op} ".join(part(operand, own + 1) for operand in operands)
        case Conditional(then, test, otherwise):
            return f"{part(then, own + 1)} if {part(test, own + 1)} else {part(otherwise, own)}"
        case OrElse(value, otherwise):
            return f"{part(value, own + 1)} or_else {part(otherwise, own)}"
        case Comprehension(element, variables, source, condition):
            ending = "" if condition is None else f" if {part(condition, _BINDING['or'])}"
            return f"[{part(element, 1)} for {', '.join(variables)} in {part(source, _BINDING['or'])}{ending}]"
        case Helper(parameters, body):
            return f"lambda {', '.join(parameters)}: {expression_text(body)}"
        case Apply(function, arguments, by):
            given = [*map(expression_text, arguments), *([] if by is None else [f"by={expression_text(by)}"])]
            return f"{function}({', '.join(given)})"


def _arguments(call: Call) -> Iterator[str]:
    """Required arguments by place as long as they come in order, the rest by name."""
    operation = CELL_OPERATIONS.get(call.operation)
    places = iter(operation.required if operation else ())
    by_place = True
    for argument in call.arguments:
        parameter = next(places, None)
        by_place = by_place and parameter is not None and parameter.name == argument.name and not parameter.by_name
        named = argument.name is not None and not by_place
        yield f"{argument.name}={expression_text(argument.value)}" if named else expression_text(argument.value)


def statement_text(statement: Statement) -> str:
    match statement:
        case Define(name, Helper() as helper):
            return f"def {name}({', '.join(helper.parameters)}): return {expression_text(helper.body)}"
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
