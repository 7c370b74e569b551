"""Text to tokens, grouped into logical lines, within limits that are checked first.

Characters that models write instead of the plain ones (typographic quotes, full-width brackets, non-breaking spaces)
are read as what they stand for, outside of text literals only, and noted.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal

from placecell.language.diagnostics import Diagnostic, Edit, Fix
from placecell.language.dimensions import LARGEST
from placecell.language.plan import Span
from placecell.language.rules import syntax as rule

TokenKind = Literal["name", "number", "string", "op", "bad"]


@dataclass(slots=True)
class Token:
    """One token. ``value`` is what a text or number stands for; ``whole`` its span where ``text`` does not tell it."""

    kind: TokenKind
    text: str
    line: int
    column: int
    value: int | float | str | None = None
    whole: Span | None = None

    @property
    def span(self) -> Span:
        return self.whole or Span(self.line, self.column, self.line, self.column + len(self.text))


def span_of(first: Token, last: Token) -> Span:
    """From the beginning of one token to the end of another."""
    if last.whole is not None:
        return Span(first.line, first.column, last.whole.end_line, last.whole.end_column)
    return Span(first.line, first.column, last.line, last.column + len(last.text))


@dataclass(slots=True)
class Line:
    """A logical line: its indentation in columns and its tokens, at least one."""

    indent: int
    tokens: list[Token]

    @property
    def span(self) -> Span:
        return span_of(self.tokens[0], self.tokens[-1])


_PLAIN = {
    "（": "(", "）": ")", "［": "[", "］": "]", "｛": "{", "｝": "}", "，": ",", "：": ":", "；": ";", "＝": "=",
    "．": ".", "−": "-", "–": "-", "＿": "_", "、": ",",
}  # fmt: skip
_SPACES = "\u00a0\u1680\u2000-\u200d\u202f\u205f\u2060\u3000\ufeff"
_SMART = "\u201c\u201d\u201e\u201f\u2033\u300c\u300d\uff02"
_SMART_SINGLE = "\u2018\u2019\u201a\u201b\u2032\uff07"
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", "'": "'", '"': '"', "\n": ""}

_CLOSER = {"(": ")", "[": "]", "{": "}"}
_ZERO_WIDTH = dict.fromkeys(map(ord, "\u200b\u200c\u200d\u2060\ufeff"))
_STATEMENT_START = re.compile(r"[ \t]*(?:return|def|import|from|for|while|if|with)\b")

_TOKEN = re.compile(
    rf"""
    [ \t\f\r]*(?:
      (?P<name>[^\W\d]\w*+(?!["']))
    | (?P<op>:=|->|==|!=|<=|>=|<<|>>|\*\*|//|[-+*/%@&|^~]=|[-+*/%@&|^~<>=.,:;()\[\]{{}}!])
    | (?P<plain>"[^"\\\n]*+"(?!") | '[^'\\\n]*+'(?!'))
    | (?P<string>(?P<prefix>[A-Za-z]{{0,2}})(?:\"\"\"(?:[^"\\]|\\.|"(?!""))*\"\"\" | '''(?:[^'\\]|\\.|'(?!''))*'''
        | "(?:[^"\\\n]|\\.)*" | '(?:[^'\\\n]|\\.)*'))
    | (?P<newline>\n)
    | (?P<number>(?:\d[\d_]*(?:\.[\d_]*)?|\.\d[\d_]*)(?:[eE][+-]?\d+)?(?P<suffix>\w*))
    | (?P<comment>\#[^\n]*)
    | (?P<continued>\\[ \t\r]*\n)
    | (?P<smart>[{_SMART}][^{_SMART}"\n]*[{_SMART}"] | [{_SMART_SINGLE}][^{_SMART_SINGLE}'\n]*[{_SMART_SINGLE}'])
    | (?P<quote>["'{_SMART}{_SMART_SINGLE}][^\n]*)
    | (?P<odd_space>[{_SPACES}]+)
    | (?P<other>[^ \t\f\r])
    )
    """,
    re.VERBOSE | re.DOTALL,
)


@dataclass(slots=True)
class Tokens:
    """What the tokenizer gives: logical lines, faults, and whether the text stops inside a bracket or text literal."""

    lines: list[Line] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    open_end: Token | None = None


def over_limits(text: str) -> Diagnostic | None:
    """The one diagnostic of a text that is too large to look at, before anything else is done with it."""
    start = Span(1, 1, 1, 2)
    if len(text) > rule.MAX_CHARACTERS:
        return rule.SIZE.at(
            start, f"the program has {len(text):,} characters; at most {rule.MAX_CHARACTERS:,} are read"
        )
    lines = text.split("\n")
    if len(lines) > rule.MAX_LINES:
        return rule.SIZE.at(start, f"the program has {len(lines):,} lines; at most {rule.MAX_LINES:,} are read")
    for number, line in enumerate(lines, 1):
        if len(line) > rule.MAX_LINE_LENGTH:
            what = f"line {number} has {len(line):,} characters; at most {rule.MAX_LINE_LENGTH:,} are read"
            return rule.SIZE.at(Span(number, 1, number, len(line) + 1), what)
    return None


def tokenize(text: str) -> Tokens:
    """Tokens of a text within the limits. Never fails: what is no token becomes a diagnostic and a "bad" token."""
    return _Tokenizer(text).run()


class _Tokenizer:
    def __init__(self, text: str) -> None:
        self.text = text
        self.out = Tokens()
        self.line, self.line_start = 1, 0
        self.current: list[Token] = []
        self.indent = 0
        self.brackets: list[Token] = []
        self.noted: set[str] = set()
        self.broken = False

    def run(self) -> Tokens:
        text, tokens, line, origin = self.text, self.current, self.line, self.line_start - 1
        for match in _TOKEN.finditer(text):
            kind = match.lastgroup or ""
            start, end = match.span(kind)
            if not tokens and not self.brackets and kind != "newline":
                self.indent = len(text[origin + 1 : start].translate(_ZERO_WIDTH).expandtabs(8))
            if kind == "name":
                token = Token("name", text[start:end], line, start - origin)
                tokens.append(token)
                if not token.text.isascii():
                    self._foreign_name()
            elif kind == "op":
                token = Token("op", text[start:end], line, start - origin)
                if token.text not in "()[]{}":
                    tokens.append(token)
                    continue
                self._bracket(token)
                if len(self.brackets) > rule.MAX_NESTING:
                    too_deep = rule.SIZE.at(
                        self.brackets[-1].span, f"brackets are nested more than {rule.MAX_NESTING} deep"
                    )
                    return Tokens([], [too_deep])
            elif kind == "plain":
                tokens.append(Token("string", text[start:end], line, start - origin, text[start + 1 : end - 1]))
            elif kind != "comment":
                if kind != "newline":
                    self._rare(kind, match)
                elif not self.brackets or self.broken or self._bracket_forgotten(end):
                    self._end_line()
                    tokens = self.current
                self._count_lines(start, end)
                line, origin = self.line, self.line_start - 1
        if self.brackets:
            self.out.open_end = self.out.open_end or self.brackets[-1]
        self._end_line()
        return self.out

    def _count_lines(self, start: int, end: int) -> None:
        newlines = self.text.count("\n", start, end)
        if newlines:
            self.line += newlines
            self.line_start = self.text.rindex("\n", start, end) + 1

    def _rare(self, kind: str, match: re.Match[str]) -> None:
        """Tokens other than names and operators."""
        start, end = match.span(kind)
        text, newlines = match.group(kind), self.text.count("\n", start, end)
        column = start - self.line_start + 1
        end_column = end - self.text.rindex("\n", start, end) if newlines else column + end - start
        span = Span(self.line, column, self.line + newlines, end_column)
        match kind:
            case "string":
                self._string(text, match["prefix"].lower(), span)
            case "number":
                self._number(text, match["suffix"], span)
            case "smart":
                self._note("a typographic quote", span, Edit(span, quote(text[1:-1])))
                self.current.append(_token("string", text, span, text[1:-1]))
            case "quote":
                self.broken = True
                self.current.append(_token("bad", text, span))
                if not self.text[end:].strip():
                    self.out.open_end = self.current[-1]
                self._report(
                    rule.PARSE.at(span, "the text literal is never closed", "close it with the quote it began with")
                )
            case "odd_space":
                plain = " " * len(text.translate(_ZERO_WIDTH))
                self._note(f"the invisible character U+{ord(text[0]):04X}", span, Edit(span, plain))
            case "other":
                self._other(text, span)

    def _end_line(self) -> None:
        if self.current:
            self.out.lines.append(Line(self.indent, self.current))
        self.current, self.indent, self.brackets, self.broken = [], 0, [], False

    def _bracket_forgotten(self, at: int) -> bool:
        """Inside brackets a line that starts a statement means that a bracket was never closed."""
        if not _STATEMENT_START.match(self.text, at):
            return False
        opened = self.brackets[-1]
        self._report(
            rule.PARSE.at(opened.span, f"{opened.text!r} is never closed", f"close it with {_CLOSER[opened.text]!r}")
        )
        return True

    def _report(self, diagnostic: Diagnostic) -> None:
        self.out.diagnostics.append(diagnostic)

    def _bracket(self, token: Token) -> None:
        text = token.text
        if text in _CLOSER:
            self.brackets.append(token)
        else:
            if self.brackets and _CLOSER[self.brackets[-1].text] == text:
                self.brackets.pop()
            elif self.brackets:
                opened = self.brackets.pop().text
                wanted = _CLOSER[opened]
                mend = Fix("right bracket", f"write {wanted!r}", (Edit(token.span, wanted),))
                self._report(rule.PARSE.at(token.span, f"{text!r} does not close {opened!r}", "", mend))
                token.text = wanted
            else:
                self._report(rule.PARSE.at(token.span, f"{text!r} closes nothing"))
                token.kind = "bad"
        self.current.append(token)

    def _foreign_name(self) -> None:
        token = self.current.pop()
        odd = next(c for c in token.text if not c.isascii())
        if token.text not in self.noted:
            self.noted.add(token.text)
            message = f"the name {token.text!r} has the character {odd!r} (U+{ord(odd):04X})"
            self._report(rule.CHARACTER.at(token.span, message))
        token.kind = "bad"
        self.current.append(token)

    def _number(self, text: str, suffix: str, span: Span) -> None:
        plain = text.replace("_", "")
        value: int | float | None = None
        if suffix or len(plain) > 20:
            self._report(rule.NUMBER.at(span, f"{shorten(text)!r} is not a plain decimal number"))
        elif (value := int(plain) if plain.isdigit() else float(plain)) >= LARGEST:
            self._report(rule.NUMBER.at(span, f"{text!r} is too large"))
            value = None
        self.current.append(_token("bad" if value is None else "number", text, span, value))

    def _string(self, text: str, prefix: str, span: Span) -> None:
        if prefix not in ("", "r", "u"):
            kind = "an f-string" if "f" in prefix else "a bytes literal" if "b" in prefix else f"the prefix {prefix!r}"
            self._report(rule.EXPRESSION.at(span, f"{kind} is not allowed", "write the text itself in plain quotes"))
            self.current.append(_token("bad", text, span))
            return
        body = text[len(prefix) :]
        width = 3 if body[:3] in ('"""', "'''") and len(body) >= 6 else 1
        raw = body[width:-width]
        self.current.append(_token("string", text, span, raw if prefix == "r" else unescape(raw)))

    def _other(self, text: str, span: Span) -> None:
        if text in _PLAIN:
            self._note(f"{text!r} (U+{ord(text):04X})", span, Edit(span, _PLAIN[text]))
            plain = _token("op", _PLAIN[text], span)
            if plain.text in "()[]{}":
                self._bracket(plain)
            else:
                self.current.append(plain)
            return
        self._report(rule.CHARACTER.at(span, f"the character {text!r} (U+{ord(text):04X}) has no meaning here"))
        self.current.append(_token("bad", text, span))

    def _note(self, what: str, span: Span, edit: Edit) -> None:
        """Say once what was read as its plain counterpart."""
        if what not in self.noted:
            self.noted.add(what)
            plain = Fix("plain characters", "write the plain character", (edit,))
            self._report(rule.READ_AS.at(span, f"{what} was read as its plain counterpart", "", plain))


def _token(kind: TokenKind, text: str, span: Span, value: int | float | str | None = None) -> Token:
    return Token(kind, text, span.line, span.column, value, span)


def shorten(text: str, limit: int = 40) -> str:
    """Text for a message, cut to ``limit`` characters."""
    return text if len(text) <= limit else text[: limit - 3] + "..."


def quote(text: str) -> str:
    """A text literal in double quotes that reads back as ``text``."""
    escaped = (
        text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t").replace("\r", "\\r")
    )
    return f'"{escaped}"'


_ESCAPE = re.compile(r"\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|.)", re.DOTALL)


def unescape(raw: str) -> str:
    """Resolve backslash escapes as Python does; an unknown escape stays as written."""
    if "\\" not in raw:
        return raw

    def one(match: re.Match[str]) -> str:
        code = match.group(1)
        if len(code) > 1:
            return chr(int(code[1:], 16))
        return _ESCAPES.get(code, match.group())

    return _ESCAPE.sub(one, raw)
