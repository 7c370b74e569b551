"""Camera motion: every sign, net against total, paths and orbits."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from placecell.geometry.egomotion import egomotion, position_noise, simplified, steps_between, turns_between
from placecell.geometry.transforms import look_at, pitch, rigid, step, turn

START = look_at([1.0, 1.5, 2.0], [2.0, 1.3, -3.0])


def rolled(pose, degrees):
    """Turned clockwise about the line of sight: right goes down."""
    c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    return pose @ rigid([[c, -s, 0], [s, c, 0], [0, 0, 1]])


def sequence(change, amount, count=21):
    return np.array([change(START, amount * share) for share in np.linspace(0, 1, count)])


MOVES = {
    "pan": lambda pose, a: turn(pose, right=40 * a),
    "tilt": lambda pose, a: pose @ pitch(30 * a),
    "roll": lambda pose, a: rolled(pose, 25 * a),
    "dolly": lambda pose, a: step(pose, forward=2 * a),
    "truck": lambda pose, a: step(pose, right=2 * a),
    "pedestal": lambda pose, a: step(pose, up=2 * a),
}
AMOUNTS = {"pan": 40, "tilt": 30, "roll": 25, "dolly": 2, "truck": 2, "pedestal": 2}


@pytest.mark.parametrize("name", MOVES)
@pytest.mark.parametrize("sign", [1, -1])
def test_every_move_has_its_sign_and_moves_nothing_else(name, sign):
    found = egomotion(sequence(MOVES[name], sign))
    for other, value in found.net.items():
        assert value == pytest.approx(sign * AMOUNTS[name] if other == name else 0, abs=1e-6), other
    assert found.total[name] == pytest.approx(AMOUNTS[name])


@pytest.mark.parametrize("name", MOVES)
def test_there_and_back_has_no_net_but_keeps_its_total(name):
    there = sequence(MOVES[name], 1)
    found = egomotion(np.concatenate([there, there[::-1][1:]]))
    assert found.net[name] == pytest.approx(0, abs=1e-6)
    assert found.total[name] == pytest.approx(2 * AMOUNTS[name])


@given(st.floats(-170, 170), st.floats(-40, 40), st.floats(-40, 40))
def test_a_turn_of_all_three_is_read_back(right, up, clockwise):
    poses = np.array([START, rolled(turn(START, right=right, up=up), clockwise)])
    np.testing.assert_allclose(turns_between(poses)[0], [right, up, clockwise], atol=1e-6)


@given(st.floats(-3, 3), st.floats(-3, 3), st.floats(-3, 3))
def test_a_step_of_all_three_is_read_back(right, up, forward):
    poses = np.array([START, step(START, right=right, up=up, forward=forward)])
    np.testing.assert_allclose(steps_between(poses)[0], [forward, right, up], atol=1e-9)


def test_a_full_turn_is_all_of_it():
    assert egomotion(sequence(lambda p, a: turn(p, right=360 * a), 1, 37)).net["pan"] == pytest.approx(360)


@pytest.mark.parametrize("sense", [1, -1])
def test_an_orbit_is_clockwise_from_above_when_the_camera_goes_to_its_left(sense):
    angles = np.radians(sense * np.linspace(0, 120, 25))
    # Compass angle 0 is -z and grows towards +x: clockwise on a page with -z up.
    at = np.stack([3 * np.sin(angles), np.full(25, 1.5), -3 * np.cos(angles)], axis=-1)
    found = egomotion(np.array([look_at(eye, [0, 1, 0]) for eye in at]))
    assert found.orbit == pytest.approx(sense * 120, abs=1e-6)
    np.testing.assert_allclose(found.pivot, [0, 1.5, 0], atol=1e-6)
    assert np.sign(found.net["truck"]) == -sense


def test_walking_straight_circles_nothing():
    assert egomotion(sequence(MOVES["dolly"], 1)).orbit == 0
    assert egomotion(sequence(MOVES["truck"], 1)).pivot is None


def test_simplifying_keeps_the_corners_and_drops_the_jitter():
    rng = np.random.default_rng(1)
    corner = np.concatenate([np.linspace([0, 0, 0], [1, 0, 0], 50), np.linspace([1, 0, 0], [1, 0, 2], 100)])
    noisy = corner + rng.uniform(-0.005, 0.005, corner.shape)
    kept = simplified(noisy, 0.02)
    assert len(kept) < 8
    assert np.linalg.norm(np.diff(noisy[kept], axis=0), axis=1).sum() == pytest.approx(3, abs=0.05)


@pytest.mark.parametrize("even", [True, False])
def test_the_jitter_of_a_way_is_read_off_it_whatever_its_speed_and_its_moments(even):
    rng = np.random.default_rng(5)
    times = np.linspace(0, 20, 400) if even else np.sort(rng.uniform(0, 20, 400))
    way = np.outer(times, [3.0, 0.1, -1.0]) + np.outer(times**2, [0.1, 0.0, 0.2])
    assert position_noise(way, times) < 1e-6
    noisy = way + rng.normal(0, 0.02, way.shape)
    assert position_noise(noisy, times) == pytest.approx(0.02, rel=0.1)
