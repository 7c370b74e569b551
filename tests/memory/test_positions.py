"""Metres from where photos were taken: the scale, its error, strays, and what is refused."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from memory_example import frame, memory

from placecell.errors import UserError
from placecell.geometry.camera import Camera
from placecell.geometry.transforms import look_at
from placecell.media.gps import Fix
from placecell.memory.positions import fit_positions, scaled_by_gps
from placecell.memory.scene import Alignment, Scale

METRE = 1 / 111_195.0  # degrees of a sphere of 6,371 km


def photographed_from(centres):
    """A memory without metres whose images were taken from ``centres`` (N, 3)."""
    frames = [
        frame(n, camera=Camera.from_fov(70, 40, 30, look_at(c, np.add(c, [0, -0.1, -1]))), depth=None)
        for n, c in enumerate(np.asarray(centres, float), start=1)
    ]
    upright = Alignment(np.eye(4), "given")
    return replace(memory(), frames=tuple(frames), scale=Scale(), alignment=upright, instances=(), tracks=())


def stated(scene, factor, yaw=0.0, noise=0.0, at=(0.3, 179.9999), error_m=None):
    """The positions GPS would state if a unit were ``factor`` metres long and east ``yaw`` degrees right of +x."""
    rng, fixes = np.random.default_rng(0), {}
    for f in scene.frames:
        x, _, z = f.camera.centre
        ground = factor * (x - 1j * z) * np.exp(1j * np.radians(yaw)) + noise * (rng.normal() + 1j * rng.normal())
        east = at[1] + ground.real * METRE / np.cos(np.radians(at[0]))
        fixes[f.digest] = Fix(at[0] + ground.imag * METRE, (east + 180) % 360 - 180, error_m)
    return fixes


def walk(n=20, seed=0):
    return np.random.default_rng(seed).uniform(-5, 5, (n, 3)) * [1, 0.2, 1]


@settings(max_examples=40, deadline=None)
@given(
    factor=st.floats(5, 50),
    yaw=st.floats(-180, 180),
    latitude=st.floats(-70, 70),
    longitude=st.sampled_from([-180.0, -0.0001, 179.9999, 13.4]),
)
def test_true_positions_give_the_true_scale_everywhere_on_earth(factor, yaw, latitude, longitude):
    scene = photographed_from(walk())
    fit = fit_positions(scene, stated(scene, factor, yaw, at=(latitude, longitude)))
    # The fixture's earth is a sphere: the ellipsoid's radii differ from it by up to 0.7 %.
    assert fit.factor == pytest.approx(factor, rel=0.01)
    assert fit.images == tuple(range(1, 21)) and fit.strays == ()


def test_the_error_of_the_scale_is_as_large_as_positions_scatter():
    scene, offs, said = photographed_from(walk(12)), [], []
    rng = np.random.default_rng(1)
    true = stated(scene, 10.0)
    for _ in range(200):
        noisy = {
            digest: replace(
                fix,
                latitude_deg=fix.latitude_deg + rng.normal(0, 4) * METRE,
                longitude_deg=fix.longitude_deg + rng.normal(0, 4) * METRE,
            )
            for digest, fix in true.items()
        }
        fit = fit_positions(scene, noisy)
        offs.append((fit.factor / 10.0 - 1) / fit.relative_error)
        said.append(fit.relative_error)
    assert 0.8 < np.sqrt(np.mean(np.square(offs))) < 1.3
    assert 0.02 < np.median(said) < 0.05


def test_an_old_position_is_named_and_left_out():
    scene = photographed_from(walk())
    fixes = stated(scene, 10.0, noise=2.0)
    first = scene.frames[0].digest
    fixes[first] = replace(fixes[first], latitude_deg=fixes[first].latitude_deg + 900 * METRE)
    fit = fit_positions(scene, fixes)
    assert fit.strays == (1,) and fit.factor == pytest.approx(10.0, rel=0.05)


def test_a_memory_gets_its_metres_and_says_from_where():
    scene = photographed_from(walk())
    scaled, fit = scaled_by_gps(scene, stated(scene, 10.0, noise=1.0))
    assert scaled.scale == Scale("metric", "gps", fit.relative_error) and fit.relative_error < 0.03
    np.testing.assert_allclose(scaled.frames[3].camera.centre, fit.factor * scene.frames[3].camera.centre)
    with pytest.raises(UserError, match="in metres already"):
        scaled_by_gps(scaled, stated(scene, 10.0))


def test_photos_in_one_room_are_refused():
    scene = photographed_from(walk())
    with pytest.raises(UserError, match=r"tells the scale to \d+% only"):
        scaled_by_gps(scene, stated(scene, 0.4, noise=3.0))


def test_a_stated_error_counts_where_positions_agree_better():
    scene = photographed_from(walk())
    said = fit_positions(scene, stated(scene, 10.0, error_m=8.0))
    assert said.relative_error == pytest.approx(8 * fit_positions(scene, stated(scene, 10.0)).relative_error)


def test_too_few_positions_one_place_and_an_unsure_up_are_refused():
    scene = photographed_from(walk())
    fixes = stated(scene, 10.0)
    with pytest.raises(UserError, match="3 placed images"):
        scaled_by_gps(scene, dict(list(fixes.items())[:3]))
    with pytest.raises(UserError, match="all GPS positions are the same"):
        scaled_by_gps(scene, dict.fromkeys(fixes, Fix(1.0, 1.0)))
    turning = photographed_from(np.zeros((6, 3)))
    with pytest.raises(UserError, match="from one place"):
        scaled_by_gps(turning, stated(photographed_from(walk(6)), 10.0))
    unsure = replace(scene, alignment=replace(scene.alignment, confident=False))
    with pytest.raises(UserError, match="which way is up"):
        scaled_by_gps(unsure, fixes)
