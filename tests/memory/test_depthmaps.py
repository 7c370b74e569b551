"""Depth to points: flying pixels go, edges stay, the cloud keeps where each point was seen."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from placecell.geometry.camera import Camera
from placecell.geometry.transforms import look_at
from placecell.memory.depthmaps import FusionSettings, cloud_of, without_flying_pixels
from placecell.memory.scene import DepthMap, Frame

CAMERA = Camera.from_fov(70, 64, 48)


def depth(z):
    z = np.asarray(z, np.float32)
    return DepthMap(z, Camera.from_fov(70, z.shape[1], z.shape[0]))


def frame(number, z, eye, target, rgb=(200, 100, 50)):
    camera = Camera.from_fov(70, 64, 48, look_at(eye, target))
    picture = np.full((96, 128, 3), rgb, np.uint8)
    return Frame(number, str(number), "0" * 64, 128, 96, lambda: picture, camera.resized(128, 96), DepthMap(z, camera))


def wall_frames():
    """A wall at z = 0 seen from two places."""
    frames = []
    for number, eye in enumerate(([0.3, 0, 2.0], [-0.4, 0.1, 2.4]), 1):
        camera = Camera.from_fov(70, 64, 48, look_at(eye, [0, 0, 0]))
        rays = camera.rays()
        frames.append(frame(number, (-camera.centre[2] / rays[..., 2]).astype(np.float32), eye, [0, 0, 0]))
    return tuple(frames)


def test_pixels_between_two_surfaces_go_and_both_edges_stay():
    z = np.full((48, 64), 3.0, np.float32)
    z[:, :30] = 1.0
    z[:, 30] = 1.8  # mixed by the sensor
    cleaned = without_flying_pixels(depth(z), 0.03).z
    assert (cleaned[1:-1, 30] == 0).all()
    assert (cleaned[:, :30] == 1.0).all()
    assert (cleaned[:, 31:] == 3.0).all()


def test_a_lone_wrong_pixel_goes():
    z = np.full((48, 64), 2.0, np.float32)
    z[20, 30] = 0.7
    cleaned = without_flying_pixels(depth(z), 0.03).z
    assert cleaned[20, 30] == 0
    assert np.count_nonzero(cleaned) == 48 * 64 - 1


def test_a_clean_edge_and_a_slanted_floor_lose_nothing():
    z = np.full((48, 64), 3.0, np.float32)
    z[10:30, 10:30] = 1.0
    np.testing.assert_array_equal(without_flying_pixels(depth(z), 0.03).z, z)
    rows = np.arange(48) + 0.5
    floor = np.tile((1.2 * 500 / (rows + 60))[:, None], (1, 64)).astype(np.float32)
    np.testing.assert_array_equal(without_flying_pixels(depth(floor), 0.03).z, floor)


@pytest.mark.parametrize("turn", [0, 1])
def test_a_surface_seen_at_a_grazing_angle_stays_although_its_depth_jumps_from_pixel_to_pixel(turn):
    rows = np.arange(48)[:, None] + 0.5
    z = np.where(rows > 26, 60 / np.maximum(rows - 24, 1), 0) * np.ones(64)  # a floor, unknown near the horizon
    z[:, 30] = np.where(z[:, 30] > 0, 0.8, 0)  # and a pole on it
    expected = np.where(np.arange(64) == 30, 0, z)
    z, expected = (np.rot90(a, turn).astype(np.float32) for a in (z, expected))
    np.testing.assert_array_equal(without_flying_pixels(depth(z), 0.03).z, expected)


def test_unknown_neighbours_are_no_jump():
    z = np.zeros((48, 64), np.float32)
    z[::3, ::3] = 2.0
    np.testing.assert_array_equal(without_flying_pixels(depth(z), 0.03).z, z)


def test_the_cloud_lies_on_the_surface_and_knows_its_frames_and_pixels():
    frames = wall_frames()
    cloud, voxel = cloud_of(frames, FusionSettings(), 0.01)
    assert voxel > 0
    assert np.abs(cloud.points[:, 2]).max() < voxel
    assert set(cloud.frame.tolist()) == {1, 2}
    assert (cloud.colors == [200, 100, 50]).all()
    for number in (1, 2):
        mine = cloud.frame == number
        seen = frames[number - 1].camera.project(cloud.points[mine])
        assert np.median(np.linalg.norm(seen.pixels - cloud.pixel[mine], axis=1)) < 3
    assert (cloud.confidence > 0).all()


def test_a_depth_at_the_end_of_the_world_is_no_point():
    first, second = wall_frames()
    z = first.depth.z.copy()
    z[:6, :6] = 1e9
    cloud, _ = cloud_of((replace(first, depth=replace(first.depth, z=z)), second), FusionSettings(), 0.01)
    assert np.abs(cloud.points).max() < 10


def test_a_big_capture_is_bounded():
    few, voxel = cloud_of(wall_frames(), FusionSettings(max_points=300), 0.01)
    many, fine = cloud_of(wall_frames(), FusionSettings(), 0.01)
    assert len(few) <= 300 < len(many)
    assert voxel > fine
    sampled, _ = cloud_of(wall_frames(), FusionSettings(max_samples=1000), 0.01)
    assert len(sampled) <= 1000


def test_the_unit_does_not_matter():
    def in_millimetres(f):
        pose = f.depth.camera.world_from_cam.copy()
        pose[:3, 3] *= 1000
        return replace(f, depth=DepthMap(f.depth.z * np.float32(1000), f.depth.camera.posed(pose)))

    metres, voxel = cloud_of(wall_frames(), FusionSettings(), 0.01)
    millimetres, larger = cloud_of(tuple(map(in_millimetres, wall_frames())), FusionSettings(), 0.01)
    assert larger == pytest.approx(1000 * voxel)
    assert len(millimetres) == pytest.approx(len(metres), rel=0.02)


@pytest.mark.parametrize("confidence", [0.0, 0.5])
def test_confidence_of_a_depth_map_is_that_of_its_points(confidence):
    frames = wall_frames()[:1]
    depth = replace(frames[0].depth, confidence=np.full((48, 64), confidence, np.float32))
    cloud, _ = cloud_of((replace(frames[0], depth=depth),), FusionSettings(), 0.01)
    sure, _ = cloud_of(frames, FusionSettings(), 0.01)
    if confidence == 0:
        assert len(cloud) == 0
    else:
        assert cloud.confidence.max() == pytest.approx(0.5 * sure.confidence.max())


def test_no_depth_gives_no_cloud():
    frames = tuple(replace(f, depth=None) for f in wall_frames())
    assert len(cloud_of(frames, FusionSettings(), 0.01)[0]) == 0
    empty = tuple(replace(f, depth=replace(f.depth, z=np.zeros_like(f.depth.z))) for f in wall_frames())
    assert len(cloud_of(empty, FusionSettings(), 0.01)[0]) == 0
