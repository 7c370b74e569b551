"""Cameras of pictures: Think3D's ego and global views, and the top view."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from placecell.engine import published
from placecell.engine.cameras import ego_camera, global_camera, top_camera
from placecell.geometry.camera import Camera
from placecell.geometry.transforms import apply, heading, look_at, rigid, turn

SIZE = (640, 480)
ANCHOR = Camera.from_fov(60.0, *SIZE, turn(look_at([0.3, 1.5, 0.2], [0.3, 1.5, -1]), right=20, up=-15))
SCENE = np.random.default_rng(0).uniform((-2, 0, -3), (2, 2.5, 3), (500, 3))
AZIMUTH = st.floats(-180, 180)


def along(camera, right, up):
    """A point 2 m away, that many degrees right and up of where the camera looks, in its own axes."""
    r, u = np.radians(right), np.radians(up)
    local = 2 * np.array([np.sin(r) * np.cos(u), -np.sin(u), np.cos(r) * np.cos(u)])
    return apply(camera.world_from_cam, local)


def test_no_angles_give_the_anchor_exactly():
    camera = ego_camera(ANCHOR, 0, 0, 640)
    assert np.array_equal(camera.K, ANCHOR.K)
    assert np.allclose(camera.world_from_cam, ANCHOR.world_from_cam, atol=1e-15)
    half = ego_camera(ANCHOR, 0, 0, 320)
    assert np.allclose(half.K, [[ANCHOR.K[0, 0] / 2, 0, 160], [0, ANCHOR.K[1, 1] / 2, 120], [0, 0, 1]])


@pytest.mark.parametrize(("azimuth", "elevation"), [(30, 0), (-30, 0), (0, 30), (0, -30), (120, 40)])
def test_ego_azimuth_is_right_and_elevation_up(azimuth, elevation):
    camera = ego_camera(ANCHOR, azimuth, elevation, 640)
    seen = camera.project(along(ANCHOR, azimuth, elevation))
    assert seen.pixels == pytest.approx([320, 240], abs=1e-6)
    assert np.array_equal(camera.centre, ANCHOR.centre)


@given(AZIMUTH, st.floats(-89, 89))
def test_ego_turns_add_no_roll(azimuth, elevation):
    camera = ego_camera(ANCHOR, azimuth, elevation, 64)
    right = ANCHOR.world_from_cam[:3, :3].T @ camera.world_from_cam[:3, 0]
    assert right[1] == pytest.approx(0, abs=1e-9)  # the right axis stays in the anchor's horizontal plane


@given(AZIMUTH, st.floats(-90, 90))
def test_a_global_view_shows_the_whole_scene(azimuth, elevation):
    camera = global_camera(ANCHOR.world_from_cam, SCENE, azimuth, elevation, 640)
    assert camera.project(SCENE).in_view.all()
    assert camera.fov_x == pytest.approx(50)
    assert camera.K[0, 0] == camera.K[1, 1]  # equal scale on both axes


def test_a_global_view_starts_behind_the_anchors_heading_and_looks_where_azimuth_turns():
    level = global_camera(ANCHOR.world_from_cam, SCENE, 0, 0, 640)
    assert float(heading(level.world_from_cam)) == pytest.approx(20)
    right = global_camera(ANCHOR.world_from_cam, SCENE, 90, 0, 640)
    assert float(heading(right.world_from_cam)) == pytest.approx(110)
    # Whoever looks to the anchor's right stands on the anchor's left.
    middle = (SCENE.min(axis=0) + SCENE.max(axis=0)) / 2
    assert (right.centre - middle) @ turn(ANCHOR.world_from_cam)[:3, 0] < 0


def test_a_higher_elevation_looks_from_higher_up_downwards():
    camera = global_camera(ANCHOR.world_from_cam, SCENE, 0, 35, 640)
    assert camera.world_from_cam[1, 2] == pytest.approx(-np.sin(np.radians(35)))
    assert camera.centre[1] > SCENE[:, 1].max()


def test_elevation_90_is_straight_down_with_the_heading_up_the_page():
    camera = global_camera(ANCHOR.world_from_cam, SCENE, 0, 90, 640)
    assert camera.world_from_cam[:3, 2] == pytest.approx([0, -1, 0])
    ahead = turn(look_at([0, 0, 0], [0, 0, -1]), right=20)[:3, 2]
    assert -camera.world_from_cam[:3, 1] == pytest.approx(ahead)


@given(AZIMUTH)
def test_global_views_are_continuous_where_azimuth_wraps_around(azimuth):
    a = global_camera(ANCHOR.world_from_cam, SCENE, azimuth, 30, 64).world_from_cam
    b = global_camera(ANCHOR.world_from_cam, SCENE, azimuth + 360, 30, 64).world_from_cam
    assert np.allclose(a, b, atol=1e-9)


@given(st.floats(-180, 180), st.integers(50, 900), st.integers(50, 900))
def test_a_top_view_is_to_scale_with_the_heading_up_the_page(heading_up, width, height):
    camera = top_camera(SCENE, heading_up, 10.0, width, height)
    assert camera.width <= width and camera.height <= height
    pixels = camera.project(SCENE).pixels
    assert (pixels > -1e-6).all() and (pixels < np.array([camera.width, camera.height]) + 1e-6).all()
    ahead = turn(look_at([0, 0, 0], [0, 0, -1]), right=heading_up)
    place = np.array([0.2, 1.0, 0.1])
    steps = place + np.stack([np.zeros(3), ahead[:3, 2], ahead[:3, 0], [0.0, 1.0, 0.0]])
    origin, forward, right, up = camera.project(steps).pixels * camera.units_per_pixel
    assert forward - origin == pytest.approx([0, -1], abs=1e-9)
    assert right - origin == pytest.approx([1, 0], abs=1e-9)
    assert up == pytest.approx(origin)


def test_scenes_without_extent_still_have_cameras():
    point = np.zeros((1, 3))
    assert global_camera(np.eye(4), point, 0, 30, 64).width == 64
    assert top_camera(point, 0, 1.0, 64, 64).width == 64
    steep = rigid(look_at([0, 5, 0], [0, 0, 0])[:3, :3])
    assert np.isfinite(global_camera(steep, SCENE, 10, 20, 64).world_from_cam).all()


# View directions in the anchor's axes (x right, y down, z forward), as observed in renders of the public code.
GOLDEN = {
    (0, 0): (0, 0.174, 0.985),
    (0, -10): (0, 0, 1),
    (90, 0): (-0.985, 0.174, 0),
    (-90, 0): (0.985, 0.174, 0),
    (180, 0): (0, 0.174, -0.985),
    (0, 80): (0, 1, 0),
}


@pytest.mark.parametrize(("angles", "direction"), GOLDEN.items())
def test_the_published_global_views_look_where_the_checkpoints_learned(angles, direction):
    camera = published.orbit(ANCHOR.world_from_cam, SCENE, *angles, 640)
    assert ANCHOR.world_from_cam[:3, :3].T @ camera.world_from_cam[:3, 2] == pytest.approx(direction, abs=1e-3)


def test_seen_straight_down_the_published_page_has_the_anchors_right_and_forward():
    axes = (
        ANCHOR.world_from_cam[:3, :3].T
        @ published.orbit(ANCHOR.world_from_cam, SCENE, 0, 80, 640).world_from_cam[:3, :3]
    )
    assert axes[:, 0] == pytest.approx([1, 0, 0], abs=1e-9)
    assert -axes[:, 1] == pytest.approx([0, 0, 1], abs=1e-9)


def test_the_published_ego_views_turn_right_and_look_down():
    forward = ANCHOR.world_from_cam[:3, :3].T @ published.ego(ANCHOR, 40, 25, 640).world_from_cam[:3, 2]
    assert forward == pytest.approx([0.583, 0.423, 0.694], abs=1e-3)
    assert published.ego(ANCHOR, 0, 0, 640).fov_x == pytest.approx(140)
