"""Masks of a segmenter become objects: as many as there are, also when some views are wrong."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from cubes import CUBE_A, CUBE_B, capture
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from placecell.memory.instances import from_proposals
from placecell.memory.merging.consensus import groups_by_consensus
from placecell.memory.merging.edges import groups_by_edges
from placecell.memory.merging.proposals import distinct, lift
from placecell.memory.merging.settings import OURS, PAPER
from placecell.memory.merging.support import Support
from placecell.memory.ports import Proposal

SD = 0.01


def proposal(frame, mask, phrase="chair", score=0.9):
    """A mask (h, w) of the depth map as a proposal in the frame's pixels, twice as many each way."""
    rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    cut = mask[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    corner = (2 * int(columns[0]), 2 * int(rows[0]))
    return Proposal(frame, phrase, np.repeat(np.repeat(cut, 2, 0), 2, 1), corner, score)


@pytest.fixture(scope="module")
def cubes():
    frames, truth = capture([CUBE_A, CUBE_B])
    masks = [(n, ids == k) for n, ids in truth.items() for k in (1, 2) if (ids == k).any()]
    return frames, masks


def found_in(frames, masks, settings=OURS):
    return from_proposals(frames, [proposal(n, mask) for n, mask in masks], depth_sd=SD, settings=settings)


def halves(mask):
    columns = np.nonzero(mask)[1]
    left = mask & (np.arange(mask.shape[1]) < np.median(columns))
    return left, mask & ~left


def assert_both_cubes(found, atol=0.04):
    assert [i.name for i in found.instances if i.certain] == ["chair", "chair"]
    sure = sorted((i for i in found.instances if i.certain), key=lambda i: i.centre[0])
    for instance, (low, high) in zip(sure, (CUBE_A, CUBE_B), strict=True):
        np.testing.assert_allclose(instance.upright_box.centre, (low + high) / 2, atol=atol)
        assert sorted(instance.upright_box.size) == pytest.approx(sorted(high - low), abs=2 * atol)


def test_true_masks_give_the_true_objects_with_all_that_is_known_of_them(cubes):
    frames, masks = cubes
    found = from_proposals(frames, [proposal(n, m) for n, m in masks], depth_sd=SD, first_id=5)
    assert_both_cubes(found, atol=0.02)
    assert found.notes == ()
    assert [i.id for i in found.instances] == [5, 6]
    for instance in found.instances:
        assert instance.confidence > 0.99
        assert 0 < instance.centre_sd < instance.size_sd < 0.05
        assert instance.first_seen_s == instance.views[0].frame / 10
        assert instance.last_seen_s == instance.views[-1].frame / 10
    views = sorted((v.frame, v.pixels) for i in found.instances for v in i.views)
    assert views == sorted((n, 4 * int(mask.sum())) for n, mask in masks)


def test_some_views_that_split_an_object_are_outvoted(cubes):
    frames, masks = cubes
    spoiled = [(n, part) for n, mask in masks for part in (halves(mask) if n % 3 == 0 else [mask])]
    assert_both_cubes(found_in(frames, spoiled))


def test_some_views_that_join_two_objects_are_outvoted(cubes):
    frames, masks = cubes
    joined = {n: np.logical_or.reduce([m for k, m in masks if k == n]) for n, _ in masks}
    spoiled = [(n, mask) for n, mask in masks if n % 3] + [(n, mask) for n, mask in joined.items() if n % 3 == 0]
    assert_both_cubes(found_in(frames, spoiled))


def test_missing_half_of_the_masks_leaves_both_objects(cubes):
    frames, masks = cubes
    assert_both_cubes(found_in(frames, [m for k, m in enumerate(masks) if (k + k // 2) % 2]), atol=0.06)


def test_masks_that_reach_over_the_edge_do_not_grow_the_object(cubes):
    frames, masks = cubes
    shifted = [(n, np.roll(mask, 5, axis=1) if n % 3 == 0 else mask) for n, mask in masks]
    assert_both_cubes(found_in(frames, shifted))


def test_a_name_that_nearly_all_views_deny_is_left_out_and_counted(cubes):
    frames, masks = cubes
    named = [proposal(n, mask) for n, mask in masks] + [proposal(*masks[0], phrase="lamp", score=0.6)]
    found = from_proposals(frames, named, depth_sd=SD)
    assert {i.name for i in found.instances} == {"chair"}
    assert found.notes == ("1 x lamp left out: nearly all views of the place show none",)


def test_what_few_views_show_is_kept_and_marked(cubes):
    frames, masks = cubes
    found = from_proposals(frames[:3], [proposal(*masks[0], score=0.6)], depth_sd=SD)
    assert len(found.instances) == 1
    assert not found.instances[0].certain
    assert OURS.dropped <= found.instances[0].confidence < OURS.sure


def test_views_that_agree_make_an_object_sure_and_views_that_deny_it_unsure(cubes):
    frames, masks = cubes
    of_a = masks[::2]

    def confidence(showing, looking):
        things = [proposal(n, m, score=0.7) for n, m in of_a[:showing]]
        return from_proposals(frames[:looking], things, depth_sd=SD).instances[0].confidence

    assert confidence(1, 1) == pytest.approx(0.7)
    assert confidence(1, 3) < confidence(1, 2) < confidence(1, 1) < confidence(2, 3) < confidence(3, 3)


def test_the_order_of_proposals_does_not_matter(cubes):
    frames, masks = cubes
    one, other = found_in(frames, masks), found_in(frames, masks[::-1])
    key = {round(i.centre[0]): i for i in other.instances}
    for instance in one.instances:
        same = key[round(instance.centre[0])]
        np.testing.assert_allclose(instance.centre, same.centre, atol=1e-3)
        assert instance.views == same.views


def test_duplicates_change_nothing(cubes):
    frames, masks = cubes
    again = [proposal(n, mask) for n, mask in masks] + [proposal(n, mask, score=0.5) for n, mask in masks]
    assert len(distinct(again, OURS)) == len(masks)
    one, twice = found_in(frames, masks), from_proposals(frames, again, depth_sd=SD)
    for a, b in zip(one.instances, twice.instances, strict=True):
        np.testing.assert_array_equal(a.points, b.points)


def test_of_a_whole_and_its_part_we_keep_both_and_the_paper_the_higher_score(cubes):
    _, masks = cubes
    n, mask = masks[0]
    whole, part = proposal(n, mask, score=0.8), proposal(n, halves(mask)[0], score=0.9)
    assert distinct([whole, part], OURS) == [whole, part]
    assert distinct([whole, part], PAPER) == [part]


def test_one_view_is_enough_for_an_object(cubes):
    frames, masks = cubes
    found = found_in(frames[:1], [(n, m) for n, m in masks if n == 1])
    assert len(found.instances) == 2
    assert all(i.certain and len(i.views) == 1 for i in found.instances)


@pytest.mark.parametrize("method", [OURS, PAPER], ids=["ours", "paper"])
@pytest.mark.parametrize("pixels", [(1, 1), (1, 9), (2, 2), (40, 1)], ids=str)
def test_a_point_a_line_and_specks_have_boxes(cubes, method, pixels):
    frames, _ = cubes
    rng = np.random.default_rng(0)
    masks = []
    for n in (1, 2, 5):
        mask = np.zeros((120, 160), bool)
        row, column = rng.integers(20, 70, 2)
        mask[row : row + pixels[0], column : column + pixels[1]] = True
        masks.append((n, mask))
    for instance in found_in(frames, masks, method).instances:
        assert np.isfinite(instance.box.size).all()
        assert len(instance.points) >= 1
        assert instance.upright_box.contains(instance.points, margin=0.2).all()


def test_a_flat_thing_has_a_box_without_much_thickness():
    frames, truth = capture([np.array([[-0.5, 0, -0.4], [0.5, 0.001, 0.4]])])
    (rug,) = found_in(frames, [(n, ids == 1) for n, ids in truth.items()]).instances
    assert rug.upright_box.size[1] < 0.02
    assert sorted(rug.upright_box.size)[1:] == pytest.approx([0.8, 1.0], abs=0.05)


def test_masks_without_depth_have_no_place_and_say_so(cubes):
    frames, masks = cubes
    blind = tuple(replace(f, depth=None) for f in frames)
    found = found_in(blind, masks)
    assert found.instances == ()
    assert found.notes == ("chair has no depth in any view, so it has no place",)


def test_a_mask_outside_of_its_picture_is_refused(cubes):
    frames, _ = cubes
    outside = Proposal(1, "chair", np.ones((4, 4), bool), (318, 0))
    with pytest.raises(ValueError, match="reaches outside of image 1, 320x240"):
        lift(outside, frames[0], 1, 100)


def test_a_lifted_mask_keeps_about_as_many_points_as_it_may(cubes):
    frames, masks = cubes
    n, mask = masks[0]
    for most in (50, 200, 10**6):
        piece = lift(proposal(n, mask), frames[n - 1], 1, most)
        assert min(most, mask.sum()) / 3 <= len(piece.points) <= 4 * most
    assert 0.9 * mask.sum() < len(piece.points) <= mask.sum()
    assert (piece.region == mask[np.ix_(mask.any(axis=1), mask.any(axis=0))]).all()


def test_the_papers_constants_are_the_papers():
    assert (PAPER.duplicate_overlap, PAPER.duplicate_measure) == (0.3, "smaller")
    assert (PAPER.voxel, PAPER.visible_share, PAPER.visibility) == (0.03, 1e-3, "voxels")
    assert (PAPER.covered, PAPER.soft, PAPER.weak_least, PAPER.lone_score) == (0.2, 0.8, 0.0, 0.65)
    assert (PAPER.agreeing_few, PAPER.agreeing_many, PAPER.few_views) == (0.3, 0.0, 5)


def test_the_papers_merging_finds_both_cubes_in_true_masks(cubes):
    found = found_in(*cubes, PAPER)
    assert len(found.instances) == 2


@st.composite
def sayings(draw):
    """What views might say: any shares, a mask wholly inside itself."""
    view = np.array(sorted(draw(st.lists(st.integers(0, 3), min_size=1, max_size=9))))
    n = len(view)
    values = draw(st.lists(st.sampled_from([0.0, 0.0, 0.1, 0.3, 0.55, 0.9]), min_size=n * n, max_size=n * n))
    inside = np.array(values).reshape(n, n)
    np.fill_diagonal(inside, 1)
    visible = np.ones((n, 4), bool)
    return Support(view, np.arange(n), visible, csr_array(inside))


@given(sayings())
@settings(max_examples=60, deadline=None)
def test_the_papers_objects_have_one_mask_of_a_view_and_no_mask_is_in_two(said):
    groups = groups_by_edges(said, [0.9] * len(said.view), PAPER)
    members = [i for group in groups for i in group]
    assert len(members) == len(set(members))
    for group in groups:
        assert len({int(said.view[i]) for i in group}) == len(group)


@given(sayings())
@settings(max_examples=60, deadline=None)
def test_no_two_groups_are_left_that_enough_views_show_as_one(said):
    group, found = groups_by_consensus(said, OURS)
    assert set(np.unique(group)) - {-1} == set(range(int(group.max(initial=-1)) + 1))
    assert ((group >= 0) == found.kept).all()
    yes, say, _ = found.votes(group)
    np.testing.assert_array_equal(yes, yes.T)
    joined = (yes > 0) & (yes >= OURS.consensus * say)
    np.fill_diagonal(joined, False)
    assert not joined.any()


def test_weak_edges_count_only_from_their_threshold_on():
    inside = csr_array(np.array([[1, 0.15], [0.15, 1]]))
    said = Support(np.array([0, 1]), np.arange(2), np.ones((2, 2), bool), inside)
    few = replace(PAPER, agreeing_few=0.0)
    assert groups_by_edges(said, [0.9, 0.9], few) == [[0, 1]]
    assert groups_by_edges(said, [0.9, 0.9], replace(few, weak_least=0.1)) == [[0], [1]]
