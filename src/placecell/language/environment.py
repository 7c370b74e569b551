"""What the checker knows at one point of a program: bound names, the memory's facts, the viewpoint, what was done.

A whole program and a piece of one are checked alike: start from an environment, check statements, keep the result
only if there was no error.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from placecell.language.decomposition import Decomposition
from placecell.language.diagnostics import Diagnostic
from placecell.language.ops import OPERATIONS
from placecell.language.plan import NO_FACTS, Call, MemoryFacts, Span
from placecell.language.signature import Category, Operation, Viewpoint
from placecell.language.source import Source
from placecell.language.types import FIELDS, FieldSpec, Kind, StaticType
from placecell.language.viewpoint import ViewPose


@dataclass(frozen=True, slots=True)
class Limits:
    """Budgets a program may not exceed."""

    renders: int = 12
    operations: int = 120


@dataclass(slots=True)
class Binding:
    """A bound name: its type, where it was bound, by which call, and whether anything read it."""

    type: StaticType
    span: Span
    statement: int
    call: Call | None = None
    used: bool = False
    stale_reported: bool = False


@dataclass(frozen=True, slots=True)
class View:
    """The current viewpoint: ``stamp`` counts its changes (0 = none was ever set), ``pose`` is None when unknown."""

    stamp: int = 0
    pose: ViewPose | None = None


NO_VIEW = View()


@dataclass(slots=True)
class Event:
    """One checked call: its arguments' types, its result, the viewpoint during (for a motion: after) it.

    ``faulty`` says that an argument's fault was reported, so that nothing more is made of the event.
    """

    operation: Operation
    call: Call
    arguments: Mapping[str, StaticType]
    result: StaticType
    view: View
    statement: int
    target: str | None = None
    faulty: bool = False

    @property
    def name(self) -> str:
        return self.operation.name

    @property
    def builds(self) -> bool:
        return self.operation.category is Category.CONSTRUCT

    @property
    def moves(self) -> bool:
        return self.operation.category is Category.TRANSFORM

    @property
    def reads_viewpoint(self) -> bool:
        """Whether the result depends on where the viewpoint is."""
        operation = self.operation
        if operation.viewpoint is Viewpoint.READS or operation.shows_viewpoint:
            return True
        if operation.name == "select_object":
            by = self.arguments["by"].value if "by" in self.arguments else None
            return by in ("leftmost", "rightmost") or (by in ("nearest", "farthest") and "of" not in self.arguments)
        return operation.reads_without is not None and operation.reads_without not in self.arguments

    @property
    def observes(self) -> bool:
        """Whether something is learned from the current viewpoint: a picture, or a measure that reads it."""
        return self.operation.category is Category.RENDER or (not self.moves and self.reads_viewpoint)


@dataclass(slots=True)
class Environment:
    """State of a check. ``statement`` is the index of the statement being checked.

    ``operations`` and ``fields`` are those of the language it is checked by: a program's, or a cell's.
    """

    source: Source
    facts: MemoryFacts = NO_FACTS
    limits: Limits = Limits()
    decomposition: Decomposition | None = None
    parameter: str = "images"
    operations: Mapping[str, Operation] = field(default_factory=lambda: OPERATIONS)
    fields: Mapping[Kind, Mapping[str, FieldSpec]] = field(default_factory=lambda: FIELDS)
    bindings: dict[str, Binding] = field(default_factory=dict)
    view: View = NO_VIEW
    events: list[Event] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    undefined: set[str] = field(default_factory=set)
    unbuilt: dict[str, Span] = field(default_factory=dict)
    """Names used as the memory before any was built, with the first use of each."""
    statement: int = 0
    guesses: bool = True
    """Whether a repair may take what is only likely: the one name that looks alike, the surest of several objects. Not
    in cells, whose names may be missing because a cell was refused, and whose author can look and decide."""
    blurred: bool = False
    """Something was not understood, so what is missing from the events proves nothing."""

    def report(self, diagnostic: Diagnostic) -> None:
        self.diagnostics.append(diagnostic)

    def change_view(self, pose: ViewPose | None) -> None:
        """The viewpoint moved: everything bound to an earlier one is stale from here on."""
        self.view = View(self.view.stamp + 1, pose)

    def one_of(self, objects: str) -> str:
        """A call that takes one of several objects where one is wanted; where nothing is guessed, the only one."""
        return f'select_object({objects}, by="{"most_confident" if self.guesses else "only"}")'

    def memory_names(self) -> list[str]:
        return [name for name, b in self.bindings.items() if b.type.kind is Kind.MEMORY]

    def copy(self) -> Environment:
        """An independent environment to check a piece in; the original is untouched until the piece is accepted."""
        bindings = {name: replace(b) for name, b in self.bindings.items()}
        return replace(
            self, bindings=bindings, events=[replace(e) for e in self.events], diagnostics=list(self.diagnostics),
            undefined=set(self.undefined), unbuilt=dict(self.unbuilt),
        )  # fmt: skip
