"""What an operation may see and change while a program runs: the memory, the viewpoint, the budgets.

Knows budgets and the settings of pictures. Does not know programs (``interpreter``) or operations.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from placecell.engine.values import Absent, Picture, PoseValue
from placecell.engine.viewpoint import Viewpoint
from placecell.memory.scene import SpatialMemory


@dataclass(frozen=True)
class Budget:
    """Limits of a run. What does not fit is an ``Absent`` "over budget"; nothing is cut short silently."""

    operations: int = 200
    pictures: int = 16
    seconds: float = 120.0
    bytes: int = 256 * 2**20
    """Bytes of pixels of all pictures together."""


@dataclass(frozen=True)
class PictureSettings:
    """``size``: pixels of the longer side of a picture. ``fov``: horizontal degrees where no photo lends its own."""

    size: int = 768
    fov: float = 90.0

    def __post_init__(self) -> None:
        if not (16 <= self.size <= 8192 and 10 <= self.fov <= 150):
            raise ValueError("pictures are 16 to 8192 pixels wide, their field of view 10 to 150 degrees")


@dataclass(frozen=True)
class BuildRequest:
    """What a program's build asks for; a provider may build, load or reuse."""

    dynamic: bool = False
    metric: bool = False


class Judgement(NamedTuple):
    """One of the options that were given, and how sure that is, 0..1 (None: not told)."""

    option: str
    confidence: float | None = None


Judge = Callable[[str, tuple[Picture, ...], tuple[str, ...]], Judgement | None]
"""Which of the options pictures show for a question, None for none of them. May raise a ``PlacecellError``."""

MemoryProvider = Callable[[BuildRequest], SpatialMemory]


@dataclass
class Context:
    """State of a run. ``viewpoint`` is an ``Absent`` after one that could not be taken, so it is never an older one.

    ``judge``: a model that looks at pictures, where there is one.
    """

    provider: MemoryProvider
    budget: Budget
    pictures: PictureSettings
    source: Literal["images", "video"] = "images"
    memory: SpatialMemory | None = None
    viewpoint: Viewpoint | Absent | None = None
    started: float = field(default_factory=time.perf_counter)
    operations: int = 0
    rendered: int = 0
    bytes: int = 0
    judge: Judge | None = None

    def seconds(self) -> float:
        return time.perf_counter() - self.started

    def out_of_time(self) -> bool:
        """Whether an operation that works in pieces should stop."""
        return self.seconds() > self.budget.seconds

    def exceeded(self, kind: str) -> Absent | None:
        """Why no further operation may run, if so."""
        if self.operations >= self.budget.operations:
            return Absent(kind, "over budget", f"the budget of {self.budget.operations} operations is used up")
        if self.out_of_time():
            return Absent(kind, "over budget", f"the budget of {self.budget.seconds:g} seconds is used up")
        return None

    def picture_exceeded(self, pixels: int) -> Absent | None:
        """Why no picture of that many pixels may be made, if so."""
        if self.rendered >= self.budget.pictures:
            return Absent("picture", "over budget", f"the budget of {self.budget.pictures} pictures is used up")
        if self.bytes + 3 * pixels > self.budget.bytes:
            return Absent("picture", "over budget", f"the budget of {self.budget.bytes} bytes of pictures is used up")
        return None

    def standing(self, kind: str) -> Viewpoint | Absent:
        """The current viewpoint, or why a value of ``kind`` cannot be had from it."""
        if self.viewpoint is None:
            return Absent(kind, "no viewpoint", "no viewpoint has been set")
        if isinstance(self.viewpoint, Absent):
            return Absent(kind, "no viewpoint", "the viewpoint could not be taken", cause=self.viewpoint)
        return self.viewpoint

    def pose(self) -> PoseValue | Absent:
        """The current viewpoint as a value."""
        here = self.standing("pose")
        if isinstance(here, Absent):
            return here
        image = here.image if not here.moved else None
        label = here.words().removeprefix("at ")
        return PoseValue(here.world_from_cam, label, image, here.camera, here.levelled, here.unit)
