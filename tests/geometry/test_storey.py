import numpy as np
import pytest
from geometry_rooms import room

from placecell.geometry import transforms as tf
from placecell.geometry.storey import even_surfaces, levels_of, wall_heading

EYES = np.array([1.4, 1.5, 1.6])


def test_floor_and_ceiling_give_the_height_of_the_room():
    levels = levels_of(even_surfaces(room("floor", "ceiling", "walls", "table")), EYES)
    assert levels.floor == pytest.approx(0, abs=0.01)
    assert levels.ceiling == pytest.approx(2.6, abs=0.02)
    assert levels.height == pytest.approx(2.6, abs=0.02)


def test_a_room_without_a_ceiling_in_sight_has_no_height():
    levels = levels_of(even_surfaces(room("floor", "walls", "table")), EYES)
    assert levels.floor == pytest.approx(0, abs=0.01)
    assert levels.ceiling is None
    assert levels.height is None


def test_a_point_at_the_end_of_the_world_changes_nothing():
    points = room("floor", "ceiling", "walls")
    wild = np.concatenate([points, [[1e9, 1e9, 0]]])
    assert levels_of(even_surfaces(wild), EYES) == levels_of(even_surfaces(points), EYES)


def test_without_points_nothing_is_found():
    assert levels_of(even_surfaces(np.zeros((0, 3))), EYES) == (None, None)
    assert levels_of(even_surfaces(np.zeros((1000, 3))), EYES) == (None, None)


@pytest.mark.parametrize("turn", [0, 10, 44, 46, 89])
def test_walls_are_headed_as_they_are_turned(turn):
    normals = even_surfaces(tf.apply(tf.yaw(-turn), room("floor", "walls"))).normals
    off = (wall_heading(normals) - turn + 45) % 90 - 45
    assert abs(off) < 0.5


def test_a_floor_has_no_walls():
    assert wall_heading(even_surfaces(room("floor")).normals) is None


def test_surfaces_are_spread_evenly_however_dense_the_cloud_is():
    floor, wall = room("floor", per_square=1500), room("one wall", per_square=60_000)
    places = even_surfaces(np.concatenate([floor, wall])).places
    on_wall = (places[:, 2] < 0.05).mean()
    assert on_wall == pytest.approx(13 / 33, abs=0.05)
