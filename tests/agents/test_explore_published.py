"""The published checkpoints' protocol: calls in plain text, angles as they learned them, nothing dropped in silence."""

from __future__ import annotations

import json

import numpy as np
import pytest
from asking_tasks import task
from openai_server import OpenAIServer, said

from placecell.agents.events import ViewEvent
from placecell.agents.explore import Explore
from placecell.agents.exploring.calls import Called, read_calls
from placecell.backends.synthetic.capture import default_views
from placecell.backends.synthetic.furnish import make_room
from placecell.backends.synthetic.perfect import perfect_memory
from placecell.engine.renders import render_view

CALL = Called("pi3x_tool", {"azimuth_angle": 45, "elevation_angle": 0})
EXACT = '{"name": "pi3x_tool", "arguments": {"azimuth_angle": 45, "elevation_angle": 0}}'


@pytest.mark.parametrize(
    "reply",
    [
        f"<tool_call>{EXACT}</tool_call>",
        f"<think>I look left: <tool_call>nonsense</tool_call></think>\n<tool_call>\n{EXACT}\n</tool_call>",
        f"<tool_call>{EXACT}",
        f"<tool_call>```json\n{EXACT}\n```</tool_call>",
        f"<tool_calls>[{EXACT}]</tool_calls>",
        f"<tool_call>{EXACT.replace(chr(34), chr(39))}</tool_call>",
        f"<tool_call>{EXACT.replace('arguments', 'parameters')}</tool_call>",
        f'<tool_call>{{"type": "function", "function": {EXACT}}}</tool_call>',
        '<tool_call>{"name": "pi3x_tool", "arguments": "{\\"azimuth_angle\\": 45, \\"elevation_angle\\": 0}"}',
    ],
)
def test_a_call_is_read_whatever_a_small_model_makes_of_the_format(reply):
    assert read_calls(reply) == [CALL]


@pytest.mark.parametrize(
    "reply", ["<tool_call>look left</tool_call>", '<tool_call>{"name": 3}</tool_call>', "<tool_call>[1"]
)
def test_a_call_that_cannot_be_read_is_told_back(reply):
    assert "could not be read" in read_calls(reply)


@pytest.mark.parametrize("reply", ["", "<answer>B</answer>", "I call nobody", "<tool_call></tool_call>"])
def test_no_call_is_no_call(reply):
    assert read_calls(reply) == []


@pytest.fixture(scope="module")
def scene():
    room = make_room(5)
    return perfect_memory(room, default_views(room), size=(96, 72))


def asked(**arguments):
    record = {"name": "pi3x_tool", "arguments": {"azimuth_angle": 0, "elevation_angle": 60} | arguments}
    return said(f"<think>hm</think>\n<tool_call>{json.dumps(record)}</tool_call>")


def explored(scene, *scenes, **how):
    with OpenAIServer(*scenes) as server:
        made = task(server.model, scene, images=(1, 2), **({"size": 96, "profile": "think3d"} | how))
        outcome = Explore().answer(made)
    return outcome, server.requests, made.log


def test_each_round_is_one_message_with_photos_and_every_render_so_far(scene):
    outcome, requests, log = explored(
        scene,
        asked(),
        asked(
            azimuth_angle=30, elevation_angle=10, rotation_reference_camera=2, camera_view=True, image_path=["x.jpg"]
        ),
        asked(azimuth_angle=90),
        said("<think>so</think><answer>B</answer>"),
    )
    assert outcome.reading.option.letter == "B"
    assert [len(r.pictures) for r in requests] == [2, 3, 4, 5]
    assert all([m["role"] for m in r.messages] in (["system", "user"], ["user"]) for r in requests)
    assert "pi3x_tool" in requests[0].text and "No further call is possible" in requests[-1].text
    looks = [(1, 0, 60, "global"), (2, 30, 10, "ego"), (1, 90, 60, "global")]
    assert [tuple(e.asked.values()) for e in log.of(ViewEvent)] == looks
    for picture, (anchor, azimuth, elevation, mode) in zip(requests[-1].pictures[2:], looks, strict=True):
        render = render_view(
            scene, anchor=anchor, azimuth=azimuth, elevation=elevation, mode=mode, size=96, profile="think3d"
        )
        assert np.array_equal(np.asarray(picture.convert("RGB")), render.rgb)
    assert "turned 30 degrees right, looking 10 degrees down" in requests[-1].text  # theirs: positive is down


@pytest.mark.parametrize(
    ("reply", "feedback"),
    [
        (asked(azimuth_angle=0, elevation_angle=0), "is the photo itself"),
        (asked(azimuth_angle="left"), "azimuth_angle is 'left'"),
        (asked(rotation_reference_camera=77), "there is no image 77"),
        (asked(zoom=2), "there is no argument 'zoom'"),
        (said("<tool_call>please look</tool_call>"), "could not be read"),
        (said('<tool_call>{"name": "depth_tool", "arguments": {}}</tool_call>'), "There is no tool 'depth_tool'"),
        (said("I cannot decide."), "neither a call nor an answer"),
    ],
)
def test_what_cannot_be_done_is_told_back(scene, reply, feedback):
    outcome, requests, _ = explored(scene, reply, said("<answer>A</answer>"))
    assert feedback in requests[1].text and outcome.reading.text == "sofa"


def test_the_canonical_views_are_the_three_of_the_training(scene):
    outcome, requests, log = explored(
        scene,
        asked(azimuth_angle=-45, elevation_angle=0),
        asked(azimuth_angle=10),
        said("<answer>A</answer>"),
        canonical=True,
    )
    assert outcome.reading.text == "sofa"
    assert [bool(e.refused) for e in log.of(ViewEvent)] == [False, True]
    assert "camera_view" not in requests[0].text


def test_no_answer_after_the_last_round_is_a_failure(scene):
    outcome, requests, _ = explored(scene, *[said("<think>never mind</think>")] * 4)
    assert len(requests) == 4 and outcome.reading.stage == "answer" and outcome.reading.text is None
