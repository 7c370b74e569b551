"""Every feed-forward adapter through ``placecell.build``, on stand-ins for the models' packages.

The packages of ``tests/models/packages`` have the models' documented interfaces; their weights, saved by the test, are
the answer: a room that is known exactly, told in the model's own convention, frame and scale.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from safetensors.torch import save_file  # noqa: E402

import feedforward_scenes as scenes  # noqa: E402
import placecell  # noqa: E402
from placecell.backends.feedforward import pi3  # noqa: E402
from placecell.backends.feedforward.settings import RunSettings  # noqa: E402
from placecell.backends.table import find_backend  # noqa: E402
from placecell.errors import BackendUnavailable, UserError  # noqa: E402
from placecell.geometry.transforms import invert  # noqa: E402

PACKAGES = Path(__file__).parent / "packages"
MADE = ("known_scene", "pi3", "flow3r", "vggt", "depth_anything_3", "mapanything")

PI3, VGGT = (504, 378), (518, 392)  # the models' input for photos of 640 x 480


@pytest.fixture(autouse=True)
def packages(monkeypatch, tmp_path):
    """The stand-ins importable, and an empty folder of weights, for one test."""
    monkeypatch.syspath_prepend(str(PACKAGES))
    monkeypatch.setenv("PLACECELL_MODELS", str(tmp_path / "weights"))
    monkeypatch.setattr("placecell.backends.choice.has_gpu", lambda: False)
    yield
    for name in [n for n in sys.modules if n.split(".")[0] in MADE]:
        del sys.modules[name]


def checkpoint(name, arrays, tmp_path, **config):
    """Save the weights of a backend where ``PLACECELL_MODELS`` has them."""
    weights = find_backend(name).weights[0]
    folder = tmp_path / "weights" / weights.hub_id
    folder.mkdir(parents=True, exist_ok=True)
    tensors = {key: torch.tensor(np.asarray(value), dtype=torch.float32) for key, value in arrays.items()}
    (folder / "config.json").write_text(json.dumps({"of no use": 1, **config}))
    if "flow3r.bin" in weights.files:
        torch.save(tensors, folder / "flow3r.bin")
    else:
        save_file(tensors, folder / "model.safetensors")
    return folder


def named(names, values, **more):
    return {**dict(zip(names, values, strict=True)), **more}


def pi3_arrays(views):
    return named(("points", "logits", "poses"), scenes.point_maps(views))


def vggt_arrays(views):
    depth, confidence, encoding = scenes.vggt(views)
    head = {f"{h}.{k}": np.zeros(s) for h in ("point_head", "track_head") for k, s in (("weight", (1, 1)), ("bias", 1))}
    return {"z": depth, "sure": confidence, "encoding": encoding, **head}


def da3_arrays(views):
    return named(("z", "sure", "w2c", "lens"), scenes.da3(views))


def mapanything_arrays(views):
    return named(("z", "sure", "poses", "lens"), scenes.mapanything(views))


MODELS = {
    "pi3": (PI3, 0.0, pi3_arrays, {}, None),
    "pi3x": (PI3, 0.0, lambda v: {**pi3_arrays(v), "depth_emb": [0, 0]}, {}, "m"),
    "flow3r": (PI3, 0.0, pi3_arrays, {}, None),
    "vggt": (VGGT, 0.5, vggt_arrays, {}, None),
    "da3": (PI3, 2.5, da3_arrays, {"model_name": "da3-base"}, None),
    "da3-nested": (PI3, 2.5, da3_arrays, {"model_name": "da3nested-giant-large"}, "m"),
    "mapanything": (VGGT, -1.5, mapanything_arrays, {}, "m"),
}


def assert_is_the_room(memory, truth, scale=1.0):
    """Cameras, K at the photos' size and depth are the room's, up to the frame of the memory and ``scale``."""
    frames = memory.frames
    first, there = frames[0].camera.world_from_cam, truth[0].camera.world_from_cam
    for frame, view in zip(frames, truth, strict=True):
        np.testing.assert_allclose(
            frame.camera.K, view.camera.resized(frame.width, frame.height).K, rtol=2e-4, atol=0.1
        )
        found = invert(first) @ frame.camera.world_from_cam
        expected = invert(there) @ view.camera.world_from_cam
        np.testing.assert_allclose(found[:3, :3], expected[:3, :3], atol=1e-4)
        np.testing.assert_allclose(found[:3, 3], scale * expected[:3, 3], atol=1e-4)
        known = frame.depth.z > 0
        assert known.mean() > 0.5
        np.testing.assert_allclose(frame.depth.z[known], scale * view.z[known], rtol=1e-4)


@pytest.mark.parametrize("name", MODELS)
def test_the_memory_is_the_room_that_the_model_tells_of(name, tmp_path):
    size, shift, arrays, config, unit = MODELS[name]
    truth = scenes.scene(*size, shift=shift)
    checkpoint(name, arrays(truth), tmp_path, **config)
    memory = placecell.build(scenes.photos(tmp_path / "photos"), reconstructor=name).scene
    assert_is_the_room(memory, truth)
    row = find_backend(name)
    assert (memory.unit, memory.scale.source) == (("m", "model") if unit else ("units", None))
    assert row.metric == (unit == "m")
    assert memory.provenance.settings["input_size"] == list(size)
    assert memory.provenance.settings["weights"].startswith("sha256:")
    assert f"made by {name}, as asked" in memory.provenance.notes
    assert any(row.weights[0].licence in text for text in memory.provenance.licences)
    flagged = [note for note in memory.provenance.notes if note.startswith("WARNING: ") and "weights" in note]
    assert flagged == {
        "CC BY-NC 4.0": [
            f"WARNING: the weights {row.weights[0].hub_id} are for non-commercial use only (CC BY-NC 4.0)"
        ],
        "not stated": [f"WARNING: no licence is stated for the weights {row.weights[0].hub_id}"],
    }.get(row.weights[0].licence, [])


def test_pictures_of_mixed_shapes_keep_every_pixel_and_padding_is_no_depth(tmp_path):
    side = 504
    truth = scenes.scene(side, side)
    checkpoint("pi3", pi3_arrays(truth), tmp_path, height=side, width=side)
    folder = scenes.photos(tmp_path / "photos", sizes=((640, 480), (480, 640)))
    made = pi3.pi3().reconstruct([folder])
    for number, (frame, view) in enumerate(zip(made.frames, truth, strict=True)):
        wide = number % 2 == 0
        window = (slice(63, 441), slice(None)) if wide else (slice(None), slice(63, 441))
        left, top, width, height = (0, 63, 504, 378) if wide else (63, 0, 378, 504)
        assert frame.depth.z.shape == (height, width)
        known = frame.depth.z > 0
        assert known.mean() > 0.5
        np.testing.assert_allclose(frame.depth.z[known], view.z[window][known], rtol=1e-4)
        expected = view.camera.cropped(left, top, width, height).resized(frame.width, frame.height)
        np.testing.assert_allclose(frame.camera.K, expected.K, rtol=2e-4, atol=0.1)


def test_more_pictures_than_a_pass_takes_are_joined_to_one_place(tmp_path):
    truth = scenes.scene(*PI3, count=8)
    checkpoint("pi3", pi3_arrays(truth), tmp_path, views=8)
    made = reconstructed(tmp_path, RunSettings(window_cpu=5, overlap=2))
    assert_is_the_room(made, truth)
    assert any("in 2 windows of 5 pictures" in note for note in made.notes)


def test_where_memory_ends_the_windows_are_halved(tmp_path):
    truth = scenes.scene(*PI3, count=8)
    checkpoint("pi3", pi3_arrays(truth), tmp_path, views=8, most=4)
    made = reconstructed(tmp_path, RunSettings(overlap=2))
    assert_is_the_room(made, truth)
    assert made.settings["window"] == 4


def test_memory_that_ends_with_the_smallest_window_is_an_error(tmp_path):
    checkpoint("pi3", pi3_arrays(scenes.scene(*PI3)), tmp_path, most=1)
    with pytest.raises(UserError, match="4 pictures at once do not fit the memory"):
        placecell.build(scenes.photos(tmp_path / "photos"), reconstructor="pi3")


def reconstructed(tmp_path, settings):
    model = pi3.FeedForward(pi3.pi3().adapter, settings)
    return model.reconstruct([scenes.photos(tmp_path / "photos", count=8)])


def test_metres_from_one_photo_need_its_focal_length(tmp_path):
    (view,) = scenes.scene(*PI3, count=1, shift=0.0)
    focal = view.camera.K[0, 0]
    z = view.z * 300 / focal
    z[:20] = 99  # sky
    checkpoint("da3-metric", {"z": z[None]}, tmp_path, model_name="da3metric-large", views=1)
    folder = scenes.photos(tmp_path / "photos", count=1)
    with pytest.raises(UserError, match=r"needs a focal length, which 0.png does not state"):
        placecell.build(folder, reconstructor="da3-metric")
    f = focal * 640 / PI3[0]
    (folder / "K.txt").write_text(f"{f} 0 320\n0 {f} 240\n0 0 1\n")
    memory = placecell.build(folder, reconstructor="da3-metric").scene
    found = memory.frames[0].depth.z
    assert not found[:20].any()
    np.testing.assert_allclose(found[found > 0], view.z[found > 0], rtol=1e-4)
    assert memory.unit == "m"
    with pytest.raises(UserError, match="it takes one, not 2"):
        placecell.build(scenes.photos(tmp_path / "two", count=2), reconstructor="da3-metric")


def test_a_focal_length_that_differs_from_the_stated_one_is_told(tmp_path):
    checkpoint("pi3", pi3_arrays(scenes.scene(*PI3)), tmp_path)
    folder = scenes.photos(tmp_path / "photos")
    (folder / "K.txt").write_text("800 0 320\n0 800 240\n0 0 1\n")
    notes = pi3.pi3().reconstruct([folder]).notes
    assert "WARNING: the model's focal length is 0.80 of the one that the pictures state" in notes


def test_what_a_package_prints_stays_out_of_stdout(tmp_path, capsys):
    checkpoint("pi3", pi3_arrays(scenes.scene(*PI3)), tmp_path)
    pi3.pi3().reconstruct([scenes.photos(tmp_path / "photos")])
    printed = capsys.readouterr()
    assert printed.out == "" and "as the real package does" in printed.err


def test_a_focal_length_that_differs_across_and_down_is_told(tmp_path):
    truth = scenes.scene(*PI3)
    arrays = pi3_arrays(truth)
    arrays["points"][..., 0] *= 2
    checkpoint("pi3", arrays, tmp_path)
    notes = pi3.pi3().reconstruct([scenes.photos(tmp_path / "photos")]).notes
    assert any(note.startswith("WARNING: shapes are squashed in image 1, 2, 3, 4") for note in notes)


def test_metres_make_auto_take_a_metric_model_that_is_ready_even_without_a_gpu(tmp_path):
    checkpoint("pi3x", {**pi3_arrays(scenes.scene(*PI3)), "depth_emb": [0, 0]}, tmp_path)
    memory = placecell.build(scenes.photos(tmp_path / "photos"), metric=True).scene
    assert memory.provenance.backend == "pi3x"
    assert "asked for in metres: pi3x, slowly, for there is no GPU" in memory.provenance.notes[0]


def test_missing_weights_are_an_error_and_never_random(tmp_path):
    arrays = pi3_arrays(scenes.scene(*PI3))
    checkpoint("pi3", {k: v for k, v in arrays.items() if k != "poses"}, tmp_path)
    with pytest.raises(UserError, match=r"does not fit Pi3: it lacks weights \(poses\); install the version"):
        placecell.build(scenes.photos(tmp_path / "photos"), reconstructor="pi3")


def test_weights_that_the_model_has_no_use_for_are_told(tmp_path):
    checkpoint("pi3", {**pi3_arrays(scenes.scene(*PI3)), "extra": [1.0]}, tmp_path)
    notes = pi3.pi3().reconstruct([scenes.photos(tmp_path / "photos")]).notes
    assert "weights of the checkpoint that the model has no use for: extra" in notes


def test_weights_of_another_shape_are_an_error(tmp_path):
    checkpoint("pi3", pi3_arrays(scenes.scene(28, 14)), tmp_path)
    with pytest.raises(UserError, match="does not fit Pi3: size mismatch for points"):
        placecell.build(scenes.photos(tmp_path / "photos"), reconstructor="pi3")


def test_a_damaged_file_of_weights_is_named(tmp_path):
    folder = checkpoint("pi3", pi3_arrays(scenes.scene(*PI3)), tmp_path)
    (folder / "model.safetensors").write_bytes(b"\x10\0\0\0\0\0\0\0not json at all..")
    with pytest.raises(UserError, match=r"model.safetensors cannot be read: .*; download it again"):
        placecell.build(scenes.photos(tmp_path / "photos"), reconstructor="pi3")


class Harmful:
    def __reduce__(self):
        return (pytest.fail, ("code in a file of weights was run",))


def test_a_bin_file_with_anything_but_tensors_is_refused_and_nothing_in_it_runs(tmp_path):
    folder = checkpoint("flow3r", pi3_arrays(scenes.scene(*PI3)), tmp_path)
    torch.save({"poses": Harmful()}, folder / "flow3r.bin")
    with pytest.raises(UserError, match=r"flow3r\.bin cannot be read"):
        placecell.build(scenes.photos(tmp_path / "photos"), reconstructor="flow3r")


def test_weights_that_are_not_here_are_told_with_the_line_that_gets_them(tmp_path):
    with pytest.raises(BackendUnavailable, match=r"the weights yyfz233/Pi3X .* are not on this machine; hf download"):
        placecell.build(scenes.photos(tmp_path / "photos"), reconstructor="pi3x")


def test_mapanything_s_encoder_that_is_not_here_is_told_with_the_line_that_gets_it(tmp_path):
    checkpoint("mapanything", mapanything_arrays(scenes.scene(14, 14)), tmp_path, encoder_here=False)
    with pytest.raises(BackendUnavailable, match=r"no copy of its code on this machine; once, online: python -c"):
        placecell.build(scenes.photos(tmp_path / "photos"), reconstructor="mapanything")
