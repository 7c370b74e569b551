"""World models: what would be seen from a photo's camera after some moves. The port, and the one that comes with it.

A world model shows, it does not know: a generative one may invent what nobody photographed and should say so in its
captions; the built-in one renders the reconstructed points and hatches what is unknown.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from placecell.engine.values import Picture
from placecell.engine.views import View
from placecell.errors import UserError
from placecell.memory.scene import SpatialMemory

__all__ = ["WORLDS", "Move", "PointCloudWorld", "WorldModel", "open_world"]


@dataclass(frozen=True)
class Move:
    """One move of a camera: a turn in degrees, or a step in the memory's unit; None: the usual amount."""

    kind: Literal["turn", "step"]
    direction: Literal["left", "right", "up", "down", "back", "forward", "backward"]
    amount: float | None = None

    def __post_init__(self) -> None:
        known = (
            ("left", "right", "up", "down", "back") if self.kind == "turn" else ("forward", "backward", "left", "right")
        )
        if self.direction not in known:
            raise ValueError(f"cannot {self.kind} {self.direction}")

    @property
    def words(self) -> str:
        """ "turn right 45"."""
        return f"{self.kind} {self.direction}" + ("" if self.amount is None else f" {self.amount:g}")


class WorldModel(Protocol):
    """One way to see what no photo shows."""

    name: str

    def imagine(self, memory: SpatialMemory, image: int, moves: Sequence[Move], *, size: int) -> Picture:
        """The view after ``moves`` from where photo ``image`` was taken, its caption saying so. Thread-safe.

        UserError when the photo has no place.
        """
        ...


class PointCloudWorld:
    """Renders the memory: geometrically consistent, and blank where no photo looked."""

    name = "points"

    def imagine(self, memory: SpatialMemory, image: int, moves: Sequence[Move], *, size: int) -> Picture:
        """The rendered view after ``moves``."""
        view = View.of_image(memory, image)
        for move in moves:
            if move.kind == "turn":
                view = view.turn(move.direction, move.amount)  # type: ignore[arg-type]
            else:
                view = view.step(move.direction, move.amount)  # type: ignore[arg-type]
        return view.render(size=size)


WORLDS: dict[str, type[WorldModel]] = {"points": PointCloudWorld}
"""World models by name. Another one is added by assigning its class."""


def open_world(name: str) -> WorldModel:
    """A world model by its name. UserError for one that does not exist."""
    if name not in WORLDS:
        raise UserError(f"unknown world model {name!r}", hint=f"choose {', '.join(WORLDS)}")
    return WORLDS[name]()
