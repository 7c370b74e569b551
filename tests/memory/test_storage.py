"""Storage: what is saved is what is loaded, a crash harms nothing, and a bad file is refused with a reason."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import time
import zipfile
from dataclasses import fields, is_dataclass, replace
from pathlib import Path

import memory_example as example
import numpy as np
import pytest
from PIL import Image
from safetensors import safe_open

from placecell.errors import UserError
from placecell.memory import archive, storage
from placecell.memory.pictures import PhotoPicture
from placecell.memory.tensors import TensorError, unpack


def assert_same(a, b, where="memory"):
    """Equal in every field, arrays bit by bit; pictures by their pixels."""
    assert type(a) is type(b) or callable(a), where
    if is_dataclass(a) and not callable(a):
        for item in fields(a):
            assert_same(getattr(a, item.name), getattr(b, item.name), f"{where}.{item.name}")
    elif isinstance(a, np.ndarray):
        assert a.dtype == b.dtype, where
        np.testing.assert_array_equal(a, b, err_msg=where)
    elif isinstance(a, tuple):
        assert len(a) == len(b), where
        for i, (x, y) in enumerate(zip(a, b, strict=True)):
            assert_same(x, y, f"{where}[{i}]")
    elif callable(a):
        np.testing.assert_array_equal(a(), b(), err_msg=where)
    else:
        assert a == b, where


@pytest.fixture
def memory():
    return example.memory()


@pytest.fixture
def saved(memory, tmp_path):
    path = tmp_path / "room.pcell"
    storage.save(memory, path)
    return path


def test_a_loaded_memory_is_the_saved_one_in_every_field(memory, saved, tmp_path):
    assert_same(memory, storage.load(saved))
    storage.save(memory, tmp_path / "room")
    assert (tmp_path / "room" / "manifest.json").is_file()
    assert_same(memory, storage.load(tmp_path / "room"))


def test_saving_again_gives_the_same_bytes(memory, saved, tmp_path):
    storage.save(example.memory(), tmp_path / "again.pcell")
    storage.save(storage.load(saved), tmp_path / "resaved.pcell")
    assert saved.read_bytes() == (tmp_path / "again.pcell").read_bytes()
    assert saved.read_bytes() == (tmp_path / "resaved.pcell").read_bytes()
    storage.save(memory, tmp_path / "folder")
    assert storage.content_digest(tmp_path / "folder") == storage.content_digest(saved)


def test_a_changed_memory_has_another_digest(memory, saved, tmp_path):
    storage.save(memory.changed("rename", "door 7"), tmp_path / "other.pcell")
    assert storage.content_digest(tmp_path / "other.pcell") != storage.content_digest(saved)


@pytest.mark.parametrize(
    "z",
    [
        np.array([[0, 0.001, 65.535, 1.234]]),
        np.array([[1 / 5000, 0, 2.0002]]),
        np.array([[0.5, 0.1], [np.pi, 0]]),
        np.array([[70000.0, 1e-30, 0]]),
        np.array([[np.float16(1.2207), 0.1354]]).astype(np.float16),
    ],
)
def test_depth_survives_exactly_whatever_its_values(tmp_path, z):
    z = z.astype(np.float32)
    frame = example.frame(1)
    depth = replace(frame.depth, z=z, camera=frame.camera.resized(z.shape[1], z.shape[0]), confidence=None)
    memory = replace(example.memory(), frames=(replace(frame, depth=depth),))
    storage.save(memory, tmp_path / "m.pcell")
    loaded = storage.load(tmp_path / "m.pcell").frames[0].depth.z
    assert loaded.dtype == np.float32
    np.testing.assert_array_equal(loaded, z)


def test_arrays_of_a_zip_are_used_in_place(saved):
    cloud = storage.load(saved).cloud
    base = cloud.points
    while isinstance(base, np.ndarray) and base.base is not None:
        base = base.base
    assert isinstance(base, memoryview)
    assert cloud.points.flags.aligned


def test_the_arrays_are_a_safetensors_file_that_the_library_reads(memory, tmp_path):
    storage.save(memory, tmp_path / "room")
    with safe_open(tmp_path / "room" / "arrays.safetensors", framework="np") as file:
        np.testing.assert_array_equal(file.get_tensor("cloud/points"), memory.cloud.points)


def test_an_upright_photo_is_kept_as_its_own_file(tmp_path, memory):
    photo = tmp_path / "photo.jpg"
    Image.fromarray(example.picture(5)()).save(photo, quality=80)
    import hashlib

    picture = PhotoPicture(photo, "photo.jpg", hashlib.sha256(photo.read_bytes()).hexdigest())
    kept = replace(memory, frames=(replace(memory.frames[0], read_rgb=picture),))
    storage.save(kept, tmp_path / "m.pcell")
    with zipfile.ZipFile(tmp_path / "m.pcell") as file:
        assert file.read("frames/000001.jpg") == photo.read_bytes()
    np.testing.assert_array_equal(storage.load(tmp_path / "m.pcell").frames[0].rgb, picture())


def test_a_lying_photo_is_stored_upright_and_exact(tmp_path, memory):
    photo = tmp_path / "photo.jpg"
    exif = Image.Exif()
    exif[0x0112] = 6
    Image.fromarray(example.picture(5, 40, 30)()).save(photo, exif=exif)
    import hashlib

    picture = PhotoPicture(photo, "photo.jpg", hashlib.sha256(photo.read_bytes()).hexdigest())
    assert picture().shape == (30, 40, 3)
    storage.save(replace(memory, frames=(replace(memory.frames[0], read_rgb=picture),)), tmp_path / "m.pcell")
    np.testing.assert_array_equal(storage.load(tmp_path / "m.pcell").frames[0].rgb, picture())


def test_a_photo_that_changed_since_the_build_is_refused(tmp_path):
    photo = tmp_path / "photo.png"
    Image.fromarray(example.picture(5)()).save(photo)
    with pytest.raises(UserError, match="has changed since the memory was built"):
        PhotoPicture(photo, "photo.png", "0" * 64)()


def test_an_existing_file_is_only_replaced_when_allowed(memory, saved):
    with pytest.raises(UserError, match="exists already"):
        storage.save(memory, saved)
    storage.save(memory.changed("rename", "x"), saved, overwrite=True)
    assert storage.load(saved).version == 3


def test_a_folder_is_never_replaced(memory, tmp_path):
    storage.save(memory, tmp_path / "room")
    with pytest.raises(UserError, match=r"save to room\.pcell"):
        storage.save(memory, tmp_path / "room", overwrite=True)


def test_a_target_is_refused_before_work_begins(tmp_path, saved):
    storage.check_target(tmp_path / "new.pcell")
    storage.check_target(saved)
    (tmp_path / "letter.pcell").write_text("dear")
    with pytest.raises(UserError, match="is no memory"):
        storage.check_target(tmp_path / "letter.pcell")
    storage.check_target(tmp_path / "letter.pcell", replace_anything=True)
    with pytest.raises(UserError, match="does not exist"):
        storage.check_target(tmp_path / "nowhere" / "m.pcell")


class Fault(Exception):
    pass


@pytest.mark.parametrize("failing", range(6))
@pytest.mark.parametrize("existing", [True, False])
def test_a_fault_at_any_member_leaves_what_was_there(memory, tmp_path, monkeypatch, failing, existing):
    path = tmp_path / "room.pcell"
    if existing:
        storage.save(memory, path)
    before = path.read_bytes() if existing else None
    members = storage._members

    def faulty(memory):
        for i, member in enumerate(members(memory)):
            if i == failing:
                raise Fault
            yield member
        raise Fault

    monkeypatch.setattr(storage, "_members", faulty)
    with pytest.raises(Fault):
        storage.save(memory.changed("rename", "x"), path, overwrite=True)
    assert (path.read_bytes() if path.exists() else None) == before
    assert sorted(p.name for p in tmp_path.iterdir()) == (["room.pcell"] if existing else [])


def test_a_full_disk_is_said_in_one_line(memory, tmp_path, monkeypatch):
    def full(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(UserError, match="No space left on device"):
        storage.save(memory, tmp_path / "room.pcell")
    assert list(tmp_path.iterdir()) == []


_KILLED = """
import sys, time
from pathlib import Path
sys.path.insert(0, {tests!r})
import memory_example as example
from placecell.memory import storage
members = storage._members
def slow(memory):
    for name, data in members(memory):
        yield name, data
        print(name, flush=True)
        time.sleep(30 if name == {name!r} else 0)
storage._members = slow
storage.save(example.memory().changed("rename", "x"), Path({path!r}), overwrite=True)
"""


@pytest.mark.parametrize("name", ["frames/000003.webp", "manifest.json"])
def test_a_killed_save_leaves_the_old_file_whole(memory, saved, name):
    before = saved.read_bytes()
    script = _KILLED.format(tests=str(Path(__file__).parent), name=name, path=str(saved))
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    for line in process.stdout:
        if line.strip() == name:
            break
    time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL
    process.stdout.close()
    assert saved.read_bytes() == before
    assert_same(memory, storage.load(saved))
    storage.save(memory.changed("rename", "y"), saved, overwrite=True)
    assert storage.load(saved).version == 3


def test_a_folder_whose_save_failed_is_not_there(memory, tmp_path, monkeypatch):
    def faulty(memory):
        yield "frames/000001.webp", b"x"
        raise Fault

    monkeypatch.setattr(storage, "_members", faulty)
    with pytest.raises(Fault):
        storage.save(memory, tmp_path / "room")
    assert list(tmp_path.iterdir()) == []


# --- damaged, foreign and malicious files ---


def rewrite(path, **members):
    """The zip with some members replaced, added (new names) or removed (None); names use __ for / and . is kept."""
    with zipfile.ZipFile(path) as file:
        content = {name: file.read(name) for name in file.namelist()}
    for name, data in members.items():
        if data is None:
            content.pop(name)
        else:
            content[name] = data
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as file:
        for name, data in content.items():
            file.writestr(name, data)


def manifest(path):
    with zipfile.ZipFile(path) as file:
        return json.loads(file.read("manifest.json"))


def test_every_flipped_byte_is_noticed(saved):
    data, refused = saved.read_bytes(), 0
    for at in np.linspace(0, len(data) - 1, 60).astype(int):
        damaged = bytearray(data)
        damaged[at] ^= 0x5A
        saved.write_bytes(damaged)
        try:
            loaded = storage.load(saved)
        except UserError:
            refused += 1
            continue
        assert_same(example.memory(), loaded)  # padding and zip fields that nobody reads
    assert refused > 50


@pytest.mark.parametrize("share", [0.0, 0.01, 0.3, 0.7, 0.99, 0.9999])
def test_a_file_cut_short_is_refused(saved, share):
    data = saved.read_bytes()
    saved.write_bytes(data[: int(len(data) * share)])
    with pytest.raises(UserError):
        storage.load(saved)


@pytest.mark.parametrize(("version", "hint"), [(0, "build the memory again"), (99, "update placecell"), ("x", "again")])
def test_another_schema_is_refused_with_what_to_do(saved, version, hint):
    record = manifest(saved)
    record["format_version"] = version
    rewrite(saved, **{"manifest.json": json.dumps(record).encode()})
    with pytest.raises(UserError, match=hint):
        storage.load(saved)


def test_a_memory_of_the_first_schema_is_read_as_one_without_tracks(tmp_path):
    path = tmp_path / "old.pcell"
    storage.save(replace(example.memory(), tracks=()), path)
    record = manifest(path)
    record["format_version"] = 1
    del record["tracks"]
    rewrite(path, **{"manifest.json": json.dumps(record).encode()})
    assert storage.load(path).tracks == ()


def test_objects_of_the_second_schema_have_no_hidden_sides(saved):
    record = manifest(saved)
    record["format_version"] = 2
    for instance in record["instances"]:
        del instance["hidden_sd"]
    rewrite(saved, **{"manifest.json": json.dumps(record).encode()})
    assert not any(i.hidden_sd.any() for i in storage.load(saved).instances)


def test_an_old_schema_is_refused_even_when_everything_else_changed(saved):
    rewrite(saved, **{"manifest.json": b'{"format": "placecell.memory", "format_version": 0}'})
    with pytest.raises(UserError, match="memory format 0, this placecell reads 1 or 2 or 3"):
        storage.load(saved)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda m: m.update(frames="none"), "manifest, frames"),
        (lambda m: m["frames"][0]["camera"].update(K=[[1, 0, 0], [0, -1, 0], [0, 0, 1]]), "damaged"),
        (lambda m: m["frames"][0].update(picture="frames/000009.webp"), "000009"),
        (lambda m: m["frames"][0]["depth"].update(z="depth/99"), "depth/99"),
        (lambda m: m["frames"][0].update(number=3), "frame numbers repeat"),
        (lambda m: m.update(surprise=1), "surprise"),
        (lambda m: m["members"].pop("arrays.safetensors"), "does not belong"),
    ],
)
def test_a_manifest_that_does_not_fit_is_refused(saved, change, message):
    record = manifest(saved)
    change(record)
    rewrite(saved, **{"manifest.json": json.dumps(record).encode()})
    with pytest.raises(UserError, match=message):
        storage.load(saved)


@pytest.mark.parametrize("name", ["../evil.txt", "/etc/evil.txt", "a/../../x.jpg", "a\\b.txt", "x", "a/a.b.c"])
def test_a_member_with_a_foreign_name_is_refused(saved, name):
    rewrite(saved, **{name: b"x"})
    with pytest.raises(UserError, match="which no memory does"):
        storage.load(saved)


def test_an_extra_a_missing_and_a_doubled_member_are_refused(saved, tmp_path):
    data = saved.read_bytes()
    rewrite(saved, **{"frames/000077.jpg": b"x"})
    with pytest.raises(UserError, match=r"000077\.jpg does not belong to it"):
        storage.load(saved)
    saved.write_bytes(data)
    rewrite(saved, **{"frames/000003.webp": None})
    with pytest.raises(UserError, match=r"000003\.webp is missing"):
        storage.load(saved)
    saved.write_bytes(data)
    with pytest.warns(UserWarning), zipfile.ZipFile(saved, "a") as file:
        file.writestr("frames/000001.webp", b"another")
    with pytest.raises(UserError, match="twice"):
        storage.load(saved)


def test_a_compressed_bomb_is_refused_without_unpacking(tmp_path):
    path = tmp_path / "bomb.pcell"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("arrays.safetensors", bytes(200_000_000))
    with pytest.raises(UserError, match="compressed"):
        storage.load(path)


def test_a_size_beyond_the_file_is_refused(saved):
    data = saved.read_bytes()
    at = data.rindex(b"PK\x01\x02")
    forged = bytearray(data)
    forged[at + 20 : at + 28] = (0x7FFFFFF0).to_bytes(4, "little") * 2
    saved.write_bytes(forged)
    with pytest.raises(UserError, match="beyond the file"):
        storage.load(saved)


@pytest.mark.parametrize("content", [b"", b"hello", b"PK\x05\x06" + bytes(18), b"\x00" * 1000])
def test_a_file_of_another_kind_is_no_memory(tmp_path, content):
    path = tmp_path / "thing.pcell"
    path.write_bytes(content)
    with pytest.raises(UserError, match="no memory"):
        storage.load(path)


def test_another_zip_and_a_missing_file_are_no_memories(tmp_path):
    path = tmp_path / "other.pcell"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("manifest.json", '{"format": "something else"}')
    with pytest.raises(UserError, match="no placecell memory"):
        storage.load(path)
    with pytest.raises(UserError, match="no such file"):
        storage.load(tmp_path / "nothing.pcell")


def test_a_folder_with_a_link_is_refused(memory, tmp_path):
    storage.save(memory, tmp_path / "room")
    (tmp_path / "room" / "secret.txt").symlink_to("/etc/hostname")
    with pytest.raises(UserError, match="is a link"):
        storage.load(tmp_path / "room")


def test_a_picture_that_lies_about_its_size_is_refused_when_it_is_read(saved, memory):
    buffer = io.BytesIO()
    Image.new("RGB", (41, 30)).save(buffer, "WEBP", lossless=True)
    data = buffer.getvalue()
    record = manifest(saved)
    import hashlib

    record["members"]["frames/000001.webp"] = {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
    rewrite(saved, **{"frames/000001.webp": data, "manifest.json": json.dumps(record).encode()})
    loaded = storage.load(saved)
    with pytest.raises(UserError, match=r"room/1\.jpg of the memory is damaged"):
        loaded.frames[0].read_rgb()


@pytest.mark.parametrize(
    "header",
    [
        b"[]",
        b"{",
        b'{"a": 5}',
        b'{"a": {"dtype": "F32", "shape": [1000000], "data_offsets": [0, 4000000]}}',
        b'{"a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 4]}}',
        b'{"a": {"dtype": "F32", "shape": [-1], "data_offsets": [0, 4]}}',
        b'{"a": {"dtype": "O", "shape": [1], "data_offsets": [0, 4]}}',
        b'{"a": {"dtype": "F32", "shape": [1], "data_offsets": [-4, 0]}}',
        b"[" * 100_000,
    ],
)
def test_arrays_that_lie_about_themselves_are_refused(header):
    data = len(header).to_bytes(8, "little") + header + bytes(8)
    with pytest.raises(TensorError):
        unpack(memoryview(data))
    with pytest.raises(TensorError):
        unpack(memoryview(b"\xff" * 12))


def test_member_names_are_what_the_archive_allows(saved):
    assert sorted(archive.read(saved)) == [
        "arrays.safetensors",
        "frames/000001.webp",
        "frames/000003.webp",
        "frames/000004.webp",
        "manifest.json",
    ]
