"""Objects from label images and boxes: right counts, right sizes, and masks that are wrong do little harm."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from cubes import CUBE_A, CUBE_B, capture, labels

from placecell.geometry.boxes import OrientedBox
from placecell.geometry.transforms import look_at, rigid
from placecell.memory.instances import from_boxes, from_labels
from placecell.memory.pieces import resized_ids
from placecell.memory.ports import NamedBox


@pytest.fixture(scope="module")
def two_cubes():
    return capture([CUBE_A, CUBE_B])


def test_instance_labels_give_one_object_each_of_the_true_size(two_cubes):
    frames, truth = two_cubes
    found = from_labels(frames, labels("instance", {1: "box", 2: "lamp"}, truth), depth_sd=0.01)
    assert [(i.id, i.name) for i in found.instances] == [(1, "box"), (2, "lamp")]
    assert found.notes == ()
    for instance, (low, high) in zip(found.instances, (CUBE_A, CUBE_B), strict=True):
        np.testing.assert_allclose(instance.upright_box.centre, (low + high) / 2, atol=0.02)
        assert instance.upright_box.size[1] == pytest.approx(high[1] - low[1], abs=0.03)
        assert sorted(instance.upright_box.size) == pytest.approx(sorted(high - low), abs=0.03)
        assert 0 < instance.size_sd < 0.05
        assert instance.centre_sd < instance.size_sd
        assert instance.confidence > 0.9


def test_views_count_the_frames_own_pixels(two_cubes):
    frames, truth = two_cubes
    instance = from_labels(frames, labels("instance", {1: "box", 2: "lamp"}, truth), depth_sd=0.01).instances[0]
    seen = {n: ids for n, ids in truth.items() if (ids == 1).any()}
    assert [v.frame for v in instance.views] == sorted(seen)
    for view in instance.views:
        mask = seen[view.frame] == 1
        rows, columns = np.nonzero(mask)
        assert view.pixels == 4 * mask.sum()
        assert view.bbox == (2 * columns.min(), 2 * rows.min(), 2 * columns.max() + 2, 2 * rows.max() + 2)
    assert instance.first_seen_s == min(seen) / 10
    assert instance.last_seen_s == max(seen) / 10


def test_class_labels_are_split_into_the_true_number_of_objects(two_cubes):
    frames, truth = two_cubes
    same = {n: (ids > 0).astype(np.int32) * 7 for n, ids in truth.items()}
    found = from_labels(frames, labels("class", {7: "chair"}, same), depth_sd=0.01)
    assert [(i.id, i.name) for i in found.instances] == [(1, "chair"), (2, "chair")]
    centres = sorted(i.upright_box.centre[0] for i in found.instances)
    assert centres == pytest.approx([-0.7, 0.7], abs=0.03)


def test_one_thing_behind_another_of_its_class_is_two(two_cubes):
    boxes = [CUBE_A + np.array(shift) for shift in ([0, 0, 0], [1.1, 0, -1.2], [0.4, 0, 0.9])]
    frames, truth = capture(boxes, count=14)
    same = {n: (ids > 0).astype(np.int32) for n, ids in truth.items()}
    assert len(from_labels(frames, labels("class", {1: "stool"}, same), depth_sd=0.01).instances) == 3


def test_holes_in_the_depth_do_not_take_an_object_apart(two_cubes):
    frames, truth = two_cubes
    rng = np.random.default_rng(0)
    holed = tuple(
        replace(f, depth=replace(f.depth, z=np.where(rng.random(f.depth.z.shape) < 0.6, np.float32(0), f.depth.z)))
        for f in frames
    )
    same = {n: (ids > 0).astype(np.int32) for n, ids in truth.items()}
    assert len(from_labels(holed, labels("class", {1: "chair"}, same), depth_sd=0.01).instances) == 2


@pytest.mark.parametrize("kind", ["instance", "class"])
def test_masks_shifted_over_the_edge_do_not_grow_the_object(kind, two_cubes):
    frames, truth = two_cubes
    shifted = {n: np.roll(ids * (ids == 1), 6 * (n % 3 == 0), axis=1) for n, ids in truth.items()}
    found = from_labels(frames, labels(kind, {1: "box"}, shifted), depth_sd=0.01)
    assert len(found.instances) == 1
    size = found.instances[0].upright_box.size
    assert sorted(size) == pytest.approx([0.6, 0.6, 0.6], abs=0.08)


def test_specks_of_wrong_labels_do_not_grow_the_object(two_cubes):
    frames, truth = two_cubes
    rng = np.random.default_rng(1)
    speckled = {n: np.where(rng.random(ids.shape) < 0.01, 1, ids * (ids == 1)) for n, ids in truth.items()}
    found = from_labels(frames, labels("instance", {1: "box"}, speckled), depth_sd=0.01)
    clean = {n: ids * (ids == 1) for n, ids in truth.items()}
    without = from_labels(frames, labels("instance", {1: "box"}, clean), depth_sd=0.01)
    assert found.instances[0].upright_box.size == pytest.approx(without.instances[0].upright_box.size, abs=0.025)


def test_what_most_views_label_otherwise_is_left_out_and_said(two_cubes):
    frames, truth = two_cubes
    wrong = {n: np.where(ids == 2, 1, ids) if n in (2, 3) else ids for n, ids in truth.items()}
    found = from_labels(frames, labels("instance", {1: "box", 2: "lamp"}, wrong), depth_sd=0.01)
    assert sorted(found.instances[0].upright_box.size) == pytest.approx([0.6, 0.6, 0.6], abs=0.03)
    assert "of what is labelled box left out: most views say otherwise" in found.notes[0]


def test_trailing_points_behind_an_object_do_not_lengthen_it():
    """Three of a hundred points trail away behind the object, seen in one view only, so nobody outvotes them."""
    frames, truth = capture([CUBE_A, CUBE_B], count=1)
    z, mask = frames[0].depth.z.copy(), truth[1] == 1
    rows, columns = np.nonzero(mask)
    some = np.random.default_rng(0).choice(len(rows), int(0.03 * len(rows)), replace=False)
    z[rows[some], columns[some]] = np.linspace(z[mask].max(), 6.0, len(some))
    clean = from_labels(frames, labels("instance", {1: "box"}, {1: mask}), depth_sd=0.01).instances[0]
    frames = (replace(frames[0], depth=replace(frames[0].depth, z=z)),)
    found = from_labels(frames, labels("instance", {1: "box"}, {1: mask}), depth_sd=0.01).instances[0]
    assert found.box.size == pytest.approx(clean.box.size, rel=0.1)


def test_noise_widens_the_stated_uncertainty_not_the_count(two_cubes):
    frames, truth = capture([CUBE_A, CUBE_B], noise=0.01)
    same = {n: (ids > 0).astype(np.int32) for n, ids in truth.items()}
    noisy = from_labels(frames, labels("class", {1: "chair"}, same), depth_sd=0.03).instances
    exact = from_labels(two_cubes[0], labels("class", {1: "chair"}, same), depth_sd=0.01).instances
    assert len(noisy) == 2
    for a, b in zip(noisy, exact, strict=True):
        assert a.size_sd > 2 * b.size_sd
        assert sorted(a.upright_box.size) == pytest.approx(sorted(b.upright_box.size), abs=2 * a.size_sd)


def test_a_label_without_any_depth_has_no_place_and_says_so(two_cubes):
    frames, truth = two_cubes
    blind = tuple(replace(f, depth=None) for f in frames)
    found = from_labels(blind, labels("instance", {1: "box", 2: "lamp"}, truth), depth_sd=0.01)
    assert found.instances == ()
    assert found.notes[0] == "box (label 1) has no depth in any view, so it has no place"


def test_the_same_photo_twice_does_not_change_the_count(two_cubes):
    frames, truth = two_cubes
    again = replace(frames[0], number=99)
    same = {n: (ids > 0).astype(np.int32) for n, ids in truth.items()} | {99: (truth[1] > 0).astype(np.int32)}
    assert len(from_labels((*frames, again), labels("class", {1: "chair"}, same), depth_sd=0.01).instances) == 2


def test_label_images_of_another_size_are_resized_by_centres():
    ids = np.arange(12, dtype=np.int32).reshape(3, 4)
    np.testing.assert_array_equal(resized_ids(np.repeat(np.repeat(ids, 3, 0), 5, 1), (3, 4)), ids)
    np.testing.assert_array_equal(resized_ids(ids, (6, 8)), np.repeat(np.repeat(ids, 2, 0), 2, 1))


def test_boxes_become_instances_in_the_world_with_their_points_and_views(two_cubes):
    frames, _ = two_cubes
    world_from_recon = rigid(look_at([1, 2, 3], [0, 0, 0])[:3, :3], [0.5, 0.0, -0.2])
    moved = tuple(
        replace(
            f,
            camera=f.camera.posed(world_from_recon @ f.camera.world_from_cam),
            depth=replace(f.depth, camera=f.depth.camera.posed(world_from_recon @ f.depth.camera.world_from_cam)),
        )
        for f in frames
    )
    low, high = CUBE_A
    named = NamedBox("box", OrientedBox((low + high) / 2, np.eye(3), high - low), front=np.array([0.0, 0.0, 1.0]))
    (found,) = from_boxes([named], world_from_recon, moved).instances
    assert found.box.contains(found.points, margin=0.02).all()
    assert len(found.points) > 200
    assert [v.frame for v in found.views] == [f.number for f in frames]
    np.testing.assert_allclose(found.front, world_from_recon[:3, 2])
    np.testing.assert_allclose(found.box.centre, world_from_recon[:3, :3] @ named.box.centre + [0.5, 0, -0.2])


def test_a_bed_not_seen_below_its_head_is_as_long_as_it_is_and_not_as_its_slanted_wrapping():
    base, headboard = np.array([[-1.0, 0, -0.5], [0.7, 0.3, 0.5]]), np.array([[-1.0, 0, -0.5], [-0.9, 1.1, 0.5]])
    frames, ids = capture([base, headboard])
    bed = {}
    for frame in frames:
        x, y, _ = np.moveaxis(frame.depth.camera.unproject(frame.depth.z), -1, 0)
        unseen = y < 0.6 - (x + 1) * 0.6 / 0.7
        bed[frame.number] = np.where(unseen, 0, np.minimum(ids[frame.number], 1))
    (thing,) = from_labels(frames, labels("instance", {1: "bed"}, bed), depth_sd=1e-4).instances
    assert thing.box.size == pytest.approx([1.7, 1.1, 1.0], abs=0.06)
