"""Corrections: each says what it did, ids are never given twice, everything survives a file, and answers follow."""

from __future__ import annotations

from dataclasses import replace

import memory_example as example
import numpy as np
import pytest

from placecell.agents.pipeline import ask
from placecell.backends.synthetic.capture import default_views, make_room, photograph
from placecell.errors import UserError
from placecell.geometry.boxes import OrientedBox, gravity_box, oriented_box
from placecell.geometry.cloud import Cloud
from placecell.memory import storage
from placecell.memory.build import assemble
from placecell.memory.corrections import Plane, add_box, add_seen, merge, pick, remove, rename, split, undo
from placecell.memory.scene import Alignment, Instance, InstanceView, Layout, Provenance, Scale, SpatialMemory
from placecell.memory.shapes import connected_parts, parts_by_number, sides_of


def block(centre, size=(0.4, 0.4, 0.4), n=6):
    """Points of a solid block, evenly spaced."""
    side = np.linspace(-0.5, 0.5, n)
    grid = np.stack(np.meshgrid(side, side, side, indexing="ij"), axis=-1).reshape(-1, 3)
    return (np.asarray(centre) + grid * np.asarray(size)).astype(np.float32)


def thing(number, name, points, **more):
    return Instance(number, name, oriented_box(points), gravity_box(points), points, **more)


def room():
    """Two chairs, one table that is two blocks 0.6 apart taken as one, and a door known as a box."""
    two_tables = np.concatenate([block((2, 0.4, 0)), block((3, 0.4, 0), n=5)])
    door = OrientedBox(np.array([0, 1.0, -3]), np.eye(3), np.array([0.9, 2.0, 0.05]))
    things = (
        thing(1, "chair", block((0, 0.4, 0)), views=(InstanceView(1, 50, (0, 0, 10, 10)),), first_seen_s=1.0),
        thing(2, "chair", block((0.3, 0.4, 0)), views=(InstanceView(1, 30, (8, 0, 18, 10)),), last_seen_s=4.0),
        thing(3, "table", two_tables),
        Instance(4, "door", door, door),
    )
    return SpatialMemory(
        (),
        Cloud.empty(),
        Scale("metric", "sensor", 0.01),
        Alignment(np.eye(4), "made"),
        Provenance("test", "0"),
        things,
        frozenset({"chair", "table", "door", "object 48"}),
        Layout(),
    )


def ids(memory):
    return [i.id for i in memory.instances]


def test_merging_makes_one_new_object_and_retires_the_old_ones():
    made = merge(room(), [1, 2])
    assert ids(made) == [3, 4, 5] and [i.id for i in made.retired] == [1, 2]
    whole = pick(made, 5)
    np.testing.assert_allclose(whole.upright_box.size, (0.7, 0.4, 0.4), atol=1e-5)
    assert len(whole.points) == 2 * 6**3
    assert whole.views == (InstanceView(1, 80, (0, 0, 18, 10)),)
    assert (whole.first_seen_s, whole.last_seen_s) == (1.0, 4.0)
    assert made.version == 2
    assert (made.edits[0].action, made.edits[0].made, made.edits[0].retired) == ("merge", (5,), (1, 2))
    assert made.edits[0].detail == "chair 1 and chair 2 are one: chair 5"


def test_a_box_without_points_counts_by_its_corners_when_merged():
    whole = pick(merge(room(), ["door", 1]), 5)
    assert whole.name == "door"
    assert whole.box.contains(np.concatenate([pick(room(), 4).box.corners, pick(room(), 1).points]), 1e-6).all()


def test_splitting_at_gaps_gives_the_parts_that_are_apart():
    made = split(room(), "table")
    assert ids(made) == [1, 2, 4, 5, 6]
    np.testing.assert_allclose(pick(made, 5).centre, (2, 0.4, 0), atol=1e-5)
    np.testing.assert_allclose(pick(made, 6).centre, (3, 0.4, 0), atol=1e-5)
    assert sum(len(pick(made, i).points) for i in (5, 6)) == len(pick(room(), 3).points)


def test_what_is_in_one_piece_is_split_by_number_or_plane_only():
    with pytest.raises(UserError, match=r"one piece.*how many"):
        split(room(), 1)
    halves = split(room(), 1, 2)
    assert [len(pick(halves, i).points) for i in (5, 6)] == [108, 108]
    high = split(room(), 1, Plane("y", 0.55))
    assert [pick(high, i).upright_box.size[1] for i in (5, 6)] == pytest.approx([0.32, 0.0], abs=1e-5)
    with pytest.raises(UserError, match="no point of it lies beyond"):
        split(room(), 1, Plane("x", 9.0))
    with pytest.raises(UserError, match="2 to 50 parts"):
        split(room(), 1, 1)
    with pytest.raises(UserError, match="box only"):
        split(room(), "door", 2)


def test_an_end_that_nobody_saw_stays_one_when_objects_are_merged_or_split():
    things = tuple(replace(i, hidden_sd=np.full((3, 2), 0.1 * i.id)) for i in room().instances)
    memory = replace(room(), instances=things)
    left, right = np.array([-1.0, 0, 0]), np.array([1.0, 0, 0])
    whole = pick(merge(memory, [1, 2]), 5)
    assert (whole.hidden_along(left), whole.hidden_along(right)) == pytest.approx((0.1, 0.2))
    low, high = (pick(split(memory, "table"), number) for number in (5, 6))
    assert (low.hidden_along(left), low.hidden_along(right)) == pytest.approx((0.3, 0.0))
    assert (high.hidden_along(left), high.hidden_along(right)) == pytest.approx((0.0, 0.3))


def test_an_id_is_never_given_again():
    made = remove(split(remove(add_box(room(), "lamp", pick(room(), 4).box), 5), "table"), 7)
    made = add_box(made, "lamp", pick(room(), 4).box)
    assert ids(made) == [1, 2, 4, 6, 8]
    assert {i.id for i in made.retired} == {3, 5, 7}


def test_removing_leaves_the_name_looked_for():
    made = remove(room(), "door")
    assert ask(made, "Is there a door?").value is False
    assert ask(made, "Is there a piano?").abstained


def test_renaming_one_object_keeps_its_id_and_the_search_for_its_old_name():
    made = rename(room(), 2, "Armlehnstuhl")
    assert [i.name for i in made.instances[:2]] == ["chair", "Armlehnstuhl"]
    assert made.vocabulary == room().vocabulary
    assert ask(made, "How many chairs are there?").value == 1


def test_renaming_all_of_a_name_renames_the_search_for_it_too():
    unnamed = replace(room(), instances=tuple(replace(i, name="object 48") for i in room().instances))
    made = rename(unnamed, "object 48", "crate")
    assert made.object_names == ("crate",)
    assert made.vocabulary == {"chair", "table", "door", "crate"}
    back = undo(made)
    assert back.object_names == ("object 48",) and back.vocabulary == room().vocabulary


@pytest.mark.parametrize("name", ["", "  ", "???", "x" * 101, "a\x07b"])
def test_what_is_no_name_is_refused(name):
    with pytest.raises(UserError):
        rename(room(), 1, name)


def test_which_object_is_meant_must_be_clear():
    with pytest.raises(UserError, match=r"chair 1, chair 2.*id"):
        pick(room(), "chairs")
    with pytest.raises(UserError, match="no object 9"):
        pick(room(), 9)
    with pytest.raises(UserError, match="any more"):
        pick(remove(room(), 4), 4)
    with pytest.raises(UserError, match="no 'piano'"):
        pick(room(), "piano")
    with pytest.raises(UserError, match="two objects"):
        merge(room(), [1, 1])


def test_corrections_are_taken_back_from_the_last_to_the_first():
    start = room()
    made = remove(rename(split(merge(start, [1, 2]), "table"), 4, "gate"), 5)
    assert ids(made) == [4, 6, 7]
    for expected in ([4, 5, 6, 7], [4, 5, 6, 7], [3, 4, 5], [1, 2, 3, 4]):
        made = undo(made)
        assert ids(made) == expected
    assert [i.name for i in made.instances] == [i.name for i in start.instances]
    assert [e.action for e in made.edits] == ["merge", "split", "rename", "remove", "undo", "undo", "undo", "undo"]
    assert [e.version for e in made.edits] == list(range(2, 10))
    with pytest.raises(UserError, match="no correction"):
        undo(made)
    assert ids(remove(made, 1)) == [2, 3, 4]


def test_a_corrected_memory_survives_a_file_keeps_its_record_and_answers_change(tmp_path):
    before = room()
    assert ask(before, "How many chairs are there?").value == 2
    assert ask(before, "How many tables are there?").value == 1
    made = rename(split(merge(before, [1, 2]), "table"), 4, "gate")
    storage.save(made, tmp_path / "room.pcell")
    loaded = storage.load(tmp_path / "room.pcell")
    assert loaded.edits == made.edits and loaded.version == 4
    assert [i.id for i in loaded.retired] == [1, 2, 3]
    assert ask(loaded, "How many chairs are there?").value == 1
    assert ask(loaded, "How many tables are there?").value == 2
    assert ask(loaded, "Is there a gate?").value is True
    assert ask(loaded, "Is there a door?").value is False
    assert ask(loaded, "How long is the chair?").value == pytest.approx(0.7, abs=0.01)
    assert ids(undo(undo(undo(loaded)))) == [1, 2, 3, 4]
    storage.save(loaded, tmp_path / "again.pcell")
    assert (tmp_path / "again.pcell").read_bytes() == (tmp_path / "room.pcell").read_bytes()


def test_a_memory_with_every_field_can_be_corrected_and_saved(tmp_path):
    made = remove(add_box(example.memory(), "box", example.memory().instances[0].box), "door")
    storage.save(made, tmp_path / "room.pcell")
    assert ids(storage.load(tmp_path / "room.pcell")) == [4, 8]


@pytest.fixture(scope="module")
def memory():
    truth = make_room(3)
    return assemble(photograph(truth, default_views(truth), size=(80, 60), lit=False))


def test_an_object_is_added_by_what_one_photo_shows(memory):
    seen = max((i for i in memory.instances if i.name == "bed"), key=lambda i: max(v.pixels for v in i.views))
    view = max(seen.views, key=lambda v: v.pixels)
    made = add_seen(memory, "Bett", view.frame, view.bbox)
    added = made.instances[-1]
    assert added.id == memory.next_id and added.name == "Bett"
    assert view.frame in {v.frame for v in added.views} and len(added.views) > 1
    overlap = seen.upright_box.contains(added.points, margin=0.1).mean()
    assert overlap > 0.8
    assert "rectangle" in made.edits[-1].detail and f"image {view.frame}" in made.edits[-1].detail


def test_an_object_is_added_by_a_mask(memory):
    frame = memory.frames[0]
    mask = np.zeros((frame.height, frame.width), bool)
    mask[30:40, 30:45] = True
    added = add_seen(memory, "patch", 1, mask).instances[-1]
    assert added.views[0].pixels == 150 and added.confidence == 1.0
    with pytest.raises(UserError, match="the mask is"):
        add_seen(memory, "patch", 1, mask[:-1])


def test_a_region_without_a_place_is_refused(memory):
    with pytest.raises(UserError, match="not inside image 1"):
        add_seen(memory, "thing", 1, (0, 0, 1000, 20))
    with pytest.raises(UserError, match="there is no image 99"):
        add_seen(memory, "thing", 99, (0, 0, 10, 20))
    blind = replace(memory, frames=(replace(memory.frames[0], depth=None),))
    with pytest.raises(UserError, match="has no depth"):
        add_seen(blind, "thing", 1, (0, 0, 10, 20))


def test_an_added_box_takes_the_points_inside_it(memory):
    sofa = next(i for i in memory.instances if len(i.points) > 200)
    added = add_box(memory, "thing", sofa.upright_box).instances[-1]
    assert len(added.points) > 50 and added.views
    assert added.box is not None and np.allclose(added.box.size, sofa.upright_box.size)


def test_parts_are_numbered_by_size_and_equal_for_equal_input():
    points = np.concatenate([block((0, 0, 0), n=4), block((5, 0, 0), n=7), block((0, 9, 0), n=5)])
    part = connected_parts(points)
    assert [int((part == k).sum()) for k in range(3)] == [343, 125, 64]
    again = parts_by_number(points, 3)
    np.testing.assert_array_equal(part, again)
    np.testing.assert_array_equal(again, parts_by_number(points.copy(), 3))
    assert (sides_of(points, 1, 4.5) == 0).sum() == 343 + 64


def test_specks_belong_to_the_part_nearest_to_them():
    points = np.concatenate([block((0, 0, 0)), block((5, 0, 0)), np.array([[1.5, 0, 0]], np.float32)])
    part = connected_parts(points)
    assert part.max() == 1 and part[-1] == part[0]
    assert connected_parts(np.zeros((5, 3), np.float32)).max() == 0
