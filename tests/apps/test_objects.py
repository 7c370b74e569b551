"""`objects` and `scale` as a person runs them: lists, corrections that are all made or none, and known lengths."""

from __future__ import annotations

import hashlib
import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import ExifTags, Image
from typer.testing import CliRunner

from placecell import api
from placecell.apps.changes import read_changes
from placecell.apps.cli import app
from placecell.backends.synthetic.capture import default_views
from placecell.backends.synthetic.furnish import make_room
from placecell.backends.synthetic.perfect import perfect_memory
from placecell.errors import UserError
from placecell.memory import storage
from placecell.memory.rescale import rescaled
from placecell.memory.scene import Scale


def run(*arguments, code=0) -> list[dict]:
    result = CliRunner().invoke(app, [*map(str, arguments), "--json"])
    assert result.exit_code == code, f"exit {result.exit_code}\n{result.output}\n{result.exception!r}"
    return [json.loads(line) for line in result.stdout.splitlines()]


def said(*arguments, code=0) -> tuple[str, str]:
    result = CliRunner().invoke(app, list(map(str, arguments)))
    assert result.exit_code == code, f"exit {result.exit_code}\n{result.output}\n{result.exception!r}"
    return result.stdout, result.stderr


@pytest.fixture(scope="module")
def saved(tmp_path_factory) -> Path:
    """A room with an office's things: two desks, two chairs, two monitors, one door and more."""
    path = tmp_path_factory.mktemp("objects") / "office.pcell"
    room = make_room(5)
    storage.save(perfect_memory(room, default_views(room), size=(64, 48)), path)
    return path


@pytest.fixture
def office(saved, tmp_path) -> Path:
    return Path(shutil.copy(saved, tmp_path / "office.pcell"))


def ids(path, name):
    return [i.id for i in storage.load(path).instances if i.name == name]


def test_objects_are_listed_with_place_size_and_views(office):
    listed = run("objects", office)
    assert len(listed) == len(storage.load(office).instances)
    door = next(r for r in listed if r["name"] == "door")
    low, high = door["size"]["height"]["interval"]
    assert low <= door["size"]["height"]["value"] <= high and door["unit"] == "m"
    assert door["images"] and door["certain"] and door["confidence"] == 1.0
    text, _ = said("objects", office)
    assert "monitor" in text and "width x depth x height (m" in text


def test_names_choose_and_what_is_missing_says_why(office):
    listed = run("objects", office, "desks", "piano", "sofa", "office chair")
    assert [r["id"] for r in listed if "id" in r] == ids(office, "desk")
    states = {r["name"]: r["state"] for r in listed if "state" in r}
    assert states == {"piano": "unknown", "sofa": "absent", "office chair": "unknown"}
    text, _ = said("objects", office, "piano")
    assert "nobody looked for it" in text


def test_corrections_are_recorded_saved_and_can_be_undone(office):
    first, second = ids(office, "chair")
    (plant,) = ids(office, "plant")
    records = run("objects", office, "--merge", f"{first}+{second}", "--rename", "door=gate", "--remove", f"#{plant}")
    assert [r["action"] for r in records if "action" in r] == ["rename all", "merge", "remove"]
    assert len(ids(office, "chair")) == 1 and len(ids(office, "gate")) == 1
    info = run("info", office)[0]
    assert info["version"] == 4 and [e["action"] for e in info["edits"]] == ["rename all", "merge", "remove"]
    assert run("ask", office, "How many chairs are there?")[0]["value"] == 1
    for _ in range(3):
        run("objects", office, "--undo")
    assert ids(office, "chair") == [first, second] and ids(office, "door")
    assert run("ask", office, "How many chairs are there?")[0]["value"] == 2


def test_all_changes_are_made_or_none(office):
    before = office.read_bytes()
    _, error = said("objects", office, "--rename", "door=gate", "--remove", "999", code=2)
    assert "no object 999" in error
    assert office.read_bytes() == before


def test_a_changed_memory_can_go_to_another_file(office, tmp_path):
    before = office.read_bytes()
    run("objects", office, "--split", f"{ids(office, 'desk')[0]}=2", "-o", tmp_path / "new.pcell")
    assert office.read_bytes() == before
    assert len(ids(tmp_path / "new.pcell", "desk")) == 3
    assert "nothing to write" in said("objects", office, "-o", tmp_path / "x.pcell", code=2)[1]


def test_objects_are_added_by_box_and_by_what_a_photo_shows(office):
    view = max(((v, i) for i in storage.load(office).instances for v in i.views), key=lambda pair: pair[0].pixels)[0]
    where = ",".join(map(str, view.bbox))
    run("objects", office, "--add", "lamp=1,0.5,2,0.2,1.0,0.3,90", "--add", f"wide thing@{view.frame}={where}")
    memory = storage.load(office)
    lamp, wide = memory.instances[-2:]
    assert (lamp.name, wide.name) == ("lamp", "wide thing")
    np.testing.assert_allclose(lamp.centre, (1, 0.5, 2))
    np.testing.assert_allclose(np.ptp(lamp.box.corners, axis=0), (0.3, 1.0, 0.2), atol=1e-9)
    assert view.frame in {v.frame for v in wide.views}


@pytest.mark.parametrize(
    ("option", "text"),
    [
        ("rename", "4"),
        ("rename", "=x"),
        ("split", "4=many"),
        ("split", "4=w2"),
        ("add", "lamp"),
        ("add", "lamp=1,2,3"),
        ("add", "lamp=1,2,3,-1,1,1"),
        ("add", "lamp@3=1,2,3"),
        ("add", "lamp@3=a,b,c,d"),
        ("add", "lamp=1,2,3,1,1,1;2"),
    ],
)
def test_a_change_that_cannot_be_read_is_refused_before_any_is_made(option, text):
    wishes = {"rename": [], "merge": [], "split": [], "remove": [], "add": [], option: [text]}
    with pytest.raises(UserError):
        read_changes(undo=False, **wishes)


def test_a_source_is_never_written_over(tmp_path):
    box = {"category": "chair", "center": [0, 0, 0], "size": [1, 1, 1], "axes": np.eye(3).tolist(), "duplicate": False}
    file = tmp_path / "scenes.jsonl"
    scene = {"dataset": "own", "scene_name": "attic", "object_counts": {"chair": 1}, "objects": [box]}
    file.write_text(json.dumps(scene))
    _, error = said("objects", f"oracle:{file}", "--rename", "chair=stool", code=2)
    assert "-o NAME.pcell" in error
    run("objects", f"oracle:{file}", "--rename", "chair=stool", "-o", tmp_path / "made.pcell")
    assert ids(tmp_path / "made.pcell", "stool")


def test_known_lengths_give_a_memory_its_metres(office, tmp_path):
    metric = storage.load(office)
    small = tmp_path / "small.pcell"
    storage.save(rescaled(metric, 2.0, Scale(), "for the test"), small)
    height = next(i for i in metric.instances if i.name == "door").upright_box.size[1]
    question = "How far is the door from the window in metres?"
    assert run("ask", small, question)[0]["abstained"]
    text, error = said(
        "scale", small, "--known", f"door height {height:.3f} m", "--known", "window to door 1 m", code=1
    )
    assert "contradict" in error and "1 unit was" in text
    text, _ = said("scale", small, "--known", f"door height {height * 100:.1f} cm", "--anew")
    memory = storage.load(small)
    assert memory.scale.metric and memory.scale.source == "reference"
    answer, right = run("ask", small, question)[0], run("ask", office, question)[0]
    assert answer["value"] == pytest.approx(right["value"], rel=0.01)
    assert "in metres already" in said("scale", small, "--known", "door height 1 m", code=2)[1]
    record = run("scale", small, "--known", "door height 1 m", "--anew")[-1]
    assert record["agree"] and record["factor"] == pytest.approx(1 / height, rel=1e-3)


def test_photos_that_say_where_they_were_taken_give_metres(office, tmp_path):
    GPS, scene, frames = ExifTags.GPS, storage.load(office), []
    (tmp_path / "photos").mkdir()
    for frame in scene.frames:  # as if the office were 20 times as large
        exif, file = Image.Exif(), tmp_path / "photos" / f"{frame.number}.jpg"
        seconds = 20 * frame.camera.centre[[2, 0]] * [-3600, 3600] / 111_195 + 30
        exif.get_ifd(ExifTags.IFD.GPSInfo).update({
            GPS.GPSLatitude: (0.0, 0.0, seconds[0]), GPS.GPSLatitudeRef: "N",
            GPS.GPSLongitude: (8.0, 0.0, seconds[1]), GPS.GPSLongitudeRef: "E",
        })  # fmt: skip
        Image.new("RGB", (8, 8), (frame.number, 0, 0)).save(file, exif=exif)
        frames.append(replace(frame, digest=hashlib.sha256(file.read_bytes()).hexdigest()))
    unscaled, large = tmp_path / "unscaled.pcell", tmp_path / "large.pcell"
    storage.save(rescaled(replace(scene, frames=tuple(frames)), 0.5, Scale(), "for the test"), unscaled)
    assert "say either" in said("scale", unscaled, code=2)[1]
    record = run("scale", unscaled, "--gps", tmp_path / "photos", "-o", large)[-1]
    assert record["factor"] == pytest.approx(40, rel=0.01) and record["strays"] == []
    assert storage.load(large).scale.source == "gps"


def test_python_has_the_same_corrections(office):
    memory = api.load(office)
    first, second = (i.id for i in memory.find("chairs"))
    made = memory.merge(first, second).rename("door", "gate").remove("plant").split("bookshelf", 2)
    assert [e.action for e in made.scene.edits] == ["merge", "rename all", "remove", "split"]
    assert len(made.find("chair")) == 1 and not made.find("plant") and len(made.find("bookshelf")) == 2
    assert len(made.undo().find("bookshelf")) == 1
    assert len(made.add("lamp", box=made.find("gate")[0].box).find("lamp")) == 1
    with pytest.raises(UserError, match="by a box, or by a region"):
        made.add("lamp")
    assert memory.scaled("door height 2 m", anew=True).find("door")[0].upright_box.size[1] == pytest.approx(2.0)
