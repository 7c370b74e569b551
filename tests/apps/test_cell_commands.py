"""``placecell session`` and ``placecell run FILE.cells``: cells from a pipe and from a file."""

from __future__ import annotations

import io
import json
import signal
from pathlib import Path

import pytest
from PIL import Image
from typer.testing import CliRunner

from placecell.apps.cell_files import cells_of
from placecell.apps.cli import app
from placecell.apps.completing import completions
from placecell.apps.output import Output, end
from placecell.apps.repl import Repl, unfinished
from placecell.apps.session import _converse
from placecell.backends.synthetic.capture import default_views
from placecell.backends.synthetic.furnish import make_room
from placecell.backends.synthetic.perfect import perfect_memory
from placecell.engine.session import CellSession
from placecell.memory import storage

BEDS = 'beds = query_3d_object_location("bed")'


@pytest.fixture(scope="module")
def memory():
    room = make_room(3)
    return perfect_memory(room, default_views(room), size=(96, 72))


@pytest.fixture(scope="module")
def saved(memory, tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("cells") / "room.pcell"
    storage.save(memory, path)
    return path


def call(*arguments, typed="", code=0):
    result = CliRunner().invoke(app, [*map(str, arguments)], input=typed)
    assert result.exit_code == code, f"exit {result.exit_code}\n{result.output}\n{result.exception!r}"
    return result


def conversation(memory):
    heard, turns = [], []
    session = CellSession(memory)
    return Repl(session, heard.append, turns.append), heard, turns


def test_lines_from_a_pipe_are_cells_and_what_they_come_to_is_printed(saved, tmp_path):
    typed = f"{BEDS}\ncount(beds)\nmeasure_everything(beds)\nshot = photo_of(1)\nbeds\n:names\n"
    result = call("session", saved, "-o", tmp_path / "shots", typed=typed)
    assert "beds : instances = " in result.stdout
    assert "it1 : count = " in result.stdout
    assert "^^^" in result.stdout and "measure_everything" in result.stdout
    assert f"wrote {tmp_path / 'shots' / 'shot.png'}" in result.stderr
    with Image.open(tmp_path / "shots" / "shot.png") as image:
        assert image.size == (96, 72)


def test_a_log_that_cannot_be_written_is_refused_before_the_memory_is_opened(tmp_path):
    for place in (tmp_path, tmp_path / "file" / "log.jsonl"):
        (tmp_path / "file").write_text("")
        refused = call("session", "no-memory-is-here", "--log", place, typed=BEDS, code=2)
        assert f"{place}: " in refused.stderr and "choose another place for the log" in refused.stderr
    (tmp_path / "log.jsonl").write_text("an earlier log")
    call("session", "no-memory-is-here", "--log", tmp_path / "log.jsonl", code=2)
    assert (tmp_path / "log.jsonl").read_text() == "an earlier log"


def test_json_gives_one_record_a_cell_and_nothing_else(saved, tmp_path):
    result = call("session", saved, "--json", "-o", tmp_path, typed=f"{BEDS}\noops oops\n")
    records = [json.loads(line) for line in result.stdout.splitlines()]
    assert [(r["number"], r["accepted"]) for r in records] == [(1, True), (2, False)]


def test_a_log_is_written_and_runs_again_to_the_same(saved, tmp_path):
    log = tmp_path / "log.jsonl"
    call("session", saved, "--log", log, "-o", tmp_path, typed=f"{BEDS}\nnumber = count(beds)\n")
    assert "2 cells came out the same" in call("session", saved, "--replay", log).stdout
    rows = log.read_text().splitlines()
    rows[-1] = (
        rows[-1].replace('"number"', '"other"', 1)
        if '"number":2' not in rows[-1]
        else rows[-1].replace("count(", "len(")
    )
    log.write_text("\n".join(rows) + "\n")
    assert "cell 2 came out differently" in call("session", saved, "--replay", log, code=1).stdout


def test_the_cells_of_a_session_are_limited_when_asked(saved, tmp_path):
    result = call("session", saved, "--cells", 1, "-o", tmp_path, typed=f"{BEDS}\ncount(beds)\n", code=4)
    assert "the budget of 1 cells is used up" in result.stderr


def test_a_cell_of_several_lines_ends_at_an_empty_line(memory):
    talk, _, turns = conversation(memory)
    for line in (":cell", BEDS, "", "def far(o): return measure_distance(", "  o, o)", "", "# a remark", ""):
        assert talk.feed(line)
    assert [turn.accepted for turn in turns] == [True, True]
    assert turns[1].text.count("\n") == 1
    assert talk.feed(":cell") and talk.feed("number = count(beds)")
    talk.drop()
    assert talk.prompt == "> " and "number" not in talk.session.names
    assert not talk.feed(":quit")


def test_the_end_of_the_input_runs_what_was_typed_of_a_cell(memory):
    talk, _, turns = conversation(memory)
    talk.feed(":cell")
    talk.feed(BEDS)
    talk.end()
    assert turns[0].accepted


def test_commands_tell_names_budgets_cells_and_help(memory, tmp_path):
    talk, heard, _ = conversation(memory)
    talk.feed(BEDS)
    for command in (
        ":names",
        ":left",
        ":log",
        ":help",
        ":help photo_of",
        ":help count",
        ":help V401",
        ":cost n = count(beds)",
        ":cost n = 1 +",
        ":help x",
        ":fly",
    ):
        talk.feed(command)
    said = "\n".join(heard)
    for part in (
        "(cell 1)",
        "7 cells",
        "1: beds = ",
        "Ctrl-D",
        "photo_of(image) gives picture",
        "count(set)",
        "V401",
        "x is no",
    ):
        assert part in said, part
    assert heard[-1] == "there is no command :fly; :help lists them"
    talk.feed(f":log {tmp_path / 'log.jsonl'}")
    assert (tmp_path / "log.jsonl").exists()
    talk.feed(f":log {tmp_path}")
    assert "choose another place" in heard[-1]


@pytest.mark.parametrize(
    ("line", "first"),
    [
        ("measure_di", "measure_distance("),
        ("n = coun", "count_objects("),
        ('b = find("be', "bed"),
        ("be", "beds"),
        ("size.lo", "longest"),
        (":na", ":names"),
        ("nothing_like_this", None),
        ("unknown.f", None),
    ],
)
def test_completion_offers_names_operations_fields_objects_and_commands(memory, line, first):
    session = CellSession(memory)
    session.run(f'{BEDS}\nsize = measure_size(select_object(beds, by="largest"))')
    start, found = completions(line, session)
    assert (found[0] if found else None) == first
    assert all(word.startswith(line[start:]) for word in found)


@pytest.mark.parametrize("line", ["def f(o):", "x = [", "d = measure_distance(", "y = \\"])
def test_an_open_bracket_or_a_helper_without_body_goes_on(line):
    assert unfinished(line)
    assert not unfinished(BEDS)


def test_a_file_of_cells_runs_into_a_folder_with_pictures_and_log(saved, tmp_path):
    file = tmp_path / "beds.cells"
    file.write_text(
        f"# how many\n{BEDS}\n\n---\nnumber = count(beds)\nshot = photo_of(1)\n"
        "-----\n# nothing here\n---\nanswer(number)\n"
    )
    result = call("run", file, saved, "-o", tmp_path / "out")
    assert "answer: " in result.stdout
    assert (tmp_path / "out" / "shot.png").exists()
    assert len((tmp_path / "out" / "session.jsonl").read_text().splitlines()) == 4


def test_a_file_stops_at_the_first_cell_that_is_not_accepted_and_names_the_line(saved, tmp_path):
    file = tmp_path / "beds.cells"
    file.write_text(f"{BEDS}\n---\nnumber = count(beds)\nwrong = count(never_bound)\n---\nanswer(number)\n")
    result = call("run", file, saved, "-o", tmp_path / "out", code=1)
    assert f"{file}:4:" in result.stdout and "answer" not in result.stdout
    records = [
        json.loads(line)
        for line in call("run", file, saved, "--json", "-o", tmp_path / "out", code=1).stdout.splitlines()
    ]
    assert records[-1]["line"] == 4


def test_a_file_without_cells_is_refused(saved, tmp_path):
    file = tmp_path / "none.cells"
    file.write_text("# nothing\n---\n\n")
    assert "holds no cell" in call("run", file, saved, "-o", tmp_path / "out", code=2).stderr


def test_cells_of_a_text_know_their_lines():
    found = cells_of("a = 1\n---\n\n# only a remark\n--- \nb = 2\nc = 3")
    assert [(c.text, c.first_line) for c in found] == [("a = 1", 1), ("b = 2\nc = 3", 6)]


def test_asking_by_cells_needs_no_model(saved):
    result = call("ask", saved, "How many beds are there?", "--strategy", "cells", "--json")
    answer = json.loads(result.stdout)
    assert answer["value"] == 1 or answer["value"] > 0
    assert answer["usage"]["calls"] == 0


def test_what_fails_after_a_cell_was_dropped_is_told_as_what_it_is(memory, monkeypatch, capsys):
    def show(turn):
        if turn.number == 1:
            signal.raise_signal(signal.SIGINT)
        raise RuntimeError("a bug")

    out = Output()
    talk = Repl(CellSession(memory), out.text, show)
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{BEDS}\nnumber = count(beds)\n"))
    with pytest.raises(RuntimeError, match="a bug"):
        end(lambda: _converse(out, talk), out, debug=False)
    assert "dropped" in capsys.readouterr().err
