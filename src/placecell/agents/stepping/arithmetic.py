"""Questions that need arithmetic over what is measured, as cells: differences, ratios, sums and means of sizes and
distances.

The grammar is the questions' own; what a one-shot program can answer is left to the planner. Knows the wording and the
cell for it. Does not know the memory.
"""

from __future__ import annotations

from collections.abc import Sequence

from placecell.agents.author import Asked
from placecell.agents.questions.grammar import Grammar, Match, rules
from placecell.agents.questions.names import is_thing, split_names
from placecell.agents.questions.options import read_options
from placecell.agents.questions.text import tokenise
from placecell.agents.questions.units import take_unit
from placecell.agents.writer import quoted
from placecell.language.plan import MemoryFacts

_GRAMMAR = Grammar(
    rules("""
        sum := total | combined | summed | joint
        mean := average | mean
        far := farther | further | nearer | closer

        difference:
        how much <comparative:d> <is> {a} than {b}
        by how much <is> {a} <comparative:d> than {b}

        apart:
        what <is> the difference in <extent:d> between {a} and {b}
        what <is> the difference between the <extent:d> of {a} and ( that | the <extent> ) of {b}

        ratio:
        how many times <comparative:d> <is> {a} than {b}
        how many times as <upright:d> as {b} <is> {a}
        how many times as long as {b} <is> {a}
        what <is> the ratio of the <extent:d> of {a} to ( that | the <extent> ) of {b}

        sum:
        what <is> the <sum> <extent:d> of {list:list}
        what <is> the sum of the ( heights | widths | depths | lengths ) of {list:list}

        mean:
        what <is> the <mean> <extent:d> of [all] {a}

        farther:
        how much <far> [away] from {x} <is> {a} than {b}
        how much <far> [away] <is> {a} ( from | to ) {x} than {b}

        detour:
        how much longer <is> the way from {a} to {b} ( via | over | past | through ) {x} than the [( direct | straight
            )] way
    """)
)
_SIDES = {
    "height": ("tall", "taller", "high", "higher", "height", "heights", "low", "lower"),
    "width": ("wide", "wider", "broad", "broader", "width", "widths", "narrow", "narrower"),
    "depth": ("deep", "deeper", "depth", "depths"),
    "longest": ("long", "longer", "length", "lengths", "big", "bigger", "large", "larger"),
}
_SIDE_OF = {word: side for side, said in _SIDES.items() for word in said}
_LESS = frozenset({"lower", "narrower", "nearer", "closer"})


def cell_for(asked: Asked, facts: MemoryFacts) -> str | None:
    """The cell that answers such a question; None for every other."""
    stem, _ = read_options(asked.question, asked.options)
    text, _ = take_unit(tokenise(stem, facts.numbers[-1] if facts.numbers else None))
    end = len(text)
    while end and text.norms[end - 1] in ("?", "."):
        end -= 1
    cells = (_cell(match, facts) for match in _GRAMMAR.match(text, 0, end))
    return next((cell for cell in cells if cell is not None), None)


def _cell(match: Match, facts: MemoryFacts) -> str | None:
    words = match.canon().split()
    side = next((_SIDE_OF[word] for word in words if word in _SIDE_OF), None)
    less = not _LESS.isdisjoint(words)
    if match.note == "sum":
        listed = split_names(match.quote("list"), known=frozenset(facts.objects or ())) or ()
        return _sizes(listed, side, "{}", " + ") if len(listed) > 1 and side else None
    things = tuple(match.phrase(slot) for slot in ("a", "b", "x") if slot in match)
    if not all(map(is_thing, things)):
        return None
    if match.note == "detour":
        return _detour(*things)
    if match.note == "farther":
        return _farther(*things, less=less)
    if side is None:
        return None
    if match.note == "mean":
        return f"things = {_all(things[0])}\nanswer(mean([measure_size(thing).{side} for thing in things]))\n"
    form, between = {"difference": ("{}", " - "), "apart": ("abs({})", " - "), "ratio": ("{}", " / ")}[match.note]
    return _sizes(things[::-1] if less else things, side, form, between)


def _sizes(things: Sequence[str], side: str, form: str, between: str) -> str:
    """One object of each name, and the sizes of its side put together."""
    lines = [f'thing_{n} = select_object({_all(thing)}, by="only")' for n, thing in enumerate(things, 1)]
    sizes = between.join(f"measure_size(thing_{n}).{side}" for n in range(1, len(things) + 1))
    return "\n".join([*lines, f"answer({form.format(sizes)})\n"])


def _farther(a: str, b: str, x: str, *, less: bool) -> str:
    """How much farther from ``x`` one of two is than the other, ``less``: how much nearer."""
    lines = [f"start = {_all(x)}", *(f"to_{n} = measure_distance(start, {_all(t)})" for n, t in (("a", a), ("b", b)))]
    return "\n".join([*lines, f"answer({'to_b - to_a' if less else 'to_a - to_b'})\n"])


def _detour(a: str, b: str, x: str) -> str:
    """How much longer the way from ``a`` over ``x`` to ``b`` is than the straight one."""
    return (
        f"start = {_all(a)}\ngoal = {_all(b)}\nstop = {_all(x)}\n"
        "around = measure_distance(start, stop) + measure_distance(stop, goal)\n"
        "answer(around - measure_distance(start, goal))\n"
    )


def _all(thing: str) -> str:
    return f"query_3d_object_location({quoted(thing)})"
