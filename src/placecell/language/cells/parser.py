"""Text to the statements of a cell: what programs have, and helpers; expressions are read by ``expressions``.

As in ``syntax`` nothing is handed to Python's own parser, and every fault is reported once.
"""

from __future__ import annotations

from placecell.language.cell_ops import CELL_OPERATIONS
from placecell.language.cells.builtins import BUILTINS
from placecell.language.cells.expressions import INSTEAD, OR_ELSE, CellExpressionParser
from placecell.language.expressions import Abandon, Hole, is_plain_name
from placecell.language.plan import (
    Composed,
    Define,
    Expr,
    ExprStatement,
    Helper,
    Program,
    Span,
)
from placecell.language.rules import cells as rule
from placecell.language.rules import syntax as shared
from placecell.language.syntax import BLOCKS, Parsed, Parser, parse, split_statements
from placecell.language.tokens import Line, Token, span_of

RESERVED = frozenset({*CELL_OPERATIONS, *BUILTINS, OR_ELSE})
"""Names that a cell cannot bind; nor can it bind ``memory``, which is looked at later."""


class CellParser(Parser):
    """Reads the lines of a text as statements of a cell."""

    expressions = CellExpressionParser
    reserved = RESERVED
    instead = INSTEAD

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
