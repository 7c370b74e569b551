"""Whether words can be the name of a thing, and where a list of names is cut.

A name is one or several words for something with a place: "trash can", "desk chair with the blue tape on its arm".
"""

from __future__ import annotations

import re
from collections.abc import Collection
from itertools import pairwise

from placecell.agents.questions.grammar import name_of
from placecell.agents.questions.lexicon import ARTICLES
from placecell.agents.questions.notation import words
from placecell.agents.questions.spelling import NUMBERS
from placecell.agents.questions.units import unit_of

_ALONE = frozenset(
    words("""
        left right front back above below top bottom side end start beginning rear behind front-left front-right
        back-left back-right camera scene room video image photo perspective viewpoint perspectives view point position
        movement same it he she they him them me you us one ones something anything nothing object objects thing things
        item items other others direction way still up down put place
    """)
)
"""Words that name nothing when they stand alone."""

_NEVER = frozenset(
    words("""
        no not never perspective perspectives viewpoint viewpoints video videos clip footage temperature humidity price
        cost weight difference deadline opportunity usually normally always often ever
        closest nearest farthest furthest
    """)
)
_NOT_FIRST = frozenset(
    words("view same object thing item something length height width depth size distance direction way number")
)
_NOT_LAST = frozenset(
    words("""
        hidden visible open closed located placed positioned situated found seen shown present moving apart away there
        here than anywhere somewhere view sight around from to of with in on at by near under over behind beside and or
            first last
    """)
)
_ABSTRACT = frozenset(
    words("""
        nearest closest farthest furthest best worst tallest longest highest largest biggest smallest shortest widest
        reason way idea decision love meaning need chance question answer problem point luck
    """)
)
"""First words of what has no place, or of what would first have to be chosen."""

_PARTS = frozenset(words("top bottom edge middle centre center part piece pieces rest half kind type sort"))
"""Words that name no thing of their own before "of"."""

_PREPOSITIONS = frozenset(
    words("""
        of with without in on at by near nearby under over below above behind beneath beside inside outside to from
        through
        along across against around for into onto between and or beyond underneath
    """)
)
_ING_NOUNS = frozenset(
    words("""
        building ceiling painting railing awning clothing wedding ring string spring thing wing king swing lighting
        bedding flooring dressing carving drawing sing bowling parking shelving covering crossing opening housing
        plumbing earring sling ping
    """)
)
_RELATIVE = re.compile(r" (?:who|that|which) (?:is|are) ")
_OWN_SIDE = re.compile(
    r"\b(?:my|your) (?:left|right|back|front)\b|\band (?:the )?(?:closest|nearest|farthest|furthest)\b|"
    r"'s (?:position|place|shoes|eyes|seat)$|point of view|vantage point"
)


def is_thing(name: str) -> bool:
    """Whether a phrase can name an object, as far as its words tell."""
    parts = name.split()
    if not parts or name in _ALONE or name in ARTICLES or _OWN_SIDE.search(name) or _NEVER.intersection(parts):
        return False
    first, last = parts[0], parts[-1]
    if (
        first in _ABSTRACT
        or (first in _PARTS and parts[1:2] == ["of"])
        or last in ARTICLES
        or (len(parts) > 1 and (first in _NOT_FIRST or last in _NOT_LAST))
    ):
        return False
    if len(parts) > 1 and first.endswith("ing") and first not in _ING_NOUNS and parts[1] in _PREPOSITIONS:
        return False
    if (first in NUMBERS or first.isdecimal()) and len(parts) > 1 and unit_of(parts[1]):
        return False
    return not _ends_in_a_verb(name) and _articles_follow_prepositions(parts)


_RELATIONS = frozenset(
    words("on in at by near under over above below behind beside inside outside next around between")
)


def narrows(name: str) -> bool:
    """Whether a phrase says where its things are: "cups on the table", not "man in red" of "door of the room"."""
    parts = name.split()
    at = [i for i, word in enumerate(parts) if word in _RELATIONS and i]
    return any(i + 1 < len(parts) and parts[i + 1] in ARTICLES for i in at)


def _ends_in_a_verb(name: str) -> bool:
    """ "sign pointing" names no object; "man who is skiing" does."""
    if _RELATIVE.search(f" {name} "):
        return False
    if " being " in name:
        return True
    last = name.split()[-1]
    return last.endswith("ing") and last not in _ING_NOUNS


def _articles_follow_prepositions(parts: list[str]) -> bool:
    """ "sofa the door" is two things; "door of the room" and "man holding the bat" are one."""
    for before, word in pairwise(parts):
        if word in ("the", "a", "an"):
            if before not in _PREPOSITIONS and before not in ARTICLES and not before.endswith(("ing", "ed")):
                return False
        elif word in _PREPOSITIONS and before in _PREPOSITIONS and f"{before} {word}" not in _DOUBLE:
            return False
    return True


_DOUBLE = frozenset({"out of", "outside of", "inside of", "from under", "from behind", "on to", "in to"})


def split_names(phrase: str, *, expected: int | None = None, known: Collection[str] = ()) -> tuple[str, ...] | None:
    """The names in "a, b and c"; None when "and" may belong to a name and nothing tells.

    Known names decide first, then the expected number of names, then articles ("the bed and lamp and the door").
    """
    text = " ".join(phrase.split())
    pieces = [piece for piece in re.split(r"\s*[,;]\s*(?:(?:and|or)\s+)?", text) if piece.strip(" .:")]
    results: list[tuple[str, ...]] = [()]
    for piece in pieces:
        results = [done + way for done in results for way in _ways(piece, known)]
        if len(results) > 64:
            return None
    fitting = [r for r in results if expected is None or len(r) == expected]
    named = [r for r in fitting if known and all(name in known for name in r)]
    for found in (named, fitting):
        if len(found) == 1:
            return found[0]
    if len(pieces) == 1 and len(at_articles := _at_articles(text)) > 1 and expected in (None, len(at_articles)):
        return at_articles
    if expected is None and len(pieces) > 1:  # "a, b and c": the last "and" joins the list
        return max(results, key=len)
    return None


def _ways(piece: str, known: Collection[str]) -> list[tuple[str, ...]]:
    """Every way to cut one comma-free piece at its "and" and "or"; known names are not cut."""
    if name_of(piece) in known:
        return [(name_of(piece),)]
    parts = re.split(r"\s+(?:and|or|&)\s+", piece, flags=re.IGNORECASE)
    if len(parts) <= 2:
        return [tuple(name_of(part) for part in parts)]
    halves = [(name_of(" and ".join(parts[:cut])), name_of(" and ".join(parts[cut:]))) for cut in range(1, len(parts))]
    return [tuple(name_of(part) for part in parts), *halves]


def _at_articles(text: str) -> tuple[str, ...]:
    parts = re.split(r"\s+(?:and|or)\s+(?=(?:the|a|an|my|your)\s)", text, flags=re.IGNORECASE)
    return tuple(name_of(part) for part in parts)
