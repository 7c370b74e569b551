"""A track: its intervals, velocity, headings and what it refuses."""

import numpy as np
import pytest

from placecell.memory.track import true_track


def test_velocity_of_a_straight_way_is_its_speed_everywhere_at_uneven_times():
    times = np.array([0.0, 0.1, 0.35, 0.4, 1.0, 1.7])
    track = true_track(1, "car", times, np.outer(times, [1.0, 0.5, -2.0]) + 3)
    np.testing.assert_allclose(track.velocity, np.tile([1.0, 0.5, -2.0], (6, 1)), atol=1e-12)


def test_a_spin_to_the_right_is_clockwise_from_above():
    # By the right-hand rule a turn about -y takes -z (heading 0) to +x (heading 90).
    track = true_track(1, "top", [0, 1], np.zeros((2, 3)), spin=[0, -90, 0])
    np.testing.assert_allclose(track.yaw_rate, 90)


def test_visible_intervals_are_the_stretches_without_a_gap():
    track = true_track(1, "cat", np.arange(7.0), np.zeros((7, 3)), seen=[1, 1, 0, 0, 1, 0, 1])
    assert track.visible_intervals == ((0, 1), (4, 4), (6, 6))


def test_a_window_takes_the_moments_inside_it():
    assert true_track(1, "cat", np.arange(7.0), np.zeros((7, 3))).between(2, 4).tolist() == [2, 3, 4]


@pytest.mark.parametrize(
    "wrong",
    [
        {"times_s": [0, 0, 1]},
        {"frames": [1, 3, 2]},
        {"seen": [0, 0, 0]},
        {"centres": np.full((3, 3), np.nan)},
        {"centres": np.zeros((2, 3))},
        {"centre_sd": -1.0},
    ],
)
def test_a_track_that_contradicts_itself_is_refused(wrong):
    given = {"times_s": [0, 1, 2], "centres": np.zeros((3, 3))} | wrong
    with pytest.raises(ValueError, match="track 1"):
        true_track(1, "cat", given.pop("times_s"), given.pop("centres"), **given)
