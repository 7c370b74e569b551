"""Sets while they are gone through: their members, what was left out of them, and how a changed one is written again.

The objects of a name are a set of the one-shot language; other sets are only of cells. Both are looked at alike here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from placecell.engine.cells.values import FilteredValue, SetValue
from placecell.engine.evidence import pooled, seen_by
from placecell.engine.values import (
    NO_EVIDENCE,
    Absent,
    Evidence,
    InstancesValue,
    InstanceValue,
    ListValue,
    Reason,
    Value,
)
from placecell.language.types import Kind, StaticType

_NONE_THERE = ("not found", "ambiguous")
"""Reasons for an empty set that leave it a set: it is known that there is none, or none for sure."""


@dataclass(frozen=True, eq=False)
class Members:
    """The members of a set in order; ``undecided`` more were left out because a condition was too close to call."""

    items: tuple[Value, ...]
    name: str = "values"
    element: Kind = Kind.UNKNOWN
    undecided: int = 0
    evidence: Evidence = NO_EVIDENCE
    reason: Reason | None = None

    def flags(self) -> tuple[str, ...]:
        return (f"{self.undecided} left out, too close to call",) if self.undecided else ()

    def nothing(self, kind: str, what: str) -> Absent:
        """Why there is no ``what`` of an empty set."""
        if self.undecided:
            message = f"there is no {what}: all {self.undecided} {self.name} that might count are too close to call"
            return Absent(kind, "ambiguous", message)
        return Absent(kind, self.reason or "not found", f"there is no {what} of no {self.name}")


def members_of(value: Value, kind: str) -> Members | Absent:
    """The members of a set; why a value of ``kind`` is absent where it is none, or nobody looked for its members."""
    match value:
        case InstancesValue():
            if not value.instances and value.reason is not None and value.reason not in _NONE_THERE:
                return Absent(kind, value.reason, _unknown(value))
            things = tuple(InstanceValue(i, evidence=seen_by([i])) for i in value.instances)
            undecided = value.undecided if isinstance(value, FilteredValue) else 0
            return Members(things, value.name, Kind.INSTANCE, undecided, value.evidence, value.reason)
        case SetValue():
            return Members(value.items, value.name or "values", value.element, value.undecided, value.evidence)
        case ListValue():
            names = dict.fromkeys(i.instance.name for i in value.items if isinstance(i, InstanceValue))
            return Members(value.items, ", ".join(names) or "values")
        case Absent():
            return Absent(kind, "input absent", "there is no set to go through", value)
    return Absent(kind, "degenerate", "this is no set")


def _unknown(value: InstancesValue) -> str:
    if value.reason == "not looked for":
        return f"nobody looked for {value.name!r} in this memory"
    return value.note or f"it is not known which {value.name} there are"


def element_kind(type_: StaticType | None) -> Kind:
    """What a set of this static type is a set of."""
    if type_ is None:
        return Kind.UNKNOWN
    return Kind.INSTANCE if type_.kind is Kind.INSTANCES else type_.element.kind if type_.element else Kind.UNKNOWN


def set_of(items: Iterable[Value], like: Members, element: Kind, *, flags: Sequence[str] = ()) -> Value:
    """A set of such members: of objects as the one-shot language has it. ``like`` lends its name and evidence."""
    listed = tuple(items)
    evidence = pooled(like.evidence, Evidence(flags=(*like.flags(), *flags)))
    if element is not Kind.INSTANCE:
        return SetValue(listed, element, like.undecided, like.name, evidence)
    present = tuple(item.instance for item in listed if isinstance(item, InstanceValue))
    missing = len(listed) - len(present)
    if missing:
        evidence = pooled(evidence, Evidence(flags=(f"{missing} of {len(listed)} left out: absent",)))
    rests = replace(seen_by(present), flags=tuple(dict.fromkeys((*seen_by(present).flags, *evidence.flags))))
    reason: Reason | None = None if present else "ambiguous" if like.undecided else (like.reason or "not found")
    return FilteredValue(like.name, present, reason, rests, undecided=like.undecided)


def capped(value: InstancesValue, most: int) -> InstancesValue:
    """At most so many objects, the surest, with a flag: what a cell may go through is bounded beforehand."""
    if len(value.instances) <= most:
        return value
    flag = Evidence(flags=(f"the first {most} of {len(value.instances)}",))
    return replace(value, instances=value.instances[:most], evidence=pooled(value.evidence, flag))


def pairs(first: Members, second: Members | None) -> Members:
    """Every member of one set with every one of another; of one set every two of its members."""
    if second is None:
        count = len(first.items)
        both = [(first.items[i], first.items[j]) for i in range(count) for j in range(i + 1, count)]
        second = Members(())
    else:
        both = [(a, b) for a in first.items for b in second.items]
    items = tuple(ListValue(pair) for pair in both)
    name = f"pairs of {first.name}" + (f" and {second.name}" if second.items else "")
    undecided = first.undecided + second.undecided
    return Members(items, name, Kind.LIST, undecided, pooled(first.evidence, second.evidence))


def resting_on(value: Value, evidence: Evidence) -> Value:
    """The value with more of what it rests on."""
    own = getattr(value, "evidence", None)
    if not isinstance(own, Evidence) or evidence == NO_EVIDENCE:
        return value
    more: Value = replace(value, evidence=pooled(own, evidence))  # type: ignore[arg-type]
    return more
