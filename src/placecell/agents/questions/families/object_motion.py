"""Which way something moves in a video: left, right, closer, uphill, forwards; or whether it does so; or what does.

Slots: the mover (also what a person moves), the ways to choose from, a landmark, the part of the video. Decomposes to
object_motion, entities=[mover], attribute=direction or turn, event for yes/no ("move towards") and for "what moves left"
(entities=options).
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

_TO = "[( towards | to | in | into )]"
_WHO = "( {m:np+} | <they:m> )"
_AGENT = "( {agent} | <they> )"
_LEAD = "[{when:lead} ,]"
_RELATIVE = "[relative_to {l}]"
_GRAMMAR = Grammar(
    (
        *rules(
            f"{_LEAD} [( in | to | towards )] <wh> [spatial] <dirway> <is> {_WHO} [slightly] <ing> {_TO} [{{when:when}}]",
            f"{_LEAD} [( in | to | towards )] <wh> [spatial] <dirway> ( did | does | do | will | would ) {_WHO} <verb> {_TO} [{{when:when}}]",
            f"{{m}} <is> <ing> in <wh> <dirway>",
            f"how <is> {_WHO} <ing> {_TO} [{{when:when}}]",
            f"<tell> <wh> <dirway> {_WHO} ( <is> <ing> | moves | goes | travels | moved | went ) {_TO} [{{when:when}}]",
            f"( what <is> | <tell> ) the ( direction | motion direction ) of ( motion | movement | travel ) of {{m}} [{{when:when}}]",
            f"( what <is> | <tell> ) {{m}} 's direction of ( motion | movement | travel ) [{{when:when}}]",
            note="direction",
        ),
        *rules(
            f"{_LEAD} [( in | to | towards )] <wh> <dirway> {_RELATIVE} ( did | does | do | will ) {_AGENT} <handle> {{m}} {_TO} [{{when:when}}]",
            f"{_LEAD} [( in | to | towards )] <wh> <dirway> <is> {_AGENT} <handling> {{m}} {_TO} [{{when:when}}]",
            f"{_LEAD} [( in | to | towards )] <wh> <dirway> <is> {{m}} [being] <handled> {_TO} [{{when:when}}]",
            note="direction",
        ),
        *rules(
            f"{_LEAD} [( in | to | towards )] <wh> <dirway> <is> {_WHO} <turning> {_TO} [{{when:when}}]",
            f"{_LEAD} [( in | to | towards )] <wh> <dirway> ( did | does | do | will ) {_WHO} <turns> {_TO} [{{when:when}}] [( , | : ) {{alts:any}}]",
            f"how did {_WHO} <turns> [{{when:when}}]",
            note="turn",
        ),
        *rules(
            f"<is> {_WHO} [slightly] ( <ing:v> | <approach-ing:v> | <turning:v> ) {{alts:any}} [{{when:when}}]",
            f"( did | does | do | will ) {_WHO} [ever] ( <verb:v> | <turns:v> ) {{alts:any}} [{{when:when}}]",
            f"( did | does | do | has | have ) {_WHO} [have to] ( <turns:v> ) {{alts:any}} [{{when:when}}]",
            f"( did | does | is | has ) {_AGENT} ( <handle:v> | <handling:v> ) {{m}} {{alts:any}} [{{when:when}}]",
            f"<is> {_WHO} ( coming | getting | moving ) ( closer | nearer )",
            note="either",
        ),
        *rules(
            f"<wh> ( <one> | {{kind}} ) [<scene>] <is> ( <ing:v> | <approach-ing:v> | <turning:v> ) {{way:any}}",
            note="which",
        ),
    )
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
    cues=("moving", "move", "direction", "turning", "driving", "walking", "towards", "coming", "way"),
    takes=TAKES,
)
