"""Captures: pictures that agree with each other and with the truth, in memory and as files that the reader takes."""

from __future__ import annotations

import numpy as np
import pytest

from placecell.backends.posed.labels import read_labels
from placecell.backends.posed.reading import open_shots, reconstruct
from placecell.backends.posed.seven_scenes import found, read
from placecell.backends.synthetic.capture import (
    Noise,
    default_views,
    make_room,
    photograph,
    vocabulary,
    write_capture,
)
from placecell.backends.synthetic.path import Views, around, walk
from placecell.backends.synthetic.perfect import perfect_memory
from placecell.errors import UserError
from placecell.geometry.transforms import apply, invert, rotation_angle

ROOM = make_room(5, "medium")
VIEWS = around(ROOM, 6)
SIZE = (160, 120)


@pytest.fixture(scope="module")
def capture():
    return photograph(ROOM, VIEWS, size=SIZE, frame="world")


def test_no_pixel_is_empty_and_every_labelled_point_lies_in_its_object(capture):
    by_id = {thing.id: thing for thing in ROOM.objects}
    for frame in capture.frames:
        ids = capture.labels.frames[frame.number].ids
        assert (frame.depth.z > 0).all()
        points = frame.depth.camera.unproject(frame.depth.z)
        for id_ in np.unique(ids[ids > 0]):
            # float32 depth is good to a tenth of a millimetre at these distances
            assert by_id[id_].box.contains(points[ids == id_], 1e-4).all()


def test_together_the_pictures_reach_all_sides_of_a_free_standing_object():
    room = make_room(5, "medium")
    thing = max((o for o in room.objects if o.mount == "floor" and o.name != "rug"), key=lambda o: o.box.volume)
    capture = photograph(room, around(room, 24), size=SIZE, frame="world", lit=False)
    seen = []
    for frame in capture.frames:
        mask = capture.labels.frames[frame.number].ids == thing.id
        seen.append(frame.depth.camera.unproject(frame.depth.z)[mask])
    local = thing.box.to_local(np.concatenate(seen))
    assert (np.ptp(local, axis=0) > 0.9 * thing.box.size).all()


def test_the_same_call_gives_the_same_bytes(capture):
    again = photograph(ROOM, VIEWS, size=SIZE, frame="world")
    assert [f.digest for f in again.frames] == [f.digest for f in capture.frames]
    assert all(np.array_equal(a.depth.z, b.depth.z) for a, b in zip(capture.frames, again.frames, strict=True))
    assert len({f.digest for f in capture.frames}) == len(capture.frames)


@pytest.mark.parametrize("frame", ["z-up", "camera"])
def test_another_recon_frame_moves_everything_rigidly(capture, frame):
    other = photograph(ROOM, VIEWS, size=SIZE, frame=frame, lit=False)
    recon_from_world = other.frames[0].camera.world_from_cam @ invert(capture.frames[0].camera.world_from_cam)
    for a, b in zip(capture.frames, other.frames, strict=True):
        assert np.allclose(recon_from_world @ a.camera.world_from_cam, b.camera.world_from_cam, atol=1e-9)
    up = recon_from_world[:3, :3] @ [0, 1, 0]
    assert other.up is None if frame == "camera" else np.allclose(other.up, up)
    if frame == "camera":
        assert np.allclose(other.frames[0].camera.world_from_cam, np.eye(4), atol=1e-9)


def test_noise_is_as_large_as_stated():
    noisy = photograph(ROOM, VIEWS, size=SIZE, frame="world", lit=False, noise=Noise(0.02, 0.05, 1.0))
    exact = photograph(ROOM, VIEWS, size=SIZE, frame="world", lit=False)
    ratios = np.concatenate([(a.depth.z / b.depth.z).ravel() for a, b in zip(noisy.frames, exact.frames, strict=True)])
    assert np.std(ratios) == pytest.approx(0.02, rel=0.05)
    assert noisy.depth_sd == 0.02
    shifts = [a.camera.centre - b.camera.centre for a, b in zip(noisy.frames, exact.frames, strict=True)]
    assert 0.02 < np.std(shifts) < 0.1
    turns = [
        rotation_angle(invert(a.camera.world_from_cam) @ b.camera.world_from_cam)
        for a, b in zip(noisy.frames, exact.frames, strict=True)
    ]
    assert 0.5 < np.mean(turns) < 4


def test_levels_decide_views_tilt_and_frame():
    easy, adversarial = make_room(1, "easy"), make_room(1, "adversarial")
    assert len(default_views(easy)) > len(default_views(adversarial))
    # A level camera's x axis is horizontal.
    assert np.allclose(default_views(easy).world_from_cam[:, 1, 0], 0, atol=1e-9)
    assert np.abs(default_views(adversarial).world_from_cam[:, 1, 0]).max() > 0.1


def test_a_video_has_times_and_photos_have_none(capture):
    video = photograph(ROOM, walk(ROOM, 3, every_s=0.5), size=(80, 60), lit=False)
    assert [f.time_s for f in video.frames] == [0.0, 0.5, 1.0]
    assert {f.time_s for f in capture.frames} == {None}


def test_the_vocabulary_has_every_name_and_more():
    assert set(ROOM.names) < vocabulary()
    assert "low table" not in vocabulary()


def test_a_written_capture_is_read_back_as_it_was(capture, tmp_path):
    folder = tmp_path / "room"
    write_capture(capture, folder)
    assert found(folder)
    shots, skipped, _ = open_shots(read(folder), frames=None)
    assert not skipped
    again = reconstruct(read(folder), shots, read_labels(folder / "labels", shots), skipped)
    assert again.labels.kind == "instance"
    assert again.labels.names == capture.labels.names
    for a, b in zip(capture.frames, again.frames, strict=True):
        assert np.allclose(a.camera.world_from_cam, b.camera.world_from_cam, atol=1e-8)
        assert np.allclose(a.camera.K, b.camera.K, atol=1e-6)
        assert np.array_equal(a.rgb, b.rgb)
        assert np.abs(a.depth.z - b.depth.z).max() <= 0.0005 + 1e-6
        assert np.array_equal(capture.labels.frames[a.number].ids, again.labels.frames[b.number].ids)


def test_a_folder_with_something_in_it_is_refused(capture, tmp_path):
    (tmp_path / "holiday.jpg").write_bytes(b"")
    with pytest.raises(UserError, match="not empty"):
        write_capture(capture, tmp_path)


def test_a_perfect_memory_is_the_truth():
    memory = perfect_memory(ROOM, VIEWS, size=SIZE)
    assert [i.name for i in memory.instances] == [o.name for o in ROOM.objects]
    for instance, thing in zip(memory.instances, ROOM.objects, strict=True):
        assert instance.box is thing.box
        assert thing.box.contains(instance.points, 1e-5).all()
        shown = {view.frame for view in instance.views}
        pixels = {f.number: (f.depth.camera.project(instance.points).in_view).any() for f in memory.frames}
        assert all(pixels[number] for number in shown)
    assert memory.layout.floor_area == ROOM.floor_area
    # A point of the cloud projects to the pixel it came from.
    frame = memory.frames[2]
    mine = memory.cloud.select(memory.cloud.frame == frame.number)
    assert np.allclose(frame.camera.project(mine.points).pixels, mine.pixel, atol=1e-2)
    assert np.allclose(apply(np.eye(4), mine.points)[:, 1].min(), 0, atol=0.02)


def test_a_perfect_memory_needs_no_picture():
    memory = perfect_memory(ROOM)
    assert memory.frames == ()
    assert len(memory.cloud) == 0
    assert len(memory.instances) == len(ROOM.objects)


def test_views_count_pictures():
    assert len(Views(np.stack([np.eye(4)] * 3))) == 3
