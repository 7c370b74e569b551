"""Depth from known poses: exact on a plane, within a percent in a room, and refused where a pose is wrong."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from placecell.backends.posed.capture import Lens
from placecell.backends.sfm.agreement import agree
from placecell.backends.sfm.cameras import Model, Placed
from placecell.backends.sfm.dense import confirmed_depth
from placecell.backends.sfm.planes import View, homographies
from placecell.backends.sfm.settings import SfmSettings
from placecell.backends.sfm.sweep import sweep
from placecell.backends.synthetic.capture import make_room, photograph
from placecell.backends.synthetic.path import orbit
from placecell.geometry.camera import Camera
from placecell.geometry.transforms import compose, invert, look_at, rigid, turn
from placecell.progress import silent

WIDTH, HEIGHT = 120, 90


def texture(size, seed=0):
    noise = np.random.default_rng(seed).random((size, size)).astype(np.float32)
    smooth = cv2.GaussianBlur(noise, (0, 0), 1.5)
    return (smooth - smooth.min()) / np.ptp(smooth)


def plane_views(poses, distance=4.0):
    """Grey pictures of the textured plane z = ``distance``, by each camera, drawn exactly (plane to pixels)."""
    picture = texture(1200)
    plane_from_pixel = np.array([[0.01, 0, -6.0], [0, 0.01, -6.0], [0, 0, 1]])
    cameras = [Camera.from_fov(60, WIDTH, HEIGHT, pose) for pose in poses]
    views = []
    for camera in cameras:
        cam_from_world = invert(camera.world_from_cam)
        columns = [
            cam_from_world[:3, 0],
            cam_from_world[:3, 1],
            cam_from_world[:3, 2] * distance + cam_from_world[:3, 3],
        ]
        pixel_from_plane = camera.K @ np.stack(columns, axis=1)
        to_centres = np.array([[1, 0, -0.5], [0, 1, -0.5], [0, 0, 1]])
        matrix = to_centres @ pixel_from_plane @ plane_from_pixel @ np.linalg.inv(to_centres)
        views.append(cv2.warpPerspective(picture, matrix, (WIDTH, HEIGHT)))
    return cameras, views


def swept_depth(cameras, views, inverse):
    transforms = [compose(invert(c.world_from_cam), cameras[0].world_from_cam) for c in cameras[1:]]
    across = np.array([0.0, 0.0, 1.0])
    planes = np.stack(
        [homographies(cameras[0], c, t, across, inverse) for c, t in zip(cameras[1:], transforms, strict=True)]
    )
    sizes = np.array([[HEIGHT, WIDTH]] * len(transforms))
    found = sweep(views[0], np.stack(views[1:]), sizes, planes, window=7, smooth_near=12, smooth_far=60)
    z = 1 / (inverse[0] + (inverse[1] - inverse[0]) * found.plane)
    return np.where(found.plane >= 0, z, 0), found.cost


def test_a_textured_plane_is_measured_to_a_fraction_of_the_step_between_planes():
    cameras, views = plane_views([rigid(), rigid(translation=(0.3, 0, 0)), rigid(translation=(0, -0.3, 0.1))])
    z, cost = swept_depth(cameras, views, np.linspace(1 / 8, 1 / 2.5, 60))
    inside = z[8:-8, 12:-12]
    assert (inside > 0).all()
    np.testing.assert_allclose(inside, 4.0, rtol=0.02)
    assert np.abs(inside / 4.0 - 1).mean() < 0.004
    assert cost[8:-8, 12:-12].mean() < 0.05


def test_where_no_source_looks_nothing_is_measured():
    cameras, views = plane_views([rigid(), rigid(translation=(1.5, 0, 0))])
    z, _ = swept_depth(cameras, views, np.linspace(1 / 8, 1 / 2.5, 60))
    # At 4 units, the source's left edge is 1.5 units right of ours: 39 of 120 pixels.
    assert (z[10:-10, :20] == 0).mean() > 0.95
    assert np.median(np.abs(z[10:-10, 60:-10] / 4 - 1)) < 0.01


def compared(depth, other, other_from_here, lens):
    total, squares = depth.astype(np.float64), np.zeros(depth.shape)
    count, denied = np.zeros(depth.shape, np.int32), np.zeros(depth.shape, np.int32)
    agree(depth, other, lens, lens, other_from_here, np.array([1.0, 0.015]), total, squares, count, denied)
    return total, squares, count, denied


def test_two_depth_maps_of_a_plane_agree_unless_one_is_off_by_more_than_is_allowed():
    here = Camera.from_fov(60, WIDTH, HEIGHT)
    lens = np.array([here.K[0, 0], here.K[1, 1], here.K[0, 2], here.K[1, 2]])
    there_from_here = rigid(translation=(-0.5, 0, -0.4))
    depth, there = np.full((HEIGHT, WIDTH), 4, np.float32), np.full((HEIGHT, WIDTH), 3.6, np.float32)
    total, squares, count, denied = compared(depth, there, there_from_here, lens)
    seen = count > 0
    assert 0.6 < seen.mean() < 1
    np.testing.assert_allclose(total[seen], 8.0, rtol=1e-6)
    assert squares.max() < 1e-12 and denied.sum() == 0
    _, _, count, denied = compared(depth, there * 0.95, there_from_here, lens)
    assert count.sum() == 0 and denied.sum() == 0
    _, _, count, denied = compared(depth, there * 1.1, there_from_here, lens)
    assert count.sum() == 0
    np.testing.assert_array_equal(denied > 0, seen)


def around_a_table(count):
    """Views 55 degrees apart of the textured plane z = 4, each 59 degrees off its normal, and points on it."""
    poses = []
    for azimuth in np.radians(55.0 * np.arange(count)):
        eye = np.array([2 * np.cos(azimuth), 2 * np.sin(azimuth), 2.8])
        poses.append(look_at(eye, (0, 0, 4), up=(0, 0, -1)))
    cameras, pictures = plane_views(poses)
    spots = np.stack([*np.meshgrid(np.linspace(-1, 1, 15), np.linspace(-1, 1, 15)), np.full((15, 15), 4.0)], axis=-1)
    points, seen = spots.reshape(-1, 3), np.arange(225)
    views = {n: View(n, grey, camera, seen) for n, (grey, camera) in enumerate(zip(pictures, cameras, strict=True), 1)}
    placed = {n: Placed(Lens("PINHOLE", WIDTH, HEIGHT, ()), v.camera.world_from_cam, seen) for n, v in views.items()}
    return views, Model(placed, points, np.zeros((225, 3), np.uint8), 0.3)


ONLY_ACROSS = SfmSettings(wide_deg=180)


def test_a_table_seen_from_far_apart_is_measured_along_its_surface():
    views, model = around_a_table(5)
    dense = confirmed_depth(views, model, SfmSettings(), silent)
    assert set(dense.depth) == set(views)
    for number, depth in dense.depth.items():
        camera, known = views[number].camera, depth.z > 0
        true = (4 - camera.centre[2]) / camera.rays()[..., 2]
        assert known.mean() > 0.5
        assert np.median(np.abs(depth.z[known] / true[known] - 1)) < 0.003
    assert confirmed_depth(views, model, ONLY_ACROSS, silent).refused


def test_planes_along_a_surface_are_not_tried_on_two_pictures_which_agree_on_them_whatever_their_poses():
    views, model = around_a_table(2)
    found, across = (confirmed_depth(views, model, settings, silent) for settings in (SfmSettings(), ONLY_ACROSS))
    assert found.shares == across.shares
    views, model = around_a_table(3)
    assert len(confirmed_depth(views, model, SfmSettings(), silent).depth) == 3
    assert not confirmed_depth(views, model, ONLY_ACROSS, silent).depth


@pytest.fixture(scope="module")
def room():
    """Six neighbouring photos of a room with exact depth, and every tenth pixel as a sparse point."""
    made = make_room(seed=4)
    target = max((o for o in made.objects if o.mount == "floor"), key=lambda o: o.box.size.prod())
    capture = photograph(made, orbit(target, 6, arc=40.0), size=(160, 120))
    points = []
    for frame in capture.frames:
        world = frame.depth.camera.unproject(frame.depth.z)[5::10, 5::10].reshape(-1, 3)
        points.append(world)
    points = np.concatenate(points)
    points = points[np.isfinite(points).all(axis=1)]
    return capture, points


def views_of(capture, points, moved=None):
    views, placed = {}, {}
    for frame in capture.frames:
        camera = frame.camera
        projected = camera.project(points)
        u, v = np.where(projected.in_view[:, None], projected.pixels, 0).astype(int).T
        visible = projected.in_view & (np.abs(frame.depth.z[v, u] / projected.depth - 1) < 0.02)
        if frame.number == moved:
            camera = camera.posed(turn(camera.world_from_cam, right=25))
        grey = (frame.rgb.astype(np.float32) @ np.array([0.299, 0.587, 0.114], np.float32)) / np.float32(255)
        views[frame.number] = View(frame.number, grey, camera, np.flatnonzero(visible))
        placed[frame.number] = Placed(Lens("PINHOLE", 160, 120, ()), camera.world_from_cam, np.flatnonzero(visible))
    return views, Model(placed, points, np.zeros((len(points), 3), np.uint8), 0.3)


def test_a_rooms_depth_is_right_where_it_is_kept(room):
    capture, points = room
    views, model = views_of(capture, points)
    dense = confirmed_depth(views, model, SfmSettings(), silent)
    assert set(dense.depth) == set(views) and not dense.refused
    errors = []
    for frame in capture.frames:
        kept = dense.depth[frame.number]
        known = kept.z > 0
        errors.append(np.abs(kept.z[known] / frame.depth.z[known] - 1))
        assert dense.shares[frame.number] == known.mean() > 0.3
        assert ((kept.confidence > 0) == known).all() and kept.confidence.max() <= 1
    errors = np.concatenate(errors)
    assert np.median(errors) < 0.01
    assert np.percentile(errors, 90) < 0.05
    assert 0.003 <= dense.depth_sd <= 0.02


def test_a_picture_with_a_wrong_pose_is_refused_and_the_others_stay(room):
    capture, points = room
    views, model = views_of(capture, points, moved=3)
    dense = confirmed_depth(views, model, SfmSettings(), silent)
    assert set(dense.refused) == {3}
    assert dense.refused[3] < SfmSettings().min_share
    assert set(dense.depth) == set(views) - {3}
    assert min(dense.shares.values()) > 0.2
