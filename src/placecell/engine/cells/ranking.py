"""min, max and sorted: the member with the least score, and all of them in order, with what is too close to call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from placecell.engine.cells.choosing import Choice, choose, extreme
from placecell.engine.cells.quantities import Quantity
from placecell.engine.cells.sets import Members, element_kind, resting_on, set_of
from placecell.engine.cells.use import Use, of_set
from placecell.engine.evidence import pooled
from placecell.engine.values import Absent, Count, Evidence, Flag, InstanceValue, Value

_MANY_FLAGS = 4


def best_by_score(greatest: bool) -> Callable[[Use], Value]:
    """min and max: the member with the least or greatest score, or of several values that value."""
    choose_ = of_set(lambda use, found, scores: _best(use, found, scores, greatest))

    def chosen(use: Use) -> Value:
        if len(use.given) == 1:
            return choose_(use)
        several = Members(tuple(use.given))
        return _best(use, several, several.items, greatest)

    return chosen


def _best(use: Use, found: Members, scores: Sequence[Value], greatest: bool) -> Value:
    ranked = _ranked(use, found, scores, greatest)
    if isinstance(ranked, Absent):
        return ranked
    kept, numbers, choice, flags = ranked
    evidence = Evidence(flags=(*flags, *_ties(kept, choice, first_only=True)))
    best = kept[choice.best]
    if isinstance(best, Count):
        return resting_on(best, evidence)
    if use.scores is None:
        number = extreme([n.number for n in numbers], choice)
        return Quantity(number, numbers[0].dimension, pooled(*(n.evidence for n in numbers), evidence))
    if isinstance(best, InstanceValue):
        best = _with_margin(best, kept, numbers, choice)
    return resting_on(best, pooled(numbers[choice.best].evidence, evidence))


def _with_margin(
    best: InstanceValue, kept: Sequence[Value], scores: Sequence[Quantity], choice: Choice
) -> InstanceValue:
    """With its margin, as a share of the larger score, and the runner-up."""
    if choice.runner_up is None:
        return best
    second = kept[choice.runner_up]
    low, high = scores[choice.best].value, scores[choice.runner_up].value
    whole = max(abs(low), abs(high))
    share = min(1.0, abs(high - low) / whole) if whole > 0 else 0.0
    tied = (choice.best, choice.runner_up) in choice.ties
    runner_up = second.instance if isinstance(second, InstanceValue) else None
    return replace(best, margin=0.0 if tied else share, runner_up=runner_up)


Ranked = tuple[list[Value], list[Quantity], Choice, tuple[str, ...]]


def _ranked(use: Use, found: Members, scores: Sequence[Value], greatest: bool) -> Ranked | Absent:
    """Members that have a score, their scores, the order, and flags about those that have none."""
    if not found.items:
        return found.nothing(use.kind, use.name)
    kept: list[Value] = []
    numbers: list[Quantity] = []
    missing: list[Absent] = []
    for item, score in zip(found.items, scores, strict=True):
        number = use.number(score)
        if isinstance(item, Absent):
            missing.append(item)
        elif isinstance(number, Absent):
            missing.append(number)
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
    ties = [t for t in choice.ties if not first_only or t[0] == choice.best]
    if first_only and ties:
        margin = choice.margin
        close = "" if margin is None else f" (margin {margin:.1f} standard deviations)"
        return [f"close to {_name(kept, ties[0][1])}{close}"]
    told = [f"{_name(kept, a)} and {_name(kept, b)} too close to call" for a, b in ties[:_MANY_FLAGS]]
    return told + ([f"{len(ties) - _MANY_FLAGS} more too close to call"] if len(ties) > _MANY_FLAGS else [])


def _name(kept: Sequence[Value], index: int) -> str:
    item = kept[index]
    return f"{item.instance.name} {item.instance.id}" if isinstance(item, InstanceValue) else f"value {index + 1}"


def in_order(use: Use) -> Value:
    """Everyone in order, the doubtful ones where they would be."""
    found = use.members()
    if isinstance(found, Absent):
        return found
    if not found.items:
        return set_of(found, element_kind(use.type))
    down = len(use.given) > 1 and isinstance(use.given[1], Flag) and use.given[1].value
    ranked = _ranked(use, found, found.items if use.scores is None else use.scores, down)
    if isinstance(ranked, Absent):
        return ranked
    kept, _, choice, flags = ranked
    place = {id(item): i for i, item in enumerate(found.items)}
    order = found.picked([place[id(kept[i])] for i in choice.order])
    tied = {i for pair in choice.ties for i in pair}
    items = tuple(_placed(item, i in tied) for i, item in zip(choice.order, order.items, strict=True))
    return set_of(replace(order, items=items), element_kind(use.type), (*flags, *_ties(kept, choice)))


def _placed(item: Value, tied: bool) -> Value:
    """A member as sure as its place in an order; ``tied``: that may be another one's too."""
    return replace(item, margin=0.0 if tied else None) if isinstance(item, InstanceValue) else item
