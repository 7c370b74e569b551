"""How many things of a kind there are, in all or on one side.

Slots: the kind, the side and what it is a side of. Decomposes to count, entities=[kind], side, relative_to.
"""

from __future__ import annotations

from placecell.agents.questions.family import Asked, Family, Reading, Refusal
from placecell.agents.questions.grammar import Grammar, rules
from placecell.agents.questions.notation import words
from placecell.agents.questions.sides import side_of
from placecell.language.decomposition import Function

_GRAMMAR = Grammar(
    rules("""
        seen := ( can | do | did | could ) <i> ( see | count | find | spot ) | <is> ( visible | present | seen | shown
            | found | located )
        have := ( does | do ) ( the | this | my | our ) ( room | scene | house | apartment | place | space | kitchen |
            office ) ( have | contain | hold )
        how many {x} ( <is> there ) [<scene>] [( in total | altogether | overall )]
        how many {x} <is> <scene>
        how many {x} <seen> [<scene>]
        how many {x} <have>
        how many {x} ( have | had ) <i> ( seen | counted | found )
        what number of {x} ( <is> there | <is> <scene> ) [<scene>]
        how many {x} [there] <is> [there] [<scene>]
        how many {x} [<scene>]
        ( what <is> | <tell> | count ) the [total] ( number | count | amount | quantity ) of {x} [<scene>]
        count [all | up] [the] {x} [( you see | you can see | there are )] [<scene>]
        [total] number of {x} [<scene>]

        side:
        how many {x} ( <is> [there] | <lie> | ( do | can | would ) <i> ( see | have ) ) <side-of-me:side>
        how many {x} ( <is> [there] | <lie> ) <side-of:side> {of:np+}
    """)
)
_NO_THING = frozenset(
    words("""
        kind kinds type types sort sorts time times step steps degree degrees different meter meters metre
        metres feet foot inches cm centimeters centimetres way ways images photos pictures frames more of
        people's full closest nearest farthest largest biggest smallest tallest first last next
    """)
)


def _build(asked: Asked) -> Reading | Refusal | None:
    thing = asked.name("x")
    if not thing or thing.split()[0] in _NO_THING or asked.unit:
        return None
    if asked.only_somewhere("x"):
        return Refusal(f"which things are those of {thing!r} would have to be judged; name a kind of thing alone")
    if asked.note != "side" and asked.setup.reference.kind != "none" and asked.image_count != 1:
        return Refusal("how many of them a single place shows is not counted; ask for the whole scene, or for a side")
    if asked.note != "side":
        return asked.measured(Function.COUNT, entities=(thing,))
    side, landmark = side_of(asked.match.canon("side")), asked.name("of") or None
    if side is None or ("of" in asked.match and landmark is None):
        return None
    return asked.measured(Function.COUNT, entities=(thing,), side=side, relative_to=landmark, frame=asked.frame)


FAMILY = Family(
    "count",
    "how many things of a kind there are",
    _GRAMMAR,
    _build,
    cues=("how many", "number", "count"),
    takes=frozenset({"motions", "owner"}),
)
