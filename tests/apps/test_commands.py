"""The commands on a photographed room, from files to answers, as a person would run them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image
from typer.testing import CliRunner

from placecell.apps.cli import app
from placecell.backends.synthetic.capture import default_views, make_room, photograph, write_capture

SIZE = (160, 120)


def _run(*arguments, code=0) -> list[dict]:
    result = CliRunner().invoke(app, [*map(str, arguments), "--json"])
    assert result.exit_code == code, f"exit {result.exit_code}\n{result.output}\n{result.exception!r}"
    return [json.loads(line) for line in result.stdout.splitlines()]


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("commands")


@pytest.fixture(scope="module")
def memory(folder) -> Iterator[Path]:
    """A room of files, built by the command, with one photo damaged."""
    room = make_room(3)
    capture = folder / "capture"
    write_capture(photograph(room, default_views(room), size=SIZE, lit=False), capture)
    broken = capture / "frame-000002.color.png"
    broken.write_bytes(broken.read_bytes()[:100])
    path = folder / "room.pcell"
    record = _run("build", capture, "-o", path, "--labels", capture / "labels")[0]
    assert [s["name"] for s in record["skipped"]] == ["frame-000002.color.png"]
    yield path


def test_info_counts_what_was_built_and_keeps_the_numbers_of_the_files(memory):
    info = _run("info", memory)[0]
    assert info["frames"] == len(info["frame_list"]) == 23
    assert info["scale"]["kind"] == "metric"
    assert info["extent_m"] == info["extent"]
    assert sum(info["objects"].values()) > 10
    numbers = {f["name"]: f["number"] for f in info["frame_list"]}
    assert numbers["frame-000000.color.png"] == 1
    assert len(set(numbers.values())) == 23


def test_strict_fails_on_the_damaged_photo_and_names_it(memory, folder):
    arguments = ["build", folder / "capture", "-o", folder / "strict.pcell", "--strict"]
    result = CliRunner().invoke(app, list(map(str, arguments)))
    assert result.exit_code == 2
    assert "frame-000002.color.png" in result.stderr
    assert not (folder / "strict.pcell").exists()


def test_one_question_is_answered_with_its_program_and_a_trace(memory, folder):
    trace = folder / "why.html"
    answer = _run("ask", memory, "How many beds are there?", "--trace", trace)[0]
    assert answer["value"] == _run("info", memory)[0]["objects"]["bed"]
    assert "count_objects" in answer["program"]
    assert answer["trace"] == str(trace)
    html = trace.read_text(encoding="utf-8")
    assert "How many beds are there?" in html
    assert "http://" not in html
    assert "https://" not in html


def test_many_questions_keep_their_ids_and_an_unknown_one_abstains(memory, folder):
    questions = folder / "questions.jsonl"
    asked = [{"id": "a", "question": "How many beds are there?"}, {"id": 7, "question": "Why do people dream?"}]
    questions.write_text("\n".join(map(json.dumps, asked)))
    first, second = _run("ask", memory, "--questions", questions)
    assert (first["id"], second["id"]) == ("a", 7)
    assert not first["abstained"]
    assert second["abstained"]
    assert second["reason"].startswith("not understood")


def test_a_questions_file_without_questions_is_refused(memory, folder):
    questions = folder / "none.jsonl"
    questions.write_text("\n")
    result = CliRunner().invoke(app, ["ask", str(memory), "--questions", str(questions)])
    assert result.exit_code == 2
    assert "holds no questions" in result.stderr


def test_a_faulty_questions_file_is_named_with_its_line(memory, folder):
    questions = folder / "faulty.jsonl"
    questions.write_text('{"id": 1, "question": "How many beds?"}\n{"id": 2}\n')
    result = CliRunner().invoke(app, ["ask", str(memory), "--questions", str(questions)])
    assert result.exit_code == 2
    assert "line 2" in result.stderr


def test_a_program_runs_into_a_folder_with_its_pictures(memory, folder):
    program = folder / "plan.py"
    program.write_text(
        "def plan(images):\n"
        "    memory = build_static_memory(images)\n"
        "    here = query_camera_pose(memory, image=1)\n"
        "    set_viewpoint(memory, at=here)\n"
        "    view = render_egocentric(memory)\n"
        '    beds = query_3d_object_location(memory, "bed")\n'
        "    return [view, count_objects(memory, beds)]\n"
    )
    manifest = _run("run", program, memory, "-o", folder / "out")[0]
    picture = folder / "out" / manifest["values"][0]["picture"]
    with Image.open(picture) as image:
        assert image.getbands() == ("R", "G", "B")
    assert json.loads((folder / "out" / "manifest.json").read_text())["values"] == manifest["values"]


@pytest.mark.parametrize("mode", ["ego", "global", "bev", "semantic"])
def test_a_picture_comes_with_its_exact_camera(memory, folder, mode):
    path = folder / f"{mode}.png"
    record = _run("render", memory, "--camera", 2, "--mode", mode, "-o", path, "--size", 256)[0]
    sidecar = json.loads(path.with_suffix(".json").read_text())
    assert {"width", "height", "K", "world_from_cam", "mode", "azimuth", "elevation", "anchor"} <= sidecar.keys()
    assert sidecar["mode"] == mode
    assert sidecar["anchor"] == 2
    assert record["picture"] == str(path)
    with Image.open(path) as picture:
        assert picture.size == (sidecar["width"], sidecar["height"])


def test_building_twice_gives_the_same_bytes(memory, folder):
    again = folder / "again.pcell"
    _run("build", folder / "capture", "-o", again, "--labels", folder / "capture" / "labels")
    assert again.read_bytes() == memory.read_bytes()


def test_the_demo_answers_every_family_right(tmp_path):
    rows = _run("demo", "--out", tmp_path / "demo")
    assert len(rows) >= 12
    assert len({row["family"] for row in rows}) >= 12
    assert [row for row in rows if not row["right"]] == []
    for name in ("demo.png", "trace.html", "room.pcell"):
        assert (tmp_path / "demo" / name).is_file()
