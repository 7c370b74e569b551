"""The environment: what a policy sees, what its replies do, where an episode ends, and what it is worth."""

from __future__ import annotations

import numpy as np
import pytest
from training_rooms import CHOICE, COUNT, NUMBER, Room, memory

from placecell.agents.exploring.published import CANONICAL
from placecell.engine.renders import render_view
from placecell.errors import UserError
from placecell.training.env import Action, Called, SpatialEnv
from placecell.training.limits import Limits
from placecell.training.profiles import PROFILES
from placecell.training.rewards import RewardWeights

SMALL = Limits(side=96, image_tokens=200)
PROGRAM = """def plan(images):
    memory = build_static_memory(images)
    chairs = find_objects(memory, "chair")
    n = count_objects(memory, chairs)
    return [n]
"""


def opened(profile="explore", sample=CHOICE, **how):
    env = SpatialEnv(profile, Room(), **({"limits": SMALL} | how))
    return env, env.reset(sample)


def look(azimuth=45, elevation=0, camera=1, mode="ego"):
    return Action(calls=(Called("view", {"camera": camera, "azimuth": azimuth, "elevation": elevation, "mode": mode}),))


def canonical(azimuth, elevation):
    return Action(calls=(Called("pi3x_tool", {"azimuth_angle": azimuth, "elevation_angle": elevation}),))


def names(tools):
    return [tool["function"]["name"] for tool in tools]


def test_the_policy_sees_instructions_photos_with_captions_the_question_and_the_tools():
    _, seen = opened()
    system, user = seen.messages
    assert (system.role, user.role) == ("system", "user") and system.text
    assert [p.image for p in seen.pictures] == [1, 2, 3, 4, 5, 6]
    assert "Image 2" in user.text and CHOICE.question in user.text and "B. desk" in user.text
    assert names(seen.tools) == ["view", "answer"]
    assert np.array_equal(seen.pictures[2].rgb, memory().frame(3).rgb)


def test_a_look_brings_the_render_and_its_exact_camera():
    env, _ = opened()
    step = env.step(look(45, 10, 2, "ego"))
    fresh = render_view(memory(), anchor=2, azimuth=45, elevation=10, mode="ego", size=96)
    (message,) = step.observation.messages
    assert message.role == "tool" and message.tool == "view"
    assert np.array_equal(step.observation.pictures[0].rgb, fresh.rgb)
    assert fresh.caption in message.text and "2 more rounds" in message.text
    assert (step.reward, step.done) == (0.0, False)


@pytest.mark.parametrize(("azimuth", "elevation"), CANONICAL)
def test_canonical_looks_are_the_published_three_from_the_first_image(azimuth, elevation):
    env, seen = opened("canonical")
    step = env.step(canonical(azimuth, elevation))
    fresh = render_view(
        memory(), anchor=1, azimuth=azimuth, elevation=elevation, mode="global", size=96, profile="think3d"
    )
    assert names(seen.tools) == ["pi3x_tool", "answer"]
    assert np.array_equal(step.observation.pictures[0].rgb, fresh.rgb)


@pytest.mark.parametrize("angles", [(0, 0), (30, 0), (-45, 60), (400, 0), ("left", 0)])
def test_any_other_canonical_look_is_refused_with_the_reason(angles):
    env, _ = opened("canonical")
    step = env.step(canonical(*angles))
    assert not step.observation.pictures and "Not made" in step.observation.messages[0].text
    assert [call.ok for call in env.trajectory.calls] == [False]


def test_the_plain_protocol_and_calls_taken_apart_are_the_same_action():
    call = '{"name": "view", "arguments": {"camera": 1, "azimuth": 45, "elevation": 0, "mode": "ego"}}'
    first, second = opened()[0], opened()[0]
    one, two = (
        first.step(f"Left is open. <tool_call>{call}</tool_call>"),
        second.step(Action("Left is open.", look().calls)),
    )
    assert np.array_equal(one.observation.pictures[0].rgb, two.observation.pictures[0].rgb)
    assert first.trajectory.messages[2].text == second.trajectory.messages[2].text == "Left is open."
    assert first.trajectory.messages[2].calls == second.trajectory.messages[2].calls


def test_a_call_that_cannot_be_read_is_told_back_and_costs_the_turn():
    env, _ = opened()
    step = env.step("<tool_call>view left please</tool_call>")
    assert "could not be read" in step.observation.messages[0].text and step.info.turns == 1
    assert [(c.kind, c.ok) for c in env.trajectory.calls] == [("other", False)]


def test_a_view_seen_already_is_refused():
    env, _ = opened()
    env.step(look())
    assert not env.step(look()).observation.pictures
    assert [call.ok for call in env.trajectory.calls] == [True, False]


def test_more_calls_than_one_reply_may_make_are_refused_each_with_its_own_reply():
    env, _ = opened()
    step = env.step(Action(calls=(*look(45).calls, *look(-45).calls)))
    assert [len(m.pictures) for m in step.observation.messages] == [1, 0]
    assert "at most 1 call" in step.observation.messages[1].text
    two, _ = opened(limits=Limits(side=96, image_tokens=200, looks=2))
    assert len(two.step(Action(calls=(*look(45).calls, *look(-45).calls))).observation.pictures) == 2


def test_a_reply_without_calls_is_the_answer_and_earns_the_reward():
    env, _ = opened()
    env.step(look())
    step = env.step("It stands there.\nAnswer: B")
    assert (step.terminated, step.truncated) == (True, False)
    assert step.reward == pytest.approx(1.1) and step.info.rewards.answer == 1
    assert env.trajectory.final == "It stands there.\nAnswer: B" and env.trajectory.turns == 2


def test_the_answer_tool_answers_too():
    env, _ = opened()
    step = env.step(Action(calls=(Called("answer", {"text": "B"}),)))
    assert step.terminated and step.reward == pytest.approx(1.1)


def test_a_number_is_scored_in_the_unit_it_was_asked_in():
    env, _ = opened(sample=NUMBER)
    assert env.step("Answer: 250 cm").info.rewards.answer == 1


def test_after_the_last_round_no_tool_is_offered_and_a_call_cuts_the_episode_off():
    env, _ = opened()
    for azimuth in (45, 90, 135):
        step = env.step(look(azimuth))
    assert step.observation.tools == () and "answer now" in step.observation.messages[-1].text
    last = env.step(look(180))
    assert (last.terminated, last.truncated, last.reward) == (False, True, 0.0)
    assert env.trajectory.truncated and env.trajectory.final is None
    with pytest.raises(RuntimeError, match="ended"):
        env.step("Answer: B")


def test_no_episode_goes_on_for_ever_whatever_the_policy_does():
    for reply in ("<tool_call>{", look(), Action(calls=(Called("delete", {}),))):
        env, _ = opened()
        steps = [env.step(reply) for _ in range(SMALL.turns + 1)]
        assert [s.done for s in steps] == [False] * SMALL.turns + [True]


def test_photos_make_room_for_the_renders_and_the_named_one_stays():
    env, seen = opened(limits=Limits(side=96, image_tokens=5 * 9))
    assert len(seen.pictures) == 2 and 2 in [p.image for p in seen.pictures]
    assert "Not shown" in seen.messages[1].text
    for azimuth in (45, 90, 135):
        info = env.step(look(azimuth)).info
    assert info.pictures == 5 and info.image_tokens <= 45


def test_pictures_are_made_as_small_as_the_limits_say():
    _, seen = opened(limits=Limits(side=64, image_tokens=200))
    assert {p.rgb.shape for p in seen.pictures} == {(48, 64, 3)}


def test_limits_that_leave_no_room_for_the_renders_are_refused():
    with pytest.raises(UserError, match="do not fit into 20 image tokens"):
        Limits(side=96, image_tokens=20)


def test_a_program_that_is_not_accepted_brings_diagnostics_and_one_that_is_its_values():
    env, seen = opened("program", COUNT, weights=RewardWeights(plan=0.5))
    assert names(seen.tools) == ["run_program", "answer"]
    wrong = env.step(Action(calls=(Called("run_program", {"program": "def plan(images):\n    return [1]\n"}),)))
    assert "not accepted" in wrong.observation.messages[0].text
    right = env.step(Action(calls=(Called("run_program", {"program": PROGRAM}),)))
    assert "n = " in right.observation.messages[0].text
    assert [call.ok for call in env.trajectory.calls] == [False, True]
    assert env.step(f"Answer: {COUNT.truth}").reward == pytest.approx(1.6)


@pytest.mark.parametrize("arguments", [{}, {"program": 3}, {"program": PROGRAM, "memory": "x"}])
def test_a_program_call_with_other_arguments_is_told_what_it_takes(arguments):
    env, _ = opened("program")
    step = env.step(Action(calls=(Called("run_program", arguments),)))
    assert "takes one argument" in step.observation.messages[0].text


@pytest.mark.parametrize("profile", PROFILES)
def test_a_tool_of_another_profile_is_not_there(profile):
    env, _ = opened(profile)
    step = env.step(Action(calls=(Called("teleport", {"to": "Mars"}),)))
    assert "There is no tool 'teleport'" in step.observation.messages[0].text


def test_an_environment_is_used_again_and_remembers_nothing():
    env, first = opened()
    env.step(look())
    env.step("Answer: A")
    again = env.reset(CHOICE)
    assert [m.text for m in again.messages] == [m.text for m in first.messages]
    assert env.step(look()).observation.pictures and env.trajectory.turns == 1


def test_before_a_reset_there_is_no_episode():
    env = SpatialEnv("explore", Room())
    with pytest.raises(RuntimeError):
        env.step("Answer: B")
    with pytest.raises(RuntimeError, match="reset"):
        _ = env.trajectory


def test_an_unknown_profile_is_refused_with_those_there_are():
    with pytest.raises(UserError, match="explore, canonical, program"):
        SpatialEnv("teleport", Room())
