"""Videos without depth: signs and lengths of the camera's motion on a real posed sequence, turns from pixels alone."""

import numpy as np
import pytest

from placecell.backends.dynamic.build import build_dynamic
from placecell.backends.dynamic.flat import build_flat
from placecell.engine.camera_motion import camera_movement
from placecell.engine.windows import Window
from placecell.errors import UserError
from placecell.geometry.camera import Camera
from placecell.geometry.egomotion import egomotion
from placecell.geometry.imagemotion import other_motion, picture_motion
from placecell.geometry.transforms import pitch, rigid, yaw
from placecell.memory.video import VideoSettings
from placecell.progress import silent


@pytest.fixture
def kitchen(shared_data):
    return shared_data / "videos" / "with_poses" / "redkitchen.mp4"


def quiet(path, **more):
    return build_flat(path, frames=50, masks=None, settings=VideoSettings(), progress=silent, **more)


def test_the_path_of_a_real_camera_is_as_long_as_its_poses_say_and_its_moves_have_their_signs(kitchen):
    memory = quiet(kitchen)
    stated = np.loadtxt(kitchen.with_suffix(".poses.txt")).reshape(-1, 4, 4)
    used = stated[[f.number - 1 for f in memory.frames], :3, 3]
    times = [f.time_s for f in memory.frames]
    whole = camera_movement(memory, Window(times[0], times[-1], "whole"))
    assert whole.motion.path == pytest.approx(np.linalg.norm(np.diff(used, axis=0), axis=1).sum(), rel=0.02)
    said = set()
    for a in range(0, 50, 5):
        part = camera_movement(memory, Window(times[a], times[a + 4], "part"))
        said |= {word for word in part.words if word.split()[0] != "orbit"}
        first, last = memory.frames[a].camera, memory.frames[a + 4].camera
        # Independent of egomotion: where the last camera looks, as the first one sees it.
        ahead = first.world_from_cam[:3, :3].T @ last.world_from_cam[:3, 2]
        moved = first.world_from_cam[:3, :3].T @ (last.centre - first.centre)
        if abs(ahead[0]) > 0.2:
            assert ("pan right" if ahead[0] > 0 else "pan left") in part.words
        if abs(moved[2]) > 0.15 and abs(moved[2]) > abs(moved[0]):
            assert ("dolly forward" if moved[2] > 0 else "dolly backward") in part.words
    assert {"pan left", "pan right", "tilt up", "tilt down", "dolly forward", "dolly backward"} <= said
    assert {"roll clockwise", "roll counterclockwise", "truck left", "truck right"} <= said


def test_poses_that_are_not_one_a_frame_are_refused(kitchen, tmp_path):
    video = tmp_path / kitchen.name
    video.write_bytes(kitchen.read_bytes())
    video.with_suffix(".K.txt").write_bytes(kitchen.with_suffix(".K.txt").read_bytes())
    video.with_suffix(".poses.txt").write_text("1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1\n")
    with pytest.raises(UserError, match="1 poses, the video 250 frames"):
        quiet(video)


def test_several_sources_or_no_video_are_refused(tmp_path):
    with pytest.raises(UserError, match="one capture or one video"):
        build_dynamic([tmp_path, tmp_path])
    (tmp_path / "notes.txt").write_text("x")
    with pytest.raises(UserError, match="no video"):
        build_dynamic([tmp_path / "notes.txt"])


CAMERA = Camera.from_fov(60, 320, 240)


def seen(turned, *, ahead=0.0, patch=None, seed=3):
    """A picture of a wall of blobs at a distance of 1 from a camera turned by ``turned`` (4, 4), ``ahead`` nearer."""
    import cv2

    rng = np.random.default_rng(seed)
    wall = cv2.GaussianBlur(rng.integers(0, 256, (900, 1200)).astype(np.float32), (0, 0), 3)
    wall = cv2.normalize(wall, None, 0, 255, cv2.NORM_MINMAX).astype(np.uint8)
    if patch is not None:
        x, y = patch
        wall[y : y + 120, x : x + 120] = cv2.GaussianBlur(rng.integers(0, 256, (120, 120)).astype(np.uint8), (0, 0), 2)
    wall_from_plane = np.array([[600, 0, 600], [0, 600, 450], [0, 0, 1.0]])
    # A point (x, y, 1) of the wall in the camera: R^T ((x, y, 1) - (0, 0, ahead)).
    shifted = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1 - ahead]])
    picture_from_wall = CAMERA.K @ turned[:3, :3].T @ shifted @ np.linalg.inv(wall_from_plane)
    return cv2.warpPerspective(wall, picture_from_wall, (320, 240))


@pytest.mark.parametrize(
    ("name", "degrees"), [("pan", 3), ("pan", -3), ("tilt", 2), ("tilt", -2), ("roll", 4), ("roll", -4)]
)
def test_a_turn_is_read_off_the_pixels_alone(name, degrees):
    c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    roll = rigid([[c, -s, 0], [s, c, 0], [0, 0, 1]])
    turned = {"pan": yaw(degrees), "tilt": pitch(degrees), "roll": roll}[name]
    found = picture_motion(seen(np.eye(4)), seen(turned), CAMERA.K)
    upright = np.diag([1.0, -1.0, -1.0, 1.0])
    net = egomotion(np.array([upright, upright @ rigid(found.first_from_second)])).net
    for other in ("pan", "tilt", "roll"):
        assert net[other] == pytest.approx(degrees if other == name else 0, abs=0.35), other
    assert found.share > 0.8


@pytest.mark.parametrize("ahead", [0.06, -0.06])
def test_coming_nearer_is_a_step_ahead(ahead):
    found = picture_motion(seen(np.eye(4)), seen(np.eye(4), ahead=ahead), CAMERA.K)
    assert found.ahead == pytest.approx(ahead, abs=0.01)


def test_a_patch_that_moves_otherwise_than_the_rest_stands_out_under_a_pan():
    first, second = seen(np.eye(4), patch=(520, 400)), seen(yaw(2), patch=(540, 400))
    motion = picture_motion(first, second, CAMERA.K)
    flow, noise = other_motion(first, second, motion.second_from_first)
    fast = np.linalg.norm(flow, axis=-1) > max(1.0, 6 * noise)
    rows, columns = np.nonzero(fast)
    assert 0.01 < fast.mean() < 0.15
    assert 90 < np.median(rows) < 150
    assert 100 < np.median(columns) < 200


def test_a_picture_without_corners_tells_nothing():
    grey = np.full((240, 320), 128, np.uint8)
    assert picture_motion(grey, grey, CAMERA.K).share == 0
