"""Clauses that state a turn or a step: "then turn 90 degrees to the left", "walk two metres forward", "turn around".

Only what is stated: "do I turn left or right to face it" asks, and is left to the families.
"""

from __future__ import annotations

from placecell.agents.questions.grammar import Grammar, Match, rules
from placecell.agents.questions.lexicon import CLASSES
from placecell.agents.questions.setup import Clauses, Setup
from placecell.agents.questions.units import amount, unit_of
from placecell.language.decomposition import Motion

_LINES = rules("""
    turn:
    <so> <turn> [( to | towards )] [( the | <my> )] <lr:dir> [hand] [side] [( again | once | <twice:twice> )]
    [then] [to] [( the | <my> )] <lr:dir> again
    <so> <turn> [( by | through )] {d:number} degrees [( to | towards )] [( the | <my> )] <lr:dir>
    <so> <turn> [( to | towards )] [( the | <my> )] <lr:dir> [( by | through | for )] [an angle of] {d:number} degrees
    <so> <make> a [( sharp | quick | full )] <lr:dir> turn [( by | of | through ) {d:number} degrees]
    <so> <make> a {d:number} degrees <lr:dir> turn
    <so> <make> a [{d:number} degrees] turn [( by | of ) {d:number} degrees] ( to | towards ) [( the | <my> )]
        <lr:dir> [( by | of ) {d:number} degrees]
    <so> <turn> [( by | through )] {d:number} degrees [in a] <sense:dir> [direction]
    <so> <turn> <sense:dir> [( by | through | for )] {d:number} degrees
    <so> <make> a quarter turn ( [( to | towards )] [( the | <my> )] <lr:dir> | <sense:dir> )
    <so> <turn> a quarter turn ( [( to | towards )] [( the | <my> )] <lr:dir> | <sense:dir> )

    [then] [( after | following | with )] a [( sharp | quick )] <lr:dir> turn [( by | of ) {d:number} degrees]
    [then] [( after | following | with )] a {d:number} degrees <lr:dir> turn
    [then] [( after | following | with )] a quarter turn ( [( to | towards )] [( the | <my> )] <lr:dir> | <sense:dir> )
    [then] [( after | following | with )] a [{d:number} degrees] turn ( to | towards ) [( the | <my> )] <lr:dir>
        [( by | of ) {d:number} degrees]

    back:
    <so> <turn> [( completely | all the way | fully )] ( around | round | about | back [around] )
    <so> <turn> [( by | through )] 180 degrees [( around | about | back | the other way | clockwise | counterclockwise
        )]
    <so> <turn> [to face] [in] the ( other | opposite ) ( way | direction )
    <so> <turn> ( half a turn | a half turn | half way around | to look behind <me> | behind <me> | to the back |
        towards the back )
    <so> <make> ( a u-turn | a u turn | an about-face | an about face | a 180 | a 180 degrees turn | a half turn | a
        full turnaround | a turn of 180 degrees )

    tilt:
    <so> ( <turn> | tilt | tilting | raise my eyes | pitch ) [the camera] <ud:dir> [( by ) {d:number} degrees]

    step:
    <so> <retreat:dir> [( a ( bit | little | step ) | slightly )] [(
        by | for )] [{n:number} <length-unit:unit>]
    <so> <step> [( straight | directly )] <step-way:dir> [( a ( bit | little | few steps | short distance | step ) |
        some distance | slightly )] [( by | for )] [{n:number} <length-unit:unit>]
    <so> <step> [( by | for )] {n:number} <length-unit:unit> [( to | towards )] [( the | <my> )] <step-way:dir>
    <so> <step> [( to | towards )] ( the | <my> ) <lr:dir> [( by | for )] [{n:number} <length-unit:unit>]
    <so> <step> [( by | for )] {n:number} <length-unit:unit>
    <so> <make> ( a | one | {n:number} ) ( step | steps | pace | paces ) [( to | towards )] [( the | <my> )]
        <step-way:dir>
    [( after | with )] ( a | one | {n:number} ) ( step | steps | pace | paces ) [( to | towards )] [( the | <my> )]
        <step-way:dir>
    <so> <step> <step-way:dir> [( by | for )] {n:number} ( step | steps | pace | paces )
    <so> <step> {n:number} ( step | steps | pace | paces ) [( to | towards )] [( the | <my> )] [<step-way:dir>]
    <so> ( sidestep | sidestepping | side-step | strafe | strafing ) [to] [the] <lr:dir>
""")
_STEP_WAYS = {
    "left": "left", "right": "right", "up": "up", "down": "down", "upward": "up", "downward": "down",
    "backward": "backward", "back": "backward", "rearward": "backward", "in reverse": "backward",
    **dict.fromkeys(CLASSES["retreat"].split(" | "), "backward"),
}  # fmt: skip


def _motion(match: Match) -> Setup | None:
    quote, way = match.quote(), match.canon("dir")
    if match.note == "back":
        return Setup(motions=(Motion(kind="turn", direction="back", quote=quote),))
    if match.note == "step":
        direction = _STEP_WAYS.get(way, "forward")
        number = amount(match.canon("n")) if "n" in match else None
        unit = unit_of(match.canon("unit")) if "unit" in match else ("steps" if number else None)
        if "n" in match and not number:
            return None
        return Setup(motions=(Motion(kind="step", direction=direction, distance=number, unit=unit, quote=quote),))  # type: ignore[arg-type]
    degrees = amount(match.canon("d")) if "d" in match else None
    if match.note == "tilt":
        way = "up" if way.startswith("up") else "down"
    else:
        way = {"clockwise": "right", "counterclockwise": "left"}.get(way, way.removesuffix("-hand"))
    if "d" in match and not (degrees and 0 < degrees <= 360):
        return None
    if degrees == 180 and match.note == "turn":
        return Setup(motions=(Motion(kind="turn", direction="back", quote=quote),))
    turn = Motion(kind="turn", direction=way, degrees=degrees, quote=quote)  # type: ignore[arg-type]
    return Setup(motions=(turn, turn) if "twice" in match else (turn,))


MOTIONS = (Clauses(Grammar(_LINES), _motion),)
"""Stated turns and steps."""
