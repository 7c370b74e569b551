"""What a ray meets first."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from placecell.geometry.boxes import OrientedBox
from placecell.geometry.camera import Camera
from placecell.geometry.picking import box_entry, first_point, rectangle_hit
from placecell.geometry.transforms import apply, look_at, rotate, yaw

seeds = st.integers(0, 2**32 - 1)


@given(seeds)
@settings(max_examples=50, deadline=None)
def test_aiming_at_a_point_of_the_nearer_of_two_walls_hits_it(seed):
    rng = np.random.default_rng(seed)
    wall = np.concatenate([rng.uniform(-1, 1, (400, 2)), np.full((400, 1), 3.0)], axis=1).astype(np.float32)
    points = np.concatenate([wall * [2, 2, 2], wall]).astype(np.float32)
    aim = int(rng.integers(400, 800))
    assert first_point(points, [0, 0, 0], points[aim], 0.001) == aim


def test_a_point_behind_the_eye_or_beside_the_ray_is_not_hit():
    points = np.array([[0, 0, -2], [0.5, 0, 2]], np.float32)
    assert first_point(points, [0, 0, 0], [0, 0, 1], 0.01) is None
    assert first_point(points, [0, 0, 0], [0, 0, 1], 0.01, radius=0.5) == 1
    assert first_point(np.zeros((0, 3), np.float32), [0, 0, 0], [0, 0, 1], 0.1) is None


def test_the_reach_grows_with_distance_as_a_pixel_does():
    points = np.array([[0.05, 0, 1], [0.05, 0, 10]], np.float32)
    assert first_point(points, [0, 0, 0], [0, 0, 1], 0.01) == 1


@given(seeds)
@settings(max_examples=100, deadline=None)
def test_where_a_ray_enters_a_box_is_on_its_surface_and_nothing_before_is_inside(seed):
    rng = np.random.default_rng(seed)
    turned = rotate(yaw(float(rng.uniform(-180, 180))), np.eye(3))
    box = OrientedBox(rng.normal(size=3), turned, rng.uniform(0.2, 2, 3))
    eye, ahead = rng.normal(size=3) * 4, rng.normal(size=3)
    ahead /= np.linalg.norm(ahead)
    along = box_entry(box, eye, ahead)
    steps = eye + np.linspace(0, 20, 4001)[:, None] * ahead
    inside = box.contains(steps, margin=-1e-6)
    if along is None:
        assert not inside.any()
    elif inside.any():
        assert np.linspace(0, 20, 4001)[inside.argmax()] == pytest.approx(along, abs=0.006)
        assert box.contains(eye + along * ahead, margin=1e-6)


def test_from_inside_a_box_is_met_at_once():
    assert box_entry(OrientedBox(np.zeros(3), np.eye(3), np.ones(3)), [0.1, 0, 0], [1, 0, 0]) == 0.0


@given(seeds)
@settings(max_examples=50, deadline=None)
def test_a_picture_in_space_is_hit_exactly_where_its_pixels_are(seed):
    rng = np.random.default_rng(seed)
    camera = Camera.from_fov(60, 64, 48, look_at(rng.normal(size=3), rng.normal(size=3) + 5))
    corner = 0.5 * np.array([32 / camera.K[0, 0], 24 / camera.K[1, 1], 1.0])
    eye = rng.normal(size=3) * 3
    for share, hits in ((0.99, True), (1.01, False)):
        target = apply(camera.world_from_cam, corner * [share, share, 1])
        along = rectangle_hit(camera.world_from_cam, corner, eye, target - eye)
        assert (along is not None) == hits
        if along is not None:
            assert along == pytest.approx(float(np.linalg.norm(target - eye)))


def test_a_ray_without_direction_is_refused():
    with pytest.raises(ValueError, match="direction"):
        first_point(np.zeros((1, 3), np.float32), [0, 0, 0], [0, 0, 0], 0.1)
