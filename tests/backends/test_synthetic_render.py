"""Solids, rays and pictures: what the renderer says lies where it says."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from placecell.backends.synthetic.rays import MISS, face, gap, meet
from placecell.backends.synthetic.render import Lights, flat, look, shoot
from placecell.backends.synthetic.shapes import Finish, Part, Pattern, Solid, box, cylinder, disc, ellipsoid, pack
from placecell.geometry.camera import Camera
from placecell.geometry.transforms import look_at, rigid, turn

GREY = Finish(Pattern.PLAIN, (0.5, 0.5, 0.5), (0.4, 0.4, 0.4))
SOLIDS = {
    Solid.BOX: (0.3, 0.2, 0.5),
    Solid.CYLINDER: (0.3, 0.4, 0.15),
    Solid.ELLIPSOID: (0.3, 0.5, 0.2),
}
LAMP = Lights(np.array([[0.0, 3.0, 0.0]]), np.array([[0.7, 0.7, 0.7]]))

# The first call of a kernel compiles it.
compiled = settings(deadline=None)
coordinate = st.floats(-2, 2, allow_nan=False)
solid = st.sampled_from(list(SOLIDS))


def whole(*parts: Part):
    return pack([(k + 1, np.eye(4), part) for k, part in enumerate(parts)])


@compiled
@given(solid, st.tuples(coordinate, coordinate, coordinate), st.tuples(coordinate, coordinate, coordinate))
def test_a_ray_meets_a_solid_on_its_surface_with_a_unit_normal_towards_the_ray(kind, origin, target):
    half = SOLIDS[kind]
    direction = np.subtract(target, origin)
    if np.linalg.norm(direction) < 1e-3 or gap(kind, *half, *origin) < 1e-3:
        return
    t = meet(kind, *half, *origin, *direction)
    if t == MISS:
        return
    point = np.add(origin, t * direction)
    assert abs(gap(kind, *half, *point)) < 1e-6
    normal = np.array(face(kind, *half, *point)[:3])
    assert np.linalg.norm(normal) == pytest.approx(1)
    assert normal @ direction <= 1e-6


@compiled
@given(solid, st.tuples(coordinate, coordinate, coordinate), st.floats(0, 1), st.floats(0, 1))
def test_a_ray_at_a_surface_point_meets_the_solid_no_later_than_there(kind, origin, a, b):
    half = SOLIDS[kind]
    if gap(kind, *half, *origin) < 1e-2:
        return
    samples = Part(kind, half, np.zeros(3), np.eye(3), GREY).surface(0.05)
    point = samples[int(a * (len(samples) - 1))]
    inner = 0.999 * point  # a ray at a silhouette point may pass just beside it
    t = meet(kind, *half, *origin, *np.subtract(inner, origin))
    assert t <= 1.0


@pytest.mark.parametrize("kind", SOLIDS)
@pytest.mark.parametrize("tilt", [0, 35])
def test_extents_are_those_of_the_surface(kind, tilt):
    part = Part(kind, SOLIDS[kind], np.array([0.4, 1.0, -0.2]), turn(np.eye(4), right=tilt, up=tilt)[:3, :3], GREY)
    directions = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [0.6, 0, 0.8]])
    low, high = part.extent(directions)
    along = part.surface(0.004) @ directions.T
    assert np.allclose(along.min(axis=0), low, atol=2e-3)
    assert np.allclose(along.max(axis=0), high, atol=2e-3)
    assert (along.min(axis=0) >= low - 1e-9).all()
    assert (along.max(axis=0) <= high + 1e-9).all()


def test_depth_is_z_depth_at_the_pixel_centre():
    # A wall 2 m ahead of the camera has the same z-depth everywhere, however slanted the ray.
    camera = Camera.from_fov(90, 64, 48)
    depth, owner = look(whole(box((9, 9, 1), (0, -4.5, 2.5), GREY)), camera)
    assert np.allclose(depth, 2.0)
    assert (owner == 1).all()
    # The border between two boxes at x = 0 falls between the two middle columns of an even width.
    pair = whole(box((4, 9, 1), (-2, -4.5, 2.5), GREY), box((4, 9, 1), (2, -4.5, 2.5), GREY))
    _, owner = look(pair, camera)
    assert (owner[:, :32] == 1).all()
    assert (owner[:, 32:] == 2).all()


def test_what_is_nearer_hides_what_is_behind_and_nothing_is_zero():
    scene = whole(box((2, 2, 0.2), (0, -1, 3), GREY), ellipsoid((0.2, 0.2, 0.2), (0, 0, 1.5), GREY))
    depth, owner = look(scene, Camera.from_fov(60, 81, 61))
    assert owner[30, 40] == 2
    assert depth[30, 40] == pytest.approx(1.3, abs=1e-3)
    assert owner[30, 25] == 1
    assert depth[0, 0] == owner[0, 0] == 0


@settings(max_examples=15, deadline=None)
@given(st.floats(0, 360), st.floats(-0.5, 1.5), st.integers(0, 10))
def test_tiles_leave_no_part_out(angle, height, shift):
    # One part alone and cast as if every tile looked at it must agree with the tiled picture of all.
    parts = (
        box((0.5, 0.5, 0.5), (0.6, 0, 0), GREY, yaw=20),
        cylinder(0.2, 0.8, (-0.5, 0, 0.3), GREY, top=0.05),
        disc(0.4, 0.05, (0, 1.2, -0.6), GREY),
        ellipsoid((0.3, 0.1, 0.2), (0.1, 0.9, 0.5), GREY),
    )
    eye = np.array([2.2 * np.cos(np.radians(angle)), height, 2.2 * np.sin(np.radians(angle))])
    camera = Camera.from_fov(70, 50 + shift, 37, look_at(eye, (0, 0.5, 0)))
    depth, _ = look(whole(*parts), camera)
    rays = camera.rays()
    for v, u in ((5, 7), (18, 25), (30, 40), (20, 12), (11, 33)):
        nearest = MISS
        for part in parts:
            local = part.object_from_part.T
            t = meet(part.solid, *part.half, *(local @ (eye - part.centre)), *(local @ rays[v, u]))
            nearest = min(nearest, t)
        assert depth[v, u] == pytest.approx(0 if nearest == MISS else nearest, abs=1e-5)


def test_a_picture_is_the_same_every_time_and_shades_what_lies_in_shadow():
    floor = box((6, 0.1, 6), (0, -0.1, 0), GREY)
    board = box((1, 0.05, 1), (0, 1.5, 0), GREY)
    scene = whole(floor, board)
    camera = Camera.from_fov(60, 120, 90, look_at((0, 0.9, 2.5), (0, 0, 0)))
    shot = shoot(scene, camera, LAMP)
    assert np.array_equal(shot.rgb, shoot(scene, camera, LAMP).rgb)
    below, beside = camera.project([[0, 0, 0.1], [1.1, 0, 0.1]]).pixels.astype(int)
    dark = shot.rgb[below[1] - 2 : below[1] + 3, below[0] - 2 : below[0] + 3].mean()
    bright = shot.rgb[beside[1] - 2 : beside[1] + 3, beside[0] - 2 : beside[0] + 3].mean()
    assert dark < 0.75 * bright


def test_flat_pictures_have_the_exact_depth_and_ids():
    scene = whole(box((1, 1, 1), (0, -0.5, 2), GREY))
    camera = Camera.from_fov(60, 40, 30)
    lit, unlit = shoot(scene, camera, LAMP), flat(scene, camera)
    assert np.array_equal(lit.depth, unlit.depth)
    assert np.array_equal(lit.owner, unlit.owner)


def test_a_moved_object_moves_in_the_picture():
    part = box((0.4, 0.4, 0.4), (0, -0.2, 0), GREY)
    camera = Camera.from_fov(60, 60, 45)
    _, left = look(pack([(1, rigid(translation=(-0.5, 0, 2)), part)]), camera)
    _, right = look(pack([(1, rigid(translation=(0.5, 0, 2)), part)]), camera)
    assert np.array_equal(left, right[:, ::-1])
