"""Which of several things is the largest, smallest, tallest and so on.

Slots: the things (named, or offered as options), what of them is compared. Decomposes to largest or smallest,
entities=things; a yes/no question "is a taller than b" names a first.
"""

from __future__ import annotations

from placecell.agents.questions import answers
from placecell.agents.questions.family import Asked, Family, Reading, Refusal, ends_in_a_verb
from placecell.agents.questions.grammar import Grammar, rules
from placecell.language.decomposition import Comparison, Function

_MOST = "( largest | biggest | tallest | highest | longest | widest | deepest | smallest | shortest | lowest | narrowest | tiniest )"
_MORE = "( larger | bigger | taller | higher | longer | wider | deeper | smaller | shorter | lower | narrower )"
_GRAMMAR = Grammar(
    (
        *rules(
            f"<wh> [<one>] [of <these>] [-lrb- {{items:list}} -rrb-] <is> [the] {_MOST} [one]",
            f"<wh> of {{items:list}} <is> [the] ( {_MOST} | {_MORE} ) [one]",
            f"<wh> [one] <is> [the] ( {_MOST} | {_MORE} ) [( , | : )] [-lrb-] {{items:list}} [-rrb-]",
            f"( among | of | out of | between ) {{items:list}} [,] <wh> [<one>] <is> [the] ( {_MOST} | {_MORE} ) [one]",
            f"what <is> the {_MOST} [<one>] [<scene>]",
            f"<wh> {{kind}} <is> [the] {_MOST} [one]",
            f"<wh> <is> the {_MOST} {{kind}}",
            note="which",
        ),
        *rules(f"<is> {{a}} {_MORE} than {{b}}", note="than"),
    )
)
_SMALL = ("smallest", "shortest", "lowest", "narrowest", "tiniest", "smaller", "shorter", "lower", "narrower")
_OF = {"tall": "height", "high": "height", "short": "height", "low": "height", "wid": "width", "narrow": "width",
       "deep": "depth", "long": "longest"}  # fmt: skip


def _build(asked: Asked) -> Reading | Refusal | None:
    words = asked.match.canon().split()
    said = next((w for w in words if w in _SMALL or w.endswith(("est", "er")) and w in _ALL), "")
    function = Function.SMALLEST if said in _SMALL else Function.LARGEST
    attribute = next((value for stem, value in _OF.items() if said.startswith(stem)), None)
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
    named = asked.names("items", expected=len(offered) or None) if "items" in asked.match else ()
    if named is None:
        return Refusal("the things to compare cannot be told apart; separate them with commas")
    kind = (asked.name("kind"),) if asked.name("kind") else ()
    entities = tuple(dict.fromkeys([*named, *(o.entity for o in offered if o.entity)])) or kind
    if not entities or any(ends_in_a_verb(e) for e in kind):
        return None
    form = "choice" if offered else "open"
    return Reading(
        Comparison(function=function, entities=entities, attribute=attribute, form=form, options=offered)  # type: ignore[arg-type]
    )


_ALL = frozenset(word for word in f"{_MOST} {_MORE}".split() if word.isalpha())

FAMILY = Family(
    "superlative",
    "which of several things is the largest, tallest, smallest, ...",
    _GRAMMAR,
    _build,
    cues=sorted(_ALL),
)
