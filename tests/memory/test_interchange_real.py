"""Real captures go in and out of every format that can hold them: poses within 1e-6, points within float32."""

from __future__ import annotations

import numpy as np
import pytest

from placecell.backends import auto
from placecell.backends.clouds import read_cloud
from placecell.backends.posed.backend import need_capture, read_capture
from placecell.errors import UserError
from placecell.geometry.transforms import invert
from placecell.memory.interchange.table import FORMATS, write

ONE_LENS = ("tum", "open3d")
WITH_DEPTH = ("scannet", "record3d")
MANY_LENSES = ("colmap", "colmap-text", "nerfstudio")


def read(folder, **options):
    """What a capture states, in its own frame."""
    return read_capture(need_capture(folder), **options)


def same_cameras(made, frames, *, turned=False):
    """The same places, lenses and pixels; ``turned``: but for one rotation about the origin."""
    placed = [frame for frame in made.frames if frame.camera is not None]
    turn = placed[0].camera.world_from_cam @ invert(frames[0].camera.world_from_cam) if turned else np.eye(4)
    np.testing.assert_allclose(turn[:3, 3], 0, atol=1e-6)
    for now, then in zip(placed, frames, strict=True):
        np.testing.assert_allclose(now.camera.world_from_cam, turn @ then.camera.world_from_cam, atol=1e-6)
        np.testing.assert_allclose(now.camera.K, then.camera.K, atol=1e-6)
    np.testing.assert_array_equal(placed[0].rgb, frames[0].rgb)


def float32_of(points):
    """Three roundings of the largest coordinate: into the world, out of it, and when read."""
    return 3 * np.spacing(np.abs(points).max())


@pytest.mark.parametrize("name", ["colmap_bust", "ngp_fox", "dl3dv_four_views/32c0925b", "dl3dv_four_views/26da8aea"])
def test_photos_with_poses_survive(shared_data, tmp_path, name):
    made = read(shared_data / name, frames=2)
    placed = [frame for frame in made.frames if frame.camera is not None]
    memory = auto.build([shared_data / name], frames=2, sweep=False)
    one_lens = len({(f.camera.width, f.camera.height, *f.camera.K.ravel()) for f in placed}) == 1
    for format_ in (*MANY_LENSES, *(ONE_LENS if one_lens else ())):
        write(memory, tmp_path / format_, FORMATS[format_])
        back = read(tmp_path / format_)
        same_cameras(back, placed)
        if made.points is not None and format_ in MANY_LENSES:
            atol = float32_of(made.points.points)
            np.testing.assert_allclose(back.points.points, made.points.points, atol=atol)
            np.testing.assert_array_equal(back.points.colors, made.points.colors)
    for format_ in WITH_DEPTH:
        with pytest.raises(UserError, match="has depth for every picture, and image"):
            write(memory, tmp_path / format_, FORMATS[format_])


def test_cameras_of_different_sizes_are_refused_by_formats_with_one_lens(shared_data, tmp_path):
    memory = auto.build([shared_data / "colmap_bust"], frames=2, sweep=False)
    for format_ in ONE_LENS:
        with pytest.raises(UserError, match="keeps one camera for all pictures") as error:
            write(memory, tmp_path / format_, FORMATS[format_])
        assert "nerfstudio or colmap" in error.value.hint


@pytest.mark.parametrize("name", ["record3d_lidar", "open3d_rgbd"])
def test_depth_captures_survive_with_their_depth(shared_data, tmp_path, name):
    made = read(shared_data / name, frames=2)
    memory = auto.build([shared_data / name], frames=2)
    for format_, step in (
        ("nerfstudio", 1e-3),
        ("tum", 1 / 5000),
        ("open3d", 1e-3),
        ("scannet", 1e-3),
        ("record3d", 0),
    ):
        write(memory, tmp_path / format_, FORMATS[format_])
        back = read(tmp_path / format_)
        assert back.scale.metric
        same_cameras(back, made.frames, turned=FORMATS[format_].up is not None)
        for now, then in zip(back.frames, memory.frames, strict=True):
            np.testing.assert_allclose(now.depth.z, then.depth.z, atol=step / 2 + 1e-6)


@pytest.mark.parametrize(
    "name",
    ["cart.ply", "ply_ascii.ply", "ply_custom_properties.ply", "sunrgbd_000017.bin", "scannet_scene0000_00.bin"],
)
def test_point_clouds_survive_as_ply(shared_data, tmp_path, name):
    given = read_cloud(shared_data / "room_clouds" / name)
    write(auto.build([shared_data / "room_clouds" / name]), tmp_path / "out.ply", FORMATS["ply"])
    back = read_cloud(tmp_path / "out.ply")
    np.testing.assert_allclose(back.points, given.points, atol=float32_of(given.points))
    np.testing.assert_array_equal(back.colors, given.colors)
