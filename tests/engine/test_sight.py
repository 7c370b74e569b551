"""Visibility: what a photo recorded, what geometry says elsewhere."""

from __future__ import annotations

import pytest
from engine_memories import frame, memory, room, sheet, thing
from engine_running import values

from placecell.engine.values import Absent, Visibility


def seen(name, scene, after=""):
    (how,) = values(
        f"""
        here = query_camera_pose(memory, image=1)
        set_viewpoint(memory, at=here)
        {after}
        target = query_3d_object_location(memory, "{name}")
        return [check_visibility(memory, target)]
        """,
        scene,
    )
    return how


def scene(*things, cloud=None):
    return memory([frame(1, (0, 1, 0), (0, 1, -1))], things, cloud)


TABLE = thing(1, "table", (0, 1, -4), (0.6, 0.6, 0.6))
SHELF = thing(2, "shelf", (0, 1, -2), (2, 2, 0.1))


def test_a_thing_in_front_is_seen_and_one_behind_is_outside_the_view():
    assert seen("table", scene(TABLE)).state == "seen"
    assert seen("table", scene(TABLE), 'turn_camera(memory, "back")').state == "outside"


def test_between_boxes_the_nearer_one_hides_and_is_named():
    how = seen("table", scene(TABLE, SHELF))
    assert (how.state, how.hidden_by) == ("hidden", "shelf")
    assert how.share == 0
    over = 'step_camera(memory, "up", distance=2.0)\nturn_camera(memory, "down", degrees=20)'
    past = seen("table", scene(TABLE, SHELF), over)
    assert past.state == "seen" and past.hidden_by is None


def test_the_cloud_hides_what_lies_behind_it_and_its_owner_is_named():
    board = sheet((-1, 0, -2), (2, 0, 0), (0, 2, 0), step=0.05)
    how = seen("table", scene(TABLE, SHELF, cloud=board))
    assert (how.state, how.hidden_by) == ("hidden", "shelf")
    nameless = seen("table", scene(TABLE, cloud=board))
    assert (nameless.state, nameless.hidden_by) == ("hidden", None)


def test_a_thing_does_not_hide_itself():
    surface = sheet((-0.3, 0.7, -3.7), (0.6, 0, 0), (0, 0.6, 0), step=0.02)
    table = thing(1, "table", (0, 1, -4), (0.6, 0.6, 0.6), points=surface.points)
    assert seen("table", scene(table, cloud=surface)).share == pytest.approx(1.0)


def test_half_hidden_things_have_half_a_share():
    board = sheet((0, 0, -2), (2, 0, 0), (0, 2, 0), step=0.05)
    how = seen("table", scene(TABLE, cloud=board))
    assert how.state == "seen" and 0.3 < how.share < 0.7


def test_what_the_photo_recorded_decides_at_the_photos_own_place():
    recorded = thing(1, "table", (0, 1, -4), (0.6, 0.6, 0.6), views=(1,))
    how = seen("table", scene(recorded, SHELF))
    assert how.state == "seen" and how.evidence.frames == (1,)
    elsewhere = thing(1, "table", (0, 1, -4), (0.6, 0.6, 0.6), views=(7,))
    assert seen("table", scene(elsewhere, SHELF)).state == "hidden"


def test_of_several_instances_the_best_seen_one_counts():
    how = seen("chair", room())
    assert isinstance(how, Visibility) and how.state == "seen" and how.evidence.instances == (3,)


def test_things_that_were_not_found_have_no_visibility():
    how = seen("door", room())
    assert isinstance(how, Absent) and how.reason == "not found"
