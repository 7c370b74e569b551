"""Questions that are understood well enough to say why geometry cannot answer them: hands, actions, colours, reasons.

They are never decomposed; they only make "not understood" say something useful.
"""

from __future__ import annotations

from placecell.agents.questions.family import Asked, Family, Refusal
from placecell.agents.questions.grammar import Grammar, rules

_GRAMMAR = Grammar(
    rules("""
        which hand or arm somebody uses has to be recognised in the pictures:
        [with] <wh> ( hand | arm | sleeve | foot | leg ) {x:rest}
        {y:any} ( left | right ) ( hand | arm | sleeve | foot ) {x:any}
        ( did | does | do ) {y:any} ( left | right | left or right ) hand {x:rest}

        what happens or what somebody does has to be recognised in the pictures:
        what ( did | does | do | is | are | was | happens | happened ) {x:any} ( do | doing | happen ) [{y:rest}]
        what ( did | does | do ) {x:any} to {y:rest}
        describe {x:rest}
        ( did | does ) {x} ( hit | catch | drop | make it | miss | touch | switch | face | strike ) {y:rest}

        looks have to be recognised in the pictures:
        what ( colour | color | shape | brand | material | kind | type ) {x:rest}

        reasons and persons are not in the geometry:
        why {x:rest}
        who {x:rest}
        how come {x:rest}
    """)
)


def _build(asked: Asked) -> Refusal:
    return Refusal(asked.note)


FAMILY = Family(
    "beyond geometry",
    "hands, actions, looks and reasons, which geometry cannot answer",
    _GRAMMAR,
    _build,
    cues=("hand", "hands", "why", "who", "colour", "color", "doing", "happens"),
    takes=frozenset({"motions", "landmark", "own", "owner", "during", "sectors", "senses"}),
)
