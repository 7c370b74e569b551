"""From a question's characters to the tokens that rules read, each with the span of the source it came from.

Knows spelling: case, quotes, contractions, image references ("the 2nd photo" is ``@2``), multi-word prepositions.
Does not know what any sentence means.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

from placecell.agents.questions.lexicon import mark
from placecell.agents.questions.notation import words
from placecell.agents.questions.spelling import CAN, DROPPED, IMAGE_WORDS, NUMBERS, ORDINALS, PHRASES, WHOLE

_IMAGE = re.compile(rf"(?:{IMAGE_WORDS}|viewpoint|camera)$")
_MOST_DIGITS = 9
"""Nothing a question counts has more; Python refuses to read some thousands of them."""
_DIGITS = re.compile(rf"(\d{{1,{_MOST_DIGITS}}})(?:st|nd|rd|th)?$")
_DEGREES = re.compile(r"(\d+)-?deg(?:ree)?s?$")
_LEXEME = re.compile(
    r"""
    \[[^\]]*\] | _{2,}                                  # a blank to fill in
  | \d+(?:[.,]\d+)*(?=(?:mm|cm|km|m|ft|in)\b)          # the number of "1.5m"
  | \d+(?:st|nd|rd|th)\b | \d+(?:[.,]\d+)*(?![^\W_]|-[^\W\d_]) # ordinals and numbers
  | [^\W_]+(?:['\u2019\u2018\u02bc-][^\W_]+)*(?:\(s\))? # words, inner apostrophes and hyphens, "table(s)"
  | (?<=\d)['\u2019]s\b                                # "photo 2's"
  | \.{2,} | \u2026                                    # a pause
  | [.,;:?!()/&\u00b0\u2013\u2014] | (?<=\s)-+(?=\s)
    """,
    re.VERBOSE | re.IGNORECASE,
)
_PLURAL_OWNER = re.compile(
    r"['\u2019]\s+(?=(?:own\s+)?(?:perspective|point|view|position|place|side|left|right|own)\b)", re.IGNORECASE
)
_IS_AFTER = frozenset(
    words("what where who how there here that it he she when which one far tall long wide high big deep")
)
_SUFFIXES = {"'re": "are", "'m": "am", "'ll": "will", "'d": "would", "'ve": "have"}
_MERGE = re.compile(r"(?<!\S)(" + "|".join(sorted(map(re.escape, PHRASES), key=len, reverse=True)) + r") ")
_RELATIVE = frozenset({"who_is", "that_is", "which_is"})
_RIGHT_AT = frozenset(words("behind next in beside ahead above below beneath underneath across"))
_RIGHT_AFTER = frozenset(words("the my your to on turn turns turned turning left or and front back , look face"))
_AFTER_A_NUMBER = frozenset(
    words(", . ; : ? ! -rrb- 's and or to then is are was what which where how in on i will would do")
)
_NO_NOUN = frozenset(words(", . ; : ? ! -lrb- -rrb- and or if then"))


_Image = tuple[int, int | str, bool]
"""How many tokens name an image, its number ("last" when that is not known), and whether more numbers may follow."""

ANY_IMAGE = "@"
"""Stands for whichever image is named."""


@dataclass(frozen=True, slots=True)
class Token:
    """``norm`` is what rules see; ``start`` and ``end`` the characters of the source it came from."""

    norm: str
    start: int
    end: int


class Text:
    """A tokenised question. Rules are matched on ``marked``: each token as its mark, its norm and a space."""

    def __init__(self, source: str, tokens: Sequence[Token]) -> None:
        self.source = source
        self.tokens = tuple(tokens)
        self.norms = tuple(token.norm for token in self.tokens)

    def __len__(self) -> int:
        return len(self.tokens)

    @cached_property
    def marked(self) -> str:
        return "".join(f"{mark(norm)}{norm} " for norm in self.norms)

    @cached_property
    def starts(self) -> list[int]:
        """Where each token begins in ``marked``, and its length at the end."""
        return [0, *accumulate(len(norm) + 2 for norm in self.norms)]

    @cached_property
    def vocabulary(self) -> frozenset[str]:
        """The words that occur, and ``ANY_IMAGE`` when an image is named."""
        images = (ANY_IMAGE,) if any(norm.startswith("@") for norm in self.norms) else ()
        return frozenset((*self.norms, *images))

    def token_at(self, position: int) -> int:
        """The token that begins at a position of ``marked``."""
        return bisect_left(self.starts, position)

    def words(self, first: int, last: int) -> str:
        """Tokens ``first`` to ``last`` as rules see them."""
        return " ".join(self.norms[first:last])

    def quote(self, first: int, last: int) -> str:
        """The source's own words behind tokens ``first`` to ``last``, without joining words at the end."""
        while last > first and self.norms[last - 1] in _NO_NOUN:
            last -= 1
        return self.source[self.tokens[first].start : self.tokens[last - 1].end] if last > first else ""

    def without(self, first: int, last: int) -> Text:
        """The same text with tokens ``first`` to ``last`` left out."""
        return Text(self.source, self.tokens[:first] + self.tokens[last:])


def tokenise(source: str, last: int | None = None) -> Text:
    """Tokens of a question; ``last`` is the number of "the last image"."""
    text = Text(source, _images(_respelled(list(_words(source))), last))
    return _merged(text)


def _words(source: str) -> Iterator[Token]:
    ends = {match.start() for match in _PLURAL_OWNER.finditer(source)}
    for match in _LEXEME.finditer(source):
        start, end = match.span()
        word = unicodedata.normalize("NFKC", match.group()).lower()
        word = re.sub("[\u2019\u2018\u02bc]", "'", word).removesuffix("(s)")
        if word == "'s":
            yield Token("'s", start, end)
        elif word.startswith(("[", "__")):
            yield Token("__", start, end)
        elif word.startswith(("-", "..", "\u2026")):
            yield Token(",", start, end)
        elif word not in DROPPED:
            yield from _parts(word, start, end)
        if end in ends and word.endswith("s"):
            yield Token("'s", end, end + 1)


def _parts(word: str, start: int, end: int) -> Iterator[Token]:
    """A word with its contraction taken apart; "'s" is "is" after a question word, else a possessive."""
    if whole := WHOLE.get(word):
        yield from (Token(part, start, end) for part in whole)
        return
    stem, suffix = word, ""
    if degrees := _DEGREES.match(word):
        stem, suffix = degrees[1], "degrees"
    elif word.endswith("n't") and len(word) > 3:
        stem, suffix = word[:-3], "not"
    elif word.endswith("'s"):
        stem = word[:-2]
        suffix = "is" if stem in _IS_AFTER else "'s"
    elif ending := next((e for e in _SUFFIXES if word.endswith(e)), None):
        stem, suffix = word.removesuffix(ending), _SUFFIXES[ending]
    cut = start + len(stem) if suffix else end
    yield Token(stem, start, cut)
    if suffix:
        yield Token(suffix, cut, end)


def _respelled(tokens: list[Token]) -> list[Token]:
    """Slips and homonyms: "it's own side" is "its own side", the can of "trash can" is no verb, and neither side is
    meant by "right behind".
    """
    out: list[Token] = []
    for token in tokens:
        if token.norm in ("own", "original") and len(out) > 1 and out[-1].norm == "is" and out[-2].norm == "it":
            out[-2:] = [Token("its", out[-2].start, out[-1].end)]
        if token.norm == "can" and out and out[-1].norm in CAN:
            token = Token("can_n", token.start, token.end)
        if token.norm in _RIGHT_AT and len(out) > 1 and out[-1].norm == "right" and out[-2].norm not in _RIGHT_AFTER:
            out.pop()
        out.append(token)
    return out


def _images(tokens: list[Token], last: int | None) -> list[Token]:
    """References to images become one token, ``@2``, whatever their wording; "images 1 and 2" becomes ``@1 and @2``."""
    out: list[Token] = []
    at = 0
    while at < len(tokens):
        found = _image_at(tokens, at, last) or _another(out, tokens, at, last)
        if found is None:
            out.append(tokens[at])
            at += 1
            continue
        span, number, many = found
        start = out.pop().start if out and out[-1].norm in ("the", "your", "my") else tokens[at].start
        _number_the_one_before(out, last)
        out.append(Token(f"@{number}", start, tokens[at + span - 1].end))
        at += span
        many = many or (bool(out[:-1]) and out[-2].norm in ("between", "from"))
        while many and at < len(tokens):
            skip = 1 + (tokens[at].norm == "," and at + 1 < len(tokens) and tokens[at + 1].norm == "and")
            if tokens[at].norm not in ("and", "to", ",", "or") or at + skip >= len(tokens):
                break
            nth = _cardinal(tokens[at + skip].norm)
            if nth is None:
                break
            out += [*tokens[at : at + skip], Token(f"@{nth}", tokens[at + skip].start, tokens[at + skip].end)]
            at += skip + 1
    return out


def _another(out: list[Token], tokens: list[Token], at: int, last: int | None) -> _Image | None:
    """ "from the first photo to the second", "the first shot and the second one": the second is an image too."""
    before = [token.norm for token in out if token.norm != "the"]
    nth = _ordinal(tokens[at].norm, last)
    if nth is None or not any(norm.startswith("@") for norm in before):
        return None
    following = tokens[at + 1].norm if at + 1 < len(tokens) else "."
    if following == "one":
        return 2, nth, False
    joined = len(before) > 1 and before[-2].startswith("@") and before[-1] in ("and", "to", "with", "or")
    return (1, nth, False) if joined and following in _AFTER_A_NUMBER else None


def _number_the_one_before(out: list[Token], last: int | None) -> None:
    """ "the first and the second image": the first is an image too."""
    if len(out) > 1 and out[-1].norm in ("and", "to") and (nth := _ordinal(out[-2].norm, last)) is not None:
        the = len(out) > 2 and out[-3].norm == "the"
        out[-3 if the else -2 : -1] = [Token(f"@{nth}", out[-3 if the else -2].start, out[-2].end)]


def _image_at(tokens: list[Token], at: int, last: int | None) -> _Image | None:
    """The image named at ``at``."""
    words = [token.norm for token in tokens[at : at + 4]]
    if _IMAGE.match(words[0]):
        skip = 2 if len(words) > 2 and words[1] in ("number", "no", "nr", "index") else 1
        skip += len(words) > skip + 1 and words[skip] == "."
        nth = _cardinal(words[skip]) if len(words) > skip else None
        if nth is None or (
            words[skip].isalpha() and words[skip + 1 : skip + 2] != [] and words[skip + 1] not in _AFTER_A_NUMBER
        ):
            return None  # "in the picture two people ..." counts people
        return skip + 1, nth, words[0].endswith("s")
    glued = re.fullmatch(rf"(?:{IMAGE_WORDS})[-_]?(\d{{1,{_MOST_DIGITS}}})", words[0])
    if glued:
        return 1, int(glued[1]), False
    position = _ordinal(words[0], last)
    if position is not None and len(words) > 1 and _IMAGE.match(words[1]):
        second = at > 1 and tokens[at - 1].norm == "and" and _ordinal(tokens[at - 2].norm, last) is not None
        return (2, position, False) if second or not words[1].endswith("s") else None
    return None


def whole(word: str) -> int | None:
    """A whole number in digits; None for any other word."""
    return int(word) if word.isdecimal() and len(word) <= _MOST_DIGITS else None


def _cardinal(word: str) -> int | None:
    return NUMBERS.get(word, whole(word))


def _ordinal(word: str, last: int | None) -> int | str | None:
    if word in ("last", "final"):
        return last if last is not None else "last"
    match = _DIGITS.match(word)
    if match and not word.isdecimal():
        return int(match[1])
    return ORDINALS.get(word)


def _merged(text: Text) -> Text:
    """Multi-word prepositions and relative pronouns as one token each."""
    tokens = list(text.tokens)
    plain = "".join(f"{norm} " for norm in text.norms)
    starts = [0, *accumulate(len(norm) + 1 for norm in text.norms)]
    for match in reversed(list(_MERGE.finditer(plain))):
        first, last = bisect_left(starts, match.start()), bisect_left(starts, match.end())
        norm = PHRASES[match[1]]
        if norm in _RELATIVE and (first == 0 or mark(tokens[first - 1].norm) not in ("n", "f")):
            continue
        tokens[first:last] = [Token(norm, tokens[first].start, tokens[last - 1].end)] if norm else []
    return Text(text.source, tokens)
