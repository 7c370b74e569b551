"""Trajectories: what happened, whole and in order, and as chats to fine-tune on."""

from __future__ import annotations

import json

import numpy as np
import pytest
from PIL import Image
from training_rooms import CHOICE, Room, memory

from placecell.training.env import Action, Called, SpatialEnv
from placecell.training.limits import Limits
from placecell.training.trajectories import write_chats

LIMITS = Limits(side=96, image_tokens=200, looks=2)


def look(azimuth):
    return Called("view", {"camera": 1, "azimuth": azimuth, "elevation": 0, "mode": "ego"})


@pytest.fixture
def trajectory():
    env = SpatialEnv("explore", Room(), limits=LIMITS)
    env.reset(CHOICE)
    env.step(Action("To the side.", (look(45), look(-45))))
    env.step(Action("Again.", (look(45),)))
    env.step("Answer: B")
    return env.trajectory


def test_a_trajectory_holds_every_message_and_call_in_order(trajectory):
    assert [m.role for m in trajectory.messages] == [
        "system", "user", "assistant", "tool", "tool", "assistant", "tool", "assistant",
    ]  # fmt: skip
    assert [(c.turn, c.ok) for c in trajectory.calls] == [(1, True), (1, True), (2, False)]
    assert (trajectory.turns, trajectory.pictures, trajectory.final) == (3, 8, "Answer: B")


def test_a_chat_has_each_call_answered_by_its_own_tool_message(trajectory, tmp_path):
    assert write_chats([trajectory], tmp_path / "chats.jsonl", [1.1]) == 1
    (line,) = (tmp_path / "chats.jsonl").read_text().splitlines()
    record = json.loads(line)
    assert record["id"] == CHOICE.id and record["reward"] == 1.1
    asked = [call for m in record["messages"] for call in m.get("tool_calls", [])]
    replies = [m for m in record["messages"] if m["role"] == "tool"]
    assert [c["id"] for c in asked] == [m["tool_call_id"] for m in replies] == ["call_1", "call_2", "call_3"]
    assert asked[0]["function"] == {"name": "view", "arguments": dict(look(45).arguments)}
    assert [t["function"]["name"] for t in record["tools"]] == ["view", "answer"]


def test_a_chats_pictures_are_files_beside_it_each_once_and_pixel_for_pixel(trajectory, tmp_path):
    write_chats([trajectory, trajectory], tmp_path / "chats.jsonl")
    record = json.loads((tmp_path / "chats.jsonl").read_text().splitlines()[0])
    assert len(record["images"]) == 8 == len(list((tmp_path / "images").iterdir()))
    with Image.open(tmp_path / record["images"][0]) as opened:
        assert np.array_equal(np.asarray(opened), memory().frame(1).rgb)
    shown = [p["image"] for m in record["messages"] for p in m["content"] if p["type"] == "image"]
    assert shown == record["images"]


def test_the_words_of_a_chat_are_those_of_the_trajectory(trajectory, tmp_path):
    write_chats([trajectory], tmp_path / "chats.jsonl")
    record = json.loads((tmp_path / "chats.jsonl").read_text())
    for written, message in zip(record["messages"], trajectory.messages, strict=True):
        assert "\n".join(p["text"] for p in written["content"] if p["type"] == "text") == message.text


def test_rewards_are_one_a_trajectory(trajectory, tmp_path):
    with pytest.raises(ValueError, match="1 trajectories, but 2 rewards"):
        write_chats([trajectory], tmp_path / "chats.jsonl", [1.0, 2.0])
