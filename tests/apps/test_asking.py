"""``placecell ask`` with models, budgets and logs, and ``placecell trace`` over what was recorded; doubles only."""

from __future__ import annotations

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from placecell.apps.cli import app
from placecell.geometry.boxes import OrientedBox
from placecell.geometry.camera import Camera
from placecell.geometry.cloud import Cloud
from placecell.geometry.transforms import look_at
from placecell.memory import storage
from placecell.memory.scene import Alignment, Frame, Instance, InstanceView, Provenance, Scale, SpatialMemory

HOW_FAR = "What is the distance between the table and the lamp in meters?"
UNCLEAR = "Which of these would a cat like most?"
OPTIONS = ["--option", "A. table", "--option", "B. lamp"]


def run(*arguments, code=0):
    result = CliRunner().invoke(app, [str(a) for a in arguments])
    assert result.exit_code == code, f"exit {result.exit_code}\n{result.output}\n{result.exception!r}"
    return result


def records(*arguments, code=0):
    return [json.loads(line) for line in run(*arguments, "--json", code=code).stdout.splitlines()]


@pytest.fixture(scope="module")
def memory(tmp_path_factory):
    """Two photos of a table and a lamp, 1.5 m apart, on file."""
    things = []
    for number, (name, x) in enumerate((("table", -1.0), ("lamp", 1.0)), 1):
        box = OrientedBox(np.array([x, 0.5, 0.0]), np.eye(3), np.array([0.5, 1.0, 0.5]))
        things.append(Instance(number, name, box, box, views=(InstanceView(1, 50, (0, 0, 10, 10)),)))
    photos = [np.full((48, 64, 3), shade, np.uint8) for shade in (90, 120)]
    cameras = [Camera.from_fov(70, 64, 48, look_at(np.array([x, 1.5, 3.0]), np.array([x, 1.0, 0.0]))) for x in (0, 1)]
    frames = [
        Frame(n, f"{n}.png", str(n), 64, 48, lambda photo=photo: photo, camera)
        for n, (photo, camera) in enumerate(zip(photos, cameras, strict=True), 1)
    ]
    scene = SpatialMemory(
        frames=tuple(frames),
        cloud=Cloud.of_points(np.zeros((0, 3))),
        scale=Scale("metric", "user", 0.0),
        alignment=Alignment(np.eye(4), "by hand"),
        provenance=Provenance("by hand", "0"),
        instances=tuple(things),
        vocabulary=frozenset({"table", "lamp"}),
    )
    path = tmp_path_factory.mktemp("asking") / "room.pcell"
    storage.save(scene, path, overwrite=True)
    return path


@pytest.fixture
def script(tmp_path):
    """Makes a model that plays these lines."""

    def make(*lines):
        path = tmp_path / "script.json"
        path.write_text(json.dumps(lines))
        return f"scripted:{path}"

    return make


def test_a_model_answers_where_the_rules_do_not_and_its_usage_is_in_the_record(memory, script):
    (rules,) = records("ask", memory, UNCLEAR, *OPTIONS)
    assert rules["abstained"] and rules["usage"]["calls"] == 0
    model = script("hm", "hm", "hm", "Answer: B. lamp")
    (answer,) = records("ask", memory, UNCLEAR, *OPTIONS, "--model", model)
    assert (answer["letter"], answer["method"]) == ("B", "vlm")
    usage = answer["usage"]
    assert usage["calls"] == 4 and usage["tokens"] == usage["input_tokens"] + usage["output_tokens"] > 0
    assert usage["pictures_sent"] == 2 and usage["usd"] == 0


def test_auto_asks_the_rules_first(memory, script):
    model = "auto:" + script("never asked")
    (answer,) = records("ask", memory, HOW_FAR, "--model", model)
    assert answer["value"] == 1.5 and answer["usage"]["calls"] == 0
    assert answer["method"] == "geometry"


def test_auto_never_chooses_a_model_by_itself(memory, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-aaaaaaaaaaaaaaaaaaaaaaaa")
    assert "auto" in run("ask", memory, HOW_FAR, "--model", "auto", code=2).stderr


def test_an_exhausted_budget_is_exit_4_and_the_record_says_which(memory, script):
    model = script("hm", "hm", "hm", "Answer: B")
    (answer,) = records("ask", memory, UNCLEAR, "--model", model, "--budget", "calls=2,tokens=none", code=4)
    assert answer["stage"] == "budget" and "2 calls" in answer["reason"] and answer["usage"]["calls"] == 2


@pytest.mark.parametrize(
    ("budget", "says"),
    [("call=1", "unknown limit 'call'"), ("calls=few", "'few' is no number"), ("seconds=-1", "makes no sense")],
)
def test_a_faulty_budget_is_exit_2_and_named(memory, budget, says):
    assert says in run("ask", memory, HOW_FAR, "--budget", budget, code=2).stderr


def test_a_model_that_cannot_be_reached_is_exit_1_with_its_record(memory, script):
    (answer,) = records("ask", memory, UNCLEAR, "--model", script({"status": 401}), code=1)
    assert answer["stage"] == "model" and "401" in answer["reason"]


@pytest.mark.parametrize("strategy", ["program", "direct", "explore", "primitives", "imagine"])
def test_replies_without_an_answer_are_no_failure_of_the_command_whatever_the_strategy(memory, strategy):
    (answer,) = records("ask", memory, UNCLEAR, *OPTIONS, "--strategy", strategy, "--model", "garbage", code=0)
    assert answer["abstained"] and answer["stage"] == "answer"


def test_a_missing_key_is_exit_3_and_names_the_variable(memory, monkeypatch):
    for name in ("OPENAI_API_KEY", "PLACECELL_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    assert "OPENAI_API_KEY" in run("ask", memory, UNCLEAR, "--model", "openai:m", code=3).stderr


@pytest.mark.parametrize("way", ["option", "variable"])
def test_offline_refuses_a_cloud_model_before_anything_is_sent(memory, monkeypatch, way):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-aaaaaaaaaaaaaaaaaaaaaaaa")
    if way == "variable":
        monkeypatch.setenv("PLACECELL_OFFLINE", "1")
    offline = ["--offline"] if way == "option" else []
    assert "offline" in run("ask", memory, UNCLEAR, "--model", "openai:m", *offline, code=2).stderr


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--strategy", "guess"], "unknown strategy 'guess'"),
        (["--model", "gpt"], "unknown model 'gpt'"),
        (["--strategy", "explore"], "needs a model"),
        (["--set", "rounds"], "not NAME=VALUE"),
        (["--strategy", "explore", "--model", "garbage", "--set", "round=3"], "no option 'round'"),
    ],
)
def test_what_cannot_be_asked_is_exit_2_with_the_next_step(memory, arguments, says):
    assert says in run("ask", memory, HOW_FAR, *arguments, code=2).stderr


def test_a_garbage_model_fails_cleanly(memory):
    (answer,) = records("ask", memory, UNCLEAR, *OPTIONS, "--model", "garbage")
    assert answer["abstained"] and answer["reason"]


def test_a_run_is_recorded_shown_replayed_and_compared(memory, script, tmp_path):
    log, page, again = tmp_path / "run.jsonl", tmp_path / "run.html", tmp_path / "again.jsonl"
    questions = tmp_path / "questions.jsonl"
    asked = [{"id": 1, "question": HOW_FAR}, {"id": 2, "question": UNCLEAR, "options": ["table", "lamp"]}]
    questions.write_text("\n".join(map(json.dumps, asked)))
    model = "auto:" + script("hm", "hm", "hm", "Answer: lamp")
    records("ask", memory, "--questions", questions, "--model", model, "--log", log, "--trace", page)
    assert UNCLEAR in page.read_text(encoding="utf-8")

    shown = records("trace", "show", log)
    assert [r["question"] for r in shown] == [HOW_FAR, UNCLEAR] and [r["calls"] for r in shown] == [0, 4]
    run("trace", "show", log, "--question", 2, "--html", tmp_path / "two.html")
    assert HOW_FAR not in (tmp_path / "two.html").read_text(encoding="utf-8")

    assert [r["same"] for r in records("trace", "replay", log, memory, "--log", again)] == [True, True]
    assert "2 of 2 questions went the same way" in run("trace", "diff", log, again).stdout

    other = tmp_path / "other.jsonl"
    records(
        "ask",
        memory,
        "--questions",
        questions,
        "--model",
        "auto:" + script("hm", "hm", "hm", "Answer: table"),
        "--log",
        other,
    )
    differing = run("trace", "diff", log, other, code=1).stdout
    assert '"Answer: lamp" | "Answer: table"' in differing and "answer: B. lamp | A. table" in differing


def test_a_replay_over_another_memory_is_exit_1_or_says_which_request_differs(memory, tmp_path):
    log = tmp_path / "run.jsonl"
    records("ask", memory, HOW_FAR, "--log", log)
    moved = tmp_path / "moved.pcell"
    scene = storage.load(memory)
    box = OrientedBox(np.array([2.0, 0.5, 0.0]), np.eye(3), np.array([0.5, 1.0, 0.5]))
    lamp = Instance(2, "lamp", box, box, views=scene.instances[1].views)
    storage.save(scene.changed("moved", "the lamp", instances=(scene.instances[0], lamp)), moved, overwrite=True)
    assert "another answer: answer was" in run("trace", "replay", log, moved, code=1).stdout


def test_a_file_that_is_no_log_is_exit_2(memory, tmp_path):
    (tmp_path / "no.jsonl").write_text('{"id": 1}\n')
    for arguments in (["show"], ["diff", tmp_path / "no.jsonl"], ["replay", memory]):
        assert "not a placecell log" in run("trace", arguments[0], tmp_path / "no.jsonl", *arguments[1:], code=2).stderr


@pytest.mark.parametrize(
    ("format", "schema"), [("openai", None), ("anthropic", "input_schema"), ("mcp", "inputSchema")]
)
def test_operations_are_printed_as_tools(format, schema):
    printed = json.loads(run("tools", "--format", format).stdout)
    assert len(printed) == len(records("tools", "--format", format)) >= 20
    for tool in printed:
        assert (tool["function"]["parameters"] if schema is None else tool[schema])["type"] == "object"
    assert "measure_distance" in json.dumps(printed)
    assert "no operation" in run("tools", "--name", "fly", code=2).stderr


def test_doctor_names_keys_and_servers_but_never_their_secrets(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-aaaaaaaaaaaaaaaaaaaaaaaa")
    monkeypatch.setenv("PLACECELL_BASE_URL", "http://me:verysecretword@localhost:8000/v1")
    monkeypatch.setenv("PLACECELL_OFFLINE", "1")
    said = run("doctor").stdout
    assert "OPENAI_API_KEY set" in said and "sk-aaaa" not in said and "verysecretword" not in said
    assert "on this machine" in said and "offline" in said
    assert "pydantic-ai" in said


def test_no_interval_is_shown_where_nothing_states_an_error(memory):
    (told,) = records("ask", memory, "How far is the table from the lamp in metres?")
    assert told["interval"] == [1.5, 1.5]
    assert run("ask", memory, "How far is the table from the lamp in metres?").stdout.startswith("1.5 m  (confidence")
