"""What a cell is checked against, and what its check gives: the session's names as types, costs, budgets.

Run-time facts are types here: how many instances a name holds, whether it is absent and why. Each cell that has run
makes the scope of the next one sharper.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from placecell.language.environment import NO_VIEW, View
from placecell.language.plan import NO_FACTS, CheckedPlan, Define, MemoryFacts, Statement
from placecell.language.types import StaticType

MAX_STATEMENTS = 12
MOST_FOUND = 200
"""Instances that a cell gets of a name at most; with more, the surest are taken and flagged."""

_NOTHING: Mapping[str, str] = MappingProxyType({})
_NO_SIZES: Mapping[str, int] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class CellCost:
    """Upper bounds known before running, or what was used, or what may be used.

    ``operations`` are calls of the table, ``pictures`` renders and photos, ``model_calls`` effects that may ask a
    model, ``evaluations`` expressions evaluated, those of every element of a set counted.
    """

    operations: int = 0
    pictures: int = 0
    model_calls: int = 0
    evaluations: int = 0

    def plus(self, other: CellCost, times: int = 1) -> CellCost:
        """This and ``other``, the latter so many times."""
        return CellCost(
            self.operations + times * other.operations,
            self.pictures + times * other.pictures,
            self.model_calls + times * other.model_calls,
            self.evaluations + times * other.evaluations,
        )

    def minus(self, other: CellCost) -> CellCost:
        """What is left, never below zero."""
        left = self.plus(other, -1)
        return CellCost(*(max(0, n) for n in (left.operations, left.pictures, left.model_calls, left.evaluations)))

    def __str__(self) -> str:
        return (
            f"{self.operations} operations, {self.pictures} pictures, {self.model_calls} model calls, "
            f"{self.evaluations} evaluations"
        )


BUDGET = CellCost(operations=2_000, pictures=16, model_calls=16, evaluations=50_000)
"""What a session may use in all unless told otherwise."""


@dataclass(frozen=True, slots=True)
class KnownName:
    """A name of the session: its type with what is known since it ran; ``absent``: it has no value, and why."""

    type: StaticType
    absent: str | None = None


@dataclass(frozen=True)
class CellScope:
    """Everything a cell may build on.

    ``memory`` is always a name and needs no entry. ``view`` is the current viewpoint, ``version`` counts the memory's
    versions. ``options`` are the answers the question allows (empty: it is open). ``effects`` are the names of the
    operations with an effect that can be served here; None: nobody knows yet.
    """

    names: Mapping[str, KnownName] = field(default_factory=lambda: MappingProxyType({}))
    helpers: Mapping[str, Define] = field(default_factory=lambda: MappingProxyType({}))
    facts: MemoryFacts = NO_FACTS
    budget: CellCost = BUDGET
    view: View = NO_VIEW
    version: int = 0
    options: tuple[str, ...] = ()
    effects: frozenset[str] | None = None

    def after(
        self,
        cell: CheckedCell,
        *,
        absent: Mapping[str, str] = _NOTHING,
        sizes: Mapping[str, int] = _NO_SIZES,
        stale: Iterable[str] = (),
        used: CellCost | None = None,
        facts: MemoryFacts | None = None,
    ) -> CellScope:
        """The scope of the next cell, once ``cell`` has run.

        Args:
            cell: the cell that was committed.
            absent: of its new names those without a value, with the reason in words.
            sizes: how many members its new sets and instances have.
            stale: earlier names that rest on objects which the memory's new version no longer has.
            used: what running it used; the printed bound when None.
            facts: those of the memory's new version, when an effect made one.
        """
        names = dict(self.names)
        for name, type_ in cell.types.items():
            known = type_._replace(size=sizes[name], exact=True) if name in sizes else type_
            names[name] = KnownName(known, absent.get(name))
        for name in stale:
            names[name] = replace(names[name], absent="what it rests on is no longer in the memory; ask again")
        return replace(
            self,
            names=MappingProxyType(names),
            helpers=MappingProxyType({**self.helpers, **cell.helpers}),
            facts=self.facts if facts is None else facts,
            budget=self.budget.minus(cell.cost if used is None else used),
            view=cell.view,
            version=cell.version,
        )


NO_SCOPE = CellScope()


@dataclass(frozen=True)
class CheckedCell:
    """A cell that passed every check.

    ``statements`` are canonical (every argument named, every composed node typed), ``text`` the same as text.
    ``types`` are those of the names it binds, ``cost`` the bound that is printed before it runs, ``effects`` the
    operations with an effect it calls, ``answers`` whether it ends with ``answer``. ``view`` and ``version`` hold
    after it. ``program``: the text is a one-shot program, checked by the paper's rules, and nothing else is given.
    """

    statements: tuple[Statement, ...]
    text: str
    types: Mapping[str, StaticType]
    helpers: Mapping[str, Define]
    cost: CellCost
    effects: tuple[str, ...] = ()
    answers: bool = False
    view: View = NO_VIEW
    version: int = 0
    program: CheckedPlan | None = None
