"""A real kitchen, from its files to answers: which way the camera moved must agree with the poses."""

from __future__ import annotations

import math

import numpy as np
import pytest

import placecell

WORDINGS = (
    "In which direction did I move from image {a} to image {b}?",
    "Which way did the camera go between photo {a} and photo {b}?",
    "Comparing picture {a} with picture {b}, which way have I moved?",
)
WORDS = ["forward", "backward", "left", "right"]


@pytest.fixture(scope="module")
def kitchen(shared_data) -> placecell.Memory:
    return placecell.build(shared_data / "sevenscenes_tsdf")


def _moved(a: np.ndarray, b: np.ndarray) -> str | None:
    """The word for the motion from camera ``a`` to ``b``, None where no single word is clearly right."""
    right, down, forward = a[:3, :3].T @ (b[:3, 3] - a[:3, 3])
    level = math.hypot(right, forward)
    if level < 0.15 or abs(down) > level:
        return None
    if abs(right) > 2.5 * abs(forward):
        return "right" if right > 0 else "left"
    if abs(forward) > 2.5 * abs(right):
        return "forward" if forward > 0 else "backward"
    return None


@pytest.mark.parametrize("wording", WORDINGS)
def test_camera_motion_agrees_with_the_poses_in_every_wording(kitchen, shared_data, wording):
    files = sorted((shared_data / "sevenscenes_tsdf").glob("*.pose.txt"))
    poses = [np.loadtxt(f) for f in files]
    pairs = [(a, b) for a in range(0, 40, 3) for b in range(1, 40, 5) if a != b and _moved(poses[a], poses[b])]
    assert len(pairs) > 30
    for a, b in [*pairs, (0, 19)]:
        answer = kitchen.ask(wording.format(a=a + 1, b=b + 1), WORDS)
        assert answer.answer == _moved(poses[a], poses[b]), (a + 1, b + 1)


def test_the_kitchen_is_metric_with_all_its_images(kitchen):
    assert len(kitchen.scene.posed_frames) == 40
    assert kitchen.scene.scale.metric
    assert kitchen.scene.alignment.confident
    distance = kitchen.ask("How far did I move between image 1 and image 20?")
    assert distance.unit == "m"
    cameras = [kitchen.scene.frame(n).camera for n in (1, 20)]
    assert distance.value == pytest.approx(np.linalg.norm(cameras[0].centre - cameras[1].centre), rel=0.01)
