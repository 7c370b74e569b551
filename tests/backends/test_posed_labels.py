"""Labels given by the user: label images, polygons and boxes become named objects, and every misfit is an error."""

from __future__ import annotations

import json

import numpy as np
import pytest
from PIL import Image

import room_capture as room
from placecell.backends.auto import build
from placecell.backends.posed.polygons import draw_polygon
from placecell.errors import UserError

TRUE_SIZE = sorted(room.BOX_HIGH - room.BOX_LOW)
TRUE_CENTRE = (room.BOX_LOW + room.BOX_HIGH) / 2


@pytest.fixture(scope="module")
def shots():
    return room.views(7)


@pytest.fixture
def folder(tmp_path, shots):
    room.seven_scenes(tmp_path / "room", shots)
    return tmp_path / "room"


def label_folder(path, shots, kind="instance", names=None, ids=lambda s: np.where(s.ids == 2, 7, 0), suffix=".png"):
    path.mkdir()
    for i, shot in enumerate(shots):
        Image.fromarray(ids(shot).astype(np.uint8)).save(path / f"frame-{i:06d}.color{suffix}")
    (path / "labels.json").write_text(json.dumps({"kind": kind, "names": names or {"7": "chest"}}))
    return path


def check_box(instance, name="chest", tolerance=0.03):
    """The box of the room; the back and the underside are never seen, the visible sides reach their full length."""
    assert instance.name == name
    assert sorted(instance.upright_box.size) == pytest.approx(TRUE_SIZE, abs=tolerance)


@pytest.mark.parametrize("kind", ["instance", "class"])
def test_label_images_become_objects(tmp_path, folder, shots, kind):
    memory = build([folder], labels=label_folder(tmp_path / "labels", shots, kind))
    (chest,) = memory.instances
    check_box(chest)
    assert len(chest.views) == 7
    assert memory.vocabulary == {"chest"}
    assert any("labels of kind" in note for note in memory.provenance.notes)


def test_names_that_occur_nowhere_are_absent_not_unknown(tmp_path, folder, shots):
    labels = label_folder(tmp_path / "labels", shots, names={"7": "chest", "9": "sofa"})
    memory = build([folder], labels=labels)
    assert memory.object_names == ("chest",)
    assert memory.vocabulary == {"chest", "sofa"}


def test_16_bit_and_palette_label_images_are_ids(tmp_path, folder, shots):
    labels = label_folder(tmp_path / "labels", shots, names={"300": "chest"})
    for i, shot in enumerate(shots):
        Image.fromarray(np.where(shot.ids == 2, 300, 0).astype(np.uint16)).save(labels / f"frame-{i:06d}.color.png")
    check_box(build([folder], labels=labels).instances[0])
    for i, shot in enumerate(shots):
        image = Image.fromarray(np.where(shot.ids == 2, 7, 0).astype(np.uint8), mode="P")
        image.putpalette([0, 0, 0] * 7 + [255, 0, 0])
        image.save(labels / f"frame-{i:06d}.color.png")
    (labels / "labels.json").write_text(json.dumps({"kind": "instance", "names": {"7": "chest"}}))
    check_box(build([folder], labels=labels).instances[0])


def test_label_images_of_another_size_fit_when_the_shape_does(tmp_path, folder, shots):
    labels = label_folder(
        tmp_path / "labels", shots, ids=lambda s: np.kron(np.where(s.ids == 2, 7, 0), np.ones((2, 2), int))
    )
    check_box(build([folder], labels=labels).instances[0])


def test_the_captures_own_label_images_are_used_and_can_be_named(tmp_path, folder, shots):
    for i, shot in enumerate(shots):
        Image.fromarray(np.where(shot.ids == 2, 48, 0).astype(np.uint8)).save(folder / f"frame-{i:06d}.segm.png")
    memory = build([folder])
    check_box(memory.instances[0], "object 48")
    assert any("the capture names no label, so they are object 48" in note for note in memory.provenance.notes)
    names = tmp_path / "names.json"
    names.write_text(json.dumps({"kind": "class", "names": {"48": "chest"}}))
    check_box(build([folder], labels=names).instances[0])


def test_boxes_in_the_captures_world_become_objects(tmp_path, folder):
    boxes = tmp_path / "boxes.json"
    size = (room.BOX_HIGH - room.BOX_LOW).tolist()
    record = {"name": "chest", "centre": TRUE_CENTRE.tolist(), "size": size, "axes": np.eye(3).tolist()}
    boxes.write_text(json.dumps([record]))
    memory = build([folder], labels=boxes)
    (chest,) = memory.instances
    assert chest.box.size.tolist() == size
    assert len(chest.points) > 100
    assert len(chest.views) == 7
    # The depth maps, turned with the world, end where the box does.
    assert chest.box.distance(chest.points).max() < 0.02 * max(size) + 0.005
    british = [{"category": "chest", "center": TRUE_CENTRE.tolist(), "size": size}]
    boxes.write_text(json.dumps({"objects": british, "vocabulary": ["sofa"]}))
    again = build([folder], labels=boxes)
    np.testing.assert_allclose(again.instances[0].box.centre, chest.box.centre)
    assert again.vocabulary == {"chest", "sofa"}
    lines = tmp_path / "boxes.jsonl"
    spaced = record | {"note": "one\u2028two"}  # an end of a line to Python's splitlines, text to JSON
    lines.write_text(json.dumps(spaced, ensure_ascii=False) + "\n", encoding="utf-8")
    np.testing.assert_allclose(build([folder], labels=lines).instances[0].box.centre, chest.box.centre)


def outline(mask):
    """A polygon around a convex mask: its corners in angular order."""
    from scipy.spatial import ConvexHull

    rows, columns = np.nonzero(mask)
    corners = np.concatenate([np.stack([columns + a, rows + b], 1) for a in (0, 1) for b in (0, 1)])
    return corners[ConvexHull(corners).vertices].astype(float)


def polygon_ids(number, points):
    ids = np.zeros((40, 50), np.int32)
    draw_polygon(ids, number, np.asarray(points, np.float64))
    return ids


def test_polygons_cover_the_pixels_whose_centres_they_hold():
    mask = np.zeros((40, 50), bool)
    mask[10:20, 5:33] = True
    np.testing.assert_array_equal(polygon_ids(4, outline(mask)) == 4, mask)
    assert polygon_ids(1, [(10.6, 10.6), (10.9, 10.6), (10.9, 10.9)]).sum() == 0
    ids = polygon_ids(1, [(0, 0), (40, 0), (0, 40)])
    rows, columns = np.mgrid[:40, :50] + 0.5
    inside = rows + columns < 40
    assert (ids.astype(bool) ^ inside).sum() <= 40  # centres exactly on the edge may fall either way


def test_coco_polygons_become_objects(tmp_path, folder, shots):
    images, annotations = [], []
    for i, shot in enumerate(shots):
        images.append({"id": i, "file_name": f"frame-{i:06d}.color.png", "width": room.WIDTH, "height": room.HEIGHT})
        polygon = outline(shot.ids == 2).ravel().tolist()
        annotations.append({"id": i, "image_id": i, "category_id": 0, "segmentation": [polygon]})
    path = tmp_path / "coco.json"
    data = {"images": images, "annotations": annotations, "categories": [{"id": 0, "name": "chest"}]}
    path.write_text(json.dumps(data))
    check_box(build([folder], labels=path).instances[0], tolerance=0.06)
    del data["annotations"][0]["category_id"]
    path.write_text(json.dumps(data))
    with pytest.raises(UserError, match="no complete COCO file"):
        build([folder], labels=path)


def test_labelme_polygons_become_objects(tmp_path, folder, shots):
    labels = tmp_path / "labelme"
    labels.mkdir()
    for i, shot in enumerate(shots):
        shape = {"label": "chest", "points": outline(shot.ids == 2).tolist(), "shape_type": "polygon"}
        record = {"shapes": [shape], "imageWidth": room.WIDTH, "imageHeight": room.HEIGHT}
        (labels / f"frame-{i:06d}.color.json").write_text(json.dumps(record))
    check_box(build([folder], labels=labels).instances[0], tolerance=0.06)


def test_a_turned_photo_takes_its_label_image_along(tmp_path, folder, shots):
    exif = Image.Exif()
    exif[0x0112] = 8
    for photo in folder.glob("*.color.png"):
        Image.open(photo).save(photo, exif=exif)
    memory = build([folder], labels=label_folder(tmp_path / "labels", shots))
    check_box(memory.instances[0])
    assert memory.frames[0].height == room.WIDTH


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda p: (p / "labels.json").unlink(), r"has no labels\.json; add one"),
        (lambda p: (p / "labels.json").write_text("{}"), r"labels\.json: kind: Field required"),
        (
            lambda p: (p / "labels.json").write_text('{"kind": "thing", "names": {}}'),
            "kind: Input should be 'instance'",
        ),
        (lambda p: (p / "labels.json").write_text('{"kind": "class", "names": {"3": "x"}}'), "no name for the ids 7"),
        (lambda p: (p / "labels.json").write_text("["), "cannot be read as JSON"),
        (lambda p: [f.unlink() for f in p.glob("*.png")], "labels no photo of the capture"),
        (lambda p: Image.new("RGB", (160, 120)).save(p / "frame-000001.color.png"), "has 3 channels"),
        (lambda p: Image.new("L", (160, 160)).save(p / "frame-000001.color.png"), "another shape than the photo's"),
        (lambda p: (p / "frame-000001.color.png").write_bytes(b"x"), r"frame-000001\.color\.png is damaged"),
    ],
)
def test_labels_that_do_not_fit_are_errors_that_say_what(tmp_path, folder, shots, change, message):
    labels = label_folder(tmp_path / "labels", shots)
    change(labels)
    with pytest.raises(UserError, match=message):
        build([folder], labels=labels)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ([{"name": "a", "centre": [0, 0], "size": [1, 1, 1]}], r"boxes\.0\.centre\.2: Field required"),
        ([{"name": "a", "centre": [0, 0, 0], "size": [1, -1, 1]}], r"box 1 \(a\): size must not be negative"),
        (
            [{"name": "a", "centre": [0, 0, 0], "size": [1, 1, 1], "axes": [[1, 0, 0]] * 3}],
            "orthonormal",
        ),
        ({"things": []}, "Field required"),
        (5, "Input should be"),
    ],
)
def test_boxes_that_are_none_are_errors(tmp_path, folder, content, message):
    path = tmp_path / "boxes.json"
    path.write_text(json.dumps(content))
    with pytest.raises(UserError, match=message):
        build([folder], labels=path)


def test_a_label_path_that_does_not_exist_is_named(tmp_path, folder):
    with pytest.raises(UserError, match="nowhere: no such file or folder"):
        build([folder], labels=tmp_path / "nowhere")


def test_label_images_of_no_photo_are_counted(tmp_path, folder, shots):
    labels = label_folder(tmp_path / "labels", shots)
    Image.new("L", (160, 120)).save(labels / "stray.png")
    notes = build([folder], labels=labels).provenance.notes
    assert "1 label images belong to no photo used, first stray.png" in notes
