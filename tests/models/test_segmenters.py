"""The segmenters' whole code path on tiny random checkpoints of the same architectures, up to the objects of a memory.

Their masks are nonsense, so what is tested is that they are exactly what the models' own post-processing makes of the
same numbers, in the right frame and place, and that nothing runs on weights that are not there.
"""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import tiny_segmenters  # noqa: E402

import room_capture as room  # noqa: E402
from placecell.backends import auto  # noqa: E402
from placecell.backends.segment import running  # noqa: E402
from placecell.backends.segment.rows import ROWS  # noqa: E402
from placecell.backends.segment.running import Checkpoint, Device, in_batches, pick_device, pictures  # noqa: E402
from placecell.backends.table import find_backend  # noqa: E402
from placecell.errors import BackendUnavailable, UserError  # noqa: E402
from placecell.memory.scene import Frame  # noqa: E402

NAMES = [row.name for row in ROWS]
DIFFERENT = ["sam3", "groundingdino-sam2", "owlv2-sam"]  # every model once
PHRASES = ["chair", "coffee table"]
CPU = Device("cpu", 1)


@pytest.fixture(scope="session")
def weights(tmp_path_factory):
    torch.set_num_threads(1)
    return tiny_segmenters.save_all(tmp_path_factory.mktemp("models"))


@pytest.fixture(autouse=True)
def here(weights, monkeypatch, tmp_path):
    monkeypatch.setenv("PLACECELL_MODELS", str(weights))
    monkeypatch.setenv("PLACECELL_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("PLACECELL_DEVICE", raising=False)


def frame(number=1, size=(64, 48), seed=None):
    rng = np.random.default_rng(number if seed is None else seed)
    rgb = rng.integers(0, 256, (size[1], size[0], 3), dtype=np.uint8)
    return Frame(number, f"{number}.png", f"digest {number}", *size, lambda: rgb)


def segmenter(name, threshold=0.0):
    made = find_backend(name, "segmenter").segmenter()
    if name == "sam3":
        made._threshold = threshold
    else:
        made._detector.threshold = threshold
    return made


def whole(proposal, f):
    """The mask at the size of its frame."""
    mask = np.zeros((f.height, f.width), bool)
    left, top, right, bottom = proposal.bbox
    mask[top:bottom, left:right] = proposal.mask
    return mask


@pytest.mark.parametrize("name", DIFFERENT)
def test_build_looks_for_objects_and_the_second_time_needs_no_model(name, tmp_path, monkeypatch):
    room.seven_scenes(tmp_path / "room", room.views(3))
    memory = auto.build([tmp_path / "room"], objects=PHRASES, segmenter=name)
    assert memory.vocabulary == set(PHRASES)
    assert f"looked for chair, coffee table in 3 images with {name}: " in memory.provenance.notes[-1]
    settings = memory.provenance.settings["segmenter"]
    assert settings["name"] == name
    assert str(settings).count("sha256:") == len(find_backend(name).weights)
    assert len(memory.provenance.licences) == 1 + len(find_backend(name).weights)
    assert len(list((tmp_path / "cache").rglob("*.safetensors"))) == 3 * len(PHRASES)

    def load(self, device):
        raise AssertionError("the cache holds everything")

    monkeypatch.setattr(Checkpoint, "load", load)
    again = auto.build([tmp_path / "room"], objects=PHRASES, segmenter=name)
    assert [(i.name, i.box.centre.tolist(), i.confidence) for i in again.instances] == [
        (i.name, i.box.centre.tolist(), i.confidence) for i in memory.instances
    ]


@pytest.mark.parametrize("name", NAMES)
def test_masks_are_cut_to_what_they_cover_and_ranked_by_score(name):
    frames = [frame(1), frame(2), frame(3, size=(48, 64))]
    rows = list(segmenter(name).segment(frames, PHRASES))
    assert [len(row) > 0 for row in rows] == [True] * 3
    for f, row in zip(frames, rows, strict=True):
        for phrase in PHRASES:
            mine = [p for p in row if p.phrase == phrase]
            assert [p.score for p in mine] == sorted((p.score for p in mine), reverse=True)
        for p in row:
            left, top, right, bottom = p.bbox
            assert p.frame == f.number
            assert 0 <= left < right <= f.width
            assert 0 <= top < bottom <= f.height
            assert p.mask[0].any() and p.mask[-1].any() and p.mask[:, 0].any() and p.mask[:, -1].any()
            assert 0 <= p.score <= 1


@pytest.mark.parametrize("name", DIFFERENT)
def test_a_phrase_alone_and_a_picture_alone_give_what_they_give_in_company(name, monkeypatch):
    frames = [frame(1), frame(2), frame(3, size=(48, 64)), frame(4, size=(48, 64))]
    one = segmenter(name)
    alone = [[p for phrase in PHRASES for row in one.segment([f], [phrase]) for p in row] for f in frames]
    monkeypatch.setattr("placecell.backends.segment.sam3.pick_device", lambda: Device("cpu", 4))
    monkeypatch.setattr("placecell.backends.segment.boxed.pick_device", lambda: Device("cpu", 4))
    together = list(segmenter(name).segment(frames, PHRASES))
    for f, a, b in zip(frames, alone, together, strict=True):
        assert [(p.phrase, round(p.score, 4)) for p in a] == [(p.phrase, round(p.score, 4)) for p in b]
        for p, q in zip(a, b, strict=True):
            assert (whole(p, f) ^ whole(q, f)).mean() < 0.01


def test_sam3_is_cut_as_its_own_post_processing_cuts_it():
    f = frame(1, size=(61, 47))
    (row,) = segmenter("sam3").segment([f], ["lamp"])
    loaded = Checkpoint(find_backend("sam3").weights[0], "Sam3Model", "Sam3Processor").load(CPU)
    inputs = loaded.processor(images=pictures([f])[0], text="lamp", return_tensors="pt")
    with torch.inference_mode():
        output = loaded.model(**inputs)
    (expected,) = loaded.processor.post_process_instance_segmentation(
        output, threshold=0.0, target_sizes=[(f.height, f.width)]
    )
    order = expected["scores"].argsort(descending=True)
    masks = [m for m in expected["masks"][order].bool().numpy() if m.any()]
    assert len(masks) == len(row) > 0
    np.testing.assert_allclose([p.score for p in row], expected["scores"][order][: len(row)], atol=1e-5)
    for p, mask in zip(row, masks, strict=True):
        assert (whole(p, f) != mask).sum() <= 2  # rounding at the threshold


@pytest.mark.parametrize("name", ["owlv2-sam2", "groundingdino-sam2"])
def test_boxes_are_where_the_detectors_own_post_processing_puts_them(name):
    f = frame(5, size=(70, 42))
    made = segmenter(name)
    finder, _ = made._models
    with torch.inference_mode():
        ((found,),) = made._detector.detect(finder, [f], ["chair"])
        text = [["a photo of a chair"]] if name.startswith("owlv2") else "chair."
        inputs = finder.processor(text=text, images=pictures([f])[0], return_tensors="pt")
        output = finder.model(**inputs)
    more = {} if name.startswith("owlv2") else {"input_ids": inputs["input_ids"], "text_threshold": 0.0}
    (expected,) = finder.processor.post_process_grounded_object_detection(
        output, threshold=0.0, target_sizes=[(f.height, f.width)], **more
    )
    boxes = expected["boxes"].clone()
    boxes[:, 0::2] = boxes[:, 0::2].clamp(0, f.width)
    boxes[:, 1::2] = boxes[:, 1::2].clamp(0, f.height)
    assert len(found.boxes) > 0
    for box, score in zip(found.boxes, found.scores, strict=True):
        distance = (boxes - torch.tensor(box)).abs().amax(dim=1) + (expected["scores"] - score).abs()
        assert distance.min() < 1e-3


@pytest.mark.parametrize(("name", "size"), [("owlv2-sam2", (61, 47)), ("owlv2-sam", (61, 47)), ("owlv2-sam", (40, 90))])
def test_masks_of_boxes_are_those_of_the_models_own_processor(name, size):
    f = frame(6, size=size)
    made = segmenter(name)
    _, drawer = made._models
    boxes = np.array([[3.0, 5.0, 30.5, 40.25], [0.0, 0.0, size[0], size[1]]])
    picture = pictures([f])[0]
    with torch.inference_mode():
        mine = list(made._masker.masks(drawer, f, boxes))
        inputs = drawer.processor(images=picture, input_boxes=[boxes.tolist()], return_tensors="pt")
        sizes = {k: inputs.pop(k) for k in ("original_sizes", "reshaped_input_sizes") if k in inputs}
        output = drawer.model(**inputs, multimask_output=False)
        (expected,) = drawer.processor.post_process_masks(output.pred_masks, *sizes.values())
    for mask, other in zip(mine, expected[:, 0], strict=True):
        assert mask.shape == (f.height, f.width)
        assert (mask != other).sum() <= 2


@pytest.mark.parametrize("name", DIFFERENT)
def test_half_precision_says_nearly_the_same(name, monkeypatch):
    f = frame(7)
    (full,) = segmenter(name).segment([f], ["chair"])
    monkeypatch.setattr(Device, "half", True)
    made = segmenter(name)
    assert "float16" in str(made.settings)
    (half,) = made.segment([f], ["chair"])
    assert full and half
    assert half[0].score == pytest.approx(full[0].score, abs=0.02)


@pytest.mark.parametrize("name", ["sam3", "owlv2-sam2"])
def test_a_missing_weight_is_an_error_not_a_random_one(name, weights, tmp_path, monkeypatch):
    from safetensors.torch import load_file, save_file

    hub_id = find_backend(name).weights[-1].hub_id
    folder = copied(weights, tmp_path, hub_id, monkeypatch)
    tensors = load_file(folder / "model.safetensors")
    gone = sorted(tensors)[len(tensors) // 2]
    del tensors[gone]
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(BackendUnavailable, match=rf"1 weights of .* are not in .*{hub_id} \(first .*would be random"):
        list(segmenter(name).segment([frame()], ["chair"]))


@pytest.mark.parametrize("damage", [lambda p: p.write_bytes(p.read_bytes()[:5000]), lambda p: p.write_bytes(b"x" * 99)])
def test_damaged_weights_are_named_with_the_line_that_gets_them_again(damage, weights, tmp_path, monkeypatch):
    folder = copied(weights, tmp_path, "facebook/sam3", monkeypatch)
    damage(folder / "model.safetensors")
    with pytest.raises(BackendUnavailable, match=r"cannot be loaded as Sam3Model .*hf download facebook/sam3"):
        list(segmenter("sam3").segment([frame()], ["chair"]))


def copied(weights, tmp_path, hub_id, monkeypatch):
    """A copy of all checkpoints whose ``hub_id`` may be changed."""
    import shutil

    shutil.copytree(weights, tmp_path / "changed")
    monkeypatch.setenv("PLACECELL_MODELS", str(tmp_path / "changed"))
    return tmp_path / "changed" / hub_id


@pytest.mark.parametrize("name", ["sam3", "owlv2-sam2", "groundingdino-sam2"])
def test_a_phrase_that_the_model_would_cut_off_is_refused(name):
    with pytest.raises(UserError, match="use a shorter phrase"):
        list(segmenter(name).segment([frame()], [" ".join(["very"] * 300)]))


def test_where_memory_runs_out_fewer_pictures_go_together():
    frames = [frame(n) for n in range(1, 12)]
    sizes = []

    def run(group):
        sizes.append(len(group))
        if len(group) > 2:
            raise torch.OutOfMemoryError("out of memory")
        return [[f.number] for f in group]

    assert list(in_batches(frames, 8, run)) == [[n] for n in range(1, 12)]
    assert sizes == [8, 4, 2, 2, 2, 2, 2, 1]

    def never(group):
        raise torch.OutOfMemoryError("out of memory")

    with pytest.raises(UserError, match="memory does not hold one picture; set PLACECELL_DEVICE=cpu"):
        list(in_batches(frames, 8, never))


def test_a_device_that_is_not_there_is_refused(monkeypatch):
    assert pick_device().name in ("cpu", "cuda", "mps")
    for wish in ("nonsense", "meta:1:2"):
        monkeypatch.setenv("PLACECELL_DEVICE", wish)
        with pytest.raises(UserError, match=f"PLACECELL_DEVICE={wish} cannot be used"):
            pick_device()


def test_a_transformers_without_the_model_is_told_to_be_updated():
    with pytest.raises(BackendUnavailable, match=r"transformers .* has no Sam9Model; pip install -U"):
        running._class("Sam9Model")
