"""Named things in the frames of a video: a tracker before a segmenter, each frame with its own masks, and a record."""

import json

import numpy as np
import pytest

import room_capture as room
from placecell.backends import auto
from placecell.backends.dynamic.masks import Masks, open_masks
from placecell.backends.row import Backend
from placecell.errors import BackendUnavailable, UserError
from placecell.memory.ports import Proposal
from placecell.memory.scene import Frame


class Late:
    """A tracker that tells of a frame when it has seen two more; its mask is as wide as the frame's number."""

    name, settings = "late", {"threshold": 0.5}

    def track(self, frames, phrases):
        waiting = []
        for frame in frames:
            waiting.append(frame)
            if len(waiting) > 2:
                yield self.found(waiting.pop(0), phrases)
        for frame in waiting:
            yield self.found(frame, phrases)

    def found(self, frame, phrases):
        return [Proposal(frame.number, phrases[0], np.ones((20, frame.number), bool), (0, 0), identity=4)]


class AtOnce:
    """A segmenter with the same masks, without identity."""

    name, settings = "at-once", {}

    def segment(self, frames, phrases):
        for frame in frames:
            yield [Proposal(frame.number, phrases[0], np.ones((20, frame.number), bool), (0, 0))]


def frames(count):
    return [
        Frame(n, f"{n}.png", f"digest {n}", 64, 48, lambda: np.zeros((48, 64, 3), np.uint8))
        for n in range(3, 3 + count)
    ]


@pytest.mark.parametrize("finder", [Late(), AtOnce()])
@pytest.mark.parametrize("count", [0, 1, 2, 7])
def test_each_frame_is_given_back_once_in_order_with_its_own_masks(finder, count):
    told = list(Masks(("chair",), finder).found_in(iter(frames(count))))
    assert [frame.number for frame, _ in told] == list(range(3, 3 + count))
    assert all([p.mask.shape[1] for p in found] == [frame.number] for frame, found in told)


@pytest.fixture
def only_late(monkeypatch):
    row = Backend("late", "follows", f"{__name__}:Late", kind="tracker")
    monkeypatch.setattr("placecell.backends.dynamic.masks.all_backends", lambda: {"late": row})


def test_auto_takes_a_tracker_that_can_run_before_any_segmenter(only_late):
    assert isinstance(open_masks(["chair"], "auto").by, Late)
    assert isinstance(open_masks(["chair"], "late").by, Late)


def test_without_weights_nothing_follows_and_the_line_that_gets_them_is_told(monkeypatch, tmp_path):
    monkeypatch.setenv("PLACECELL_MODELS", str(tmp_path))
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    with pytest.raises(
        BackendUnavailable, match=r"sam3-video cannot run: .*(placecell\[models\]|hf download facebook/sam3)"
    ):
        open_masks(["chair"], "sam3-video")


def test_a_capture_is_followed_and_what_was_looked_for_is_known(only_late, tmp_path):
    room.seven_scenes(tmp_path / "room", room.views(6))
    memory = auto.build([tmp_path / "room"], dynamic=True, objects=["chairs", "grand piano"])
    assert memory.vocabulary >= {"chair", "grand piano"}
    assert "looked for chair, grand piano in 6 frames with late" in memory.provenance.notes
    assert memory.provenance.settings["segmenter"] == {"name": "late", "threshold": 0.5}
    (track,) = memory.tracks
    assert (track.id, track.name) == (4, "chair")
    assert [tuple(box) for box in track.bbox.tolist()] == [(0, 0, n, 20) for n in track.frames.tolist()]


def test_masks_of_a_few_frames_of_a_capture_are_enough(tmp_path):
    room.seven_scenes(tmp_path / "room", room.views(10))  # more than are decoded at a time
    image = {"id": 1, "file_name": "frame-000001.color.png", "width": room.WIDTH, "height": room.HEIGHT}
    drawn = {"id": 1, "image_id": 1, "category_id": 3, "segmentation": [[2, 2, 60, 2, 60, 40, 2, 40]]}
    file = {"images": [image], "annotations": [drawn], "categories": [{"id": 3, "name": "rug"}]}
    (tmp_path / "coco.json").write_text(json.dumps(file))
    memory = auto.build([tmp_path / "room"], dynamic=True, labels=tmp_path / "coco.json")
    assert "rug" in memory.vocabulary


@pytest.mark.parametrize(
    ("file", "message"),
    [
        ([{"name": "bed", "centre": [0, 0, 0], "size": [1, 1, 1]}], "say nothing about time"),
        ({"images": [], "annotations": [], "categories": []}, "labels no photo of the capture"),
    ],
)
def test_labels_that_a_video_cannot_use_are_refused(file, message, tmp_path):
    room.seven_scenes(tmp_path / "room", room.views(2))
    (tmp_path / "labels.json").write_text(json.dumps(file))
    with pytest.raises(UserError, match=message):
        auto.build([tmp_path / "room"], dynamic=True, labels=tmp_path / "labels.json")
