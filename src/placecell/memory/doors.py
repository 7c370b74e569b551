"""Doors of a layout: objects named so, and the wall each stands in.

A door is found because it was labelled or looked for; walls say where it belongs. What is called a door but stands away
from every wall (a cupboard's, a car's) is not a door of the room.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from placecell.geometry.walls import Wall
from placecell.memory.names import find
from placecell.memory.scene import Instance, SpatialMemory

_ASKED = ("door", "doorway")
_SPECKS = 0.005  # share of a door's points at either side that may be another thing's


@dataclass(frozen=True)
class Door:
    """``wall`` is an index of ``layout.walls``; ``from_start`` how far along it the door begins, ``width`` how wide
    it is there, both in the memory's unit."""

    instance: int
    wall: int
    from_start: float
    width: float


def doors_in(memory: SpatialMemory) -> tuple[Door, ...]:
    """The doors of ``memory``'s room, by the id of their objects."""
    named = {i.id: i for asked in _ASKED for i in find(memory, asked)}
    found = (_in_wall(named[number], memory.layout.walls) for number in sorted(named))
    return tuple(door for door in found if door is not None)


def _in_wall(thing: Instance, walls: tuple[Wall, ...]) -> Door | None:
    """The nearest wall, if the door's outline reaches it: an open leaf stands out by as much as it is wide."""
    box = thing.upright_box
    reach = 0.5 * float(max(box.size[0], box.size[2])) + 3 * thing.centre_sd
    away = [float(wall.distance(box.centre)) for wall in walls]
    if not away or min(away) > reach:
        return None
    nearest = int(np.argmin(away))
    wall = walls[nearest]
    along = np.subtract(wall.end, wall.start) / wall.length
    outline = thing.points if len(thing.points) else box.corners
    low, high = np.quantile((outline[:, [0, 2]] - wall.start) @ along, [_SPECKS, 1 - _SPECKS])
    return Door(thing.id, nearest, float(low), float(high - low))
