"""The layout of a built room: its walls are those of its outline, its doors stand in them."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from placecell.backends.synthetic.capture import Noise, make_room, photograph
from placecell.backends.synthetic.path import around
from placecell.memory.build import assemble
from placecell.memory.doors import doors_in


@cache
def built(seed, level):
    """A room, and the memory of its photos."""
    room = make_room(seed, level)
    capture = photograph(room, around(room, 24), size=(160, 120), noise=Noise(depth=0.005), frame="world", lit=False)
    return room, assemble(capture)


@pytest.mark.parametrize(("seed", "level"), [(2, "medium"), (10, "hard")])
def test_a_furnished_room_has_the_walls_of_its_outline(seed, level):
    room, memory = built(seed, level)
    layout = memory.layout
    sides = np.linalg.norm(room.outline - np.roll(room.outline, -1, axis=0), axis=1)
    assert [wall.length for wall in layout.walls] == pytest.approx(sorted(sides, reverse=True), abs=0.12)
    assert all(wall.top - wall.bottom == pytest.approx(room.height, abs=0.05) for wall in layout.walls)
    (door,) = doors_in(memory)
    (true,) = [thing for thing in room.objects if thing.name == "door"]
    wall = layout.walls[door.wall]
    (found,) = [thing for thing in memory.instances if thing.id == door.instance]
    assert wall.distance(found.box.centre) < 0.1
    assert door.width == pytest.approx(max(true.box.size[[0, 2]]), abs=0.08)
    assert 0 <= door.from_start <= wall.length - door.width + 0.05


def test_what_is_called_a_door_but_stands_in_the_middle_of_a_room_is_none_of_its_doors():
    _, memory = built(2, "medium")
    (door,) = [i for i in memory.instances if i.name == "door"]
    x, z = memory.layout.outline.mean(axis=0)
    far = replace(door.upright_box, centre=[x, 1.0, z])
    away = replace(memory, instances=tuple(replace(i, upright_box=far) if i is door else i for i in memory.instances))
    assert doors_in(memory) and not doors_in(away)
