"""How many things of a kind there are, in all or on one side.

Slots: the kind, the side and what it is a side of. Decomposes to count, entities=[kind], side, relative_to.
"""

from __future__ import annotations

import re

from placecell.agents.questions.family import Asked, Family, Reading, Refusal
from placecell.agents.questions.grammar import Grammar, rules
from placecell.agents.questions.notation import words
from placecell.agents.questions.sides import side_of
from placecell.language.decomposition import Function
from placecell.memory.names import singularise

_GRAMMAR = Grammar(
    rules("""
        seen := ( can | do | did | could ) <i> ( see | count | find | spot | have | make out ) | ( can | could ) be (
            seen | found | counted ) | <is> ( visible | present | seen | shown | found | located )
        place := ( the | this | my | our ) ( <room> | scene )
        have := ( does | do | did ) <place> ( have | contain | hold | include ) | ( has | have ) ( <place> | <i> ) got
            [<scene>]
        tail := [around] [<scene>] [( in total | altogether | overall | in all | all together | all in all )] [<scene>]
        listed := [[that] ( <i> ( see | can see | can find | have ) | there <is> | <is> )]
        how many {x} ( <is> there ) <tail>
        how many {x} <is> <scene> <tail>
        how many {x} <seen> <tail>
        how many {x} <have> <tail>
        how many {x} <place> ( has | have | contains | holds ) <tail>
        how many of {x} ( <is> there | <seen> ) <tail>
        how many {x} <is> ( lying | standing | sitting | hanging ) ( around | about ) <tail>
        how many {x} ( have | had ) <i> ( seen | counted | found )
        what number of {x} ( <is> there | <is> <scene> ) [<scene>]
        how many {x} [there] <is> [there] [<scene>]
        ( <ask> | count the ) [( a | the | full | overall )] [total] ( number | count | amount | quantity | tally ) of
            [all] {x} <listed> <tail>
        count [all | up] [of] {x} <listed> <tail>
        {x} ( , | : ) how many ( <is> there | <seen> ) <tail>

        bare:
        how many {x} [<scene>]

        side:
        how many {x} ( <is> [there] | <lie> | ( do | can | would ) <i> ( see | have ) ) <side-of-me:side>
        how many {x} ( <is> [there] | <lie> ) <side-of:side> {of:np+}
    """)
)
_LOOSE = Grammar(
    rules("""
        g := ( <aux> | <there> | i | we | of | see | seen | count | counted | find | found | exist | exists | present |
            total | altogether | around | got | in | <scene> )
        <asks>* <g>* how many <g>* {x:plain} <g>*
        <asks>* <g>* ( number | count | total ) <g>* {x:plain} <g>*
        {x:plain} ( count | number )
    """)
)
_NO_THING = frozenset(
    words("""
        kind kinds type types sort sorts time times step steps degree degrees meter meters metre
        metres feet foot inches cm centimeters centimetres way ways images photos pictures frames more of
        square sq m2 sqm sqft
        people's full closest nearest farthest largest biggest smallest tallest first last next
    """)
)


_DISTINCT = re.compile(r"^(?:different|separate|individual|distinct) ")
"""What every count counts anyway; not to be confused with "different kinds of"."""


def _is_plural(name: str) -> bool:
    """ "people live" is no kind of thing; after "how many" alone only a plural ends the question."""
    head = name.split(" of ")[0].split(" with ")[0].split()[-1]
    return head.endswith("s") or singularise(head) != head


def _build(asked: Asked) -> Reading | Refusal | None:
    thing = _DISTINCT.sub("", asked.name("x"))
    if not thing or thing.split()[0] in _NO_THING or asked.unit:
        return None
    if asked.only_somewhere("x"):
        return Refusal(f"which things are those of {thing!r} would have to be judged; name a kind of thing alone")
    if (asked.note == "bare" or (asked.loose and "how" in asked.match.canon())) and not _is_plural(thing):
        return None
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
    loose=_LOOSE,
    example="How many chairs are there?",
    cues=("how many", "number", "count"),
    takes=frozenset({"motions", "owner"}),
)
