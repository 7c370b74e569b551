"""Whether a stated motion brings me closer to a thing.

Slots: the thing, closer or farther. Decomposes to closer_after_motion, form=yes_no, entities=[thing],
attribute=closer or farther (what "yes" means). Refused without a stated motion.
"""

from __future__ import annotations

from dataclasses import replace

from placecell.agents.questions import answers
from placecell.agents.questions.clauses import PEELER
from placecell.agents.questions.family import Asked, Family, Reading, Refusal, alternatives
from placecell.agents.questions.grammar import Grammar, rules
from placecell.language.decomposition import Comparison, Function

_GRAMMAR = Grammar(
    rules("""
        get := get | got | gotten | moved | come | gone | getting | be getting | coming | be | come | move | end up | be
            standing | become | find myself | draw | have moved | have come | have got | have gotten
        then := [( than before | than i was before | than i was | now | afterwards | after that | then | as a result |
            than at the start | or not | by doing so | by that )]
        nearer := ( closer to | nearer to | nearer )

        closer:
        ( will | would | do | does | am | shall | can | could | have | did | was ) ( <i> | it | the camera ) [<get>] [(
            any | a bit | actually )] <nearer> {x:np+} <then>
        ( does | will | would | do ) ( this | that | it | the move | this move | these moves ) ( bring | take | get |
            put | move ) <me> ( closer to | nearer to | nearer ) {x:np+}
        ( is | will | would ) {x:np+} [be] ( closer | nearer ) [( to <me> )] <then>
        ( does | will | would | do ) {m:any} ( bring | take | get | put | move | lead | make ) <me> <nearer> {x:np+}
            <then>
        [am i] [now] <nearer> {x:np+} <then>
        ( does | will | would ) that make <me> <nearer> {x:np+} <then>
        <is> {x:np+} then <nearer> [<me>]
        is that <nearer> {x:np+} <then>
        ( will | would | do | does ) <i> ( approach | near ) {x:np+} <then>
        am i now ( closer to | nearer to ) {x:np+} <then>
        ( will | would | does | do ) <my> distance to {x:np+} ( decrease | shrink | become smaller | get smaller | be
            smaller ) <then>

        farther:
        ( does | will | would | do ) {m:any} ( bring | take | get | put | move | lead ) <me> ( farther [away] | away )
            from {x:np+} <then>
        [am i] [now] farther [away] from {x:np+} <then>
        ( will | would | do | does | am | shall ) <i> [<get>] farther [away] from {x:np+} <then>
        ( does | will | would ) ( this | that | it ) ( bring | take | get | put ) <me> farther [away] from {x:np+}
        ( is | will | would ) {x:np+} [be] farther [away] [( from <me> )] <then>
        ( will | would | does | do ) <my> distance to {x:np+} ( increase | grow | become larger | get larger ) <then>

        either:
        ( will | would | do | am ) <i> [<get>] {alts:any} ( to | from ) {x:np+} <then>
        ( will | would | do | am ) <i> [<get>] <nearer> {x:np+} or farther [away] [from it] <then>
        ( will | would | do | am ) <i> [<get>] ( closer [to] | nearer [to] ) or farther [away] from {x:np+} <then>
    """)
)


_LOOSE = Grammar(
    rules("""
        g := ( <aux> | <there> | am | i | me | make | made | making | get | got | getting | end up | come | coming |
            going | by | as a result | or not | any | bit | become | to )

        closer:
        <g>* ( closer to | nearer to | nearer ) <g>* {x:plain} <g>*
        <g>* {x:plain} <g>* ( closer | nearer ) <g>*
        <g>* distance to {x:plain} <g>* ( smaller | shorter | less | decrease | shrink ) <g>*

        farther:
        <g>* farther [away] from {x:plain} <g>*
        <g>* {x:plain} <g>* farther [away] <g>*
        <g>* distance to {x:plain} <g>* ( larger | longer | bigger | greater | increase | grow ) <g>*
    """)
)


def _build(asked: Asked) -> Reading | Refusal | None:
    thing = asked.name("x")
    if not thing:
        return None
    if "m" in asked.match:
        stated = PEELER.read(asked.match.text, *asked.match.spans["m"])
        together = asked.setup.joined(stated) if stated else None
        if together is None:
            return None
        asked = replace(asked, setup=together)
    if not asked.setup.motions:
        return Refusal("closer after what? the question states no turn or step")
    if asked.note == "either":
        named = alternatives(asked.match.quote("alts") or "closer or farther", answers.motion)
        if named is None or {o.answer for o in named} != {"towards", "away"}:
            return None
        offered = answers.read(asked.options, answers.motion) if asked.options else named
        if offered is None:
            return None
        return Reading(
            Comparison(
                function=Function.CLOSER_AFTER_MOTION,
                entities=(thing,),
                attribute="closer",
                form="choice",
                options=offered,
            ),
            asked.reference,
        )
    options = answers.read(asked.options, lambda text: answers.yes_no(text) or answers.motion(text))
    if options is None:
        return Refusal("the options are not yes and no")
    return Reading(
        Comparison(
            function=Function.CLOSER_AFTER_MOTION,
            entities=(thing,),
            attribute=asked.note,
            form="yes_no",
            options=options,
        ),
        asked.reference,
        asked.setup.motions,
    )


FAMILY = Family(
    "closer after a motion",
    "whether a stated motion brings me closer to a thing",
    _GRAMMAR,
    _build,
    loose=_LOOSE,
    example="From image 1, if I turn left and walk forward, will I get closer to the door?",
    cues=("closer", "nearer", "farther", "closer to", "will i", "forward"),
    takes=frozenset({"motions", "owner"}),
)
