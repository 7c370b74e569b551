"""Masks as annotation tools write them: run-length codes, COCO, LabelMe, NumPy archives; right, or refused by name."""

from __future__ import annotations

import base64
import io
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

import room_capture as room
from placecell.backends.auto import build
from placecell.backends.posed import rle
from placecell.backends.posed.coco import coco
from placecell.backends.posed.labelme import labelme
from placecell.backends.posed.mask_files import mask_archives
from placecell.errors import UserError

WIDTH, HEIGHT = 10, 7

# Codes written by cocoapi (pycocotools 2.0) of masks (h, w), here as packed bits.
GOLDEN = [
    ((3, 4), "<", "0000"),
    ((3, 4), "0<", "fff0"),
    ((3, 4), "01;", "8000"),
    ((3, 4), ";1", "0010"),
    ((7, 10), "g0430000000<", "000001f07c1f07c000"),
    ((5, 4), "11100000000000000000", "5a5a50"),
    ((6, 7), "111000001011N00O0333OJN", "1f98d5257680"),
]


def runs_of(mask):
    """Uncompressed counts, the slow way."""
    flat, runs, value = mask.T.ravel().tolist(), [0], False
    for pixel in flat:
        if pixel != value:
            runs.append(0)
            value = pixel
        runs[-1] += 1
    return runs


def compressed(runs):
    """The text code of runs, written from its description: differences, 5 bits at a time, signed."""
    text = ""
    for i, run in enumerate(runs):
        number = run - runs[i - 2] if i > 2 else run
        while True:
            group, number = number & 31, number >> 5
            more = number != (-1 if group & 16 else 0)
            text += chr(48 + group + 32 * more)
            if not more:
                break
    return text


@pytest.mark.parametrize(("shape", "code", "bits"), GOLDEN)
def test_codes_of_the_reference_are_read_as_it_wrote_them(shape, code, bits):
    packed = np.frombuffer(bytes.fromhex(bits), np.uint8)
    expected = np.unpackbits(packed, count=shape[0] * shape[1]).reshape(shape).astype(bool)
    np.testing.assert_array_equal(rle.decode(code, *shape), expected)
    np.testing.assert_array_equal(rle.decode(runs_of(expected), *shape), expected)


@settings(max_examples=40)
@given(st.integers(1, 40), st.integers(1, 40), st.integers(0, 2**32), st.sampled_from([0, 0.002, 0.1, 0.5, 1]))
def test_every_mask_survives_its_code(height, width, seed, share):
    mask = np.random.default_rng(seed).random((height, width)) < share
    np.testing.assert_array_equal(rle.decode(runs_of(mask), height, width), mask)
    np.testing.assert_array_equal(rle.decode(compressed(runs_of(mask)), height, width), mask)


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        ([5], "its runs cover 5 pixels, not 4 x 3"),
        ([-1, 13], "a run of negative length"),
        ("<<", "its runs cover 24 pixels"),
        ("0", "its runs cover 0 pixels"),
        ("\x7f", "is not part of a run-length code"),
        ("o", "is cut off"),
        ("o" * 40, "is not part of a run-length code"),
        ([[6], [6]], "a run of negative length"),
    ],
)
def test_codes_that_are_none_are_refused(counts, message):
    with pytest.raises(ValueError, match=message):
        rle.decode(counts, 3, 4)


def block(left, top, right, bottom):
    mask = np.zeros((HEIGHT, WIDTH), bool)
    mask[top:bottom, left:right] = True
    return mask


def coco_file(*annotations, categories=("chair", "table")):
    return {
        "images": [{"id": 3, "file_name": "val/a.jpg", "width": WIDTH, "height": HEIGHT}],
        "annotations": [{"id": i, "image_id": 3, "category_id": 0, **a} for i, a in enumerate(annotations, 1)],
        "categories": [{"id": i, "name": name} for i, name in enumerate(categories)],
    }


def test_coco_masks_of_every_kind_are_drawn_in_order():
    square = block(2, 1, 6, 5)
    plain = {"segmentation": {"size": [HEIGHT, WIDTH], "counts": runs_of(square)}}
    packed = {"segmentation": {"size": [HEIGHT, WIDTH], "counts": compressed(runs_of(block(4, 0, 8, 3)))}}
    polygon = {"segmentation": [[0, 5, 3, 5, 3, 7, 0, 7]], "category_id": 1}
    drawn = coco(coco_file(plain, {**packed, "category_id": 1}, polygon), Path("x.json"))
    expected = square.astype(int)
    expected[block(4, 0, 8, 3)] = 2
    expected[block(0, 5, 3, 7)] = 2
    assert drawn.names == {1: "chair", 2: "table"}
    assert drawn.kind == "class"
    np.testing.assert_array_equal(drawn.ids["val/a.jpg"](), expected)


def test_coco_tracks_are_single_objects_and_crowds_are_none():
    square = {"segmentation": [[0, 0, 4, 0, 4, 4, 0, 4]]}
    crowd = {"segmentation": {"size": [HEIGHT, WIDTH], "counts": [70]}, "iscrowd": 1}
    drawn = coco(coco_file({**square, "track_id": 40}, {**square, "track_id": 7}, crowd), Path("x.json"))
    assert drawn.kind == "instance"
    assert drawn.names == {1: "chair", 2: "chair"}
    assert drawn.vocabulary == {"chair", "table"}
    assert np.unique(drawn.ids["val/a.jpg"]()).tolist() == [0, 1]
    assert drawn.notes == ("1 crowds of x.json left out: they outline many objects at once",)


@pytest.mark.parametrize(
    ("annotation", "message"),
    [
        ({"image_id": 9}, r"x\.json, annotation 1: there is no image 9"),
        ({"category_id": 9}, r"x\.json, annotation 1: there is no category 9"),
        ({"category_id": "chair"}, r"no complete COCO file: annotations\.0\.category_id"),
        ({"segmentation": [[0, 0, 4, 4]]}, r"annotation 1: a polygon of 2 corners"),
        ({"segmentation": [[0, 0, 4, 4, float("nan"), 1]]}, "a corner that is not finite"),
        ({"segmentation": [[0, 0, 4, 4, 1]]}, "annotation 1: cannot reshape"),
        ({"segmentation": {"size": [WIDTH, HEIGHT], "counts": [70]}}, r"its mask is of size \[10, 7\], its photo"),
        ({"segmentation": {"size": [HEIGHT, WIDTH], "counts": [69]}}, "annotation 1: its runs cover 69 pixels"),
        ({"segmentation": {"size": [HEIGHT, WIDTH], "counts": None}}, "annotation 1: "),
        ({"segmentation": []}, r"x\.json has boxes without masks"),
    ],
)
def test_coco_entries_that_do_not_fit_are_named(annotation, message):
    square = {"segmentation": [[0, 0, 4, 0, 4, 4, 0, 4]]}
    with pytest.raises(UserError, match=message):
        coco(coco_file({**square, **annotation}), Path("x.json")).ids["val/a.jpg"]()


def labelme_file(*shapes):
    return {"shapes": list(shapes), "imageWidth": WIDTH, "imageHeight": HEIGHT}


def shape(kind, points, label="chair", **more):
    return {"label": label, "points": points, "shape_type": kind, **more}


def test_labelme_shapes_cover_what_they_show():
    png = io.BytesIO()
    Image.fromarray(np.array([[1, 0], [1, 1]], np.uint8) * 255).save(png, "PNG")
    painted = shape("mask", [[8, 5], [10, 7]], "lamp", mask=base64.b64encode(png.getvalue()).decode())
    file = labelme_file(
        shape("rectangle", [[4, 3], [1, 1]]),
        shape("circle", [[6, 3], [7.6, 3]], "table"),
        painted,
        shape("point", [[1, 1]], "speck"),
    )
    drawn = labelme({"a": file}, Path("folder"))
    names = {name: i for i, name in drawn.names.items()}
    ids = drawn.ids["a"]()
    np.testing.assert_array_equal(ids == names["chair"], block(1, 1, 4, 3))
    rows, columns = np.mgrid[:HEIGHT, :WIDTH] + 0.5
    np.testing.assert_array_equal(ids == names["table"], (rows - 3) ** 2 + (columns - 6) ** 2 < 1.6**2)
    expected = block(8, 5, 10, 7)
    expected[5, 9] = False
    np.testing.assert_array_equal(ids == names["lamp"], expected)
    assert drawn.notes == ("1 points and lines of folder left out: they cover no area",)


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (shape("polygon", [[0, 0], [1, 1]]), r"a\.json, shape 1 \(chair\): a polygon of 2 corners"),
        (shape("rectangle", [[0, 0]]), "a rectangle has 2 points, not 1"),
        (shape("rectangle", [[0, 0], [9, float("inf")]]), "a corner that is not finite"),
        (shape("ellipse", [[0, 0], [1, 1]]), "shapes of type 'ellipse' are not known"),
        (shape("mask", [[0, 0]], mask="%%"), r"shape 1 \(chair\)"),
        (shape("mask", [[0, 0]], mask="AAAA"), r"shape 1 \(chair\): cannot identify image"),
        ({"points": []}, r"a\.json is an incomplete LabelMe file: shapes\.0\.label"),
    ],
)
def test_labelme_shapes_that_are_none_are_named(made, message):
    with pytest.raises(UserError, match=message):
        labelme({"a": labelme_file(made)}, Path("folder")).ids["a"]()


def test_of_overlapping_archived_masks_the_best_score_wins(tmp_path):
    masks = np.stack([block(0, 0, 6, 6), block(3, 3, 9, 7)])
    names = np.array(["chair", "table"])
    np.savez(tmp_path / "a.npz", masks=masks, names=names, scores=[0.9, 0.2])
    np.savez_compressed(tmp_path / "b.npz", masks=masks.astype(np.uint8), names=names)
    drawn = mask_archives({p.stem: p for p in tmp_path.glob("*.npz")})
    assert drawn.ids["a"]()[4, 4] == 1
    assert drawn.ids["b"]()[4, 4] == 2


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"masks": np.ones((1, 7, 10), bool)}, r"a\.npz has no names, it holds masks"),
        ({"masks": np.ones((7, 10), bool), "names": ["x"]}, r"masks is bool \(7, 10\), with 1 names"),
        ({"masks": np.ones((2, 7, 10), bool), "names": ["x"]}, r"masks is bool \(2, 7, 10\), with 1 names"),
        ({"masks": np.ones((1, 7, 10)), "names": ["x"]}, "masks is float64"),
        ({"masks": np.ones((1, 7, 10), bool), "names": [1]}, "names is int64"),
        ({"masks": np.ones((1, 7, 10), bool), "names": [" "]}, "name 1 is empty"),
        ({"masks": np.ones((1, 7, 10), bool), "names": np.array(["x"], object)}, "names cannot be read"),
        ({"masks": np.ones((1, 7, 10), bool), "names": ["x"], "scores": [np.nan]}, "scores is float64"),
    ],
)
def test_archives_that_hold_something_else_are_named(tmp_path, arrays, message):
    np.savez(tmp_path / "a.npz", **arrays)
    with pytest.raises(UserError, match=message):
        mask_archives({"a": tmp_path / "a.npz"}).ids["a"]()


def test_a_damaged_archive_is_named(tmp_path):
    for content in (b"x", b"PK\x03\x04", np.arange(3).tobytes()):
        (tmp_path / "a.npz").write_bytes(content)
        with pytest.raises(UserError, match=r"a\.npz: names cannot be read"):
            mask_archives({"a": tmp_path / "a.npz"})


@pytest.fixture(scope="module")
def shots():
    return room.views(5)


@pytest.fixture
def folder(tmp_path, shots):
    room.seven_scenes(tmp_path / "room", shots)
    return tmp_path / "room"


def frame_name(i):
    return f"frame-{i:06d}.color"


def check_chest(memory, shots):
    (chest,) = memory.instances
    assert chest.name == "chest"
    assert len(chest.views) == len(shots)
    assert sorted(chest.upright_box.size) == pytest.approx(sorted(room.BOX_HIGH - room.BOX_LOW), abs=0.06)


def test_archives_of_masks_and_of_ids_become_objects(tmp_path, folder, shots):
    masks, ids = tmp_path / "masks", tmp_path / "ids"
    for path in (masks, ids):
        path.mkdir()
    for i, shot in enumerate(shots):
        np.savez(masks / f"{frame_name(i)}.npz", masks=[shot.ids == 2], names=["chest"], scores=[0.8])
        np.savez(ids / f"{frame_name(i)}.npz", ids=np.where(shot.ids == 2, 70_000, 0))
    check_chest(build([folder], labels=masks), shots)
    (ids / "labels.json").write_text(json.dumps({"kind": "instance", "names": {"70000": "chest", "3": "sofa"}}))
    memory = build([folder], labels=ids)
    check_chest(memory, shots)
    assert memory.vocabulary == {"chest", "sofa"}
    np.savez(ids / f"{frame_name(0)}.npz", ids=-np.ones((room.HEIGHT, room.WIDTH), int))
    with pytest.raises(UserError, match=r"frame-000000\.color\.npz holds ids from -1 to -1"):
        build([folder], labels=ids)


def coco_of(shots, name=lambda i: f"{frame_name(i)}.png"):
    size = {"width": room.WIDTH, "height": room.HEIGHT}
    codes = [{"size": [room.HEIGHT, room.WIDTH], "counts": compressed(runs_of(s.ids == 2))} for s in shots]
    return {
        "images": [{"id": i, "file_name": name(i), **size} for i in range(len(shots))],
        "annotations": [
            {"id": i, "image_id": i, "category_id": 5, "track_id": 2, "segmentation": c} for i, c in enumerate(codes)
        ],
        "categories": [{"id": 5, "name": "chest"}, {"id": 6, "name": "piano"}],
    }


def test_a_coco_file_of_tracked_run_length_masks_becomes_objects(tmp_path, folder, shots):
    path = tmp_path / "coco.json"
    path.write_text(json.dumps(coco_of(shots, lambda i: f"elsewhere\\{frame_name(i)}.png")))
    memory = build([folder], labels=path)
    check_chest(memory, shots)
    assert memory.vocabulary == {"chest", "piano"}
    assert any("one object a track" in note for note in memory.provenance.notes)


def test_labels_that_may_mean_two_photos_or_a_photo_two_labels_are_refused(tmp_path, folder, shots):
    path = tmp_path / "coco.json"
    path.write_text(json.dumps(coco_of(shots, lambda i: f"{'ab'[i % 2]}/{frame_name(i // 2)}.png")))
    with pytest.raises(UserError, match=r"has several labels that frame-000000\.color\.png may mean: a/"):
        build([folder], labels=path)
