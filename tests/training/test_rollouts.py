"""The records of a training: what is kept of a trajectory, and what survives an interruption."""

from __future__ import annotations

from pathlib import Path

import pytest

from placecell.errors import UserError
from placecell.training.rewards import RewardWeights, rewards_of
from placecell.training.rollouts import Rollout, RolloutLog, read_rollouts
from placecell.training.samples import Sample
from placecell.training.trajectories import CallRecord, Message, Trajectory

SAMPLE = Sample("s1", "Which?", "B", "direction", "room", ("A. left", "B. right"))


def record(step: int, reward: float = 1.0) -> Rollout:
    return Rollout(
        step=step, sample="s1", kind="direction", turns=1, reward=reward, parts={}, answered=True, generated=30,
        observed=10, image_tokens=4,
    )  # fmt: skip


def test_a_record_holds_the_views_that_were_made_in_either_profiles_words() -> None:
    calls = (
        CallRecord(1, "view", "pi3x_tool", {"azimuth_angle": "-45", "elevation_angle": 0}, ok=True),
        CallRecord(1, "view", "pi3x_tool", {"azimuth_angle": 0, "elevation_angle": 0}, ok=False, why="the photo"),
        CallRecord(2, "view", "view", {"camera": 1, "azimuth": 30, "elevation": 10, "mode": "ego"}, ok=True),
        CallRecord(3, "answer", "answer", {"text": "B"}, ok=True),
    )
    said = Trajectory(SAMPLE, "explore", (Message("assistant", ("x",)),), calls, "<answer>B</answer>")
    got = Rollout.of(said, rewards_of(said), RewardWeights(), 7, (75, 25, 9))
    assert got.views == ((-45, 0, "global"), (30, 10, "ego"))
    assert (got.step, got.turns, got.reward, got.answered, got.counted) == (7, 1, 1.1, True, 0.75)
    assert {name: part for name, part in got.parts.items() if part} == {"answer": 1, "format": 1, "wasted_view": -0.5}


def test_files_of_all_processes_are_read_by_step(tmp_path: Path) -> None:
    for process in (0, 1):
        log = RolloutLog(tmp_path, process)
        log.add([record(0, process)])
        log.add([record(2, process)])
    assert [(r.step, r.reward) for r in read_rollouts(tmp_path)] == [(0, 0), (0, 1), (2, 0), (2, 1)]


def test_going_on_forgets_what_the_checkpoint_does_not_hold_and_a_torn_line(tmp_path: Path) -> None:
    log = RolloutLog(tmp_path)
    log.add(record(step) for step in range(5))
    with log.path.open("a") as file:
        file.write('{"step": 5, "sam')
    RolloutLog(tmp_path, step=3).add([record(3)])
    assert [r.step for r in read_rollouts(tmp_path)] == [0, 1, 2, 3]


def test_a_damaged_line_is_named_and_an_empty_folder_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no rollouts"):
        read_rollouts(tmp_path)
    log = RolloutLog(tmp_path)
    log.path.write_text('{"step": 1}\n')
    with pytest.raises(UserError, match="line 1"):
        read_rollouts(tmp_path)


def test_a_reward_that_is_no_number_is_not_recorded() -> None:
    with pytest.raises(ValueError, match="finite"):
        record(0, float("nan"))
