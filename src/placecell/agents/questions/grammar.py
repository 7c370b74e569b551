"""The notation rules are written in, and what a rule that matched gives.

A rule is a line such as ``how far <be> {a} [away] from {b}`` over the tokens of ``text``:

- a word stands for itself, ``[x]`` is optional, ``(x | y)`` is a choice, ``*`` after one or after a class repeats it;
- ``{a}`` is a noun phrase, ``{a:KIND}`` another kind of slot: ``np+`` a noun phrase that may contain "and", ``list``
  several of them, ``image`` an image reference, ``number`` one in digits or words, ``any`` words of one sentence; the
  other kinds are described where ``_KINDS`` defines them;
- ``<name>`` is a word class of the ``lexicon``; ``<name:slot>`` keeps what it matched.

A rule has to account for every word it is matched against, so no word of a question is ever skipped silently.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import count

from placecell.agents.questions.lexicon import ARTICLES, CLASSES, NOT_PLAIN, mark
from placecell.agents.questions.notation import DEFINITION, HEADING, logical_lines, words
from placecell.agents.questions.spelling import NUMBERS
from placecell.agents.questions.text import ANY_IMAGE, Text, whole


def _word(word: str) -> str:
    """The regular expression of one word of ``Text.marked``."""
    return f"{mark(word)}{re.escape(word)} "


def _one_of(choices: Iterable[str]) -> str:
    return "(?:" + "|".join(map(_word, choices)) + ")"


_SIDES = words("""
    left right front back behind ahead above below under over up down rear beneath forward backward straight
    left-hand right-hand in_front_of in to on at or and the my your side hand , me you
""")
_MORE_SIDES = words("""
    towards away from camera upward downward upper lower higher uphill downhill sideways underneath diagonally
    then
""")
_CORNER = "n(?:front|back|above|below|up|down|left|right|forward|backward)-(?:left|right|up|down) "
_NAME = rf"{_one_of(ARTICLES)}*n\S+ "
_PLAIN = rf"{_one_of(ARTICLES)}*(?:(?!{_one_of(NOT_PLAIN)})n\S+ ){{1,4}}?"
_WHEN = words("after before when while during to in as once upon")
_WHERE = words("on into along across around onto with by at over through for from")
_WHILE = [word for word in (*_WHEN, *_WHERE) if word not in ("to", "from")]
_NOT_DEED = _one_of(words("perspective perspectives viewpoint relative_to video clip own if"))
_NOT_WHEN = _one_of(words("perspective perspectives viewpoint relative_to video clip camera own if"))
_NOT_A_TIME = "|".join(
    "".join(map(_word, words.split())) for words in ("at first", "at the start", "at the end", "at the beginning")
)
_KINDS = {
    # names
    "np": rf"{_NAME}(?:[nf]\S+ ){{0,13}}?",
    "np+": rf"{_NAME}(?:[nfdb]\S+ ){{0,13}}?(?<!dand )",
    "list": r"n\S+ (?:[nfdoc]\S+ ){0,60}?",
    # a name of nouns and adjectives only, and a list of such
    "plain": _PLAIN,
    "plains": rf"{_PLAIN}(?:(?:c, )?(?:dand |oor )?{_PLAIN})+?",
    # sides: "left, right or back"; ways of moving too; several sides in order; senses of rotation
    "sides": rf"(?:{_one_of(_SIDES)}|{_CORNER}|{_word('of')}{_word('me')})+?",
    "dirs": rf"(?:{_one_of([*_SIDES, *_MORE_SIDES])}|{_CORNER})+?",
    "sidelist": rf"{_one_of(('front', 'back', 'left', 'right'))}(?:{_one_of(words('front back left right , and'))})*",
    "sense": r"n(?:counter)?clockwise (?:oor n(?:counter)?clockwise )?",
    # when something happens: behind the rest, the same without "to" and "from", in front, "to pick it up"
    "when": rf"(?!{_NOT_A_TIME}){_one_of([*_WHEN, *_WHERE])}(?:(?!{_NOT_WHEN})[^pi\s]\S+ )+",
    "while": rf"(?!{_NOT_A_TIME}){_one_of(_WHILE)}(?:(?!{_NOT_WHEN})[^pi\s]\S+ )+",
    "lead": rf"{_one_of(_WHEN)}(?:(?!{_NOT_WHEN})[^pi\s]\S+ )+",
    "purpose": rf"(?:nin norder )?sto (?!{_one_of([*ARTICLES, 'left', 'right'])})(?:(?!{_NOT_WHEN})[^pi\s]\S+ )+",
    # what is done; any words: few, all of the sentence, up to a colon, up to a bracket, all of the question
    "deed": rf"(?:(?!{_NOT_DEED})[^p\s]\S+ )+?",
    "any": r"(?:[^p\s]\S+ )+?",
    "rest": r"(?:[^p\s]\S+ )+(?=p|$)",
    "clause": rf"(?:(?!{_word(':')})[^p\s]\S+ )+",
    "note": r"(?:(?!s-rrb- )\S+ )+?",
    "everything": r"(?:\S+ )+",
    "number": r"[nf](?:\d+(?:\.\d+)?|" + "|".join(NUMBERS) + ") ",
    "image": r"i@\S+ ",
}
_AFTER_AN_IMAGE = r"(?<=i@\d )|(?<=i@\d\d )|(?<=i@\d\d\d )"
_TOKEN = re.compile(r"[()\[\]|*]|\{[^}]*\}|<[^>]*>|[^\s()\[\]|{}<>]+")


@dataclass(frozen=True)
class Match:
    """Where a rule matched ``text``: tokens ``first`` to ``last``, and the tokens of its slots."""

    rule: Rule
    text: Text
    first: int
    last: int
    spans: Mapping[str, tuple[int, int]]

    def __contains__(self, slot: str) -> bool:
        return slot in self.spans

    @property
    def note(self) -> str:
        """Which of its grammar's cases the rule is."""
        return self.rule.note

    def canon(self, slot: str | None = None) -> str:
        """The words of a slot (or of the whole match) as rules see them, "" when the slot was not filled."""
        first, last = (self.first, self.last) if slot is None else self.spans.get(slot, (0, 0))
        return self.text.words(first, last)

    def quote(self, slot: str | None = None) -> str:
        """The question's own words behind a slot, or behind the whole match."""
        if slot is None:
            return self.text.quote(self.first, self.last)
        return self.text.quote(*self.spans[slot]) if slot in self.spans else ""

    def phrase(self, slot: str) -> str:
        """The thing a slot names: the question's words in lower case without articles, "" when not filled."""
        return name_of(self.quote(slot))

    def image(self, slot: str) -> int | None:
        """The image number of a slot; None when it is not filled or "the last image" has no number."""
        return whole(self.canon(slot).removeprefix("@"))

    @property
    def slots(self) -> dict[str, str]:
        """Every filled slot in the question's own words."""
        return {slot: self.quote(slot) for slot in self.spans}


@dataclass(frozen=True)
class Rule:
    """One line of a grammar; ``note`` tells a family which of its cases the line is."""

    pattern: str
    note: str = ""

    def match(self, text: Text, first: int, last: int) -> Match | None:
        """The rule against all of tokens ``first`` to ``last``."""
        if not self._can_match(text):
            return None
        return self._found(text, self._regex.fullmatch(text.marked, text.starts[first], text.starts[last]))

    def match_prefix(self, text: Text, first: int, last: int) -> Match | None:
        """The rule at ``first``, as long as what follows can begin a new clause."""
        if not self._can_match(text):
            return None
        return self._found(text, self._clause_regex.match(text.marked, text.starts[first], text.starts[last]))

    def _can_match(self, text: Text) -> bool:
        """Whether every piece the rule cannot do without has one of its first words somewhere in the text."""
        return all(not needed.isdisjoint(text.vocabulary) for needed in self._needs)

    @cached_property
    def _needs(self) -> tuple[frozenset[str], ...]:
        needs = {frozenset(words) for words in _needed(_parsed(self.pattern))}
        return tuple(sorted(needs, key=lambda words: (len(words), sorted(words))))

    def _found(self, text: Text, found: re.Match[str] | None) -> Match | None:
        if found is None:
            return None
        spans: dict[str, tuple[int, int]] = {}
        for key in found.groupdict():
            if found.start(key) >= 0 and not key.startswith("ahead"):
                begin, end = found.span(key)
                spans.setdefault(key.rsplit("__", 1)[0], (text.token_at(begin), text.token_at(end)))
        return Match(self, text, text.token_at(found.start()), text.token_at(found.end()), spans)

    @cached_property
    def first(self) -> frozenset[str] | None:
        """The words a match can begin with; None when anything goes."""
        firsts, may_be_empty = _firsts(_parsed(self.pattern))
        return None if may_be_empty or ANYTHING in firsts else frozenset(firsts)

    @cached_property
    def _source(self) -> str:
        return _emit(_parsed(self.pattern), count())

    @cached_property
    def _regex(self) -> re.Pattern[str]:
        return re.compile(self._source)

    @cached_property
    def _clause_regex(self) -> re.Pattern[str]:
        return re.compile(f"{self._source}(?:(?={_emit(_parsed('<clause-end>'), count())}|$)|{_AFTER_AN_IMAGE})")


class Grammar:
    """Rules indexed by the words they can begin with; earlier rules win."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        self.rules = tuple(rules)
        self._anywhere = tuple(rule for rule in self.rules if rule.first is None)
        self._by_word: dict[str, tuple[Rule, ...]] = {}
        for word in {word for rule in self.rules for word in rule.first or ()}:
            self._by_word[word] = tuple(rule for rule in self.rules if rule.first is None or word in rule.first)

    def starting_with(self, word: str) -> tuple[Rule, ...]:
        """The rules that can begin with ``word``, in their order."""
        return self._by_word.get(word, self._anywhere)

    def match(self, text: Text, first: int, last: int) -> Iterator[Match]:
        """Every rule that accounts for all of tokens ``first`` to ``last``."""
        if first < last:
            for rule in self.starting_with(text.norms[first]):
                if match := rule.match(text, first, last):
                    yield match

    def longest_prefix(self, text: Text, first: int, last: int) -> Match | None:
        """The rule that takes the longest clause at ``first``."""
        found = (rule.match_prefix(text, first, last) for rule in self.starting_with(text.norms[first]))
        return max((match for match in found if match), key=lambda match: match.last, default=None)


def rules(block: str) -> tuple[Rule, ...]:
    """The rules of an indented block, one a line.

    ``name := pattern`` defines a class for the block, ``some words:`` is the note of the rules below it, a deeper line
    continues the one above, ``# ...`` is a comment.
    """
    found: list[Rule] = []
    local: dict[str, str] = {}
    note = ""
    for line in logical_lines(block):
        if heading := HEADING.fullmatch(line):
            note = heading[1]
        elif definition := DEFINITION.fullmatch(line):
            local[definition[1]] = f"( {_with_local(definition[2], local)} )"
        else:
            found.append(Rule(_with_local(line, local), note))
    return tuple(found)


def _with_local(pattern: str, local: Mapping[str, str]) -> str:
    for name, meaning in local.items():
        pattern = pattern.replace(f"<{name}>", meaning)
    return pattern


def name_of(phrase: str) -> str:
    """A noun phrase as a name: lower case, straight quotes, single spaces, no articles in front."""
    words = (
        " ".join(re.sub("[\u2018\u2019\u02bc]", "'", phrase).lower().split())
        .replace("(s)", "")
        .strip(" .,;:!?\"'")
        .split(" ")
    )
    while len(words) > 1 and words[0] in ARTICLES:
        words = words[1:]
    return " ".join(words)


MOST_REPEATS = 16
"""How often a piece marked ``*`` may come at most."""

ANYTHING = "*"
"""Stands for any word among the first words of a rule."""


@dataclass(frozen=True)
class _Node:
    """A piece of a pattern: word, slot, class (``name`` and ``slot``), or seq, alt, opt, many of ``parts``."""

    kind: str
    name: str = ""
    slot: str = ""
    parts: tuple[_Node, ...] = ()


@cache
def _parsed(pattern: str) -> _Node:
    pieces = _TOKEN.findall(pattern)
    node, at = _alternatives(pieces, 0)
    if at != len(pieces):
        raise ValueError(f"unbalanced brackets in rule {pattern!r}")
    return node


def _alternatives(pieces: list[str], at: int) -> tuple[_Node, int]:
    choices: list[_Node] = []
    parts: list[_Node] = []
    while at < len(pieces) and pieces[at] not in (")", "]"):
        piece = pieces[at]
        at += 1
        if piece == "|":
            choices.append(_Node("seq", parts=tuple(parts)))
            parts = []
        elif piece in ("(", "["):
            inner, at = _alternatives(pieces, at)
            if at >= len(pieces) or pieces[at] != {"(": ")", "[": "]"}[piece]:
                raise ValueError(f"unbalanced brackets in rule {' '.join(pieces)!r}")
            at += 1
            parts.append(inner if piece == "(" else _Node("opt", parts=(inner,)))
        elif piece == "*":
            parts[-1] = _Node("many", parts=(parts[-1],))
        elif piece.startswith("{"):
            slot, _, kind = piece[1:-1].partition(":")
            parts.append(_Node("slot", kind or "np", slot))
        elif piece.startswith("<"):
            name, _, slot = piece[1:-1].partition(":")
            parts.append(_Node("class", name, slot, (_parsed(CLASSES[name]),)))
        else:
            parts.append(_Node("word", piece))
    last = _Node("seq", parts=tuple(parts))
    return (_Node("alt", parts=(*choices, last)) if choices else last), at


def _emit(node: _Node, names: Iterator[int]) -> str:
    """The regular expression of a pattern; every token takes its trailing space with it."""
    if node.kind == "word":
        return _word(node.name)
    if node.kind == "slot":
        return f"(?P<{node.slot}__{next(names)}>{_KINDS[node.name]})"
    inner = [_emit(part, names) for part in node.parts]
    if node.kind == "seq":
        return "".join(inner)
    if node.kind == "alt":
        return f"(?:{'|'.join(inner)})"
    if node.kind == "opt":
        return f"(?:{inner[0]})?"
    if node.kind == "many":  # atomic and bounded, so that no question takes long
        return f"(?>{inner[0]}){{0,{MOST_REPEATS}}}"
    return f"(?P<{node.slot}__{next(names)}>{inner[0]})" if node.slot else f"(?:{inner[0]})"


def _firsts(node: _Node) -> tuple[set[str], bool]:
    """Words a piece can begin with, and whether it may be empty."""
    if node.kind == "word":
        return {node.name}, False
    if node.kind == "slot":
        return {ANYTHING}, False
    if node.kind in ("opt", "many"):
        return _firsts(node.parts[0])[0], True
    words: set[str] = set()
    if node.kind == "alt":
        found = [_firsts(part) for part in node.parts]
        return words.union(*(first for first, _ in found)), any(empty for _, empty in found)
    for part in node.parts:
        first, empty = _firsts(part)
        words |= first
        if not empty:
            return words, False
    return words, True


def _needed(node: _Node) -> Iterator[set[str]]:
    """For each piece that cannot be left out, the words it can begin with, where these are known."""
    if node.kind in ("seq", "class"):
        for part in node.parts:
            yield from _needed(part)
    elif node.kind in ("word", "alt"):
        words, may_be_empty = _firsts(node)
        if not may_be_empty and ANYTHING not in words:
            yield words
    elif node.kind == "slot" and node.name == "image":
        yield {ANY_IMAGE}
