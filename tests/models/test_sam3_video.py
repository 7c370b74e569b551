"""SAM 3 on videos, a tiny random checkpoint: what the model's own loop over a whole video gives, frame by frame.

Its masks are nonsense; that they are the model's, that what it takes back is never told, and that it forgets frames is
not.
"""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import tiny_segmenters  # noqa: E402

import room_capture as room  # noqa: E402
from placecell.backends import auto  # noqa: E402
from placecell.backends.segment import sam3_video  # noqa: E402
from placecell.backends.segment.running import pictures  # noqa: E402
from placecell.backends.table import find_backend  # noqa: E402
from placecell.errors import UserError  # noqa: E402
from placecell.memory.ports import Tracker  # noqa: E402
from placecell.memory.scene import Frame  # noqa: E402

PHRASES = ["chair", "lamp"]
DELAY = 3
SETTINGS = {
    "hotstart_delay": DELAY,
    "hotstart_unmatch_thresh": 2,
    "hotstart_dup_thresh": 2,
    "trk_assoc_iou_thresh": 0.2,
    "score_threshold_detection": 0.3,
    "new_det_thresh": 0.3,
    "max_num_objects": 6,
}
"""With these, and this seed, two things are followed to the end and four are taken back."""


@pytest.fixture(scope="module")
def weights(tmp_path_factory):
    torch.set_num_threads(1)
    torch.manual_seed(1)
    root = tmp_path_factory.mktemp("models")
    tiny_segmenters.sam3_video(root / "facebook/sam3", **SETTINGS)
    return root


@pytest.fixture(autouse=True)
def here(weights, monkeypatch):
    monkeypatch.setenv("PLACECELL_MODELS", str(weights))
    monkeypatch.setenv("PLACECELL_DEVICE", "cpu")


@pytest.fixture(scope="module")
def video():
    """A patch that goes to the right, 56 x 42."""
    rng = np.random.default_rng(3)
    ground, patch = (rng.integers(0, 256, size, dtype=np.uint8) for size in ((42, 56, 3), (20, 20, 3)))

    def frame(k):
        rgb = ground.copy()
        rgb[10:30, 3 * k : 3 * k + 20] = patch
        return Frame(k + 1, f"{k + 1}.png", f"digest {k + 1}", 56, 42, lambda: rgb, time_s=0.2 * k)

    return [frame(k) for k in range(7)]


def whole(proposal, f):
    mask = np.zeros((f.height, f.width), bool)
    left, top, right, bottom = proposal.bbox
    mask[top:bottom, left:right] = proposal.mask
    return mask


def test_it_tells_what_the_models_own_loop_over_the_whole_video_tells(video):
    tracker = find_backend("sam3-video", "tracker").tracker()
    assert isinstance(tracker, Tracker)
    told = list(tracker.track(iter(video), PHRASES))
    loaded = tracker._loaded
    session = loaded.processor.init_video_session()
    session.processed_frames = {k: loaded.inputs(images=pictures([f])).pixel_values[0] for k, f in enumerate(video)}
    loaded.processor.add_text_prompt(session, PHRASES)
    outputs = list(loaded.model.propagate_in_video_iterator(session))
    assert len(told) == len(outputs) == len(video)
    seen = 0
    for f, mine, output in zip(video, told, outputs, strict=True):
        theirs = loaded.processor.postprocess_outputs(session, output, original_sizes=[[f.height, f.width]])
        masks = {int(i): m.numpy() for i, m in zip(theirs["object_ids"], theirs["masks"], strict=True) if m.any()}
        assert {p.identity - 1 for p in mine} == set(masks)
        for p in mine:
            assert p.frame == f.number
            assert p.identity - 1 in theirs["prompt_to_obj_ids"][p.phrase]
            np.testing.assert_array_equal(whole(p, f), masks[p.identity - 1])
            seen += 1
    assert seen >= len(video)


def test_what_the_model_takes_back_is_never_told_and_frames_are_forgotten(video):
    tracker = find_backend("sam3-video", "tracker").tracker()
    told = {p.identity for row in tracker.track(video, PHRASES) for p in row}
    followed = sam3_video._Video(tracker._loaded, PHRASES)
    outputs = [followed.seen(f) for f in video]
    session = followed._session
    taken_back = {i + 1 for i in session.hotstart_removed_obj_ids}
    assert taken_back and taken_back <= {i + 1 for i in outputs[0].obj_id_to_mask}
    assert told and not told & taken_back
    assert all(pixels is None for pixels in session.processed_frames.values())
    assert all(len(kept["non_cond_frame_outputs"]) <= 4 for kept in session.output_dict_per_obj.values())


def test_frames_are_taken_no_further_ahead_than_the_hot_start(video):
    taken = []

    def reading():
        for f in video:
            taken.append(f.number)
            yield f

    rows = find_backend("sam3-video", "tracker").tracker().track(reading(), ["chair"])
    next(rows)
    assert len(taken) == DELAY
    next(rows)
    assert len(taken) == DELAY + 1


def test_a_memory_of_a_capture_follows_with_the_tracker_and_says_so(tmp_path):
    room.seven_scenes(tmp_path / "room", room.views(4))
    memory = auto.build([tmp_path / "room"], dynamic=True, objects=PHRASES)
    assert memory.vocabulary >= set(PHRASES)
    assert "looked for chair, lamp in 4 frames with sam3-video" in memory.provenance.notes
    assert memory.provenance.settings["segmenter"]["name"] == "sam3-video"
    assert "sam3-video weights facebook/sam3: SAM License" in memory.provenance.licences


def test_a_phrase_that_the_model_would_cut_off_is_refused(video):
    with pytest.raises(UserError, match="use a shorter phrase"):
        next(find_backend("sam3-video", "tracker").tracker().track(video, [" ".join(["very"] * 300)]))
