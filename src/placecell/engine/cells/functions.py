"""What the builtin functions of cells compute; ``language.cells.functions`` has the typing rule of each.

Whatever they are given, they give a value or an ``Absent``: a checked cell never hands them a wrong kind.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from placecell.engine.cells.choosing import Choice, choose, extreme
from placecell.engine.cells.comparing import joined_verdict
from placecell.engine.cells.frames import point_in
from placecell.engine.cells.quantities import (
    Quantity,
    absolute,
    add,
    plain,
    quantity_of,
    rounded,
    scaled,
    square_root,
    total,
)
from placecell.engine.cells.sets import Members, element_kind, members_of, resting_on, set_of
from placecell.engine.cells.values import UNDECIDED, FrameValue, PointValue, VectorValue, Verdict
from placecell.engine.evidence import pooled
from placecell.engine.values import Absent, Count, Evidence, Flag, InstanceValue, Value
from placecell.language.dimensions import DEGREES, METRES, PLAIN, SECONDS, Dimension
from placecell.language.types import Kind, StaticType

_MANY_FLAGS = 4


@dataclass(frozen=True, eq=False)
class Use:
    """One use: arguments in order, and the type of the result.

    ``scores``: those of the members of the first argument, where ``by`` gave any. ``scale_error`` is the memory's
    relative error of scale.
    """

    name: str
    given: Sequence[Value]
    type: StaticType
    scores: Sequence[Value] | None = None
    scale_error: float = 0.0

    @property
    def kind(self) -> Kind:
        return self.type.kind

    def number(self, value: Value) -> Quantity | Absent:
        """An argument as a number."""
        if isinstance(value, Absent):
            return self.without(value)
        found = quantity_of(value, self.scale_error)
        return Absent(self.kind, "degenerate", f"{self.name} takes numbers") if found is None else found

    def without(self, cause: Absent) -> Absent:
        return Absent(self.kind, "input absent", f"{self.name} of something absent", cause)

    def members(self) -> Members | Absent:
        return members_of(self.given[0], self.kind)


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


def _extreme(use: Use, greatest: bool) -> Value:
    """The member with the least or greatest score; of several values, or of numbers, that value."""
    if len(use.given) > 1:
        found: Members | Absent = Members(tuple(use.given))
    else:
        found = use.members()
    if isinstance(found, Absent):
        return found
    ranked = _ranked(use, found, greatest)
    if isinstance(ranked, Absent):
        return ranked
    kept, scores, choice, flags = ranked
    evidence = Evidence(flags=(*found.flags(), *flags, *_ties(kept, choice, first_only=True)))
    best = kept[choice.best]
    if isinstance(best, Count):
        return resting_on(best, evidence)
    if use.scores is None:
        number = extreme([s.number for s in scores], choice)
        seen = pooled(*(s.evidence for s in scores), evidence)
        return Quantity(number, scores[choice.best].dimension, seen)
    if isinstance(best, InstanceValue):
        best = _chosen(best, kept, scores, choice)
    return resting_on(best, pooled(scores[choice.best].evidence, evidence))


def _chosen(best: InstanceValue, kept: Sequence[Value], scores: Sequence[Quantity], choice: Choice) -> InstanceValue:
    """With its margin, as a share of the larger score, and the runner-up."""
    if choice.runner_up is None:
        return best
    second = kept[choice.runner_up]
    low, high = scores[choice.best].value, scores[choice.runner_up].value
    whole = max(abs(low), abs(high))
    share = min(1.0, abs(high - low) / whole) if whole > 0 else 0.0
    tied = bool(choice.ties) and choice.ties[0] == (choice.best, choice.runner_up)
    runner_up = second.instance if isinstance(second, InstanceValue) else None
    return replace(best, margin=0.0 if tied else share, runner_up=runner_up)


Ranked = tuple[list[Value], list[Quantity], Choice, tuple[str, ...]]


def _ranked(use: Use, found: Members, greatest: bool) -> Ranked | Absent:
    """Members that have a score, their scores, the order, and flags about those that have none."""
    if not found.items:
        return found.nothing(use.kind, use.name)
    scores = use.scores if use.scores is not None else found.items
    kept: list[Value] = []
    numbers: list[Quantity] = []
    missing: list[Absent] = []
    for item, score in zip(found.items, scores, strict=True):
        number = use.number(score)
        if isinstance(number, Absent) or isinstance(item, Absent):
            missing.append(number if isinstance(number, Absent) else use.without(item))  # type: ignore[arg-type]
        elif numbers and number.dimension != numbers[0].dimension:
            return Absent(use.kind, "degenerate", f"{use.name} of values of several kinds")
        else:
            kept.append(item)
            numbers.append(number)
    if not numbers:
        return Absent(use.kind, "input absent", f"no score is known for {use.name}", missing[0])
    flags = (f"{len(missing)} of {len(found.items)} left out: {_reason(missing[0])}",) if missing else ()
    return kept, numbers, choose([n.number for n in numbers], greatest=greatest), flags


def _reason(absent: Absent) -> str:
    """The first reason of all."""
    while absent.cause is not None:
        absent = absent.cause
    return absent.message


def _ties(kept: Sequence[Value], choice: Choice, *, first_only: bool = False) -> list[str]:
    ties = [t for t in choice.ties if not first_only or t[0] == choice.best][:_MANY_FLAGS]
    if first_only and ties:
        margin = choice.margin
        close = "" if margin is None else f" (margin {margin:.1f} standard deviations)"
        return [f"close to {_name(kept, ties[0][1])}{close}"]
    return [f"{_name(kept, a)} and {_name(kept, b)} too close to call" for a, b in ties]


def _name(kept: Sequence[Value], index: int) -> str:
    item = kept[index]
    return f"{item.instance.name} {item.instance.id}" if isinstance(item, InstanceValue) else f"value {index + 1}"


def _sorted(use: Use) -> Value:
    found = use.members()
    if isinstance(found, Absent):
        return found
    down = len(use.given) > 1 and isinstance(use.given[1], Flag) and use.given[1].value
    if not found.items:
        return set_of((), found, element_kind(use.type))
    ranked = _ranked(use, found, down)
    if isinstance(ranked, Absent):
        return ranked
    kept, _, choice, flags = ranked
    return set_of([kept[i] for i in choice.order], found, element_kind(use.type), flags=(*flags, *_ties(kept, choice)))


def _numbers(use: Use) -> tuple[Members, list[Quantity]] | Absent:
    """All members as numbers; absent when one is."""
    found = use.members()
    if isinstance(found, Absent):
        return found
    numbers = []
    for item in found.items:
        number = use.number(item)
        if isinstance(number, Absent):
            return number
        numbers.append(number)
    return found, numbers


def _sum(use: Use) -> Value:
    known = _numbers(use)
    if isinstance(known, Absent):
        return known
    found, numbers = known
    summed = total(numbers, use.type.dimension or PLAIN)
    return summed if isinstance(summed, Absent) else summed.flagged(*found.flags())


def _mean(use: Use) -> Value:
    known = _numbers(use)
    if isinstance(known, Absent):
        return known
    found, numbers = known
    if not numbers:
        return found.nothing(use.kind, "mean")
    summed = total(numbers)
    return summed if isinstance(summed, Absent) else scaled(summed, 1.0 / len(numbers)).flagged(*found.flags())


def _median(use: Use) -> Value:
    known = _numbers(use)
    if isinstance(known, Absent):
        return known
    found, numbers = known
    if not numbers:
        return found.nothing(use.kind, "median")
    numbers.sort(key=lambda number: number.value)
    low, high = numbers[(len(numbers) - 1) // 2], numbers[len(numbers) // 2]
    both = low if low is high else add(low, high)
    if isinstance(both, Absent):
        return both
    return (both if low is high else scaled(both, 0.5)).flagged(*found.flags())


def _count(use: Use) -> Value:
    found = use.members()
    if isinstance(found, Absent):
        return found
    doubtful = sum(isinstance(item, InstanceValue) and not item.instance.certain for item in found.items)
    evidence = pooled(found.evidence, Evidence(flags=found.flags()))
    return Count(len(found.items), doubtful + found.undecided, evidence)


def _member(place: int) -> Callable[[Use], Value]:
    def taken(use: Use) -> Value:
        found = use.members()
        if isinstance(found, Absent):
            return found
        if not found.items:
            return found.nothing(use.kind, use.name)
        return resting_on(found.items[place], Evidence(flags=found.flags()))

    return taken


def _verdicts(op: str) -> Callable[[Use], Value]:
    def joint(use: Use) -> Value:
        found = use.members()
        if isinstance(found, Absent):
            return found
        open_ = [Verdict(UNDECIDED)] * found.undecided
        verdict = joined_verdict(op, [*found.items, *open_])  # type: ignore[arg-type]
        return resting_on(verdict, found.evidence)

    return joint


def _together(use: Use) -> Value:
    sets = [members_of(value, use.kind) for value in use.given]
    known = [found for found in sets if isinstance(found, Members)]
    if len(known) < len(sets):
        return next(found for found in sets if isinstance(found, Absent))
    items = [item for found in known for item in found.items]
    element = element_kind(use.type)
    if element is Kind.INSTANCE:
        items = list({item.instance.id: item for item in items if isinstance(item, InstanceValue)}.values())
    joint = Members(
        (),
        " and ".join(dict.fromkeys(found.name for found in known)),
        element,
        sum(found.undecided for found in known),
        pooled(*(found.evidence for found in known)),
    )
    return set_of(items, joint, element)


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
    "min": lambda use: _extreme(use, greatest=False),
    "max": lambda use: _extreme(use, greatest=True),
    "sorted": _sorted,
    "sum": _sum,
    "mean": _mean,
    "median": _median,
    "count": _count,
    "first": _member(0),
    "last": _member(-1),
    "any": _verdicts("or"),
    "all": _verdicts("and"),
    "together": _together,
    "in_frame": _in_frame,
}
"""What each builtin computes, but `pairs` and `answer`, which are no values of their own."""
