"""Measuring at moments of a video, against exact tracks; and pixels, against exact depth."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from cell_running import bindings
from engine_memories import memory, thing, with_depth
from moving_memories import EYE, TIMES, moving_memory

from placecell.engine.cells.values import SetValue
from placecell.engine.describe import describe
from placecell.engine.values import Absent
from placecell.memory.track import true_track

AHEAD = np.stack([np.zeros(31), np.full(31, 1.5), -3 - TIMES], axis=-1)
"""Straight away from the camera at 1 m/s."""
RIGHT = np.stack([-1 + 2 * TIMES, np.full(31, 0.5), np.full(31, -4.0)], axis=-1)


def video(centre_sd=0.0, **more):
    tracks = (
        true_track(1, "car", TIMES, AHEAD, centre_sd=centre_sd, **more),
        true_track(2, "dog", TIMES, RIGHT, centre_sd=centre_sd),
    )
    return moving_memory(*tracks, vocabulary=("cat",))


TRACKS = """
    car = track_object("car")
    dog = track_object("dog")
"""


def test_a_place_between_two_moments_is_on_the_line_between_them():
    names = bindings(video(), TRACKS, """
        p = position_at(car, seconds(1.25))
        away = length_of(p - centre_of(camera_at(seconds(1.25))))
        apart = length_of(position_at(car, seconds(2)) - position_at(dog, seconds(2)))
        early = position_at(car, seconds(9))
    """)  # fmt: skip
    np.testing.assert_allclose(names["p"].place.array, [0, 1.5, -4.25], atol=1e-9)
    assert names["away"].value == pytest.approx(np.linalg.norm(names["p"].place.array - EYE))
    assert names["apart"].value == pytest.approx(np.linalg.norm(AHEAD[20] - RIGHT[20]))
    assert isinstance(names["early"], Absent) and names["early"].reason == "not seen"


def test_the_moment_is_chosen_by_conditions_and_something_is_measured_there():
    names = bindings(video(), TRACKS, """
        times = moments_of(dog)
        right = [t for t in times if in_frame(position_at(dog, t), camera_at(t)).right > metres(0)]
        when = first(right)
        nearest = min(times, by=lambda t: length_of(position_at(dog, t) - position_at(car, t)))
    """)  # fmt: skip
    assert isinstance(names["times"], SetValue) and len(names["times"].items) == 31
    assert names["when"].value == pytest.approx(0.6)
    gaps = np.linalg.norm(AHEAD - RIGHT, axis=1)
    assert names["nearest"].value == pytest.approx(float(TIMES[np.argmin(gaps)]))


def test_long_tracks_are_read_at_so_many_moments_with_both_ends():
    times = np.arange(300) / 10
    track = true_track(1, "car", times, np.stack([times, 0 * times, 0 * times], axis=-1))
    poses = np.tile(np.eye(4), (300, 1, 1))
    names = bindings(moving_memory(track, poses=poses, times=times), 'm = moments_of(track_object("car"))')
    read = [t.value for t in names["m"].items]
    assert len(read) == 64 and (read[0], read[-1]) == (0.0, pytest.approx(29.9))


def test_ways_speeds_and_turns_in_pieces():
    names = bindings(video(), TRACKS, """
        far = path_between(dog, start=seconds(0.5), end=seconds(2))
        slow = speed_between(car, start=seconds(1), end=seconds(3))
        fast = speed_between(dog, start=seconds(0.5), end=seconds(2)) / slow
        turn = turn_between(car, start=seconds(0), end=seconds(3))
        wrong = path_between(dog, start=seconds(2), end=seconds(1))
        late = speed_between(dog, start=seconds(2), end=seconds(30))
    """)  # fmt: skip
    assert names["far"].value == pytest.approx(3.0) and names["fast"].value == pytest.approx(2.0)
    assert names["turn"].value == pytest.approx(0.0, abs=1e-6)
    assert (names["wrong"].reason, names["late"].reason) == ("degenerate", "not seen")
    assert names["late"].kind == "speed"


def test_the_movers_own_sides_are_those_of_the_way_it_goes():
    names = bindings(video(), TRACKS, """
        dogs = track_frame(dog, seconds(1))
        car_is = side_of(position_at(car, seconds(1)), frame=dogs)
        still = seen_at(car, seconds(1))
    """)  # fmt: skip
    assert names["dogs"].axes.heading.value == pytest.approx(90.0), "it goes along +x"
    assert "its front is taken to be the way it moves" in names["dogs"].evidence.flags
    assert names["car_is"].words[-1] != "left" and names["still"].state == "yes"
    standing = true_track(1, "car", TIMES, np.tile([0.0, 0, -4], (31, 1)), centre_sd=0.02)
    absent = bindings(moving_memory(standing), 'f = track_frame(track_object("car"), seconds(1))')["f"]
    assert isinstance(absent, Absent) and absent.reason == "degenerate"


def test_places_at_two_moments_have_errors_of_their_own():
    names = bindings(video(0.05), TRACKS, """
        p = position_at(car, seconds(1))
        same = length_of(position_at(car, seconds(1)) - p)
        way = length_of(position_at(car, seconds(2)) - p)
    """)  # fmt: skip
    assert names["same"].value == 0 and names["same"].sd == 0
    assert names["way"].sd == pytest.approx(0.05 * np.sqrt(2), rel=0.01)


def test_a_memory_without_time_and_a_thing_nobody_followed_say_so():
    names = bindings(video(), """
        cat = track_object("cat")
        p = position_at(cat, seconds(1))
        fish = track("fish")
        cars = movers_of(track_object("car"))
        shot = moment_of(4)
    """)  # fmt: skip
    assert isinstance(names["p"], Absent) and names["p"].reason == "not found"
    assert isinstance(names["fish"], Absent) and names["fish"].reason == "not available"
    assert len(names["cars"].items) == 1 and names["shot"].value == pytest.approx(0.3)


def test_of_very_many_tracks_and_moments_a_cell_says_that_it_takes_some():
    times = np.arange(101) / 10
    tracks = [true_track(k, "car", times, times[:, None] * (1.0, 0, 0) - (0, 0, k)) for k in range(1, 41)]
    names = bindings(moving_memory(*tracks, times=times), """
        cars = track_object("car")
        each = movers_of(cars)
        moments = moments_of(each[0])
        number = count(each)
        any_seen = any([seen_at(c, seconds(99)) for c in each])
    """)  # fmt: skip
    assert "8 more, less sure ones, were not looked at" in names["each"].evidence.flags
    assert "64 of its 101 moments" in names["moments"].evidence.flags
    assert (names["number"].value, names["number"].uncertain) == (32, 8)
    assert names["any_seen"].state == "too close to call"
    assert "and 28 more" in describe(names["cars"])


def test_a_pixel_is_a_place():
    z = np.full((48, 64), 2.0)
    z[:, 32:] = 3.0
    shot = with_depth(1, (0, 1.5, 0), (0, 1.5, -1), z)
    made = memory([shot], [thing(1, "chair", (0, 1.5, -2))])
    names = bindings(made, """
        left = in_frame(locate_pixel(1, 31.5, 23.5), camera_frame(1))
        far = left.forward
        step = in_frame(locate_pixel(1, 32.5, 23.5), camera_frame(1)).forward
        outside = locate_pixel(1, 500, 20)
    """)  # fmt: skip
    assert names["far"].value == pytest.approx(2.0) and names["step"].value == pytest.approx(3.0)
    assert 0 < names["far"].sd < 0.05
    assert isinstance(names["outside"], Absent) and names["outside"].reason == "not seen"
    without = replace(made, frames=(replace(shot, depth=None),))
    box = bindings(without, "p = in_frame(locate_pixel(1, 32, 24), camera_frame(1)).forward")["p"]
    assert box.value == pytest.approx(1.75), "the near face of the chair"
    nothing = bindings(replace(without, instances=()), "p = locate_pixel(1, 32, 24)")["p"]
    assert isinstance(nothing, Absent) and nothing.reason == "no points"


def test_a_pixel_of_noisy_depth_is_as_uncertain_as_the_noise():
    rng = np.random.default_rng(1)
    found = []
    for _ in range(40):
        shot = with_depth(1, (0, 1.5, 0), (0, 1.5, -1), 2.0 + 0.05 * rng.standard_normal((48, 64)))
        found.append(bindings(memory([shot]), "p = centre_of(locate_pixel(1, 32.5, 24.5))")["p"])
    off = np.array([p.place.array[2] + 2.0 for p in found])
    assert 0.3 < np.mean([p.place.sd for p in found]) / np.abs(off).mean() < 3
