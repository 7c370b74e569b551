"""The floor area of the room, or of several rooms together.

Slots: the unit. Decomposes to area, no entities.
"""

from __future__ import annotations

from dataclasses import replace

from placecell.agents.questions.family import Asked, Family, Reading
from placecell.agents.questions.grammar import Grammar, rules
from placecell.language.decomposition import Function

_GRAMMAR = Grammar(
    rules("""
        room := ( the | this | that | my | our | your ) [( whole | entire | combined | shown )] ( <room> | rooms | floor
            | scene | area | living space )
        area := size | area | floor area | floor space | square footage | surface area | total area | floor size
        <ask> [total] <area> of <room>
        <ask> <room> 's <area>
        <ask> ( room | floor ) ( size | area | space )
        <ask> ( floor space | floor area | square footage | floor size ) [( <scene> | of here )]
        what <area> ( does <room> have | <is> <room> )
        how much ( floor [space | area] | space | area ) ( have | has | do | does ) ( <i> | <room> ) [( got | have )]
            [<scene>]
        how ( big | large | spacious ) <is> it <scene>
        how many <area-unit:unit> ( have | do ) <i> ( got | have ) [<scene>]
        how many <area-unit:unit> <is> ( there | it ) [<scene>]
        <room> ( , | : ) how ( big | large | spacious ) <is> it
        how ( big | large | spacious ) <is> <room>
        how ( big | large ) <room> is
        how many <area-unit:unit> ( <is> <room> | ( does | do ) <room> ( have | cover | measure | take up | span |
            occupy | contain ) | of ( floor | space | floor space ) ( are there | does <room> have ) )
        how much ( floor [space | area] | area | space | ground ) ( <is> there [<scene>] | ( does | do ) <room> ( have |
            cover | take up | offer | occupy ) | <is> in <room> )
        ( estimate | calculate | determine | measure ) ( how ( big | large ) <room> is | <room> 's <area> )
        <area> of <room>
        [the] ( room | floor ) ( size | area | space )
    """)
)


_LOOSE = Grammar(
    rules("""
        g := ( <aux> | <there> | of | in | with | for | have | got | total | whole | entire | overall | floor | i | we |
            <room> )
        area := ( area | floor area | floor space | square footage | <area-unit:unit> | how ( big | large | spacious ) )
        <asks>* <g>* <area> <g>*
    """)
)


def _build(asked: Asked) -> Reading | None:
    footage = "footage" in asked.match.canon()
    return (replace(asked, unit="ft2") if footage and asked.unit is None else asked).measured(Function.AREA)


FAMILY = Family(
    "area",
    "the floor area of the room",
    _GRAMMAR,
    _build,
    example="How big is the room in square metres?",
    cues=("area", "square", "floor", "footage", "how big is the"),
    loose=_LOOSE,
)
