from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from placecell.errors import UserError
from placecell.media.sampling import (
    ByText,
    adaptive,
    at_rate,
    choose,
    coverage,
    farthest_first,
    nearest,
    sharpness,
    slot_candidates,
    uniform,
)

gaps = st.lists(st.floats(0.001, 3.0), min_size=1, max_size=60)


def timeline(gap_list):
    """Times of frames and the end of the last one."""
    edges = np.concatenate([[0.0], np.cumsum(gap_list)])
    return edges[:-1], float(edges[-1])


@given(gaps, st.integers(1, 80))
def test_uniform_gives_what_is_asked_for_in_order_each_frame_once(gap_list, n):
    times, end = timeline(gap_list)
    chosen = uniform(times, end, n)
    assert len(chosen) == min(n, len(times))
    assert chosen == sorted(set(chosen))
    assert set(chosen) <= set(range(len(times)))


@given(st.integers(1, 400), st.integers(1, 64))
def test_at_a_constant_rate_every_frame_lies_within_its_own_slot(frames, n):
    chosen = uniform(np.arange(frames) / 30, frames / 30, n)
    if n < frames:
        for slot, index in enumerate(chosen):
            assert slot * frames / n <= index + 0.5 + 1e-6
            assert index + 0.5 <= (slot + 1) * frames / n + 1e-6


def test_one_frame_is_the_middle_one():
    assert uniform(np.arange(9) / 10, 0.9, 1) == [4]


def test_where_frames_are_rare_the_rest_is_spread_over_where_they_are_dense():
    times = np.array([0.0, 1.0, 2.0, 3.0, *(4.0 + 0.05 * np.arange(20))])
    chosen = uniform(times, 5.0, 12)
    assert chosen[:4] == [0, 1, 2, 3]
    assert np.diff(times[chosen[4:]]).max() <= 0.25


def test_a_rate_takes_the_frame_nearest_to_each_tick_once():
    times = np.round(np.arange(60) / 30, 3)
    assert at_rate(times, 2.0, 30) == list(range(60))
    assert at_rate(times, 2.0, 10) == list(range(0, 60, 3))
    assert at_rate(times, 2.0, 1000) == list(range(60))
    assert at_rate(times, 2.0, 0.01) == [0]


@pytest.mark.parametrize("fps", [0, -1, float("nan"), float("inf")])
def test_a_rate_that_is_none_is_refused(fps):
    with pytest.raises(UserError, match="no rate"):
        at_rate(np.arange(3.0), 3.0, fps)


@given(gaps, st.lists(st.floats(-5, 200), min_size=1, max_size=10))
def test_nearest_is_nearest(gap_list, wanted):
    times, _ = timeline(gap_list)
    chosen = nearest(times, wanted)
    for w in wanted:
        assert np.abs(times[chosen] - w).min() <= np.abs(times - w).min() + 1e-8


def test_coverage_takes_one_of_each_look():
    rng = np.random.default_rng(0)
    looks = rng.integers(0, 256, (4, 16, 16, 3)).astype(int)
    order = np.repeat([0, 1, 2, 3], [40, 3, 30, 2])
    noisy = np.clip(looks[order] + rng.integers(-3, 4, (75, 16, 16, 3)), 0, 255).astype(np.uint8)
    chosen = coverage(noisy, 4)
    assert chosen[0] == 0
    assert sorted(order[chosen]) == [0, 1, 2, 3]


def test_a_change_of_exposure_alone_is_no_new_look():
    base = np.random.default_rng(0).integers(60, 120, (16, 16, 3)).astype(np.uint8)
    moved = np.roll(base, 4, axis=1)
    assert coverage(np.stack([base, base + 60, moved]), 2) == [0, 2]


def test_pictures_that_all_look_the_same_are_spread_in_time():
    same = np.full((11, 16, 16, 3), 90, np.uint8)
    assert coverage(same, 3) == [0, 5, 10]
    assert coverage(same, 50) == list(range(11))


@given(st.integers(0, 1000), st.integers(1, 12), st.integers(1, 12))
def test_farthest_first_covers_within_twice_the_best_possible(seed, n, size):
    """Gonzalez 1985: no point is farther from the chosen than the chosen are from each other."""
    points = np.random.default_rng(seed).uniform(0, 1, (size, 2))
    chosen = farthest_first(points, n, [0])
    assert chosen == sorted(set(chosen))
    assert len(chosen) == min(n, size)
    if 1 < len(chosen) < size:
        pairs = np.linalg.norm(points[chosen][:, None] - points[chosen][None], axis=2)
        radius = np.linalg.norm(points[:, None] - points[chosen][None], axis=2).min(axis=1).max()
        assert radius <= pairs[np.triu_indices(len(chosen), 1)].min() + 1e-12


@given(gaps, st.integers(1, 20))
def test_no_frame_is_a_candidate_of_two_slots(gap_list, n):
    times, end = timeline(gap_list)
    slots = slot_candidates(times, end, min(n, len(times)))
    everything = [index for slot in slots for index in slot]
    assert len(everything) == len(set(everything))
    assert all(slots)


def test_blur_and_flatness_lower_sharpness():
    noise = np.random.default_rng(0).integers(0, 256, (40, 40, 3)).astype(np.uint8)
    blurred = ((noise[:-1, :-1].astype(int) + noise[1:, :-1] + noise[:-1, 1:] + noise[1:, 1:]) // 4).astype(np.uint8)
    flat = np.full((40, 40, 3), 128, np.uint8)
    assert sharpness(noise) > sharpness(blurred) > sharpness(flat) == 0.0
    assert sharpness(flat[:1, :1]) == 0.0


def test_sharpest_picks_the_sharp_frame_of_every_slot():
    rng = np.random.default_rng(0)
    sharp = {4, 15, 26, 35}

    def look(indices, longest_side):
        for i in indices:
            yield (
                i,
                rng.integers(0, 256, (32, 32, 3)).astype(np.uint8) if i in sharp else np.zeros((32, 32, 3), np.uint8),
            )

    assert choose(np.arange(40) / 10, 4.0, 4, "sharpest", look) == sorted(sharp)


@pytest.mark.parametrize("sampling", ["coverage", "sharpest"])
def test_frames_that_cannot_be_looked_at_are_not_chosen(sampling):
    def look(indices, longest_side):
        yield from ((i, np.full((8, 8, 3), i, np.uint8)) for i in indices if i % 2)

    chosen = choose(np.arange(40) / 10, 4.0, 4, sampling, look)
    assert chosen
    assert all(i % 2 for i in chosen)


def test_an_unknown_sampling_or_no_frames_at_all_is_refused():
    for n, sampling, message in ((4, "random", "unknown sampling 'random'"), (0, "uniform", "0 frames")):
        with pytest.raises(UserError, match=message):
            choose(np.arange(9.0), 9.0, n, sampling, lambda indices, side: iter(()))


def by_brightness(wanted):
    """A stand-in for a model: pictures are described by how bright they are."""

    def likeness(pictures, text):
        assert text == "a lamp"
        return np.array([-abs(float(p.mean()) - wanted) for p in pictures])

    return ByText("a lamp", likeness)


def grey_look(levels):
    def look(indices, longest_side):
        for i in indices:
            yield i, np.full((4, 6, 3), levels[i], np.uint8)

    return look


def test_by_text_takes_the_moment_that_shows_it():
    levels = np.full(100, 10)
    levels[60:64] = 200
    assert choose(np.arange(100.0), 100.0, 4, by_brightness(200), grey_look(levels)) == [60, 61, 62, 63]


def test_by_text_takes_every_moment_that_shows_it():
    levels = np.full(96, 10)
    levels[[5, 6, 7, 70, 71, 72]] = (180, 200, 180, 180, 199, 180)
    chosen = choose(np.arange(96.0), 96.0, 2, by_brightness(200), grey_look(levels))
    assert chosen == [6, 71]


def test_by_text_that_says_nothing_is_an_even_choice():
    chosen = choose(np.arange(64.0), 64.0, 8, by_brightness(0), grey_look(np.full(64, 128)))
    assert np.diff([0, *chosen, 64]).max() <= 16
    assert len(set(chosen)) == 8


@given(scores=arrays(float, st.integers(1, 40), elements=st.floats(-1, 1)), n=st.integers(1, 50))
def test_adaptive_choice_is_sorted_distinct_and_complete(scores, n):
    chosen = adaptive(scores, n)
    assert chosen == sorted(set(chosen))
    assert len(chosen) == min(n, len(scores))
    assert scores[adaptive(scores, 1)[0]] > scores.max() - 1e-9
