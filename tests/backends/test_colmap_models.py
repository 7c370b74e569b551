"""COLMAP models as pycolmap writes them today: rigs, odd names, absent photos, lenses with distortion."""

from __future__ import annotations

import numpy as np
import pycolmap
import pytest
from PIL import Image

import room_capture as room
from placecell.backends.posed.backend import need_capture, read_capture
from placecell.geometry.transforms import invert, rigid, yaw

NAMES = ("left eye/first view.png", "right eye/first view.png", "left eye/second view.png", "right eye/second view.png")


def read(folder):
    return read_capture(need_capture(folder))


def camera(number, shot, model="PINHOLE", extra=()):
    k = shot.camera.K
    focal = [k[0, 0], k[1, 1]] if model in ("PINHOLE", "OPENCV") else [k[0, 0]]
    params = [*focal, k[0, 2], k[1, 2], *extra]
    return pycolmap.Camera(camera_id=number, model=model, width=room.WIDTH, height=room.HEIGHT, params=params)


def save(folder, model, names, shots, text):
    for name, shot in zip(names, shots, strict=True):
        (folder / "images" / name).parent.mkdir(parents=True, exist_ok=True)
        Image.fromarray(shot.rgb).save(folder / "images" / name)
    (folder / "sparse" / "0").mkdir(parents=True)
    (model.write_text if text else model.write_binary)(str(folder / "sparse" / "0"))


@pytest.fixture(scope="module")
def shots():
    return room.views(4)


@pytest.mark.parametrize("text", [True, False])
def test_a_rig_of_two_cameras_with_spaces_in_its_names_gives_each_its_own_pose(tmp_path, shots, text):
    right_from_left = rigid(translation=[-0.12, 0.01, 0.02]) @ yaw(12)
    model = pycolmap.Reconstruction()
    rig = pycolmap.Rig(rig_id=1)
    for number in (1, 2):
        model.add_camera(camera(number, shots[0]))
        sensor = pycolmap.sensor_t(type=pycolmap.SensorType.CAMERA, id=number)
        rig.add_ref_sensor(sensor) if number == 1 else rig.add_sensor(sensor, pycolmap.Rigid3d(right_from_left[:3]))
    model.add_rig(rig)
    truth = {}
    for place, shot in enumerate(shots[:2]):
        left_from_world = invert(shot.camera.world_from_cam)
        frame = pycolmap.Frame(frame_id=place + 1, rig_id=1, rig_from_world=pycolmap.Rigid3d(left_from_world[:3]))
        images = []
        for number, pose in ((1, left_from_world), (2, right_from_left @ left_from_world)):
            name = NAMES[2 * place + number - 1]
            images.append(pycolmap.Image(name=name, camera_id=number, image_id=2 * place + number, frame_id=place + 1))
            frame.add_data_id(images[-1].data_id)
            truth[f"images/{name}"] = invert(pose)
        model.add_frame(frame)
        for image in images:
            model.add_image(image)
        model.register_frame(place + 1)
    save(tmp_path, model, NAMES, shots, text)
    made = read(tmp_path)
    assert {f.name for f in made.frames} == set(truth)
    for found in made.frames:
        np.testing.assert_allclose(found.camera.world_from_cam, truth[found.name], atol=1e-9)


def plain_model(shots, names, **lens):
    model = pycolmap.Reconstruction()
    model.add_camera_with_trivial_rig(camera(1, shots[0], **lens))
    for number, (name, shot) in enumerate(zip(names, shots, strict=True), 1):
        image = pycolmap.Image(name=name, camera_id=1, image_id=number)
        pose = pycolmap.Rigid3d(invert(shot.camera.world_from_cam)[:3])
        model.add_image_with_trivial_frame(image, pose)
    return model


def test_photos_that_are_not_there_are_named_and_the_others_keep_their_poses(tmp_path, shots):
    names = ["a 1.png", "b.png", "c.png", "d.png"]
    save(tmp_path, plain_model(shots, names), names, shots, text=False)
    (tmp_path / "images" / "b.png").unlink()
    made = read(tmp_path)
    assert [(s.name, s.reason) for s in made.skipped] == [("b.png", "placed by COLMAP, but not there")]
    assert [f.name for f in made.frames] == ["images/a 1.png", "images/c.png", "images/d.png"]
    np.testing.assert_allclose(made.frames[1].camera.centre, shots[2].camera.centre, atol=1e-9)


@pytest.mark.parametrize(
    ("model", "extra"),
    [
        ("SIMPLE_RADIAL", (-0.05,)),
        ("RADIAL", (-0.05, 0.01)),
        ("OPENCV", (-0.05, 0.01, 0.001, -0.002)),
        ("SIMPLE_RADIAL_FISHEYE", (0.02,)),
    ],
)
def test_distortion_is_taken_out_and_the_pose_stays(tmp_path, shots, model, extra):
    names = ["a.png", "b.png", "c.png", "d.png"]
    save(tmp_path, plain_model(shots, names, model=model, extra=extra), names, shots, text=False)
    made = read(tmp_path)
    for frame, shot in zip(made.frames, shots, strict=True):
        assert "lens distortion removed" in frame.notes
        np.testing.assert_allclose(frame.camera.world_from_cam, shot.camera.world_from_cam, atol=1e-9)
