"""Depth files: every coding gives the same metres, and what is no depth is refused, never guessed."""

from __future__ import annotations

import numpy as np
import OpenEXR
import pytest
from PIL import Image

import room_capture as room
from placecell.backends.posed.backend import need_capture, read_capture
from placecell.backends.posed.depth import DepthCoding, decode, looks_rotated, read_raw
from placecell.errors import UserError

Z = np.linspace(0.5, 4.5, 48 * 64).reshape(48, 64)
MM = DepthCoding(0.001, reason="stated")
METRES = DepthCoding(1.0, reason="stated")


def write_png(path, z):
    Image.fromarray(np.rint(z * 1000).astype(np.uint16)).save(path)


def write_pgm(path, z):
    raw = np.rint(z * 1000).astype(">u2")
    path.write_bytes(f"P5\n# made by hand\n{z.shape[1]} {z.shape[0]}\n65535\n".encode() + raw.tobytes())


def write_short_pgm(path, z):
    raw = np.rint(z * 1000).astype(">u2")
    path.write_bytes(f"P5 {z.shape[1]} {z.shape[0]} 10000\n".encode() + raw.tobytes())


def write_tiff(path, z):
    Image.fromarray(z.astype(np.float32)).save(path)


def write_exr(path, z):
    header = {"compression": OpenEXR.ZIP_COMPRESSION, "type": OpenEXR.scanlineimage}
    OpenEXR.File(header, {"Z": z.astype(np.float32)}).write(str(path))


def write_npy(path, z):
    np.save(path, z.astype(np.float32))


def write_npy_mm(path, z):
    np.save(path, np.rint(z * 1000).astype(np.uint16)[None])


@pytest.mark.parametrize(
    ("name", "write", "coding"),
    [
        ("d.png", write_png, MM),
        ("d.pgm", write_pgm, MM),
        ("e.pgm", write_short_pgm, MM),
        ("d.tif", write_tiff, METRES),
        ("d.exr", write_exr, METRES),
        ("d.npy", write_npy, METRES),
        ("e.npy", write_npy_mm, MM),
    ],
)
def test_millimetres_and_metres_give_the_same_distances(tmp_path, name, write, coding):
    write(tmp_path / name, Z)
    z = decode(read_raw(tmp_path / name, name), coding)
    assert z.dtype == np.float32
    np.testing.assert_allclose(z, Z, atol=0.00051)


def test_float_files_ignore_the_step_of_integers(tmp_path):
    write_tiff(tmp_path / "d.tif", Z)
    np.testing.assert_allclose(decode(read_raw(tmp_path / "d.tif", "d.tif"), MM), Z, atol=1e-6)


def test_everything_that_is_no_distance_is_unknown():
    raw = np.array([[0, 65535, 2000]], np.uint16)
    assert decode(raw, MM).tolist() == [[0, 0, 2]]
    assert decode(raw, DepthCoding(0.0001, rotated=True)).tolist()[0][:2] == [0, 0]
    floats = np.array([[0, np.nan, np.inf, -np.inf, -1, 2, 65504, 1e10]], np.float32)
    assert decode(floats, METRES).tolist() == [[0, 0, 0, 0, 0, 2, 0, 0]]


@pytest.mark.parametrize("unit", [0.001, 1 / 5000, 1 / 10000])
def test_whole_steps_are_exact(unit):
    raw = np.arange(65535, dtype=np.uint16)[None]
    np.testing.assert_array_equal(decode(raw, DepthCoding(unit)), (raw / round(1 / unit)).astype(np.float32))


def test_rotated_values_are_recognised_and_undone():
    whole = np.rint(Z * 1000).astype(np.uint16)
    rotated = (whole << 3 | whole >> 13).astype(np.uint16)
    assert looks_rotated([rotated])
    assert not looks_rotated([whole])
    np.testing.assert_allclose(decode(rotated, DepthCoding(0.001, rotated=True)), Z, atol=0.00051)
    fine = np.rint(Z * 10000 / 3).astype(np.uint16)
    assert looks_rotated([(fine << 3 | fine >> 13).astype(np.uint16)])


@pytest.mark.parametrize("mode", ["L", "RGB", "P", "RGBA", "LA"])
def test_eight_bit_pictures_are_refused(tmp_path, mode):
    Image.fromarray((Z * 50).astype(np.uint8)).convert(mode).save(tmp_path / "d.png")
    with pytest.raises(UserError, match="cannot hold depth; give the sensor's depth as 16-bit"):
        read_raw(tmp_path / "d.png", "d.png")


def test_eight_bit_arrays_and_wrong_shapes_are_refused(tmp_path):
    for array in (np.zeros((4, 5), np.uint8), np.zeros((4, 5, 3), np.float32), np.zeros((4, 5), np.int64)):
        np.save(tmp_path / "d.npy", array)
        with pytest.raises(UserError):
            read_raw(tmp_path / "d.npy", "d.npy")


def test_pickled_arrays_are_refused(tmp_path):
    np.save(tmp_path / "d.npy", np.array([[{"a": 1}]], dtype=object), allow_pickle=True)
    with pytest.raises(UserError, match="damaged"):
        read_raw(tmp_path / "d.npy", "d.npy")


@pytest.mark.parametrize("name", ["d.png", "d.pgm", "d.exr", "d.npy", "d.tif"])
def test_a_damaged_file_is_named(tmp_path, name):
    {"png": write_png, "pgm": write_pgm, "exr": write_exr, "npy": write_npy, "tif": write_tiff}[name[2:]](
        tmp_path / name, Z
    )
    data = (tmp_path / name).read_bytes()
    (tmp_path / name).write_bytes(data[: len(data) // 3])
    with pytest.raises(UserError, match=f"{name[:1]}.{name[2:]} is damaged"):
        read_raw(tmp_path / name, name)


# --- in a capture ---


def read(folder, **options):
    return read_capture(need_capture(folder), **options)


@pytest.mark.parametrize("per_metre", [1000, 10000])
def test_the_step_of_rotated_depth_is_told_by_the_views(tmp_path, per_metre):
    room.seven_scenes(tmp_path, room.views(), per_metre, rotated=True)
    made = read(tmp_path)
    assert made.settings["depth_coding"].startswith(f"bit-rotated, {per_metre} steps a unit (found from the values")
    np.testing.assert_allclose(made.frames[0].depth.z, room.views()[0].z, atol=0.001)


def test_one_rotated_view_is_not_guessed(tmp_path):
    room.seven_scenes(tmp_path, room.views(1), rotated=True)
    with pytest.raises(UserError, match=r"state it in depth-scale\.txt"):
        read(tmp_path)
    (tmp_path / "depth-scale.txt").write_text("1000\n")
    assert "stated in depth-scale.txt" in read(tmp_path).settings["depth_coding"]


def test_a_stated_scale_is_used_and_reported(tmp_path):
    room.seven_scenes(tmp_path, room.views(), per_metre=4000)
    (tmp_path / "depth-scale.txt").write_text("4000")
    made = read(tmp_path)
    assert made.settings["depth_coding"] == "4000 steps a unit (stated in depth-scale.txt)"
    np.testing.assert_allclose(made.frames[2].depth.z, room.views()[2].z, atol=0.0002)


def test_eight_bit_depth_in_a_capture_is_refused_not_skipped(tmp_path):
    room.seven_scenes(tmp_path, room.views())
    Image.fromarray(np.full((room.HEIGHT, room.WIDTH), 90, np.uint8)).save(tmp_path / "frame-000001.depth.png")
    with pytest.raises(UserError, match=r"frame-000001\.depth\.png has 8 bits a pixel"):
        read(tmp_path)


def test_damaged_files_are_named_and_left_out(tmp_path):
    room.seven_scenes(tmp_path, room.views())
    for name in ("frame-000001.depth.png", "frame-000003.color.png"):
        (tmp_path / name).write_bytes((tmp_path / name).read_bytes()[:100])
    made = read(tmp_path)
    assert sorted(s.name for s in made.skipped) == ["frame-000001.depth.png", "frame-000003.color.png"]
    assert [f.number for f in made.frames] == [1, 2, 3, 5]
    assert [f.depth is None for f in made.frames] == [False, True, False, False]
    with pytest.raises(UserError, match=r"frame-000001\.depth\.png"):
        read(tmp_path, strict=True)


def test_depth_of_another_shape_than_its_intrinsics_is_refused(tmp_path):
    room.seven_scenes(tmp_path, room.views())
    Image.fromarray(np.full((100, 160), 1500, np.uint16)).save(tmp_path / "frame-000002.depth.png")
    with pytest.raises(UserError, match="is 160 x 100, another shape than 160 x 120"):
        read(tmp_path)


def test_depth_of_another_size_gets_scaled_intrinsics(tmp_path):
    shots = room.views()
    room.seven_scenes(tmp_path, shots)
    half = room.steps(shots[0].z)[::2, ::2]
    Image.fromarray(half).save(tmp_path / "frame-000000.depth.png")
    depth = read(tmp_path).frames[0].depth
    np.testing.assert_allclose(depth.camera.K, shots[0].camera.resized(80, 60).K)


def test_a_thousandfold_depth_warns_where_views_cannot_tell(tmp_path):
    room.record3d(tmp_path, room.views(1))
    path = tmp_path / "depth" / "0.exr"
    write_exr(path, room.views(1)[0].z * 1000)
    assert any("is the depth scale right?" in note for note in read(tmp_path).notes)


@pytest.mark.parametrize("word", ["inf", "nan"])
def test_a_lost_pose_leaves_the_photo_unplaced(tmp_path, word):
    room.seven_scenes(tmp_path, room.views())
    (tmp_path / "frame-000002.pose.txt").write_text(" ".join([word] * 16))
    frames = read(tmp_path).frames
    assert [f.camera is None for f in frames] == [False, False, True, False, False]
    assert "tracking was lost" in frames[2].notes[0]


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        (np.diag([2.0, 2, 2, 1]), "scaled by 2"),
        (np.diag([-1.0, 1, 1, 1]), "mirrored"),
        (np.diag([1.0, 1, 1, 3]), "no rigid motion"),
    ],
)
def test_a_matrix_that_is_no_pose_is_refused(tmp_path, matrix, message):
    room.seven_scenes(tmp_path, room.views())
    room.save_matrix(tmp_path / "frame-000002.pose.txt", matrix)
    with pytest.raises(UserError, match=rf"the pose in frame-000002\.pose\.txt is {message}"):
        read(tmp_path)
