"""Walls: those of the room, whatever stands before them, however the room is turned."""

from __future__ import annotations

import numpy as np
import pytest

from placecell.geometry.storey import even_surfaces
from placecell.geometry.walls import Wall, find_walls


def sheet(corner, u, v, step=0.04):
    a, b = np.arange(0, np.linalg.norm(u), step), np.arange(0, np.linalg.norm(v), step)
    grid = np.stack(np.meshgrid(a, b, indexing="ij"), axis=-1).reshape(-1, 2)
    directions = np.array([u / np.linalg.norm(u), v / np.linalg.norm(v)])
    return np.asarray(corner) + grid @ directions


def room(width=5.0, depth=4.0, height=2.5):
    x, y, z = np.diag([width, height, depth])
    floor = sheet([0, 0, 0], x, z)
    return np.concatenate([floor, sheet([0, 0, 0], x, y), sheet(z, x, y), sheet([0, 0, 0], z, y), sheet(x, z, y)])


def turned(points, degrees):
    c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    return points @ np.array([[c, 0, -s], [0, 1, 0], [s, 0, c]])


def noisy(points):
    return points + np.random.default_rng(0).normal(0, 0.004, points.shape)


@pytest.mark.parametrize("degrees", [0, 30, 61])
def test_a_room_has_its_four_walls_however_it_is_turned(degrees):
    walls = find_walls(even_surfaces(turned(noisy(room()), degrees)), 0.0, 2.5)
    assert [w.length for w in walls] == pytest.approx([5, 5, 4, 4], abs=0.05)
    assert all((w.bottom, w.top) == (0.0, 2.5) for w in walls)
    middle = turned(np.array([[2.5, 1.0, 2.0]]), degrees)
    assert sorted(float(w.distance(middle)[0]) for w in walls) == pytest.approx([2, 2, 2.5, 2.5], abs=0.05)


def test_neither_a_table_nor_a_wardrobe_before_a_wall_is_one():
    table = sheet([1, 0.7, 1.5], np.array([1.5, 0, 0]), np.array([0, 0, 0.8]))
    wardrobe = sheet([1, 0, 0.5], np.array([1.2, 0, 0]), np.array([0, 2.2, 0]))
    walls = find_walls(even_surfaces(noisy(np.concatenate([room(), table, wardrobe]))), 0.0, 2.5)
    assert [w.length for w in walls] == pytest.approx([5, 5, 4, 4], abs=0.05)


def test_a_wall_between_two_rooms_is_one():
    between = sheet([2.2, 0, 0], np.array([0, 0, 2.6]), np.array([0, 2.5, 0]))
    walls = find_walls(even_surfaces(noisy(np.concatenate([room(), between]))), 0.0, 2.5)
    assert [w.length for w in walls] == pytest.approx([5, 5, 4, 4, 2.6], abs=0.2)
    assert walls[-1].start[0] == pytest.approx(2.2, abs=0.05)


def test_a_door_does_not_take_a_wall_apart_but_an_open_side_does():
    points = noisy(room())
    door = (points[:, 2] < 0.1) & (points[:, 0] > 1) & (points[:, 0] < 1.5)
    assert len(find_walls(even_surfaces(points[~door]), 0.0, 2.5)) == 4
    side = (points[:, 2] < 0.1) & (points[:, 0] > 1) & (points[:, 0] < 3.5) & (points[:, 1] > 0.1)
    lengths = [w.length for w in find_walls(even_surfaces(points[~side]), 0.0, 2.5)]
    assert lengths == pytest.approx([5, 4, 4, 1.5, 1], abs=0.2)


def test_a_floor_alone_or_too_few_points_have_no_walls():
    assert find_walls(even_surfaces(sheet([0, 0, 0], np.array([5.0, 0, 0]), np.array([0, 0, 4.0]))), 0.0) == ()
    assert find_walls(even_surfaces(np.zeros((5, 3))), 0.0) == ()


def test_the_distance_from_a_wall_is_that_in_plan():
    wall = Wall((0.0, 0.0), (4.0, 0.0), 0.0, 2.5)
    np.testing.assert_allclose(wall.distance([[2, 9, 3], [7, 0, 4], [1, 1, 0]]), [3, 5, 0])
    assert wall.scaled(2.0) == Wall((0.0, 0.0), (8.0, 0.0), 0.0, 5.0)
