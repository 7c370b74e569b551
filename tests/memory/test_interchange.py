"""What is written in another format is what the format's own library reads back."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image
from plyfile import PlyData, PlyElement

from placecell.backends import auto
from placecell.backends.synthetic.capture import photograph
from placecell.backends.synthetic.furnish import make_room
from placecell.backends.synthetic.path import around
from placecell.errors import UserError
from placecell.geometry.cloud import Cloud
from placecell.geometry.transforms import invert, rigid
from placecell.memory.build import assemble
from placecell.memory.interchange.ply import read_ply, write_ply
from placecell.memory.interchange.table import FORMATS, find_format, write

HEADER = (
    b"ply\nformat ascii 1.0\nelement vertex %s\nproperty float x\nproperty float y\nproperty float z\nend_header\n%s\n"
)
FOLDERS = [name for name, format_ in FORMATS.items() if format_.suffix is None]


@pytest.fixture(scope="module")
def memory():
    room = make_room(3, "easy")
    return assemble(photograph(room, around(room, 4), size=(96, 72), frame="z-up", lit=False))


def source_poses(memory):
    recon_from_world = invert(memory.alignment.world_from_recon)
    return {f.number: recon_from_world @ f.camera.world_from_cam for f in memory.posed_frames}


def in_source_of(pose, format_):
    """A pose of the z-up source as a format has it: turned where its readers take +y for up."""
    return rigid([[1, 0, 0], [0, 0, 1], [0, -1, 0]]) @ pose if format_.up == (0, 1, 0) else pose


@pytest.mark.parametrize("name", FOLDERS)
def test_poses_lenses_pixels_and_what_is_up_survive_every_folder_format(memory, tmp_path, name):
    write(memory, tmp_path / "out", FORMATS[name])
    back = auto.build([tmp_path / "out"])
    poses = source_poses(back)
    assert len(poses) == len(memory.frames)
    for (number, pose), frame in zip(source_poses(memory).items(), back.frames, strict=True):
        np.testing.assert_allclose(poses[frame.number], in_source_of(pose, FORMATS[name]), atol=1e-6)
        up_in_camera = memory.frame(number).camera.world_from_cam[1, :3]
        np.testing.assert_allclose(frame.camera.world_from_cam[1, :3], up_in_camera, atol=0.02)
        np.testing.assert_allclose(frame.camera.K, memory.frame(number).camera.K, atol=1e-6)
        np.testing.assert_array_equal(frame.rgb, memory.frame(number).rgb)


@pytest.mark.parametrize(
    ("name", "step"), [("nerfstudio", 1e-3), ("tum", 1 / 5000), ("open3d", 1e-3), ("scannet", 1e-3)]
)
def test_depth_images_hold_depth_to_half_a_step(memory, tmp_path, name, step):
    write(memory, tmp_path / "out", FORMATS[name])
    files = sorted((tmp_path / "out" / "depth").iterdir(), key=lambda p: (len(p.name), p.name))
    for frame, path in zip(memory.frames, files, strict=True):
        steps = np.asarray(Image.open(path)).astype(np.float64)
        np.testing.assert_allclose(steps * step, frame.depth.z, atol=step / 2 + 1e-6)


def test_record3d_depth_is_exact(memory, tmp_path):
    import OpenEXR

    write(memory, tmp_path / "out", FORMATS["record3d"])
    for place, frame in enumerate(memory.frames):
        with OpenEXR.File(str(tmp_path / "out" / "depth" / f"{place}.exr")) as file:
            np.testing.assert_array_equal(file.channels()["R"].pixels, frame.depth.z)


@pytest.mark.parametrize("name", ["colmap", "colmap-text"])
def test_colmap_reads_our_model_with_all_points(memory, tmp_path, name):
    import pycolmap

    write(memory, tmp_path / "out", FORMATS[name])
    model = pycolmap.Reconstruction(str(tmp_path / "out" / "sparse" / "0"))
    assert model.num_reg_images() == len(memory.frames)
    points = np.array([model.points3D[k].xyz for k in sorted(model.points3D)])
    out = memory.cloud.moved(invert(memory.alignment.world_from_recon))
    np.testing.assert_allclose(points, out.points, atol=1e-6)


def test_glb_and_rerun_hold_the_points_and_the_names(memory, tmp_path):
    import trimesh

    write(memory, tmp_path / "scene.glb", FORMATS["glb"])
    scene = trimesh.load(tmp_path / "scene.glb")
    assert max(len(g.vertices) for g in scene.geometry.values()) == len(memory.cloud)
    for number, instance in enumerate(memory.instances, 1):
        assert any(node.startswith(f"{instance.name} {number}") for node in scene.graph.nodes)
    write(memory, tmp_path / "scene.rrd", FORMATS["rrd"])
    command = [Path(sys.executable).with_name("rerun"), "rrd", "print", tmp_path / "scene.rrd"]
    printed = subprocess.run(command, timeout=120, capture_output=True, text=True, check=True).stdout
    for path in ("/world/points", "/world/objects", "/world/image_1/picture", "/world/image_1/depth"):
        assert path in printed


def test_a_memory_of_cameras_alone_is_no_glb(memory, tmp_path):
    cameras = replace(memory, cloud=Cloud.empty(), instances=())
    with pytest.raises(UserError, match="points and boxes, and this memory has neither"):
        write(cameras, tmp_path / "scene.glb", FORMATS["glb"])
    assert not list(tmp_path.iterdir())


def test_a_folder_in_use_is_never_touched_and_a_failed_write_leaves_nothing(memory, tmp_path):
    (tmp_path / "used").mkdir()
    (tmp_path / "used" / "mine.txt").write_text("keep")
    with pytest.raises(UserError, match="not an empty folder"):
        write(memory, tmp_path / "used", FORMATS["nerfstudio"])
    bare = assemble(photograph(make_room(3, "easy"), around(make_room(3, "easy"), 2), size=(64, 48), lit=False))
    empty = bare.changed("test", "no cameras", frames=())
    with pytest.raises(UserError, match="no pictures with cameras"):
        write(empty, tmp_path / "new", FORMATS["tum"])
    assert sorted(p.name for p in tmp_path.iterdir()) == ["used"]
    assert (tmp_path / "used" / "mine.txt").read_text() == "keep"


def test_a_file_never_takes_the_place_of_a_folder(memory, tmp_path):
    (tmp_path / "points.ply").mkdir()
    with pytest.raises(UserError, match="is a folder, and coloured points is one file"):
        write(memory, tmp_path / "points.ply", FORMATS["ply"])
    assert [p.name for p in tmp_path.iterdir()] == ["points.ply"]


@pytest.mark.parametrize("name", ["ply", "tum"])
def test_a_place_that_cannot_be_written_is_named_and_left_as_it_was(memory, tmp_path, name):
    (tmp_path / "file").write_text("mine")
    with pytest.raises(UserError, match="file/new cannot be written"):
        write(memory, tmp_path / "file" / "new", FORMATS[name])
    assert [p.name for p in tmp_path.iterdir()] == ["file"]


def test_points_without_depth_come_back_from_nerfstudio(memory, tmp_path):
    bare = memory.changed("test", "no depth", frames=tuple(replace(f, depth=None) for f in memory.frames))
    write(bare, tmp_path / "out", FORMATS["nerfstudio"])
    back = auto.build([tmp_path / "out"], sweep=False)
    points = back.cloud.moved(invert(back.alignment.world_from_recon)).points
    out = memory.cloud.moved(invert(memory.alignment.world_from_recon)).points
    np.testing.assert_allclose(points, out, atol=2e-6)
    (tmp_path / "out" / "points.ply").unlink()
    notes = auto.build([tmp_path / "out"], sweep=False).provenance.notes
    assert "its points points.ply are not there" in notes


def test_lengths_in_units_get_a_depth_step_that_fits(memory, tmp_path):
    from placecell.memory.scene import Scale

    relative = memory.changed("test", "units", scale=Scale())
    write(relative, tmp_path / "out", FORMATS["nerfstudio"])
    told = json.loads((tmp_path / "out" / "transforms.json").read_text())
    deepest = max(float(f.depth.z.max()) for f in memory.frames)
    assert told["depth_unit_scale_factor"] == pytest.approx(deepest / 65_000)


def test_the_format_follows_from_the_suffix_or_is_asked_for(tmp_path):
    assert find_format(None, tmp_path / "a.GLB").name == "glb"
    with pytest.raises(UserError, match="does not say its format"):
        find_format(None, tmp_path / "folder")
    with pytest.raises(UserError, match="choose colmap"):
        find_format("obj", tmp_path / "a.obj")


@given(st.integers(0, 40), st.integers(0, 9999))
def test_our_ply_is_read_by_plyfile_and_by_us(count, seed):
    rng = np.random.default_rng(seed)
    cloud = Cloud.of_points(rng.normal(size=(count, 3)), rng.integers(0, 256, (count, 3)))
    vertex = PlyData.read(io.BytesIO(write_ply(cloud)))["vertex"]
    np.testing.assert_array_equal(np.stack([vertex[n] for n in "xyz"], 1).reshape(-1, 3), cloud.points)
    np.testing.assert_array_equal(
        np.stack([vertex[n] for n in ("red", "green", "blue")], 1).reshape(-1, 3), cloud.colors
    )


@pytest.mark.parametrize("order", ["=", "<", ">"])
@pytest.mark.parametrize("text", [True, False])
def test_plys_of_others_are_read_whatever_their_order_types_and_extra_properties(tmp_path, order, text):
    rows = np.array(
        [(5, 0.5, -1.25, 2.0, 7, 250, 10), (9, 1e-3, 3.5, -2.0, 8, 0, 255)],
        dtype=[
            ("quality", "i4"),
            ("x", "f8"),
            ("y", "f4"),
            ("z", "f8"),
            ("red", "u1"),
            ("green", "u1"),
            ("blue", "u1"),
        ],
    )
    path = tmp_path / "cloud.ply"
    PlyData([PlyElement.describe(rows, "vertex")], text=text, byte_order=order, comments=["made elsewhere"]).write(path)
    cloud = read_ply(path)
    np.testing.assert_allclose(cloud.points, [[0.5, -1.25, 2.0], [1e-3, 3.5, -2.0]], rtol=1e-6)
    np.testing.assert_array_equal(cloud.colors, [[7, 250, 10], [8, 0, 255]])


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"not a ply",
        HEADER % (b"2", b"0 0 0"),
        b"ply\nformat binary_little_endian 1.0\nelement vertex 9\nproperty float x\nend_header\n1234",
        b"ply\nformat ascii 1.0\nelement face 2\nend_header\n",
        b"ply\nformat ascii 1.0\nelement vertex 1\nproperty list uchar int x\nend_header\n",
        HEADER % (b"1", b"a b c"),
        b"ply\nformat ascii 1.0\nelement vertex 99999999999\nproperty float x\nend_header\n",
    ],
)
def test_broken_plys_are_refused_in_one_line_that_names_the_file(tmp_path, data):
    path = tmp_path / "broken.ply"
    path.write_bytes(data)
    with pytest.raises(UserError, match=r"broken\.ply") as error:
        read_ply(path)
    assert "\n" not in str(error.value)


def test_real_point_clouds_are_read_as_plyfile_reads_them(shared_data):
    path = shared_data / "room_clouds" / "cart.ply"
    vertex = PlyData.read(path)["vertex"]
    cloud = read_ply(path)
    np.testing.assert_array_equal(cloud.points, np.stack([vertex[n] for n in "xyz"], 1).astype(np.float32))
    for name, count in (("ply_ascii.ply", 7), ("ply_custom_properties.ply", 7)):
        assert len(read_ply(shared_data / "room_clouds" / name)) == count
