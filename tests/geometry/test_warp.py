"""Colours looked up in photos: the same surface, seen through, hidden, and which photo is preferred."""

from __future__ import annotations

import numpy as np
import pytest

from placecell.geometry.camera import Camera
from placecell.geometry.transforms import look_at
from placecell.geometry.warp import Source, warp

WIDTH, HEIGHT = 48, 36


def camera(x=0.0, z=0.0):
    """At (x, 0, z), looking along -z at a wall in the plane z = -3."""
    return Camera.from_fov(60.0, WIDTH, HEIGHT, look_at([x, 0, z], [x, 0, z - 1]))


def source(x=0.0, z=0.0, depth=None, colour=(0, 0, 0), rgb=None):
    shot = camera(x, z)
    seen = np.full((HEIGHT, WIDTH), 3.0 + z, np.float32) if depth is None else depth
    return Source(np.full((HEIGHT, WIDTH, 3), colour, np.uint8) if rgb is None else rgb, shot, seen, shot)


def warped(depth, *sources, at=None):
    grey = np.full((HEIGHT, WIDTH, 3), 128, np.uint8)
    return warp(grey, np.asarray(depth, np.float32), at or camera(), sources, relative=0.02, absolute=0.02)


WALL = np.full((HEIGHT, WIDTH), 3.0)


def test_from_the_photos_own_place_every_pixel_is_the_photos_whatever_the_depth():
    rgb = np.random.default_rng(0).integers(0, 255, (HEIGHT, WIDTH, 3), dtype=np.uint8)
    depth = np.random.default_rng(1).uniform(0, 5, (HEIGHT, WIDTH))
    out, used = warped(depth, source(rgb=rgb, depth=np.zeros((HEIGHT, WIDTH), np.float32)))
    assert np.array_equal(out, rgb) and (used == 0).all()


def test_a_gradient_on_a_wall_lands_where_geometry_says():
    rgb = np.zeros((HEIGHT, WIDTH, 3), np.uint8)
    rgb[..., 0] = np.arange(WIDTH) * 5
    out, used = warped(WALL, source(x=0.5, rgb=rgb))
    # Half a metre to the right at 3 m: the photo's column is ours less 0.5 f / 3.
    shift = 0.5 * camera().K[0, 0] / 3
    column = 30
    assert used[10, column] == 0
    assert out[10, column, 0] == pytest.approx(5 * (column - shift), abs=1)


def test_what_a_photo_saw_in_front_hides_the_surface_from_it():
    blocked = np.full((HEIGHT, WIDTH), 1.0, np.float32)
    out, used = warped(WALL, source(x=0.3, depth=blocked, colour=(255, 0, 0)))
    assert (used == -1).all() and (out == 128).all()


def test_a_surface_that_a_photo_looked_through_gives_way_to_what_is_behind():
    fringe = WALL.copy()
    fringe[:, 20:24] = 1.5  # a speck of the cloud in front of the wall; the photo saw only wall
    out, used = warped(fringe, source(x=0.2, colour=(255, 0, 0)))
    assert (used[:, 20:24] == 0).all() and (out[:, 20:24] == (255, 0, 0)).all()


def test_unknown_depth_stays_unknown_elsewhere():
    depth = WALL.copy()
    depth[5:10] = 0
    _, used = warped(depth, source(x=0.2))
    assert (used[5:10] == -1).all()


def test_of_two_photos_the_one_nearer_to_the_line_of_sight_is_taken():
    out, used = warped(WALL, source(x=1.5, colour=(255, 0, 0)), source(x=0.1, colour=(0, 255, 0)))
    assert used[HEIGHT // 2, WIDTH // 2] == 1
    assert out[HEIGHT // 2, WIDTH // 2].tolist() == [0, 255, 0]
