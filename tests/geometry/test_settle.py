import numpy as np
import pytest
from numpy.testing import assert_allclose

from placecell.geometry import transforms as tf
from placecell.geometry.camera import Camera
from placecell.geometry.cloud import Cloud, concat, fuse
from placecell.geometry.consistency import DepthView, fuse_views, recolor, settle


def wall_views(count=8, noise=0.01, seed=0):
    """Views of the plane z = -3 from different places, with relative depth noise."""
    rng = np.random.default_rng(seed)
    views = []
    for i in range(count):
        eye = [0.4 * np.cos(i), 0.3 * np.sin(i), 0.2 * np.sin(2 * i)]
        camera = Camera.from_fov(60, 80, 60, tf.look_at(eye, [0, 0, -3]))
        z = (-3 - eye[2]) / camera.rays()[..., 2]
        rgb = np.full((60, 80, 3), 10 * i, np.uint8)
        views.append(DepthView(camera, (z * (1 + rng.normal(0, noise, z.shape))).astype(np.float32), rgb))
    return views


def points_of(views):
    return concat(Cloud.of_points(view.camera.unproject(view.depth).reshape(-1, 3)) for view in views)


def test_a_noisy_layer_becomes_a_thin_surface_in_the_right_place():
    views = wall_views()
    raw = points_of(views)
    settled = settle(raw, views)
    assert raw.points[:, 2].std() > 0.025
    assert settled.points[:, 2].std() < raw.points[:, 2].std() / 2
    assert settled.points[:, 2].mean() == pytest.approx(-3, abs=0.003)
    assert len(settled) > 0.97 * len(raw)


def test_points_in_the_air_that_views_see_through_go_and_hidden_ones_stay():
    views = wall_views(noise=0)
    odd = Cloud.of_points([[0, 0, -1.5], [0.1, 0, -2.2], [0, 0, -4], [0.2, 0, -3]])
    kept = settle(odd, views)
    assert_allclose(kept.points, [[0, 0, -4], [0.2, 0, -3]], atol=1e-3)


def test_a_point_that_only_one_view_knows_stays_as_it_is():
    views = wall_views(noise=0)[:1]
    beside = Cloud.of_points([[50, 0, -3.0]])
    assert_allclose(settle(beside, views).points, beside.points)
    assert settle(beside, views).confidence[0] == 1


def test_confidence_is_the_share_of_views_that_confirm():
    views = wall_views(4, noise=0)
    through = DepthView(views[0].camera, views[0].depth + 1)
    settled = settle(Cloud.of_points([[0, 0, -3.0]]), [*views, through])
    assert settled.confidence[0] == pytest.approx(0.8)


def test_colours_come_from_the_nearest_view_and_unseen_points_keep_theirs():
    far, near = Camera.from_fov(60, 40, 30), Camera.from_fov(60, 40, 30, tf.rigid(None, [0, 0, 2]))
    views = [
        DepthView(far, np.full((30, 40), 3, np.float32), np.full((30, 40, 3), 200, np.uint8)),
        DepthView(near, np.full((30, 40), 1, np.float32), np.full((30, 40, 3), 40, np.uint8)),
        DepthView(near, np.full((30, 40), 1, np.float32)),
    ]
    cloud = Cloud.of_points([[0, 0, 3.0], [0, 0, 9.0]], [[1, 2, 3], [4, 5, 6]])
    assert recolor(cloud, views).colors.tolist() == [[40, 40, 40], [4, 5, 6]]


def test_fusing_views_gives_one_clean_point_a_voxel():
    views = wall_views()
    raw = fuse(points_of(views), 0.05)
    fused = fuse_views(raw, views, 0.05, 0.01)
    cells = np.floor((fused.points - fused.points.min(axis=0)) / 0.05)
    assert len(np.unique(cells, axis=0)) > 0.95 * len(fused)
    assert len(fused) < 0.6 * len(raw)
    seen_by_all = (np.abs(fused.points[:, :2]) < [1.0, 0.7]).all(axis=1)
    assert np.quantile(np.abs(fused.points[seen_by_all, 2] + 3), 0.99) < 0.04
    assert fused.points.tobytes() == fuse_views(raw, views, 0.05, 0.01).points.tobytes()


def test_nothing_to_settle_is_nothing():
    assert len(settle(Cloud.empty(), wall_views(1))) == 0
    assert len(fuse_views(Cloud.empty(), wall_views(1), 0.05, 0.01)) == 0


def test_depth_and_picture_must_fit_their_camera():
    camera = Camera.from_fov(60, 40, 30)
    with pytest.raises(ValueError, match="size"):
        DepthView(camera, np.zeros((40, 30), np.float32))
    with pytest.raises(ValueError, match="size"):
        DepthView(camera, np.zeros((30, 40), np.float32), np.zeros((60, 80, 3), np.uint8))
