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

NUMBERS = {
    word: number
    for number, word in enumerate(
        words("""
            zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
            sixteen seventeen eighteen nineteen twenty
        """)
    )
}
_ORDINALS = {
    word: number
    for number, word in enumerate(words("first second third fourth fifth sixth seventh eighth ninth tenth"), start=1)
}
_IMAGE_WORDS = "image|images|img|photo|photos|photograph|photographs|picture|pictures|pic|view|views|frame|frames|shot"
_IMAGE = re.compile(rf"(?:{_IMAGE_WORDS}|viewpoint|camera)$")
_DIGITS = re.compile(r"(\d+)(?:st|nd|rd|th)?$")
_DEGREES = re.compile(r"(\d+)-?deg(?:ree)?s?$")
_LEXEME = re.compile(
    r"""
    \[[^\]]*\] | _{2,}                                  # a blank to fill in
  | \d+(?:[.,]\d+)*(?=(?:mm|cm|km|m|ft|in)\b)          # the number of "1.5m"
  | \d+(?:st|nd|rd|th)\b | \d+(?:[.,]\d+)*(?![^\W_]|-[^\W\d_]) # ordinals and numbers
  | [^\W_]+(?:['\u2019\u2018\u02bc-][^\W_]+)*(?:\(s\))? # words, inner apostrophes and hyphens, "table(s)"
  | [.,;:?!()/&\u00b0\u2013\u2014]
    """,
    re.VERBOSE | re.IGNORECASE,
)
_PLURAL_OWNER = re.compile(
    r"['\u2019]\s+(?=(?:own\s+)?(?:perspective|point|view|position|place|side|left|right|own)\b)", re.IGNORECASE
)
_IS_AFTER = frozenset(words("what where who how there here that it he she when which one"))
_SUFFIXES = {"'re": "are", "'m": "am", "'ll": "will", "'d": "would", "'ve": "have"}
_WHOLE = {
    "can't": ("can", "not"),
    "cannot": ("can", "not"),
    "won't": ("will", "not"),
    "whats": ("what", "is"),
    "wheres": ("where", "is"),
    "im": ("i", "am"),
    "(": ("-lrb-",),
    ")": ("-rrb-",),
    "&": ("and",),
    "/": ("or",),
    "\u00b0": ("degrees",),
    "\u2013": (",",),
    "\u2014": (",",),
    "toward": ("towards",),
    "further": ("farther",),
    "furthest": ("farthest",),
    "furhter": ("farther",),
    "forwards": ("forward",),
    "backwards": ("backward",),
    "upwards": ("upward",),
    "downwards": ("downward",),
    "anticlockwise": ("counterclockwise",),
    "anti-clockwise": ("counterclockwise",),
    "counter-clockwise": ("counterclockwise",),
    "ccw": ("counterclockwise",),
    "cw": ("clockwise",),
    "degree": ("degrees",),
}
_DROPPED = frozenset(words("please kindly approximately roughly exactly precisely actually currently just directly"))
_PHRASES = {
    "next to": "next_to",
    "close to": "close_to",
    "closest to": "closest_to",
    "nearest to": "nearest_to",
    "adjacent to": "next_to",
    "farthest from": "farthest_from",
    "furthest from": "farthest_from",
    "far from": "far_from",
    "in front of": "in_front_of",
    "on top of": "on_top_of",
    "with respect to": "relative_to",
    "with respective to": "relative_to",
    "respect to": "relative_to",
    "in relation to": "relative_to",
    "in comparison to": "relative_to",
    "in comparison with": "relative_to",
    "compared to": "relative_to",
    "compared with": "relative_to",
    "relative to": "relative_to",
    "counter clockwise": "counterclockwise",
    "anti clockwise": "counterclockwise",
    "point of view": "viewpoint",
    "points of view": "viewpoint",
    "vantage point": "viewpoint",
    "left hand side": "left",
    "right hand side": "right",
    "left-hand side": "left",
    "right-hand side": "right",
    "front left": "front-left",
    "front right": "front-right",
    "back left": "back-left",
    "back right": "back-right",
    "rear left": "back-left",
    "rear right": "back-right",
    "a couple of": "two",
    "who is": "who_is",
    "who are": "who_is",
    "that is": "that_is",
    "that are": "that_is",
    "that is being": "that_is",
    "which is": "which_is",
    "which are": "which_is",
}
_MERGE = re.compile(r"(?<!\S)(" + "|".join(sorted(map(re.escape, _PHRASES), key=len, reverse=True)) + r") ")
_CAN = frozenset(
    words("""
        trash garbage waste rubbish recycling watering tin soda beer coke cola paint spray oil gas litter dust
        aluminum aluminium metal food jerry pepsi drink the a an this that
    """)
)
"""Words after which "can" is a thing."""
_RELATIVE = frozenset({"who_is", "that_is", "which_is"})
_AFTER_A_NUMBER = frozenset(
    words(", . ; : ? ! -rrb- 's and or to then is are was what which where how in on i will would do")
)
_NO_NOUN = frozenset(words(", . ; : ? ! -lrb- -rrb- and or if then"))


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


def tokenise(source: str, image_count: int | None = None) -> Text:
    """Tokens of a question; ``image_count`` gives "the last image" its number."""
    text = Text(source, _images(_respelled(list(_words(source))), image_count))
    return _merged(text)


def _words(source: str) -> Iterator[Token]:
    ends = {match.start() for match in _PLURAL_OWNER.finditer(source)}
    for match in _LEXEME.finditer(source):
        start, end = match.span()
        word = unicodedata.normalize("NFKC", match.group()).lower()
        word = re.sub("[\u2019\u2018\u02bc]", "'", word).removesuffix("(s)")
        if word.startswith(("[", "__")):
            yield Token("__", start, end)
        elif word not in _DROPPED:
            yield from _parts(word, start, end)
        if end in ends and word.endswith("s"):
            yield Token("'s", end, end + 1)


def _parts(word: str, start: int, end: int) -> Iterator[Token]:
    """A word with its contraction taken apart; "'s" is "is" after a question word, else a possessive."""
    if whole := _WHOLE.get(word):
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
    """Slips and homonyms: "it's own side" is "its own side", and the can of "trash can" is no verb."""
    out: list[Token] = []
    for token in tokens:
        if token.norm in ("own", "original") and len(out) > 1 and out[-1].norm == "is" and out[-2].norm == "it":
            out[-2:] = [Token("its", out[-2].start, out[-1].end)]
        if token.norm == "can" and out and out[-1].norm in _CAN:
            token = Token("can_n", token.start, token.end)
        out.append(token)
    return out


def _images(tokens: list[Token], image_count: int | None) -> list[Token]:
    """References to images become one token, ``@2``, whatever their wording; "images 1 and 2" becomes ``@1 and @2``."""
    out: list[Token] = []
    at = 0
    while at < len(tokens):
        span, number, many = _image_at(tokens, at, image_count)
        if not span:
            out.append(tokens[at])
            at += 1
            continue
        start = out.pop().start if out and out[-1].norm in ("the", "your", "my") else tokens[at].start
        _number_the_one_before(out, image_count)
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


def _number_the_one_before(out: list[Token], image_count: int | None) -> None:
    """ "the first and the second image": the first is an image too."""
    if len(out) > 1 and out[-1].norm in ("and", "to") and (nth := _ordinal(out[-2].norm, image_count)) is not None:
        the = len(out) > 2 and out[-3].norm == "the"
        out[-3 if the else -2 : -1] = [Token(f"@{nth}", out[-3 if the else -2].start, out[-2].end)]


def _image_at(tokens: list[Token], at: int, image_count: int | None) -> tuple[int, int | str, bool]:
    """How many tokens at ``at`` name an image (0: none), its number, and whether more numbers may follow."""
    words = [token.norm for token in tokens[at : at + 4]]
    if _IMAGE.match(words[0]):
        skip = 2 if len(words) > 2 and words[1] in ("number", "no", "nr", "index") else 1
        skip += len(words) > skip + 1 and words[skip] == "."
        nth = _cardinal(words[skip]) if len(words) > skip else None
        if nth is None or (
            words[skip].isalpha() and words[skip + 1 : skip + 2] != [] and words[skip + 1] not in _AFTER_A_NUMBER
        ):
            return 0, 0, False  # "in the picture two people ..." counts people
        return skip + 1, nth, words[0].endswith("s")
    glued = re.fullmatch(rf"(?:{_IMAGE_WORDS})[-_]?(\d+)", words[0])
    if glued:
        return 1, int(glued[1]), False
    position = _ordinal(words[0], image_count)
    if position is not None and len(words) > 1 and _IMAGE.match(words[1]) and not words[1].endswith("s"):
        return 2, position, False
    return 0, 0, False


def _cardinal(word: str) -> int | None:
    if word.isdecimal():
        return int(word)
    return NUMBERS.get(word)


def _ordinal(word: str, image_count: int | None) -> int | str | None:
    if word in ("last", "final"):
        return image_count if image_count is not None else "last"
    match = _DIGITS.match(word)
    if match and not word.isdecimal():
        return int(match[1])
    return _ORDINALS.get(word)


def _merged(text: Text) -> Text:
    """Multi-word prepositions and relative pronouns as one token each."""
    tokens = list(text.tokens)
    plain = "".join(f"{norm} " for norm in text.norms)
    starts = [0, *accumulate(len(norm) + 1 for norm in text.norms)]
    for match in reversed(list(_MERGE.finditer(plain))):
        first, last = bisect_left(starts, match.start()), bisect_left(starts, match.end())
        norm = _PHRASES[match[1]]
        if norm in _RELATIVE and (first == 0 or tokens[first - 1].norm in _NO_NOUN):
            continue
        tokens[first:last] = [Token(norm, tokens[first].start, tokens[last - 1].end)]
    return Text(text.source, tokens)
