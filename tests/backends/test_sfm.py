"""Plain photos and video: cameras found where pictures overlap, refused with names and the next step where not."""

from __future__ import annotations

import json
import tempfile
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from PIL import Image

from placecell.backends.auto import build
from placecell.backends.posed.backend import need_capture, read_capture
from placecell.backends.posed.capture import Lens
from placecell.backends.sfm.backend import reconstruct_pictures
from placecell.backends.sfm.cameras import Model, Placed
from placecell.backends.sfm.known import depth_from_poses
from placecell.backends.sfm.pairs import all_pairs, likely_pairs
from placecell.backends.sfm.pictures import read_pictures
from placecell.backends.sfm.refusal import name_list, too_little
from placecell.backends.sfm.settings import SfmSettings
from placecell.backends.synthetic.capture import make_room, photograph
from placecell.backends.synthetic.path import orbit
from placecell.errors import UserError
from placecell.geometry.transforms import compose, invert, rotation_angle
from placecell.media.sources import Skipped, read_photos
from placecell.progress import silent

SETTINGS = SfmSettings()


def save(folder, pictures, suffix=".png"):
    folder.mkdir(exist_ok=True)
    for number, rgb in enumerate(pictures, 1):
        Image.fromarray(rgb).save(folder / f"{number:02d}{suffix}")
    return folder


def noise(seed, size=(120, 160)):
    return np.random.default_rng(seed).integers(0, 255, (*size, 3), dtype=np.uint8)


@pytest.fixture(scope="module")
def capture():
    made = make_room(seed=4)
    target = max((o for o in made.objects if o.mount == "floor"), key=lambda o: o.box.size.prod())
    return photograph(made, orbit(target, 5, arc=32.0), size=(320, 240))


@pytest.fixture(scope="module")
def room(capture, tmp_path_factory):
    """What came of five plain photos of a synthetic room with K, a damaged one, and label images."""
    folder = save(tmp_path_factory.mktemp("room") / "photos", [frame.rgb for frame in capture.frames])
    (folder / "02b.png").write_bytes((folder / "02.png").read_bytes()[:4000])
    K = capture.frames[0].camera.K
    np.savetxt(folder / "K.txt", K - [[0, 0, 0.5], [0, 0, 0.5], [0, 0, 0]])
    labels = folder.parent / "labels"
    labels.mkdir()
    for frame in capture.frames:
        ids = capture.labels.frames[frame.number].ids.astype(np.uint8)
        Image.fromarray(ids).save(labels / f"{frame.number:02d}.png")
    names = {str(k): v for k, v in capture.labels.names.items()}
    (labels / "labels.json").write_text(json.dumps({"kind": "instance", "names": names}))
    temporary = tmp_path_factory.mktemp("temporary")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tempfile, "tempdir", str(temporary))
        made = reconstruct_pictures([folder], labels=labels)
    assert not list(temporary.iterdir())
    return made


def test_photos_of_a_room_are_placed_and_what_is_damaged_leaves_its_number_out(room):
    assert [frame.number for frame in room.frames] == [1, 2, 4, 5, 6]
    assert all(frame.camera is not None for frame in room.frames)
    assert [item.name for item in room.skipped] == ["02b.png"]
    assert not room.scale.metric
    assert any(note.startswith("5 of 5 pictures placed") for note in room.notes)


def test_their_cameras_and_depth_are_right_up_to_scale(room, capture):
    pairs = [(a, b) for a in range(5) for b in range(a + 1, 5)]
    for a, b in pairs:
        found, true = (
            compose(invert(frames[a].camera.world_from_cam), frames[b].camera.world_from_cam)
            for frames in (room.frames, capture.frames)
        )
        assert rotation_angle(compose(invert(found), true)) < 2
        lengths = np.linalg.norm(found[:3, 3]), np.linalg.norm(true[:3, 3])
        assert found[:3, 3] @ true[:3, 3] / np.prod(lengths) > np.cos(np.radians(5))
    known = [found.depth.z > 0 for found in room.frames]
    assert min(k.mean() for k in known) > 0.25
    frames = zip(room.frames, capture.frames, known, strict=True)
    # The frames' lens was straightened; that moves pixels by less than one here.
    ratios = np.concatenate([true.depth.z[k] / found.depth.z[k] for found, true, k in frames])
    errors = np.abs(ratios / np.median(ratios) - 1)
    assert np.median(errors) < 0.03
    assert np.percentile(errors, 90) < 0.12


def test_their_label_images_name_objects(room, capture):
    assert set(room.labels.frames) == {1, 2, 4, 5, 6}
    same = room.labels.frames[4].ids == capture.labels.frames[3].ids
    assert same.mean() > 0.97


def test_poses_without_depth_get_depth_of_their_own_scale_and_stay_as_they_are(capture):
    plain = tuple(replace(frame, depth=None) for frame in capture.frames)
    found = depth_from_poses(plain, SETTINGS, silent)
    assert found.notes[0].startswith("depth measured between the pictures under the given poses")
    errors = []
    for made, true in zip(found.frames, capture.frames, strict=True):
        np.testing.assert_array_equal(made.camera.world_from_cam, true.camera.world_from_cam)
        known = made.depth.z > 0
        assert known.mean() > 0.25
        errors.append(np.abs(made.depth.z[known] / true.depth.z[known] - 1))
    assert np.median(np.concatenate(errors)) < 0.01
    assert np.percentile(np.concatenate(errors), 90) < 0.05
    assert 0.003 <= found.depth_sd <= 0.02


def test_pictures_that_share_nothing_have_no_depth_under_any_poses(capture):
    plain = tuple(replace(f, depth=None, read_rgb=lambda n=f.number: noise(n, (240, 320))) for f in capture.frames[:3])
    found = depth_from_poses(plain, SETTINGS, silent)
    assert all(frame.depth is None and frame.camera is not None for frame in found.frames)
    assert found.notes[0].startswith("no depth: ")
    assert found.depth_sd is None
    assert depth_from_poses(plain[:1], SETTINGS, silent).notes == ("depth cannot be measured from one picture",)


def test_four_views_a_quarter_turn_apart_are_refused_or_placed_where_they_were(shared_data):
    folder = shared_data / "dl3dv_four_views" / "32c0925b"
    photos = sorted(folder.glob("*.png"))
    try:
        made = reconstruct_pictures(photos)
    except UserError as error:
        assert all(photo.name in error.message for photo in photos)
        return
    reference = {frame.name: frame for frame in read_capture(need_capture(folder)).frames}
    placed = [frame for frame in made.frames if frame.camera is not None]
    for a, b in combinations(placed, 2):
        ours, true = (
            compose(invert(p.camera.world_from_cam), q.camera.world_from_cam)
            for p, q in ((a, b), (reference[a.name], reference[b.name]))
        )
        assert rotation_angle(compose(invert(ours), true)) < 5


@pytest.mark.parametrize("size", [(120, 160), (7, 9)])
def test_pictures_that_share_nothing_are_refused_by_name_with_what_to_do(tmp_path, capfd, size):
    folder = save(tmp_path / "noise", [noise(seed, size) for seed in range(3)])
    with pytest.raises(UserError) as caught:
        build([folder])
    assert "these 3 pictures do not overlap enough" in caught.value.message
    assert "images 1 (01.png), 2 (02.png), 3 (03.png) fit to no other" in caught.value.message
    assert "take more pictures between them" in caught.value.hint
    assert capfd.readouterr() == ("", "")


def test_one_picture_alone_is_refused_and_what_was_skipped_is_named(tmp_path):
    folder = save(tmp_path / "one", [noise(0)])
    (folder / "bad.png").write_bytes(b"no picture")
    with pytest.raises(UserError, match=r"one picture alone \(01\.png\) shows no depth \(skipped bad\.png: "):
        build([folder])
    with pytest.raises(UserError, match=r"bad\.png: .* leave out --strict"):
        build([folder], strict=True)


def test_photos_and_video_are_not_mixed(tmp_path):
    folder = save(tmp_path / "photos", [noise(0)])
    (tmp_path / "clip.mp4").write_bytes(b"")
    with pytest.raises(UserError, match=r"clip\.mp4 is a video and cannot be mixed"):
        build([folder, tmp_path / "clip.mp4"])


def pictures_of(folder, work, **options):
    work.mkdir()
    wanted = {"frames": None, "sampling": "uniform", "strict": False, "settings": SETTINGS, "progress": silent}
    return read_pictures([folder], work, **(wanted | options))


def test_a_focal_length_is_taken_from_a_file_only_when_it_is_for_pictures_of_that_size(tmp_path):
    folder = save(tmp_path / "photos", [noise(0), noise(1, (240, 320))])
    (folder / "K.txt").write_text("140 0 80\n0 140 60\n0 0 1\n")
    read = pictures_of(folder, tmp_path / "work")
    assert [p.focal for p in read.pictures] == [140, None]
    assert read.notes == ("focal length from K.txt", "K.txt is not for pictures of 320 x 240, so it is not used")
    assert read.pictures[0].lens != read.pictures[1].lens


def test_fewer_photos_keep_their_numbers_and_the_choice_is_said(tmp_path):
    folder = save(tmp_path / "photos", [noise(i, (20, 20)) for i in range(9)])
    read = pictures_of(folder, tmp_path / "work", frames=3)
    assert [p.number for p in read.pictures] == [2, 5, 8]
    assert [p.name for p in read.pictures] == ["02.png", "05.png", "08.png"]
    assert read.notes == ("3 of 9 photos used, uniform; numbers are those of all",)


def test_many_pictures_are_matched_with_neighbours_and_look_alikes():
    rng = np.random.default_rng(0)
    places = rng.random((20, 60, 128)).astype(np.float32) ** 4
    descriptors = [places[i % 20] + 0.01 * rng.random((60, 128)).astype(np.float32) for i in range(60)]
    pairs = set(likely_pairs(descriptors))
    assert {(i, i + 1) for i in range(59)} <= pairs
    assert {(i, i + 20) for i in range(40)} | {(i, i + 40) for i in range(20)} <= pairs
    assert len(pairs) < len(all_pairs(60)) / 1.5
    assert sorted(pairs) == sorted(likely_pairs(descriptors))


def test_lists_of_images_are_short_and_readable():
    assert name_list([3], "image") == "image 3"
    assert name_list([3, 4, 9], "image") == "images 3, 4 and 9"
    assert name_list(range(1, 31), "image").endswith("11, 12 and 18 more")


def test_a_model_that_depth_does_not_confirm_is_named_with_how_far_it_got(tmp_path):
    folder = save(tmp_path / "photos", [noise(i, (20, 20)) for i in range(3)])
    read = pictures_of(folder, tmp_path / "work")
    placed = {n: Placed(Lens("PINHOLE", 20, 20, (20, 20, 10, 10)), np.eye(4), np.zeros(0, np.int64)) for n in (1, 3)}
    model = Model(placed, np.zeros((0, 3)), np.zeros((0, 3), np.uint8), 0.5)
    error = too_little(read.pictures, [model], {1: 0.03, 3: 0.01}, [Skipped("x.png", "is empty")], SETTINGS)
    assert "image 2 (02.png) fits to no other" in error.message
    assert "images 1 (01.png), 3 (03.png) seem to fit, but depth measured from them disagrees" in error.message
    assert "at best 3% of a picture confirmed, 8% needed" in error.message
    assert "skipped x.png: is empty" in error.message


def test_real_photos_of_a_facade_become_a_memory_twice_the_same(shared_data, tmp_path, capfd):
    photos, _ = read_photos([shared_data / "sceaux_castle" / "images"], longest_side=360)
    folder = save(tmp_path / "facade", [photo.rgb for photo in photos[1:4]])
    memory = build([folder])
    assert capfd.readouterr() == ("", "")
    assert memory.provenance.backend == "sfm" and memory.unit == "units"
    assert len(memory.posed_frames) == 3
    assert len(memory.cloud) > 5000
    assert any("phone's is assumed" in note for note in memory.provenance.notes)
    again = build([folder])
    np.testing.assert_array_equal(again.cloud.points, memory.cloud.points)
