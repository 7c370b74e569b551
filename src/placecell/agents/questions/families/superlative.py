"""Which of several things is the largest, smallest, tallest and so on.

Slots: the things (named, or offered as options), what of them is compared. Decomposes to largest or smallest,
entities=things; a yes/no question "is a taller than b" names a first.
"""

from __future__ import annotations

from placecell.agents.questions import answers
from placecell.agents.questions.family import Asked, Family, Reading, Refusal, choice_or
from placecell.agents.questions.grammar import Grammar, rules
from placecell.agents.questions.lexicon import CLASSES
from placecell.agents.questions.notation import words
from placecell.language.decomposition import Comparison, Function, Option

_GRAMMAR = Grammar(
    rules("""

        which:
        more := ( <superlative:word> | <comparative:word> )
        <wh> [<one>] [of <these>] [-lrb- {items:list} -rrb-] <is> [the] <superlative:word> [<one>] [<scene>]
        <wh> of {items:list} <is> [the] <more> [<one>]
        <wh> [<one>] <is> [the] <more> [<one>] <those>
        <wh> [<one>] <is> [the] <more> {items:list}
        <among> ( <wh> [<one>] <is> [the] | what <is> the | <tell> the ) <more> [<one>]
        {items:list} ( , | : | ? ) <wh> [<one>] <is> [the] <more> [<one>]
        <ask> <superlative:word> [<one>] [<scene>]
        <ask> <superlative:word> [<one>] ( of | among | out of ) {items:list}
        <wh> {kind} <is> [the] <superlative:word> [one]
        <wh> <is> the <superlative:word> {kind}

        <wh> [<one>] has the <more> <extent:d> [<those>]

        than:
        <is> {a} [( any | much )] <comparative:word> than {b} [is]
    """)
)
_LOOSE = Grammar(
    rules("""
        more := ( <superlative:word> | <comparative:word> )
        g := ( <being> | which | what | one | ones | object | thing | item | of | the | these | three | two | following
            )

        which:
        <g>* <more> <g>* [<those>]
        <g>* {items:plains} <g>* <more> [one]

        either:
        <is> {a:plain} [the] <more> [one] [,] or [is it] {b:plain}
    """)
)
_SMALL = ("smallest", "shortest", "lowest", "narrowest", "tiniest", "smaller", "shorter", "lower", "narrower")
_OF = {"tall": "height", "high": "height", "short": "height", "low": "height", "wid": "width", "narrow": "width",
       "deep": "depth", "long": "longest"}  # fmt: skip


def _build(asked: Asked) -> Reading | Refusal | None:
    said = asked.match.canon("word")
    function = Function.SMALLEST if said in _SMALL else Function.LARGEST
    attribute = next((value for stem, value in _OF.items() if said.startswith(stem)), None)
    if "d" in asked.match:
        attribute = {"length": "longest"}.get(asked.match.canon("d"), asked.match.canon("d"))
    offered = answers.things(asked.options) if asked.options else ()
    if asked.note == "than":
        if asked.options and not all(answers.yes_no(o.text) for o in asked.options):
            return None
        pair = (asked.name("a"), asked.name("b"))
        options = answers.read(asked.options, answers.yes_no) or ()
        return (
            Reading(Comparison(function=function, entities=pair, attribute=attribute, form="yes_no", options=options))
            if all(pair)
            else None
        )
    if offered is None:
        return None
    if asked.note == "either":
        pair = (asked.name("a"), asked.name("b"))
        options = offered or tuple(Option(text=name, entity=name) for name in pair)
        if not all(pair) or {o.entity for o in options} - {None, *pair}:
            return None
        return Reading(
            Comparison(function=function, entities=pair, attribute=attribute, form="choice", options=options)
        )
    named = asked.names("items", expected=len(offered) or None) if "items" in asked.match else ()
    if named is None:
        return Refusal("the things to compare cannot be told apart; separate them with commas")
    kind = (asked.name("kind"),) if asked.name("kind") else ()
    entities = tuple(dict.fromkeys([*named, *(o.entity for o in offered if o.entity)])) or kind
    if not entities:
        return None
    form = choice_or("open", offered)
    return Reading(Comparison(function=function, entities=entities, attribute=attribute, form=form, options=offered))


FAMILY = Family(
    "superlative",
    "which of several things is the largest, tallest, smallest, ...",
    _GRAMMAR,
    _build,
    loose=_LOOSE,
    example="Which is taller, the lamp or the shelf?",
    cues=(*words(CLASSES["superlative"].replace("|", "")), *words(CLASSES["comparative"].replace("|", ""))),
)
