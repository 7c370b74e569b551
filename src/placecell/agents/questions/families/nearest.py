"""Which of several things is nearest to, or farthest from, a thing or me.

Slots: the things (named, offered, or all of a kind), what they are near to. Decomposes to nearest or farthest,
entities=things, relative_to=thing (None: me); "is a closer to x than b" names a first.
"""

from __future__ import annotations

from placecell.agents.questions import answers
from placecell.agents.questions.family import Asked, Family, Reading, Refusal, ends_in_a_verb
from placecell.agents.questions.grammar import Grammar, rules
from placecell.language.decomposition import Comparison, Function

_GRAMMAR = Grammar(
    tuple(
        line
        for note, most, to, more in (
            ("nearest", "<nearest>", "( <nearest-to> | <closer-to> )", "( closer | nearer )"),
            ("farthest", "<farthest>", "( <farthest-from> | <farther-from> )", "farther [away]"),
        )
        for line in rules(
            *(
                line.replace("TO", to).replace("MOST", most).replace("MORE", more)
                for line in (
                    "<wh> [<one>] [<these>] [-lrb- {items:list} -rrb-] <is> [the] [<one>] [that is] TO ( {x:np+} | <me> )",
                    "<wh> [one] of {items:list} <is> [the] [one] TO ( {x:np+} | <me> )",
                    "<wh> [<one>] <is> [the] [<one>] TO ( {x} | <me> ) [( , | : )] [-lrb-] {items:list} [-rrb-]",
                    "( among | of | out of | between | from ) [<these>] {items:list} [,] <wh> [<one>] <is> [the] [<one>] TO ( {x:np+} | <me> )",
                    "( among | of | out of | between ) {items:list} [,] <wh> [<one>] <is> [the] MOST",
                    "<wh> [<one>] [<these>] [-lrb- {items:list} -rrb-] <is> [the] MOST [<one>] [to <me>]",
                    "<wh> <is> the MOST ( <one> | thing ) ( to | from ) ( {x} | <me> )",
                    "<wh> <is> the <one> TO ( {x} | <me> )",
                    "<wh> {kind} <is> [the] [one] TO ( {x} | <me> )",
                    "<wh> <is> the {kind} TO ( {x} | <me> )",
                    "<wh> <is> the MOST {kind} ( to | from ) ( {x} | <me> )",
                    "what <is> {x} ( closest_to | nearest_to )"
                    if note == "nearest"
                    else "what <is> {x} ( farthest_from | farthest away from )",
                )
            ),
            note=note,
        )
    )
    + tuple(
        line
        for note, to in (("nearest", "<closer-to>"), ("farthest", "<farther-from>"))
        for line in rules(
            f"<is> {{a}} {to} {{x}} than [<is>] {{b}}",
            f"<is> {{x}} {to} {{a}} than [( to | from )] {{b}}",
            note=f"{note} than",
        )
    )
)


def _build(asked: Asked) -> Reading | Refusal | None:
    function = Function.NEAREST if asked.note.startswith("nearest") else Function.FARTHEST
    to = asked.name("x") or None
    if "x" in asked.match and to is None:
        return None
    if asked.note.endswith("than"):
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
    if any(not e or ends_in_a_verb(e) for e in (*entities, *kind)):
        return None
    form = "choice" if offered else "open"
    comparison = Comparison(
        function=function,
        entities=entities,
        relative_to=to,
        form=form,
        options=offered,
        frame=asked.frame,  # type: ignore[arg-type]
    )
    return Reading(comparison)


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
    cues=("closest", "nearest", "farthest", "closest_to", "nearest_to", "closer", "nearer"),
    takes=frozenset({"motions", "owner"}),
)
