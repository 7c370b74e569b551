from concurrent.futures import ThreadPoolExecutor

import numba
import numpy as np
import pytest
from geometry_rooms import kitchen, room, surface
from geometry_strategies import prove
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from placecell.geometry import transforms as tf
from placecell.geometry.camera import Camera, OrthoCamera
from placecell.geometry.cloud import Cloud, concat, fuse
from placecell.geometry.consistency import DepthView, fuse_views
from placecell.geometry.depth import depth_edges
from placecell.geometry.raster import UNKNOWN_COLOR, render

RED, GREEN = np.array([255, 0, 0], np.uint8), np.array([0, 255, 0], np.uint8)


def grid(spacing, z, half=1.0, offset=0.0):
    """A wall of points across the optical axis of a camera at the origin."""
    side = np.arange(-half, half, spacing) + offset
    x, y = np.meshgrid(side, side)
    return np.stack([x, y, np.full(x.shape, z)], axis=-1).reshape(-1, 3)


def painted(color, points):
    return np.tile(color, (len(points), 1))


def picture_of_a_room(camera=None, **kwargs):
    points = room("floor", "walls", "table", per_square=2000, noise=0)
    colors = np.random.default_rng(0).integers(0, 256, points.shape).astype(np.uint8)
    camera = camera or Camera.from_fov(70, 320, 240, tf.look_at([4, 1.6, 3.5], [1, 0.8, 0.5]))
    return render(camera, points, colors, 0.03, **kwargs), points, colors, camera


def test_a_point_is_a_disc_as_wide_as_its_spacing_appears():
    camera = Camera.from_fov(90, 101, 101)
    picture = render(camera, [[0, 0, 2.0]], [RED], 0.4, gap=0)
    v, u = np.nonzero(picture.known)
    radius = (0.4 * camera.K[0, 0] / 2 + 1) / np.sqrt(2)
    distance = np.hypot(u - 50, v - 50)
    assert distance.max() <= radius
    assert len(u) == (np.hypot(*np.mgrid[-50:51, -50:51]) <= radius).sum()
    assert (picture.rgb[picture.known] == RED).all()
    assert_allclose(picture.depth[picture.known], 2)


def test_where_nothing_is_seen_everything_says_so():
    picture = render(Camera.from_fov(90, 20, 10), [[0, 0, 2.0]], [RED], 0.01)
    unknown = ~picture.known
    assert unknown.sum() == 20 * 10 - 1
    assert (picture.rgb[unknown] == UNKNOWN_COLOR).all()
    assert (picture.depth[unknown] == 0).all()
    assert (picture.index[unknown] == -1).all()


@pytest.mark.parametrize("points", [np.zeros((0, 3)), [[0, 0, -1.0]], [[0, 0, 0.01]], [[9, 0, 1.0]], [[0, 0, 0.0]]])
def test_no_points_behind_too_near_or_beside_the_view_leave_it_unknown(points):
    picture = render(Camera.from_fov(60, 30, 20), points, np.zeros((len(points), 3), np.uint8), 0.05)
    assert not picture.known.any()


def test_the_nearer_point_is_seen_and_at_equal_depth_the_earlier():
    camera = Camera.from_fov(60, 9, 9)
    assert render(camera, [[0, 0, 2], [0, 0, 1.0]], [RED, GREEN], 0.01).index[4, 4] == 1
    assert render(camera, [[0, 0, 1], [0, 0, 1.0]], [RED, GREEN], 0.01).index[4, 4] == 0
    assert render(camera, [[0.001, 0, 1], [0, 0, 1.0]], [RED, GREEN], 0.01).index[4, 4] == 0


def test_colour_depth_and_index_are_of_one_point():
    picture, points, colors, camera = picture_of_a_room()
    shown = picture.index[picture.known]
    assert_array_equal(picture.rgb[picture.known], colors[shown])
    assert_allclose(picture.depth[picture.known], camera.project(points[shown]).depth, rtol=1e-5)


def test_each_pixel_shows_a_point_that_is_seen_near_it():
    picture, points, _, camera = picture_of_a_room()
    v, u = np.nonzero(picture.known)
    shown = points[picture.index[v, u]]
    off = np.linalg.norm(camera.project(shown).pixels - np.stack([u + 0.5, v + 0.5], axis=1), axis=1)
    spacing_px = 0.03 * camera.K[0, 0] / picture.depth[v, u]
    assert (off <= 2 * spacing_px + 1.5).mean() > 0.999


@pytest.mark.parametrize("gap", [0, 4])
@prove
@example(1.125, 0.015625, 0.0)  # just over a pixel apart: now and then a column is left out
@given(st.floats(0.5, 4), st.floats(0.004, 0.08), st.floats(0, 1))
def test_what_is_behind_a_surface_never_shows_through_it(gap, distance, spacing, shift):
    wall, behind = grid(spacing, distance, half=0.6, offset=shift * spacing), grid(0.02, distance + 1, half=2)
    colors = np.concatenate([painted(RED, wall), painted(GREEN, behind)])
    camera = Camera.from_fov(60, 90, 70)
    picture = render(camera, np.concatenate([wall, behind]), colors, spacing, gap=gap)
    half = (0.6 - 2 * spacing) / distance * camera.K[0, 0]
    v, u = np.mgrid[:70, :90] + 0.5
    inside = (np.abs(u - 45) < half - 1) & (np.abs(v - 35) < half - 1)
    assert (picture.rgb[inside] == RED).all()


def test_a_pinhole_is_covered_and_a_slit_between_boards_is_not():
    wall, behind = grid(0.02, 1.0), grid(0.02, 2.0, half=2)
    hole = (np.abs(wall[:, :2]) < 0.015).all(axis=1)
    slit = np.abs(wall[:, 0] - 0.3) < 0.06
    camera = Camera.from_fov(60, 200, 150)
    for missing, shows in ((hole, False), (slit, True)):
        front = wall[~missing]
        colors = np.concatenate([painted(RED, front), painted(GREEN, behind)])
        picture = render(camera, np.concatenate([front, behind]), colors, 0.02)
        assert (picture.rgb == GREEN).all(axis=-1).any() == shows


def test_narrow_unknown_gaps_close_and_wide_ones_stay():
    wall = grid(0.02, 1.0)
    camera = Camera.from_fov(60, 200, 150)
    for width, closes in ((0.06, True), (0.4, False)):
        parted = wall[np.abs(wall[:, 0]) > width / 2]
        picture = render(camera, parted, painted(RED, parted), 0.02)
        assert picture.known.all() == closes
        assert not render(camera, parted, painted(RED, parted), 0.02, gap=0).known.all()


def test_unknown_space_between_a_near_and_a_far_surface_stays_unknown():
    left, right = grid(0.02, 1.0), grid(0.04, 2.0, half=2)
    points = np.concatenate([left[left[:, 0] < -0.05], right[right[:, 0] > 0.1]])
    picture = render(Camera.from_fov(60, 200, 150), points, painted(RED, points), 0.02)
    assert not picture.known[75].all()


def test_an_orthographic_view_shows_equal_things_at_equal_size_wherever_they_are():
    camera = OrthoCamera(0.1, 60, 40, tf.look_at([0, 5, 0], [0, 0, 0]))
    points = np.array([[-2.0, 0, -1], [2.0, 3, 1]])
    picture = render(camera, points, [RED, GREEN], 0.5, gap=0)
    sizes = [(picture.index == i).sum() for i in range(2)]
    assert sizes[0] == sizes[1] > 9
    v, u = np.nonzero(picture.index == 0)  # x to the right, -z to the top
    assert (u.mean() + 0.5, v.mean() + 0.5) == pytest.approx((10, 10), abs=0.6)
    assert_allclose(np.unique(picture.depth[picture.known]), [2, 5])


def test_the_order_of_points_does_not_matter():
    picture, points, colors, camera = picture_of_a_room()
    order = np.random.default_rng(3).permutation(len(points))
    shuffled = render(camera, points[order], colors[order], 0.03)
    assert_array_equal(shuffled.depth, picture.depth)
    assert (shuffled.rgb == picture.rgb).all(axis=-1).mean() > 0.999  # but for points at exactly the same depth


@pytest.mark.parametrize("size", [(1, 1), (1, 300), (300, 1), (127, 3), (128, 3), (129, 3)])
def test_pictures_of_any_size_are_windows_of_a_larger_one(size):
    picture, points, colors, camera = picture_of_a_room(gap=0)
    window = camera.cropped(10, 20, *size)
    found = render(window, points, colors, 0.03, gap=0)
    right, bottom = min(10 + size[0], 320), min(20 + size[1], 240)
    assert_array_equal(found.depth[: bottom - 20, : right - 10], picture.depth[20:bottom, 10:right])


def test_eight_threads_at_once_and_any_number_of_workers_give_the_same_bytes():
    picture, points, colors, camera = picture_of_a_room()
    with ThreadPoolExecutor(8) as pool:
        for found in pool.map(lambda _: render(camera, points, colors, 0.03), range(16)):
            assert found.rgb.tobytes() == picture.rgb.tobytes()
            assert found.depth.tobytes() == picture.depth.tobytes()
            assert found.index.tobytes() == picture.index.tobytes()
    before = numba.get_num_threads()
    numba.set_num_threads(1)
    try:
        assert render(camera, points, colors, 0.03).rgb.tobytes() == picture.rgb.tobytes()
    finally:
        numba.set_num_threads(before)


@pytest.mark.parametrize(
    ("colors", "kwargs"), [(1, {}), (2, {"spacing": 0}), (2, {"near": 0}), (2, {"gap": -1}), (2, {"spacing": np.nan})]
)
def test_what_cannot_be_drawn_is_refused(colors, kwargs):
    with pytest.raises(ValueError, match=r"colours|positive"):
        render(Camera.from_fov(60, 4, 4), np.ones((2, 3)), np.zeros((colors, 3)), **{"spacing": 0.1, **kwargs})


def test_a_surface_seen_at_a_grazing_angle_is_closed():
    floor = surface([-3, 0, -6], [3, 0, -0.5], 4000, np.random.default_rng(0))
    camera = Camera.from_fov(70, 300, 200, tf.turn(tf.look_at([0, 0.4, 0], [0, 0.4, -1]), up=-10))
    picture = render(camera, floor, painted(RED, floor), 0.02)
    rays = camera.rays()
    with np.errstate(divide="ignore"):
        hit = rays[..., 2] * (-0.4 / rays[..., 1])
    on_floor = (rays[..., 1] < 0) & (hit > -5.8) & (hit < -0.8) & (np.abs(rays[..., 0] * (-0.4 / rays[..., 1])) < 2.8)
    assert picture.known[on_floor].mean() > 0.999


def test_the_real_kitchen_renders_within_two_centimetres_of_its_own_depth(shared_data):
    frames = list(kitchen(shared_data / "sevenscenes_tsdf", step=4))
    views, clouds = [], []
    for number, (rgb, z, camera) in enumerate(frames, start=1):
        clean = np.where(depth_edges(z), 0, z).astype(np.float32)
        views.append(DepthView(camera, clean, rgb))
        points = camera.unproject(clean)
        known = np.isfinite(points[..., 2])
        v, u = np.nonzero(known)
        weight = np.clip(1 / z[known] ** 2, 0, 1)
        clouds.append(
            Cloud(points[known], rgb[known], weight, np.full(len(u), number), np.stack([u + 0.5, v + 0.5], 1))
        )
    cloud = fuse_views(fuse(concat(clouds), 0.01), views, 0.01, 0.01)
    pictures, masks = [], []
    for _, z, camera in frames:
        picture = render(camera, cloud.points, cloud.colors, 0.01)
        both = picture.known & (z > 0)
        assert both.mean() > 0.75
        assert np.median(np.abs(picture.depth - z)[both]) < 0.02
        pictures.append(np.where(both[..., None], picture.rgb, 0))
        masks.append(both)
    # Recognisably the photo: every picture is more like its own photo than like any other.
    for i, (picture, both) in enumerate(zip(pictures, masks, strict=True)):
        likeness = [
            np.corrcoef(blurred(picture), blurred(np.where(both[..., None], rgb, 0)))[0, 1] for rgb, *_ in frames
        ]
        assert np.argmax(likeness) == i
        assert likeness[i] > 0.8


def blurred(image):
    """Means of 20 x 20 pixels, flat."""
    return image.reshape(24, 20, 32, 20, 3).mean(axis=(1, 3)).ravel()
