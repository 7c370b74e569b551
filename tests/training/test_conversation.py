"""An episode as chat messages: what opens it, what calls bring, how it ends, and what a broken tool comes to."""

from __future__ import annotations

import json

import pytest
from PIL import Image
from training_rooms import CHOICE, Room

from placecell.engine.renders import render_view
from placecell.training.conversation import Conversation
from placecell.training.env import SpatialEnv
from placecell.training.limits import Limits

SMALL = Limits(turns=2, side=96, image_tokens=200)


def begun(profile="canonical", **how):
    return Conversation(SpatialEnv(profile, Room(), **({"limits": SMALL} | how)), CHOICE)


def asking(*arguments, name="pi3x_tool", text=""):
    calls = [{"type": "function", "function": {"name": name, "arguments": given}} for given in arguments]
    return {"role": "assistant", "content": text, "tool_calls": calls}


def angles(azimuth, elevation):
    return {"azimuth_angle": azimuth, "elevation_angle": elevation}


def answering(text):
    return {"role": "assistant", "content": text}


def pictures(content):
    return [part["image"] for part in content if part["type"] == "image"]


def test_a_conversation_opens_with_instructions_photos_and_the_question():
    system, user = begun().prompt
    assert (system["role"], user["role"]) == ("system", "user") and isinstance(system["content"], str)
    assert len(pictures(user["content"])) == 6 and all(isinstance(p, Image.Image) for p in pictures(user["content"]))
    assert any(CHOICE.question in part.get("text", "") for part in user["content"])


def test_tools_are_offered_once_and_an_answer_is_a_reply_without_a_call():
    canonical, explore = begun("canonical"), begun("explore")
    assert canonical.tools == ()  # its system prompt tells of the one tool, as the published checkpoints expect it
    assert '"pi3x_tool"' in canonical.prompt[0]["content"]
    assert [tool["function"]["name"] for tool in explore.tools] == ["view"]
    assert json.dumps(explore.tools[0]["function"]) not in explore.prompt[0]["content"]


def test_a_call_brings_the_view_and_the_answer_after_it_ends_the_episode():
    conversation, looking = begun(), asking(angles(-45, 0))
    content = conversation.call(looking)
    assert len(pictures(content)) == 1 and "1 more round" in content[-1]["text"]
    told = {"role": "tool", "name": "pi3x_tool", "content": content}
    assert conversation.finish([looking, told, answering("<answer>B</answer>")]) == pytest.approx(1.1)
    assert conversation.trajectory.turns == 2


def test_calls_of_one_reply_are_one_step_and_each_gets_its_own_result():
    conversation = begun(limits=Limits(turns=2, looks=2, side=96, image_tokens=200))
    reply = asking(angles(-45, 0), angles(0, 0))
    first, second = conversation.call(reply), conversation.call(reply)
    assert len(pictures(first)) == 1 and not pictures(second) and "Not made" in second[0]["text"]
    assert conversation.trajectory.turns == 1


@pytest.mark.parametrize("given", ["-45", None, ["left"], {"azimuth": "nowhere"}])
def test_arguments_of_any_form_are_told_back_and_break_nothing(given):
    conversation = begun()
    assert "Not made" in conversation.call(asking(given))[0]["text"]


def test_an_episode_without_an_answer_is_worth_nothing():
    looking = asking(angles(-45, 0))
    cut_off = begun()
    cut_off.call(looking)
    assert cut_off.finish([looking, {"role": "tool", "name": "pi3x_tool", "content": ""}]) == 0
    never_stops = begun()
    replies = [asking(angles(*where)) for where in ((-45, 0), (45, 0), (0, 60))]
    for reply in replies[:2]:
        never_stops.call(reply)
    assert never_stops.finish([*replies[:2], replies[2]]) == 0
    assert never_stops.trajectory.truncated
    assert begun().finish([]) == 0


def test_an_episode_that_was_answered_by_the_tool_is_over():
    conversation = begun("explore")
    assert conversation.call(asking({"text": "B"}, name="answer")) == "The episode has ended."
    assert conversation.finish([answering("<answer>A</answer>")]) == pytest.approx(1.1)


def test_a_tool_that_breaks_ends_the_training_and_not_the_turn():
    """Trainers hand a tool's error to the model as its result; a reward on top of that would hide a fault of ours."""

    def breaks(*args, **more):
        raise ZeroDivisionError("in the renderer")

    conversation = begun(render=breaks)
    with pytest.raises(ZeroDivisionError):
        conversation.call(asking(angles(-45, 0)))
    with pytest.raises(RuntimeError, match=f"a tool broke on sample {CHOICE.id}"):
        conversation.finish([answering("<answer>B</answer>")])
    assert begun(render=render_view).finish([answering("<answer>B</answer>")]) > 1
