"""What is on a side of me or of a thing, or whether a given thing is.

Slots: the side, the landmark (None: me), candidates (named or offered), "nearest". Decomposes to what_is_there with
side, relative_to, entities=candidates, form=yes_no for "is there a y behind x"; "the nearest thing behind x" is nearest
with the side.
"""

from __future__ import annotations

from placecell.agents.questions import answers
from placecell.agents.questions.family import Asked, Family, Reading, Refusal, choice_or
from placecell.agents.questions.grammar import Grammar, rules
from placecell.agents.questions.sides import side_of
from placecell.language.decomposition import Comparison, Function, Side

_GRAMMAR = Grammar(
    rules("""
        where := ( <side-of-me:side> | <side-of:side> {x:np+} )
        be := <lie> [( now | then )]

        what:
        what [<one>] <be> [directly] <where> [<those>]
        <wh> [<one>] [<these>] [-lrb- {items:list} -rrb-] <be> [<placed>] <where> [<those>]
        <wh> of {items:list} <be> [<placed>] <where>
        <among> <wh> [<one>] <be> [<placed>] <where>
        ( [<is> [there]] ( anything | something ) | <is> there anything ) <where>
        do <i> have anything <where>
        <side-of-me:side> [,] [there] <lie> what [<those>]
        <side-of-me:side> [,] what ( <is> [there] | <lie> )
        [<tell>] ( what <is> | the <one> [( that_is | <placed> )] | what <i> see ) <where>
        what <where>
        what <is> {x} 's <lr:side> [side]

        ahead:
        ( what [<one>] | <wh> [<one>] [<these>] ) ( do | can | would | will | could | might ) <i> ( see | find ) [(
            in_front_of <me> | ahead )] [( now | then )] [<those>]
        what <am> <i> [( then | now )] ( looking at | facing | seeing )
        what ( would | will | do | might ) <i> [then] ( be ( looking at | facing | seeing ) | look at | face )
        what <is> [straight | right | directly] ahead

        then:
        what <is> [it] there [now]

        nearest:
        ( what <is> | <tell> ) the ( nearest | closest | first ) <one> [( that_is | located | which_is )] <where>
        <wh> <one> <is> [the] ( nearest | closest ) [one] <where>
        <where> [,] what <is> the ( nearest | closest ) <one>

        whether:
        <is> there {y} [<placed>] [directly] <where>
        <is> {y} [( now | then )] [<placed>] [directly] <where>
        ( does | do | would | will ) {y} ( lie | stand | sit | be | end up ) [<placed>] <where>
        ( would | will | could | should ) {y} be [<placed>] <where>
        ( do | can | would | will | could ) <i> <see> {y} <where>
        ( would | will ) there be {y} <where>
        do <i> have {y} <where>
        <side-of-me:side> [,] <is> ( that | it | there ) {y}
    """)
)


_LOOSE = Grammar(
    rules("""
        where := ( <side-of-me:side> | <side-of:side> {x:plain} )
        g := ( <aux> | <there> | i | see | find | found | right | immediately | one | that_is | located | placed |
            sitting | standing | lying | piece of furniture )
        what := ( what | which | object | thing | item | anything | something )

        what:
        <g>* <what> ( <g> | <what> )* <where> <g>* [<those>]
    """)
)


def _build(asked: Asked) -> Reading | Refusal | None:
    if asked.note == "then" and not asked.setup.motions:
        return None
    side: Side | None = "front" if asked.note in ("ahead", "then") else side_of(asked.match.canon("side"))
    landmark = asked.name("x") or asked.setup.landmark
    if side is None or ("x" in asked.match and not asked.name("x")):
        return None
    if asked.note == "whether":
        return _whether(asked, side, landmark)
    offered = answers.things(asked.options) if asked.options else ()
    if offered is None:
        return Refusal("the options are not things")
    named = asked.names("items", expected=len(offered) or None) if "items" in asked.match else ()
    if named is None:
        return Refusal("the things to choose from cannot be told apart; separate them with commas")
    entities = tuple(dict.fromkeys([*named, *(o.entity for o in offered if o.entity)]))
    return Reading(
        Comparison(
            function=Function.NEAREST if asked.note == "nearest" else Function.WHAT_IS_THERE,
            entities=entities,
            side=side,
            relative_to=landmark,
            frame=asked.frame,
            form=choice_or("open", offered),
            options=offered,
        ),
        asked.reference,
    )


def _whether(asked: Asked, side: Side, landmark: str | None) -> Reading | None:
    candidate = asked.name("y")
    options = answers.read(asked.options, answers.yes_no)
    if not candidate or options is None:
        return None
    return Reading(
        Comparison(
            function=Function.WHAT_IS_THERE,
            entities=(candidate,),
            side=side,
            relative_to=landmark,
            frame=asked.frame,
            form="yes_no",
            options=options,
        ),
        asked.reference,
    )


FAMILY = Family(
    "what is there",
    "what is on a side of me or of a thing, or whether a given thing is",
    _GRAMMAR,
    _build,
    loose=_LOOSE,
    example="From image 2, what is on my left?",
    cues=("what", "behind", "left", "right", "in_front_of", "ahead", "opposite", "above", "below"),
    takes=frozenset({"motions", "owner", "landmark"}),
)
