"""What would be if, in a room whose truth is plain: moves, drops, fits, lines and ways."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from cell_running import bindings, blurred
from engine_memories import boxes_only, join, memory, relative, room, room_cloud, sheet, thing

from placecell.engine.cells.values import SupposedValue
from placecell.engine.values import Absent
from placecell.geometry.boxes import OrientedBox
from placecell.geometry.proximity import closest_points
from placecell.geometry.walls import walls_around

THINGS = """
    table = select_object(query_3d_object_location("table"), by="only")
    sofa = select_object(query_3d_object_location("sofa"), by="only")
    lamp = select_object(query_3d_object_location("lamp"), by="only")
    chairs = query_3d_object_location("chair")
"""
OUTLINE = np.array([[-2, -2.5], [2, -2.5], [2, 2.5], [-2, 2.5]], float)


def walled(made=None):
    made = boxes_only() if made is None else made
    return replace(made, layout=replace(made.layout, outline=OUTLINE, walls=walls_around(OUTLINE, 0.0, 2.5)))


def test_a_moved_object_is_measured_where_it_would_be_and_the_memory_stays():
    names = bindings(room(), THINGS, """
        there = moved(lamp, by=centre_of(table) - centre_of(lamp))
        gap = length_of(centre_of(there) - centre_of(table))
        far = distance_between(there, lamp)
        before = length_of(centre_of(lamp) - centre_of(table))
        size = measure_size(there).height
    """)  # fmt: skip
    assert isinstance(names["there"], SupposedValue) and names["there"].instance.id == 5
    assert names["gap"].value == pytest.approx(0.0, abs=1e-9) and names["gap"].sd < 1e-9
    assert names["far"].value > 3 and names["before"].value == pytest.approx(np.linalg.norm([0.3, 1.9, 4.0]))
    assert names["size"].value == pytest.approx(0.3)


def test_a_back_that_nobody_saw_widens_depth_and_place_but_nothing_that_was_seen():
    made = blurred(room(), 0.01, 0.02)
    table, *others = made.instances
    box = table.upright_box
    ends = np.stack([-box.axes[:, 2], box.axes[:, 2]], axis=1) < -0.9  # towards -z
    seen = replace(made, instances=(replace(table, hidden_sd=0.3 * ends), *others))
    cells = """
        gap = distance_between(query_camera_pose(1), table)
        depth = measure_size(table).depth
        high = measure_size(table).height
        middle = in_frame(centre_of(table), world_frame())
        ahead = middle.forward
        aside = middle.right
    """
    plain, open_ = (bindings(memory, THINGS, cells) for memory in (made, seen))
    assert open_["depth"].sd == pytest.approx(np.hypot(plain["depth"].sd, 0.3))
    assert open_["ahead"].sd == pytest.approx(np.hypot(plain["ahead"].sd, 0.15))
    for name in ("gap", "high", "aside"):
        assert open_[name].sd == pytest.approx(plain[name].sd) and plain[name].sd > 0


def test_what_falls_comes_to_rest_on_what_is_under_it():
    names = bindings(room(), THINGS, """
        w = world_frame()
        above = moved(lamp, by=point_at(w, right=metres(-0.3), forward=metres(4)) - centre_of(w))
        on_table = in_frame(top_of(dropped(above)), world_frame()).up
        on_floor = in_frame(top_of(dropped(lamp)), world_frame()).up
        down = dropped(above)
    """)  # fmt: skip
    assert names["on_table"].value == pytest.approx(0.8 + 0.3)
    assert names["on_floor"].value == pytest.approx(0.3)
    assert "comes to rest on the table 1" in names["down"].evidence.flags


def test_an_object_placed_on_another_stands_on_its_top():
    names = bindings(room(), THINGS, """
        there = placed(lamp, at=sofa)
        p = in_frame(centre_of(there), world_frame())
        up = p.up
        itself = placed(lamp, at=lamp)
        here = centre_of(placed(lamp, at=midpoint(table, sofa)))
    """)  # fmt: skip
    assert names["up"].value == pytest.approx(0.8 + 0.15)
    assert isinstance(names["itself"], Absent) and names["itself"].reason == "degenerate"
    np.testing.assert_allclose(names["here"].place.array, [0.8, 0.4, -1.0], atol=1e-9)


@pytest.mark.parametrize(("gap", "state"), [(0.61, "yes"), (0.59, "no")])
def test_an_object_fits_by_its_shorter_side(gap, state):
    text = f"ok = fits(table, metres({gap}))"
    assert bindings(boxes_only(), THINGS, text)["ok"].state == state
    assert bindings(blurred(boxes_only()), THINGS, text)["ok"].state == "too close to call"


def test_fitting_between_and_on_others():
    names = bindings(room(), THINGS, """
        between = fits_between(chairs[0], table, sofa)
        wide = fits_between(sofa, table, chairs[0])
        lamp_on_table = fits_on(lamp, table)
        sofa_on_table = fits_on(sofa, table)
    """)  # fmt: skip
    states = {name: names[name].state for name in ("between", "wide", "lamp_on_table", "sofa_on_table")}
    assert states == {"between": "yes", "wide": "no", "lamp_on_table": "yes", "sofa_on_table": "no"}


def test_a_line_is_blocked_by_what_stands_in_it_wherever_that_is_supposed():
    names = bindings(boxes_only(), THINGS, """
        free = blocked(table, chairs[1])
        chair = moved(chairs[0], by=midpoint(table, chairs[1]) - centre_of(chairs[0]))
        then = blocked(table, chairs[1], supposing=[chair])
    """)  # fmt: skip
    assert names["free"].state == "no"
    assert names["then"].state == "yes" and "the chair is in the way" in names["then"].evidence.flags
    row = memory([], [thing(i, name, (x, 1, 0)) for i, (name, x) in enumerate((("a", 0), ("b", 2), ("c", 4)), 1)])
    text = """
        a = select_object(query_3d_object_location("a"), by="only")
        b = select_object(query_3d_object_location("b"), by="only")
        c = select_object(query_3d_object_location("c"), by="only")
        hidden = blocked(a, c)
        w = world_frame()
        beside = blocked(a, c, supposing=[moved(b, by=point_at(w, up=metres(0.27)) - centre_of(w))])
        aside = blocked(a, c, supposing=[moved(b, by=point_at(w, up=metres(3)) - centre_of(w))])
    """
    assert [bindings(row, text)[name].state for name in ("hidden", "beside", "aside")] == ["yes", "no", "no"]
    unsure = bindings(blurred(row, 0.03, 0.02), text)
    assert [unsure[name].state for name in ("hidden", "beside", "aside")] == ["yes", "too close to call", "no"]


def test_a_way_ends_at_the_first_thing_or_at_the_wall():
    names = bindings(walled(), THINGS, """
        f = standing_at(table, facing=chairs[1])
        start = walked(compass(centre_of(world_frame()), towards=table, word="north"), metres(0))
        to_table = clear_way(start)
        to_wall = clear_way(start, until="wall")
        right = clear_way(start, side="right", until="wall")
        back = clear_way(turned(start, 45), side="front", until="wall")
    """)  # fmt: skip
    assert names["to_wall"].value == pytest.approx(2.5) and names["right"].value == pytest.approx(2.0)
    assert names["back"].value == pytest.approx(2.0 * np.sqrt(2))
    assert names["to_table"].value == pytest.approx(1.7), "the table begins at z = -1.7"
    assert isinstance(bindings(room(), "w = clear_way(camera_frame(1), until='wall')")["w"], Absent)


def test_the_border_of_what_was_seen_is_no_wall_but_is_told():
    seen = replace(boxes_only(), layout=replace(boxes_only().layout, outline=OUTLINE))
    names = bindings(seen, THINGS, """
        start = walked(compass(centre_of(world_frame()), towards=table, word="north"), metres(0))
        way = clear_way(start, until="wall")
        wall = wall_frame(lamp)
    """)  # fmt: skip
    assert isinstance(names["way"], Absent) and names["way"].reason == "not found"
    assert names["way"].message.endswith("what was seen of the place ends after 2.50 m")
    assert isinstance(names["wall"], Absent)


def test_a_way_that_grazes_an_edge_ends_at_the_face_it_meets():
    way = bindings(boxes_only(), 'w = clear_way(world_frame(), side="right")')["w"]
    assert way.value == pytest.approx(1.2), "the sofa stands on the floor, where the ray goes"


def test_the_error_of_a_way_follows_where_one_stands_and_which_way_one_faces():
    made, sd, rng = walled(), 0.05, np.random.default_rng(2)
    names = bindings(blurred(made, sd, 0.0), THINGS, """
        way = clear_way(turned(standing_at(lamp, facing=table), 30), until="wall")
    """)  # fmt: skip
    at, to = (made.instances[k].centre + sd * rng.standard_normal((20_000, 3)) for k in (4, 0))
    heading = np.arctan2(*(to - at)[:, [0, 2]].T * [[1], [-1]]) + np.radians(30)
    ways = (2.0 - at[:, 0]) / np.sin(heading)
    assert names["way"].value == pytest.approx(np.median(ways), rel=0.01)
    assert names["way"].sd == pytest.approx(ways.std(), rel=0.1)


def test_lengths_in_units_become_metres_by_one_known_length():
    names = bindings(relative(), THINGS, """
        gap = measure_distance(table, sofa)
        high = measure_size(table).height
        metric = rescaled(gap, measured=high, known=metres(1.6))
        same = gap / high * metres(1.6)
    """)  # fmt: skip
    assert names["gap"].unit == "units" and names["metric"].unit == "m"
    assert names["metric"].value == pytest.approx(2.0) and names["same"].value == pytest.approx(2.0)


def test_distances_share_the_errors_of_what_they_share():
    names = bindings(blurred(boxes_only(), 0.05, 0.0), THINGS, """
        ab = distance_between(table, lamp)
        same = measure_distance(table, lamp) - ab
        more = distance_between(table, midpoint(lamp, lamp)) - ab
        there = distance_between(table, sofa)
        both = there - ab
    """)  # fmt: skip
    assert names["same"].value == 0 and names["same"].sd == 0
    assert names["more"].sd < 0.02, "to the lamp's middle and to its side is nearly one distance"
    assert names["both"].sd < np.hypot(names["ab"].sd, names["there"].sd)


def test_what_distances_share_is_the_deviation_of_samples_of_boxes_and_the_whole_is_that_of_programs():
    made, rng = boxes_only(), np.random.default_rng(5)
    names = bindings(blurred(made, 0.03, 0.05), THINGS, "d = distance_between(table, sofa)")

    def drawn(box):
        return OrientedBox(
            box.centre + 0.03 * rng.standard_normal(3), box.axes, box.size + 0.05 * rng.standard_normal(3)
        )

    table, sofa = made.instances[0].box, made.instances[1].box
    sampled = [closest_points(drawn(table), drawn(sofa)).distance for _ in range(3000)]
    shared = [change for source, change in names["d"].number.errors if source.startswith(("centre", "side"))]
    assert np.hypot.reduce(shared) == pytest.approx(np.std(sampled), rel=0.1)
    assert names["d"].sd == pytest.approx(np.sqrt(2 * (0.03**2 + 0.05**2)))


def test_what_falls_in_a_real_place_rests_on_the_surface_that_was_seen_there():
    shelf = sheet((-2, 1.0, -2.5), (1, 0, 0), (0, 0, 2), 0.05)
    made = replace(room(), cloud=join(room_cloud(), shelf))
    names = bindings(made, THINGS, """
        down = dropped(placed(lamp, at=point_at(world_frame(), right=metres(-1.5), up=metres(2), forward=metres(1.5))))
        low = in_frame(top_of(down), world_frame()).up
        on_floor = in_frame(top_of(dropped(lamp)), world_frame()).up
    """)  # fmt: skip
    assert names["low"].value == pytest.approx(1.3, abs=0.01) and names["on_floor"].value == pytest.approx(0.3)
    assert "nobody named what is under it" in names["down"].evidence.flags
