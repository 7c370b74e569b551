"""One use of a builtin function, and functions of sets of which some members are doubtful."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from placecell.engine.cells.quantities import Quantity, quantity_of
from placecell.engine.cells.sets import Members, members_of, resting_on
from placecell.engine.cells.uncertain import source_of, with_error
from placecell.engine.evidence import pooled
from placecell.engine.measures import CLEAR
from placecell.engine.values import Absent, Evidence, InstanceValue, Value
from placecell.language.types import Kind, StaticType


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


OfSet = Callable[[Use, Members, Sequence[Value]], Value]
"""Computes something of a set: of its members, and of their scores (themselves, where there are no others)."""


def of_set(compute: OfSet) -> Callable[[Use], Value]:
    """The value of the sure members, as uncertain as the doubtful ones make it."""

    def over(use: Use) -> Value:
        found = use.members()
        if isinstance(found, Absent):
            return found
        scores = found.items if use.scores is None else tuple(use.scores)
        value = compute(use, found.certain(), [scores[i] for i in found.sure])
        if not found.doubtful:
            return resting_on(value, Evidence(flags=found.flags()))
        if isinstance(value, Absent):
            return value if found.sure else found.nothing(use.kind, use.name)
        return _widened(value, compute(use, found.everyone(), scores), found)

    return over


def _widened(value: Value, other: Value, found: Members) -> Value:
    """A value so uncertain that it reaches ``other``, which holds when the doubtful members count."""
    told = Evidence(flags=found.flags())
    match value, other:
        case (Quantity(), Quantity()) if value.dimension == other.dimension and other.value != value.value:
            source = source_of("doubtful", value.number, other.number)
            number = with_error(value.number, abs(other.value - value.value) / CLEAR, source)
            return Quantity(number, value.dimension, pooled(value.evidence, told))
        case (InstanceValue(), InstanceValue()) if value.instance.id != other.instance.id:
            perhaps = Evidence(flags=(f"perhaps {other.instance.name} {other.instance.id}",))
            evidence = pooled(value.evidence, told, perhaps)
            return replace(value, margin=0.0, runner_up=other.instance, evidence=evidence)
    return resting_on(value, told)
