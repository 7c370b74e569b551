"""The layout of a built room: its walls are those of its outline."""

from __future__ import annotations

import numpy as np
import pytest

from placecell.backends.synthetic.capture import Noise, make_room, photograph
from placecell.backends.synthetic.path import around
from placecell.memory.build import assemble


@pytest.mark.parametrize(("seed", "level"), [(2, "medium"), (10, "hard")])
def test_a_furnished_room_has_the_walls_of_its_outline(seed, level):
    room = make_room(seed, level)
    capture = photograph(room, around(room, 24), size=(160, 120), noise=Noise(depth=0.005), frame="world", lit=False)
    layout = assemble(capture).layout
    sides = np.linalg.norm(room.outline - np.roll(room.outline, -1, axis=0), axis=1)
    assert [wall.length for wall in layout.walls] == pytest.approx(sorted(sides, reverse=True), abs=0.12)
    assert all(wall.top - wall.bottom == pytest.approx(room.height, abs=0.05) for wall in layout.walls)
