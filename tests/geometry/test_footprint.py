import numpy as np
import pytest
from geometry_rooms import surface

from placecell.geometry.footprint import footprint

RNG = np.random.default_rng(0)


def floor(x0, z0, x1, z1):
    return surface([x0, 0, z0], [x1, 0, z1], 2000, np.random.default_rng(1))


def test_a_rectangle_has_its_area_and_its_outline():
    found = footprint(floor(0, 0, 5, 4))
    assert found.area == pytest.approx(20, rel=0.02)
    assert found.area_sd < 0.1
    (outline,) = found.outlines
    x, z = outline.T
    assert abs(0.5 * np.sum(x * np.roll(z, -1) - np.roll(x, -1) * z)) == pytest.approx(found.area, rel=0.01)
    assert (outline.min(axis=0) > -0.01).all()


def test_a_point_at_the_end_of_the_world_has_no_floor():
    points = floor(0, 0, 5, 4)
    assert footprint(np.concatenate([points, [[1e9, 0, 1e9]]])).area == footprint(points).area


def test_a_corner_that_is_not_there_is_not_counted():
    shape = np.concatenate([floor(0, 0, 5, 2), floor(0, 2, 2, 4)])
    assert footprint(shape).area == pytest.approx(14, rel=0.03)


def test_several_rooms_count_together_and_have_an_outline_each():
    rooms = np.concatenate([floor(0, 0, 3, 3), floor(4, 0, 6, 2)])
    found = footprint(rooms)
    assert found.area == pytest.approx(13, rel=0.03)
    assert len(found.outlines) == 2
    assert np.ptp(found.outlines[0], axis=0)[0] == pytest.approx(3, abs=0.1)


def test_gaps_up_to_twice_the_radius_are_floor_and_wider_ones_are_not():
    rooms = np.concatenate([floor(0, 0, 2, 2), floor(2.3, 0, 4.3, 2)])
    assert footprint(rooms, radius=0.2).area == pytest.approx(8.6, rel=0.03)
    assert footprint(rooms, radius=0.1).area == pytest.approx(8, rel=0.03)


def test_a_hole_is_neither_floor_nor_an_outline():
    frame = floor(0, 0, 4, 4)
    frame = frame[(np.abs(frame[:, [0, 2]] - 2) > 1).any(axis=1)]
    found = footprint(frame)
    assert found.area == pytest.approx(12, rel=0.05)
    assert len(found.outlines) == 1


def test_walls_and_specks_add_nothing():
    walls = surface([0, 0, 0], [5, 2.5, 0], 1000, RNG)
    specks = RNG.uniform(-20, 20, (30, 3))
    assert footprint(np.concatenate([floor(0, 0, 5, 4), walls, specks])).area == pytest.approx(20, rel=0.02)


def test_a_floor_seen_in_patches_is_uncertain():
    patches = floor(0, 0, 5, 4)
    patches = patches[((patches[:, [0, 2]] % 0.9) < 0.4).all(axis=1)]
    assert footprint(patches).area_sd > 20 * footprint(floor(0, 0, 5, 4)).area_sd


@pytest.mark.parametrize("points", [np.zeros((0, 3)), np.zeros((9, 3)), np.outer(np.arange(9) / 10, [1, 0, 1])])
def test_points_that_span_no_area_have_none(points):
    found = footprint(points)
    assert found.area == 0
    assert found.outlines == ()
