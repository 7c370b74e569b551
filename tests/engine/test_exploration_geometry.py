"""Think3D's views on pictures, not only on cameras: no turn is the photo, a turn of 30 degrees shows what is there."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from engine_memories import frame, memory, sheet

from placecell.backends import auto
from placecell.backends.synthetic.capture import default_views
from placecell.backends.synthetic.furnish import make_room
from placecell.backends.synthetic.perfect import perfect_memory
from placecell.engine.renders import render_view
from placecell.geometry.transforms import look_at, pitch, yaw


@pytest.fixture(scope="module")
def synthetic():
    room = make_room(5)
    return perfect_memory(room, default_views(room), size=(160, 120))


@pytest.fixture(scope="module")
def office(shared_data):
    return auto.build([shared_data / "sevenscenes_tsdf"], frames=8)


def without_photo(scene, number):
    """The scene where photo ``number`` lends a camera but no pixels, so that a view from it is made of the others."""
    frames = (replace(f, depth=None) if f.number == number else f for f in scene.frames)
    return replace(scene, frames=tuple(frames))


def levels(scene, number, **turned):
    """Median over the pixels of the largest difference to the photo, in grey levels."""
    picture = render_view(scene, anchor=number, size=scene.frame(number).width, **turned)
    return float(np.median(np.abs(picture.rgb.astype(int) - scene.frame(number).rgb.astype(int)).max(axis=-1)))


@pytest.mark.parametrize("number", [1, 4])
def test_no_turn_is_the_photo_in_a_synthetic_room(synthetic, number):
    assert levels(synthetic, number) <= 2
    assert levels(without_photo(synthetic, number), number) <= 2
    assert levels(synthetic, number, azimuth=5) > 5


def test_no_turn_is_the_photo_in_a_real_capture(office):
    number = office.frames[3].number
    assert levels(office, number) <= 2
    from_others = levels(without_photo(office, number), number)
    assert from_others <= 20  # the noise of depth and poses moves edges by a pixel or two
    assert levels(office, number, azimuth=8) > 1.5 * from_others


@pytest.mark.parametrize(("azimuth", "elevation"), [(30, 0), (-30, 0), (0, 25), (0, -25), (140, 10), (-65, -20)])
@pytest.mark.parametrize("profile", ["placecell", "think3d"])
def test_what_lies_that_way_of_a_tilted_camera_is_in_the_middle_of_the_picture(azimuth, elevation, profile):
    """The direction is taken in the anchor's own axes; the published profile counts downwards."""
    eye = np.array([0.3, 1.5, 0.2])
    anchor = look_at(eye, [1.0, 1.1, -1.4])
    up = elevation if profile == "placecell" else -elevation
    there = eye + 2.0 * (anchor @ yaw(azimuth) @ pitch(up))[:3, 2]
    dot = sheet(there, (0.001, 0, 0), (0, 0.001, 0), colour=(255, 0, 0))
    scene = memory([frame(1, eye, [1.0, 1.1, -1.4])], cloud=dot)
    picture = render_view(scene, azimuth=azimuth, elevation=elevation, size=321, profile=profile)
    rows, columns = np.nonzero((picture.rgb == (255, 0, 0)).all(axis=-1))
    height, width = picture.rgb.shape[:2]
    assert (columns.mean() + 0.5, rows.mean() + 0.5) == pytest.approx((width / 2, height / 2), abs=1.5)


@pytest.mark.parametrize("mode", ["ego", "global"])
@pytest.mark.parametrize("azimuth", [0.0, 180.0])
def test_a_hair_of_a_turn_changes_the_picture_by_a_hair(synthetic, mode, azimuth):
    at, beside = (
        render_view(synthetic, azimuth=a, elevation=20, mode=mode, size=96).rgb.astype(int)
        for a in (azimuth - 0.001, azimuth + 0.001)
    )
    assert np.median(np.abs(at - beside)) == 0 and np.abs(at - beside).mean() < 3


def test_a_global_view_has_one_scale_on_both_axes(synthetic):
    camera = render_view(synthetic, mode="global", elevation=90, size=96).camera
    assert camera.K[0, 0] == pytest.approx(camera.K[1, 1])
