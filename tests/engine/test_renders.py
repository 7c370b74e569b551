"""Perspective pictures: the camera is the one claimed, unknown space is marked, captions say what is shown."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
from engine_memories import boxes_only, empty, frame, join, memory, relative, room, room_cloud, sheet, thing, with_depth
from engine_running import values

from placecell.engine.drawing import hatch_unknown
from placecell.engine.renders import render_view
from placecell.engine.sides import seen_sides
from placecell.engine.views import View
from placecell.errors import UserError
from placecell.geometry.camera import Camera
from placecell.geometry.transforms import look_at

RED, BLUE, GREEN, YELLOW = (200, 60, 60), (60, 60, 200), (60, 180, 60), (220, 200, 60)  # north, south, west, east


def middle(picture):
    height, width = picture.rgb.shape[:2]
    return tuple(picture.rgb[height // 2, width // 2].tolist())


def count(picture, colour):
    return int((picture.rgb == colour).all(axis=-1).sum())


@pytest.mark.parametrize(("azimuth", "colour"), [(0, RED), (90, YELLOW), (-90, GREEN), (180, BLUE), (270, GREEN)])
def test_a_turned_ego_view_shows_the_wall_on_that_side(azimuth, colour):
    assert middle(render_view(room(), anchor=1, azimuth=azimuth, size=96)) == colour


@pytest.mark.parametrize(
    ("azimuth", "elevation", "words"),
    [
        (0, 0, "View from image 1;"),
        (45, 20, "View from image 1, turned 45 degrees right, looking 20 degrees up;"),
        (-90, 0, "View from image 1, turned 90 degrees left;"),
        (270, -10, "View from image 1, turned 90 degrees left, looking 10 degrees down;"),
        (180, 0, "View from image 1, turned 180 degrees;"),
    ],
)
def test_captions_say_the_angles_in_words(azimuth, elevation, words):
    picture = render_view(room(), anchor=1, azimuth=azimuth, elevation=elevation, size=64)
    assert picture.caption.startswith(words)
    assert picture.sidecar["caption"] == picture.caption


def test_the_sidecar_is_the_camera_of_the_picture():
    picture = render_view(room(), anchor=2, azimuth=30, elevation=-5, size=128)
    camera = Camera(
        np.array(picture.sidecar["K"]), picture.sidecar["width"], picture.sidecar["height"],
        np.array(picture.sidecar["world_from_cam"]),
    )  # fmt: skip
    assert picture.rgb.shape == (camera.height, camera.width, 3)
    assert picture.camera is not None and np.array_equal(picture.camera.K, camera.K)
    assert (picture.sidecar["anchor"], picture.sidecar["azimuth"], picture.sidecar["elevation"]) == (2, 30, -5)


def test_a_lone_point_appears_at_its_projection():
    scene = memory([frame(1, (0, 1.5, 0), (0, 1.5, -1))], cloud=sheet((0.5, 1.8, -2), (0.001, 0, 0), (0, 0.001, 0)))
    picture = render_view(scene, anchor=1, size=640)
    u, v = picture.camera.project(np.array([0.5, 1.8, -2.0])).pixels
    rows, columns = np.nonzero((picture.rgb == 150).all(axis=-1))
    assert (columns.mean() + 0.5, rows.mean() + 0.5) == pytest.approx((u, v), abs=1.0)


def test_unknown_space_is_hatched_and_its_share_is_in_the_caption():
    scene = memory([frame(1, (0, 1.5, 0), (0, 1.5, -1))], cloud=sheet((-2, 0, -2), (4, 0, 0), (0, 1.5, 0), step=0.02))
    picture = render_view(scene, anchor=1, size=192)
    share = int(picture.caption.split("(")[1].split(" %")[0])
    assert "hatched: not seen in any photo" in picture.caption and 48 <= share <= 52
    upper = picture.rgb[: picture.rgb.shape[0] // 2 - 2].reshape(-1, 3)
    blank = hatch_unknown(picture.rgb, np.ones(picture.rgb.shape[:2], bool))
    assert {tuple(c) for c in upper.tolist()} <= {tuple(c) for c in blank.reshape(-1, 3).tolist()}
    assert len({tuple(c) for c in upper.tolist()}) == 2


def test_a_view_of_nothing_says_that_nothing_is_known():
    picture = render_view(memory([frame(1, (0, 1, 0))]), anchor=1, size=64)
    assert "nothing there is seen in any photo: all of it is unknown" in picture.caption


def patterned(width=64, height=48):
    rng = np.random.default_rng(4)
    return rng.integers(0, 255, (height, width, 3), dtype=np.uint8)


def photographed():
    """Two photos of a wall 2 m north; every pixel of photo 1 has a colour of its own."""
    one = with_depth(1, (0, 1.5, 0), (0, 1.5, -1), np.full((48, 64), 2.0))
    two = with_depth(2, (0.5, 1.5, 0), (0.5, 1.5, -1), np.full((48, 64), 2.0), colour=(10, 200, 10))
    pattern = patterned()
    one = replace(one, read_rgb=lambda: pattern)
    wall = join(sheet((-2, 0, -2), (4, 0, 0), (0, 3, 0), step=0.04))
    return memory([one, two], cloud=wall)


def test_no_turn_reproduces_the_photos_pixels():
    picture = render_view(photographed(), anchor=1, size=64)
    assert np.array_equal(picture.rgb, patterned())
    assert picture.evidence.frames == (1,)


def test_elsewhere_pixels_come_from_the_photo_that_saw_the_surface():
    scene = photographed()
    view = View.of_image(scene, 2).step("right", 0.1).render(size=64)
    assert middle(view) == (10, 200, 10)
    assert 2 in view.evidence.frames


def test_a_photo_never_colours_what_it_could_not_see():
    """A board hides the wall from photo 1: from the side, the wall behind keeps the cloud's own colour."""
    depth = np.full((48, 64), 2.0)
    depth[:, 20:44] = 1.0
    hidden = replace(photographed().frames[0], depth=with_depth(1, (0, 1.5, 0), (0, 1.5, -1), depth).depth)
    wall = sheet((-2, 0, -2), (4, 0, 0), (0, 3, 0), step=0.04, colour=(1, 2, 3))
    scene = memory([hidden], cloud=wall)
    camera = Camera.from_fov(40.0, 64, 48, look_at([0.8, 1.5, -1.0], [0.0, 1.5, -2.0]))
    picture = View.at(scene, camera.world_from_cam, camera=camera).render(size=64)
    assert middle(picture) == (1, 2, 3)


def test_a_global_view_looks_into_the_room_over_walls_that_turn_their_backs():
    scene = replace(room(), frames=room().frames[:1], cloud=room_cloud(step=0.04))
    north = render_view(scene, anchor=1, mode="global", elevation=20, size=192)
    assert count(north, BLUE) < 0.5 * count(north, RED)  # edges have no side and may stay
    assert north.caption.startswith("The whole scene from outside, looking the way image 1 looks, 20 degrees down;")
    south = render_view(scene, anchor=1, mode="global", azimuth=180, elevation=20, size=192)
    assert count(south, RED) < 0.5 * count(south, BLUE)
    assert "opposite to the way image 1 looks" in south.caption


def test_sides_point_to_the_camera_that_saw_them():
    toward, flat = seen_sides(replace(room(), frames=(frame(1, (0, 1.5, 0), (0, 1.5, -1)),)))
    floor = room_cloud().points[:, 1] == 0
    inner = floor & (np.abs(room_cloud().points[:, [0, 2]]) < 1.5).all(axis=1)
    assert flat[inner].mean() > 0.9
    assert (toward[inner][:, 1] > 0).all()


def test_cameras_are_drawn_in_a_global_view_where_they_are():
    picture = render_view(room(), anchor=1, mode="global", elevation=60, size=384)
    for number, eye in ((1, (0, 1.5, 0)), (2, (1, 1.5, 0.5))):
        u, v = picture.camera.project(np.array(eye, float)).pixels
        around = picture.rgb[int(v) - 9 : int(v) + 9, int(u) - 9 : int(u) + 9].reshape(-1, 3).astype(int)
        red, green, blue = around.T
        assert ((red > 150) & (green < 80) if number == 1 else (blue > 120) & (red < 60)).any()


def test_where_only_boxes_are_known_they_are_drawn_as_blocks():
    (picture,) = values(
        """
        table = query_3d_object_location(memory, "table")
        a = select_object(table, by="only")
        sofa = query_3d_object_location(memory, "sofa")
        b = select_object(sofa, by="only")
        set_viewpoint(memory, at=a, facing=b)
        return [render_egocentric(memory)]
        """,
        boxes_only(),
    )
    assert "only boxes of objects are known" in picture.caption
    assert picture.caption.startswith("View at the table, facing the sofa, eye 1.1 m above its centre;")
    assert len({tuple(c) for c in picture.rgb.reshape(-1, 3).tolist()}) > 3


def test_the_thing_one_stands_in_does_not_block_the_view():
    box = join(*(sheet((-0.5, 0, z), (1, 0, 0), (0, 2, 0), step=0.05, colour=(9, 9, 9)) for z in (-0.5, 0.5)))
    scene = memory(
        [frame(1, (0, 1.5, 3), (0, 1.5, 0))],
        [thing(1, "wardrobe", (0, 1, 0), (1.1, 2.1, 1.1)), thing(2, "door", (0, 1, -3))],
        join(box, sheet((-2, 0, -3), (4, 0, 0), (0, 2.5, 0), step=0.05, colour=RED)),
    )
    (picture,) = values(
        """
        w = query_3d_object_location(memory, "wardrobe")
        a = select_object(w, by="only")
        d = query_3d_object_location(memory, "door")
        b = select_object(d, by="only")
        set_viewpoint(memory, at=a, facing=b)
        return [render_egocentric(memory)]
        """,
        scene,
    )
    assert middle(picture) == RED


@pytest.mark.parametrize(
    "wrong",
    [
        {"anchor": 9},
        {"anchor": 3},
        {"azimuth": 400},
        {"elevation": -95},
        {"azimuth": float("nan")},
        {"mode": "bev", "azimuth": 10},
    ],
)
def test_views_that_cannot_be_are_the_callers_mistake(wrong):
    with pytest.raises(UserError):
        render_view(room(), **wrong)


def test_the_same_view_is_pixel_identical_in_eight_threads():
    scene = relative()
    first = render_view(scene, azimuth=10, size=128).rgb
    with ThreadPoolExecutor(8) as pool:
        pictures = list(pool.map(lambda _: render_view(scene, azimuth=10, size=128).rgb, range(16)))
    assert all(np.array_equal(first, p) for p in pictures)


def test_an_empty_memory_has_top_views_but_no_anchor():
    with pytest.raises(UserError, match="there is no image 1"):
        render_view(empty(), anchor=1)
    assert render_view(empty(), mode="bev", size=64).rgb.shape[0] <= 64


def test_without_an_anchor_the_whole_scene_is_seen_along_the_worlds_axes():
    picture = render_view(room(), anchor=None, mode="global", elevation=30, size=96)
    assert picture.camera.world_from_cam[2, 2] < -0.8
    assert "along the world's -z" in picture.caption and "in red" not in picture.caption
    with pytest.raises(UserError, match="needs an image to stand at"):
        render_view(room(), anchor=None)
    with pytest.raises(UserError, match="no cameras and no points"):
        render_view(empty(), anchor=None, mode="global")
