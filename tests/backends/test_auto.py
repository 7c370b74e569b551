"""Choosing a backend by what the sources are, and refusing with the reason when nothing can be made of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import room_capture as room
from placecell.backends import table
from placecell.backends.auto import build
from placecell.backends.table import BACKENDS, Backend, all_backends, find_backend
from placecell.errors import BackendUnavailable, UserError
from placecell.memory import storage


@pytest.fixture(scope="module")
def shots():
    return room.views()


def test_a_capture_is_read_as_what_it_is_and_the_memory_says_why(tmp_path, shots):
    room.seven_scenes(tmp_path / "room", shots)
    memory = build([tmp_path / "room"])
    assert memory.provenance.backend == "posed"
    assert memory.provenance.sources == ("room",)
    assert memory.provenance.notes[0] == (
        "read as a 7-scenes capture: it has depth and poses, so nothing had to be estimated"
    )


def test_the_file_that_names_the_layout_is_as_good_as_its_folder(tmp_path, shots):
    room.transforms_json(tmp_path / "room", shots)
    memory = build([tmp_path / "room" / "transforms.json"])
    assert "poses without depth" in memory.provenance.notes[0]
    assert len(memory.posed_frames) == 5


def test_a_sampling_that_a_video_does_not_take_is_refused(tmp_path, shots):
    room.seven_scenes(tmp_path / "room", shots)
    with pytest.raises(UserError, match="taken evenly, not by sharpest"):
        build([tmp_path / "room"], dynamic=True, sampling="sharpest")


def test_a_saved_memory_is_opened(tmp_path, shots):
    room.seven_scenes(tmp_path / "room", shots)
    memory = build([tmp_path / "room"])
    storage.save(memory, tmp_path / "room.pcell")
    storage.save(memory, tmp_path / "saved")
    for path in (tmp_path / "room.pcell", tmp_path / "saved"):
        np.testing.assert_array_equal(build([path]).cloud.points, memory.cloud.points)
    with pytest.raises(UserError, match="labels belong to a capture"):
        build([tmp_path / "room.pcell"], labels=tmp_path)
    with pytest.raises(UserError, match="a number of frames belongs to a capture"):
        build([tmp_path / "room.pcell"], frames=3)
    with pytest.raises(UserError, match="cannot be mixed"):
        build([tmp_path / "room.pcell", tmp_path / "room"])


def test_metres_are_refused_where_the_scale_is_not_known(tmp_path, shots):
    room.transforms_json(tmp_path / "a", shots)
    with pytest.raises(UserError, match=r"the scale of .* is not known, so it cannot be built in metres"):
        build([tmp_path / "a"], metric=True)
    room.seven_scenes(tmp_path / "b", shots)
    assert build([tmp_path / "b"], metric=True).unit == "m"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"frames": 0}, "0 frames cannot make a memory"),
        ({"sampling": "random"}, "unknown sampling 'random'; one of uniform, coverage, sharpest"),
        ({"reconstructor": "magic"}, "there is no backend 'magic'; known: auto, cloud, da3, .*, oracle, .*, posed"),
        ({"reconstructor": "oracle"}, "the backend oracle is no reconstructor"),
    ],
)
def test_impossible_wishes_are_refused(tmp_path, shots, options, message):
    room.seven_scenes(tmp_path, shots)
    with pytest.raises(UserError, match=message):
        build([tmp_path], **options)


def test_missing_sources_are_named(tmp_path):
    with pytest.raises(UserError, match="nothing: no such file or folder"):
        build([tmp_path / "nothing"])
    with pytest.raises(UserError, match=r"oracle:boxes\.json is a memory as it is, and needs no build"):
        build([Path("oracle:boxes.json")])
    with pytest.raises(UserError, match="no sources given"):
        build([])
    with pytest.raises(UserError, match="no photos in"):
        build([tmp_path])
    with pytest.raises(UserError, match="holds no capture with poses; known layouts"):
        build([tmp_path], reconstructor="posed")


def test_two_equal_photos_make_two_frames_and_one_place(tmp_path, shots):
    room.seven_scenes(tmp_path, [shots[0], shots[0]])
    memory = build([tmp_path])
    assert len(memory.frames) == 2
    np.testing.assert_allclose(memory.frames[0].camera.centre, memory.frames[1].camera.centre, atol=1e-9)


class FakeEntryPoint:
    def __init__(self, name, value):
        self.name, self._value = name, value

    def load(self):
        return self._value


def test_other_packages_add_backends_through_entry_points(monkeypatch, tmp_path, shots):
    mine = Backend("mine", "photos", factory="placecell.backends.posed.backend:Posed", modules=("numpy",))
    monkeypatch.setattr(table.metadata, "entry_points", lambda group: [FakeEntryPoint("mine", mine)])
    assert set(all_backends()) == {*BACKENDS, "mine"}
    room.seven_scenes(tmp_path, shots)
    memory = build([tmp_path], reconstructor="mine")
    assert memory.provenance.notes[0] == "made by mine, as asked"
    for bad, message in (("text", "is no Backend"), (Backend("posed", "x"), "two packages provide the backend posed")):
        monkeypatch.setattr(table.metadata, "entry_points", lambda group, bad=bad: [FakeEntryPoint("x", bad)])
        with pytest.raises(UserError, match=message):
            all_backends()


def test_a_backend_with_missing_modules_says_what_installs_them():
    absent = Backend("far", "x", factory="a:b", modules=("no_such_module",), extra="far")
    assert absent.missing() == "no_such_module not installed: pip install 'placecell[far]'"
    with pytest.raises(BackendUnavailable, match="pip install"):
        absent.reconstructor()
    assert find_backend("posed").missing() is None


def test_every_row_states_its_licences():
    for name, backend in BACKENDS.items():
        assert backend.name == name
        assert backend.code_licence
        assert (not backend.weights) == (backend.weight_licence is None)
