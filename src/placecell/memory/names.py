"""Which of the memory's object names a person means: plural, articles, synonyms, and the head of a compound.

Knows English nouns for the things of a room. It is given names and gives names back (``find`` gives the instances),
and never crosses from one category to another: "table" may mean the "coffee table", but not the other way round.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from importlib import resources
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from placecell.memory.scene import Instance, SpatialMemory

How = Literal["exact", "plural", "synonym", "head", "none"]

# Compounds whose last word is not what they are.
_NOT_THEIR_HEAD = frozenset({"hot dog", "teddy bear", "bean bag", "computer mouse", "stuffed animal", "flip flop"})
# One-word compounds and what they are a kind of.
_KIND_OF = {"armchair": "chair", "bookshelf": "shelf", "wheelchair": "chair", "footstool": "stool", "barstool": "stool"}

_IRREGULAR = {
    "people": "person", "men": "man", "women": "woman", "children": "child", "feet": "foot", "teeth": "tooth",
    "mice": "mouse", "geese": "goose", "dice": "die", "cacti": "cactus", "oxen": "ox", "data": "datum",
    "knives": "knife", "leaves": "leaf", "shelves": "shelf", "bookshelves": "bookshelf", "loaves": "loaf",
    "scarves": "scarf", "halves": "half", "wolves": "wolf", "lives": "life", "calves": "calf", "hooves": "hoof",
    "potatoes": "potato", "tomatoes": "tomato", "mangoes": "mango", "heroes": "hero", "echoes": "echo",
    "buses": "bus", "lenses": "lens", "gases": "gas", "irises": "iris", "canvases": "canvas", "viruses": "virus",
    "cactuses": "cactus", "atlases": "atlas", "quizzes": "quiz",
    "movies": "movie", "cookies": "cookie", "hoodies": "hoodie", "ties": "tie", "pies": "pie", "brownies": "brownie",
}  # fmt: skip
# Words that end like a plural and are none, or have no singular.
_INVARIANT_WORDS = """
    lens gas canvas atlas chassis series species sheep fish aircraft furniture scissors eyeglasses spectacles sunglasses
    binoculars goggles pliers tongs tweezers pants trousers shorts jeans tights headphones news christmas
"""
_INVARIANT = frozenset(_INVARIANT_WORDS.split())

_ARTICLE = re.compile(
    r"^(?:the|an?|any|some|all|this|that|these|those|my|your|our|their|his|her|its|pair of|piece of)\s+"
)
_NUMBERED = re.compile(r"(.*[^\W\d])\s+#?(\d{1,6})")
_PREPOSITION = re.compile(r"\s+(?:of|with|for|on|in|without|from)\s+")


@dataclass(frozen=True)
class Match:
    """``names`` are the memory's names that ``asked`` means (sorted, empty when none), ``how`` they were found.

    ``near``: names that are related but not the same category ("table" for "coffee table"), to be offered, never used.
    """

    asked: str
    names: tuple[str, ...]
    how: How
    near: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.names)


@dataclass(frozen=True)
class LookUp:
    """A name against a memory: "present", "absent" (it was looked for, none is there) or "unknown" (nobody looked)."""

    match: Match
    state: Literal["present", "absent", "unknown"]


def resolve(asked: str, known_names: Iterable[str]) -> Match:
    """The known names ``asked`` means: literally, else in the plural, else by a synonym, else as head of a compound."""
    known = sorted(set(known_names))
    wanted = _plain(asked)
    singular = singularise(wanted)
    thing = _thing(singular)
    plain = {name: _plain(name) for name in known}
    stages: tuple[tuple[How, list[str]], ...] = (
        ("exact", [n for n in known if plain[n] == wanted]),
        ("plural", [n for n in known if singularise(plain[n]) == singular]),
        ("synonym", [n for n in known if _thing(singularise(plain[n])) == thing]),
        ("head", [n for n in known if thing in _kinds(singularise(plain[n]))]),
    )
    for how, names in stages:
        if names and wanted:
            return Match(asked, tuple(names), how)
    broader = _kinds(singular)
    return Match(asked, (), "none", tuple(n for n in known if _thing(singularise(plain[n])) in broader))


def look_up(asked: str, object_names: Iterable[str], vocabulary: Iterable[str]) -> LookUp:
    """`resolve` among the objects there are, then among the names that were looked for (a memory's vocabulary)."""
    match = resolve(asked, object_names)
    if match:
        return LookUp(match, "present")
    looked = resolve(asked, vocabulary)
    # "head" does not count: looking for coffee tables says nothing about tables.
    return LookUp(match, "absent" if looked.how in ("exact", "plural", "synonym") else "unknown")


def find(memory: SpatialMemory, name: str) -> tuple[Instance, ...]:
    """The instances that ``name`` means ("chair", "chair 17"), in the memory's order; empty when there is none."""
    wanted = set(resolve(name, memory.object_names).names)
    if not wanted and (told := numbered(name)):
        return tuple(instance for instance in find(memory, told[0]) if instance.id == told[1])
    return tuple(instance for instance in memory.instances if instance.name in wanted)


def numbered(name: str) -> tuple[str, int] | None:
    """The category and the number of a name such as "chair 17", as one object is called in lists and pictures."""
    found = _NUMBERED.fullmatch(name.strip())
    return (found[1], int(found[2])) if found else None


def same_thing(a: str, b: str) -> bool:
    """Whether two names are one category: equal but for case, article, number or a synonym."""
    return canonical(a) == canonical(b)


def canonical(name: str) -> str:
    """One spelling for every way to name a category: lower case, singular, the first of its synonyms."""
    return _thing(singularise(_plain(name)))


def singularise(name: str) -> str:
    """The singular of a plain lower-case name; in "chest of drawers" the word before the preposition counts."""
    preposition = _PREPOSITION.search(name)
    rest = name[preposition.start() :] if preposition else ""
    words = (name[: preposition.start()] if preposition else name).split(" ")
    words[-1] = _singular_word(words[-1])
    return " ".join(words) + rest


def _singular_word(word: str) -> str:
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if word in _INVARIANT or len(word) < 3 or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("ches", "shes", "xes", "sses", "zzes")):
        return word[:-2]
    return word[:-1]


def _plain(name: str) -> str:
    """Lower case, one space between words, no article, no "(s)"."""
    text = unicodedata.normalize("NFKC", name).casefold().replace("(s)", "").replace("\u2019", "'")
    # Letters, marks (the vowel signs of many scripts) and numbers of any language stay.
    kept = (c if unicodedata.category(c)[0] in "LMN" or c in "'/&+." else " " for c in text)
    text = " ".join("".join(kept).split()).strip(" .'")
    shorter = _ARTICLE.sub("", text)
    while shorter != text:
        text, shorter = shorter, _ARTICLE.sub("", shorter)
    return text


def _thing(singular: str) -> str:
    return _THING.get(singular, singular)


def _kinds(singular: str) -> set[str]:
    """The categories that a thing of this name also is: "dining table" is a "table"."""
    head = _PREPOSITION.split(singular)[0]
    words = head.split(" ")
    kinds = set() if head in _NOT_THEIR_HEAD else {_thing(" ".join(words[i:])) for i in range(len(words))}
    if words[-1] in _KIND_OF:
        kinds.add(_thing(_KIND_OF[words[-1]]))
    return kinds - {_thing(singular)}


def _read_synonyms() -> dict[str, str]:
    text = (resources.files(__package__) / "synonyms.txt").read_text(encoding="utf-8")
    lines = [line.split(", ") for line in text.splitlines() if not line.startswith("#")]
    return {singularise(name): singularise(line[0]) for line in lines for name in line}


_THING = _read_synonyms()
