"""How long, tall, wide or deep one thing is.

Slots: the thing, the side of it ("longest dimension", "how tall"), the unit. A question about the room's height names
no thing. Decomposes to size, entities=[thing], attribute=longest, height, width or depth.
"""

from __future__ import annotations

from placecell.agents.questions.family import Asked, Family, Reading
from placecell.agents.questions.grammar import Grammar, rules
from placecell.agents.questions.names import is_thing, narrows
from placecell.agents.questions.notation import words
from placecell.language.decomposition import Function

_GRAMMAR = Grammar(
    rules("""
        where := [( <scene> | here )]
        longest := longest | largest | greatest | biggest | maximum | max | longest side
        side := dimension | side | edge | extent | measurement | axis | size

        longest:
        what <is> the [( length | size | measure | value )] [of the] <longest> <side> [-lrb- {x:any} -rrb-] of {a}
        how ( long | big | large ) <is> the <longest> <side> [-lrb- {x:any} -rrb-] of {a}
        how ( long | big | large ) <is> {a} ( along | in | on | at | across ) its <longest> <side>
        how long <is> {a} 's <longest> <side>
        ( measured | measuring ) ( along | on | at ) its <longest> <side> [,] how ( long | big | large ) <is> {a}
        what <is> {a} 's <longest> <side>
        what <is> the <longest> of the ( length , width [,] or height | length , width [,] and height | three
            dimensions ) of {a}
        ( what <is> | <tell> ) [the ( length | size ) of] {a} 's <longest> <side>
        ( what <is> | <tell> ) the [( length | size )] [of the] <longest> <side> [-lrb- {x:any} -rrb-] of {a}
        <tell> [how long] {a} 's <longest> <side> [is]
        how many <length-unit:unit> [long] is {a} ( along | in | on | at ) its <longest> <side>

        dimension:
        <ask> [{a} 's] ceiling <dimension:d> <where>
        how <dimension:d> [up] <is> {a} <where>
        how <upright:d> does {a} ( go | reach | get | stand | rise | come up | extend | stretch ) [up]
        how many <length-unit:unit> <dimension:d> <is> {a} <where>
        how many <length-unit:unit> <is> {a} ( <dimension:d> | in <dimension:d> )
        how many <length-unit:unit> <is> the <dimension:d> of {a}
        how <dimension:d> {a} <is> <where>
        <ask> <dimension:d> of {a} <where>
        <ask> {a} 's <dimension:d>
        how much does {a} measure in <extent:d>
        what the <dimension:d> of {a} ( <is> | to be )
        what <is> the <dimension:d> of {a} to be
        {a} <extent:d>
        what <dimension:d> ( does {a} have | <is> {a} )
        what does the <dimension:d> of {a} ( come to | measure | amount to )
        how many <length-unit:unit> [<dimension:d>] does {a} ( measure | reach )
        {a} <is> how ( <dimension:d> | many <length-unit:unit> <dimension:d> )
        {a} ( , | : ) how ( <dimension:d> | many <length-unit:unit> <dimension:d> ) <is> it
        {a} ( , | : ) ( what <is> its | <tell> its | its ) <dimension:d>
    """)
)
_LOOSE = Grammar(
    rules("""
        g := ( <being> | <there> | of | in | with | measure | measures | about | say | estimate | <length-unit:unit> )
        how := ( how | what | how many <length-unit:unit> )

        dimension:
        <asks>* <how> <g>* <dimension:d> <g>* {a:plain} <g>*
        <asks>* <how> <g>* {a:plain} <g>* <dimension:d> <g>*
        {a:plain} <g>* <how> <g>* <dimension:d> <g>*
        <asks>* <extent:d> <g>* {a:plain} <g>* [what]
    """)
)
_ATTRIBUTES = {
    "tall": "height", "high": "height", "height": "height",
    "wide": "width", "width": "width", "broad": "width",
    "deep": "depth", "depth": "depth",
    "long": "longest", "lengthy": "longest", "length": "longest", "big": None, "large": None, "size": None,
}  # fmt: skip
_ROOM = frozenset(words("room ceiling scene space kitchen bedroom bathroom house apartment office"))


def _build(asked: Asked) -> Reading | None:
    thing = asked.match.phrase("a")
    if thing == "ceilings" or ("ceiling" in asked.match.canon().split() and thing in _ROOM | {""}):
        thing = "ceiling"
    attribute = "longest" if asked.note == "longest" else _ATTRIBUTES[asked.match.canon("d")]
    if not is_thing(thing) and thing not in _ROOM:
        return None
    if narrows(thing) and thing.split()[-1] in _ROOM:
        return None
    if thing.split()[-1] in _ROOM:
        return asked.measured(Function.SIZE, "room height") if attribute == "height" else None
    return asked.measured(Function.SIZE, attribute, entities=(thing,))


FAMILY = Family(
    "size",
    "how long, tall, wide or deep one thing is",
    _GRAMMAR,
    _build,
    loose=_LOOSE,
    example="How tall is the bookshelf?",
    cues=("long", "tall", "high", "wide", "deep", "length", "height", "width", "depth", "dimension", "size"),
)
