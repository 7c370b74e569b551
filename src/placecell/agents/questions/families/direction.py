"""Where a thing is: left or right of me, front-left, behind; or where it is relative to another thing.

Slots: the thing, a landmark, the sides to choose from (in the question or as options). Decomposes to direction,
entities=[thing], relative_to=landmark (None: me), attribute=quadrants or back_from_135 when the question defines its
words. "If you look at b, where is a" asks for a relative to b, unless it says where you stand. The landmark that is
faced from a stated place needs no naming: left of it is left of the heading.
"""

from __future__ import annotations

from placecell.agents.questions import answers
from placecell.agents.questions.family import (
    Asked,
    Family,
    Reading,
    Refusal,
    alternatives,
    choice_or,
    number_options,
    side_options,
)
from placecell.agents.questions.grammar import Grammar, rules
from placecell.agents.questions.names import is_thing
from placecell.language.decomposition import Comparison, Facing, Function, Option, Reference

_GRAMMAR = Grammar(
    rules("""
        from-me := [( ( from | of | relative_to ) <me> | from ( here | there | that <spot> ) | ( from | of | relative_to
            ) <him:b> )]
        pick := [( , | : ) [( on | to | at )] [( <my> | the )] {alts:sides}]
        need := ( [do | should | would | must | will | shall] <i> [( have to | need to )]
            ( turn [around] | walk | go | move | head ) | [do | should | would] <i> [( have to | need to )]
            ( look | rotate | face ) )
        seeing := [in order] to ( face | see | look at | be facing | look towards | reach | get to | point at | go to
            | be facing ) {c}

        where:
        ( where | whereabouts ) [exactly] <be> {c} [<placed>] <from-me> <pick>
        where {c} <is> [<placed>] <from-me>
        where ( can | could | would | should | will | do | might | may | did ) <i> <see> {c}
        where ( should | would | will | might | could | must | can | does ) {c} ( be [( found | seen )] | lie | stand
            | sit ) [<placed>] <from-me>
        {c} ( , | : ) where <is> ( it | they ) <from-me>
        {c} ( , | : ) [on] <wh> ( side | <dirway> ) <is> ( it | they ) [on | in] <from-me>
        [( in | on | at | to )] <wh> ( <dirway> | side ) <from-me> <be> {c} [<placed>] [in | at | on] <from-me> <pick>
        [( in | on | at | to )] <wh> ( <dirway> | side ) ( can | would | will | do | should | could ) <i> <see> {c}
        [( in | on | at | to )] <wh> ( <dirway> | side ) ( would | will | should | might ) {c} be [<placed>] <from-me>
        [( in | on )] <wh> ( <dirway> | side ) {c} <is> [in | on] <from-me>
        ( what <is> | <tell> | describe ) [me] the [relative] ( direction | position | location | placement | bearing
            | whereabouts ) ( of | to ) {c} <from-me>
        [( do | would | will )] [<i>] have {c} ( on | in | at ) <wh> ( side | <dirway> ) [of <me>]
        how <is> {c} ( positioned | located | placed | situated | arranged | set | oriented )
        {c} <is> [<placed>] ( where | in <wh> <dirway> | on <wh> side ) <from-me>

        which side:
        <is> {c} [<placed>] [( to | on | in | at | towards )] [( the | <my> )] {alts:sides} [of <me>] [side] [hand]
        ( would | will | should | could ) {c} be [<placed>] [( to | on | in | at | towards )] [( the | <my> )]
            {alts:sides} [of <me>] [side]
        ( do | would | will | can ) <i> <see> {c} [( to | on | in | at )] [( the | <my> )] {alts:sides} [of <me>]
            [side]

        of:
        <is> {c} [<placed>] {alts:sides} {b}
        <is> {c} [<placed>] [( to | on | at )] [the] {alts:sides} [side] ( of | from ) {b}
        [( on | to | at )] <wh> side of {b} ( <be> {c} [<placed>] [on] | ( can | would | do | will ) <i> <see> {c} )
        [( on | to | at )] <wh> side of {b} {c} <is> [<placed>]
        [( on | to | at )] <wh> side of {b} ( did | does | do | has ) {agent} ( place | put | set | leave | placed |
            put down | set down ) {c}
        where <be> {c} [<placed>] from {b}

        turn:
        [( in | to )] <wh> ( <dirway> | side ) <need> <seeing>
        ( should | do | would | must | will | shall ) <i> [( have to | need to )] ( turn | look | rotate | face ) [(
            to | towards )] [( the | <my> )] {alts:sides} <seeing>
        <seeing> [,] [( in | to )] <wh> <dirway> <need>
        <seeing> [,] ( should | do | would | must | will ) <i> [( have to | need to )] turn [( to | towards )] [( the
            | <my> )] {alts:sides}

        degrees:
        ( by how many degrees | how many degrees | how far | how much | by how much ) <need> [to ( the | <my> ) <lr>]
            <seeing>
    """)
)


_LOOSE = Grammar(
    rules("""
        g := ( <aux> | <there> | which | what | side | direction | way | where | my | on | to | in | located | placed |
            found | i | of | me | see | find | say )

        which side:
        <g>* {c:plain} <g>* {alts:sides} [side] [of <me>]

        where:
        <g>* {c:plain} <g>* ( where | <wh> ( side | <dirway> ) ) <g>*
        <g>* ( where | <wh> ( side | <dirway> ) ) <g>* {c:plain} <g>*
    """)
)


def _build(asked: Asked) -> Reading | Refusal | None:
    thing = asked.name("c")
    if not thing:
        return None
    if asked.loose and asked.reference.kind == "none":
        return None
    if asked.note == "degrees":
        found = number_options(asked.options, "degrees")
        if found is None:
            return None
        form = choice_or("number", found[0])
        comparison = Comparison(
            function=Function.DIRECTION, entities=(thing,), form=form, unit="degrees", options=found[0]
        )
        return Reading(comparison, asked.reference)
    offered = _offered(asked)
    if offered is None:
        return Refusal("the options are not directions") if asked.options else None
    landmark, reference = _landmark(asked)
    if landmark in _PRONOUNS:
        if reference.kind == "none":
            return Refusal(f"it is not said who {landmark!r} is")
        landmark = None
    if landmark is not None and not is_thing(landmark):
        return None
    return Reading(
        Comparison(
            function=Function.DIRECTION,
            entities=(thing,),
            relative_to=landmark,
            frame="camera" if asked.setup.frame == "camera" else "viewer",
            form=choice_or("open", offered),
            attribute=asked.setup.sectors,
            options=offered,
            during=asked.setup.during or "whole",
        ),
        reference,
    )


_PRONOUNS = frozenset({"him", "her", "them", "it"})


def _offered(asked: Asked) -> tuple[Option, ...] | None:
    """The sides to choose from; a question's own "left or right" stands in when no options are given."""
    named = alternatives(asked.match.quote("alts"), answers.side) if "alts" in asked.match else ()
    if named is None:
        return None
    return side_options(asked.options) if asked.options else named


def _landmark(asked: Asked) -> tuple[str | None, Reference]:
    """What the direction is relative to, and where one stands for it."""
    reference = asked.reference
    landmark = asked.match.phrase("b") or asked.setup.landmark or None
    faced = reference.facing.object if reference.facing.kind == "towards_object" else None
    if landmark is None and reference.kind == "none" and faced:
        return faced, Reference()
    if landmark is not None and reference.kind != "none" and landmark == faced:
        return None, reference
    if reference.kind == "none" and faced and landmark == faced:
        return landmark, Reference(facing=Facing())
    return landmark, reference


FAMILY = Family(
    "direction",
    "where a thing is: left, right, front-left, behind, or relative to another thing",
    _GRAMMAR,
    _build,
    loose=_LOOSE,
    example="Standing at the sofa facing the tv, where is the lamp?",
    cues=("where", "which side", "facing", "left or right", "left", "right", "standing"),
    takes=frozenset({"motions", "landmark", "owner", "sectors", "during"}),
)
