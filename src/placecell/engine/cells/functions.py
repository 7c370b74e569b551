"""What the builtin functions of cells compute; ``language.cells.functions`` has the typing rule of each.

Whatever they are given, they give a value or an ``Absent``: a checked cell never hands them a wrong kind.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Literal

from placecell.engine.cells.comparing import joined_verdict
from placecell.engine.cells.frames import point_in
from placecell.engine.cells.quantities import (
    Quantity,
    absolute,
    add,
    middle,
    plain,
    quantity_of,
    rounded,
    scaled,
    square_root,
    total,
)
from placecell.engine.cells.ranking import best_by_score, in_order
from placecell.engine.cells.sets import Members, counted, element_kind, members_of, resting_on, set_of
from placecell.engine.cells.use import OfSet, Use, of_set
from placecell.engine.cells.values import UNDECIDED, FrameValue, PointValue, VectorValue, Verdict
from placecell.engine.evidence import pooled
from placecell.engine.values import Absent, Count, Evidence, InstanceValue, Value
from placecell.language.dimensions import DEGREES, METRES, PLAIN, SECONDS, Dimension


def apply(use: Use) -> Value:
    """The value of a builtin function."""
    return FUNCTIONS[use.name](use)


def _unit(dimension: Dimension) -> Callable[[Use], Value]:
    def given(use: Use) -> Value:
        number = use.number(use.given[0])
        return number if isinstance(number, Absent) else replace(number, dimension=dimension)

    return given


def _of_number(compute: Callable[[Quantity], Quantity | Absent]) -> Callable[[Use], Value]:
    def computed(use: Use) -> Value:
        number = use.number(use.given[0])
        return number if isinstance(number, Absent) else compute(number)

    return computed


def _round(use: Use) -> Value:
    number = use.number(use.given[0])
    digits = quantity_of(use.given[1]) if len(use.given) > 1 else plain(0)
    if isinstance(number, Absent) or digits is None:
        return number
    unit = 10.0 ** int(digits.value)
    return scaled(rounded(scaled(number, unit)), 1.0 / unit)


def _numbers(use: Use, found: Members) -> list[Quantity] | Absent:
    """All members as numbers; absent when one is."""
    numbers = []
    for item in found.items:
        number = use.number(item)
        if isinstance(number, Absent):
            return number
        numbers.append(number)
    return numbers


def _sum(use: Use, found: Members, scores: Sequence[Value]) -> Value:
    numbers = _numbers(use, found)
    return numbers if isinstance(numbers, Absent) else total(numbers, use.type.dimension or PLAIN)


def _middle(of: Callable[[list[Quantity]], Quantity | Absent]) -> OfSet:
    def found(use: Use, found: Members, scores: Sequence[Value]) -> Value:
        numbers = _numbers(use, found)
        if isinstance(numbers, Absent) or not numbers:
            return numbers if isinstance(numbers, Absent) else found.nothing(use.kind, use.name)
        return middle(numbers, of)

    return found


def _mean(numbers: list[Quantity]) -> Quantity | Absent:
    summed = total(numbers)
    return summed if isinstance(summed, Absent) else scaled(summed, 1.0 / len(numbers))


def _median(numbers: list[Quantity]) -> Quantity | Absent:
    ranked = sorted(numbers, key=lambda number: number.value)
    low, high = ranked[(len(ranked) - 1) // 2], ranked[len(ranked) // 2]
    both = low if low is high else add(low, high)
    return both if isinstance(both, Absent) or low is high else scaled(both, 0.5)


def _count(use: Use) -> Value:
    found = use.members()
    if isinstance(found, Absent):
        return found
    sure = found.certain().items
    unsure = sum(isinstance(item, InstanceValue) and not item.instance.certain for item in sure)
    evidence = pooled(found.evidence, Evidence(flags=found.flags()))
    return counted(Count(len(sure), unsure, evidence), use.given[0])


def _member(place: int) -> OfSet:
    def taken(use: Use, found: Members, scores: Sequence[Value]) -> Value:
        return found.items[place] if found.items else found.nothing(use.kind, use.name)

    return taken


def _verdicts(op: Literal["and", "or"]) -> Callable[[Use], Value]:
    """any and all: a doubtful member may count or not, so that it alone decides nothing."""
    neutral: Literal["and", "or"] = "and" if op == "or" else "or"

    def joint(use: Use) -> Value:
        found = use.members()
        if isinstance(found, Absent):
            return found
        verdicts = [
            joined_verdict(neutral, [item, Verdict(UNDECIDED)]) if i in found.doubtful else item
            for i, item in enumerate(found.items)
        ]
        verdicts += [Verdict(UNDECIDED)] if found.beyond else []
        return resting_on(joined_verdict(op, verdicts), found.evidence)

    return joint


def _together(use: Use) -> Value:
    """The members of several sets, objects only once."""
    sets = [members_of(value, use.kind) for value in use.given]
    missing = next((found for found in sets if isinstance(found, Absent)), None)
    known = [found for found in sets if isinstance(found, Members)]
    if missing is not None:
        return missing
    once: dict[object, tuple[Value, bool]] = {}
    for number, found in enumerate(known):
        for i, item in enumerate(found.items):
            key = item.instance.id if isinstance(item, InstanceValue) else (number, i)
            once[key] = (item, i in found.doubtful and once.get(key, (item, True))[1])
    joint = Members(
        tuple(item for item, _ in once.values()),
        frozenset(k for k, (_, doubtful) in enumerate(once.values()) if doubtful),
        " and ".join(dict.fromkeys(found.name for found in known)),
        pooled(*(found.evidence for found in known)),
        beyond=sum(found.beyond for found in known),
    )
    return set_of(joint, element_kind(use.type))


def _in_frame(use: Use) -> Value:
    value, frame = use.given
    match value, frame:
        case (Absent(), _) | (_, Absent()):
            return use.without(value if isinstance(value, Absent) else frame)  # type: ignore[arg-type]
        case (PointValue() | VectorValue(), FrameValue()):
            return resting_on(point_in(frame, value), frame.evidence)
    return Absent(use.kind, "degenerate", "only points and vectors are told in a frame")


FUNCTIONS: Mapping[str, Callable[[Use], Value]] = {
    "metres": _unit(METRES),
    "seconds": _unit(SECONDS),
    "degrees": _unit(DEGREES),
    "abs": _of_number(absolute),
    "sqrt": _of_number(square_root),
    "round": _round,
    "floor": _of_number(lambda number: rounded(number, math.floor)),
    "ceil": _of_number(lambda number: rounded(number, math.ceil)),
    "min": best_by_score(greatest=False),
    "max": best_by_score(greatest=True),
    "sorted": in_order,
    "sum": of_set(_sum),
    "mean": of_set(_middle(_mean)),
    "median": of_set(_middle(_median)),
    "count": _count,
    "first": of_set(_member(0)),
    "last": of_set(_member(-1)),
    "any": _verdicts("or"),
    "all": _verdicts("and"),
    "together": _together,
    "in_frame": _in_frame,
}
"""What each builtin computes, but `pairs` and `answer`, which are no values of their own."""
