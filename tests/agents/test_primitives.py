"""Free tool calls: results come back as handles, pictures arrive, the calls end in an answer."""

from __future__ import annotations

from asking_tasks import task
from openai_server import OpenAIServer, called, said

from placecell.agents.direct import Direct
from placecell.agents.events import RunEvent
from placecell.agents.primitives import Primitives


def asked(strategy, scene, *scenes, **how):
    with OpenAIServer(*scenes) as server:
        made = task(server.model, scene, **how)
        outcome = strategy.answer(made)
    assert server.surplus == 0
    return outcome, server.requests, made.log


def offered(request):
    return {t["function"]["name"] for t in request.body.get("tools", [])}


def test_operations_are_called_by_handles_and_pictures_arrive(room):
    outcome, requests, log = asked(
        Primitives(),
        room(),
        called("query_camera_pose", {"image": 1}),
        called("set_viewpoint", {"at": "r1"}),
        called("query_3d_object_location", {"name": "sofa"}),
        called("locate", {"target": "r3"}),
        called("render_egocentric", {}),
        said("Answer: A"),
    )
    assert outcome.reading.text == "sofa"
    assert [len(r.pictures) for r in requests] == [3, 3, 3, 3, 3, 4]
    assert "r4 = front-left:" in requests[4].text and "<result>" in requests[4].text
    assert "locate" in offered(requests[0]) and "build_static_memory" not in offered(requests[0])
    assert [e.steps[0].operation for e in log.of(RunEvent)][-2:] == ["locate", "render_egocentric"]
    assert outcome.result.stats.operations == 5 and outcome.result.stats.pictures == 1


def test_calls_that_cannot_be_made_come_back_in_words(room):
    _, requests, log = asked(
        Primitives(), room(), called("locate", {"target": "the sofa"}), called("turn_camera", {"direction": "up-ish"}),
        said("Answer: A"),
    )  # fmt: skip
    assert "give the handle of an earlier result" in requests[1].text and "give left, right" in requests[2].text
    assert not log.of(RunEvent)


def test_the_calls_end_in_an_answer(room):
    outcome, requests, _ = asked(
        Primitives(), room(), *[called("query_camera_pose", {"image": n}) for n in (1, 2)], said("Answer: B"), calls=2
    )
    assert [bool(offered(r)) for r in requests] == [True, True, False]
    assert "last round of calls" in requests[2].text and outcome.reading.text == "table"


def test_pictures_beyond_the_budget_are_not_shown(room):
    _, requests, _ = asked(
        Primitives(), room(), called("render_rgb_bev", {}), called("render_rgb_bev", {}), said("Answer: A"), renders=1
    )
    assert [len(r.pictures) for r in requests] == [3, 4, 4]
    assert "no further picture fits" in requests[2].text


def test_direct_shows_photos_and_question_and_nothing_of_the_memory(room):
    outcome, requests, _ = asked(Direct(), room(), said("They face north.\nAnswer: C"))
    (request,) = requests
    assert outcome.reading.text == "chair" and outcome.result is None
    assert len(request.pictures) == 3 and not offered(request)
    assert "step by step" in request.text and "door" not in request.text


def test_direct_without_reasoning_asks_for_the_answer_alone(room):
    outcome, requests, _ = asked(Direct(), room(), said("I am not sure"), said("Still not"), cot=False)
    assert "the answer line alone" in requests[0].text and len(requests) == 2
    assert outcome.reading.option is None and outcome.reading.stage == "answer"


def test_a_number_is_asked_in_its_unit_and_read_in_it(room):
    outcome, requests, _ = asked(
        Direct(), room(), said("about 250 cm, so\nAnswer: 2.5 m"), options=(),
        question="How far is the sofa from the door in centimeters?",
    )  # fmt: skip
    assert "one number in centimetres" in requests[0].text
    assert (outcome.reading.value, outcome.reading.unit) == (250, "cm")


def test_metres_are_no_answer_over_a_memory_of_unknown_scale_and_the_reason_says_so(room):
    how = {"options": (), "question": "How far is the sofa from the door?"}
    outcome, requests, _ = asked(Direct(), room(metric=False), said("Answer: 1.2 m"), said("Answer: 3.4"), **how)
    assert "how long a unit of this memory is" in requests[1].text
    assert (outcome.reading.value, outcome.reading.unit) == (3.4, None)
    refused, _, _ = asked(Direct(), room(metric=False), *[said("Answer: 1.2 m")] * 2, **how)
    assert refused.reading.stage == "answer" and "how long a unit" in refused.reading.reason
