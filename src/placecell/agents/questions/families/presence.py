"""Whether the place holds a thing of a kind at all.

Slots: the kind. Decomposes to presence, form=yes_no, entities=[kind].
"""

from __future__ import annotations

from placecell.agents.questions import answers
from placecell.agents.questions.family import Asked, Family, Reading, Refusal
from placecell.agents.questions.grammar import Grammar, rules
from placecell.language.decomposition import Comparison, Function

_GRAMMAR = Grammar(
    rules("""
        <is> there {x} [( present | anywhere | visible )] [<scene>]
        ( does | do ) ( the | this ) ( room | scene | house | place | kitchen | office | video | apartment ) ( have |
            contain | hold | include | show ) {x}
        <is> {x} ( present | anywhere ) [<scene>]
        ( can | could | do | did ) <i> ( see | find ) {x} [( anywhere | somewhere )] [<scene>]
        has ( the | this ) ( room | house | place | kitchen | office ) got {x}
    """)
)


def _build(asked: Asked) -> Reading | Refusal | None:
    thing = asked.name("x")
    options = answers.read(asked.options, answers.yes_no)
    if asked.setup.reference.kind != "none" and asked.image_count != 1:
        return None  # what one place shows is visibility
    if asked.only_somewhere("x"):
        return Refusal(f"whether something is {thing!r} would have to be judged; name a kind of thing alone")
    if not thing or options is None:
        return None
    return Reading(Comparison(function=Function.PRESENCE, entities=(thing,), form="yes_no", options=options))


FAMILY = Family(
    "presence",
    "whether there is a thing of a kind",
    _GRAMMAR,
    _build,
    example="Is there a piano?",
    cues=("is there", "are there", "contain"),
)
