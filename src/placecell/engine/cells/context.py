"""What an operation of a cell may see besides what a program's may: ports to the outside, and the session's memory."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from placecell.engine.context import BuildRequest, Context, Judge
from placecell.memory.scene import Frame, Instance, SpatialMemory


class Front(NamedTuple):
    """Which way an object faces: a unit vector (3,) of the world, and how sure that is, 0..1."""

    direction: NDArray[np.float64]
    confidence: float = 1.0


@dataclass(frozen=True)
class Effects:
    """Ports to the outside, each of them optional: a missing one makes its operation absent, never wrong.

    A port that adds to the memory gives its next version (``SpatialMemory.changed``): objects, tracks and names looked
    for may come and go, ids are never given twice, all else stays. Any may raise a ``PlacecellError``, which becomes
    the reason of an absent value.

    Attributes:
        find: looks for a name in the images with these numbers, in all when there are none.
        track: follows a name through the video.
        facing: which way an object's front points, None when that cannot be told.
        judge: which of the options pictures show for a question, None for none of them.
        read_text: what is written in a frame.
    """

    find: Callable[[SpatialMemory, str, tuple[int, ...]], SpatialMemory] | None = None
    track: Callable[[SpatialMemory, str], SpatialMemory] | None = None
    facing: Callable[[SpatialMemory, Instance], Front | None] | None = None
    judge: Judge | None = None
    read_text: Callable[[Frame], str] | None = None

    @property
    def available(self) -> frozenset[str]:
        """Names of the operations that have their port."""
        ports = {f.name for f in fields(self) if getattr(self, f.name) is not None}
        return frozenset({operation for operation, port in PORTS.items() if port in ports})


PORTS = {
    "find": "find",
    "look": "find",
    "track": "track",
    "facing_of": "facing",
    "judge": "judge",
    "read_text": "read_text",
}
"""The port that each operation with an effect needs."""

NO_EFFECTS = Effects()


@dataclass
class CellContext(Context):
    """State of a cell while it runs; the memory is there from the start."""

    effects: Effects = NO_EFFECTS

    @property
    def scene(self) -> SpatialMemory:
        """The session's memory, as it is now."""
        if self.memory is None:
            self.memory = self.provider(BuildRequest())
        return self.memory

    @property
    def scale_error(self) -> float:
        """The relative error of the memory's scale; 0 where it has none or does not say."""
        scale = self.scene.scale
        return (scale.relative_error or 0.0) if scale.metric else 0.0
