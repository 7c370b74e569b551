"""How far apart two things are, or two photos, or a thing and the place where I stand.

Slots: the two things (or images), the unit. Distances are between closest points. Decomposes to distance,
entities=[a, b], or entities=[a] from the reference, or images=(m, n).
"""

from __future__ import annotations

from dataclasses import replace

from placecell.agents.questions.family import Asked, Family, Reading, Refusal
from placecell.agents.questions.grammar import Grammar, rules
from placecell.language.decomposition import Facing, Function, Reference

_GRAMMAR = Grammar(
    rules("""
        who := ( i | you | we | the camera | the photographer )
        pair:
        ( <ask> | what ) [the] <distance> ( between | separates | separating | that separates | from each other of )
            {pair:list}
        {pair:list} ( , | : ) ( how far apart <is> they | how far [away] <is> they from each other | what <is> the
            <distance> [between them] )
        how much ( distance | space | room | gap ) separates {pair:list}
        how ( far | distant ) [apart | away] <is> {pair:list} [( from each other | from one another | apart )]
        how far ( apart | away ) [from each other] {pair:list} <is>
        how far {pair:list} <is> ( apart | from each other )
        how many <length-unit:unit> ( apart <is> | lie between | separate | <is> there between | are between )
            {pair:list} [at their ( closest | nearest ) ( point | points )]
        how many <length-unit:unit> <is> {pair:list} ( apart | away from each other | from each other )
        how much ( distance | space | room | gap | of a gap ) <is> [there] between {pair:list}
        how ( wide | big | large | long ) <is> the ( gap | distance | space | separation ) between {pair:list}
        how close <is> {pair:list} [to each other]
        between {pair:list} [,] what <is> the <distance>
        <distance> between {pair:list}

        two:
        <ask> <distance> ( from | of ) {a} ( to | from ) {b}
        [what] <distance> ( separates | <is> there from ) {a} ( from | to ) {b}
        <distance> {a} ( to | from ) {b}
        how much <distance> <is> [there] from {a} to {b}
        how ( far | distant ) ( [( away | off )] <is> {a} [( away | off )] from | [( away | off )] {a} <is> [( away |
            off )] from | <is> it from {a} to | it <is> from {a} to | from {a} <is> ) {b}
        how far <is> {a} to {b}
        how far_from {a} <is> {b}
        how far ( would | will | could ) {a} be [away] from {b}
        how many ( <length-unit:unit> | <steps:unit> ) ( [away] <is> {a} [away] from | <is> ( it | there ) from {a} to |
            from {a} to ) {b}
        how close <is> {a} to {b}
        from {a} to {b} [,] ( how far [is it] | what <is> the <distance> )
        <distance> from {a} to {b}

        from me:
        how far_from {a} <am> <i>
        how ( far | distant ) [( away | off )] [from me] <is> {a} [( away | off )] [from <me>]
        how far ( [away] from {a} <am> <i> | <am> <i> [away] from {a} )
        how close ( <am> <i> to {a} | <is> {a} [to <me>] )
        how ( far | many <length-unit:unit> ) ( <is> it | it <is> ) to {a} [from <me>]
        <ask> <distance> ( from | between ) <image-place> {n:image} ( to | and ) {a}
        <ask> <distance> ( from | between ) {a} ( to | and ) <image-place> {n:image}
        how far <is> {a} from <image-place> {n:image}
        <ask> [<my>] <distance> ( to | of | from ) {a} [from <me>]
        <ask> <distance> ( between <me> and {a} | from <me> to {a} | between {a} and <me> | from {a} to <me> )
        how many ( <length-unit:unit> | <steps:unit> ) ( [away] <is> there between <me> and {a} | away <is> {a} [from
            <me>] | <is> {a} ( away | from ) [from <me>] [<me>] | [away] <am> <i> from {a} )
        how far ( {a} <is> [away] [from <me>] | away {a} <is> )

        images:
        how far apart ( <is> | were ) {m:image} and {n:image} [taken]
        <ask> <distance> ( between | from ) [( [the] [two] cameras ( of | in ) | where <i> took | the cameras in )]
            {m:image} ( and | to ) {n:image}
        ( how far | how many <length-unit:unit> | what distance | how much distance ) ( did | have | had ) <who> ( move
            | walk | go | travel | cover | moved | walked | gone | travelled | shift | step ) [( forward | in total | in
            all )]
        how far <is> it from {m:image} to {n:image}
        how far [away] <is> {m:image} from {n:image}
        how ( far | many <length-unit:unit> ) did <who> ( move | walk | go | travel ) ( from |
            between ) {m:image} ( to | and ) {n:image}
        ( from {m:image} to {n:image} | between {m:image} and {n:image} ) [,] how ( far | many <length-unit:unit> )
            did <who> ( move | walk | go | travel )
    """)
)


_LOOSE = Grammar(
    rules("""
        cue := ( how ( far | close | distant ) | distance | clearance | gap | spacing | separation | how many
            <length-unit:unit> )
        g := ( <being> | does | do | <there> | from | to | and | between | apart | away | off | of | each other | one
            another | by | at | in | with | lie | lies | stand | stands | located | placed | separated | separate |
            separates | say | estimate )
        me := ( <g> | <me> | i | am | from | camera )

        two:
        <asks>* <cue> <g>* {a:plain} ( from | to | and | , | <being> ) <g>* {b:plain} <g>*
        {a:plain} ( and | to | from | , ) {b:plain} [( , | : )] <g>* <cue> [<g>] [<g>]

        from me:
        <asks>* <cue> <me>* {a:plain} <me>*
    """)
)


def _build(asked: Asked) -> Reading | Refusal | None:
    if asked.note == "images":
        first, second = asked.setup.images or (asked.match.image("m"), asked.match.image("n"))
        return asked.measured(Function.DISTANCE, images=(first, second)) if first and second else None
    if asked.note in ("pair", "two") and asked.reference.kind == "object":
        return None  # a third thing that the distance is not measured to
    if asked.note == "pair":
        pair = asked.names("pair", expected=2)
        if pair is None:
            return Refusal(
                "it is not clear which two things are meant; name each with its article, or quote known names"
            )
    else:
        pair = tuple(asked.name(slot) for slot in ("a", "b") if slot in asked.match)
    if any(name.endswith((" left", " right")) for name in pair):
        return Refusal("which one is on which side would have to be judged; name each thing by what it is")
    if not all(pair) or (asked.loose and len(pair) == 1 and asked.reference.kind == "none"):
        return None
    if asked.note == "from me" and "n" in asked.match:
        number = asked.match.image("n")
        if number is None or asked.setup.reference.kind != "none" or asked.setup.motions:
            return None
        found = asked.measured(Function.DISTANCE, entities=pair)
        facing = Facing(kind="same_as_image", image=number)
        return found and replace(found, reference=Reference(kind="image", image=number, facing=facing))
    return asked.measured(Function.DISTANCE, entities=pair)


FAMILY = Family(
    "distance",
    "how far apart two things are, or how far one is from where I stand",
    _GRAMMAR,
    _build,
    example="How far is the sofa from the door?",
    cues=("far", "distance", "apart", "gap", "away", "between"),
    takes=frozenset({"motions", "owner", "images"}),
    loose=_LOOSE,
)
