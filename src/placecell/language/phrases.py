"""Object phrases and quotes as they are compared: case, spacing, articles and plural endings do not matter."""

from __future__ import annotations

import re
from functools import lru_cache

_LETTER = re.compile(r"^\s*(?:\(?[A-Za-z]\s*[).:]|\(?[A-Za-z]\))\s+")
_ENDINGS = (("ies", "y"), ("ves", "f"), ("shes", "sh"), ("ches", "ch"), ("xes", "x"), ("sses", "ss"))
_SMALL_WORDS = frozenset({"the", "a", "an", "of", "and", "my", "your", "thi", "that"})


def strip_letter(option: str) -> str:
    """An option's text without its letter: "B. the door" -> "the door"."""
    return _LETTER.sub("", option).strip()


def normalise_phrase(text: str) -> str:
    """Lower case, single spaces, plain quotes, no surrounding punctuation."""
    text = text.replace("\u2019", "'").replace("\u2018", "'").replace("\u201c", '"').replace("\u201d", '"')
    return " ".join(text.lower().split()).strip(" .,;:!?\"'")


@lru_cache(maxsize=4096)
def stems(text: str) -> frozenset[str]:
    """Words without articles and plural endings."""
    words = re.findall(r"\w+", text.lower())
    return frozenset({_stem(w) for w in words} - _SMALL_WORDS)


def same_thing(a: str, b: str) -> bool:
    """Whether two phrases may name one thing: one says no more than the other ("shoe", "the black shoes")."""
    words_a, words_b = stems(a), stems(b)
    return bool(words_a and words_b) and (words_a <= words_b or words_b <= words_a)


def _stem(word: str) -> str:
    if word.endswith("fe"):
        return word[:-1]
    for ending, kept in _ENDINGS:
        if word.endswith(ending) and len(word) > len(ending) + 1:
            return word[: -len(ending)] + kept
    return word[:-1] if word.endswith("s") and not word.endswith("ss") and len(word) > 2 else word
