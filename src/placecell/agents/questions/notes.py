"""Whole sentences around a question: definitions, instructions for the answer, and facts stated about the photos.

A note is read or the question is not understood: an unknown sentence may change what is asked.
"""

from __future__ import annotations

from placecell.agents.questions.grammar import Grammar, Match, rules
from placecell.agents.questions.names import is_thing
from placecell.agents.questions.setup import Clauses, Setup
from placecell.agents.questions.units import amount
from placecell.language.decomposition import CameraFact

_LINES = rules("""
    photos := images | photos | pictures | views | frames | photographs | shots
    photo := image | photo | picture | view | frame | photograph | shot | one
    many := [( the | these | those | all | all the | here are | there are )] [{k:number}] <photos>
        [-lrb- {w:any} -rrb-]

    quadrants:
    [note [that]] the directions [here] ( refer to | are | mean | correspond to | follow ) the [four] quadrants of a
        [cartesian] ( plane | coordinate system ) [-lrb- {x:any} -rrb-]
    [note [that]] ( front-left , front-right , back-left [,] and back-right ) ( are | mean ) [the] quadrants

    back from 135:
    [note [that]] ( an object | something | a thing ) is ( to <my> | in | at <my> | behind | to the ) ( back | rear |
        me | you ) if <i> ( would | will ) ( have to | need to ) turn [by] ( at least | more than | over ) 135 degrees
        [in order] to face it
    [note [that]] back means [a turn of] ( at least | more than ) 135 degrees

    senses:
    the camera ( circles | orbits | circled | orbited | goes around | moves around | moved around | travels around )
        {o} ( clockwise -lrb- {cw} -rrb- or counterclockwise -lrb- {ccw} -rrb- | counterclockwise -lrb- {ccw} -rrb- or
        clockwise -lrb- {cw} -rrb- )
    the camera ( is | was ) [either] ( moving | circling | rotating | going | orbiting | travelling ) ( clockwise
        -lrb- {cw} -rrb- or counterclockwise -lrb- {ccw} -rrb- | counterclockwise -lrb- {ccw} -rrb- or clockwise -lrb-
        {cw} -rrb- ) [around {o}]

    same spot:
    <many> [( are | were | all )] [( all | each )] [( taken | shot | captured )] from ( one | the same | a single |
        the very same ) [standing] ( point | spot | place | position | location | standpoint )
    ( all | every | each ) [of the] ( <photos> | <photo> ) ( are | were | is | was | share ) [( taken | shot |
        captured )] [from] ( one | the same | a single ) [standing] ( point | spot | place | position | location |
        standpoint )
    the camera ( stays | stayed | stands | remains | did not move | does not move ) [( on | at | in )] [( the | one )]
        [same] [( spot | place | position )] [throughout]

    each turned:
    ( each | every ) [( next | following | later | further | successive )] <photo> ( is | was | looks | is taken | was
        taken | points ) [( rotated | turned | after turning | after a turn of | facing )] [by] {d:number} degrees
        [farther] [( to the | in a )] <turn-sense:way> [direction] [( from | than | of | to | relative_to | after )
        [the] ( previous | last | preceding | one before | {x} ) [<photo>] [before it]]
    ( each | every ) [( next | following | later )] <photo> ( is | was | looks ) [( rotated | turned )] [farther]
        <turn-sense:way> [by] {d:number} degrees [( from | than | of | relative_to ) [the] ( previous | last |
        preceding | one before ) [<photo>]]
    between ( consecutive | successive | one <photo> and the next ) [<photos>] [,] ( the camera | i | you ) ( turns |
        turned | turn | rotates | rotated ) [by] {d:number} degrees [to the] <turn-sense:way>
    ( the camera | i | you ) ( turns | turned | turn | rotates | rotated ) [by] {d:number} degrees [to the]
        <turn-sense:way> ( between | from ) ( each | one | consecutive | successive ) <photo> ( and | to ) the next
    [with] the camera ( turning | rotating | turned | rotated ) [by] {d:number} degrees [to the] <turn-sense:way> [(
        between | for | each time | after each | from each )] [{x:any}]

    one turned:
    {n:image} ( is | was | looks | is taken | was taken ) [( rotated | turned | taken after turning | after turning )]
        [by] {d:number} degrees [farther] [to the] <turn-sense:way> ( from | of | than | relative_to ) {m:image}
    {n:image} ( is | was ) [taken] ( after | by ) ( turning | rotating | a turn of ) [by] {d:number} degrees [to the]
        <turn-sense:way> ( from | of | at | relative_to ) {m:image}
    ( from | after ) {m:image} [,] [( i | you | the camera )] ( turned | turn | rotated | turns ) {d:number} degrees
        [to the] <turn-sense:way> ( for | to get | to take | to reach ) {n:image}

    faces:
    {n:image} ( was taken facing | is taken facing | faces | looks at | looks towards | is facing | points at | was
        taken looking at | was taken while facing | points towards ) {o}
    in {n:image} ( i | you | the camera ) ( face | faces | faced | am facing | are facing | is facing | look at |
        looks at | looked at ) {o}

    sides:
    [based on] <many> [( are | that )] ( show | showing | of | shows | depict | depicting ) {o} from ( {q:number} |
        different | several ) ( viewpoints | sides | angles | directions | perspectives ) [( -lrb- | : | , )]
        {s:sidelist} [-rrb-] [, ( with | each | where ) {x:clause}]

    nothing:
    ( measuring | measured | counting | as measured | calculated | when measuring ) ( from | between | by | using )
        the ( closest | nearest ) ( point | points ) [( of | on | between ) ( each | the | both | the two ) [( object |
        objects )]]
    if ( multiple | several | more than one ) ( rooms | room ) ( are | is ) ( shown | visible | seen ) [,] ( estimate
        | give | report | use | take ) the ( size | area ) of the ( combined | total | whole ) ( space | area | size )
    [( please | and )] answer ( the question | with | using | by | in ) {x:rest}
    ( select | choose | pick ) ( from | one of | the | one | an | your | among ) {x:rest}
    ( give | write | output | reply with ) ( only | just ) {x:rest}
    ( these | the following | those | here ) are [the] [( first and last | two | several )] frames ( of | from )
        {x:rest}
    [based on] <many> [( are | that | which )] ( show | shows | showing | depict | depicting | of | capture |
        capturing | cover ) ( the same | one | a single | a ) [static] ( scene | room | place | set of objects | spot
        | area ) [from {x:any}]
    [( based on | given | using | from | with | look at | consider )] <many> [of {x}] [from {y:any}]
    ( [the] {k:number} | the | these | two ) ( frames | images | photos | pictures ) [-lrb- {w:any} -rrb-] ( of | from
        | are frames from | are from | come from | are taken from ) [a | the] video [of {x}]
    the video is ( shooting | filming | showing | recording ) {x}
    {n:image} is from the ( beginning | start ) of the video and {m:image} is from the end
    {n:image} is ( the first | the start | first ) and {m:image} [is] ( the last | the end | last )
""")


def _note(match: Match) -> Setup | None:
    kind, quote = match.note, match.quote()
    if kind in ("quadrants", "back from 135"):
        return Setup(sectors=kind.replace(" ", "_"))
    if kind == "senses":
        words = ((match.phrase("cw"), "clockwise"), (match.phrase("ccw"), "counterclockwise"))
        return Setup(senses=words)
    if kind == "same spot":
        return Setup(given=(CameraFact(kind="same_spot", quote=quote),))
    if kind in ("each turned", "one turned"):
        degrees = amount(match.canon("d"))
        if degrees is None or degrees > 360:
            return None
        signed = degrees if match.canon("way") in ("clockwise", "right") else -degrees
        image, other = match.image("n"), match.image("m")
        return Setup(given=(CameraFact(kind="turned", degrees=signed, image=image, other=other, quote=quote),))
    if kind == "faces":
        thing = match.phrase("o")
        fact = CameraFact(kind="faces", image=match.image("n"), object=thing, quote=quote)
        return Setup(given=(fact,)) if is_thing(thing) else None
    if kind == "sides":
        return _from_sides(match)
    return Setup()


def _from_sides(match: Match) -> Setup | None:
    """ "images 1 to 4 show X from different sides: front, left, back, right", in the order of the images."""
    sides = [word for word in match.canon("s").replace(",", " ").split() if word != "and"]
    if not sides or any(side not in ("front", "left", "back", "right") for side in sides):
        return None
    thing = match.phrase("o")
    return Setup(
        given=tuple(
            CameraFact(kind="from_side", image=n, side=side, object=thing, quote=match.quote())  # type: ignore[arg-type]
            for n, side in enumerate(sides, start=1)
        )
    )


NOTES = (Clauses(Grammar(_LINES), _note),)
"""Sentences around the question."""
