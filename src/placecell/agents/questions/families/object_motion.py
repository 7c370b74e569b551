"""Which way something moves in a video: left, right, closer, uphill, forwards; or whether it does so; or what does.

Slots: the mover (also what a person moves), the ways to choose from, a landmark, the part of the video. Decomposes to
object_motion, entities=[mover], attribute=direction or turn, event for yes/no ("move towards") and for "what moves
left" (entities=options).
"""

from __future__ import annotations

from placecell.agents.questions import answers
from placecell.agents.questions.families.movers import (
    SENSES,
    TAKES,
    WAYS,
    is_camera,
    motion_options,
    motion_reading,
    mover,
)
from placecell.agents.questions.family import Asked, Family, Reading, Refusal, alternatives
from placecell.agents.questions.grammar import Grammar, rules
from placecell.language.decomposition import Comparison, Function

_GRAMMAR = Grammar(
    rules("""
        to := [( towards | to | in | into )]
        who := {m:np+} | <they:m>
        agent := {agent} | <they>
        lead := [{when:lead} ,]
        relative := [relative_to {l}]

        direction:
        <lead> [( in | to | towards )] <wh> [spatial] <dirway> <is> <who> [slightly] <ing> <to> [{when:when}]
        <lead> [( in | to | towards )] <wh> [spatial] <dirway> ( did | does | do | will | would ) <who> <verb> <to>
            [{when:when}]
        {m} <is> <ing> in <wh> <dirway>
        how <is> <who> <ing> <to> [{when:when}]
        [<tell>] <wh> <dirway> <who> ( <is> <ing> | moves | goes | travels | moved | went ) <to> [{when:when}]
        ( what <is> | <tell> ) the ( direction | motion direction ) of ( motion | movement | travel ) of {m}
            [{when:when}]
        ( what <is> | <tell> ) {m} 's direction of ( motion | movement | travel ) [{when:when}]

        direction:
        <lead> [( in | to | towards )] <wh> <dirway> <relative> ( did | does | do | will ) <agent> <handle> {m} <to>
            [{when:when}]
        <lead> [( in | to | towards )] <wh> <dirway> <is> <agent> <handling> {m} <to> [{when:when}]
        <lead> [( in | to | towards )] <wh> <dirway> <is> {m} [being] <handled> <to> [{when:when}]

        turn:
        <lead> [( in | to | towards )] <wh> <dirway> <is> <who> <turning> <to> [{when:when}]
        <lead> [( in | to | towards )] <wh> <dirway> ( did | does | do | will ) <who> <turns> <to> [{when:when}] [( ,
            | : ) {alts:any}]
        how did <who> <turns> [{when:when}]

        either:
        <is> <who> [slightly] ( <ing:v> | <approach-ing:v> | <turning:v> ) {alts:deed} [( {when:while} |
            {when:purpose} )]
        ( did | does | do | will ) <who> [ever] ( <verb:v> | <turns:v> ) {alts:deed} [( {when:while} | {when:purpose} )]
        ( did | does | do | has | have ) <who> [have to] ( <turns:v> ) {alts:deed} [( {when:while} | {when:purpose} )]
        ( did | does | is | has ) <agent> ( <handle:v> | <handling:v> ) {m} {alts:deed} [( {when:while} |
            {when:purpose} )]
        <is> <who> ( coming | getting | moving ) ( closer | nearer )

        which:
        <wh> ( <one> | {kind} ) [<scene>] <is> ( <ing:v> | <approach-ing:v> | <turning:v> ) {way:any}
    """)
)
_OWN = frozenset({"forward", "backward"})


def _build(asked: Asked) -> Reading | Refusal | None:
    if asked.note == "which":
        return _which(asked)
    name = mover(asked)
    if name is None or is_camera(name):
        return None
    if asked.note != "either" and "alts" in asked.match and not alternatives(asked.match.quote("alts"), answers.motion):
        return None
    if asked.note == "either":
        return _either(asked, name)
    options = motion_options(asked.options) if asked.options else ()
    if options is None:
        return Refusal("the options are not ways of moving")
    known = {o.answer for o in options if o.answer in WAYS}
    if known and known <= SENSES:
        return None
    own = known & _OWN and not known - _OWN
    fields = {"frame": "object"} if own and asked.setup.frame != "camera" else {}
    if "l" in asked.match:
        fields["relative_to"] = asked.name("l")
    return motion_reading(asked, Function.OBJECT_MOTION, name, attribute=asked.note, options=options, **fields)


def _either(asked: Asked, name: str) -> Reading | Refusal | None:
    """ "left or right" is a choice, "towards the camera" alone is a yes/no question."""
    words = f"{asked.match.quote('v')} {asked.match.quote('alts')}".strip()
    words, landmark = answers.cut_landmark(words)
    turning = asked.match.canon("v") in ("turning", "turn", "turns", "turned", "veering", "swerving", "steering")
    attribute = "turn" if turning else "direction"
    fields = {"relative_to": landmark} if landmark else {}
    named = alternatives(words, answers.motion)
    if named is not None:
        meanings = {o.answer for o in named}
        if meanings <= SENSES:
            return None
        if not meanings <= WAYS:
            return None
        options = motion_options(asked.options) if asked.options else named
        if options is None:
            return Refusal("the options are not ways of moving")
        if meanings <= _OWN and asked.setup.frame != "camera":
            fields["frame"] = "object"
        return motion_reading(asked, Function.OBJECT_MOTION, name, attribute=attribute, options=options, **fields)
    way = answers.motion(words)
    if way not in WAYS or way in SENSES:
        return None
    options = answers.read(asked.options, lambda text: answers.yes_no(text) or answers.motion(text), all_of_them=False)
    if asked.options and (options is None or not {o.answer for o in options} & ({"yes", "no"} | WAYS)):
        return None
    event = f"{'turn' if turning else 'move'} {way}"
    form = "yes_no" if not options or {o.answer for o in options} & {"yes", "no"} else "choice"
    return motion_reading(
        asked,
        Function.OBJECT_MOTION,
        name,
        attribute=attribute,
        options=options or (),
        form=form,
        event=event,
        **fields,
    )


def _which(asked: Asked) -> Reading | None:
    """What moves a given way: one of the options."""
    words, landmark = answers.cut_landmark(f"{asked.match.quote('v')} {asked.match.quote('way')}")
    way = answers.motion(words)
    offered = answers.things(asked.options)
    if way not in WAYS or not offered:
        return None
    entities = tuple(o.entity for o in offered if o.entity)
    comparison = Comparison(
        function=Function.OBJECT_MOTION,
        entities=entities,
        relative_to=landmark or asked.setup.landmark,
        frame="object" if asked.setup.frame == "own" else "camera",
        form="choice",
        attribute="which",
        event=f"{'turn' if asked.match.canon('v') in ('turning', 'veering') else 'move'} {way}",
        options=offered,
        during=asked.setup.during or "whole",
    )
    return Reading(comparison)


FAMILY = Family(
    "object motion",
    "which way something moves or turns in a video",
    _GRAMMAR,
    _build,
    example="Which way is the car moving?",
    cues=("moving", "move", "direction", "turning", "driving", "walking", "towards", "coming", "way"),
    takes=TAKES,
)
