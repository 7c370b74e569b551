"""Rooms are plausible and their truth is exact: nothing overlaps, everything stands on something, boxes are tight."""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
import pytest

from placecell.backends.synthetic.furnish import LEVELS, MAKERS, THEMES, make_room
from placecell.backends.synthetic.furniture import Style
from placecell.backends.synthetic.layout import FloorPlan, Footprint, area, inside, outline, walls
from placecell.backends.synthetic.path import around, is_free, moves, orbit, rolled, walk
from placecell.backends.synthetic.shapes import tight_bounds
from placecell.backends.synthetic.truth import box_distance, moved
from placecell.errors import UserError
from placecell.geometry.transforms import elevation, heading, look_at, rotation_angle, wrap_degrees

ROOMS = [(seed, level) for seed in range(6) for level in LEVELS]


@pytest.mark.parametrize(("seed", "level"), ROOMS)
def test_things_stand_apart_inside_the_room_on_the_floor_a_wall_or_a_support(seed, level):
    room = make_room(seed, level)
    by_id = {thing.id: thing for thing in room.objects}
    for thing in room.objects:
        corners = thing.box.corners
        assert inside(room.outline * (1 + 1e-6), corners[:, [0, 2]]).all(), thing.name
        lowest, highest = corners[:, 1].min(), corners[:, 1].max()
        assert highest < room.height
        if thing.mount == "top":
            base = by_id[thing.support].box.corners
            assert lowest == pytest.approx(base[:, 1].max(), abs=1e-9)
        elif thing.mount == "floor":
            assert lowest == pytest.approx(0, abs=1e-9)
    solid = [thing for thing in room.objects if thing.name != "rug"]
    for a, b in combinations(solid, 2):
        if a.id not in (b.support, a.support) and b.id != a.support:
            assert box_distance(a, b) > 0.005, (a.name, b.name)


def test_the_same_call_gives_the_same_room_and_another_seed_another():
    one, two, other = make_room(3, "hard"), make_room(3, "hard"), make_room(4, "hard")
    assert np.array_equal(one.packed.geometry, two.packed.geometry)
    assert np.array_equal(one.packed.kinds, two.packed.kinds)
    assert one.packed.geometry.shape != other.packed.geometry.shape


def test_harder_rooms_hold_more():
    mean = {level: np.mean([len(make_room(seed, level).objects) for seed in range(8)]) for level in LEVELS}
    assert list(mean.values()) == sorted(mean.values())
    assert mean["adversarial"] > 1.4 * mean["easy"]


def test_unknown_levels_and_themes_are_named():
    with pytest.raises(UserError, match="unknown level 'extreme'"):
        make_room(0, "extreme")
    with pytest.raises(UserError, match="unknown theme 'garage'"):
        make_room(0, theme="garage")


@pytest.mark.parametrize("theme", THEMES)
def test_every_theme_can_be_furnished(theme):
    assert len(make_room(0, "medium", theme).objects) >= 8


@pytest.mark.parametrize("kind", MAKERS)
def test_a_piece_stands_on_zero_and_its_parts_are_solid(kind):
    piece = MAKERS[kind](Style(np.random.default_rng(1)))
    low, high = tight_bounds(piece.parts)
    assert low[1] == pytest.approx(-0.03 if kind == "window" else 0.0)  # a window's sill hangs below its frame
    assert all(min(part.half) > 0 for part in piece.parts)
    assert (high - low).max() < 2.3
    if piece.shelf_y is not None:
        assert piece.shelf_y == pytest.approx(high[1])


def test_an_outline_with_a_notch_has_six_walls_that_face_inwards():
    corners = outline(5, 4, (2, 1.5))
    assert area(corners) == pytest.approx(17)
    for wall in walls(corners):
        assert inside(corners, np.array(wall.point(wall.length / 2, 0.05)))
        assert not inside(corners, np.array(wall.point(wall.length / 2, -0.05)))
    assert sum(wall.reflex_start for wall in walls(corners)) == 1


def test_a_footprint_that_straddles_the_reflex_corner_does_not_fit():
    plan = FloorPlan(outline(5, 4, (2, 1.5)), 2.5, np.random.default_rng(0))
    assert not plan.fits(Footprint(0.4, 0.4, 45, (0.6, 0.3), 0, 1), 0.1)
    assert plan.fits(Footprint(-1, -1, 45, (0.6, 0.3), 0, 1), 0.1)


def test_footprints_meet_only_where_their_heights_do():
    low, high = Footprint(0, 0, 0, (0.5, 0.5), 0, 0.7), Footprint(0.3, 0, 30, (0.5, 0.5), 0.8, 1.5)
    assert not low.meets(high, 0.1)
    assert low.meets(Footprint(0.3, 0, 30, (0.5, 0.5), 0.6, 1.5), 0.1)
    assert not low.meets(Footprint(1.2, 0, 0, (0.5, 0.5), 0, 1), 0.1)
    assert low.meets(Footprint(1.2, 0, 0, (0.5, 0.5), 0, 1), 0.3)


class TestPaths:
    room = make_room(2, "medium")

    @pytest.mark.parametrize("path", [around, walk])
    def test_people_stand_in_free_places_at_eye_height(self, path):
        poses = path(self.room).world_from_cam
        assert inside(self.room.outline, poses[:, [0, 2], 3]).all()
        assert is_free(self.room, poses[:, [0, 2], 3], 0.0).mean() > 0.9
        assert (np.abs(poses[:, 1, 3] - 1.5) <= 0.1).all()
        assert (elevation(poses) < 0).all()

    def test_moves_are_made_as_seen_before_them(self):
        start = look_at((1, 1.5, 0), (0, 1.2, 1))
        poses = moves(start, [(0.5, 1.0, 90), (0.0, 2.0, 0)]).world_from_cam
        assert np.allclose(moved(poses[0], poses[1]), (0.5, 0, 1.0))
        assert np.allclose(moved(poses[1], poses[2]), (0, 0, 2.0))
        assert np.allclose(wrap_degrees(heading(poses[1]) - heading(poses[0])), 90)

    def test_an_orbit_goes_counter_clockwise_and_looks_at_its_target(self):
        target = self.room.objects[-1]
        poses = orbit(target, 12, radius_m=2.0).world_from_cam
        # Going counter-clockwise seen from above while looking inwards, one moves to the right.
        assert all(moved(a, b)[0] > 0.5 for a, b in pairwise(poses))
        towards = target.centre - poses[:, :3, 3]
        assert np.allclose(towards / np.linalg.norm(towards, axis=1, keepdims=True), poses[:, :3, 2])

    def test_rolling_keeps_place_and_direction(self):
        level = around(self.room, 6)
        tilted = rolled(level, 15, seed=3)
        assert np.allclose(level.world_from_cam[:, :3, 2:], tilted.world_from_cam[:, :3, 2:])
        angles = rotation_angle(np.linalg.inv(level.world_from_cam) @ tilted.world_from_cam)
        assert 1 < angles.max() <= 15
