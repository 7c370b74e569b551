"""Imagining: moves are tried, scored side by side, the best are kept, and only those are shown for the answer."""

from __future__ import annotations

import json

import numpy as np
import pytest
from asking_tasks import task
from openai_server import OpenAIServer, said

from placecell.agents.events import ViewEvent
from placecell.agents.imagine import MOVES, Imagine
from placecell.agents.models.budget import Limits
from placecell.agents.worlds import Move, PointCloudWorld, open_world
from placecell.backends.synthetic.capture import default_views
from placecell.backends.synthetic.furnish import make_room
from placecell.backends.synthetic.perfect import perfect_memory
from placecell.engine.views import View
from placecell.errors import UserError


@pytest.fixture(scope="module")
def scene():
    room = make_room(5)
    return perfect_memory(room, default_views(room), size=(96, 72))


def judged(*scores):
    return said(json.dumps({"scores": list(scores)}))


def imagined(scene, *scenes, **how):
    with OpenAIServer(*scenes) as server:
        asked = task(server.model, scene, images=(1, 2), **({"size": 64} | how))
        outcome = Imagine().answer(asked)
    assert server.surplus == 0
    return outcome, server.requests, asked.log


def test_the_built_in_world_shows_the_view_after_the_moves(scene):
    moves = (Move("turn", "right", 45.0), Move("step", "forward"))
    picture = PointCloudWorld().imagine(scene, 3, moves, size=64)
    assert np.array_equal(picture.rgb, View.of_image(scene, 3).turn("right", 45).step("forward").render(size=64).rgb)
    assert "at image 3, turned 45 degrees right" in picture.caption


def test_the_best_of_each_depth_are_followed_and_shown(scene):
    outcome, requests, log = imagined(
        scene, judged(1, 9, 2, 3), judged(4, 8, 0), said("Answer: C"), beam=1, depth=2, evidence=2
    )
    assert outcome.reading.option.letter == "C"
    assert [len(r.pictures) for r in requests] == [2 + 4, 2 + 3, 2 + 2]
    views = log.of(ViewEvent)
    assert [v.asked["moves"] for v in views[:4]] == [[m.words] for m in MOVES]
    followed = [v.asked["moves"] for v in views[4:]]
    assert all(moves[0] == "turn right 45" and moves[1] != "turn left 45" for moves in followed)
    shown = requests[-1].text
    assert "turned 45 degrees right;" in shown and "turned 135 degrees left;" in shown
    assert outcome.result.stats.pictures == 7


def test_the_search_starts_at_the_image_the_question_names(scene):
    _, requests, log = imagined(scene, judged(1, 2, 3, 4), said("Answer: A"), depth=1)
    assert {v.asked["image"] for v in log.of(ViewEvent)} == {1}
    assert "Candidate 4. " in requests[0].text


def test_no_more_views_are_imagined_than_allowed(scene):
    _, requests, log = imagined(scene, judged(5, 5, 5, 5), judged(5), said("Answer: A"), views=5, depth=3)
    assert len(log.of(ViewEvent)) == 5
    outcome, requests, _ = imagined(scene, said("Answer: A"), views=0)
    assert len(requests) == 1 and outcome.reading.text == "sofa"


def test_the_limit_on_pictures_holds(scene):
    with OpenAIServer(judged(1, 2), said("Answer: B"), forever=said("Answer: B")) as server:
        asked = task(server.model, scene, images=(1, 2), limits=Limits(pictures=4), size=64, depth=1, views=2)
        assert Imagine().answer(asked).reading.option.letter == "B"
    assert asked.channel.account.spent.pictures <= 4


def test_scores_that_do_not_fit_are_asked_for_again_and_then_end_it(scene):
    outcome, requests, _ = imagined(scene, judged(1, 2), judged(11, 0, 0, 0), said("no idea"))
    assert outcome.reading.option is None and "could not be judged" in outcome.reading.reason
    assert "There are 4 candidates, you gave 2 scores" in requests[1].text
    assert "A score of 11 is not from 0 to 10" in requests[2].text


def test_worlds_and_moves_that_do_not_exist_are_refused(scene):
    with pytest.raises(UserError, match="unknown world model"):
        open_world("dreams")
    with pytest.raises(ValueError, match="cannot step back"):
        Move("step", "back")
