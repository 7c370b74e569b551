"""A legend names what a picture shows, where it is, and nothing the picture does not show."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from engine_memories import ADVERSARIAL, boxes_only, frame, join, memory, room, room_cloud, sheet, thing

from placecell.engine.legend import MOST_ROWS, ego_legend, overview_legend, photo_legend, seen_in
from placecell.engine.renders import render_view
from placecell.errors import UserError


def names(scene, **look):
    picture = render_view(scene, size=96, **look)
    return [s.instance.name for s in seen_in(scene, picture.camera, outside=look.get("mode") == "global")]


def test_objects_in_view_are_listed_from_left_to_right():
    assert names(room(), anchor=1) == ["table"]
    assert names(room(), anchor=1, azimuth=90) == ["sofa"]
    assert names(room(), anchor=1, azimuth=-60) == ["chair"]
    assert ego_legend(room(), render_view(room(), azimuth=90, size=96)).endswith(
        "- sofa 2: 0 right, 35 down, 1.94 m away"
    )


def test_a_bearing_is_to_the_right_of_where_the_view_heads():
    seen = seen_in(room(), render_view(room(), azimuth=-20, size=96).camera)
    table = next(s for s in seen if s.instance.name == "table")
    assert (table.bearing, table.distance) == pytest.approx((20, np.hypot(2, 1.1)))
    assert "table 1: 20 right" in ego_legend(room(), render_view(room(), azimuth=-20, size=96))


def test_what_is_hidden_is_not_named():
    board = sheet((-1, 0, -1), (2, 0, 0), (0, 2.5, 0), step=0.02)
    scene = memory([frame(1, (0, 1.5, 0))], [thing(1, "table", (0, 0.4, -2))], join(room_cloud(), board))
    assert names(scene, anchor=1) == []
    assert "none" in ego_legend(scene, render_view(scene, size=96))
    assert names(replace(scene, cloud=room_cloud()), anchor=1) == ["table"]


def test_an_overview_places_everything_around_the_anchor():
    picture = render_view(room(), anchor=2, mode="global", elevation=60, size=96)
    text = overview_legend(room(), picture, 2)  # image 2 stands at (1, 1.5, 0.5) and looks west
    assert "- table 1: right 2.50, ahead 1.00, up -1.10; 1.20 x 0.60 x 0.80 m, width along 0" in text
    assert "- image 1: right 0.50, ahead 1.00, up 0.00; heading 90" in text
    assert "The room: floor area 20.0 m2, height 2.50 m." in text
    assert "chair 4 (uncertain)" in text


def test_a_photos_objects_are_those_found_in_its_pixels():
    assert photo_legend(room(), 2) == "Known objects in it: sofa 2, chair 4 (uncertain), lamp 5."
    blind = replace(room(), instances=tuple(replace(i, views=()) for i in room().instances))
    assert photo_legend(blind, 1) == "Known objects in it: table 1."
    assert photo_legend(blind, 3) == ""


def test_long_legends_say_how_much_they_leave_out():
    things = [thing(i, "box", (0.02 * i - 1, 1.5, -3), (0.01, 0.01, 0.01)) for i in range(1, MOST_ROWS + 8)]
    scene = memory([frame(1, (0, 1.5, 0))], things)
    assert "(7 more are left out)" in ego_legend(scene, render_view(scene, size=96))


def test_a_memory_of_boxes_has_legends_too():
    scene = replace(boxes_only(), frames=room().frames)
    assert "table" in names(scene, anchor=1)


@pytest.mark.parametrize("make", ADVERSARIAL.values(), ids=ADVERSARIAL.keys())
def test_no_memory_breaks_a_legend(make):
    scene = make()
    for look in ({"mode": "ego"}, {"mode": "global", "elevation": 50}):
        for shot in scene.posed_frames[:1]:
            try:
                picture = render_view(scene, anchor=shot.number, size=48, **look)
            except UserError:
                continue
            assert isinstance(ego_legend(scene, picture) + overview_legend(scene, picture, shot.number), str)
            assert isinstance(photo_legend(scene, shot.number), str)
