"""Text to the statements of a cell: what programs have, and expressions, helpers and comprehensions.

As in ``syntax`` nothing is handed to Python's own parser, every fault is reported once, and depth is bounded.
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
    Binary,
    Compare,
    Composed,
    Comprehension,
    Conditional,
    Define,
    Expr,
    ExprStatement,
    Field,
    Helper,
    ListExpr,
    Literal,
    Logic,
    Name,
    Negate,
    OrElse,
    Program,
    Span,
)
from placecell.language.rules import cells as rule
from placecell.language.rules import syntax as shared
from placecell.language.rules import tool
from placecell.language.syntax import BLOCKS, Parsed, Parser, parse, split_statements
from placecell.language.tokens import Line, Token, span_of

Read = Callable[[], Expr]

MAX_OPERATORS = 64
MAX_DEPTH = 24
OR_ELSE = "or_else"
RESERVED = frozenset({*CELL_OPERATIONS, *BUILTINS, OR_ELSE})
"""Names that a cell cannot bind; nor can it bind ``memory``, which is looked at later."""

_MODULES = frozenset({"math", "np", "numpy", "statistics", "builtins"})
_COMPARISONS = frozenset({"<", "<=", ">", ">=", "==", "!="})
_INSTEAD = {
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

    instead = _INSTEAD
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
        opened = Edit(Span(left.span.line, left.span.column, left.span.line, left.span.column), "floor(")
        closed = Edit(Span(right.span.end_line, right.span.end_column, right.span.end_line, right.span.end_column), ")")
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
        self.at += 1
        bracket = self.take("(")
        names = self._names()
        if bracket and not self.take(")"):
            raise self.unexpected("')' is expected")
        if self._word("in") is None:
            raise self.unexpected("in is expected: for a in set")
        source = self._any()
        condition = self._any() if self._word("if") is not None else None
        span = self.since(first)
        if self.token.text in ("for", "if") or len(names) > 2:
            what = "three variables" if len(names) > 2 else f"a second `{self.token.text}`"
            self._skip()
            self.report(rule.COMPREHENSION_FORM.at(self.since(first), f"{what} in one comprehension"))
            return Hole("", self.since(first))
        return Comprehension(element, names, source, condition, span)


class CellParser(Parser):
    """Reads the lines of a text as statements of a cell."""

    expressions = CellExpressionParser
    reserved = RESERVED
    instead = _INSTEAD

    def run(self) -> None:
        indent = self.lines[0].indent if self.lines else 0
        at = 0
        while at < len(self.lines):
            line = self.lines[at]
            first = line.tokens[0]
            at += 1
            if first.text == "def" and first.kind == "name":
                at = self._define(line, at)
            elif first.text in BLOCKS and first.kind == "name" and self._opens_block(line):
                at = self._skip_block(line, at)
            else:
                if line.indent != indent:
                    self._bad_indent(line, indent)
                for tokens in split_statements(line.tokens):
                    self._statement(tokens)
        whole = self.lines[0].span.to(self.lines[-1].span) if self.lines else Span(1, 1, 1, 2)
        self.parsed.program = Program("cell", "", tuple(self.statements), whole)
        if self.cut is not None or self.truncated:
            self._incomplete()

    def _bare(self, node: Expr, span: Span) -> None:
        """A computed value without a name is no mistake of form here."""
        if isinstance(node, Composed):
            self.statements.append(ExprStatement(node, span))
        else:
            super()._bare(node, span)

    def _define(self, line: Line, at: int) -> int:
        """``def f(a): return EXPR``, the return on the same line or alone on the next; index of the line after it."""
        body = list(line.tokens)
        end = at
        while end < len(self.lines) and self.lines[end].indent > line.indent:
            body += self.lines[end].tokens
            end += 1
        defined = self._read_helper(body) if end <= at + 1 else None
        if defined is None:
            span = span_of(line.tokens[0], body[-1])
            self.report(rule.HELPER_FORM.at(span, "this helper is not one expression of its arguments"))
            self._lose(line.tokens)
        else:
            self.statements.append(defined)
        return end

    def _read_helper(self, tokens: list[Token]) -> Define | None:
        """None when it is not a helper's form; a fault inside its expression is reported there."""
        parser = CellExpressionParser(tokens, self.report)
        parser.at = 1
        name = parser.token
        if not is_plain_name(name):
            return None
        parser.at += 1
        names: list[str] = []
        if not parser.take("("):
            return None
        while not parser.take(")"):
            if not is_plain_name(parser.token) or parser.token.text in (*names, *RESERVED, "memory"):
                return None
            names.append(parser.token.text)
            parser.at += 1
            if not parser.take(",") and parser.token.text != ")":
                return None
        if not (names and parser.take(":") and parser.token.text == "return"):
            return None
        parser.at += 1
        first = parser.token
        try:
            body = parser.expression()
            if not parser.done():
                raise parser.unexpected("one expression after return")
        except Abandon:
            body = Hole("", first.span)
        if name.text in RESERVED:
            self.report(shared.RESERVED.at(name.span, f"{name.text} is taken"))
        helper = Helper(tuple(names), body, first.span.to(tokens[-1].span))
        return Define(name.text, helper, span_of(tokens[0], tokens[-1]))


def parse_cell(text: str, *, truncated: bool = False) -> Parsed:
    """Read a cell; the result's program holds its statements. ``truncated``: the text was cut off."""
    return parse(text, truncated=truncated, parser=CellParser)
