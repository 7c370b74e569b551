"""Every layout of a capture gives back the cameras, depth and colours that were written, to the pixel."""

from __future__ import annotations

import json
import shutil

import numpy as np
import pytest
from PIL import Image

import room_capture as room
from placecell.backends.posed.backend import need_capture, read_capture
from placecell.backends.posed.layouts import LAYOUTS, find_capture
from placecell.errors import UserError
from placecell.geometry.transforms import invert, rotation_angle

DEPTH_LAYOUTS = {
    "7-scenes": (room.seven_scenes, 0.0005),
    "tum": (room.tum, 0.0001),
    "open3d": (room.open3d, 0.0005),
    "slambook": (room.slambook, 0.0005),
    "record3d": (room.record3d, 1e-6),
    "scannet": (room.scannet, 0.0005),
    "transforms.json": (lambda folder, shots: room.transforms_json(folder, shots, depth=True), 0.0005),
}


@pytest.fixture(scope="module")
def shots():
    return room.views()


def read(folder, **options):
    return read_capture(need_capture(folder), **options)


@pytest.mark.parametrize("layout", DEPTH_LAYOUTS)
def test_cameras_depth_and_colours_come_back(tmp_path, shots, layout):
    write, step = DEPTH_LAYOUTS[layout]
    write(tmp_path / "capture", shots)
    place = find_capture(tmp_path / "capture")
    assert place.layout.name == layout
    made = read_capture(place)
    assert made.scale.metric
    assert made.skipped == ()
    assert [f.number for f in made.frames] == [1, 2, 3, 4, 5]
    first = made.frames[0].camera.world_from_cam @ invert(shots[0].camera.world_from_cam)
    for frame, shot in zip(made.frames, shots, strict=True):
        truth = first @ shot.camera.world_from_cam  # ScanNet's world is turned
        assert rotation_angle(invert(truth) @ frame.camera.world_from_cam) < 1e-4
        np.testing.assert_allclose(frame.camera.centre, truth[:3, 3], atol=1e-6)
        np.testing.assert_allclose(frame.depth.camera.K, shot.camera.K, atol=1e-6)
        np.testing.assert_allclose(frame.camera.K[0, 0] / frame.width, shot.camera.K[0, 0] / room.WIDTH, atol=1e-9)
        np.testing.assert_allclose(frame.depth.z, shot.z, atol=step * 1.01)
        small = Image.fromarray(frame.rgb).resize((room.WIDTH, room.HEIGHT), Image.Resampling.BOX)
        assert np.abs(np.asarray(small).astype(int) - shot.rgb).mean() < 3


@pytest.mark.parametrize("text", [True, False])
def test_a_colmap_model_gives_cameras_and_its_points(tmp_path, shots, text):
    points = room.colmap(tmp_path / "ws", shots, text)
    made = read(tmp_path / "ws")
    assert made.backend == "posed"
    assert not made.scale.metric
    for frame, shot in zip(made.frames, shots, strict=True):
        np.testing.assert_allclose(frame.camera.world_from_cam, shot.camera.world_from_cam, atol=1e-9)
        np.testing.assert_allclose(frame.camera.K, shot.camera.K)
        assert frame.depth is None
    np.testing.assert_allclose(made.points.points, points, atol=1e-5)
    assert set(made.points.frame.tolist()) <= {1, 2, 3, 4, 5}
    assert (made.points.colors == [200, 100, 50]).all()


def test_the_model_that_fits_the_photos_is_taken(tmp_path, shots):
    room.colmap(tmp_path / "ws", shots)
    other = tmp_path / "ws" / "dense" / "sparse"
    other.mkdir(parents=True)
    for path in (tmp_path / "ws" / "sparse" / "0").iterdir():
        text = path.read_text().replace(f"PINHOLE {room.WIDTH} {room.HEIGHT}", "PINHOLE 170 120")
        (other / path.name).write_text(text)
    made = read(tmp_path / "ws")
    assert "model sparse/0: fits 5 photos" in made.notes[0]
    assert made.frames[0].camera.width == room.WIDTH


def test_photos_of_another_size_than_the_model_say_so(tmp_path, shots):
    room.colmap(tmp_path / "ws", shots)
    for photo in (tmp_path / "ws" / "images").iterdir():
        Image.open(photo).crop((0, 0, 100, 120)).save(photo)
    with pytest.raises(UserError, match="is 100 x 120, the model says 160 x 120"):
        read(tmp_path / "ws")


def test_a_photo_colmap_did_not_place_keeps_its_number(tmp_path, shots):
    room.colmap(tmp_path / "ws", shots)
    shutil.copy(tmp_path / "ws" / "images" / "002.png", tmp_path / "ws" / "images" / "0025.png")
    made = read(tmp_path / "ws")
    names = {frame.name: frame for frame in made.frames}
    assert names["images/0025.png"].camera is None
    assert names["images/0025.png"].notes == ("COLMAP did not place it",)
    assert [f.number for f in made.frames] == [1, 2, 3, 4, 5, 6]


def test_only_photos_and_poses_that_go_together_are_placed_and_both_leftovers_are_named(tmp_path, shots):
    room.transforms_json(tmp_path, shots)
    (tmp_path / "images" / "0002.png").unlink()
    Image.fromarray(shots[0].rgb).save(tmp_path / "images" / "0009.png")
    made = read(tmp_path)
    assert [(s.name, s.reason) for s in made.skipped] == [
        ("images/0002.png", "named in transforms.json, but not there")
    ]
    assert [f.name for f in made.frames if f.camera is None] == ["images/0009.png"]
    assert [f.number for f in made.frames] == [1, 2, 3, 4, 5]
    with pytest.raises(UserError, match=r"images/0002\.png"):
        read(tmp_path, strict=True)


def edit(folder, change):
    path = folder / "transforms.json"
    data = json.loads(path.read_text())
    change(data)
    path.write_text(json.dumps(data))


def test_intrinsics_of_a_frame_override_those_of_the_file(tmp_path, shots):
    room.transforms_json(tmp_path, shots)
    edit(tmp_path, lambda data: data["frames"][1].update(fl_x=200.0, cx=70.0))
    cameras = [f.camera for f in read(tmp_path).frames]
    assert cameras[0].K[0].tolist() == [room.FOCAL, 0, room.WIDTH / 2 + 3]
    assert cameras[1].K[0].tolist() == [200.0, 0, 70.0]
    assert cameras[1].K[1, 1] == room.FOCAL + 2


def test_intrinsics_belong_to_the_size_they_were_made_for(tmp_path, shots):
    room.transforms_json(tmp_path, shots)
    edit(tmp_path, lambda data: data.update(w=320, h=240, fl_x=260, fl_y=264, cx=166, cy=116))
    np.testing.assert_allclose(read(tmp_path).frames[0].camera.K, shots[0].camera.K)


@pytest.mark.parametrize(("key", "value", "word"), [("fl_x", 2 * room.FOCAL, "fx is 1.97 times fy"), ("cx", 10, "44%")])
def test_odd_intrinsics_are_warned_about(tmp_path, shots, key, value, word):
    room.transforms_json(tmp_path, shots)
    edit(tmp_path, lambda data: data.update({key: value}))
    (warning,) = [n for n in read(tmp_path).notes if n.startswith("WARNING")]
    assert word in warning


def test_a_field_of_view_is_enough(tmp_path, shots):
    room.transforms_json(tmp_path, shots)

    def only_angle(data):
        for key in ("fl_x", "fl_y", "cx", "cy", "w", "h"):
            del data[key]
        data["camera_angle_x"] = 1.2

    edit(tmp_path, only_angle)
    camera = read(tmp_path).frames[0].camera
    assert camera.fov_x == pytest.approx(np.degrees(1.2))
    assert camera.K[1].tolist() == [0, camera.K[0, 0], 60]


def test_intrinsics_are_never_invented(tmp_path, shots):
    room.transforms_json(tmp_path, shots)
    edit(tmp_path, lambda data: [data.pop(key) for key in ("fl_x", "fl_y")])
    with pytest.raises(UserError, match="states no focal length; add fl_x"):
        read(tmp_path)


@pytest.mark.parametrize(
    ("layout", "file", "hint"),
    [
        ("7-scenes", "camera-intrinsics.txt", "add camera-intrinsics.txt"),
        ("tum", "camera-intrinsics.txt", "add camera-intrinsics.txt"),
        ("open3d", "camera.json", "add camera.json"),
        ("slambook", "intrinsics.txt", "add intrinsics.txt"),
        ("scannet", "intrinsic/intrinsic_depth.txt", "add intrinsic/intrinsic_depth.txt"),
    ],
)
def test_missing_intrinsics_name_what_to_add(tmp_path, shots, layout, file, hint):
    DEPTH_LAYOUTS[layout][0](tmp_path / "capture", shots)
    (tmp_path / "capture" / file).unlink()
    with pytest.raises(UserError, match=hint):
        read(tmp_path / "capture")


@pytest.mark.parametrize(
    ("layout", "file"),
    [
        ("tum", "groundtruth.txt"),
        ("tum", "camera-intrinsics.txt"),
        ("open3d", "trajectory.log"),
        ("slambook", "pose.txt"),
        ("slambook", "intrinsics.txt"),
    ],
)
def test_a_file_that_is_no_text_is_named(tmp_path, shots, layout, file):
    DEPTH_LAYOUTS[layout][0](tmp_path / "capture", shots)
    (tmp_path / "capture" / file).write_bytes(b"\xff\xfe1\x00 \x80\x00")
    with pytest.raises(UserError, match=f"{file} cannot be read"):
        read(tmp_path / "capture")


def test_a_quaternion_of_zeros_is_no_pose(tmp_path, shots):
    room.slambook(tmp_path / "capture", shots)
    poses = tmp_path / "capture" / "pose.txt"
    poses.write_text("0 0 0 0 0 0 0\n" + "".join(poses.read_text().splitlines(keepends=True)[1:]))
    first, *rest = read(tmp_path / "capture").frames
    assert first.camera is None and "not placed" in first.notes[0]
    assert all(frame.camera is not None for frame in rest)


def test_photos_are_matched_by_number_only_when_that_is_unmistakable(tmp_path, shots):
    room.transforms_json(tmp_path, shots)
    for i, name in enumerate(["left_1", "front_2", "right_3"], 1):
        (tmp_path / "images" / f"{i:04d}.png").rename(tmp_path / f"{name}.png")
    shutil.rmtree(tmp_path / "images")
    made = read(tmp_path)
    assert "photos found by the number in their name" in made.notes[0]
    for name, shot in (("left_1", 0), ("front_2", 1), ("right_3", 2)):
        frame = next(f for f in made.frames if f.name == f"{name}.png")
        np.testing.assert_allclose(frame.camera.world_from_cam, shots[shot].camera.world_from_cam, atol=1e-9)
    (tmp_path / "right_3.png").rename(tmp_path / "again_2.png")
    with pytest.raises(UserError, match=r"none of the 5 photos that .* names is there"):
        read(tmp_path)


def test_a_downscaled_folder_is_found_by_file_name(tmp_path, shots):
    room.transforms_json(tmp_path, shots)
    (tmp_path / "images_2").mkdir()
    for photo in (tmp_path / "images").iterdir():
        Image.open(photo).resize((80, 60)).save(tmp_path / "images_2" / photo.name)
    shutil.rmtree(tmp_path / "images")
    made = read(tmp_path)
    assert "found by file name" in made.notes[0]
    np.testing.assert_allclose(made.frames[0].camera.K, shots[0].camera.resized(80, 60).K)


def test_lens_distortion_is_taken_out_of_photo_and_depth(tmp_path, shots):
    """A distorted picture of the room is drawn, and comes back as the pinhole picture of it."""
    import pycolmap

    room.transforms_json(tmp_path, shots[:3], depth=True)
    k1, k2, p1, p2 = -0.12, 0.03, 0.002, -0.001
    K = shots[0].camera.K
    lens = pycolmap.Camera(
        model="OPENCV",
        width=room.WIDTH,
        height=room.HEIGHT,
        params=[K[0, 0], K[1, 1], K[0, 2], K[1, 2], k1, k2, p1, p2],
    )
    u, v = np.meshgrid(np.arange(room.WIDTH) + 0.5, np.arange(room.HEIGHT) + 0.5)
    rays = np.asarray(lens.cam_from_img(np.stack([u.ravel(), v.ravel()], axis=1))).reshape(room.HEIGHT, room.WIDTH, 2)
    column, row = rays[..., 0] * K[0, 0] + K[0, 2], rays[..., 1] * K[1, 1] + K[1, 2]
    inside = (column >= 0) & (column < room.WIDTH) & (row >= 0) & (row < room.HEIGHT)
    column, row = (np.where(inside, a, 0).astype(int) for a in (column, row))
    for i, shot in enumerate(shots[:3], 1):
        z, rgb = shot.z[row, column] * inside, shot.rgb[row, column] * inside[..., None].astype(np.uint8)
        room.save_depth(tmp_path / "images" / f"{i:04d}_depth.png", room.steps(z))
        Image.fromarray(rgb).save(tmp_path / "images" / f"{i:04d}.png")
    edit(tmp_path, lambda data: data.update(k1=k1, k2=k2, p1=p1, p2=p2, camera_model="OPENCV"))
    for frame, shot in zip(read(tmp_path).frames, shots[:3], strict=True):
        assert "lens distortion removed" in frame.notes
        np.testing.assert_allclose(frame.camera.K, K)
        middle = np.s_[15:-15, 20:-20]
        off = np.abs(frame.depth.z - shot.z)[middle]
        assert np.quantile(off, 0.9) < 0.02
        assert np.median(np.abs(frame.rgb.astype(int) - shot.rgb)[middle]) <= 4


def test_a_photo_that_lies_on_its_side_is_turned_upright_with_its_camera(tmp_path, shots):
    """The poses were made from the stored pixels by a tool that ignores the orientation tag."""
    room.seven_scenes(tmp_path, shots)
    exif = Image.Exif()
    exif[0x0112] = 6
    for shot in tmp_path.glob("*.color.png"):
        Image.open(shot).save(shot.with_suffix(".jpg"), exif=exif, quality=95)
        shot.unlink()
    made = read(tmp_path)
    for frame, shot in zip(made.frames, shots, strict=True):
        assert (frame.width, frame.height) == (room.HEIGHT, room.WIDTH)
        assert "turned upright by 90 degrees" in " ".join(frame.notes)
        np.testing.assert_allclose(np.rot90(frame.depth.z, 1), shot.z, atol=6e-4)
        lying = np.rot90(frame.rgb, 1)
        assert np.abs(lying.astype(int) - shot.rgb).mean() < 6
        points = frame.depth.camera.unproject(frame.depth.z)
        truth = np.rot90(shot.camera.unproject(shot.z), -1)
        np.testing.assert_allclose(points, truth, atol=2e-3)


def test_intrinsics_for_the_upright_size_mean_the_upright_pixels(tmp_path, shots):
    """Poses made by a tool that obeys the orientation tag: the file lies, the intrinsics do not."""
    room.transforms_json(tmp_path, shots)
    exif = Image.Exif()
    exif[0x0112] = 6
    for photo in (tmp_path / "images").iterdir():
        lying = Image.open(photo).transpose(Image.Transpose.ROTATE_90)
        lying.save(photo, exif=exif)
    made = read(tmp_path)
    for frame, shot in zip(made.frames, shots, strict=True):
        np.testing.assert_array_equal(frame.rgb, shot.rgb)
        np.testing.assert_allclose(frame.camera.world_from_cam, shot.camera.world_from_cam, atol=1e-9)


def test_frame_counts_thin_evenly_and_keep_the_numbers_of_the_whole(tmp_path):
    shots = room.views(9)
    room.seven_scenes(tmp_path, shots)
    made = read(tmp_path, frames=3)
    assert [f.number for f in made.frames] == [2, 5, 8]
    assert "3 of 9 photos used, uniform" in " ".join(made.notes)
    np.testing.assert_allclose(made.frames[1].camera.world_from_cam, shots[4].camera.world_from_cam, atol=1e-9)


def test_a_capture_below_the_folder_is_found_and_two_are_not_chosen_between(tmp_path, shots):
    room.seven_scenes(tmp_path / "scans" / "kitchen", shots)
    assert find_capture(tmp_path).folder == tmp_path / "scans" / "kitchen"
    room.open3d(tmp_path / "scans" / "hall", shots)
    with pytest.raises(UserError, match="holds 2 captures: scans/hall, scans/kitchen; build one of them"):
        find_capture(tmp_path)


def test_a_folder_of_photos_holds_no_capture(tmp_path, shots):
    Image.fromarray(shots[0].rgb).save(tmp_path / "a.png")
    assert find_capture(tmp_path) is None
    with pytest.raises(UserError, match="known layouts"):
        need_capture(tmp_path)


def test_layout_names_are_distinct():
    names = [layout.name for layout in LAYOUTS]
    assert len(set(names)) == len(names)
