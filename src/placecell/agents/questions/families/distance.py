"""How far apart two things are, or two photos, or a thing and the place where I stand.

Slots: the two things (or images), the unit. Distances are between closest points. Decomposes to distance,
entities=[a, b], or entities=[a] from the reference, or images=(m, n).
"""

from __future__ import annotations

from placecell.agents.questions.family import Asked, Family, Reading, Refusal
from placecell.agents.questions.grammar import Grammar, rules
from placecell.language.decomposition import Function

_GRAMMAR = Grammar(
    rules("""
        pair:
        ( what <is> | <tell> | what ) [the] <distance> ( between | separates | separating | that separates )
            {pair:list}
        how ( far | distant ) [apart | away] <is> {pair:list} [( from each other | from one another | apart )]
        how far ( apart | away ) [from each other] {pair:list} <is>
        how far {pair:list} <is> ( apart | from each other )
        how many <length-unit:unit> ( apart <is> | lie between | separate | <is> there between | are between )
            {pair:list} [at their ( closest | nearest ) ( point | points )]
        how many <length-unit:unit> <is> {pair:list} ( apart | away from each other | from each other )
        how much ( distance | space | room ) <is> there between {pair:list}
        how ( wide | big | large | long ) <is> the ( gap | distance | space | separation ) between {pair:list}
        how close <is> {pair:list} [to each other]
        between {pair:list} [,] what <is> the <distance>
        <distance> between {pair:list}

        two:
        ( what <is> | <tell> ) the <distance> ( from | of ) {a} ( to | from ) {b}
        how far ( [away] <is> {a} [away] from | {a} <is> [away] from | <is> it from {a} to | from {a} <is> ) {b}
        how far <is> {a} to {b}
        how far ( would | will | could ) {a} be [away] from {b}
        how many <length-unit:unit> ( [away] <is> {a} [away] from | <is> it from {a} to ) {b}
        how close <is> {a} to {b}
        from {a} to {b} [,] ( how far [is it] | what <is> the <distance> )
        <distance> from {a} to {b}

        from me:
        how ( far | distant ) [away] [from me] <is> {a} [away] [from <me>]
        how far ( [away] from {a} <am> <i> | <am> <i> [away] from {a} )
        how close ( <am> <i> to {a} | <is> {a} [to <me>] )
        ( what <is> | <tell> ) ( the | my ) <distance> ( to | of | from ) {a} [from <me>]
        ( what <is> | <tell> ) the <distance> ( between <me> and {a} | from <me> to {a} | between {a} and <me> )
        how many <length-unit:unit> ( away <is> {a} [from <me>] | <is> {a} ( away | from ) [from <me>] [<me>] | [away]
            <am> <i> from {a} )
        how far ( {a} <is> [away] [from <me>] | away {a} <is> )

        images:
        how far apart ( <is> | were ) {m:image} and {n:image} [taken]
        ( what <is> | <tell> ) the <distance> between [the cameras of] {m:image} and {n:image}
        how far [away] <is> {m:image} from {n:image}
        how ( far | many <length-unit:unit> ) did ( i | you | we | the camera ) ( move | walk | go | travel ) ( from |
            between ) {m:image} ( to | and ) {n:image}
        ( from {m:image} to {n:image} | between {m:image} and {n:image} ) [,] how ( far | many <length-unit:unit> )
            did ( i | you | the camera ) ( move | walk | go | travel )
    """)
)


def _build(asked: Asked) -> Reading | Refusal | None:
    if asked.note == "images":
        numbers = (asked.match.image("m"), asked.match.image("n"))
        return asked.measured(Function.DISTANCE, images=numbers) if all(numbers) else None
    if asked.note == "pair":
        pair = asked.names("pair", expected=2)
        if pair is None:
            return Refusal(
                "it is not clear which two things are meant; name each with its article, or quote known names"
            )
    else:
        pair = tuple(asked.name(slot) for slot in ("a", "b") if slot in asked.match)
    if not all(pair):
        return None
    return asked.measured(Function.DISTANCE, entities=pair)


FAMILY = Family(
    "distance",
    "how far apart two things are, or how far one is from where I stand",
    _GRAMMAR,
    _build,
    cues=("far", "distance", "apart", "gap", "away", "between"),
    takes=frozenset({"motions", "owner"}),
)
