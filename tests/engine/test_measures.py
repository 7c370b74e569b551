"""Distances, sizes, counts, comparisons, orders, routes: values, units, uncertainty, evidence."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from engine_memories import METRIC, boxes_only, frame, memory, relative, room, sheet, thing
from engine_running import values
from hypothesis import given
from hypothesis import strategies as st

from placecell.engine.measures import compare
from placecell.engine.places import Place, between, closest, place_of
from placecell.engine.values import Absent, Angle, Area, Count, Length
from placecell.geometry.proximity import closest_points
from placecell.memory.scene import Scale

GAP = """
    a = query_3d_object_location(memory, "table")
    b = query_3d_object_location(memory, "sofa")
    return [measure_distance(memory, a, b)]
"""


def test_distance_is_between_the_closest_points_of_the_true_boxes():
    (gap,) = values(GAP, boxes_only())
    # table: x up to 0.6, z up to -1.7; sofa: x from 1.2, z from -0.9.
    assert gap.value == pytest.approx(np.hypot(0.6, 0.8))
    assert gap.ends == pytest.approx(np.array([[0.6, gap.ends[0, 1], -1.7], [1.2, gap.ends[0, 1], -0.9]]))
    assert (gap.unit, gap.sd) == ("m", 0.0)
    assert "between boxes" in gap.evidence.flags and gap.evidence.instances == (1, 2)


def test_lengths_of_a_relative_memory_are_units_without_a_scale_error():
    (gap,) = values(GAP, relative())
    assert (gap.unit, gap.sd) == ("units", 0.0)


def test_the_scale_error_is_part_of_every_length():
    (gap,) = values(GAP, room())
    assert gap.sd == pytest.approx(0.01 * gap.value) and gap.own_sd == 0


def test_the_objects_own_uncertainty_adds_up():
    scene = room()
    things = tuple(replace(t, centre_sd=0.03, size_sd=0.08) for t in scene.instances)
    (gap,) = values(GAP, replace(scene, instances=things, scale=Scale("metric", "sensor", 0.0)))
    assert gap.sd == pytest.approx(np.sqrt(2) * np.hypot(0.03, 0.08))
    assert gap.interval() == pytest.approx((gap.value - 1.96 * gap.sd, gap.value + 1.96 * gap.sd))


def test_points_decide_where_they_show_the_surface():
    seat = sheet((0, 0.4, -3), (1, 0, 0), (0, 0, 1)).points
    near = thing(1, "table", (0.5, 0.5, -2.5), (1, 1, 1), points=seat)
    far = thing(2, "sofa", (0.5, 3.4, -2.5), (1, 1, 1))
    (gap,) = values(GAP, memory(instances=[near, far]))
    assert gap.value == pytest.approx(2.9 - 0.4, abs=1e-6)  # from the sheet at 0.4 to the box's underside at 2.9
    assert "between points and a box" in gap.evidence.flags
    (gap,) = values(GAP, memory(instances=[near, far], scale=Scale("metric", "annotation", 0.0)))
    assert gap.value == pytest.approx(2.9 - 1.0)  # annotated boxes are the truth


@given(st.integers(0, 10_000), st.integers(1, 12), st.integers(1, 12))
def test_the_closest_pair_over_all_instances_is_found(seed, n, m):
    rng = np.random.default_rng(seed)
    make = lambda i: place_of(thing(i, "x", rng.uniform(-3, 3, 3), rng.uniform(0, 1, 3), yaw=rng.uniform(0, 90)))  # noqa: E731
    a, b = [make(i) for i in range(n)], [make(100 + i) for i in range(m)]
    best = min(closest_points(p.box, q.box).distance for p in a for q in b)
    assert closest(memory(), a, b).distance == pytest.approx(best, abs=1e-9)


@given(st.integers(0, 10_000))
def test_points_to_points_gives_the_same_both_ways(seed):
    rng = np.random.default_rng(seed)
    a, b = (
        place_of(
            thing(
                i, "x", (0, 0, 0), points=rng.uniform(0, 1, (int(rng.integers(40, 200)), 3)) + np.array([2 * i, 0, 0])
            )
        )
        for i in range(2)
    )
    there, back = between(a, b), between(b, a)
    brute = np.linalg.norm(a.instance.points[:, None] - b.instance.points[None], axis=-1).min()
    assert there.distance == pytest.approx(brute, rel=1e-6) == back.distance
    assert there.ends == pytest.approx(back.ends[::-1])


def test_poses_count_as_their_centre_and_the_viewpoint_is_the_default():
    first, second, third = values(
        """
        here = query_camera_pose(memory, image=1)
        there = query_camera_pose(memory, image=2)
        set_viewpoint(memory, at=here)
        sofa = query_3d_object_location(memory, "sofa")
        return [measure_distance(memory, here, there), measure_distance(memory, there), measure_distance(memory, sofa)]
        """,
        room(),
    )
    assert first.value == second.value == pytest.approx(np.hypot(1, 0.5))
    assert third.value == pytest.approx(np.hypot(1.2, 0.7))  # to the sofa's near top edge
    assert third.evidence.frames == (1, 2)


def test_a_thing_has_no_distance_to_itself_but_one_to_another_of_its_kind():
    (itself, others) = values(
        """
        chairs = query_3d_object_location(memory, "chair")
        one = select_object(chairs, by="most_confident")
        return [measure_distance(memory, one, one), measure_distance(memory, chairs, chairs)]
        """,
        room(),
    )
    assert isinstance(itself, Absent) and itself.reason == "degenerate"
    assert others.value == pytest.approx(2.0)


def test_rooms_have_an_area_whose_error_is_twice_the_scales():
    (area,) = values("return [measure_room(memory)]", room())
    assert (area.value, area.unit) == (20.0, "m")
    assert area.sd == pytest.approx(np.hypot(0.2, 0.4))
    assert area.height.value == 2.5
    (unknown,) = values("return [measure_room(memory)]", memory())
    assert unknown.reason == "not in memory"


def test_counts_say_how_many_are_uncertain():
    (count, none, unknown) = values(
        """
        chairs = query_3d_object_location(memory, "chairs")
        doors = query_3d_object_location(memory, "door")
        unicorns = query_3d_object_location(memory, "unicorn")
        return [count_objects(memory, chairs), count_objects(memory, doors), count_objects(memory, unicorns)]
        """,
        room(),
    )
    assert (count.value, count.uncertain) == (2, 1)
    assert none.value == 0
    assert unknown.reason == "not looked for"


def verdict(a, b):
    return compare(None, a, b).value


def length(value, sd=0.0, scale_sd=0.0, unit="m"):
    return Length(value, unit, np.hypot(sd, scale_sd), scale_sd)


def test_comparisons_call_close_ones_close():
    assert verdict(length(1), length(2)) == "less"
    assert verdict(length(2, 0.1), length(1, 0.1)) == "more"
    assert verdict(length(1, 0.1), length(1.1, 0.1)) == "too close to call"
    assert verdict(length(1), length(1)) == "same"
    assert verdict(Area(3, "m"), Area(2, "m")) == "more"
    assert verdict(Angle(10), Angle(20)) == "less"
    assert verdict(Count(3), Count(3)) == "same"
    assert verdict(Count(3, 1), Count(3)) == "too close to call"


def test_a_scale_error_shared_by_two_lengths_does_not_blur_their_comparison():
    assert verdict(length(1.0, 0.001, 0.2), length(1.1, 0.001, 0.22)) == "less"


def test_metres_and_units_are_never_compared():
    assert isinstance(compare(None, length(1), length(2, unit="units")), Absent)


def test_ranking_is_by_closest_points_with_ties_called_ties():
    scene = room()
    things = tuple(replace(t, centre_sd=0.05) for t in scene.instances)
    (order,) = values(
        """
        lamp = query_3d_object_location(memory, "lamp")
        table = query_3d_object_location(memory, "table")
        sofa = query_3d_object_location(memory, "sofa")
        chairs = query_3d_object_location(memory, "chair")
        door = query_3d_object_location(memory, "door")
        return [rank_by_distance(memory, lamp, [table, sofa, chairs, door])]
        """,
        replace(scene, instances=things),
    )
    # The sofa and the nearer chair are 1.81 m and 1.88 m away, both to 5 cm.
    assert order.names == ("sofa", "chair", "table") and order.unit == "m"
    assert order.ties == (("sofa", "chair"),)
    assert [m.reason for m in order.missing] == ["not found"]


def test_a_lone_set_is_ranked_object_by_object():
    (order,) = values(
        """
        table = query_3d_object_location(memory, "table")
        chairs = query_3d_object_location(memory, "chair")
        return [rank_by_distance(memory, table, [chairs])]
        """,
        room(),
    )
    assert order.names == ("chair 3", "chair 4")


def test_first_appearance_is_by_time_of_a_video_and_by_number_of_photos():
    body = """
        table = query_3d_object_location(memory, "table")
        lamp = query_3d_object_location(memory, "lamp")
        door = query_3d_object_location(memory, "door")
        return [first_seen(memory, [lamp, table, door])]
    """
    (video,) = values(body, room())
    assert (video.names, video.measures, video.unit) == (("table", "lamp"), (0.0, 2.5), "s")
    assert video.missing[0].reason == "not found"
    photos = replace(room(), frames=tuple(replace(f, time_s=None) for f in room().frames))
    (still,) = values(body, photos)
    assert (still.measures, still.unit) == ((1.0, 2.0), "image")


def test_things_seen_in_no_image_have_no_appearance():
    (order,) = values(
        'table = query_3d_object_location(memory, "table")\nreturn [first_seen(memory, [table])]',
        memory(instances=[thing(1, "table", (0, 0, 0))]),
    )
    assert isinstance(order, Absent) and order.reason == "not seen"


def test_a_route_turns_by_the_angle_between_its_legs():
    things = [
        thing(1, "door", (0, 0, 0), (0.1, 0.1, 0.1)),
        thing(2, "window", (0, 0, -4), (0.1, 0.1, 0.1)),
        thing(3, "sofa", (3, 0, 0), (0.1, 0.1, 0.1)),
        thing(4, "bin", (3, 0, -2), (0.1, 0.1, 0.1)),
        thing(5, "lamp", (3, 0, 5), (0.1, 0.1, 0.1)),
    ]
    names = ("door", "window", "sofa", "bin", "lamp")
    queries = "\n".join(f'{n} = query_3d_object_location(memory, "{n}")' for n in names)
    (route,) = values(
        f"{queries}\nreturn [plan_route(memory, start=door, facing=window, goals=[sofa, bin, lamp])]",
        memory(instances=things),
    )
    assert [leg.turn for leg in route.legs] == ["right", "left", "back"]
    assert [leg.turn_degrees for leg in route.legs] == pytest.approx([90, -90, 180], abs=1e-6)
    assert [leg.distance.value for leg in route.legs] == pytest.approx([3, 2, 7])


def test_a_route_without_a_heading_is_absent():
    (route,) = values(
        """
        door = query_3d_object_location(memory, "door")
        return [plan_route(memory, start=door, facing=door, goals=[door])]
        """,
        memory(instances=[thing(1, "door", (0, 0, 0))]),
    )
    assert isinstance(route, Absent) and route.reason == "degenerate"


def test_evidence_names_photos_objects_and_single_views():
    (gap,) = values(GAP, room())
    assert gap.evidence.frames == (1, 2) and gap.evidence.instances == (1, 2)
    assert "table 1: one view only" in gap.evidence.flags


def test_a_place_is_a_point_without_an_instance():
    assert Place("image 1", np.array([1.0, 2.0, 3.0])).box.volume == 0


def test_only_metric_memories_carry_metres():
    assert METRIC.unit == "m" and frame(1).camera is None
