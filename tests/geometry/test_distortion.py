import numpy as np
import pycolmap
import pytest
from numpy.testing import assert_allclose

from placecell.errors import UserError
from placecell.geometry import transforms as tf
from placecell.geometry.distortion import undistortion

LENSES = {
    "SIMPLE_RADIAL": [50, 32, 24, 0.1],
    "RADIAL": [50, 32, 24, 0.1, -0.02],
    "OPENCV": [50, 51, 33, 23, 0.1, -0.05, 0.001, 0.002],
    "FULL_OPENCV": [50, 51, 33, 23, 0.1, -0.05, 0.001, 0.002, 0.01, 0, 0, 0],
    "OPENCV_FISHEYE": [30, 30, 32, 24, 0.1, 0.01, 0, 0],
    "SIMPLE_RADIAL_FISHEYE": [30, 32, 24, 0.02],
    "FOV": [50, 50, 32, 24, 0.5],
}


@pytest.mark.parametrize("model", ["SIMPLE_PINHOLE", "PINHOLE"])
def test_a_pinhole_stays_as_it_is(model):
    found = undistortion(model, [50, 32, 24] if model == "SIMPLE_PINHOLE" else [50, 50, 32, 24], 64, 48)
    assert_allclose(found.camera.K, [[50, 0, 32], [0, 50, 24], [0, 0, 1]])
    picture = np.random.default_rng(0).integers(0, 256, (48, 64, 3)).astype(np.uint8)
    assert_allclose(found(picture), picture)


@pytest.mark.parametrize("model", LENSES)
def test_each_pixel_comes_from_where_the_lens_puts_its_ray(model):
    found = undistortion(model, LENSES[model], 64, 48)
    u, v = found.maps
    lens = pycolmap.Camera(model=model, width=64, height=48, params=LENSES[model])
    for row, column in ((0, 0), (10, 20), (found.camera.height - 1, found.camera.width - 1)):
        ray = found.camera.rays()[row, column]
        assert_allclose([u[row, column], v[row, column]], lens.img_from_cam(ray), atol=1e-4)


def test_size_and_focal_length_are_the_lens_s():
    found = undistortion("opencv", LENSES["OPENCV"], 64, 48, tf.look_at([1, 1, 1], [0, 0, 0]))
    assert (found.camera.width, found.camera.height) == (64, 48)
    assert found.camera.K[0, 0] == 50
    assert_allclose(found.camera.centre, [1, 1, 1])


def test_a_straight_line_becomes_straight_and_depth_is_not_mixed():
    lens = pycolmap.Camera(model="RADIAL", width=64, height=48, params=LENSES["RADIAL"])
    v, u = np.mgrid[:48, :64] + 0.5
    rays = lens.cam_from_img(np.stack([u, v], axis=-1).reshape(-1, 2)).reshape(48, 64, 2)
    halves = np.where(rays[..., 0] < 0.2, 1.0, 3.0).astype(np.float32)  # a wall's edge at x = 0.2 z
    flat = undistortion("RADIAL", LENSES["RADIAL"], 64, 48)
    seen = flat(halves, how="nearest")
    assert set(np.unique(seen)) == {0.0, 1.0, 3.0}  # 0 beyond the edge of what the lens saw
    seen = seen[4:-4]
    edge = (seen == 1).sum(axis=1)
    assert np.ptp(edge) <= 1
    assert edge[0] == pytest.approx(0.2 * flat.camera.K[0, 0] + flat.camera.K[0, 2], abs=1)


@pytest.mark.parametrize(
    ("model", "params", "message"),
    [
        ("WIDE", [1], "unknown camera model"),
        ("OPENCV", [50, 50, 32, 24], "fx, fy, cx, cy, k1, k2, p1, p2"),
        ("EQUIRECTANGULAR", [64, 48], "pinhole"),
        ("RADIAL", [50, 32, 24, np.nan, 0], "no lens"),
        ("RADIAL", [-50, 32, 24, 0.1, 0], "no lens"),
    ],
)
def test_what_is_no_lens_is_named(model, params, message):
    with pytest.raises(UserError, match=message):
        undistortion(model, params, 64, 48)
