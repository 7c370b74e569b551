"""Words that tell one thing from others like it: a criterion of geometry ("the biggest one"), or colours ("dark red").

What is neither ("the padded one", "the one by the window") takes eyes. Knows English words; how a thing looks is the
engine's to see.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from placecell.language.phrases import same_thing

BASIC = ("black", "white", "grey", "red", "orange", "yellow", "green", "blue", "purple", "pink", "brown", "beige")
"""The eleven basic colour terms of English (Berlin and Kay 1969), and beige."""

_CRITERIA: Mapping[str, str] = {
    "nearest": "nearest near close closest nearer closer",
    "farthest": "farthest furthest far farther further",
    "largest": "largest large biggest big huge bigger larger",
    "smallest": "smallest small tiny little smaller",
    "leftmost": "leftmost left",
    "rightmost": "rightmost right",
    "highest": "highest high top upper",
    "lowest": "lowest low bottom lower",
}
_BY_WORD = {word: criterion for criterion, words in _CRITERIA.items() for word in words.split()}
_ARTICLES = ("the", "a", "an")
_NO_ADJECTIVES = frozenset({"near", "close", "nearer", "closer", "far", "farther", "further"})
_SAY_NOTHING = frozenset({
    "the", "a", "an", "one", "ones", "most", "very", "that", "which", "is", "are", "of", "all", "them", "on",
    "at", "to", "from", "me", "away", "side",
})  # fmt: skip
_RELATING = frozenset({
    "of", "to", "from", "by", "with", "on", "in", "at", "under", "over", "above", "below", "beside", "behind",
    "next", "near", "and", "or", "than",
})  # fmt: skip

_SYNONYMS = {
    "gray": "grey", "silver": "grey", "silvery": "grey", "violet": "purple", "lilac": "purple", "golden": "yellow",
    "gold": "yellow", "tan": "beige", "cream": "beige", "navy": "blue", "turquoise": "blue", "cyan": "blue",
    "reddish": "red", "bluish": "blue", "greenish": "green", "wooden": "brown", "dark": "black",
}  # fmt: skip
_MATERIALS = frozenset({"wooden", "dark"})
_SHADES = frozenset({"dark", "light", "bright", "pale", "deep", "and", "or"})
_LAST = re.compile(r"^(?P<thing>.+?)\s+(?:(?:that|which)\s+(?:is|are)|in)\s+(?P<colour>(?:\w+\s+)?\w+)$")
_ARTICLE = re.compile(r"^(?:the|an?|any|some|all|my|your|our|this|that|these|those)\s+")


def criterion(phrase: str) -> str | None:
    """The criterion that a phrase plainly means: "the one on the left", "the biggest bed"; None when it says more."""
    words = re.findall(r"[a-z]+", phrase.lower())
    meant = {_BY_WORD[w] for w in words if w in _BY_WORD}
    if len(meant) != 1 or colours_in(phrase):
        return None
    first, *rest = (w for w in words if w not in _ARTICLES)
    named = first in _BY_WORD and first not in _NO_ADJECTIVES and not _RELATING.intersection(rest)
    return meant.pop() if named or all(w in _BY_WORD or w in _SAY_NOTHING for w in words) else None


def colours_in(phrase: str) -> tuple[str, ...]:
    """Basic colours that a phrase names, in order: "the dark blue one" has blue; "dark" alone is black."""
    words = re.findall(r"[a-z]+", phrase.lower())
    named = [_SYNONYMS.get(w, w) for w in words if w != "dark"]
    found = tuple(dict.fromkeys(w for w in named if w in BASIC))
    return found or (("black",) if "dark" in words else ())


def coloured(phrase: str) -> tuple[tuple[str, ...], str] | None:
    """The colours and the thing of "the dark red chair" or "chair that is red"; None when it is no such phrase.

    Only colours of the thing itself count, not the cushion's in "chair with a red cushion".
    """
    plain = _ARTICLE.sub("", " ".join(phrase.lower().split()))
    last = _LAST.match(plain)
    if last and (colours := _only_colours(last["colour"].split())):
        return colours, last["thing"]
    words = plain.split()
    count = next((n for n in range(len(words) - 1, 0, -1) if _only_colours(words[:n])), 0)
    return (_only_colours(words[:count]), " ".join(words[count:])) if count else None


def only_colours(phrase: str, thing: str) -> bool:
    """Whether a phrase tells a ``thing`` by nothing but colours: "red", "the red one", "the chair that is red"."""
    said = coloured(phrase) or coloured(f"{phrase} one")
    return said is not None and (said[1] in ("one", "ones") or same_thing(said[1], thing))


def _only_colours(words: Sequence[str]) -> tuple[str, ...]:
    """The basic colours of words that are all colours or shades of them; none when one is not, or "dark" is all."""
    meant = [_SYNONYMS.get(w, w) for w in words if w not in _SHADES]
    if not meant or any(m not in BASIC for m in meant) or _MATERIALS.intersection(words) - _SHADES:
        return ()
    return tuple(dict.fromkeys(meant))
