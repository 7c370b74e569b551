"""Which sightings of one thing are believed, and how much a partial view leaves open about where it is."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from placecell.memory.tracking.association import chains
from placecell.memory.tracking.settings import OURS
from placecell.memory.tracking.sightings import Sighting
from placecell.memory.tracking.tracks import track_of
from placecell.memory.tracking.trust import jitter, left_open, unproven, whole_views, without_strays

GRID = np.stack(np.meshgrid(*[np.linspace(-0.5, 0.5, 5)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)


def sighting(k, middle, extent=(1.0, 1.0, 1.0), *, pixels=None, cut=False, covered=0.0):
    extent = np.asarray(extent, float)
    return Sighting(
        frame=k + 1,
        time_s=0.2 * k,
        name="crate",
        identity=1,
        pixels=round(900 * extent[0] * extent[1]) if pixels is None else pixels,
        bbox=(10, 10, 10 + max(1, round(30 * extent[0])), 10 + max(1, round(30 * extent[1]))),
        depth=5.0,
        cut=cut,
        covered=covered,
        score=0.9,
        points=np.asarray(middle, float) + GRID * extent,
        colours=np.full((len(GRID), 3), 0.5),
        camera=np.array([0.0, 1.5, 5.0]),
    )


def along(middles, seed=0, sd=0.005):
    noise = np.random.default_rng(seed).normal(0, sd, (len(middles), 3))
    return [sighting(k, m) for k, m in enumerate(np.asarray(middles, float) + noise)]


def test_an_id_that_two_things_of_a_frame_have_is_believed_once():
    both = [*along(np.zeros((12, 3))), *along(np.full((12, 3), 6.0), seed=1)]
    found = chains(both, OURS)
    assert [[s.frame for s in chain] for chain in found] == [list(range(1, 13))] * 2
    assert all(np.ptp([s.middle for s in chain], axis=0).max() < 0.1 for chain in found)


@pytest.mark.parametrize("at", [0, 1, 9, 10, 18, 19])
def test_a_mask_on_what_is_behind_is_a_stray_wherever_in_the_video(at):
    chain = along(np.zeros((20, 3)))
    chain[at] = sighting(at, [0.2, -0.1, -1.4], (1.0, 1.0, 4.0))
    assert [s.frame for s in without_strays(chain, OURS)] == [s.frame for s in chain if s.frame != at + 1]


def test_two_strays_in_a_row_are_both_found():
    chain = along(np.zeros((20, 3)))
    chain[18], chain[19] = sighting(18, [0, -0.4, -0.3]), sighting(19, [-0.4, 0, 0], (0.4, 1, 1))
    assert [s.frame for s in without_strays(chain, OURS)] == list(range(1, 19))


@settings(max_examples=40, deadline=None)
@given(
    speed=st.floats(0.2, 4.0),
    heading=st.floats(0, 2 * np.pi),
    turns_at=st.integers(3, 16),
    bend=st.sampled_from([0.0, np.pi / 2, np.pi]),
)
@example(speed=1.0, heading=0.0, turns_at=3, bend=np.pi)
@example(speed=4.0, heading=0.0, turns_at=16, bend=np.pi)
def test_a_thing_that_turns_or_reverses_has_no_strays(speed, heading, turns_at, bend):
    angles = heading + bend * (np.arange(19) >= turns_at)
    steps = 0.2 * speed * np.stack([np.cos(angles), 0 * angles, np.sin(angles)], axis=-1)
    chain = along(np.concatenate([np.zeros((1, 3)), np.cumsum(steps, axis=0)]))
    assert len(without_strays(chain, OURS)) == len(chain)


def test_what_goes_behind_something_and_comes_out_again_has_no_strays():
    chain = along(np.outer(np.arange(20), [0.1, 0, 0]))
    for k in range(6, 12):
        hidden = 0.8 * min(k - 5, 12 - k) / 3
        side = -1 if k < 9 else 1
        chain[k] = sighting(k, [0.1 * k + side * hidden / 2, 0, 0], (1 - hidden, 1, 1), covered=0.4)
    assert without_strays(chain, OURS) == chain


def test_too_few_sightings_are_all_believed():
    chain = along(np.zeros((7, 3)))
    chain[3] = sighting(3, [9, 9, 9])
    assert without_strays(chain, OURS) == chain


def test_a_mask_is_never_known_better_than_its_pixels():
    still = [sighting(k, [0, 0, 0]) for k in range(20)]
    assert jitter(still) == pytest.approx(1 / 30 / np.sqrt(12))
    flicker = [sighting(k, [0, 0, 0.2 * (k % 3 == 0)]) for k in range(20)]
    assert jitter(flicker) > 0.03


def leaving(n=20, moves=0.0):
    """A crate that the picture's left edge cuts more and more, so that the middle of what shows goes right."""
    gone = np.clip(np.linspace(-0.8, 0.8, n), 0, None)
    chain = []
    for k, hidden in enumerate(gone):
        middle = [hidden / 2 + moves * k / (n - 1), 0, 0]
        chain.append(sighting(k, middle, (1 - hidden, 1, 1), cut=hidden > 0))
    return chain


def test_what_the_edge_cuts_is_not_whole_and_half_of_what_is_gone_is_open():
    chain = leaving()
    whole = whole_views(chain, OURS)
    assert [s.frame for s in whole] == [s.frame for s in chain if s.extent[0] > 0.9 * chain[0].extent[0]]
    open_ = left_open(chain, whole, OURS)
    gone = np.array([(chain[0].extent[0] - s.extent[0]) / 2 for s in chain])
    loose = 0.05 * chain[0].extent.max()
    np.testing.assert_allclose(open_[:, 0], gone + loose * (gone > 0), atol=1e-9)
    np.testing.assert_allclose(open_[:, 1:], np.outer(gone > 0, [loose, loose]), atol=1e-9)


def test_a_thing_that_only_seems_to_go_is_not_proven_to_move():
    chain = leaving()
    open_ = left_open(chain, whole_views(chain, OURS), OURS)
    middles = np.array([s.middle for s in chain])
    assert unproven(middles, chain, open_) == pytest.approx(np.ptp(middles[:, 0]), abs=0.03)
    track = track_of(1, chain, {s.frame: s.time_s for s in chain}, OURS)
    net = np.linalg.norm(track.centres[-1] - track.centres[0])
    assert net < 4.5 * np.median(track.centre_sd) + track.drift


def test_a_thing_that_does_go_is_proven_to_move_although_the_edge_cuts_it():
    chain = leaving(moves=-3.0)
    open_ = left_open(chain, whole_views(chain, OURS), OURS)
    middles = np.array([s.middle for s in chain])
    assert unproven(middles, chain, open_) <= 0.5
    track = track_of(1, chain, {s.frame: s.time_s for s in chain}, OURS)
    net = np.linalg.norm(track.centres[-1] - track.centres[0])
    assert net > 2.0 > 4.5 * np.median(track.centre_sd) + track.drift


def test_a_thing_covered_all_the_time_stays_where_it_shows():
    chain = [sighting(k, [0, 0, 0], (0.6, 1, 1), covered=0.33) for k in range(20)]
    for k in (2, 8, 12):  # masks that miss the part next to what covers it
        chain[k] = sighting(k, [-0.05, 0.1, 0], (0.5, 0.8, 1))
    track = track_of(1, chain, {s.frame: s.time_s for s in chain}, OURS)
    assert np.ptp(track.centres, axis=0).max() < 0.12


@pytest.mark.parametrize("bend", [0.0, 90.0, 180.0])
def test_a_front_is_taken_from_a_straight_way_and_from_no_other(bend):
    angles = np.radians(30.0 + bend * (np.arange(19) >= 9))
    steps = 0.3 * np.stack([np.sin(angles), 0 * angles, -np.cos(angles)], axis=-1)
    chain = along(np.concatenate([np.zeros((1, 3)), np.cumsum(steps, axis=0)]))
    track = track_of(1, chain, {s.frame: s.time_s for s in chain}, OURS)
    assert track.front_from == ("motion" if bend == 0 else None)
    if bend == 0:
        np.testing.assert_allclose(track.front_deg, 30.0, atol=1.0)
    still = along(np.zeros((20, 3)))
    assert track_of(1, still, {s.frame: s.time_s for s in still}, OURS).front_from is None
