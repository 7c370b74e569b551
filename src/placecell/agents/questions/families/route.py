"""Filling the blank turns of a route: "starting at A facing B, 1. [fill in] 2. go forward until C ...".

Slots: where the route starts and what is faced there, the goal, the steps (numbered or in one sentence), the turns
offered. Decomposes to route, entities=[goal], route=steps (a turn without direction is a blank), options' sequences.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from placecell.agents.questions import answers
from placecell.agents.questions.family import Asked, Family, Reading, Refusal, choice_or
from placecell.agents.questions.grammar import Grammar, Match, rules
from placecell.agents.questions.names import is_thing
from placecell.agents.questions.options import RawOption
from placecell.agents.questions.text import Text
from placecell.language.decomposition import Comparison, Facing, Function, Option, Reference, RouteStep

_HEADER = Grammar(
    rules("""
        start:
        [<suppose>] [<i> <am> [( a robot | the robot | an agent )] [that is]] [( i | you )] ( beginning | starting |
            begin | start | standing | stand | begins | starts | positioned ) [( at | by | from | next_to | in | near
            )] [the] [standing ( by | at )] {p:np+} [,] [and] [( i | you )] [<am>] <facing> {f}
        [( a | the ) robot] ( is | begins | starts ) [standing] ( at | by ) {p:np+} [,] [and] <facing> {f}
        from {p:np+} [,] <facing> {f}

        goal:
        [<i>] ( want | wants | need | needs | have | would like | wish | must ) [to] ( navigate | go | get | walk | move
            | travel | drive | head ) to {g:np+}
        [( to | in order to )] ( navigate | go | get | walk ) to {g:np+}
        [( <my> | the )] ( goal | destination | target ) is {g:np+}
        how do <i> get to {g:np+}

        frame:
        <i> ( will | should | must | can | are going to ) ( perform | take | do | follow | carry out ) ( the following
            | these ) ( actions | steps | instructions | moves ) [-lrb- {x:note} -rrb-]
        [the] ( actions | steps | instructions | route | plan ) [are] [( as follows | these | below )] [-lrb- {x:note}
            -rrb-]
        [-lrb-] note [:] {x:note} [-rrb-]
        ( fill in | fill | complete | choose ) {x:any}
        ( which turns | what turns | which turn ) ( are missing | go in the blanks | fill the blanks | fit [the
            blanks] | belong in the blanks )

        frame:
        <i> ( have | has ) [now] reached ( the | <my> ) [final] ( destination | goal | target )
        <i> ( arrive | have arrived | are there ) [( at | there )] [the] [( destination | goal )]
    """)
)
_STEPS = Grammar(
    rules("""
        go := [<i>] [then] ( go | walk | move | continue | proceed | head | drive | keep going ) [straight] [( forward
            | ahead | on | straight )]
        until := ( until | till | up to | to | towards | as far as ) [( <i> ( reach | get to | are at | arrive at |
            come to ) | reaching | arriving at | <i> are next_to )]

        blank:
        [<i>] [then] [turn] __

        turn:
        [<i>] [then] turn [to] [the] <lr:way>
        [<i>] [then] turn ( <around:way> | back )

        past:
        <go> [<until>] ( passing | past | by | <i> pass | <i> have passed ) {w} [on ( the | <my> ) <lr:side>]

        beside:
        <go> <until> {w} is [on] ( the | <my> | to <my> | at <my> ) <lr:side> [side]

        go:
        <go> <until> [( on | at | in | <i> are on )] {w:np+}
        <go> <until> {k:number} <length-unit> before {w:np+}
    """)
)
_ANY = Grammar((*_STEPS.rules, *_HEADER.rules))


def _build(asked: Asked) -> Reading | Refusal | None:
    text, first, last = asked.match.text, asked.match.first, asked.match.last
    if "__" not in text.norms[first:last]:
        return None
    numbers = _numbers(text, first, last)
    head = numbers[0] if numbers else _first_step(text, first, last)
    header = _read(_HEADER, text, first, head)
    if header is None:
        return Refusal("the start, the goal or an instruction of the route is not understood")
    start = next((m for m in header if m.note == "start"), None)
    goal = next((m.phrase("g") for m in header if m.note == "goal"), None)
    if start is None:
        return Refusal("the route does not say where it starts and what is faced there")
    spans = [(number + 2, following) for number, following in pairwise([*numbers, last])] or [(head, last)]
    steps: list[RouteStep] = []
    for span in spans:
        found = _steps(text, *span)
        if found is None:
            return Refusal(f"the step {text.quote(*span)!r} is not understood")
        steps += found
    place, faced = start.phrase("p"), start.phrase("f")
    landmarks = [step.until for step in steps if step.until]
    if not all(is_thing(name) for name in (place, faced, *landmarks)):
        return Refusal("a landmark of the route names no thing")
    options = _options(asked.options, sum(s.kind == "turn" and s.direction is None for s in steps))
    if isinstance(options, Refusal):
        return options
    facing = Facing(kind="towards_object", object=faced, quote=start.quote("f"))
    target = goal or (landmarks[-1] if landmarks else None)
    return Reading(
        Comparison(
            function=Function.ROUTE,
            entities=(target,) if target else (),
            form=choice_or("open", options),
            options=options,
            route=tuple(steps),
        ),
        Reference(kind="object", object=place, facing=facing, quote=start.quote()),
    )


def _numbers(text: Text, first: int, last: int) -> list[int]:
    """Where "1 .", "2 .", ... stand, in order."""
    found: list[int] = []
    for at in range(first, last - 1):
        if text.norms[at] == str(len(found) + 1) and text.norms[at + 1] in (".", "-rrb-", ":"):
            found.append(at)
    return found


def _first_step(text: Text, first: int, last: int) -> int:
    """Where the first clause that is a step begins, for routes without numbers."""
    for at in range(first, last):
        begins = at == first or text.norms[at - 1] in (":", ".", ",", "then", "and", ";")
        if begins and _STEPS.longest_prefix(text, at, last):
            return at
    return last


def _read(grammar: Grammar, text: Text, first: int, last: int) -> list[Match] | None:
    """All clauses from ``first`` to ``last``, whole sentences before parts of one; None when one is not understood."""
    found: list[Match] = []
    at = _skip(text, first, last)
    while at < last:
        stop = next((i for i in range(at, last) if text.norms[i] == "."), last)
        clause = next(grammar.match(text, at, stop), None) or grammar.longest_prefix(text, at, last)
        if clause is None:
            return None
        found.append(clause)
        at = _skip(text, clause.last, last)
    return found


def _skip(text: Text, at: int, last: int) -> int:
    while at < last and text.norms[at] in (",", ".", ":", ";", "and", "then", "?", "-rrb-", "next"):
        at += 1
    return at


def _steps(text: Text, first: int, last: int) -> list[RouteStep] | None:
    """The steps between two numbers, followed perhaps by the closing remark."""
    clauses = _read(_ANY, text, first, last)
    if clauses is None:
        return None
    steps = []
    for match in clauses:
        quote = match.quote()
        if match.note == "blank":
            steps.append(RouteStep(kind="turn", quote=quote))
        elif match.note == "turn":
            way = match.canon("way")
            steps.append(RouteStep(kind="turn", direction=way if way in ("left", "right") else "back", quote=quote))  # type: ignore[arg-type]
        elif match.note in ("go", "past", "beside"):
            side = match.canon("side").removesuffix("-hand") or None
            past = match.note == "past"
            steps.append(RouteStep(kind="go", until=match.phrase("w"), side=side, past=past, quote=quote))  # type: ignore[arg-type]
        elif match.note != "frame":
            return None
    return steps


def _options(options: Sequence[RawOption], blanks: int) -> tuple[Option, ...] | Refusal:
    out = []
    for option in options:
        sequence = answers.turns(option.text)
        if sequence is None:
            return Refusal(f"the option {option.text!r} is not a list of turns")
        if len(sequence) != blanks:
            return Refusal(f"the option {option.text!r} has {len(sequence)} turns for {blanks} blanks")
        out.append(Option(letter=option.letter, text=option.text, sequence=sequence))
    return tuple(out)


FAMILY = Family(
    "route",
    "which turns fill the blanks of a route",
    Grammar(rules("{all:everything}")),
    _build,
    example=(
        "I start at the door facing the window and want to go to the sofa: 1. [turn] 2. go forward until the bed "
        "3. [turn] 4. go forward until the sofa."
    ),
    cues=("robot", "navigate", "route", "destination", "__", "until"),
)
