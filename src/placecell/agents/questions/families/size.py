"""How long, tall, wide or deep one thing is.

Slots: the thing, the side of it ("longest dimension", "how tall"), the unit. A question about the room's height names no
thing. Decomposes to size, entities=[thing], attribute=longest, height, width or depth.
"""

from __future__ import annotations

from placecell.agents.questions.family import Asked, Family, Reading, ends_in_a_verb
from placecell.agents.questions.grammar import Grammar, rules
from placecell.language.decomposition import Function

_LONGEST = "( longest | largest | greatest | biggest | maximum | max | longest side )"
_SIDE = "( dimension | side | edge | extent | measurement | axis | size )"
_GRAMMAR = Grammar(
    (
        *rules(
            f"what <is> the [( length | size | measure | value )] [of the] {_LONGEST} {_SIDE} [-lrb- {{x:any}} -rrb-] of {{a}}",
            f"how ( long | big | large ) <is> the {_LONGEST} {_SIDE} [-lrb- {{x:any}} -rrb-] of {{a}}",
            f"how ( long | big | large ) <is> {{a}} ( along | in | on | at | across ) its {_LONGEST} {_SIDE}",
            f"how long <is> {{a}} 's {_LONGEST} {_SIDE}",
            f"what <is> {{a}} 's {_LONGEST} {_SIDE}",
            f"what <is> the {_LONGEST} of the ( length , width [,] or height | length , width [,] and height | three dimensions ) of {{a}}",
            f"( what <is> | <tell> ) the [( length | size )] [of the] {_LONGEST} {_SIDE} [-lrb- {{x:any}} -rrb-] of {{a}}",
            f"<tell> [how long] {{a}} 's {_LONGEST} {_SIDE} [is]",
            f"how many <length-unit:unit> [long] is {{a}} ( along | in | on | at ) its {_LONGEST} {_SIDE}",
            note="longest",
        ),
        *rules(
            "how <dimension:d> [up] <is> {a}",
            "how many <length-unit:unit> <dimension:d> <is> {a}",
            "how <dimension:d> {a} <is>",
            "( what <is> | <tell> ) the <dimension:d> of {a}",
            "( what <is> | <tell> ) {a} 's <dimension:d>",
            "what <dimension:d> ( does {a} have | <is> {a} )",
            "how many <length-unit:unit> [<dimension:d>] does {a} measure",
            note="dimension",
        ),
    )
)
_ATTRIBUTES = {
    "tall": "height", "high": "height", "height": "height",
    "wide": "width", "width": "width", "broad": "width",
    "deep": "depth", "depth": "depth",
    "long": "longest", "length": "longest", "big": None, "large": None, "size": None,
}  # fmt: skip
_ROOM = frozenset("room ceiling scene space kitchen bedroom bathroom house apartment office".split())


def _build(asked: Asked) -> Reading | None:
    thing = asked.name("a")
    attribute = "longest" if asked.note == "longest" else _ATTRIBUTES[asked.match.canon("d")]
    if not thing or ends_in_a_verb(thing):
        return None
    if thing in _ROOM:
        return asked.measured(Function.SIZE, "room height") if attribute == "height" else None
    return asked.measured(Function.SIZE, attribute, entities=(thing,))


FAMILY = Family(
    "size",
    "how long, tall, wide or deep one thing is",
    _GRAMMAR,
    _build,
    cues=("long", "tall", "high", "wide", "deep", "length", "height", "width", "depth", "dimension", "size"),
)
