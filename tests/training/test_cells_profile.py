"""The profile ``cells``: one cell a turn, worth what it is written and measured like, and exported as a chat."""

from __future__ import annotations

import json

import pytest
from training_rooms import COUNT, NUMBER, Room

from placecell.training.env import Action, Called, SpatialEnv
from placecell.training.limits import Limits
from placecell.training.rewards import RewardWeights, cells_reward
from placecell.training.trajectories import CallRecord, CellWorth, write_chats

SMALL = Limits(side=96, image_tokens=200)
FOUND = 'chairs = query_3d_object_location("chair")'


def opened(sample=COUNT, **how):
    env = SpatialEnv("cells", Room(), **({"limits": SMALL} | how))
    return env, env.reset(sample)


def cell(text):
    return Action(calls=(Called("run_cell", {"cell": text}),))


def said(step):
    return step.observation.messages[0].text


def test_cells_keep_their_names_from_turn_to_turn_and_the_answer_is_told():
    env, seen = opened()
    assert "run_cell" in seen.messages[0].text
    assert "chairs : instances" in said(env.step(cell(FOUND)))
    told = said(env.step(cell("answer(count(chairs))")))
    assert f"Your answer is: {COUNT.truth}." in told
    step = env.step(f"Answer: {COUNT.truth}")
    assert step.info.rewards.answer == 1 and step.info.rewards.cells > 0.9


def test_a_cell_that_is_not_accepted_is_told_why_and_changes_nothing():
    env, _ = opened()
    assert "was not accepted" in said(env.step(cell("n = count(never_bound)")))
    assert env.step(cell(FOUND)).observation.messages
    assert [call.ok for call in env.trajectory.calls] == [False, True]
    assert [call.cell.written for call in env.trajectory.calls] == [0.0, 1.0]


@pytest.mark.parametrize("arguments", [{}, {"cell": 3}, {"cell": FOUND, "more": 1}, {"program": FOUND}])
def test_a_call_that_is_none_is_told_so(arguments):
    env, _ = opened(NUMBER)
    assert "one argument, cell" in said(env.step(Action(calls=(Called("run_cell", arguments),))))


def test_the_cells_of_an_episode_are_worth_their_writing_their_measuring_and_their_sureness():
    def calls(*worth):
        return [CallRecord(n, "program", "run_cell", {}, True, cell=w) for n, w in enumerate(worth, 1)]

    assert cells_reward([]) == cells_reward(calls(None)) == 0
    assert cells_reward(calls(CellWorth(1.0))) == pytest.approx(1 / 3)
    assert cells_reward(calls(CellWorth(1.0), CellWorth(1.0, 1.0, 0.9))) == pytest.approx(2.9 / 3)
    repaired, rejected = CellWorth(0.5, 1.0, 0.9), CellWorth(0.0)
    assert cells_reward(calls(rejected, repaired)) == pytest.approx((0.25 + 1.9) / 3)
    assert RewardWeights().cells == 0


def test_an_episode_of_cells_is_a_chat_for_supervised_fine_tuning(tmp_path):
    env, _ = opened()
    for action in (cell(FOUND), cell("answer(count(chairs))"), f"Answer: {COUNT.truth}"):
        env.step(action)
    assert write_chats([env.trajectory], tmp_path / "chats.jsonl") == 1
    [record] = [json.loads(line) for line in (tmp_path / "chats.jsonl").read_text().splitlines()]
    written = [c["function"]["arguments"]["cell"] for m in record["messages"] for c in m.get("tool_calls", ())]
    assert written == [FOUND, "answer(count(chairs))"]
