"""Exploring: every render reaches the model with its camera, rounds end in an answer, what cannot be is refused."""

from __future__ import annotations

import json

import numpy as np
import pytest
from asking_tasks import task
from openai_server import OpenAIServer, called, completion, said

from placecell.agents.events import NoteEvent, ViewEvent
from placecell.agents.explore import Explore
from placecell.agents.models.budget import Limits
from placecell.backends.synthetic.capture import default_views
from placecell.backends.synthetic.furnish import make_room
from placecell.backends.synthetic.perfect import perfect_memory
from placecell.engine.renders import render_view
from placecell.errors import UserError


@pytest.fixture(scope="module")
def scene():
    room = make_room(5)
    return perfect_memory(room, default_views(room), size=(96, 72))


def view(camera=1, azimuth=0, elevation=60, mode="global", **more):
    return {"camera": camera, "azimuth": azimuth, "elevation": elevation, "mode": mode, **more}


def calls(*arguments):
    """Several calls of ``view`` in one reply."""
    made = [called("view", a, id=f"call_{i}") for i, a in enumerate(arguments)]
    tools = [json.loads(m.body)["choices"][0]["message"]["tool_calls"][0] for m in made]
    return completion({"tool_calls": tools}, finish="tool_calls")


def explored(scene, *scenes, **how):
    with OpenAIServer(*scenes) as server:
        asked = task(server.model, scene, **({"size": 96} | how))
        outcome = Explore().answer(asked)
    assert server.surplus == 0
    return outcome, server.requests, asked.log


def tools_of(request):
    return [t["function"]["name"] for t in request.body.get("tools", [])]


def test_three_rounds_bring_three_pictures_that_are_the_renders(scene):
    looks = [view(1, 0, 60), view(2, 45, 0, "ego"), view(3, -90, 10, "ego")]
    outcome, requests, log = explored(
        scene, *(called("view", a, id=f"c{i}") for i, a in enumerate(looks)), said("Answer: B"), images=(1, 2)
    )
    assert outcome.reading.option.letter == "B"
    assert [len(r.pictures) for r in requests] == [2, 3, 4, 5]
    assert [tools_of(r) for r in requests] == [["reconstruct", "view"], ["view"], ["view"], []]
    for picture, look in zip(requests[-1].pictures[2:], looks, strict=True):
        asked = {k: v for k, v in look.items() if k != "camera"}
        render = render_view(scene, anchor=look["camera"], size=96, **asked)
        assert np.array_equal(np.asarray(picture.convert("RGB")), render.rgb)
        assert render.caption in requests[-1].text
    assert "answer now" in requests[-1].text
    made = log.of(ViewEvent)
    assert [e.asked for e in made] == [
        {**look, "azimuth": float(look["azimuth"]), "elevation": float(look["elevation"])} for look in looks
    ]
    assert all(len(e.picture.camera["world_from_cam"]) == 4 for e in made)


def test_sixteen_photos_and_three_rounds_all_reach_the_model(scene):
    numbers = tuple(f.number for f in scene.frames)[:16]
    looks = [view(n, 90, 0, "ego") for n in (4, 5, 6)]
    _, requests, _ = explored(scene, *(called("view", a) for a in looks), said("Answer: A"), images=numbers)
    last = requests[-1]
    assert len(last.pictures) == 19
    for number in numbers:
        assert f"Image {number}." in last.text
    for number, look in enumerate(looks, 1):
        assert f"View {number}. View from image {look['camera']}, turned 90 degrees right" in last.text


def test_photos_make_room_for_renders_and_the_model_is_told(scene):
    looks = [view(n, 90, 0, "ego") for n in (4, 5, 6)]
    _, requests, log = explored(
        scene, *(called("view", a) for a in looks), said("Answer: A"),
        images=tuple(range(1, 17)), limits=Limits(pictures=10), views=1, question="What is behind me in image 9?",
    )  # fmt: skip
    assert [len(r.pictures) for r in requests] == [7, 8, 9, 10]
    assert "Image 9." in requests[0].text and "Not shown, to leave room for renders: images " in requests[0].text
    assert any("leave room" in note.text for note in log.of(NoteEvent))


def test_a_model_that_answers_at_once_never_reconstructs(scene):
    outcome, requests, log = explored(scene, said("Plain to see.\nAnswer: (C) chair"))
    assert outcome.reading.text == "chair" and len(requests) == 1
    assert log.of(NoteEvent)[-1].facts["reconstructed"] is False


def test_reconstructing_tells_the_scale_and_costs_no_round(scene):
    _, requests, _ = explored(
        scene, called("reconstruct", {}), *(called("view", view(n, 0, 60)) for n in (1, 2, 3)), said("Answer: A")
    )
    assert "cameras, " in requests[1].text and "lengths in metres" in requests[1].text
    assert tools_of(requests[-1]) == []


@pytest.mark.parametrize(
    ("first", "second", "hint"),
    [
        (view(1, 0, 60), view(1, 4, 58), "view 1 shows this already"),
        (view(1, 40, 0, "ego"), view(1, -320, 2, "ego"), "view 1 shows this already"),
        (view(1, 40, 0, "ego"), view(2, 0, 0, "ego"), "this is image 2 itself"),
        (view(1, 0, 60), view(99), "there is no image 99; there are images 1 to"),
        (view(1, 0, 60), view(2, elevation=120), "elevation is 120; give degrees"),
        (view(1, 0, 60), view(2, mode="sideways"), "give ego or global"),
        (view(1, 0, 60), view(2, azimuth="north"), "azimuth is 'north'"),
        (view(1, 0, 60), view(2, azimuth=10**400), "give degrees from -360 to 360"),
        (view(1, 0, 60), view("9" * 5000), "give one image number"),
        (view(1, 0, 60), view(2, zoom=3), "there is no argument 'zoom'"),
    ],
)  # fmt: skip
def test_views_that_show_nothing_new_or_cannot_be_are_refused_with_a_hint(scene, first, second, hint):
    outcome, requests, log = explored(scene, called("view", first), called("view", second), said("Answer: A"))
    assert hint in requests[-1].text and outcome.reading.text == "sofa"
    assert [bool(e.refused) for e in log.of(ViewEvent)] == [False, True]
    assert len(requests[-1].pictures) == len(requests[0].pictures) + 1


def test_several_views_in_one_reply_are_one_round(scene):
    _, requests, log = explored(scene, calls(*(view(n, 0, 60) for n in (1, 2, 3, 4))), said("Answer: A"), rounds=1)
    assert len(requests[-1].pictures) == len(requests[0].pictures) + 3
    assert "at most 3 views in one reply" in requests[-1].text
    assert {e.round for e in log.of(ViewEvent)} == {1}


def test_a_reply_without_answer_is_asked_again_and_then_is_a_failure(scene):
    outcome, requests, _ = explored(scene, said("I am thinking."), said("Still thinking."), said("Hm."))
    assert outcome.reading.option is None and outcome.reading.stage == "answer"
    assert "holds no answer" in requests[1].text and "Answer: " in requests[1].text


def test_a_call_after_the_last_round_is_answered_by_asking_for_the_answer(scene):
    outcome, requests, _ = explored(scene, called("view", view()), called("view", view(2)), said("Answer: B"), rounds=1)
    assert outcome.reading.option.letter == "B" and tools_of(requests[1]) == []


@pytest.mark.parametrize(
    ("how", "offered"),
    [
        ({}, {"camera", "azimuth", "elevation", "mode"}),
        ({"ego": False}, {"camera", "azimuth", "elevation"}),
        ({"choose_camera": "no"}, {"azimuth", "elevation", "mode"}),
        ({"anchor": False}, {"azimuth", "elevation"}),
    ],
)
def test_the_papers_ablations_take_choices_away(scene, how, offered):
    look = {"azimuth": 30, "elevation": 45} | ({"camera": 2} if "camera" in offered else {})
    outcome, requests, log = explored(scene, called("view", look), said("Answer: A"), **how)
    assert set(requests[0].body["tools"][1]["function"]["parameters"]["properties"]) == offered
    (made,) = log.of(ViewEvent)
    expected = None if not how.get("anchor", True) else 2 if "camera" in offered else scene.posed_frames[0].number
    assert made.asked["camera"] == expected
    assert ("`ego`" in requests[0].text) == ("mode" in offered)
    assert outcome.result.stats.pictures == 1


def test_without_a_legend_captions_are_camera_words_only(scene):
    _, requests, _ = explored(scene, called("view", view()), said("Answer: A"), legend=False)
    assert "Known objects" not in requests[-1].text and "The whole scene from outside" in requests[-1].text


def test_the_log_keeps_what_was_looked_at_for_the_figures(scene):
    _, _, log = explored(
        scene, calls(view(1, 0, 60), view(2, 45, 0, "ego")), called("view", view(1, 0, 62)), said("Answer: A")
    )
    facts = log.of(NoteEvent)[-1].facts
    assert (facts["rounds"], facts["views"], facts["refused"], facts["reconstructed"]) == (1, 2, 1, True)
    assert [(k["azimuth"], k["elevation"], k["mode"]) for k in facts["looks"]] == [(0, 60, "global"), (45, 0, "ego")]


@pytest.mark.parametrize("how", [{"rounds": 99}, {"rounds": "many"}, {"colour": 1}, {"profile": "theirs"}])
def test_options_that_do_not_fit_are_the_callers_mistake(scene, how):
    with pytest.raises(UserError, match="explore"):
        Explore().answer(task("openai:x@http://127.0.0.1:1/v1", scene, **how))
