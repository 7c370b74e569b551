"""Clauses that say whose left and right is meant, relative to what, between which images, in which part of a video.

Also words that set nothing ("in the scene") and notes that define the answer words ("quadrants", "turn at least 135").
"""

from __future__ import annotations

from placecell.agents.questions.grammar import Grammar, Match, rules
from placecell.agents.questions.names import is_thing
from placecell.agents.questions.setup import Clauses, Setup

_LINES = rules("""
    own:
    ( from | in | judging from ) ( its | their | his | her | the ) own <viewpoint>
    ( from | in ) ( its | their | his | her ) ( perspective | perspectives | viewpoint )

    camera:
    ( from | in | according to | with respect to ) [the] camera ['s] ( <viewpoint> | perspectives | frame |
        coordinates | point )
    from the ( <viewpoint> | side ) of the camera
    ( as seen | seen | viewed | as viewed ) ( by | from ) the ( camera | viewer )
    ( from | in ) the camera [frame]
    ( taking | with | considering | using | treating | regarding | assuming | if | when | given ) the camera ['s] [(
        lens | viewpoint | perspective | view | direction )] ( as | is | to be | being | defines | counts as ) [the]
        front
    relative_to the camera [frame]

    viewer:
    relative_to <me>
    from <my> ( own | current ) <viewpoint>
    from <my> <viewpoint>
    [seen] from where <i> ( stand | am | am standing | was | was standing | sit | am sitting )

    world:
    ( in | using ) ( world | global ) ( coordinates | space )
    ( in | using ) the ( world | global ) ( frame | coordinates | coordinate system )
    [as] seen from where the ( video | camera ) ( starts | begins | started | began )

    owner:
    [as seen] from {o} 's [own] <viewpoint>
    [as seen] from {o} ( perspective | viewpoint )
    [as seen] from the <viewpoint> of {o}
    [as seen] by {o}

    landmark:
    relative_to <him:l>
    relative_to {l}
    relative_to {l} 's ( position | location | place )

    first half:
    ( at | in | near ) the ( start | beginning ) [of the ( video | clip | footage | recording )]
    ( at first | initially | ( in | during ) the first half [of the ( video | clip )] | early on )

    last half:
    ( at | in | by | towards | near ) the [very] end [of the ( video | clip | footage | recording )]
    ( finally | ( in | during ) the ( second | last | latter ) half [of the ( video | clip )] )

    whole:
    ( throughout | during | over | across ) the [( whole | entire | full )] ( video | clip | footage | recording )

    images:
    [( in | when | while | by | as )] [<i>] [( am | was | are | were | have )] [( going | went | moving | moved |
        walking | walked | getting | got | travelling | stepping )] from <image-place> {m:image} [was taken] to
        <image-place> {n:image} [was taken]
    to ( get | go | move ) from <image-place> {m:image} to <image-place> {n:image}
    {m:image} to {n:image}
    from <image-place> {m:image} [( in order )] to ( reach | get to | arrive at ) <image-place> {n:image}
    ( after | from ) ( taking | shooting ) {m:image} [,] <i> moved and took {n:image}
    between {m:image} and {n:image}
    [<i>] [( was | am | stood | started )] ( at | from ) <image-place> {m:image} [( , | and )] [and] [then] ( went |
        walked | moved | go | walk | move ) to <image-place> {n:image}
    [if] [<i>] ( comparing | compare | compared ) {m:image} ( and | with | to ) {n:image}
    [( after | when )] <i> took {m:image} [first] [( , | and )] [and] ( then | later | after that | afterwards ) [<i>
        took] {n:image}
    {n:image} ( was | is ) ( taken | shot ) [( right | shortly | some time )] after {m:image}
    {m:image} ( was | is ) ( taken | shot ) [( right | shortly | some time )] before {n:image}
    {n:image} ( comes | came | follows | followed ) [( right | shortly )] [after] {m:image}

    filler:
    <scene>
    from floor to ceiling
    in this particular video
    based on <scene>
""")


def _frame(match: Match) -> Setup | None:
    kind = match.note
    if kind in ("own", "camera", "viewer", "world"):
        return Setup(frame=kind)  # type: ignore[arg-type]
    if kind == "owner":
        owner = match.phrase("o")
        if owner in ("camera", "camera's", "viewer"):
            return Setup(frame="camera")
        return Setup(owner=owner) if is_thing(owner) else None
    if kind == "landmark":
        landmark = match.phrase("l")
        return Setup(landmark=landmark) if is_thing(landmark) or landmark in ("him", "her", "them") else None
    if kind == "images":
        first, second = match.image("m"), match.image("n")
        return Setup(images=(first, second)) if first and second and first != second else None
    if kind in ("first half", "last half", "whole"):
        return Setup(during=kind.replace(" ", "_"))  # type: ignore[arg-type]
    return Setup()


FRAMES = (Clauses(Grammar(_LINES), _frame),)
"""Whose view, relative to what, when."""
