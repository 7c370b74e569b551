"""The few frames that stand for a memory: they show what there is to see, under the memory's own numbers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from memory_example import memory, picture

from placecell.errors import UserError
from placecell.geometry.camera import Camera
from placecell.geometry.transforms import look_at
from placecell.memory.scene import DepthMap, Frame
from placecell.memory.selection import representative_frames

SIDES = np.array([[0, 0, 1], [1, 0, 0], [0, 0, -1], [-1, 0, 0]], float)


def looking(number, direction, *, depth=True):
    """A frame from the origin at a wall 2 away in this direction."""
    camera = Camera.from_fov(60, 40, 30, look_at(np.zeros(3), direction))
    z = np.full((30, 40), 2, np.float32)
    return Frame(number, f"{number}", "0", 40, 30, picture(number), camera, DepthMap(z, camera) if depth else None)


@pytest.fixture(scope="module")
def place():
    """Twelve frames at one wall, and one at each of the three others, with numbers that leave gaps."""
    frames = [looking(2 * i + 1, SIDES[0] + [0.002 * i, 0, 0]) for i in range(12)]
    frames[3] = looking(7, SIDES[1])
    frames[8] = looking(17, SIDES[2])
    frames[9] = looking(19, SIDES[3])
    return replace(memory(), frames=tuple(frames))


def test_they_show_every_side_of_the_place(place):
    chosen = representative_frames(place, 4)
    assert {7, 17, 19} < set(chosen)
    assert len(chosen) == 4
    assert list(chosen) == sorted(chosen)


def test_a_named_image_is_always_among_them(place):
    chosen = representative_frames(place, 4, include=[5])
    assert set(chosen) == {5, 7, 17, 19}
    assert set(representative_frames(place, 1, include=[5, 9])) == {5, 9}


def test_all_are_given_when_there_are_no_more(place):
    assert representative_frames(place) == tuple(f.number for f in place.frames)


def test_without_depth_they_are_spread_evenly():
    plain = replace(memory(), frames=tuple(looking(n, SIDES[0], depth=False) for n in range(1, 41)))
    assert representative_frames(plain, 4) == (5, 15, 25, 35)


def test_pictures_without_depth_fill_what_depth_leaves_over(place):
    bare = tuple(looking(n, SIDES[0], depth=False) for n in range(31, 51))
    chosen = representative_frames(replace(place, frames=(place.frames[0], *bare)), 3)
    assert chosen[0] == 1
    assert 50 in chosen
    assert len(chosen) == 3


def test_an_image_that_is_not_there_is_an_error(place):
    with pytest.raises(UserError, match="there is no image 2"):
        representative_frames(place, 4, include=[2])
    with pytest.raises(UserError, match="0 frames cannot be shown"):
        representative_frames(place, 0)
