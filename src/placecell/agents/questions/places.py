"""Clauses that say where to stand and which way to face: "from photo 2", "standing by A and facing B", "as the boy".

A place is an image's camera or an object. "With my back to X" faces away from it; an object's own perspective faces the
way it faces.
"""

from __future__ import annotations

from placecell.agents.questions.grammar import Grammar, Match, rules
from placecell.agents.questions.names import is_thing
from placecell.agents.questions.notation import words
from placecell.agents.questions.setup import Clauses, Setup
from placecell.language.decomposition import Facing, Reference

_AT_IMAGE = rules("""
    <cond> [( <standing> | looking | look | seen | viewed | viewing | view | starting | start | watching )] ( from |
        relative_to | in | at | on | for | using | given | with | considering | based on ) [( the | <my> )] [same]
        [<viewpoint>] [that_is] [<shown>] [( in | of | at | from | by )] {n:image} ['s] [<viewpoint>] [as ( <my> | the )
        ( <viewpoint> | reference | anchor )]
    <cond> [<standing>] ( at | in | on | from ) the <spot> ( and | , | with | while ) [<i>] [<am>] [( facing | face |
        looking | look | oriented | with )] [in | towards] the same ( direction | way | orientation ) as ( [is | was]
        [<shown>] [( in | by )] | the camera ( of | in ) | in ) {n:image}
    <cond> [<standing>] ( at | in | on | from ) ( the | that ) <spot> ( as | of | in | from | as in | <shown> in | as
        <shown> in ) {n:image} [<same-way>]
    ( starting | start | beginning ) ( at | from | with ) the <spot> and ( heading | orientation | direction ) of
        {n:image}
    <cond> [<standing>] [( at | from )] [the <spot>] ( where | from where | from which | at which ) {n:image} ( was |
        is ) ( taken | shot | captured | photographed ) [from] [<same-way>]
    <cond> [<standing>] [( at | from )] [the <spot>] ( where | from where | from which | at which ) <i> ( took | shot |
        was taking | was shooting | was in | had taken ) {n:image} [from] [<same-way>]
    <suppose> <i> [<am>] ( the camera | the photographer | the cameraman ) ( of | in | behind | for | taking )
        {n:image}
    <cond> ( took | take | shot | taking | shooting ) {n:image}
    {n:image}
    ( <suppose> | that | <i> | <am> | <standing> | be | being | take | adopt | back )* ( at | in | on | from | of | the
        | my | same | exact | <viewpoint> | <spot> | as | is | was | where | that | <shown> | photographer | took )*
        {n:image} ['s] ( <viewpoint> | <spot> | was | is | <shown> )* [<same-way>]
    looking at {n:image} | as ( seen | shown ) in {n:image} | judging from {n:image} | according to {n:image}
    <cond> [<standing>] ( from | in | at | where ) [the] [<viewpoint>] [<shown>] [( in | of | at )] {n:image} [was
        taken] [( and | , | but | while )] [<i>] [<am>] <facing> {f}
""")
_BY_OBJECT = rules("""
    by facing:
    <cond> <standing> <at> {p} [,] with {f} ( in_front_of <me> | ahead of <me> | straight ahead [of <me>] )
    <cond> ( <standing> | start | starting | begin | beginning ) [<at>] [the] [standing by] {p} [,] [( and | , | while
        )] [<i>] [<am>] [then] <facing> {f}
    <cond> <at> {p} [( and | , | while )] [<i>] [<am>] <facing> {f}
    <cond> [( <standing> | viewed | seen | looking )] from [the ( <viewpoint> | place | spot ) of] {p} ['s ( <viewpoint>
        | <spot> )] [( and | , | while )] [<i>] [<am>] <facing> {f}
    <cond> <facing> {f} ( from | while at | while <standing> <at> | while <standing> | , <standing> <at> | <standing>
        <at> ) {p}
    <cond> <standing> where {p} <is> [located] [( and | , )] <facing> {f}


    by facing away:
    <cond> [<standing>] <at> {p} [( and | , )] <facing-away> {f}
    <cond> [<standing>] from {p} [( and | , )] <facing-away> {f}
    <cond> [<standing>] with <my> back against {p}


    same way:
    <suppose> being {p} [<scene>]
    <cond> [<standing>] [( at | in )] [the <spot>] where {p} <is> [( located | standing | sitting | placed )]
        <same-way> [as ( it | that | that object | {same} )]
    <cond> [<standing>] <at> ( the <spot> ( of | as ) {p} | {p} ) <same-way> [as ( it | that | {same} )]
    <cond> [<standing>] <at> {p} 's <spot> <same-way>
    <suppose> [that] <i> ( <am> {p} | [<am>] in {p} 's ( place | position | shoes | spot | seat ) | [<am>] in the
        ( place | position | shoes ) of {p} ) [<scene>]
    ( <suppose> | put | place ) ( yourself | myself | ourselves ) ( as | being | to be | in the ( place | position |
        shoes ) of ) {p} [<scene>]
    ( <suppose> | put | place ) ( yourself | myself ) in {p} 's ( place | position | shoes | spot | seat ) [<scene>]
    as {p} [<scene>]
    [seen | looking] through ( {p} 's eyes | the eyes of {p} )


    by:
    <cond> <standing> <at> {p}
    [<suppose>] [that] <i> <am> <at> {p}
    <cond> <standing> where {p} <is> [located]
    from [the ( place | position | location | spot ) of] {p}


    facing:
    <cond> [<standing>] with {f} ( in_front_of <me> | ahead of <me> | straight ahead [of <me>] )
    <cond> <facing> {f}


    facing away:
    <cond> [<standing>] with {f} ( behind <me> | at <my> back )
    <cond> [<standing>] <facing-away> {f}
""")


_GAZE = frozenset(words("watching viewing facing looking admiring observing"))


def _towards(match: Match) -> Facing | None:
    name = match.phrase("f")
    return Facing(kind="towards_object", object=name, quote=match.quote("f")) if is_thing(name) else None


def _at_image(match: Match) -> Setup | None:
    number = match.image("n")
    following = match.text.norms[match.last : match.last + 1]
    if number is None or (match.last == match.first + 1 and following not in ((",",), (":",), (".",))):
        return None  # a bare "image 2" says where one stands only when it is set apart
    facing: Facing | None = Facing(kind="same_as_image", image=number, quote=match.quote())
    if "f" in match:
        facing = _towards(match)
    if facing is None:
        return None
    return Setup(Reference(kind="image", image=number, facing=facing, quote=match.quote()))


def _by(match: Match) -> Setup | None:
    place, kind = match.phrase("p"), match.note
    if kind in ("facing", "facing away"):
        facing = _towards(match)
        if facing is None:
            return None
        if kind == "facing away":
            facing = facing.model_copy(update={"kind": "away_from_object"})
        return Setup(Reference(facing=facing, quote=""))
    if not is_thing(place) or _GAZE.intersection(place.split()):
        return None
    facing = Facing()
    if kind == "by facing" or "f" in match:
        aimed = _towards(match)
        if aimed is None:
            return None
        facing = aimed
    if kind == "by facing away":
        facing = Facing(kind="away_from_object", object=match.phrase("f") or place, quote=match.quote())
    if kind == "same way":
        facing = Facing(kind="same_way_as_object", object=place, quote=match.quote())
    return Setup(Reference(kind="object", object=place, facing=facing, quote=match.quote()))


PLACES = (Clauses(Grammar(_AT_IMAGE), _at_image), Clauses(Grammar(_BY_OBJECT), _by))
"""Where to stand and which way to face."""
