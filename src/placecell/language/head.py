"""The function's head: ``def plan(images):`` and the variants that are mended or normalised to it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from placecell.language.diagnostics import Diagnostic, Edit, Fix
from placecell.language.plan import Span
from placecell.language.rules import syntax as rule
from placecell.language.rules.base import Rule
from placecell.language.source import Source
from placecell.language.tokens import Line, Token

_OPENERS, _CLOSERS = frozenset("([{"), frozenset(")]}")


@dataclass
class Head:
    """What the head says: the names as written (the argument's is used in the body), and tokens after the colon."""

    name: str = "plan"
    parameter: str = "images"
    rest: list[Token] = field(default_factory=list)


def read_head(line: Line, source: Source, report: Callable[[Diagnostic], None]) -> Head:
    """Read a line that begins with ``def``; each fault is reported once, with the usual head as its mend."""
    return _HeadReader(line, source, report).read()


class _HeadReader:
    def __init__(self, line: Line, source: Source, report: Callable[[Diagnostic], None]) -> None:
        self.tokens = line.tokens
        self.report, self.source = report, source
        self.head = Head()
        self.end = len(self.tokens) - 1
        self.noted: list[str] = []

    def read(self) -> Head:
        tokens, at = self.tokens, 2
        self._name(tokens[1])
        if at < len(tokens) and tokens[at].text == "[":
            closed = self._closing(at)
            self._fault(rule.TYPE_PARAMETER, tokens[at].span.to(tokens[closed].span), "type parameters are not allowed")
            at = closed + 1
        if at >= len(tokens) or tokens[at].text != "(":
            self._fault(rule.PARSE, tokens[1].span, "the head is def plan(images):")
            return self.head
        closed = self._closing(at)
        self.end = self._colon(closed)
        self.head.rest = tokens[self.end + 1 :]
        self._parameters(tokens[at], tokens[at + 1 : closed], tokens[closed])
        between = tokens[closed + 1 : self.end]
        if between and between[0].text == "->":
            self._fault(rule.RETURN_ANNOTATION, between[0].span.to(between[-1].span), "the return is annotated")
        elif between:
            self._fault(rule.PARSE, between[0].span, f"{between[0].text!r} is unexpected here")
        if self.noted:
            self.report(rule.NORMALISED.at(self._whole(), "; ".join(self.noted), "", self._usual()))
        return self.head

    def _closing(self, at: int) -> int:
        depth = 0
        for i in range(at, len(self.tokens)):
            depth += (self.tokens[i].text in _OPENERS) - (self.tokens[i].text in _CLOSERS)
            if depth == 0:
                return i
        return len(self.tokens) - 1

    def _colon(self, closed: int) -> int:
        for i in range(closed + 1, len(self.tokens)):
            if self.tokens[i].text == ":":
                return i
        last = self.tokens[-1].span
        mend = Fix("missing colon", "end the head with a colon", (Edit(last.end, ":"),))
        self.report(rule.PARSE.at(last, "the head ends without a colon", "", mend))
        return len(self.tokens)

    def _whole(self) -> Span:
        return self.tokens[0].span.to(self.tokens[min(self.end, len(self.tokens) - 1)].span)

    def _usual(self) -> Fix:
        """Replace the whole head; the argument keeps the name that the body uses."""
        return Fix("usual head", "write the usual head", (Edit(self._whole(), f"def plan({self.head.parameter}):"),))

    def _fault(self, which: Rule, span: Span, message: str) -> None:
        self.report(which.at(span, message, "", self._usual()))

    def _name(self, token: Token) -> None:
        if token.text == "plan":
            return
        if token.text in rule.FUNCTION_NAMES:
            self.noted.append(f"{token.text} is plan")
        else:
            mend = Fix("usual head", "name it plan", (Edit(token.span, "plan"),))
            self.report(rule.FUNCTION_NAME.at(token.span, f"the function is named {token.text!r}", "", mend))

    def _parameters(self, opened: Token, tokens: list[Token], closed: Token) -> None:
        """Split at commas; the first plain parameter is the argument, whatever it is called."""
        plain: list[list[Token]] = []
        for part in _parts(tokens):
            first = part[0]
            if first.text in ("*", "**", "/"):
                kinds = {"*": "keyword-only or variadic arguments", "**": "variadic keywords"}
                kind = kinds.get(first.text, "positional-only arguments")
                self._fault(rule.ARGUMENT_KIND, part[0].span.to(part[-1].span), f"{kind} are not allowed")
            else:
                plain.append(part)
        if plain and plain[0][0].kind == "name":
            self.head.parameter = plain[0][0].text
        for part in plain[:1]:
            self._annotation_and_default(part)
        for part in plain[1:]:
            if any(t.text == "=" for t in part):
                self._fault(rule.DEFAULT, part[0].span.to(part[-1].span), f"{part[0].text} has a default value")
        if len(plain) != 1:
            span = opened.span.to(closed.span)
            count = f"{len(plain)} arguments" if plain else "no argument"
            self._fault(rule.ARGUMENT, span, f"the function takes {count} instead of one")
        elif self.head.parameter not in rule.PARAMETERS:
            self._rename(plain[0][0])

    def _rename(self, token: Token) -> None:
        """Another name for the argument: renamed here and, since it is a use of that name, everywhere in the text."""
        usual = "video" if "video" in token.text.lower() else "images"
        uses = self.source.uses(token.text)
        mend = Fix("usual head", f"name it {usual}", tuple(Edit(use, usual) for use in uses))
        self.report(rule.ARGUMENT.at(token.span, f"the argument is named {token.text!r}", "", mend))

    def _annotation_and_default(self, part: list[Token]) -> None:
        texts = [t.text for t in part]
        equals = texts.index("=") if "=" in texts else len(part)
        if equals < len(part):
            self._fault(rule.DEFAULT, part[0].span.to(part[-1].span), f"{part[0].text} has a default value")
        if len(part) > 1 and texts[1] == ":":
            annotation = part[2:equals]
            if "".join(t.text for t in annotation) in rule.ANNOTATIONS:
                self.noted.append("the annotation says nothing")
            elif annotation:
                span = annotation[0].span.to(annotation[-1].span)
                self._fault(rule.ANNOTATION, span, f"the annotation {self.source.slice(span)!r} is not allowed")


def _parts(tokens: list[Token]) -> list[list[Token]]:
    """Split at commas outside of brackets."""
    parts: list[list[Token]] = [[]]
    depth = 0
    for token in tokens:
        depth += (token.text in _OPENERS) - (token.text in _CLOSERS)
        if token.text == "," and depth == 0:
            parts.append([])
        else:
            parts[-1].append(token)
    return [part for part in parts if part]
