"""Whether a thing can be seen from a place, or in an image.

Slots: the thing, the image. Decomposes to visibility, form=yes_no, entities=[thing]; attribute=hidden when yes means
that it is not seen.
"""

from __future__ import annotations

from placecell.agents.questions import answers
from placecell.agents.questions.family import Asked, Family, Reading
from placecell.agents.questions.grammar import Grammar, rules
from placecell.language.decomposition import Comparison, Facing, Function, Reference

_GRAMMAR = Grammar(
    rules("""
        in-view := visible | in view | in sight | seen | in frame | within view | in the field of view | in <my> (
            view | field of view | line of sight ) | within sight
        hidden := hidden | occluded | out of sight | out of view | blocked | invisible | not visible | not in view
        here := [( to <me> | for <me> | from there | from here | from that ( spot | place | position | viewpoint ) )]

        seen:
        ( can | could | would | will | do | am | might | did | should | shall ) <i> [still] [be] [able to] ( see |
            view | spot | observe | make out | look at | have a view of ) {x:np+} <here> [<scene>]
        <is> {x:np+} [( still | also )] <in-view> <here> [<scene>]
        ( would | will | could | can | might ) {x:np+} be <in-view> <here>
        ( <is> there | do <i> have ) [a] [clear | direct] ( line of sight | view | sight line ) ( to | of ) {x:np+}

        <is> it possible to see {x:np+}
        {x:np+} ( , | : ) <is> ( it | they ) <in-view> <here>
        {x:np+} ( , | : ) ( can | could | would | will | do ) <i> [be able to] see ( it | them ) <here>

        image:
        ( does | do | did ) {x:np+} <appear> in {n:image}
        ( does | do | did ) {n:image} ( show | contain | include | capture | depict ) {x:np+}
        <is> {x:np+} ( shown | visible | seen | present | depicted | captured | to be seen | in view ) in {n:image}
        <is> {x:np+} [( somewhere | anywhere )] in {n:image}
        ( can | could | do ) <i> see {x:np+} in {n:image}

        ( would | will | does | do ) {x:np+} ( come into view | become visible | appear ) <here>

        there:
        <is> there {x} [( somewhere | anywhere | visible )] [in {n:image}]

        hidden:
        <is> <my> view ( of | to ) {x:np+} ( blocked | obstructed | hidden )
        <is> {x:np+} <hidden> in {n:image}
        <is> {x:np+} <hidden> <here> [( by | behind ) {z:any}]
        ( would | will ) {x:np+} be <hidden> <here>
    """)
)


_LOOSE = Grammar(
    rules("""
        g := ( <aux> | <there> | still | also | right | one | i | able to | possible | to )
        in-view := ( visible | in view | in sight | seen | in frame | captured | in the picture )

        seen:
        <g>* {x:plain} <g>* <in-view> <g>*

        image:
        <g>* {x:plain} <g>* <in-view> <g>* ( in | from ) {n:image} <g>*
    """)
)


def _build(asked: Asked) -> Reading | None:
    thing = asked.name("x")
    options = answers.read(asked.options, answers.yes_no)
    if not thing or options is None or "z" in asked.match:
        return None
    if asked.note == "there" and asked.only_somewhere("x"):
        return None
    reference = asked.reference
    if (asked.note == "there" or asked.loose) and "n" not in asked.match and reference.kind == "none":
        return None
    if "n" in asked.match:
        number = asked.match.image("n")
        if number is None:
            return None
        facing = Facing(kind="same_as_image", image=number)
        reference = Reference(kind="image", image=number, facing=facing, quote=asked.match.quote("n"))
    comparison = Comparison(
        function=Function.VISIBILITY,
        entities=(thing,),
        form="yes_no",
        attribute="hidden" if asked.note == "hidden" else None,
        options=options,
    )
    return Reading(comparison, reference)


FAMILY = Family(
    "visibility",
    "whether a thing can be seen from a place",
    _GRAMMAR,
    _build,
    loose=_LOOSE,
    example="Can I see the door from image 2?",
    cues=("can i see", "visible", "hidden", "view", "sight"),
    takes=frozenset({"motions", "owner"}),
)
