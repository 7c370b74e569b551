"""A recorded run again without its model: the same answers byte for byte, and a plain word where they cannot be."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from openai_server import OpenAIServer, said, status

from placecell.agents.answering import How
from placecell.agents.events import AnswerEvent, QuestionEvent, ReplyEvent, RequestEvent
from placecell.agents.log import Log
from placecell.agents.models.doubles.recorded import Recorded
from placecell.agents.models.doubles.scripted import scripted
from placecell.agents.models.settings import Settings
from placecell.agents.pipeline import Asker
from placecell.agents.replaying import replay
from placecell.agents.trace_diff import compare, first_difference, outcome
from placecell.errors import UserError

LEFT_OR_RIGHT = ["A. left", "B. right", "C. back"]
QUESTION = "If I am standing by the table and facing the door, is the lamp to my left, right, or back?"
NO_PROGRAM = "I would rather describe the room."
PATIENT = Settings(backoff=0.0, retries=1)


def record(memory, path, *lines, how=None, questions=(QUESTION,)):
    """Questions answered by a scripted model, on file."""
    how = how if how is not None else How(settings=PATIENT)
    with Log(path) as log:
        asker = Asker(memory, how, model=scripted(*lines))
        return [asker.ask(question, LEFT_OR_RIGHT, log=log) for question in questions]


def replayed(memory, path, out=None):
    return list(replay(Log.read(path), memory, log=out))


def as_bytes(answer):
    return json.dumps(outcome(answer), sort_keys=True).encode()


SCRIPTS = {
    "answers from photos": (NO_PROGRAM, NO_PROGRAM, NO_PROGRAM, "Answer: B. right"),
    "says nothing usable": ("hm", "hm", "hm", "hm", "hm"),
    "refuses": ({"refuse": "I cannot look at private rooms."},) * 4,
    "is cut off": ({"cut off": '{"reference": {'},) * 4,
    "is turned away": ({"status": 401},) * 4,
    "comes back after an error": ({"status": 503}, NO_PROGRAM, NO_PROGRAM, NO_PROGRAM, "Answer: A"),
}


@pytest.mark.parametrize("script", SCRIPTS.values(), ids=SCRIPTS.keys())
def test_a_replay_gives_the_same_answer_byte_for_byte(room, tmp_path, script):
    path = tmp_path / "run.jsonl"
    (answer,) = record(room(), path, *script)
    again = Log()
    (found,) = replayed(room(), path, again)
    assert found.difference is None
    assert as_bytes(found.again) == as_bytes(answer) == as_bytes(found.recorded)
    requests = [[r.own().fingerprint() for r in log.of(RequestEvent)] for log in (Log.read(path), again)]
    assert requests[0] == requests[1] and requests[0]
    if "status" not in str(script):  # which attempt of a call got through is not replayed
        assert [c.difference for c in compare(Log.read(path), again)] == [None]


def test_a_run_on_a_server_is_replayed_when_the_server_is_gone(room, tmp_path):
    path = tmp_path / "run.jsonl"
    scenes = [said(NO_PROGRAM), status(503), said(NO_PROGRAM), said(NO_PROGRAM), said("Answer: B")]
    with OpenAIServer(*scenes) as server, Log(path) as log:
        how = How(model=server.model, settings=PATIENT)
        answer = Asker(room(), how).ask(QUESTION, LEFT_OR_RIGHT, log=log)
        sent = [len(request.pictures) for request in server.requests]
    assert answer.letter == "B" and max(sent) == 3
    (found,) = replayed(room(), path)
    assert found.difference is None and as_bytes(found.again) == as_bytes(answer)


def test_a_replay_of_rules_needs_no_replies(room, tmp_path):
    with Log(tmp_path / "run.jsonl") as log:
        answer = Asker(room(), How()).ask(QUESTION, LEFT_OR_RIGHT, log=log)
    (found,) = replayed(room(), tmp_path / "run.jsonl")
    assert as_bytes(found.again) == as_bytes(answer) and answer.letter == "B"


def test_a_replay_says_where_another_memory_leads_to_another_answer(room, tmp_path):
    with Log(tmp_path / "run.jsonl") as log:
        Asker(room(), How()).ask("How many chairs are there?", log=log)
    fewer = replace(room(), instances=room().instances[:-1])
    (found,) = replayed(fewer, tmp_path / "run.jsonl")
    assert found.difference == ("answer", '"2"', '"1"')


def test_a_request_that_was_never_recorded_is_an_error_that_says_what_differs(room, tmp_path):
    path = tmp_path / "run.jsonl"
    record(room(), path, *SCRIPTS["answers from photos"])
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("is the lamp to my left", "is the sofa to my left", 1), encoding="utf-8")
    with pytest.raises(UserError, match=r"not recorded; it differs from call 1 of question 1 at messages\[") as caught:
        replayed(room(), path)
    assert "is the sofa" in str(caught.value) and "is the lamp" in str(caught.value)


def test_more_requests_than_were_recorded_are_an_error(room, tmp_path):
    path = tmp_path / "run.jsonl"
    record(room(), path, *SCRIPTS["answers from photos"])
    lines = path.read_text(encoding="utf-8").splitlines()
    last = max(n for n, line in enumerate(lines) if '"kind":"request"' in line)
    path.write_text("\n".join([*lines[:last], *lines[last + 2 :], ""]), encoding="utf-8")
    with pytest.raises(UserError, match="no further request"):
        replayed(room(), path)


def test_a_run_that_was_killed_before_its_answer_is_finished_by_its_replay_when_the_replies_are_there(room, tmp_path):
    path = tmp_path / "run.jsonl"
    (answer,) = record(room(), path, *SCRIPTS["answers from photos"])
    lines = [line for line in path.read_text(encoding="utf-8").splitlines() if '"kind":"answer"' not in line]
    path.write_text("\n".join([*lines, ""]), encoding="utf-8")
    (found,) = replayed(room(), path)
    assert found.recorded is None and found.difference[1] == "unfinished"
    assert as_bytes(found.again) == as_bytes(answer)


def test_equal_requests_get_their_replies_in_the_recorded_order():
    log = Log()
    asked = log.asking()
    request = RequestEvent(call=1, role="a", model="m", messages=())
    for call, words in ((1, "first"), (2, "second")):
        asked.add(request.model_copy(update={"call": call, "role": words}))
        asked.add(ReplyEvent(call=call, parts=({"part": "text", "text": words},), finish="stop"))
    model = Recorded(log)
    given = [model._next(request).role for _ in range(2)]
    assert given == ["first", "second"]


def test_two_runs_of_the_same_are_the_same_and_two_models_part_where_they_say_something_else(room, tmp_path):
    for name, last in (("a", "Answer: A"), ("b", "Answer: B"), ("c", "Answer: A")):
        record(room(), tmp_path / name, NO_PROGRAM, NO_PROGRAM, NO_PROGRAM, last)
    a, b, c = (Log.read(tmp_path / name) for name in "abc")
    assert compare(a, c)[0].same
    (found,) = compare(a, b)
    assert "(reply)" in found.difference.event
    assert (found.difference.first, found.difference.second) == ('"Answer: A"', '"Answer: B"')
    stages = {kind: same for kind, _, _, same in found.stages}
    assert stages["request"] and stages["question"] and not stages["reply"] and not stages["answer"]
    assert [cost.answer for cost in found.costs] == ["A. left", "B. right"]
    assert json.dumps(found.record(), allow_nan=False)


def test_a_question_that_only_one_run_has_differs_from_its_beginning(room, tmp_path):
    record(room(), tmp_path / "one", *SCRIPTS["refuses"])
    record(room(), tmp_path / "two", *SCRIPTS["refuses"], *SCRIPTS["refuses"], questions=(QUESTION, QUESTION))
    one, two = Log.read(tmp_path / "one"), Log.read(tmp_path / "two")
    assert [c.same for c in compare(one, two)] == [True, False]
    assert compare(two, one)[1].difference.second == "nothing more"


@pytest.mark.parametrize(
    ("a", "b", "found"),
    [
        ({"x": [1, {"y": "p"}]}, {"x": [1, {"y": "q"}]}, ("x[1].y", '"p"', '"q"')),
        ({"x": 1}, {}, ("x", '"1"', '"nothing"')),
        ([1], [1, 2], ("", '"1 items"', '"2 items"')),
        ({"x": 1}, {"x": 1}, None),
    ],
)
def test_the_first_difference_names_its_place(a, b, found):
    assert first_difference(a, b) == found


def test_long_texts_are_shown_around_the_place_where_they_part():
    _, a, b = first_difference("x" * 500 + "left" + "y" * 500, "x" * 500 + "right" + "y" * 500)
    assert "left" in a and "right" in b and max(len(a), len(b)) < 120


def test_every_recorded_question_says_how_it_was_asked_but_never_where_or_with_which_key(room, tmp_path):
    how = How(settings=replace(PATIENT, api_key="a-secret-value", base_url="http://localhost:1/v1"))
    record(room(), tmp_path / "run.jsonl", *SCRIPTS["refuses"], how=how)
    (event,) = Log.read(tmp_path / "run.jsonl").of(QuestionEvent)
    assert event.use["temperature"] == 0 and event.limits["calls"] == how.limits.calls
    assert "a-secret-value" not in (tmp_path / "run.jsonl").read_text() and "base_url" not in event.use
    assert len(Log.read(tmp_path / "run.jsonl").of(AnswerEvent)) == 1
