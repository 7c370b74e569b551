"""Tokens of one statement to expressions. Reports every fault once and goes on behind it.

A faulty part becomes a ``Hole``: whatever uses it is not reported again. Depth is bounded by the tokenizer's limit on
brackets; chains of signs and of ``[0]`` or ``.field`` are loops, not recursion.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import ClassVar

from placecell.language.diagnostics import Diagnostic, Edit, Fix
from placecell.language.ops import ALIASES, OPERATIONS
from placecell.language.plan import Argument, Call, Expr, Field, Index, ListExpr, Literal, Name, Span
from placecell.language.rules import syntax as rule
from placecell.language.rules import tool
from placecell.language.tokens import Token, shorten, span_of

Report = Callable[[Diagnostic], None]

_CONSTANTS = {"True": True, "False": False, "None": None, "true": True, "false": False, "null": None}
_PREFIXES = {"lambda": "a lambda", "not": "a logical operator", "await": "async code", "yield": "async code"}
_KEYWORDS = frozenset(rule.STATEMENTS) | {"return", "in", "is", "and", "or", "as"}
_SPECIAL = _KEYWORDS | _CONSTANTS.keys() | _PREFIXES.keys()
_SIMPLE = frozenset({"name", "number", "string"})
_STOPS = frozenset({",", ")", "]", "}", ""})
_ENDS = _STOPS | rule.AUGMENTED | {"=", ":"}
MAX_POSTFIX = 8
_END = Token("op", "", 0, 0)
"""Stands behind the last token of every statement."""


def is_plain_name(token: Token) -> bool:
    """Whether a token can name a value: no keyword and no constant."""
    return token.kind == "name" and token.text not in _SPECIAL


class Hole(Name):
    """Stands where a fault has been reported; never part of a checked plan."""

    __slots__ = ()


class Abandon(Exception):
    """The rest of the statement cannot be made sense of; the fault has been reported."""


class ExpressionParser:
    """Recursive descent over the tokens of one statement."""

    instead: ClassVar[Mapping[str, str]] = rule.INSTEAD
    methods: ClassVar[frozenset[str]] = frozenset({*OPERATIONS, *ALIASES})
    """What other code calls as a method of its first argument."""

    def __init__(self, tokens: list[Token], report: Report) -> None:
        self.tokens = [*tokens, _END]
        self.at = 0
        self.report = report

    @property
    def token(self) -> Token:
        return self.tokens[self.at]

    def done(self) -> bool:
        """Whether all tokens are read."""
        return self.at >= len(self.tokens) - 1

    def since(self, first: Token) -> Span:
        """From ``first`` to the last token read."""
        return span_of(first, self.tokens[self.at - 1] if self.at else first)

    def take(self, text: str) -> bool:
        token = self.tokens[self.at]
        if token.text == text and token.kind == "op":
            self.at += 1
            return True
        return False

    def unexpected(self, wanted: str) -> Abandon:
        token, ended = self.token, self.done()
        reported = token.kind == "bad" or (ended and self._inside_brackets())
        if not reported:
            what = "the line ends too early" if ended else f"{shorten(token.text)!r} is unexpected here"
            last = self.tokens[-2].span
            span = last.end if ended else token.span
            self.report(rule.PARSE.at(span, f"{what}; {wanted}"))
        return Abandon()

    def expression(self) -> Expr:
        """One expression; what follows it is a stop, ``=`` or ``:``."""
        first = self.tokens[self.at]
        if first.kind in _SIMPLE and self.tokens[self.at + 1].text in _ENDS and first.text not in _SPECIAL:
            self.at += 1
            return Name(first.text, first.span) if first.kind == "name" else Literal(first.value, first.span)
        node = self._whole()
        following = self.tokens[self.at]
        if following.text in _ENDS:
            return node
        kind = rule.OPERATORS.get(following.text) if following.kind in ("op", "name") else None
        if kind is not None:
            self._skip()
            return self._refuse(first, kind)
        if following.kind == "string" and isinstance(node, Literal):
            self._skip()
            return self._refuse(first, "two texts side by side", "write one text")
        if following.kind == "bad":
            self._skip()
            return Hole("", self.since(first))
        raise self._missing_comma() if self._inside_brackets() else self.unexpected("one statement a line")

    def _whole(self) -> Expr:
        """The largest expression that begins here."""
        return self._signed()

    def _inside_brackets(self) -> bool:
        opened = sum((t.text in ("(", "[")) - (t.text in (")", "]")) for t in self.tokens[: self.at] if t.kind == "op")
        return opened > 0

    def _missing_comma(self) -> Abandon:
        token, before = self.token, self.tokens[self.at - 1].span
        mend = Fix("missing comma", "put a comma between the two", (Edit(before.end, ","),))
        self.report(rule.PARSE.at(token.span, f"a comma is missing before {shorten(token.text)!r}", "", mend))
        return Abandon()

    def _refuse(self, first: Token, kind: str, hint: str = "", mend: Fix | None = None) -> Hole:
        """Report an expression that reaches from ``first`` to the last token read."""
        span = self.since(first)
        self.report(rule.EXPRESSION.at(span, f"{kind} is not allowed", hint or self.instead.get(kind, ""), mend))
        return Hole("", span)

    def _skip(self) -> None:
        """Move to the next stop at this bracket level."""
        depth = 0
        while not self.done():
            text = self.token.text if self.token.kind == "op" else None
            if depth == 0 and text in _STOPS:
                return
            depth += (text in ("(", "[", "{")) - (text in (")", "]", "}"))
            self.at += 1

    def _signed(self) -> Expr:
        first = self.token
        if first.text not in ("-", "+", "~") or first.kind != "op":
            return self._postfix(first, self._primary())
        self.at += 1
        if first.text == "-" and self.token.kind == "number" and isinstance(value := self.token.value, int | float):
            self.at += 1
            return Literal(-value, self.since(first))
        self._skip()
        return self._refuse(first, "a sign before anything but a number")

    def _primary(self) -> Expr:
        token = self.tokens[self.at]
        kind, text = token.kind, token.text
        if kind == "name":
            if text in _PREFIXES:
                self._skip()
                return self._refuse(token, _PREFIXES[text])
            if text in _KEYWORDS:
                raise self.unexpected("a value is expected")
            self.at += 1
            return Literal(_CONSTANTS[text], token.span) if text in _CONSTANTS else Name(text, token.span)
        if kind in ("string", "number"):
            self.at += 1
            return Literal(token.value, token.span)
        if kind == "bad":
            self._skip()
            return Hole("", self.since(token))
        if text == "[":
            return self._list(token)
        if text == "(":
            return self._parenthesis(token)
        if text == "{":
            self._skip()
            return self._refuse(token, "a dictionary or set", "write a list, or one argument for each value")
        if text == "*":
            self._skip()
            return self._refuse(token, "unpacking", "write the values out")
        raise self.unexpected("a value is expected")

    def _items(self, closer: str) -> tuple[Expr, ...]:
        items: list[Expr] = []
        while not self.take(closer):
            items.append(self.expression())
            if not self.take(",") and self.token.text != closer:
                raise self.unexpected(f"',' or {closer!r} is expected")
        return tuple(items)

    def _list(self, first: Token) -> Expr:
        self.at += 1
        items = self._items("]")
        return ListExpr(items, self.since(first))

    def _parenthesis(self, first: Token) -> Expr:
        self.at += 1
        items = self._items(")")
        span = self.since(first)
        if len(items) == 1 and self.tokens[self.at - 2].text != ",":
            return items[0]
        left = Edit(Span(span.line, span.column, span.line, span.column + 1), "[")
        right = Edit(Span(span.end_line, span.end_column - 1, span.end_line, span.end_column), "]")
        mend = Fix("tuple to list", "write a list", (left, right))
        self.report(rule.EXPRESSION.at(span, "a tuple is not allowed", "write a list in square brackets", mend))
        return ListExpr(items, span)

    def _postfix(self, first: Token, node: Expr) -> Expr:
        for _ in range(MAX_POSTFIX):
            text = self.tokens[self.at].text if self.tokens[self.at].kind == "op" else ""
            if text == "(":
                node = self._call(first, node)
            elif text == "[":
                node = self._index(first, node)
            elif text == ".":
                node = self._field(first, node)
            else:
                return node
        self._skip()
        return self._refuse(first, f"more than {MAX_POSTFIX} calls, indexes and fields in a row")

    def _field(self, first: Token, node: Expr) -> Expr:
        self.at += 1
        name = self.token
        if name.kind != "name":
            raise self.unexpected("the name of a field is expected")
        self.at += 1
        return Hole("", self.since(first)) if isinstance(node, Hole) else Field(node, name.text, self.since(first))

    def _index(self, first: Token, node: Expr) -> Expr:
        self.at += 1
        opened, key = self.at, self.expression() if self.token.text != ":" else None
        if key is None or self.token.text in (":", ","):
            while not self.done() and self.token.text != "]":
                self._skip_one()
            self.take("]")
            return self._refuse(first, "a slice", "take one element with x[0], or pass the whole")
        if not self.take("]"):
            raise self.unexpected("']' is expected")
        if isinstance(node, Hole) or isinstance(key, Hole):
            return Hole("", self.since(first))
        if isinstance(key, Literal) and isinstance(key.value, int | str) and not isinstance(key.value, bool):
            return Index(node, key.value, self.since(first))
        self.report(rule.EXPRESSION.at(
            self.tokens[opened].span.to(self.tokens[self.at - 2].span),
            "an index is a whole number written out", "x[0] is the first element",
        ))  # fmt: skip
        return Hole("", self.since(first))

    def _skip_one(self) -> None:
        """Move over one token, or over a whole bracket."""
        before = self.at
        self._skip()
        if self.at == before:
            self.at += 1

    def _call(self, first: Token, node: Expr) -> Expr:
        opened = self.token
        name_span = self.since(first)
        self.at += 1
        arguments = self._arguments()
        span = self.since(first)
        match node:
            case Hole():
                return Hole("", span)
            case Name():
                return Call(node.id, arguments, span, name_span)
            case Field(value=base, name=method) if method in self.methods:
                self.report(tool.method_call(base, method, span, opened.span, bool(arguments)))
                return Call(method, (Argument(None, base, base.span), *arguments), span, name_span)
        self.report(tool.DIRECT.at(name_span, "only an operation can be called, by its plain name"))
        return Hole("", span)

    def _arguments(self) -> tuple[Argument, ...]:
        arguments: list[Argument] = []
        while not self.take(")"):
            first = self.tokens[self.at]
            if first.kind == "op" and first.text in ("*", "**"):
                self.at += 1
                self._skip()
                self.report(tool.UNPACKING.at(self.since(first), f"{first.text} unpacks arguments"))
                arguments.append(Argument("**", Hole("", self.since(first)), self.since(first)))
            else:
                name = None
                following = self.tokens[self.at + 1] if first.text else first
                if first.kind == "name" and following.text == "=" and following.kind == "op":
                    name, self.at = first.text, self.at + 2
                value = self.expression()
                arguments.append(Argument(name, value, self.since(first)))
            closing = self.tokens[self.at].text
            if closing == ",":
                self.at += 1
            elif closing != ")":
                raise self.unexpected("',' or ')' is expected")
        return tuple(arguments)
