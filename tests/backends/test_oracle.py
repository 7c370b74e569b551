"""Annotation files as perfect memories."""

import json

import numpy as np
import pytest

from placecell.backends import oracle
from placecell.errors import UserError

TILT = np.array([[0.8, 0.6, 0.0], [-0.6, 0.8, 0.0], [0.0, 0.0, 1.0]])


def box(category, center, size=(1.0, 1.0, 1.0), axes=TILT, duplicate=False):
    return {
        "category": category,
        "center": center,
        "size": size,
        "axes": np.asarray(axes).tolist(),
        "duplicate": duplicate,
    }


def scene(name="attic", counts=None, boxes=(), **fields):
    counts = counts if counts is not None else {}
    return {"dataset": "own", "scene_name": name, "object_counts": counts, "objects": list(boxes), **fields}


@pytest.fixture
def write(tmp_path):
    def write_lines(*records, name="scenes.jsonl"):
        path = tmp_path / name
        path.write_text("\n".join(json.dumps(r) for r in records))
        return path

    return write_lines


def test_a_box_stands_upright_on_the_floor_with_its_rows_as_axes(write):
    path = write(scene(boxes=[box("bed", [1.0, 2.0, 5.0], [2.0, 1.0, 0.5])], counts={"bed": 1}))
    bed = oracle.load_oracle(path, "attic").instances[0]
    assert bed.centre == pytest.approx([1.0, 0.25, -2.0])  # z up becomes y up, the lowest box stands on y = 0
    along = bed.box.axes[np.argmax(bed.box.size)]
    assert np.abs(along) == pytest.approx([0.8, 0.0, 0.6])
    assert bed.upright_box.size == pytest.approx([2.0, 0.5, 1.0])


def test_metres_room_area_and_the_counted_names_are_taken_over(write):
    path = write(
        scene("attic", {"bed": 1}, [box("bed", [0, 0, 0])], room_size_m2=26.4),
        scene("cellar", {"sofa": 1}, [box("sofa", [0, 0, 0])]),
    )
    memory = oracle.load_oracle(path, "attic")
    assert memory.scale.metric
    assert memory.layout.floor_area == 26.4
    assert memory.vocabulary == {"bed"}  # what another scene has says nothing about this one
    assert memory.object_names == ("bed",)
    assert len(memory.cloud) == 0


def test_duplicates_and_fragments_are_left_out_so_that_the_stated_counts_hold(write):
    boxes = [
        box("printer", [0, 0, 0]),
        box("printer", [0, 0, 0], duplicate=True),
        box("chair", [1, 0, 0]),
        box("chair", [2, 0, 0], [0.1, 0.1, 0.1]),
    ]
    memory = oracle.load_oracle(write(scene(counts={"printer": 1, "chair": 1}, boxes=boxes)), "attic")
    assert [i.name for i in memory.instances] == ["printer", "chair"]
    assert memory.instances[1].box.longest == 1.0
    assert memory.provenance.notes == ("1 of 2 chair boxes left out as fragments: the file counts 1",)


def test_a_speck_that_reaches_into_its_own_kind_is_a_piece_of_it(write):
    boxes = [
        box("fridge", [0, 0, 0]),
        box("fridge", [0.5, 0, 0], [0.1, 0.1, 0.1]),
        box("cup", [0, 0, 0.5], [0.1, 0.1, 0.1]),
    ]
    memory = oracle.load_oracle(write(scene(counts={"fridge": 2, "cup": 1}, boxes=boxes)))
    assert [i.name for i in memory.instances] == ["fridge", "cup"]
    assert memory.provenance.notes == ("a fridge box left out: it is a piece of the fridge it touches",)


def test_a_stated_count_without_enough_boxes_is_noted(write):
    memory = oracle.load_oracle(write(scene(counts={"window": 3}, boxes=[box("window", [0, 0, 0])])))
    assert memory.provenance.notes == ("the file counts 3 window but gives 1 boxes",)


def test_an_unknown_scene_names_near_ones(write):
    path = write(scene("scene0011_00"), scene("scene0011_01"), scene("kitchen"))
    with pytest.raises(UserError, match=r"did you mean scene0011_0\d"):
        oracle.load_spec(f"oracle:{path}#scene0011_02")
    with pytest.raises(UserError, match="holds 3 scenes; name one"):
        oracle.load_spec(f"oracle:{path}")


@pytest.mark.parametrize("spec", ["oracle:", "boxes.jsonl#a", "oracle:#a"])
def test_a_spec_without_a_file_is_refused(spec):
    with pytest.raises(UserError, match="names no annotation file"):
        oracle.load_spec(spec)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("{", "line 1"),
        ('{"a": 1}', "neither a scene"),
        ("[1]", "neither a scene"),
        ('{"scene_name": "attic", "objects": [{"category": "bed"}]}', "objects.0.center"),
        (json.dumps(scene(boxes=[box("bed", [0, 0, 0], axes=np.ones((3, 3)))])), "orthonormal"),
        (json.dumps(scene(boxes=[box("bed", [0, 0, 0], [-1.0, 1.0, 1.0])])), "negative"),
    ],
)
def test_a_broken_line_is_named(tmp_path, line, words):
    path = tmp_path / "scenes.jsonl"
    path.write_text(line)
    with pytest.raises(UserError, match=words):
        oracle.load_oracle(path)


def test_a_scene_that_is_there_twice_is_named(write):
    path = write(scene("attic"), scene("cellar"), scene("attic", boxes=[box("bed", [0, 0, 0])]))
    with pytest.raises(UserError, match="line 3: the scene attic is there a second time"):
        oracle.load_oracle(path, "attic")


@pytest.mark.parametrize("kind", [-1, 10, 0.5])
def test_a_class_that_does_not_exist_is_named(tmp_path, kind):
    np.save(tmp_path / "room_bbox.npy", [[0, 0, 0, 1, 1, 1, 0, kind]])
    with pytest.raises(UserError, match=f"no class {kind:g}"):
        oracle.load_oracle(tmp_path / "room_bbox.npy")


def test_a_missing_or_foreign_file_is_named(tmp_path):
    with pytest.raises(UserError, match="no such file"):
        oracle.load_oracle(tmp_path / "absent.jsonl")
    (tmp_path / "notes.md").write_text("hello")
    with pytest.raises(UserError, match="not an annotation file"):
        oracle.load_oracle(tmp_path / "notes.md")


def test_every_benchmark_scene_loads_with_its_counts(shared_bench):
    path = shared_bench / "vsibench" / "oracle_scenes.jsonl"
    counts = {r["scene_name"]: r["object_counts"] for r in map(json.loads, path.read_text().splitlines())}
    short = 0
    for name, memory in oracle.load_all(path):
        have = {n: sum(i.name == n for i in memory.instances) for n in counts[name]}
        short += sum(have[n] != stated for n, stated in counts[name].items())
        assert min(i.box.corners[:, 1].min() for i in memory.instances) == pytest.approx(0.0, abs=1e-9)
    assert short == 2  # one scene counts 7 windows and has boxes for 5; a refrigerator is counted twice for a speck


def test_photos_from_one_standing_point_are_turned_as_stated(shared_bench):
    memory = oracle.load_oracle(shared_bench / "mindcube_rotation" / "questions.jsonl", "0122_01")
    assert [f.number for f in memory.frames] == [1, 2, 3]
    assert not memory.scale.metric
    for frame, thing in zip(memory.frames, memory.instances, strict=True):
        assert frame.camera.centre == pytest.approx([0, 0, 0])
        pixel = frame.camera.project(thing.centre).pixels
        assert pixel == pytest.approx([frame.width / 2, frame.height / 2])
        assert frame.rgb.shape == (frame.height, frame.width, 3)
    first, second = (f.camera for f in memory.frames[:2])
    assert second.world_from_cam[:3, 2] == pytest.approx(first.world_from_cam[:3, 0])  # the next one looks right


def test_replica_boxes_stand_on_the_floor(shared_data):
    memory = oracle.load_spec(f"oracle:{shared_data / 'replica_boxes' / 'info_semantic_room0.json'}")
    by_name = {i.name: i for i in memory.instances}
    assert by_name["floor"].centre[1] < by_name["sofa"].centre[1] < by_name["ceiling"].centre[1]
    assert by_name["ceiling"].centre[1] - by_name["floor"].centre[1] == pytest.approx(2.7, abs=0.3)
    assert sum(i.name == "window" for i in memory.instances) == 9
    assert "wall plug" in memory.vocabulary
    assert "beanbag" in memory.vocabulary


def test_sunrgbd_boxes_land_on_their_two_dimensional_boxes(shared_data):
    path = shared_data / "sunrgbd_boxes" / "sunrgbd_trainval" / "label" / "000001.txt"
    memory = oracle.load_oracle(path)
    camera = memory.frames[0].camera
    for line, thing in zip(path.read_text().splitlines(), memory.instances, strict=True):
        left, top, width, height = map(float, line.split()[1:5])
        pixels = camera.project(thing.box.corners).pixels
        low, high = pixels.min(axis=0), pixels.max(axis=0)
        assert (low <= [left + 5, top + 5]).all()  # the two-dimensional box is the visible part of it
        assert (high >= [left + width - 5, top + height - 5]).all()


def test_votenet_boxes_agree_with_the_labels(shared_data):
    folder = shared_data / "sunrgbd_boxes"
    labels = oracle.load_oracle(folder / "sunrgbd_trainval" / "label" / "000001.txt")
    boxes = oracle.load_oracle(folder / "sunrgbd_pc_bbox_votes_50k_v2_val" / "000001_bbox.npy")
    for thing in boxes.instances:
        same = next(i for i in labels.instances if np.allclose((i.centre - thing.centre)[[0, 2]], 0, atol=1e-3))
        assert sorted(thing.box.size) == pytest.approx(sorted(same.box.size), abs=2e-3)
        assert np.abs(thing.box.axes @ same.box.axes.T).round(2).max(axis=1) == pytest.approx([1, 1, 1], abs=0.02)
