"""The segmenter that is wrong on purpose: exactly as often as one says, and the same every time."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from placecell.backends.synthetic.capture import make_room, photograph
from placecell.backends.synthetic.noise import EXACT, HEAVY, LEVELS, SMALLEST, MaskNoise, SyntheticSegmenter
from placecell.backends.synthetic.path import around


@pytest.fixture(scope="module")
def room():
    made = make_room(7, "medium")
    return made, photograph(made, around(made, 16), size=(160, 120), lit=False, frame="world")


def proposed(room, noise, seed=0, phrases=None):
    made, capture = room
    segmenter = SyntheticSegmenter.of(capture, noise, seed)
    return [p for mine in segmenter.segment(capture.frames, phrases or made.names) for p in mine]


def placed(proposal, shape):
    left, top, right, bottom = proposal.bbox
    full = np.zeros(shape, bool)
    full[top:bottom, left:right] = proposal.mask
    return full


def test_the_perfect_segmenter_gives_the_true_masks(room):
    _, capture = room
    shape = capture.labels.frames[1].ids.shape
    seen = {}
    for p in proposed(room, EXACT):
        (thing,) = np.unique(capture.labels.frames[p.frame].ids[placed(p, shape)])
        assert capture.labels.names[int(thing)] == p.phrase
        seen[p.frame, int(thing)] = int(p.mask.sum())
        assert p.mask.any(axis=0)[[0, -1]].all()
        assert p.mask.any(axis=1)[[0, -1]].all()
    for number, truth in capture.labels.frames.items():
        for thing, pixels in zip(*np.unique(truth.ids[truth.ids > 0], return_counts=True), strict=True):
            if pixels >= SMALLEST / 4:
                assert seen.pop((number, int(thing))) == pixels
    assert not seen


def test_the_same_seed_gives_the_same_masks_and_another_gives_others(room):
    one, same, other = proposed(room, HEAVY, 1), proposed(room, HEAVY, 1), proposed(room, HEAVY, 2)
    assert [(p.frame, p.phrase, p.corner, p.score) for p in one] == [
        (p.frame, p.phrase, p.corner, p.score) for p in same
    ]
    assert all((a.mask == b.mask).all() for a, b in zip(one, same, strict=True))
    assert [p.corner for p in one] != [p.corner for p in other]


def test_masks_are_missed_as_often_as_one_says(room):
    every, some = proposed(room, EXACT), proposed(room, MaskNoise(missed=0.3))
    assert 0.6 < len(some) / len(every) < 0.8
    assert {(p.frame, p.corner) for p in some} < {(p.frame, p.corner) for p in every}


def test_split_masks_are_two_halves_of_the_true_one(room):
    whole, parts = proposed(room, EXACT), proposed(room, MaskNoise(split=1.0))
    assert len(parts) > 1.9 * len(whole)
    assert sum(p.mask.sum() for p in parts) == sum(p.mask.sum() for p in whole)


def test_merged_masks_hold_another_object_too(room):
    whole, joined = proposed(room, EXACT), proposed(room, MaskNoise(merged=1.0))
    grown = [b.mask.sum() > a.mask.sum() for a, b in zip(whole, joined, strict=True)]
    assert np.mean(grown) > 0.5
    assert all(b.mask.sum() >= a.mask.sum() for a, b in zip(whole, joined, strict=True))


def test_wrong_names_are_names_of_the_room_and_phrases_are_obeyed(room):
    made, _ = room
    assert {p.phrase for p in proposed(room, MaskNoise(wrong=1.0))} <= set(made.names)
    assert {p.phrase for p in proposed(room, HEAVY, phrases=("chair",))} <= {"chair"}


def test_each_level_is_worse_than_the_one_before():
    levels = list(LEVELS.values())
    for a, b in pairwise(levels):
        assert all(getattr(a, k) < getattr(b, k) for k in ("missed", "split", "merged", "shifted", "wrong"))
