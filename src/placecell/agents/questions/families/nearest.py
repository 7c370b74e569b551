"""Which of several things is nearest to, or farthest from, a thing or me.

Slots: the things (named, offered, or all of a kind), what they are near to. Decomposes to nearest or farthest,
entities=things, relative_to=thing (None: me); "is a closer to x than b" names a first.
"""

from __future__ import annotations

import re

from placecell.agents.questions import answers
from placecell.agents.questions.family import Asked, Family, Reading, Refusal, choice_or
from placecell.agents.questions.grammar import Grammar, rules
from placecell.language.decomposition import Comparison, Function, Option

_GRAMMAR = Grammar(
    rules("""
        to := ( <nearest-to:rank> | <closer-to:rank> | <farthest-from:rank> | <farther-from:rank> )
        most := ( <nearest:rank> | <farthest:rank> )
        x := ( {x:np+} | <me> )
        be := <lie> [<placed>]
        that := [( that_is | which_is | that <lie> )] [<placed>]
        ranked := ( [the] [<one>] <that> <to> <x> | [the] <most> <one> ( to | from ) <x> | [the] <most> [<one>] )

        which:
        <wh> [<one>] [<these>] [-lrb- {items:list} -rrb-] <be> <ranked> [<those>]
        <wh> [one] of {items:list} <be> <ranked>
        <wh> <one> ( comes | gets | is positioned | is placed ) <to> <x> [<those>]
        <among> ( <wh> [<one>] <be> | what 's | <tell> | find ) <ranked>
        {items:list} ( , | : | ? ) ( <wh> [<one>] <be> | <tell> | find ) <ranked>
        ( of | among | out of ) <these> [,] <wh> [<one>] <be> <ranked>
        <wh> {kind} <be> [the] [one] ( <to> <x> | <most> [<one>] )
        <wh> <is> the {kind} <that> <to> <x>
        <wh> <is> the <most> {kind} [( to | from ) <x>]
        <ask> ( <one> <that> <to> <x> | <most> <one> [( to | from ) <x>] ) [<those>]
        what <is> {x} ( <nearest-to:rank> | <farthest-from:rank> )
        <wh> [<one>] [<these>] <am> <i> <to> [<those>]
        <to> <x> <those>

        beside:
        <wh> [<one>] <lie> [<placed>] [right] ( next_to | beside | adjacent to | by ) <x> [<those>]

        either:
        <is> {a} or {b} <to> <x>
        <is> it {a} or {b} ( that_is | which_is | that <is> ) <to> <x>
        <is> {x} ( <closer-to:rank> ) {a} or to {b}
        <is> <to> <x> ( , | : ) [<is> [it]] {a} or {b}
        <wh> <is> <to> <x> ( , | : ) {a} or {b}

        than:
        <is> {a} ( <closer-to:rank> | <farther-from:rank> ) ( <me> | {x} ) than [<is>] {b} [is]
        ( does | do | would ) {a} ( sit | stand | lie | be ) [<placed>] ( <closer-to:rank> | <farther-from:rank> ) {x}
            than {b} [( does | do | is )]
        <is> {x} ( <closer-to:rank> | <farther-from:rank> ) {a} than [( to | from )] {b}
    """)
)


_LOOSE = Grammar(
    rules("""
        to := ( <nearest-to:rank> | <closer-to:rank> | <farthest-from:rank> | <farther-from:rank> )
        most := ( <nearest:rank> | <farthest:rank> )
        x := ( <me> | {x:plain} )
        g := ( <being> | does | do | <there> | which | what | one | ones | object | thing | item | of | three | two |
            these | those | following | found | placed | located | at | for | stands | lies | sits | is it | among |
            between | out of )

        which:
        <asks>* <g>* <to> <x> <g>* [<those>]
        <asks>* <g>* <to> <x> <g>* {items:plains} <g>*
        <asks>* <g>* {items:plains} <g>* <to> <x> <g>*
        <asks>* <g>* <most> <g>* ( to | from ) <x> <g>* [<those>]
    """)
)


def _build(asked: Asked) -> Reading | Refusal | None:
    far = any(word in asked.match.canon("rank") for word in ("far", "distant", "greatest"))
    function = Function.FARTHEST if far and not re.search("less|least", asked.match.canon("rank")) else Function.NEAREST
    to = asked.name("x") or None
    if "x" in asked.match and to is None:
        return None
    if asked.note != "beside" and "rank" not in asked.match:
        return None
    if asked.note == "beside" and to is None and asked.reference.kind == "none":
        return None
    if asked.note == "either":
        return _either(asked, function, to)
    if asked.note == "than":
        return _than(asked, function, to)
    offered = answers.things(asked.options) if asked.options else ()
    if offered is None:
        return Refusal("the options are not things")
    if "items" in asked.match:
        named = asked.names("items", expected=len(offered) or None)
        if named is None:
            return Refusal("the things to compare cannot be told apart; separate them with commas")
    else:
        named = ()
    kind = (asked.name("kind"),) if "kind" in asked.match else ()
    entities = tuple(dict.fromkeys([*named, *(o.entity for o in offered if o.entity)])) or kind
    if any(not e for e in (*entities, *kind)):
        return None
    form = choice_or("open", offered)
    comparative = asked.match.canon("rank").startswith(("closer", "nearer", "farther"))
    somewhere = to is not None or asked.reference.kind != "none"
    if not entities and (comparative or not somewhere):
        return Refusal("it is not said among which things, or to what")
    comparison = Comparison(
        function=function,
        entities=entities,
        relative_to=to,
        form=form,
        options=offered,
        frame=asked.frame,
    )
    return Reading(comparison)


def _either(asked: Asked, function: Function, to: str | None) -> Reading | None:
    pair = (asked.name("a"), asked.name("b"))
    options = answers.things(asked.options) if asked.options else tuple(Option(text=n, entity=n) for n in pair if n)
    if not all(pair) or options is None or {o.entity for o in options} - {None, *pair}:
        return None
    return Reading(
        Comparison(function=function, entities=pair, relative_to=to, form="choice", options=options, frame=asked.frame)
    )


def _than(asked: Asked, function: Function, to: str | None) -> Reading | None:
    pair = (asked.name("a"), asked.name("b"))
    options = answers.read(asked.options, answers.yes_no)
    if not all(pair) or options is None:
        return None
    return Reading(Comparison(function=function, entities=pair, relative_to=to, form="yes_no", options=options))


FAMILY = Family(
    "nearest",
    "which of several things is nearest to or farthest from a thing or me",
    _GRAMMAR,
    _build,
    loose=_LOOSE,
    example="Which is closest to the door: the sofa, the bed or the lamp?",
    cues=("closest", "nearest", "farthest", "closest_to", "nearest_to", "closer", "nearer"),
    takes=frozenset({"motions", "owner"}),
)
