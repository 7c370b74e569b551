"""Levels of detail: nothing is lost or shown twice, budgets hold, detail is where one looks."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial import KDTree

from placecell.apps.viewer.detail import chosen, detail_of, joined
from placecell.geometry.camera import Camera
from placecell.geometry.transforms import look_at


def plane(side: int, extent: float = 8.0) -> np.ndarray:
    """A level floor of side x side points."""
    x, z = np.meshgrid(np.linspace(0, extent, side), np.linspace(0, extent, side))
    return np.stack([x.ravel(), np.zeros(side * side), z.ravel()], axis=1).astype(np.float32)


FLOOR = plane(500)
SPACING = 8 / 499
DETAIL = detail_of(FLOOR, SPACING)


def camera(eye, target) -> Camera:
    return Camera.from_fov(60, 1000, 800, look_at(eye, target))


def leaves(detail):
    """The finest cubes that can be reached from the roots."""
    todo, found = list(detail.roots), []
    while todo:
        number = todo.pop()
        children = detail.cubes[number].children
        todo += children
        if not children:
            found.append(number)
    return found


@given(st.integers(0, 2**32 - 1), st.integers(1, 3000))
@settings(max_examples=25, deadline=None)
def test_every_point_is_in_exactly_one_of_the_finest_cubes(seed, count):
    points = np.random.default_rng(seed).normal(size=(count, 3)).astype(np.float32)
    detail = detail_of(points, 0.01)
    finest = np.concatenate([detail.cubes[number].points for number in leaves(detail)])
    assert sorted(finest.tolist()) == list(range(count))


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=10, deadline=None)
def test_points_lie_in_their_cube_and_no_two_in_one_cell_of_it(seed):
    points = np.random.default_rng(seed).uniform(-3, 5, size=(2000, 3)).astype(np.float32)
    detail = detail_of(points, 0.02)
    for cube in detail.cubes:
        local = (points[cube.points] - cube.centre) / cube.side + 0.5
        assert (local > -1e-4).all() and (local < 1 + 1e-4).all()
        if cube.children:  # the finest have all points
            cells = np.clip((local.astype(np.float64) * 64 + 1e-6).astype(int), 0, 63)
            # Rounding moves a few points over the edge of their cell.
            assert len(np.unique(cells, axis=0)) >= 0.99 * len(cells)


def test_children_hold_all_that_their_parent_shows():
    for cube in DETAIL.cubes:
        if cube.children:
            below = np.concatenate([DETAIL.cubes[child].points for child in cube.children])
            assert set(cube.points.tolist()) <= set(below.tolist())
            assert all(DETAIL.cubes[child].spacing < cube.spacing for child in cube.children)


@pytest.mark.parametrize("budget", [20_000, 60_000, 120_000])
def test_what_is_drawn_covers_everything_once_within_the_budget(budget):
    drawn = chosen(DETAIL, camera([4, 1.5, 9], [4, 0, 4]), budget)
    shown = np.concatenate([DETAIL.cubes[number].points for number in drawn])
    assert len(shown) == len(set(shown.tolist())) <= budget
    # Nowhere is the nearest drawn point further away than the diagonal of a cell of the coarsest level.
    gaps, _ = KDTree(FLOOR[shown]).query(FLOOR)
    assert gaps.max() <= DETAIL.cubes[DETAIL.roots[0]].spacing * np.sqrt(3)


def test_with_a_large_budget_and_from_nearby_every_point_in_view_is_drawn():
    drawn = set(chosen(DETAIL, camera([4, 1.0, 4.01], [4, 0, 4]), 10**9))
    near = np.flatnonzero(np.linalg.norm(FLOOR - [4, 0, 4], axis=1) < 0.3)
    shown = np.concatenate([DETAIL.cubes[number].points for number in drawn])
    assert set(near.tolist()) <= set(shown.tolist())


def test_detail_goes_where_one_looks_and_not_behind_the_eye():
    drawn = chosen(DETAIL, camera([4, 0.5, 4], [0, 0, 4]), 150_000)
    ahead = [DETAIL.cubes[n].spacing for n in drawn if DETAIL.cubes[n].centre[0] < 3]
    behind = [DETAIL.cubes[n].spacing for n in drawn if DETAIL.cubes[n].centre[0] > 5]
    assert min(ahead) < min(behind)


def test_from_far_away_the_coarsest_level_is_enough():
    assert chosen(DETAIL, camera([4, 4000, 4.1], [4, 0, 4]), 10**9) == DETAIL.roots


def test_parts_of_a_cloud_can_be_drawn_alone_or_together():
    near = FLOOR[:, 2] < 4
    first, second = (detail_of(FLOOR, SPACING, np.flatnonzero(side).astype(np.int32)) for side in (near, ~near))
    both = joined(first, second)
    alone = chosen(both, camera([4, 1, 4], [4, 0, 0]), 10**6, both.roots[: len(first.roots)])
    assert alone == chosen(first, camera([4, 1, 4], [4, 0, 0]), 10**6)
    assert all(near[both.cubes[number].points].all() for number in alone)
    whole = np.concatenate([both.cubes[number].points for number in leaves(both)])
    assert sorted(whole.tolist()) == list(range(len(FLOOR)))


@pytest.mark.parametrize("points", [np.zeros((0, 3)), np.zeros((1, 3)), np.zeros((50, 3)), plane(2)])
def test_tiny_clouds_have_their_detail_too(points):
    detail = detail_of(points.astype(np.float32), 0.01)
    drawn = chosen(detail, camera([1, 1, 1], [0, 0, 0]), 100)
    assert sum(len(detail.cubes[number].points) for number in drawn) >= min(len(points), 1)


def test_a_stray_point_far_away_takes_no_detail_from_the_room():
    points = np.concatenate([FLOOR, [[5000.0, 0.0, 5000.0]]]).astype(np.float32)
    detail = detail_of(points, SPACING)
    assert min(cube.spacing for cube in detail.cubes) < 1.5 * SPACING
