from __future__ import annotations

import os
import sys
from pathlib import Path

import numpy as np
import pytest

from placecell.errors import UserError
from placecell.media import photos
from placecell.media.sources import PhotoFile, Skipped, is_video, iter_photos, list_photos, read_photos


def tile(value: int) -> np.ndarray:
    return np.full((6, 8, 3), value, np.uint8)


@pytest.fixture
def folder(save, tmp_path) -> Path:
    """Photos with numbers of different length in two folders, among the usual company."""
    for i, name in enumerate(["f9.png", "f10.png", "f100.JPG", "left/2.png", "left/10.png", "right/2.png"]):
        save(f"scan/{name}", tile(20 * i))
    for name in (".hidden.jpg", "Thumbs.db", ".DS_Store", "f9.aae", "poses.txt", "__MACOSX/f9.png", ".cache/x.png"):
        path = tmp_path / "scan" / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(b"x")
    (tmp_path / "scan/notes.pdf").write_bytes(b"x")
    (tmp_path / "scan/clip.mp4").write_bytes(b"x")
    (tmp_path / "scan/shot.DNG").write_bytes(b"x")
    return tmp_path / "scan"


def names(frames) -> list[str]:
    return [f.name for f in frames]


def test_a_folder_gives_its_photos_in_natural_order_with_its_subfolders(folder):
    frames, _ = read_photos([folder])
    assert names(frames) == ["f9.png", "f10.png", "f100.JPG", "left/2.png", "left/10.png", "right/2.png"]


def test_what_is_no_photo_is_named_and_what_nobody_misses_is_not(folder):
    listing = list_photos([folder])
    assert {s.name: s.reason.split(";")[0] for s in listing.skipped} == {
        "clip.mp4": "is a video",
        "notes.pdf": "is no kind of photo (.pdf)",
        "shot.DNG": "is a camera's raw file",
    }


def test_files_keep_the_order_they_are_given_in(folder):
    frames, skipped = read_photos([folder / "f10.png", folder / "f9.png", folder / "f100.JPG"])
    assert names(frames) == ["f10.png", "f9.png", "f100.JPG"]
    assert skipped == ()


def test_equal_names_in_different_folders_stay_apart(folder):
    frames, _ = read_photos([folder / "right" / "2.png", folder / "left" / "2.png"])
    assert names(frames) == ["right/2.png", "left/2.png"]


def test_names_do_not_depend_on_where_the_command_runs(folder, monkeypatch):
    monkeypatch.chdir(folder / "left")
    assert names(list_photos([Path(), Path("../right")]).files) == ["left/2.png", "left/10.png", "right/2.png"]


def test_a_file_given_twice_is_used_once_and_that_is_said(folder):
    listing = list_photos([folder / "f9.png", folder])
    assert names(listing.files).count("f9.png") == 1
    assert Skipped("f9.png", "given twice, used once") in listing.skipped


def test_a_file_given_by_name_is_tried_whatever_it_is_called(folder, save):
    (folder / "photo").write_bytes((folder / "f9.png").read_bytes())
    assert names(list_photos([folder / "photo"]).files) == ["photo"]


def test_a_damaged_photo_is_skipped_by_name_and_strict_makes_it_an_error(save, tmp_path):
    for i in range(3):
        save(f"{i}.png", tile(i))
    (tmp_path / "1.png").write_bytes((tmp_path / "1.png").read_bytes()[:40])
    frames, skipped = read_photos([tmp_path])
    assert names(frames) == ["0.png", "2.png"]
    assert names(skipped) == ["1.png"]
    assert skipped[0].reason
    with pytest.raises(UserError, match=r"1\.png: .*--strict"):
        read_photos([tmp_path], strict=True)


def test_strict_also_minds_what_a_folder_holds_besides_photos(folder):
    with pytest.raises(UserError, match=r"clip\.mp4"):
        read_photos([folder], strict=True)


def test_the_same_content_twice_is_kept_and_noted(save, tmp_path):
    save("a.png", tile(7))
    save("b.png", tile(9))
    (tmp_path / "c.png").write_bytes((tmp_path / "a.png").read_bytes())
    frames, _ = read_photos([tmp_path])
    assert [f.notes for f in frames] == [(), (), ("same content as a.png",)]


def test_links_to_files_count_and_loops_of_folders_end(save, tmp_path):
    save("real/a.png", tile(1))
    (tmp_path / "real/loop").symlink_to(tmp_path / "real")
    (tmp_path / "real/b.png").symlink_to(tmp_path / "real/a.png")
    (tmp_path / "real/c.png").symlink_to(tmp_path / "nowhere.png")
    frames, skipped = read_photos([tmp_path / "real"])
    assert names(frames) == ["a.png", "b.png"]
    assert skipped == (Skipped("c.png", "does not exist"),)


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not allow such names")
def test_a_name_that_is_no_text_can_still_be_stored_and_printed(save, tmp_path):
    raw = os.fsencode(save("a.png", tile(1)).parent) + b"/\xff\n.png"
    Path(os.fsdecode(raw)).write_bytes((tmp_path / "a.png").read_bytes())
    frames, _ = read_photos([tmp_path])
    assert names(frames) == ["a.png", r"\xff\n.png"]
    with pytest.raises(UserError, match="does not exist") as caught:
        read_photos([tmp_path / os.fsdecode(b"\xfe\n.png")])
    assert "\n" not in str(caught.value)
    str(caught.value).encode("utf-8")


def test_nothing_to_read_is_an_error_that_says_what_was_found(tmp_path):
    with pytest.raises(UserError, match="no photos in"):
        read_photos([tmp_path])
    (tmp_path / "clip.mp4").write_bytes(b"x")
    with pytest.raises(UserError, match=r"clip\.mp4 \(is a video"):
        read_photos([tmp_path])
    (tmp_path / "a.jpg").write_bytes(b"x")
    with pytest.raises(UserError, match=r"none of 1 photos can be read; a\.jpg"):
        read_photos([tmp_path])
    with pytest.raises(UserError, match="gone does not exist"):
        read_photos([Path("gone")])


def test_a_limit_thins_evenly_and_keeps_order(save, tmp_path):
    for i in range(9):
        save(f"{i}.png", tile(i))
    assert names(read_photos([tmp_path], limit=3)[0]) == ["1.png", "4.png", "7.png"]
    assert len(read_photos([tmp_path], limit=30)[0]) == 9


def test_coverage_chooses_different_looks_and_names_what_cannot_be_looked_at(save, tmp_path):
    looks = np.random.default_rng(0).integers(0, 256, (3, 24, 24, 3), dtype=np.uint8)
    for i in range(9):
        save(f"{i}.png", looks[i // 3])
    (tmp_path / "bad.png").write_bytes(b"x")
    frames, skipped = read_photos([tmp_path], limit=3, sampling="coverage")
    assert {int(f.name[0]) // 3 for f in frames} == {0, 1, 2}
    assert names(skipped) == ["bad.png"]


def test_the_result_does_not_depend_on_the_number_of_threads(save, tmp_path):
    files = [PhotoFile(save(f"{i}.jpg", tile(9 * i)), f"{i}.jpg") for i in range(20)]
    (tmp_path / "7.jpg").write_bytes(b"x")
    one, four = (list(iter_photos(files, threads=n)) for n in (1, 4))
    assert names(one) == names(four) == [f.name for f in files]
    for a, b in zip(one, four, strict=True):
        assert isinstance(a, Skipped) == isinstance(b, Skipped) == (a.name == "7.jpg")
        assert isinstance(a, Skipped) or np.array_equal(a.rgb, b.rgb)


def test_reading_runs_only_a_few_pictures_ahead(save, monkeypatch):
    files = [PhotoFile(save(f"{i}.png", tile(i)), f"{i}.png") for i in range(30)]
    opened: list[str] = []

    def watched(path, *, name, _open=photos.open_photo):
        opened.append(name)
        return _open(path, name=name)

    monkeypatch.setattr(photos, "open_photo", watched)
    pictures = iter_photos(files, threads=2)
    next(pictures)
    assert len(opened) <= 4
    pictures.close()
    assert len(opened) <= 4


def test_progress_counts_every_file(save, tmp_path):
    for i in range(3):
        save(f"{i}.png", tile(i))
    events = []
    read_photos([tmp_path], on_progress=events.append)
    assert [(e.done, e.total, e.detail) for e in events] == [(1, 3, "0.png"), (2, 3, "1.png"), (3, 3, "2.png")]


def test_video_is_told_by_suffix():
    assert is_video(Path("a/B.MOV"))
    assert not is_video(Path("a/b.gif"))
    assert not is_video(Path("mp4"))


def test_real_photo_folders_are_read_whole(shared_data):
    frames, skipped = read_photos([shared_data / "odd_images"], longest_side=64)
    assert skipped == ()
    assert len(frames) > 70
    assert max(max(f.width, f.height) for f in frames) == 64
