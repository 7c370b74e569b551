"""The order in which things first appear in a video or a series of photos, or which appears first or last.

Slots: the things, the orders offered. Decomposes to appearance_order, entities=things, options' sequences;
attribute=first or last when only that is asked.
"""

from __future__ import annotations

from placecell.agents.questions import answers
from placecell.agents.questions.family import Asked, Family, Reading, Refusal
from placecell.agents.questions.grammar import Grammar, rules
from placecell.language.decomposition import Comparison, Function, Option

_ORDER = "[first-time | first | initial] [first-time] [appearance] ( order | sequence ) [of [first] ( appearance | appearances )]"
_LIST = "( [the] [following] ( categories | objects | things | items | ones ) [<scene>] ( : | , ) {items:list} | {items:list} )"
_GRAMMAR = Grammar(
    (
        *rules(
            f"( what ( will | would ) be | what <is> | <tell> | in ) the {_ORDER} ( of | in which ) {_LIST} [<scene>] [( first )] [<appear>] [<scene>] [for the first time]",
            f"in ( what | which ) ( order | sequence ) ( do | does | will | did | would | are | is | were ) {_LIST} [first] <appear> [( first | for the first time )] [<scene>]",
            f"in ( what | which ) ( order | sequence ) ( do | will | did | would | can ) <i> [first] ( see | encounter | notice | come across | spot | meet ) {_LIST} [( first | for the first time )] [<scene>]",
            f"( sort | order | arrange | rank | list | put ) {_LIST} ( by | in | according to ) [the] [order of] [their] ( first appearance | first-time appearance | appearance | when they [first] <appear> | order of appearance | order of first appearance | the order they [first] <appear> ) [<scene>]",
            f"{_LIST} [:|,] ( what <is> the {_ORDER} | in which order do they [first] <appear> ) [<scene>]".replace(
                "[:|,]", "[( : | , )]"
            ),
            note="order",
        ),
        *rules(
            "<wh> [<one>] [<these>] [-lrb- {items:list} -rrb-] <appear> <end:end> [<scene>] [( : | , )] [-lrb-] [{items:list}] [-rrb-]",
            "<wh> [one] of {items:list} <appear> <end:end> [<scene>]",
            "( <wh> [<one>] [<these>] | what ) ( do | will | did | would ) <i> ( see | encounter | notice | spot ) <end:end> [<scene>] [( : | , )] [-lrb-] {items:list} [-rrb-]",
            "<wh> [one] of {items:list} ( do | will | did | would ) <i> ( see | encounter | notice | spot ) <end:end> [<scene>]",
            "<wh> [<one>] [<these>] <is> ( seen | shown | visible | first seen ) <end:end> [<scene>] [( : | , )] {items:list}",
            note="end",
        ),
    )
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
    form = "choice" if options else "open"
    return Reading(
        Comparison(function=Function.APPEARANCE_ORDER, entities=names, form=form, options=tuple(options))  # type: ignore[arg-type]
    )


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
    form = "choice" if offered else "open"
    return Reading(
        Comparison(
            function=Function.APPEARANCE_ORDER,
            entities=entities,
            attribute=end,
            form=form,
            options=offered,  # type: ignore[arg-type]
        )
    )


def _parts(text: str) -> list[str]:
    return [part for part in text.replace("->", ",").split(",") if part.strip()]


FAMILY = Family(
    "appearance order",
    "in which order things first appear",
    _GRAMMAR,
    _build,
    cues=("order", "appear", "appearance", "sequence", "first-time"),
)
