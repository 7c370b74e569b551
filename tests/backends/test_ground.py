"""Looking for objects in a memory: what is found, what counts as looked for, what is said when it cannot be done."""

from __future__ import annotations

import pytest

import room_capture as room
from placecell.backends import auto, table
from placecell.backends.row import Backend
from placecell.backends.segment import ground
from placecell.backends.segment.cache import CachedSegmenter
from placecell.backends.segment.ground import find_objects, open_segmenter, split_phrases
from placecell.backends.weights import Weights
from placecell.errors import BackendUnavailable, UserError
from placecell.memory import storage
from placecell.memory.ports import Proposal

TRUE_SIZE = sorted(room.BOX_HIGH - room.BOX_LOW)


@pytest.fixture(scope="module")
def shots():
    return room.views()


@pytest.fixture(scope="module")
def folder(tmp_path_factory, shots):
    folder = tmp_path_factory.mktemp("capture") / "room"
    room.seven_scenes(folder, shots)
    return folder


@pytest.fixture(scope="module")
def memory(folder):
    return auto.build([folder])


class TrueMasks:
    """Finds the chest of the room by its colour, and nothing else."""

    name = "true"

    def __init__(self):
        self.settings = {"checkpoint": "none", "threshold": 0.5}
        self.asked = []

    def segment(self, frames, phrases):
        self.asked.append(tuple(phrases))
        for frame in frames:
            mask = frame.rgb[..., 0] == 220
            yield [Proposal(frame.number, p, mask, (0, 0), 0.9) for p in phrases if p == "chest" and mask.any()]


def test_what_is_found_gets_a_place_and_what_is_not_is_absent(memory):
    found = find_objects(memory, ["chests", "grand piano"], TrueMasks())
    (chest,) = found.instances
    assert chest.name == "chest"
    assert sorted(chest.upright_box.size) == pytest.approx(TRUE_SIZE, abs=0.05)
    assert found.vocabulary == {"chest", "grand piano"}
    assert found.version == memory.version + 1
    (edit,) = found.edits
    assert edit.action == "find"
    assert edit.made == (chest.id,)
    assert edit.detail == "looked for chest, grand piano in 5 images with true: 1 chest, no grand piano"
    assert found.provenance.settings["segmenter"] == {"name": "true", "checkpoint": "none", "threshold": 0.5}


def test_nobody_looks_twice(memory):
    once = find_objects(memory, ["chest"], TrueMasks())
    segmenter = TrueMasks()
    assert find_objects(once, ["chests", "Chest"], segmenter) is once
    twice = find_objects(once, ["chest", "sofa", "couch"], segmenter)
    assert segmenter.asked == [("sofa",)]
    assert [i.id for i in twice.instances] == [i.id for i in once.instances]
    assert len(twice.edits) == 2


def test_an_id_is_never_given_twice(memory):
    first = find_objects(memory, ["chest"], TrueMasks())
    emptied = first.changed("remove", "all", instances=(), vocabulary=frozenset())
    again = find_objects(emptied, ["chest"], TrueMasks())
    assert {i.id for i in again.instances}.isdisjoint(i.id for i in first.instances)


def test_a_memory_with_objects_found_survives_saving(memory, tmp_path):
    found = find_objects(memory, ["chest", "sofa"], TrueMasks())
    storage.save(found, tmp_path / "a.pcell")
    loaded = storage.load(tmp_path / "a.pcell")
    assert loaded.edits == found.edits
    assert loaded.provenance == found.provenance
    assert loaded.vocabulary == found.vocabulary


def test_build_looks_for_objects_and_labels_already_named_are_not_looked_for(folder, monkeypatch):
    segmenter = TrueMasks()
    monkeypatch.setattr(ground, "open_segmenter", lambda name: segmenter)
    memory = auto.build([folder], objects=["Chest", "sofa"], segmenter="any")
    assert [i.name for i in memory.instances] == ["chest"]
    assert memory.vocabulary == {"chest", "sofa"}
    assert (memory.version, memory.edits) == (1, ())
    assert memory.provenance.notes[-1] == "looked for chest, sofa in 5 images with true: 1 chest, no sofa"


def test_things_without_depth_cannot_be_placed(tmp_path, shots):
    room.transforms_json(tmp_path / "room", shots)
    bare = auto.build([tmp_path / "room"])
    with pytest.raises(UserError, match="no picture of the memory has depth, so chest could be seen but not placed"):
        find_objects(bare, ["chest"], TrueMasks())


def test_objects_of_a_saved_memory_are_another_commands_business(memory, tmp_path):
    storage.save(memory, tmp_path / "room.pcell")
    with pytest.raises(UserError, match=r"placecell objects .*room\.pcell 'chest'"):
        auto.build([tmp_path / "room.pcell"], objects=["chest"])


def test_phrases_are_cleaned_and_each_category_counts_once():
    assert split_phrases("Chairs,  coffee   table,, couch ,sofa") == ("chair", "coffee table", "couch")
    for nonsense in ("", " , ", "x" * 200, "a\nb\x00c"):
        with pytest.raises(UserError, match="--objects"):
            split_phrases(nonsense)


def rows(monkeypatch, *backends):
    monkeypatch.setattr(table, "BACKENDS", {b.name: b for b in backends})


def test_auto_takes_the_first_segmenter_that_can_run(monkeypatch):
    gated = Backend("best", "x", "placecell.backends.nowhere:X", ("no_such_module",), "models", kind="segmenter")
    here = Backend("here", "x", f"{__name__}:TrueMasks", kind="segmenter")
    rows(monkeypatch, Backend("posed", "x"), gated, here)
    assert open_segmenter().name == "true"
    with pytest.raises(BackendUnavailable, match=r"best cannot run: no_such_module not installed: pip install"):
        open_segmenter("best")
    with pytest.raises(UserError, match=r"there is no segmenter 'magic'; known: auto, best, here"):
        open_segmenter("magic")
    with pytest.raises(UserError, match="the backend posed is no segmenter"):
        open_segmenter("posed")


def test_masks_of_a_worker_are_not_kept_under_its_address():
    assert open_segmenter("remote:http://127.0.0.1:9/sam3").settings == {"worker": "http://127.0.0.1:9/sam3"}
    assert not isinstance(open_segmenter("remote:http://127.0.0.1:9/sam3"), CachedSegmenter)


def test_a_segmenter_is_no_reconstructor(folder):
    with pytest.raises(UserError, match="the backend sam3 is no reconstructor"):
        auto.build([folder], reconstructor="sam3")


def test_without_any_segmenter_one_line_says_how_to_get_one(monkeypatch, tmp_path):
    monkeypatch.setenv("PLACECELL_MODELS", str(tmp_path))
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    gated = Weights("big/gated", "Some License", gated=True)
    free = Weights("small/free-test-weights", "Apache-2.0", size="1 GB")
    rows(
        monkeypatch,
        Backend("best", "x", "a:b", ("no_such_module",), "models", (gated,), kind="segmenter"),
        Backend("easy", "x", "a:b", ("no_such_module",), "models", (free,), kind="segmenter"),
        Backend("ready", "x", "a:b", (), "models", (free,), kind="segmenter"),
    )
    line = r"pip install 'placecell\[models\]' && hf download small/free-test-weights"
    with pytest.raises(BackendUnavailable, match=line):
        open_segmenter()
    with pytest.raises(BackendUnavailable, match=r"accept Some License at https://huggingface\.co/big/gated, then"):
        gated.folder()
    folder = tmp_path / "small" / "free-test-weights"
    folder.mkdir(parents=True)
    (folder / "config.json").write_text("{}")
    with pytest.raises(BackendUnavailable, match=r"free-test-weights has no model\.safetensors; hf download"):
        open_segmenter("ready")
    (folder / "model.safetensors.index.json").write_text('{"weight_map": {"a": "1.safetensors", "b": "2.safetensors"}}')
    (folder / "1.safetensors").write_bytes(b"")
    assert free.missing() is not None
    (folder / "2.safetensors").write_bytes(b"")
    assert free.folder() == folder


def test_weights_are_identified_by_commit_or_content(tmp_path):
    from placecell.backends.weights import fingerprint

    commit = "0123456789abcdef0123456789abcdef01234567"
    assert fingerprint(tmp_path / "snapshots" / commit) == commit
    (tmp_path / "model.safetensors").write_bytes(b"one")
    one = fingerprint(tmp_path)
    (tmp_path / "model.safetensors").write_bytes(b"other")
    other = fingerprint(tmp_path)
    (tmp_path / "config.json").write_text("{}")
    assert len({one, other, fingerprint(tmp_path)}) == 3
    assert one.startswith("sha256:")
