"""Top views: to scale, heading up, marks where things are, captions that name what is missing."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from engine_memories import empty, frame, memory, room, thing
from engine_running import values

from placecell.engine.drawing import EGO, round_length
from placecell.engine.interpreter import PictureSettings
from placecell.engine.renders import render_view
from placecell.engine.surfaces import colour_of, surface_of, without_ceiling
from placecell.engine.views import View
from placecell.geometry.camera import OrthoCamera

LARGE = PictureSettings(size=512)


def top(body="return [render_rgb_bev(memory)]", scene=None, look="", size=LARGE):
    start = (
        f"here = query_camera_pose(memory, image=1)\nset_viewpoint(memory, at=here)\n{look}\n"
        if look is not None
        else ""
    )
    (picture,) = values(start + body, scene or room(), pictures=size)
    return picture


def place(picture, point):
    """Column and row of a world point, by the camera the sidecar states."""
    s = picture.sidecar
    camera = OrthoCamera(s["units_per_pixel"], s["map_width"], s["map_height"], np.array(s["world_from_cam"]))
    u, v = camera.project(np.asarray(point, float)).pixels
    return int(u), int(v)


def colour_at(picture, point):
    u, v = place(picture, point)
    return tuple(picture.rgb[v, u].tolist())


def test_the_floor_and_walls_are_where_the_stated_camera_puts_them():
    picture = top(look=None)
    assert colour_at(picture, (1.0, 0, 1.5)) == (120, 90, 60)
    assert colour_at(picture, (-2.0, 0, 0.3)) == (60, 180, 60)
    assert picture.units_per_pixel == picture.sidecar["units_per_pixel"]


def test_a_metre_is_as_long_along_both_axes():
    picture = top(look=None)
    u0, v0 = place(picture, (0, 0, 0))
    u1, v1 = place(picture, (1, 0, 1))
    assert u1 - u0 == pytest.approx(v1 - v0, abs=1)


def test_the_viewer_is_drawn_at_its_place_facing_up_the_page():
    for look in ("", 'turn_camera(memory, "right", degrees=60)', 'turn_camera(memory, "back")'):
        picture = top(look=look)
        u, v = place(picture, (0, 1.5, 0))
        assert tuple(picture.rgb[v, u].tolist()) == EGO
        column = picture.rgb[v - 30 : v, u - 1 : u + 2].reshape(-1, 3).astype(int)
        assert (np.abs(column - EGO).max(axis=1) < 40).any()
        below = picture.rgb[v + 20 : v + 50, u - 1 : u + 2].reshape(-1, 3).astype(int)
        assert not (np.abs(below - EGO).max(axis=1) < 40).any()


def test_a_turn_to_the_right_turns_the_map_to_the_left():
    north, east = top(), top(look='turn_camera(memory, "right")')
    sofa = (1.6, 0.4, 0)  # east of the viewer
    u, v = place(north, (0, 1.5, 0))
    assert place(north, sofa)[0] > u + 20 and abs(place(north, sofa)[1] - v) <= 1
    u, v = place(east, (0, 1.5, 0))
    assert place(east, sofa)[1] < v - 20 and abs(place(east, sofa)[0] - u) <= 1


def test_captions_explain_the_page_and_what_was_cut():
    assert "the page's top is the world's -z" in top(look=None).caption
    seen = top(look='turn_camera(memory, "right", degrees=30)').caption
    assert "red: the viewer at image 1, turned 30 degrees right" in seen
    assert "cut at a height of 1.95" in seen  # 1.3 times the cameras' height


def test_the_ceiling_is_cut_off():
    from engine_memories import join, sheet

    ceiling = sheet((-2, 2.5, -2.5), (4, 0, 0), (0, 0, 5), colour=(250, 0, 250))
    scene = replace(room(), cloud=join(room().cloud, ceiling))
    assert colour_at(top(look=None, scene=scene), (1.0, 0, 1.5)) == (120, 90, 60)


def test_a_ceiling_that_is_a_box_is_not_drawn_over_the_other_boxes():
    boxes = replace(room(), cloud=empty().cloud)
    covered = replace(boxes, instances=(*boxes.instances, thing(9, "Ceiling", (0, 2.6, 0), (5, 0.1, 6))))
    open_, cut = (without_ceiling(scene, surface_of(scene))[0] for scene in (boxes, covered))
    assert cut.points[:, 1].max() == pytest.approx(open_.points[:, 1].max(), abs=0.01)
    assert set(cut.origin) == set(open_.origin)


def test_every_box_is_drawn_however_many_there_are():
    things = tuple(thing(n, "tree", (n, 0, 0), (0.5, 0.5, 0.5)) for n in range(1, 5001))
    forest = replace(empty(), instances=things)
    assert len(np.unique(surface_of(forest).origin)) == len(things)


PLAN = """
    table = query_3d_object_location(memory, "table")
    chairs = query_3d_object_location(memory, "chair")
    door = query_3d_object_location(memory, "door")
    return [render_semantic_bev(memory, objects=[table, chairs, door], cameras=[1, 2, 3, 7])]
"""


def test_a_plan_outlines_each_object_in_its_categorys_colour():
    picture = top(PLAN, look=None)
    names = room().object_names
    for name, corner in (("table", (0.6, 0, -1.7)), ("chair", (-1.25, 0, -0.75)), ("chair", (-1.25, 0, 1.25))):
        u, v = place(picture, corner)
        around = picture.rgb[v - 2 : v + 3, u - 2 : u + 3].reshape(-1, 3).tolist()
        assert list(colour_of(names, name)) in around
    assert picture.shown == ("table 1", "chair 3", "chair 4")
    assert picture.evidence.instances == (1, 3, 4)


def test_a_plan_names_what_it_could_not_show():
    caption = top(PLAN, look=None).caption
    assert "3 objects with their numbers" in caption
    assert "images 1, 2 joined in this order" in caption
    for missing in ("no door", "image 3 has no place", "image 7 has no place"):
        assert f"not shown: {missing}" in caption


def test_cameras_open_where_they_look():
    picture = top(PLAN, look=None)
    u, v = place(picture, (1, 1.5, 0.5))  # image 2 looks west, to the left of the page

    def bluish(columns):
        patch = picture.rgb[v - 3 : v + 4, columns].reshape(-1, 3).astype(int)
        return (patch[:, 2] - patch[:, 0]).mean()

    assert bluish(slice(u - 18, u - 8)) > bluish(slice(u + 8, u + 18)) + 30


@pytest.mark.parametrize("size", [64, 200, 768])
@pytest.mark.parametrize("mode", ["bev", "semantic"])
def test_top_views_fit_the_size_they_were_asked_for(mode, size):
    for scene in (room(), empty(), memory([frame(1, (0, 1, 0))], [thing(1, "rod", (0, 0, 0), (30, 0.1, 0.1))])):
        picture = render_view(scene, mode=mode, size=size)
        assert max(picture.rgb.shape[:2]) <= size


def test_a_plan_of_a_memory_of_boxes_needs_no_cloud():
    scene = replace(room(), cloud=empty().cloud)
    picture = top(PLAN, scene=scene)
    assert "3 objects" in picture.caption and picture.shown == ("table 1", "chair 3", "chair 4")


def test_a_views_own_top_view_marks_it():
    picture = View.of_image(room(), 1).step("forward", 1.0).top(size=300)
    assert tuple(picture.rgb[place(picture, (0, 1.5, -1))[::-1]].tolist()) == EGO


@pytest.mark.parametrize(("about", "length"), [(0.9, 0.5), (1.0, 1.0), (3.0, 2.0), (49.0, 20.0), (0.0031, 0.002)])
def test_scale_bars_have_round_lengths(about, length):
    assert round_length(about) == pytest.approx(length)


def test_objects_that_a_plan_has_no_room_for_are_told():
    things = [thing(k, "brick", (k % 30, 0, k // 30), (0.3 + k / 1e4, 0.3, 0.3)) for k in range(1, 451)]
    plan = top(
        'bricks = query_3d_object_location(memory, "brick")\nreturn [render_semantic_bev(memory, objects=[bricks])]',
        memory([frame(1, (0, 1.5, 0))], things),
    )
    assert "400 objects with their numbers" in plan.caption and "not shown: 50 smaller objects" in plan.caption
    assert len(plan.shown) == 400 and "brick 450" in plan.shown and "brick 50" not in plan.shown
    assert "rests on 400 objects, of which 64 are named" in plan.evidence.flags
