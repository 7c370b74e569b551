"""What is kept of a model's depth: sure pixels, and no edges, but every slanted surface."""

from __future__ import annotations

import numpy as np
import pytest

from placecell.backends.feedforward.cleaning import cleaned, edges
from placecell.backends.feedforward.settings import CleaningSettings
from placecell.geometry.camera import Camera
from placecell.geometry.depth import depth_edges
from placecell.memory.scene import DepthMap

CAMERA = Camera.from_fov(70, 60, 40)


def depth_map(z, confidence=None):
    return DepthMap(z.astype(np.float32), CAMERA, confidence)


def floor():
    """Depth of a floor 1.5 m below a camera that looks straight ahead: rows below the horizon, up to 20 m away."""
    slope = CAMERA.rays()[..., 1]
    z = np.where(slope > 0, 1.5 / np.where(slope > 0, slope, 1), 0)
    return np.where(z < 20, z, 0).astype(np.float32)


def test_both_sides_of_a_step_are_edges_and_nothing_else_is():
    z = np.full((40, 60), 2.0, np.float32)
    z[:, 30:] = 2.2
    found = edges(z, 0.03)
    assert found[1:-1, 29:31].all()
    assert not found[:, :29].any() and not found[:, 31:].any()


def test_a_step_smaller_than_the_limit_is_none():
    z = np.full((40, 60), 2.0, np.float32)
    z[:, 30:] = 2.05
    assert not edges(z, 0.03).any()


def test_a_floor_seen_at_a_grazing_angle_is_no_edge_although_its_depth_jumps_from_row_to_row():
    z = floor()
    inside = np.zeros(z.shape, bool)
    inside[1:-1, 1:-1] = z[1:-1, 1:-1] > 0
    inside[:-1] &= z[:-1] > 0
    far = inside & (np.roll(z, 1, axis=0) > 0)
    assert depth_edges(z, 0.03)[far].mean() > 0.5
    assert not edges(z, 0.03)[far].any()


def test_an_object_on_that_floor_has_edges_around_it():
    z = floor()
    top, bottom = 24, 34
    z[top:bottom, 20:40] = z[bottom, 0]
    found = edges(z, 0.03)
    assert found[top + 1 : bottom - 2, 20].all() and found[top + 1 : bottom - 2, 39].all()
    assert not found[top + 2 : bottom - 2, 22:38].any()


def test_less_sure_pixels_than_the_limit_are_dropped():
    sure = np.full((40, 60), 0.5, np.float32)
    sure[:10] = 0.09
    (view,) = cleaned([depth_map(np.full((40, 60), 2.0), sure)], CleaningSettings(min_confidence=0.1))
    assert not view.z[:10].any() and (view.z[10:] == 2).all()


def test_the_least_sure_share_is_counted_over_all_views_together():
    good, bad = np.full((40, 60), 0.9, np.float32), np.full((40, 60), 0.2, np.float32)
    views = [depth_map(np.full((40, 60), 2.0), c) for c in (good, good, bad, good)]
    kept = cleaned(views, CleaningSettings(least_confident=0.26))
    assert [int((v.z > 0).any()) for v in kept] == [1, 1, 0, 1]


@pytest.mark.parametrize("share", [0.25, 0.4])
def test_equally_sure_pixels_are_kept_together(share):
    sure = np.full((40, 60), 0.7, np.float32)
    (view,) = cleaned([depth_map(np.full((40, 60), 2.0), sure)], CleaningSettings(least_confident=share))
    assert (view.z > 0).all()


def test_a_model_without_confidence_loses_only_edges():
    z = np.full((40, 60), 2.0, np.float32)
    z[:, 30:] = 3
    (view,) = cleaned([depth_map(z)], CleaningSettings(min_confidence=0.5, least_confident=0.5))
    assert (view.z > 0).mean() == pytest.approx(58 / 60)
