"""The event log: nothing is lost, nothing secret is kept, nothing half-written is believed."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
from hashlib import sha256

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image
from trace_logs import fill, picture

from placecell.agents.events import CallPart, FailureEvent, NoteEvent, QuestionEvent, ReplyEvent, TextPart
from placecell.agents.image_file import ImageFile
from placecell.agents.log import Log, Unread
from placecell.agents.redaction import _PATTERNS, redactor
from placecell.errors import UserError

KEY = "sk-proj-abcdefghijklmnop123456"


def note(text, **facts):
    return NoteEvent(text=text, facts=facts)


def test_every_kind_of_event_survives_the_file(tmp_path):
    with Log(tmp_path / "run.jsonl") as log:
        fill(log)
        fill(log)
    again = Log.read(tmp_path / "run.jsonl")
    assert again.events == log.events
    assert len({type(e) for e in again.events}) == 11
    assert [e.n for e in again.events] == list(range(1, len(log.events) + 1))
    assert again.questions == 2 and {e.question for e in again.only(2).events} == {2}
    for request in again.of(type(log.events[2])):
        assert all(again.data(p.digest) == log.data(p.digest) for p in request.pictures)


@given(st.text(), st.dictionaries(st.text(), st.none() | st.booleans() | st.integers() | st.floats() | st.text()))
def test_any_text_and_any_facts_can_be_recorded(text, facts):
    log = Log()
    kept = log.add(NoteEvent(text=text, facts=facts))
    assert json.loads(json.dumps(kept.model_dump(mode="json"), allow_nan=False))["kind"] == "note"


def test_half_a_surrogate_pair_from_a_model_does_not_stop_the_log(tmp_path):
    with Log(tmp_path / "run.jsonl") as log:
        log.add(ReplyEvent(call=1, parts=(TextPart(text="a\ud800b"), CallPart(name="\udfff", arguments="{"))))
    assert Log.read(tmp_path / "run.jsonl").events == log.events


def test_a_picture_is_kept_once(tmp_path):
    with Log(tmp_path / "run.jsonl") as log:
        first, second = picture(log, 5, caption="a"), picture(log, 5, caption="b")
        assert first.digest == second.digest and (first.width, first.height) == (16, 12)
    assert (tmp_path / "run.jsonl").read_text().count(first.digest) == 1


def test_bytes_of_a_picture_are_kept_as_they_were_sent():
    log = Log()
    file = ImageFile.of(Image.fromarray(np.zeros((4, 5, 3), np.uint8)), "JPEG", quality=50)
    kept = log.picture(file)
    assert log.data(kept.digest) == file.data and kept.digest == sha256(file.data).hexdigest()
    assert (kept.media_type, kept.bytes, kept.width, kept.height) == ("image/jpeg", len(file.data), 5, 4)
    with pytest.raises(UserError):
        log.data("0" * 64)


def test_a_log_nobody_reads_names_pictures_as_any_other_and_keeps_nothing():
    unread, shade = Unread(), np.full((8, 8, 3), 9, np.uint8)
    ref = unread.picture(shade, caption="a")
    assert ref == Log().picture(shade, caption="a")
    assert unread.add(note("x")) == note("x") and unread.events == ()
    with pytest.raises(UserError):
        unread.data(ref.digest)


@pytest.mark.parametrize(
    "secret",
    [
        KEY,
        "AIzaSyA1234567890abcdefghijklmnopqrstuv",
        "hf_abcdefghijklmnopqrstuv",
        "Bearer eyJhbGciOiJIUzI1NiJ9.e30.abc",
        "http://me:hunter2hunter2@localhost:8000/v1",
        '{"api_key": "aVerySecretValue1"}',
        "https://host/v1?api_key=aVerySecretValue1&x=1",
    ],
)
def test_what_looks_like_a_key_is_never_kept(secret, tmp_path):
    with Log(tmp_path / "run.jsonl") as log:
        log.add(FailureEvent(stage="model", reason=f"401: {secret} was refused"))
        log.add(note("x", headers={secret: [secret]}))
        log.add(QuestionEvent(text=secret, strategy="direct", model="m", limits={"a": secret}))
    text = (tmp_path / "run.jsonl").read_text()
    bare = secret.split("Bearer ")[-1]
    assert bare not in text and "hunter2" not in text and "aVerySecret" not in text
    assert "key removed" in text and "was refused" in text
    assert not any(bare in str(e) for e in log.events)


def test_the_value_of_a_key_in_the_environment_is_never_kept(monkeypatch):
    monkeypatch.setenv("SOME_PROVIDER_API_KEY", "plain.words-without/pattern")
    log = Log()
    kept = log.add(note("the server said plain.words-without/pattern is wrong"))
    assert kept.text == "the server said [key removed] is wrong"


@settings(max_examples=60)
@given(st.sampled_from(_PATTERNS).flatmap(lambda known: st.tuples(st.just(known[0]), st.from_regex(known[1]))))
def test_every_key_holds_one_of_the_marks_that_are_looked_for_first(marks_and_text):
    marks, text = marks_and_text
    assert any(mark in text.casefold() for mark in marks)


@pytest.mark.parametrize(
    "plain",
    [
        "Where is the sk-lamp?",
        "the api key is missing",
        "task-123",
        "token budget: 50000",
        "https://localhost:8000/v1",
        "PLACECELL_API_KEY is not set",
    ],
)
def test_plain_words_stay(plain):
    assert redactor()(plain) == plain


KILLED = """
import os, signal, sys
from pathlib import Path
import numpy as np
from placecell.agents.events import NoteEvent
from placecell.agents.log import Log
log = Log(Path(sys.argv[1]))
for n in range(1000):
    log.picture(np.full((8, 8, 3), n % 256, np.uint8))
    log.add(NoteEvent(text=str(n)))
    print(n, flush=True)
    if n == 40:
        os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_killed_process_keeps_everything_it_had_finished(tmp_path):
    path = tmp_path / "run.jsonl"
    done = subprocess.run([sys.executable, "-c", KILLED, str(path)], capture_output=True, text=True, check=False)
    assert done.returncode == -signal.SIGKILL
    assert [e.text for e in Log.read(path).events] == done.stdout.split()
    torn = path.read_bytes() + b'{"n":42,"question":0,"at":1.0,"kind":"no'
    path.write_bytes(torn)
    assert len(Log.read(path).events) == 41


def test_damage_before_the_end_is_named_by_its_line(tmp_path):
    path = tmp_path / "run.jsonl"
    with Log(path) as log:
        log.add(note("one"))
        log.add(note("two"))
    lines = path.read_text().splitlines()
    path.write_text("\n".join([lines[0], lines[1][:-5], lines[2], ""]))
    with pytest.raises(UserError, match="line 2"):
        Log.read(path)
    path.write_text("\n".join([lines[0], lines[1].replace('"note"', '"nota"'), ""]))
    with pytest.raises(UserError, match="event 1"):
        Log.read(path)


@pytest.mark.parametrize(
    ("before", "after"),
    [('"digest":"', '"digest":"0'), ('"data":"', '"data":"A'), ('"data"', '"date"')],
)
def test_a_picture_that_was_changed_is_not_believed(tmp_path, before, after):
    path = tmp_path / "run.jsonl"
    with Log(path) as log:
        picture(log, 1)
    path.write_text(path.read_text().replace(before, after))
    with pytest.raises(UserError, match="damaged"):
        Log.read(path)


@pytest.mark.parametrize("text", ["", "hello", '{"kind":"log","version":99}\n', '{"kind":"note"}\n', "[1]\n"])
def test_what_is_no_log_is_said_to_be_none(tmp_path, text):
    path = tmp_path / "run.jsonl"
    path.write_text(text)
    with pytest.raises(UserError, match=r"run\.jsonl"):
        Log.read(path)
    with pytest.raises(UserError):
        Log.read(tmp_path / "missing.jsonl")


def test_a_log_that_cannot_be_written_says_so_at_once(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match="choose another place"):
        Log(tmp_path / "file" / "run.jsonl")


def test_threads_share_a_log_without_losing_or_mixing_lines(tmp_path):
    with Log(tmp_path / "run.jsonl") as log:

        def work(part):
            for n in range(50):
                part.add(note(f"{part.asking} {n}"))

        threads = [threading.Thread(target=work, args=(log.asking(),)) for _ in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
    again = Log.read(tmp_path / "run.jsonl")
    assert again.events == log.events and len(again.events) == 200
    assert [len(again.only(q).events) for q in (1, 2, 3, 4)] == [50] * 4


def test_events_cannot_be_changed():
    kept = Log().add(note("a"))
    with pytest.raises(ValueError, match="frozen"):
        kept.text = "b"
