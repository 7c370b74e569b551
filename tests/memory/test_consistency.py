"""Cross-checking depth: right readings agree, wrong ones are named, and what cannot be checked says so."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from placecell.geometry.camera import Camera
from placecell.geometry.transforms import convert_camera, invert, look_at, rigid
from placecell.memory.consistency import CrossCheck
from placecell.memory.scene import DepthMap

HALF = np.array([2.0, 1.25, 1.5])


def room_view(eye, target):
    """Exact depth of the inside of a 4 x 2.5 x 3 box."""
    camera = Camera.from_fov(75, 80, 60, look_at(eye, target))
    rays, centre = camera.rays(), camera.centre
    with np.errstate(divide="ignore"):
        z = np.where(rays > 0, (HALF - centre) / rays, (-HALF - centre) / rays).min(axis=-1)
    return DepthMap(z.astype(np.float32), camera)


@pytest.fixture(scope="module")
def views():
    angles = np.linspace(0, 2.5, 8)
    return [room_view([np.sin(a), 0.2, np.cos(a)], [0.2 * np.cos(a), 0, -0.3]) for a in angles]


def posed(views, change):
    return [DepthMap(v.z, v.camera.posed(change(v.camera.world_from_cam))) for v in views]


def test_true_depth_and_poses_agree(views):
    verdict = CrossCheck(views).verdict()
    assert not verdict.disagrees
    assert verdict.agreement.ratio > 0.98
    assert verdict.agreement.confirmed > 0.4
    assert verdict.scale == 1.0
    assert min(verdict.view_ratios) > 0.95


@pytest.mark.parametrize("factor", [1000, 5, 2, 0.5, 0.2, 0.1, 3.3])
def test_a_wrong_scale_is_named(views, factor):
    verdict = CrossCheck([replace(v, z=v.z * np.float32(factor)) for v in views]).verdict()
    assert verdict.disagrees
    assert verdict.better.startswith("depth x ")
    assert float(verdict.better.removeprefix("depth x ")) == pytest.approx(1 / factor, rel=0.2)
    assert verdict.better_agreement.ratio > 0.8


def test_opengl_cameras_are_named(views):
    wrong = posed(views, lambda pose: convert_camera(pose, "opencv", "opengl"))
    assert "OpenGL" in CrossCheck(wrong).verdict().better


def test_inverted_poses_are_named(views):
    far = posed(views, lambda pose: rigid(translation=[0.5, -0.4, 0.7]) @ pose)
    assert CrossCheck(posed(far, invert)).verdict().better == "poses that are world-to-camera"


def test_one_wrong_pose_is_found_among_right_ones(views):
    wrong = list(views)
    wrong[3] = DepthMap(
        views[3].z, views[3].camera.posed(views[3].camera.world_from_cam @ rigid(translation=[0, 0, 0.8]))
    )
    verdict = CrossCheck(wrong).verdict()
    assert not verdict.disagrees
    assert np.nanargmin(verdict.view_ratios) == 3


def test_a_world_moved_as_a_whole_agrees_as_well(views):
    moved = posed(views, lambda pose: look_at([5, 6, 7], [1, 0, 2]) @ pose)
    assert CrossCheck(moved).agreement().confirmed == pytest.approx(CrossCheck(views).agreement().confirmed, abs=0.01)


def test_unknown_pixels_say_nothing(views):
    rng = np.random.default_rng(0)
    holed = [replace(v, z=np.where(rng.random(v.z.shape) < 0.4, np.float32(0), v.z)) for v in views]
    assert CrossCheck(holed).agreement().ratio > 0.98


def test_views_that_share_nothing_cannot_be_checked():
    apart = [room_view([0, 0, 0], [np.sin(a), 0, np.cos(a)]) for a in (0, 2.1, 4.2)]
    verdict = CrossCheck(apart).verdict()
    assert verdict.agreement.pairs == 0
    assert not verdict.agreement.checked
    assert not verdict.disagrees


@pytest.mark.parametrize("count", [0, 1])
def test_fewer_than_two_views_are_no_error(views, count):
    assert not CrossCheck(views[:count]).verdict().disagrees
    empty = [replace(v, z=np.zeros_like(v.z)) for v in views]
    assert not CrossCheck(empty).verdict().disagrees
