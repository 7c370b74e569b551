"""What an entry of the operation table consists of. Pure descriptions: no checking, no running."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property

from placecell.language.types import Kind

Default = bool | int | float | str | None | tuple[()]


class Category(StrEnum):
    """The paper's four primitive types, two of ours, and what only cells have."""

    CONSTRUCT = "construct"
    QUERY = "query"
    TRANSFORM = "transform"
    RENDER = "render"
    MEASURE = "measure"
    DYNAMIC = "dynamic"
    FRAME = "frame"
    POINT = "point"
    WHATIF = "what-if"
    MOMENT = "moment"
    EFFECT = "effect"


CELL_CATEGORIES = frozenset({Category.FRAME, Category.POINT, Category.WHATIF, Category.MOMENT, Category.EFFECT})
"""Categories of operations that one-shot programs do not have."""


class Stage(StrEnum):
    """The three reasoning stages of the paper (table of stage constraints)."""

    REFERENCE = "reference"
    REFINEMENT = "refinement"
    COMPARISON = "comparison"


class Viewpoint(StrEnum):
    """What an operation does with the current viewpoint."""

    NONE = "none"
    SETS = "sets"
    MOVES = "moves"
    READS = "reads"


@dataclass(frozen=True, slots=True)
class Parameter:
    """One argument of an operation.

    ``kinds`` are accepted as they are; with ``many`` also a list of them (a lone value becomes a list of one).
    ``choices`` are the literal texts allowed, unless ``open_choices`` also lets any phrase pass. ``minimum`` and
    ``maximum`` are inclusive; ``above_minimum`` excludes the minimum itself. ``image`` marks image numbers (1..n).
    ``choice_aliases`` maps words other code uses to the choice that means the same. ``by_name``: reads better with its
    name, and is written so.
    """

    name: str
    kinds: frozenset[Kind]
    summary: str
    required: bool = True
    default: Default = None
    many: bool = False
    choices: tuple[str, ...] = ()
    open_choices: bool = False
    choice_aliases: Mapping[str, str] = field(default_factory=dict)
    minimum: float | None = None
    maximum: float | None = None
    above_minimum: bool = False
    integer: bool = False
    image: bool = False
    needs_metric: bool = False
    by_name: bool = False
    aliases: tuple[str, ...] = ()

    @property
    def default_text(self) -> str:
        return "[]" if self.default == () else repr(self.default)


@dataclass(frozen=True)
class Operation:
    """One operation of the language.

    ``returns`` is the kind it gives, ``frame_bound`` whether that value belongs to the viewpoint it was taken from.
    ``viewpoint`` READS means there must be one; ``reads_without`` names a parameter whose absence makes the operation
    read it, ``shows_viewpoint`` marks pictures that show it when there is one. ``ignored`` are argument names of other
    code bases that carry nothing here and are dropped with a note. An ``effect`` reaches outside and may ask a model;
    one that ``adds`` makes a new version of the memory. Of a returned set ``element`` is the kind of its members,
    ``most`` how many it has at most (None: as many as its argument).
    """

    name: str
    category: Category
    summary: str
    parameters: tuple[Parameter, ...]
    returns: Kind
    documentation: str
    example: str
    viewpoint: Viewpoint = Viewpoint.NONE
    reads_without: str | None = None
    shows_viewpoint: bool = False
    frame_bound: bool = False
    needs_time: bool = False
    aliases: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()
    from_paper: bool = False
    extra_stages: frozenset[Stage] = frozenset()
    effect: bool = False
    adds: bool = False
    element: Kind | None = None
    most: int | None = None

    @cached_property
    def stages(self) -> frozenset[Stage]:
        """Stages in which the operation may be used, by the paper's table; measuring joins rendering in comparison."""
        return STAGES[self.category] | self.extra_stages

    @property
    def cells_only(self) -> bool:
        """Whether one-shot programs lack it. Its numbers may be computed; those of other operations are written out."""
        return self.category in CELL_CATEGORIES

    @property
    def needs_metric(self) -> bool:
        """Some argument asks for metres, so a memory of unknown scale cannot serve it."""
        return any(p.needs_metric for p in self.parameters)

    @cached_property
    def by_name(self) -> Mapping[str, Parameter]:
        """Parameters by their own name and by every alias."""
        names = {alias: p for p in self.parameters for alias in p.aliases}
        names.update({p.name: p for p in self.parameters})
        return names

    @cached_property
    def required(self) -> tuple[Parameter, ...]:
        return tuple(p for p in self.parameters if p.required)

    @property
    def signature(self) -> str:
        """As shown to models and people: ``turn_camera(memory, direction, degrees=None)``."""
        shown = (p.name if p.required else f"{p.name}={p.default_text}" for p in self.parameters)
        return f"{self.name}({', '.join(shown)})"


STAGES: Mapping[Category, frozenset[Stage]] = {
    Category.CONSTRUCT: frozenset({Stage.REFERENCE}),
    Category.QUERY: frozenset(Stage),
    Category.TRANSFORM: frozenset({Stage.REFINEMENT}),
    Category.RENDER: frozenset({Stage.REFINEMENT, Stage.COMPARISON}),
    Category.MEASURE: frozenset({Stage.COMPARISON}),
    Category.DYNAMIC: frozenset({Stage.COMPARISON}),
    **dict.fromkeys(CELL_CATEGORIES, frozenset()),
}
