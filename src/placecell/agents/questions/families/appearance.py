"""The order in which things first appear in a video or a series of photos, or which appears first or last.

Slots: the things, the orders offered. Decomposes to appearance_order, entities=things, options' sequences;
attribute=first or last when only that is asked.
"""

from __future__ import annotations

from placecell.agents.questions import answers
from placecell.agents.questions.family import Asked, Family, Reading, Refusal, choice_or
from placecell.agents.questions.grammar import Grammar, rules
from placecell.language.decomposition import Comparison, Function, Option

_GRAMMAR = Grammar(
    rules("""
        order := [first-time | first | initial] [first-time] [appearance] ( order | sequence )
            [of [first] ( appearance | appearances )]
        things := ( [( the | these | those )] [following] ( categories | objects | things | items | ones ) [<scene>] (
            : | , ) {items:list} | {items:list} )

        order:
        ( what ( will | would ) be | what <is> | <tell> | in ) the <order> ( of | in which ) <things> [<scene>] [first]
            [<appear>] [<scene>] [for the first time]
        <ask> <order> [( of | for )] [:] {items:list} [<scene>]
        in <wh> ( order | sequence ) ( do | does | will | did | would | are | is | were ) <things> [first] <appear>
            [( first | for the first time )] [<scene>]
        in <wh> ( order | sequence ) ( do | will | did | would | can ) <i> [first] ( see | encounter | notice |
            come across | spot | meet ) <things> [( first | for the first time )] [<scene>]
        in <wh> ( order | sequence ) ( do | does | will | did | would ) ( the following | these )
            [( categories | objects | things | items )] [first] <appear> [( first | for the first time )] [<scene>]
            ( : | , ) {items:list}
        ( sort | order | arrange | rank | list | put ) <things> ( by | in | according to ) [the] [order of] [their]
            ( first appearance | first-time appearance | appearance | when they [first] <appear> | order of appearance
            | order of first appearance | the order they [first] <appear> ) [<scene>]
        ( sort | order | arrange | rank | list | put ) [( these | the following )] [( categories | objects | things |
            items | ones )] ( by | in | according to ) ( order of [first] appearance | first appearance | the order they
            [first] <appear> | the order in which they [first] <appear> | when they [first] <appear> ) [<scene>] <those>
        <things> [( : | , )] ( what <is> the <order> | in which order do they [first] <appear> ) [<scene>]

        end:
        <wh> [<one>] [<these>] [-lrb- {items:list} -rrb-] <appear> <end:end> [<scene>] [<those>]
        <wh> [<one>] [<these>] <appear> [<scene>] <end:end> [<those>]
        <wh> [one] of {items:list} <appear> <end:end> [<scene>]
        <among> <wh> [<one>] <appear> <end:end> [<scene>]
        ( <wh> [<one>] [<these>] | what ) ( do | will | did | would ) <i> ( see | encounter | notice | spot ) <end:end>
            [<scene>] [( : | , )] [-lrb-] {items:list} [-rrb-]
        <wh> [one] of {items:list} ( do | will | did | would ) <i> ( see | encounter | notice | spot ) <end:end>
            [<scene>]
        <wh> [<one>] [<these>] <is> ( seen | shown | visible | first seen ) <end:end> [<scene>] [( : | , )] {items:list}
    """)
)


def _build(asked: Asked) -> Reading | Refusal | None:
    if asked.note == "end":
        return _first_or_last(asked)
    lengths = {len(parts) for parts in (_parts(o.text) for o in asked.options)}
    expected = lengths.pop() if len(lengths) == 1 else None
    names = asked.names("items", expected=expected)
    if names is None or len(names) < 2:
        return Refusal("the things to order cannot be told apart; separate them with commas")
    options = []
    for option in asked.options:
        sequence = answers.order(option.text, names)
        if sequence is None:
            return Refusal(f"the option {option.text!r} is not an order of {', '.join(names)}")
        options.append(Option(letter=option.letter, text=option.text, sequence=sequence))
    form = choice_or("open", options)
    return Reading(Comparison(function=Function.APPEARANCE_ORDER, entities=names, form=form, options=tuple(options)))


def _first_or_last(asked: Asked) -> Reading | Refusal | None:
    offered = answers.things(asked.options) if asked.options else ()
    if offered is None:
        return Refusal("the options are not things")
    names = asked.names("items", expected=len(offered) or None) if "items" in asked.match else ()
    if names is None:
        return Refusal("the things cannot be told apart; separate them with commas")
    entities = tuple(dict.fromkeys([*names, *(o.entity for o in offered if o.entity)]))
    if len(entities) < 2:
        return None
    end = "last" if "last" in asked.match.canon("end") else "first"
    form = choice_or("open", offered)
    return Reading(
        Comparison(
            function=Function.APPEARANCE_ORDER,
            entities=entities,
            attribute=end,
            form=form,
            options=offered,
        )
    )


def _parts(text: str) -> list[str]:
    return [part for part in text.replace("->", ",").split(",") if part.strip()]


FAMILY = Family(
    "appearance order",
    "in which order things first appear",
    _GRAMMAR,
    _build,
    example="Which appears first, the sofa or the lamp?",
    cues=("order", "appear", "appearance", "sequence", "first-time"),
)
