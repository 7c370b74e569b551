"""Text to a parsed program, or syntax diagnostics: the function's head and its statements.

Nothing is ever handed to Python's own parser or compiler. Every line is read on its own, so that one fault does not
hide the others; what cannot be read leaves a ``Hole``.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import ClassVar

from placecell.language.diagnostics import Diagnostic, Edit, Fix
from placecell.language.expressions import Abandon, ExpressionParser, Hole, is_plain_name
from placecell.language.head import Head, read_head
from placecell.language.ops import ALIASES, OPERATIONS
from placecell.language.plan import (
    Assign,
    Call,
    Expr,
    ExprStatement,
    Field,
    Index,
    ListExpr,
    Name,
    Program,
    Return,
    Span,
    Statement,
)
from placecell.language.rules import syntax as rule
from placecell.language.source import Source
from placecell.language.tokens import Line, Token, over_limits, shorten, span_of, tokenize

_TYPING = ("from typing import", "import typing")
_CONTINUED = frozenset({"elif", "else", "except", "finally", "case"})
BLOCKS = frozenset({"for", "while", "if", "with", "try", "class", "def", "async", *_CONTINUED})


@dataclass
class Parsed:
    """What was read. ``program`` is None when there is no function to speak of; ``lossy``: some statement is a hole."""

    source: Source
    program: Program | None = None
    diagnostics: list[Diagnostic] = field(default_factory=list)
    lossy: bool = False


def parse(text: str, *, truncated: bool = False, parser: type[Parser] | None = None) -> Parsed:
    """Read a program. ``truncated`` says that the text was cut off, whatever it looks like.

    ``parser`` reads the lines; that of programs when None.
    """
    parsed = Parsed(Source(text))
    too_large = over_limits(text)
    if too_large is not None:
        parsed.diagnostics.append(too_large)
        return parsed
    tokens = tokenize(text)
    parsed.diagnostics += tokens.diagnostics
    if any(d.code == rule.SIZE.code for d in tokens.diagnostics):
        return parsed
    (parser or Parser)(parsed, tokens.lines, cut=tokens.open_end, truncated=truncated).run()
    parsed.diagnostics.sort(key=lambda d: d.span)
    return parsed


class Parser:
    """Reads the lines of a text as one function; ``cells`` reads them as a cell."""

    expressions: ClassVar[type[ExpressionParser]] = ExpressionParser
    reserved: ClassVar[Container[str]] = OPERATIONS
    instead: ClassVar[Mapping[str, str]] = rule.INSTEAD

    def __init__(self, parsed: Parsed, lines: list[Line], cut: Token | None, truncated: bool) -> None:
        self.parsed, self.source, self.lines = parsed, parsed.source, lines
        self.cut, self.truncated = cut, truncated
        self.statements: list[Statement] = []

    def report(self, diagnostic: Diagnostic) -> None:
        self.parsed.diagnostics.append(diagnostic)

    def run(self) -> None:
        start = self._find_function()
        if start is not None:
            head_line = self.lines[start]
            head = read_head(head_line, self.source, self.report)
            after = self._body(start + 1, head_line.indent, head)
            self._outside(self.lines[after:], "after")
            self._finish(head, head_line)
        if self.cut is not None or self.truncated:
            self._incomplete()

    def _find_function(self) -> int | None:
        """Index of the plan's head; reports what stands before it, or that there is none."""
        heads = [i for i, line in enumerate(self.lines) if line.tokens[0].text == "def" and len(line.tokens) > 1]
        if not heads:
            self._no_function()
            return None
        named = [i for i in heads if self.lines[i].tokens[1].text in rule.FUNCTION_NAMES]
        start = (named or heads)[0]
        before = self.lines[:start]
        decorators = [line for line in before if line.tokens[0].text == "@"]
        for line in decorators:
            mend = Fix("remove decorator", "remove it", (self.source.delete_lines(line.span),))
            self.report(rule.DECORATOR.at(line.span, "the function is decorated", "", mend))
        self._outside([line for line in before if line not in decorators], "before")
        return start

    def _no_function(self) -> None:
        names = {t.text for line in self.lines for t in line.tokens if t.kind == "name"}
        if not names & (OPERATIONS.keys() | ALIASES.keys()):
            self.parsed.diagnostics[:] = [rule.NO_PROGRAM.at(Span(1, 1, 1, 2), "there is no program in the text")]
            return
        body = "\n".join(f"    {line}" if line.strip() else line for line in self.source.text.split("\n"))
        whole = Span(1, 1, len(self.source.lines), len(self.source.lines[-1]) + 1)
        wrapped = Edit(whole, f"def plan({'video' if 'video' in names else 'images'}):\n{body}")
        mend = Fix("wrap statements", "put the statements into a plan", (wrapped,))
        span = self.lines[0].span
        self.report(rule.ONE_FUNCTION.at(span, "the statements are not in a function", "", mend))

    def _outside(self, lines: list[Line], where: str) -> None:
        """Code beside the function: harmless imports are noted, anything else is one fault."""
        others = []
        for line in lines:
            text = self.source.slice(line.span)
            if text.startswith(_TYPING):
                mend = Fix("usual head", "remove the import", (self.source.delete_lines(line.span),))
                self.report(rule.NORMALISED.at(line.span, "an import of typing says nothing here", "", mend))
            else:
                others.append(line)
        if not others:
            return
        edits = tuple(self.source.delete_lines(line.span) for line in others)
        mend = Fix("remove other code", "keep the function only", edits)
        what = "a second function" if others[0].tokens[0].text == "def" else "code"
        self.report(rule.ONE_FUNCTION.at(others[0].span, f"there is {what} {where} the function", "", mend))

    def _body(self, start: int, outer: int, head: Head) -> int:
        """Read statements that belong to the function; returns the index of the first line that does not."""
        for tokens in split_statements(head.rest):
            self._statement(tokens)
        indent = self.lines[start].indent if start < len(self.lines) else outer
        at = start
        while at < len(self.lines) and self.lines[at].indent > outer:
            line = self.lines[at]
            first = line.tokens[0].text
            at += 1
            if first in BLOCKS and line.tokens[0].kind == "name" and self._opens_block(line):
                at = self._skip_block(line, at)
                continue
            if line.indent != indent:
                self._bad_indent(line, indent)
            for tokens in split_statements(line.tokens):
                self._statement(tokens)
        return at

    def _bad_indent(self, line: Line, indent: int) -> None:
        first = line.tokens[0]
        lead = Span(first.line, 1, first.line, first.column)
        mend = Fix("indentation", "indent it like the other lines", (Edit(lead, " " * indent),))
        self.report(rule.PARSE.at(first.span, "the indentation does not fit the lines before", "", mend))

    def _opens_block(self, line: Line) -> bool:
        return line.tokens[0].text in ("class", "def", "async") or any(t.text == ":" for t in line.tokens)

    def _skip_block(self, line: Line, at: int) -> int:
        """One fault for a whole compound statement; names bound inside count as known."""
        kind = rule.STATEMENTS[line.tokens[0].text]
        self.report(rule.STATEMENT.at(line.span, f"{kind} is not allowed", self.instead.get(kind, "")))
        self._lose(line.tokens)
        while at < len(self.lines):
            inner = self.lines[at]
            if inner.indent < line.indent or (inner.indent == line.indent and inner.tokens[0].text not in _CONTINUED):
                break
            self._lose(inner.tokens)
            at += 1
        return at

    def _lose(self, tokens: list[Token]) -> None:
        """A statement that was not understood: whatever it may bind is a hole."""
        self.parsed.lossy = True
        depth, loop = 0, False
        for before, token in pairwise(tokens):
            depth += (before.text in ("(", "[")) - (before.text in (")", "]"))
            loop = before.text == "for" or (loop and before.text != "in")
            bound = (token.text == "=" and depth == 0) or loop
            name = token if loop else before
            if bound and name.kind == "name" and name.text not in rule.STATEMENTS and name.text != "in":
                self.statements.append(Assign(name.text, Hole("", name.span), name.span, name.span))

    def _statement(self, tokens: list[Token]) -> None:
        first = tokens[0]
        span = span_of(first, tokens[-1])
        if len(self.statements) >= rule.MAX_STATEMENTS:
            if len(self.statements) == rule.MAX_STATEMENTS:
                self.report(rule.SIZE.at(span, f"the program has more than {rule.MAX_STATEMENTS} statements"))
                self.statements.append(ExprStatement(Hole("", span), span))
            return
        if first.kind == "name" and first.text == "return":
            self._return(tokens, span)
        elif first.kind == "name" and first.text in rule.STATEMENTS:
            self._forbidden(first.text, tokens, span)
        else:
            self._simple(tokens, span)

    def _forbidden(self, word: str, tokens: list[Token], span: Span) -> None:
        kind = rule.STATEMENTS[word]
        mend = None
        if word in ("import", "from", "pass"):
            mend = Fix("remove statement", "remove it", (self.source.delete_lines(span),))
        self.report(rule.STATEMENT.at(span, f"{kind} is not allowed", self.instead.get(kind, ""), mend))
        if mend is None:
            self._lose(tokens)

    def _return(self, tokens: list[Token], span: Span) -> None:
        if len(tokens) == 1:
            self.statements.append(Return(ListExpr((), span.end), span))
            return
        parser = self.expressions(tokens[1:], self.report)
        try:
            value = parser.expression()
            items = [value]
            while parser.take(",") and not parser.done():
                items.append(parser.expression())
            if not parser.done():
                raise parser.unexpected("one statement a line")
        except Abandon:
            self._lose(tokens)
            value, items = Hole("", span), []
        if len(items) > 1:
            inner = items[0].span.to(items[-1].span)
            value = ListExpr(tuple(items), inner)
            self.report(rule.not_a_list(inner, "several values"))
        self.statements.append(Return(value, span))

    def _simple(self, tokens: list[Token], span: Span) -> None:
        """An assignment or a bare call."""
        parser = self.expressions(tokens, self.report)
        try:
            target: Expr
            if len(tokens) > 2 and tokens[1].text == "=" and is_plain_name(first := tokens[0]):
                parser.at, target = 1, Name(first.text, first.span)
            else:
                target = parser.expression()
            if parser.done():
                self._bare(target, span)
                return
            operator = parser.token
            if operator.text == ":" or operator.text in rule.AUGMENTED:
                self._annotated(parser, target, tokens, span)
                return
            if operator.text != "=":
                self._odd_target(tokens, span)
                return
            parser.at += 1
            value = parser.expression()
            if not parser.done():
                if parser.token.text == "=":
                    self._odd_target(tokens, span)
                    return
                raise parser.unexpected("one statement a line")
        except Abandon:
            self._lose(tokens)
            return
        self._assign(target, value, tokens, span)

    def _bare(self, node: Expr, span: Span) -> None:
        if isinstance(node, Call | Hole):
            self.statements.append(ExprStatement(node, span))
            self.parsed.lossy |= isinstance(node, Hole)
            return
        what = "a text that nothing uses" if not isinstance(node, Name | Field | Index) else "a value that nothing uses"
        mend = Fix("remove statement", "remove it", (self.source.delete_lines(span),))
        self.report(rule.STANDALONE.at(span, what, "", mend))

    def _annotated(self, parser: ExpressionParser, target: Expr, tokens: list[Token], span: Span) -> None:
        """``x: int = 1`` loses its annotation; ``x += 1`` has nothing to become."""
        colon = parser.token
        equals = next((i for i, t in enumerate(tokens) if t.text == "=" and t.kind == "op"), None)
        if colon.text == ":" and isinstance(target, Name) and equals is not None and not isinstance(target, Hole):
            before = target.span
            cut = Span(before.end_line, before.end_column, tokens[equals].line, tokens[equals].column)
            mend = Fix("remove annotation", "remove the annotation", (Edit(cut, " "),))
            self.report(rule.STATEMENT.at(span, "an annotated assignment is not allowed", "write name = value", mend))
            self._simple([tokens[0], *tokens[equals:]], span)
            return
        kind = "an annotation" if colon.text == ":" else f"{colon.text} is arithmetic and"
        self.report(rule.STATEMENT.at(span, f"{kind} is not allowed" if colon.text == ":" else f"{kind} not allowed"))
        self._lose(tokens)

    def _odd_target(self, tokens: list[Token], span: Span) -> None:
        self.report(
            rule.TARGET.at(span, "the assignment is not to one plain name", "one name = one value on each line")
        )
        self._lose(tokens)
        names = [t for t in tokens[: next((i for i, t in enumerate(tokens) if t.text == "="), 0)] if t.kind == "name"]
        self.statements += [Assign(t.text, Hole("", t.span), t.span, t.span) for t in names]

    def _assign(self, target: Expr, value: Expr, tokens: list[Token], span: Span) -> None:
        if isinstance(target, Hole) or not isinstance(target, Name):
            self._odd_target(tokens, span)
            return
        if target.id in self.reserved or target.id.startswith("__"):
            what = "an operation" if target.id in self.reserved else "reserved"
            self.report(rule.RESERVED.at(target.span, f"{shorten(target.id)} is {what}"))
        if isinstance(value, Hole):
            self.parsed.lossy = True
        self.statements.append(Assign(target.id, value, span, target.span))

    def _finish(self, head: Head, line: Line) -> None:
        """The return comes last, once, and gives a list."""
        returns = [i for i, s in enumerate(self.statements) if isinstance(s, Return)]
        span = line.span
        kept = self.statements
        if returns and returns[0] < len(kept) - 1:
            late = kept[returns[0] + 1 :]
            mend = Fix("remove unreachable code", "remove it", tuple(self.source.delete_lines(s.span) for s in late))
            self.report(rule.AFTER_RETURN.at(late[0].span, "this is never reached", "", mend))
            kept = kept[: returns[0] + 1]
        self.parsed.program = Program(head.name, head.parameter, tuple(kept), span)

    def _incomplete(self) -> None:
        """The text stops in the middle: one diagnostic instead of the faults that only follow from it."""
        last = Span(len(self.source.lines), 1, len(self.source.lines), len(self.source.lines[-1]) + 1)
        at = self.cut.span if self.cut is not None else last
        what = f"{self.cut.text[:1]!r} is never closed" if self.cut is not None else "the reply was cut off"
        found = self.parsed.diagnostics
        found[:] = [d for d in found if d.span < at and d.code != rule.NO_PROGRAM.code]
        found.append(rule.INCOMPLETE.at(at, f"{what}: the text ends in the middle"))
        self.parsed.program = None


def split_statements(tokens: list[Token]) -> list[list[Token]]:
    """Statements of one line, separated by semicolons."""
    if ";" not in [token.text for token in tokens]:
        return [tokens] if tokens else []
    parts: list[list[Token]] = [[]]
    for token in tokens:
        if token.text == ";" and token.kind == "op":
            parts.append([])
        else:
            parts[-1].append(token)
    return [part for part in parts if part]
