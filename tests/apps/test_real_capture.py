"""A real kitchen, from its files to answers: which way the camera moved must agree with the poses."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import placecell
from placecell.apps.repl import Repl
from placecell.engine.session_log import read, replayed, write_log

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


OBJECTS = {
    "white mug": (11, (204, 304, 246, 356)),
    "cup": (16, (196, 180, 238, 226)),
    "controller": (16, (400, 268, 486, 332)),
    "tray": (16, (264, 172, 426, 268)),
    "chair": (1, (176, 130, 300, 300)),
}


def _value(line: str) -> str:
    """A line up to the deviation, which a better model of noise may change."""
    return line.partition(" [")[0].partition(" ±")[0]


def test_the_session_of_the_docs_is_what_a_person_sees_and_replays_to_the_same_bytes(kitchen, tmp_path):
    text = (Path(__file__).parents[2] / "docs" / "cells.md").read_text(encoding="utf-8")
    transcript = text[text.index("$ placecell session kitchen.pcell") :].split("\n```")[0].split("\n")[1:]
    memory = kitchen
    for name, (image, region) in OBJECTS.items():
        memory = memory.add(name, image=image, region=region)
    session, said = placecell.session(memory), []

    def show(turn):
        said.extend(turn.told() if turn.accepted else [d.message for d in turn.faults])

    talk, told = Repl(session, said.append, show), []
    for line in transcript:
        if line.startswith(("> ", "...")):
            talk.feed(line.partition(" ")[2])
        elif line.strip():
            told.append(line)
    assert [turn.accepted for turn in session.turns] == [True] * 5 + [False] + [True] * 2
    shown, seen = (
        [_value(line) for line in lines if " : " in line or line.startswith("answer")] for lines in (told, said)
    )
    assert shown == seen
    assert said[8] in " ".join(told)  # the diagnostic
    write_log(session, tmp_path / "log.jsonl")
    recorded = read(tmp_path / "log.jsonl")
    assert recorded.first_difference(replayed(recorded, memory.scene)) is None
