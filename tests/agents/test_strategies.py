"""Every strategy on a synthetic room: a perfect reader answers, a model that talks nonsense fails cleanly."""

from __future__ import annotations

import pytest
from asking_tasks import task

from placecell.agents.answering import How
from placecell.agents.models.doubles.looker import drawn
from placecell.agents.models.doubles.table import open_double
from placecell.agents.models.settings import Settings
from placecell.agents.pipeline import Asker
from placecell.agents.strategy import STRATEGIES, WITHOUT_A_MODEL, open_strategy
from placecell.backends.synthetic.capture import default_views
from placecell.backends.synthetic.furnish import make_room
from placecell.backends.synthetic.perfect import perfect_memory
from placecell.backends.synthetic.questions import questions_about
from placecell.engine.legend import overview_legend, photo_legend
from placecell.engine.renders import render_view

SIZE = (96, 72)
VLM_ONLY = [name for name in STRATEGIES if name not in WITHOUT_A_MODEL]


@pytest.fixture(scope="module")
def asked():
    room = make_room(8)
    views = default_views(room)
    return perfect_memory(room, views, size=SIZE), questions_about(room, views, per_family=1, size=SIZE)


def answers(asked, strategy, model, most=None, **options):
    memory, questions = asked[0], asked[1][:most]
    how = How(strategy, model, settings=Settings(), options=options)
    asker = Asker(memory, how)
    return [asker.ask(q.question, q.options) for q in questions]


def test_exploring_by_captions_alone_answers_everything(asked):
    for question, answer in zip(asked[1], answers(asked, "explore", "perfect", size=96), strict=True):
        if question.value is None:
            assert answer.letter == question.answer, (question, answer)
        else:
            assert answer.value == pytest.approx(question.value, rel=0.05), (question, answer)
        assert answer.method == "vlm" and answer.usage.calls == 2 and answer.evidence.images


@pytest.mark.parametrize("strategy", VLM_ONLY)
@pytest.mark.parametrize("model", ["garbage", "refusing"])
def test_nonsense_and_refusals_end_in_no_answer_with_a_reason(asked, strategy, model):
    options = {"size": 96} if strategy in ("explore", "imagine") else {}
    for answer in answers(asked, strategy, model, most=3, **options):
        assert answer.abstained and answer.reason and answer.letter is None and answer.value is None
        assert answer.stage == "answer"


@pytest.mark.parametrize("strategy", VLM_ONLY)
def test_a_guesser_is_read_as_what_it_guesses(asked, strategy):
    options = {"explore": {"size": 96}, "imagine": {"size": 96, "views": 4}}.get(strategy, {})
    outcome = open_strategy(strategy).answer(task(open_double("blind"), asked[0], "Which is larger?", **options))
    assert outcome.reading.option.letter in "ABC" and outcome.method == "vlm"


def test_captions_redraw_the_place(asked):
    memory = asked[0]
    captions = [f"Image {n}. {photo_legend(memory, n)}" for n in (1, 2)]
    for azimuth in (0, 120, 240):
        picture = render_view(memory, anchor=1, azimuth=azimuth, elevation=60, mode="global", size=96)
        captions.append(f"View 1. {picture.caption}.\n{overview_legend(memory, picture, 1)}")
    again = drawn(captions)
    assert [f.number for f in again.frames] == [f.number for f in memory.posed_frames]
    assert {(i.id, i.name) for i in again.instances} == {(i.id, i.name) for i in memory.instances}
    for thing, truth in zip(again.instances, sorted(memory.instances, key=lambda i: i.id), strict=True):
        assert sorted(thing.box.size) == pytest.approx(sorted(truth.upright_box.size), abs=0.006)
    assert again.layout.floor_area == pytest.approx(memory.layout.floor_area, abs=0.05)
