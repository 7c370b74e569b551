"""The floor area of the room, or of several rooms together.

Slots: the unit. Decomposes to area, no entities.
"""

from __future__ import annotations

from placecell.agents.questions.family import Asked, Family, Reading
from placecell.agents.questions.grammar import Grammar, rules
from placecell.language.decomposition import Function

_ROOM = "( the | this | that | my | our | your ) [( whole | entire | combined | shown )] ( room | rooms | space | apartment | flat | house | place | office | floor | scene | area | living space )"
_AREA = "( size | area | floor area | floor space | square footage | surface area | total area | floor size )"
_GRAMMAR = Grammar(
    rules(
        f"( what <is> | <tell> | find ) the {_AREA} of {_ROOM}",
        f"( what <is> | <tell> ) {_ROOM} 's {_AREA}",
        f"( what <is> | <tell> ) the ( room | floor ) ( size | area | space )",
        f"how ( big | large | spacious ) <is> {_ROOM}",
        f"how ( big | large ) {_ROOM} is",
        f"how many <area-unit:unit> ( <is> {_ROOM} | ( does | do ) {_ROOM} ( have | cover | measure | take up | span | occupy | contain ) | of ( floor | space | floor space ) ( are there | does {_ROOM} have ) )",
        f"how much ( floor [space | area] | area | space | ground ) ( <is> there <scene> | ( does | do ) {_ROOM} ( have | cover | take up | offer | occupy ) | <is> in {_ROOM} )",
        f"( estimate | calculate | determine | measure ) ( how ( big | large ) {_ROOM} is | {_ROOM} 's {_AREA} )",
        f"{_AREA} of {_ROOM}",
    )
)


def _build(asked: Asked) -> Reading | None:
    return asked.measured(Function.AREA)


FAMILY = Family(
    "area", "the floor area of the room", _GRAMMAR, _build, cues=("area", "room", "square", "floor", "size", "footage")
)
