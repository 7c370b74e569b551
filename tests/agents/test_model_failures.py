"""What a model server can do wrong, over a real socket: each ends in its own outcome, and nothing is lost."""

import base64

import numpy as np
import pytest
from openai_server import (
    OpenAIServer,
    Play,
    broken_off,
    cut_off,
    dropped,
    half_json,
    no_choices,
    refused,
    said,
    silence,
    status,
)

from placecell.agents.events import FailureEvent, NoteEvent, ReplyEvent, RequestEvent
from placecell.agents.log import Log
from placecell.agents.models.budget import Account, Limits
from placecell.agents.models.channel import Channel
from placecell.agents.models.failures import Failure
from placecell.agents.models.open import open_model
from placecell.agents.models.pictures import Shown
from placecell.agents.models.settings import Settings
from placecell.agents.talk import Talk


def talk_to(server, *, seconds=None, **settings):
    use = Settings(**{"backoff": 0.001, "retries": 2} | settings)
    return Talk(Channel(open_model(server.model, use), use, Account(Limits(seconds=seconds)), Log()), "Answer.")


OUTCOMES = {
    "429 for ever": ([status(429)] * 3, "rate limited", 3),
    "500 for ever": ([status(500)] * 3, "server error", 3),
    "503 for ever": ([status(503)] * 3, "server error", 3),
    "400": ([status(400)], "rejected", 1),
    "401": ([status(401)], "unauthorised", 1),
    "404": ([status(404)], "rejected", 1),
    "413": ([status(413)], "too large", 1),
    "quota": ([status(402)], "quota", 1),
    "connection dropped for ever": ([dropped()] * 3, "unreachable", 3),
    "connection broken off for ever": ([broken_off()] * 3, "unreachable", 3),
    "half JSON": ([half_json()], "malformed", 1),
    "empty choices": ([no_choices()], "empty", 1),
    "refusal": ([refused("I would rather not.")], "refused", 1),
    "empty reply": ([said("")], "empty", 1),
    "only spaces": ([said("  \n")], "empty", 1),
    "cut off": ([cut_off("The answer is")], "cut off", 1),
    "silence": ([silence(20.0)], "timeout", 1),
}


@pytest.mark.parametrize("name", OUTCOMES)
def test_every_fault_ends_in_its_own_outcome(name):
    scenes, kind, requests = OUTCOMES[name]
    with OpenAIServer(*scenes, forever=said("A")) as server:
        talk = talk_to(server, timeout=0.3 if kind == "timeout" else 10.0)
        failure = talk.ask("Left or right?")
        assert isinstance(failure, Failure), failure
        assert (failure.kind, len(server.requests)) == (kind, requests), failure
    log = talk.channel.log
    assert len(log.of(RequestEvent)) == 1
    assert [e.call for e in log.of(FailureEvent)] == [1]
    assert len(log.of(NoteEvent)) == requests - 1 == talk.channel.account.spent.retries
    assert talk.messages == []


PASSING = {
    "429": status(429, retry_after="0"),
    "500": status(500),
    "503": status(503),
    "dropped": dropped(),
    "broken off": broken_off(),
}


@pytest.mark.parametrize("name", PASSING)
def test_what_may_pass_is_tried_again_and_the_answer_counts_once(name):
    with OpenAIServer(PASSING[name], said("left")) as server:
        talk = talk_to(server)
        assert talk.ask("Left or right?") == "left"
        assert len(server.requests) == 2
    assert [r.text for r in talk.channel.log.of(ReplyEvent)] == ["left"]
    assert talk.channel.account.spent.calls == 1


def test_a_refusal_keeps_the_words_of_the_model():
    with OpenAIServer(refused("I would rather not.")) as server:
        assert talk_to(server).ask("Who is this?").detail == "I would rather not."


def test_a_server_is_not_waited_for_longer_than_the_question_may_take():
    with OpenAIServer(status(429, retry_after="30"), said("A")) as server:
        failure = talk_to(server, seconds=5.0).ask("Left or right?")
    assert failure.kind == "rate limited"


def test_silence_beyond_the_limit_of_the_question_is_a_matter_of_budget():
    with OpenAIServer(silence(20.0)) as server:
        failure = talk_to(server, seconds=0.3).ask("Left or right?")
    assert (failure.kind, failure.stage) == ("budget", "budget")


def test_nobody_listening_is_unreachable():
    with OpenAIServer() as server:
        talk = talk_to(server, retries=1)
    assert talk.ask("Left or right?").kind == "unreachable"


ANTHROPIC = b"""{"id": "m", "type": "message", "role": "assistant", "model": "m", "stop_reason": "end_turn",
"content": [{"type": "text", "text": "left"}], "usage": {"input_tokens": 7, "output_tokens": 2}}"""
GOOGLE = b"""{"candidates": [{"content": {"role": "model", "parts": [{"text": "left"}]}, "finishReason": "STOP"}],
"usageMetadata": {"promptTokenCount": 7, "candidatesTokenCount": 2, "totalTokenCount": 9}}"""
DIALECTS = {"anthropic": ("", ANTHROPIC), "google": ("", GOOGLE)}


@pytest.mark.parametrize("provider", DIALECTS)
def test_the_clouds_own_clients_go_the_same_way(provider):
    path, body = DIALECTS[provider]
    with OpenAIServer(status(503), dropped(), Play(body)) as server:
        name = f"{provider}:m@{server.url.removesuffix('/v1')}{path}"
        use = Settings(backoff=0.001, retries=2)
        talk = Talk(Channel(open_model(name, use), use, Account(), Log()), "Answer.")
        assert talk.ask("Left or right?", Shown(np.zeros((30, 40, 3), np.uint8), "a render")) == "left"
        assert len(server.requests) == 3
    spent = talk.channel.account.spent
    assert (spent.calls, spent.retries, spent.input_tokens, spent.output_tokens) == (1, 2, 7, 2)
    assert base64.b64encode(b"\x89PNG")[:4].decode() in str(server.requests[2].body)


@pytest.mark.parametrize("provider", DIALECTS)
@pytest.mark.parametrize("name", ["429 for ever", "500 for ever", "400", "401", "413", "half JSON", "silence"])
def test_the_clouds_own_clients_fail_the_same_way(provider, name):
    scenes, kind, requests = OUTCOMES[name]
    with OpenAIServer(*scenes) as server:
        model = f"{provider}:m@{server.url.removesuffix('/v1')}"
        use = Settings(backoff=0.001, retries=2, timeout=0.3 if kind == "timeout" else 10.0)
        talk = Talk(Channel(open_model(model, use), use, Account(), Log()), "Answer.")
        failure = talk.ask("Left or right?")
        assert isinstance(failure, Failure), failure
        assert (failure.kind, len(server.requests)) == (kind, requests), failure
