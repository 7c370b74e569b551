"""Models by name, what may leave the machine, pictures that fit, and replies that are kept."""

import gc
import io
import sqlite3
import threading
import time
import weakref
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from openai_server import OpenAIServer, Play, called, cut_off, refused, said, status
from PIL import Image
from pydantic import BaseModel
from pydantic_ai import Tool

from placecell.agents.events import NoteEvent, ReplyEvent, RequestEvent
from placecell.agents.log import Log
from placecell.agents.models.budget import Account, Limits
from placecell.agents.models.channel import Channel
from placecell.agents.models.names import is_loopback, parse
from placecell.agents.models.open import open_model
from placecell.agents.models.pictures import ANY_SERVER, ROOMS, Room, Shown, encode, prepare
from placecell.agents.models.settings import Settings
from placecell.agents.talk import Failure, Talk
from placecell.errors import BackendUnavailable, UserError
from placecell.memory.scene import Frame

KEY = "sk-abcdefghijklmnopqrstuvwxyz012345"


def talk_to(model, limits=None, log=None, **settings):
    use = Settings(**{"backoff": 0.001, "retries": 0} | settings)
    return Talk(Channel(open_model(model, use), use, Account(limits or Limits()), log or Log()), "Answer.")


class Choice(BaseModel):
    letter: str


@pytest.mark.parametrize(
    ("name", "provider", "model", "url"),
    [
        ("openai:gpt-6.1-sol", "openai", "gpt-6.1-sol", None),
        ("google:gemini-3.8-flash", "google", "gemini-3.8-flash", None),
        ("openai:Qwen/Qwen3-VL-8B@http://localhost:8000/v1", "openai", "Qwen/Qwen3-VL-8B", "http://localhost:8000/v1"),
        ("openai:m@1@http://[::1]:8000/v1", "openai", "m@1", "http://[::1]:8000/v1"),
        ("scripted:replies.json", "scripted", "replies.json", None),
        ("garbage", "garbage", "", None),
    ],
)
def test_names_are_taken_apart(name, provider, model, url):
    found = parse(name)
    assert (found.provider, found.model, found.base_url) == (provider, model, url)
    assert parse(str(found)) == found


@pytest.mark.parametrize("name", ["gpt-5", "mistral:x", "openai:", "", "openai:m@http://"])
def test_an_unknown_name_says_what_names_look_like(name):
    with pytest.raises(UserError, match="like"):
        parse(name)


@pytest.mark.parametrize("address", ["localhost:8000/v1", "localhost", "gpu1:8000", "127.0.0.1", "[::1]:80", "ftp://h"])
def test_an_address_without_its_scheme_is_refused_and_never_taken_for_a_model_of_the_cloud(address):
    with pytest.raises(UserError, match="no address of a model server; begin it with http"):
        parse(f"openai:m@{address}")


@pytest.mark.parametrize("provider", ["openai", "google", "anthropic"])
def test_a_missing_key_is_one_line_with_the_variable_to_set(provider, monkeypatch):
    for name in ("OPENAI_API_KEY", "GOOGLE_API_KEY", "GEMINI_API_KEY", "ANTHROPIC_API_KEY", "PLACECELL_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(BackendUnavailable, match="_API_KEY") as error:
        open_model(f"{provider}:some-model", Settings())
    assert error.value.exit_code == 3
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("provider", ["openai", "google", "anthropic"])
def test_a_cloud_model_opens_without_touching_the_network(provider, monkeypatch):
    for name in ("OPENAI_API_KEY", "GOOGLE_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.setenv(name, KEY)
    assert open_model(f"{provider}:some-model", Settings()).model_name == "some-model"


@pytest.mark.parametrize(
    ("url", "local"),
    [
        ("http://localhost:8000/v1", True),
        ("http://127.0.0.7/v1", True),
        ("http://[::1]:8/v1", True),
        ("http://localhost.example.com/v1", False),
        ("http://127.0.0.1.example.com/v1", False),
        ("http://0.0.0.0/v1", False),
        ("http://192.168.1.5/v1", False),
        ("https://user@api.openai.com/v1", False),
        ("http://127.0.0.1@example.com/v1", False),
    ],
)
def test_only_this_machine_is_local(url, local):
    assert is_loopback(url) is local


@pytest.mark.parametrize("name", ["openai:m", "google:m", "anthropic:m", "openai:m@http://192.168.1.5/v1"])
def test_offline_refuses_every_address_beyond_this_machine(name, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with pytest.raises(UserError, match="offline"):
        open_model(name, Settings(offline=True))
    monkeypatch.setenv("PLACECELL_OFFLINE", "1")
    with pytest.raises(UserError, match="offline"):
        open_model(name)


def test_offline_talks_to_a_server_of_this_machine():
    with OpenAIServer(said("A")) as server:
        assert talk_to(server.model, offline=True).ask("?") == "A"


def test_a_local_server_cannot_send_the_request_elsewhere():
    moved = Play(b"{}", 307, {"Location": "http://192.0.2.1/v1/chat/completions"})
    with OpenAIServer(moved) as server:
        failure = talk_to(server.model).ask("?")
    assert isinstance(failure, Failure)
    assert (failure.kind, len(server.requests)) == ("rejected", 1)


def test_a_proxy_does_not_see_what_is_meant_for_this_machine(monkeypatch):
    with OpenAIServer(said("A")) as server, OpenAIServer() as proxy:
        monkeypatch.setenv("HTTP_PROXY", proxy.url.removesuffix("/v1"))
        monkeypatch.setenv("ALL_PROXY", proxy.url.removesuffix("/v1"))
        assert talk_to(server.model).ask("?") == "A"
        assert proxy.requests == []


def test_a_providers_key_is_not_sent_to_another_server(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with OpenAIServer(said("A")) as server:
        talk_to(server.model).ask("?")
    assert KEY not in str(server.requests[0].headers)


def test_keys_never_reach_log_or_messages(monkeypatch, tmp_path):
    monkeypatch.setenv("PLACECELL_API_KEY", KEY)
    path = tmp_path / "run.jsonl"
    with OpenAIServer(status(401, f"the key {KEY} is wrong"), said(f"your key is {KEY}")) as server:
        use = Settings.of_environment(retries=0)
        assert KEY not in repr(use)
        with Log(path) as log:
            talk = Talk(Channel(open_model(server.model, use), use, Account(), log), "Answer.")
            failure = talk.ask(f"mine is {KEY}")
            talk.ask("And now?")
    assert KEY in str(server.requests[0].headers)  # it did go where it belongs
    assert KEY not in path.read_text()
    assert KEY not in str(failure)


def test_what_is_about_to_be_sent_is_in_the_log_before_it_is_sent():
    log, seen = Log(), []

    def look(received):
        seen.append([(p.width, p.height, p.media_type) for p in log.of(RequestEvent)[-1].pictures])
        return said("A")

    with OpenAIServer(look) as server:
        rgb = np.zeros((30, 40, 3), np.uint8)
        talk_to(server.model, log=log).ask("?", Shown(rgb, "a render"), Shown(rgb, "Image 1", image=1))
    assert seen == [[(40, 30, "image/png"), (40, 30, "image/jpeg")]]
    sent = [
        (media, picture.size)
        for (media, _), picture in zip(server.requests[0].encoded_pictures, server.requests[0].pictures, strict=True)
    ]
    assert sent == [("image/png", (40, 30)), ("image/jpeg", (40, 30))]


def test_pictures_arrive_as_they_were_and_no_larger_than_asked():
    rng = np.random.default_rng(0)
    rgb = rng.integers(0, 255, (300, 400, 3), dtype=np.uint8)
    with OpenAIServer(said("A")) as server:
        talk_to(server.model, picture_side=200).ask("?", Shown(rgb[:100, :120], "small"), Shown(rgb, "large"))
    small, large = server.requests[0].pictures
    assert np.array_equal(np.asarray(small), rgb[:100, :120])
    assert large.size == (200, 150)


@pytest.mark.parametrize("room", [*ROOMS.values(), Room(1024, 30_000, 90_000)])
def test_an_encoded_picture_keeps_within_what_the_provider_takes(room):
    noise = np.random.default_rng(1).integers(0, 255, (700, 900, 3), dtype=np.uint8)
    file = encode(Shown(noise, "noise"), room, room.request_bytes)
    assert len(file.data) * 4 / 3 <= room.picture_bytes
    assert file.media_type in ("image/png", "image/jpeg")
    assert Image.open(io.BytesIO(file.data)).size == (file.width, file.height)


def test_a_photo_is_encoded_once_for_all_who_show_it_and_forgotten_with_its_memory():
    read = []

    def pixels():
        read.append(1)
        return np.full((30, 40, 3), 7, np.uint8)

    photos = [Shown.of_frame(Frame(1, "a.jpg", "digest", 40, 30, pixels))]
    with ThreadPoolExecutor(8) as threads:
        sent = list(threads.map(lambda _: encode(photos[0], ANY_SERVER, 9_999), range(8)))
    assert len(set(sent)) == 1 and len(read) == 1
    small = encode(photos[0], Room(20, 9_999, 9_999), 9_999)
    assert Image.open(io.BytesIO(small.data)).size == (20, 15) and len(read) == 2
    gone = weakref.ref(photos.pop().source)
    gc.collect()
    assert gone() is None


def test_photos_that_no_request_has_shown_are_decoded_side_by_side_and_once(monkeypatch):
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    both = threading.Barrier(2)

    def pixels():
        both.wait(20)
        return np.full((30, 40, 3), 7, np.uint8)

    photos = [Shown.of_frame(Frame(number, "a.jpg", "digest", 40, 30, pixels)) for number in (1, 2)]
    prepare(photos, ANY_SERVER)
    both.abort()
    assert all(encode(photo, ANY_SERVER, 9_999) for photo in photos)


def test_too_many_bytes_are_refused_before_sending():
    with OpenAIServer() as server:
        talk = talk_to(server.model)
        talk.channel.room = Room(1024, 10_000, 500)
        noise = np.random.default_rng(1).integers(0, 255, (700, 900, 3), dtype=np.uint8)
        assert talk.ask("?", Shown(noise, "noise")).kind == "too large"
        assert server.requests == []


def test_the_same_request_is_paid_for_once(tmp_path):
    with OpenAIServer(said("A"), said("B")) as server:
        use = {"cache": tmp_path / "replies.sqlite"}
        assert talk_to(server.model, **use).ask("left or right?") == "A"
        again = talk_to(server.model, **use)
        assert again.ask("left or right?") == "A"
        assert again.channel.log.of(ReplyEvent)[0].cached
        assert (again.channel.account.spent.tokens, again.channel.account.spent.cached) == (0, 1)
        assert talk_to(server.model, **use).ask("up or down?") == "B"
        assert len(server.requests) == 2


CHANGES = {
    "another picture": ({}, lambda talk: talk.ask("?", Shown(np.ones((9, 9, 3), np.uint8), "p"))),
    "another caption": ({}, lambda talk: talk.ask("?", Shown(np.zeros((9, 9, 3), np.uint8), "q"))),
    "another seed": ({"seed": 1}, lambda talk: talk.ask("?", Shown(np.zeros((9, 9, 3), np.uint8), "p"))),
    "a longer reply": ({"max_tokens": 9}, lambda talk: talk.ask("?", Shown(np.zeros((9, 9, 3), np.uint8), "p"))),
    "a warm reply": ({"temperature": 0.7}, lambda talk: talk.ask("?", Shown(np.zeros((9, 9, 3), np.uint8), "p"))),
    "another kind of answer": ({}, lambda t: t.ask("?", Shown(np.zeros((9, 9, 3), np.uint8), "p"), output=Choice)),
}  # fmt: skip


@pytest.mark.parametrize("change", CHANGES)
def test_whatever_shapes_a_request_shapes_its_key(change, tmp_path):
    settings, again = CHANGES[change]
    with OpenAIServer(said("A"), said('{"letter": "B"}')) as server:
        cache = tmp_path / "replies.sqlite"
        talk_to(server.model, cache=cache).ask("?", Shown(np.zeros((9, 9, 3), np.uint8), "p"))
        again(talk_to(server.model, cache=cache, **settings))
        assert len(server.requests) == 2


@pytest.mark.parametrize("scene", [cut_off("The ans"), refused("no"), said(""), status(500)])
def test_failures_are_never_kept(scene, tmp_path):
    cache = tmp_path / "replies.sqlite"
    with OpenAIServer(scene, said("A")) as server:
        assert isinstance(talk_to(server.model, cache=cache).ask("?"), Failure)
        assert talk_to(server.model, cache=cache).ask("?") == "A"


def test_warm_replies_are_never_kept(tmp_path):
    cache = tmp_path / "replies.sqlite"
    with OpenAIServer(said("A"), said("B")) as server:
        assert [talk_to(server.model, cache=cache, temperature=0.7).ask("?") for _ in range(2)] == ["A", "B"]


@pytest.mark.parametrize(("name", "told"), [("gpt-5", False), ("gpt-4o", True)])
def test_a_model_that_reasons_is_told_no_temperature_and_not_cached(name, told, tmp_path):
    with OpenAIServer(said("A"), said("B")) as server:
        model = f"openai:{name}@{server.url}"
        replies = [talk_to(model, cache=tmp_path / "replies.sqlite").ask("?") for _ in range(2)]
        assert replies == (["A", "A"] if told else ["A", "B"])
        assert ("temperature" in server.requests[0].body) is told


def test_a_damaged_cache_is_named(tmp_path):
    cache = tmp_path / "replies.sqlite"
    cache.write_bytes(b"not a database, but long enough to be taken for one" * 10)
    with pytest.raises(UserError, match=r"replies\.sqlite"), OpenAIServer() as server:
        talk_to(server.model, cache=cache)


def test_an_unreadable_kept_reply_is_asked_for_again(tmp_path):
    cache = tmp_path / "replies.sqlite"
    with OpenAIServer(said("A"), said("A")) as server:
        talk_to(server.model, cache=cache).ask("?")
        with sqlite3.connect(cache) as c:
            c.execute("UPDATE replies SET reply = x'00'")
        c.close()
        assert talk_to(server.model, cache=cache).ask("?") == "A"


@pytest.mark.parametrize("structured", ["text", "tool", "native"])
def test_typed_output_is_asked_for_in_any_way_and_faults_go_back(structured):
    wrong, right = '{"letter": 5}', '{"letter": "B"}'
    if structured == "tool":
        scenes = called("final_result", wrong), called("final_result", right)
    else:
        scenes = said(wrong), said(right)
    with OpenAIServer(*scenes) as server:
        choice = talk_to(server.model, structured=structured).ask("?", output=Choice)
        assert choice == Choice(letter="B")
        assert "valid string" in str(server.requests[1].body)


def test_a_tool_is_called_and_its_result_told():
    def measure(thing: str) -> str:
        """Length of a thing."""
        return f"the {thing} is 2 m long"

    with OpenAIServer(called("measure", {"thing": "bed"}), said("2 m")) as server:
        talk = talk_to(server.model)
        assert talk.ask("How long is the bed?", tools=[Tool(measure)]) == "2 m"
        assert "the bed is 2 m long" in server.requests[1].text
    assert talk.channel.account.spent.calls == 2


def test_a_conversation_remembers_what_was_said_and_forgets_what_failed():
    with OpenAIServer(said("one"), said(""), said("three")) as server:
        talk = talk_to(server.model)
        talk.ask("first")
        assert talk.ask("second").kind == "empty"
        talk.ask("third")
        texts = server.requests[2].text
    assert "first" in texts
    assert "one" in texts
    assert "second" not in texts


LIMITS = {"calls": Limits(calls=1), "tokens": Limits(tokens=50), "pictures": Limits(pictures=1)}


@pytest.mark.parametrize("limit", LIMITS)
def test_a_limit_ends_a_conversation_before_it_is_passed(limit):
    pictures = [Shown(np.full((9, 9, 3), i, np.uint8), f"{i}") for i in range(2)]
    with OpenAIServer(said("A"), said("B")) as server:
        talk = talk_to(server.model, LIMITS[limit])
        assert talk.ask("?", pictures[0]) == "A"
        failure = talk.ask("?", pictures[1])
        assert (failure.kind, failure.stage) == ("budget", "budget")
        assert limit in failure.detail
        assert len(server.requests) == 1


def test_money_cannot_be_limited_where_no_price_is_known(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with pytest.raises(UserError, match="no price"):
        talk_to("openai:nobody-knows-this", Limits(usd=1.0))
    assert talk_to("openai:gpt-5", Limits(usd=1.0)).channel.free is False


def test_many_threads_talk_at_once():
    with OpenAIServer(forever=lambda received: said(received.text.rsplit("#", 1)[1])) as server:
        model, use, said_back = open_model(server.model, Settings()), Settings(), {}

        def work(number):
            talk = Talk(Channel(model, use, Account(), Log()))
            said_back[number] = talk.ask(f"say #{number}")

        threads = [threading.Thread(target=work, args=(n,)) for n in range(12)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert said_back == {n: str(n) for n in range(12)}


def test_a_pause_that_one_question_is_asked_for_holds_for_all():
    with OpenAIServer(status(429, retry_after_ms="400"), forever=said("A")) as server:
        use = Settings(retries=1)
        model = open_model(server.model, use)
        talks = [Talk(Channel(model, use, Account(), Log())) for _ in range(2)]
        thread = threading.Thread(target=talks[0].ask, args=("one",))
        thread.start()
        while not talks[0].channel.log.of(NoteEvent):  # until it knows that it must wait
            time.sleep(0.01)
        assert talks[1].ask("two") == "A"
        thread.join()
    turned_away, *others = server.requests
    assert len(others) == 2
    assert all(received.at - turned_away.at >= 0.3 for received in others)


def test_attempts_are_recorded_with_their_waits():
    with OpenAIServer(status(503), status(503), said("A")) as server:
        talk = talk_to(server.model, retries=2)
        assert talk.ask("?") == "A"
    assert [e.facts["attempt"] for e in talk.channel.log.of(NoteEvent)] == [1, 2]
