"""Tokens of a statement to the expressions of a cell: operators, choices, comprehensions and scores.

Every fault is reported once, and depth and size are bounded, whatever the text.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Literal as OneOf

from placecell.language.cell_ops import CELL_OPERATIONS
from placecell.language.cells.builtins import BUILTINS, SYNONYMS
from placecell.language.diagnostics import Edit, Fix
from placecell.language.expressions import Abandon, ExpressionParser, Hole, Report, is_plain_name
from placecell.language.ops import ALIASES
from placecell.language.plan import (
    Argument,
    Binary,
    Call,
    Compare,
    Comprehension,
    Conditional,
    Expr,
    Field,
    Helper,
    ListExpr,
    Literal,
    Logic,
    Name,
    Negate,
    OrElse,
    Span,
)
from placecell.language.rules import cells as rule
from placecell.language.rules import tool
from placecell.language.tokens import Token

Read = Callable[[], Expr]

MAX_OPERATORS = 64
MAX_DEPTH = 24
OR_ELSE = "or_else"
_MODULES = frozenset({"math", "np", "numpy", "statistics", "builtins"})
_COMPARISONS = frozenset({"<", "<=", ">", ">=", "==", "!="})
INSTEAD = {
    "arithmetic": "+ - * / are there; for the rest use round, floor, ceil, sqrt",
    "a comparison": "< <= > >= == != are there; a set is searched with a comprehension and an if",
    "a comprehension": "a comprehension stands in square brackets",
    "a loop": "write a comprehension: [f(a) for a in chairs if test]",
    "a branch": "write a conditional expression: a if test else b",
    "a lambda": "it may only be a score: by=lambda o: ...",
    "an import": "remove it; operations need no import",
}


class CellExpressionParser(ExpressionParser):
    """Precedence climbing on top of the operands that programs have."""

    instead = INSTEAD
    methods = frozenset({*CELL_OPERATIONS, *ALIASES, *BUILTINS})

    def __init__(self, tokens: list[Token], report: Report) -> None:
        super().__init__(tokens, report)
        self.operators = self.depth = 0
        self.generator: Expr | None = None
        """The last comprehension without brackets of its own."""

    def _whole(self) -> Expr:
        first = self.token
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise self._too_long(first)
        node = self._or_else()
        self.depth -= 1
        if self.token.text == "for" and self._inside_brackets():
            self.generator = node = self._comprehension(first, node)
        return node

    def _too_long(self, at: Token) -> Abandon:
        self.report(rule.TOO_LONG.at(at.span, "the expression is too large; give a part of it a name"))
        return Abandon()

    def _word(self, *words: str) -> str | None:
        """The next token's text if it is one of these operators or words."""
        token = self.tokens[self.at]
        if token.text not in words or token.kind not in ("op", "name"):
            return None
        self.operators += 1
        if self.operators > MAX_OPERATORS:
            raise self._too_long(token)
        self.at += 1
        return token.text

    def _or_else(self) -> Expr:
        first = self.token
        node = self._conditional()
        if self._word(OR_ELSE) is None:
            return node
        return OrElse(node, self._deeper(self._or_else), self.since(first))

    def _deeper(self, read: Read) -> Expr:
        """Read on to the right of an operator that binds to the right."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise self._too_long(self.token)
        node = read()
        self.depth -= 1
        return node

    def _conditional(self) -> Expr:
        first = self.token
        node = self._any()
        if self._word("if") is None:
            return node
        test = self._any()
        if self._word("else") is None:
            raise self.unexpected("a conditional needs its else: a if test else b")
        return Conditional(node, test, self._deeper(self._conditional), self.since(first))

    def _any(self) -> Expr:
        return self._joined("or", self._all)

    def _all(self) -> Expr:
        return self._joined("and", self._not)

    def _joined(self, word: OneOf["and", "or"], read: Read) -> Expr:
        first = self.token
        operands = [read()]
        while self._word(word) is not None:
            operands.append(read())
        return operands[0] if len(operands) == 1 else Logic(word, tuple(operands), self.since(first))

    def _not(self) -> Expr:
        first = self.token
        if self._word("not") is None:
            return self._compared()
        return Logic("not", (self._deeper(self._not),), self.since(first))

    def _compared(self) -> Expr:
        """``a < b < c`` means a < b and b < c."""
        first = self.token
        left = self._sum()
        parts: list[Expr] = []
        while (op := self._word(*_COMPARISONS)) is not None:
            right = self._sum()
            parts.append(Compare(op, left, right, left.span.to(right.span)))
            left = right
        if not parts:
            return left
        return parts[0] if len(parts) == 1 else Logic("and", tuple(parts), self.since(first))

    def _sum(self) -> Expr:
        first = self.token
        node = self._product()
        while (op := self._word("+", "-")) is not None:
            node = Binary(op, node, self._product(), self.since(first))
        return node

    def _product(self) -> Expr:
        first = self.token
        node = self._signed()
        while (op := self._word("*", "/", "//")) is not None:
            operator = self.tokens[self.at - 1].span
            right = self._signed()
            if op == "//":
                self._whole_division(node, operator, right)
            node = Binary(op[0], node, right, self.since(first))
        return node

    def _whole_division(self, left: Expr, operator: Span, right: Expr) -> None:
        opened = Edit(left.span.start, "floor(")
        closed = Edit(right.span.end, ")")
        mend = Fix("whole division", "write floor(a / b)", (opened, Edit(operator, "/"), closed))
        self.report(rule.OPERATOR.at(operator, "// is not an operator of cells", "", mend))

    def _signed(self) -> Expr:
        first = self.token
        sign = self._word("-", "+")
        if sign is None:
            return self._postfix(first, self._primary())
        if self.token.kind == "number" and isinstance(value := self.token.value, int | float):
            self.at += 1
            return Literal(-value if sign == "-" else value, self.since(first))
        operand = self._deeper(self._signed)
        return Negate(operand, self.since(first)) if sign == "-" else operand

    def _primary(self) -> Expr:
        if self.token.text == "lambda" and self.token.kind == "name":
            return self._lambda()
        return super()._primary()

    def _call(self, first: Token, node: Expr) -> Expr:
        """``math.sqrt(x)`` is ``sqrt(x)``: there are no modules."""
        match node:
            case Field(value=Name(id=module), name=name) if module in _MODULES and name in (*BUILTINS, *SYNONYMS):
                span = node.span
                start = Span(span.end_line, span.end_column - len(name), span.end_line, span.end_column)
                prefix = Span(span.line, span.column, start.line, start.column)
                mend = Fix("no module", f"write {name}(...)", (Edit(prefix, ""),))
                self.report(tool.DIRECT.at(span, f"there is no module {module}", f"{name} stands by itself", mend))
                node = Name(name, start)
        return super()._call(first, node)

    def _lambda(self) -> Expr:
        first = self.token
        self.at += 1
        names = self._names()
        if not self.take(":"):
            raise self.unexpected("lambda o: ... is expected")
        return Helper(names, self._deeper(self._or_else), self.since(first))

    def _names(self) -> tuple[str, ...]:
        names: list[str] = []
        while is_plain_name(self.token):
            names.append(self.token.text)
            self.at += 1
            if not self.take(","):
                break
        if not names or len(set(names)) < len(names):
            raise self.unexpected("a name is expected, each once")
        return tuple(names)

    def _list(self, first: Token) -> Expr:
        node = super()._list(first)
        match node:
            case ListExpr((Comprehension() as only,)) if only is self.generator:
                return replace(only, span=node.span)
        return node

    def _comprehension(self, first: Token, element: Expr) -> Expr:
        """From ``for`` on."""
        word = self.token
        names, source = self._clause()
        if self.token.text == "for":
            names, source = self._second_clause(word, names, source)
        condition = self._any() if self._word("if") is not None else None
        span = self.since(first)
        if self.token.text in ("for", "if") or len(names) > 2:
            self._skip()
            self.report(rule.COMPREHENSION_FORM.at(self.since(first), "a comprehension has one `for` and one `if`"))
            return Hole("", self.since(first))
        return Comprehension(element, names, source, condition, span)

    def _clause(self) -> tuple[tuple[str, ...], Expr]:
        """``for names in source``."""
        self.at += 1
        bracket = self.take("(")
        names = self._names()
        if bracket and not self.take(")"):
            raise self.unexpected("')' is expected")
        if self._word("in") is None:
            raise self.unexpected("in is expected: for a in set")
        return names, self._any()

    def _second_clause(self, word: Token, names: tuple[str, ...], source: Expr) -> tuple[tuple[str, ...], Expr]:
        """``for a in x for b in y`` goes through ``pairs(x, y)``."""
        second = self.token.span
        others, other = self._clause()
        mend = None
        if len(names) == len(others) == 1 and names != others:
            here, there = source.span, other.span
            head = Span(word.line, word.column, here.line, here.column)
            edits = (
                Edit(head, f"for {names[0]}, {others[0]} in pairs("),
                Edit(Span(here.end_line, here.end_column, there.line, there.column), ", "),
                Edit(there.end, ")"),
            )
            mend = Fix("pairs of two sets", "go through pairs(x, y)", edits)
        self.report(rule.COMPREHENSION_FORM.at(second, "a second `for` in one comprehension", "", mend))
        pairs = Call("pairs", (Argument(None, source, source.span), Argument(None, other, other.span)), source.span)
        return (*names, *others), pairs
