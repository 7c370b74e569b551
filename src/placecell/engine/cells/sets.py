"""Sets while they are gone through: their members, which of them are doubtful, and how a changed set is written again.

A member is doubtful when a condition on it was too close to call, or not known. It is left out of the set and kept
beside it, so that whatever is computed of the set can say how much it would change. The objects of a name are a set of
the one-shot language; other sets are only of cells. Both are looked at alike here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from placecell.engine.cells.values import FilteredValue, SetValue
from placecell.engine.evidence import pooled, seen_by
from placecell.engine.values import (
    NO_EVIDENCE,
    Absent,
    Count,
    Evidence,
    InstancesValue,
    InstanceValue,
    ListValue,
    Reason,
    Value,
)
from placecell.language.types import Kind, StaticType
from placecell.memory.scene import Instance

_T = TypeVar("_T")

_NONE_THERE = ("not found", "ambiguous")
"""Reasons for an empty set that leave it a set: it is known that there is none, or none for sure."""


@dataclass(frozen=True, eq=False)
class Members:
    """The members of a set in order, those at the indices ``doubtful`` only perhaps; ``beyond`` more were not taken."""

    items: tuple[Value, ...]
    doubtful: frozenset[int] = frozenset()
    name: str = "values"
    evidence: Evidence = NO_EVIDENCE
    reason: Reason | None = None
    beyond: int = 0

    @property
    def sure(self) -> tuple[int, ...]:
        """Indices of the members that are not doubtful."""
        return tuple(i for i in range(len(self.items)) if i not in self.doubtful)

    def picked(self, indices: Sequence[int]) -> Members:
        """These members in this order, doubtful as they are."""
        doubtful = frozenset(k for k, i in enumerate(indices) if i in self.doubtful)
        return replace(self, items=tuple(self.items[i] for i in indices), doubtful=doubtful)

    def certain(self) -> Members:
        """Only the members that are not doubtful."""
        return self.picked(self.sure) if self.doubtful else self

    def everyone(self) -> Members:
        """All members, none of them doubtful."""
        return replace(self, doubtful=frozenset())

    def flags(self) -> tuple[str, ...]:
        unsure = (f"{len(self.doubtful)} left out, too close to call",) if self.doubtful else ()
        return (*unsure, *not_taken(self.beyond))

    def nothing(self, kind: str, what: str) -> Absent:
        """Why there is no ``what`` of a set without a sure member."""
        if self.doubtful:
            message = f"there is no {what}: it is too close to call which of {len(self.doubtful)} {self.name} count"
            return Absent(kind, "ambiguous", message)
        return Absent(kind, self.reason or "not found", f"there is no {what} of no {self.name}")


def members_of(value: Value, kind: str) -> Members | Absent:
    """The members of a set; why a value of ``kind`` is absent where it is none, or nobody looked for its members."""
    match value:
        case InstancesValue():
            if not value.instances and value.reason is not None and value.reason not in _NONE_THERE:
                return Absent(kind, value.reason, _unknown(value))
            doubtful = value.doubtful if isinstance(value, FilteredValue) else ()
            things, unsure = _merged(value.instances, doubtful)
            objects = tuple(object_of(value, thing) for thing in things)
            return Members(objects, unsure, value.name, value.evidence, value.reason, value.beyond)
        case SetValue():
            items, unsure = _merged(value.items, value.doubtful)
            return Members(items, unsure, value.name or "values", value.evidence, beyond=value.beyond)
        case ListValue():
            names = dict.fromkeys(i.instance.name for i in value.items if isinstance(i, InstanceValue))
            return Members(value.items, name=", ".join(names) or "values")
        case Absent():
            return Absent(kind, "input absent", "there is no set to go through", value)
    return Absent(kind, "degenerate", "this is no set")


def size_of(value: Value) -> int | None:
    """How many members a set has, doubtful ones included; None for what is no set."""
    match value:
        case FilteredValue():
            return len(value.instances) + len(value.doubtful)
        case InstancesValue():
            return len(value.instances)
        case SetValue():
            return len(value.items) + len(value.doubtful)
    return None


def object_of(value: InstancesValue, thing: Instance) -> InstanceValue:
    """One of the objects by itself."""
    close = isinstance(value, FilteredValue) and thing.id in value.close
    return InstanceValue(thing, 0.0 if close else None, evidence=seen_by([thing]))


def _merged(sure: Sequence[_T], doubtful: Sequence[tuple[int, _T]]) -> tuple[tuple[_T, ...], frozenset[int]]:
    """All members in order, and the indices of the doubtful ones, each given with how many sure ones come before it."""
    if not doubtful:
        return tuple(sure), frozenset()
    ranked = [((k, 1), item) for k, item in enumerate(sure)]
    # A doubtful member that follows k sure ones comes right before the next of them.
    ranked += [((k, 0), item) for k, item in doubtful]
    ranked.sort(key=lambda entry: entry[0])
    return tuple(item for _, item in ranked), frozenset(i for i, (at, _) in enumerate(ranked) if at[1] == 0)


def _split(items: Sequence[_T], doubtful: frozenset[int]) -> tuple[tuple[_T, ...], tuple[tuple[int, _T], ...]]:
    """Sure members, and doubtful ones each with how many sure ones come before it."""
    sure: list[_T] = []
    unsure: list[tuple[int, _T]] = []
    for i, item in enumerate(items):
        if i in doubtful:
            unsure.append((len(sure), item))
        else:
            sure.append(item)
    return tuple(sure), tuple(unsure)


def _unknown(value: InstancesValue) -> str:
    if value.reason == "not looked for":
        return f"nobody looked for {value.name!r} in this memory"
    return value.note or f"it is not known which {value.name} there are"


def element_kind(type_: StaticType | None) -> Kind:
    """What a set of this static type is a set of."""
    if type_ is None:
        return Kind.UNKNOWN
    return Kind.INSTANCE if type_.kind is Kind.INSTANCES else type_.element.kind if type_.element else Kind.UNKNOWN


def set_of(members: Members, element: Kind, flags: Iterable[str] = ()) -> Value:
    """Members as a value: of objects as the one-shot language has it."""
    evidence = pooled(members.evidence, Evidence(flags=(*members.flags(), *flags)))
    if element is not Kind.INSTANCE:
        items, doubtful = _split(members.items, members.doubtful)
        return SetValue(items, element, doubtful, members.name, evidence, members.beyond)
    there = members.picked([i for i, item in enumerate(members.items) if isinstance(item, InstanceValue)])
    missing = len(members.items) - len(there.items)
    if missing:
        evidence = pooled(evidence, Evidence(flags=(f"{missing} of {len(members.items)} left out: absent",)))
    objects = [item for item in there.items if isinstance(item, InstanceValue)]
    things = [item.instance for item in objects]
    close = frozenset(item.instance.id for item in objects if item.margin == 0.0)
    present, unsure = _split(things, there.doubtful)
    seen = seen_by(present)
    rests = replace(seen, flags=tuple(dict.fromkeys((*seen.flags, *evidence.flags))))
    reason: Reason | None = None if present else "ambiguous" if unsure else (members.reason or "not found")
    return FilteredValue(members.name, present, reason, rests, beyond=members.beyond, doubtful=unsure, close=close)


def capped(value: InstancesValue, most: int) -> InstancesValue:
    """At most so many objects, the surest, with a flag: what a cell may go through is bounded beforehand."""
    if len(value.instances) <= most:
        return value
    beyond = len(value.instances) - most
    evidence = pooled(value.evidence, Evidence(flags=not_taken(beyond)))
    return replace(value, instances=value.instances[:most], evidence=evidence, beyond=beyond)


def not_taken(beyond: int) -> tuple[str, ...]:
    """What is to be known of whatever is computed of a set that lacks so many."""
    return (f"{beyond} more, less sure ones, were not looked at",) if beyond else ()


def remarks(value: Value) -> tuple[str, ...]:
    """Flags of a value that hold for all that is computed of it: those that not every look at its objects gives."""
    match value:
        case ListValue():
            return tuple(flag for item in value.items for flag in remarks(item))
        case SetValue():
            return not_taken(value.beyond)
        case InstancesValue() if value.evidence.flags:
            plain = seen_by(value.instances).flags
        case InstanceValue() if value.evidence.flags:
            plain = seen_by([value.instance]).flags
        case _:
            plain = ()
    return tuple(flag for flag in getattr(value, "evidence", NO_EVIDENCE).flags if flag not in plain)


def counted(count: Count, objects: Value) -> Count:
    """With the members that were left out: what has a name is known, but not whether it meets a condition."""
    match objects:
        case FilteredValue() | SetValue():
            return replace(count, uncertain=count.uncertain + objects.undecided + objects.beyond)
        case InstancesValue():
            return replace(count, value=count.value + objects.beyond)
    return count


def pairs(first: Members, second: Members | None) -> Members:
    """Every member of one set with every one of another; of one set every two of its members."""
    count = len(first.items)
    if second is None:
        other, name = first, f"pairs of {first.name}"
        both = [(i, j) for i in range(count) for j in range(i + 1, count)]
    else:
        other, name = second, f"pairs of {first.name} and {second.name}"
        both = [(i, j) for i in range(count) for j in range(len(second.items))]
    return Members(
        tuple(ListValue((first.items[i], other.items[j])) for i, j in both),
        frozenset(k for k, (i, j) in enumerate(both) if i in first.doubtful or j in other.doubtful),
        name,
        pooled(first.evidence, other.evidence),
        beyond=first.beyond + (0 if second is None else other.beyond),
    )


def resting_on(value: Value, evidence: Evidence) -> Value:
    """The value with more of what it rests on."""
    own = getattr(value, "evidence", None)
    if not isinstance(own, Evidence) or evidence == NO_EVIDENCE:
        return value
    more: Value = replace(value, evidence=pooled(own, evidence))  # type: ignore[arg-type]
    return more
