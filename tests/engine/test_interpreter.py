"""The interpreter: absent inputs, budgets, the log, running in pieces."""

from __future__ import annotations

import numpy as np
import pytest
from engine_memories import empty, relative, room
from engine_running import plan_of, run_body, values

from placecell.engine.context import BuildRequest, Context
from placecell.engine.interpreter import Budget, PictureSettings, Session, run
from placecell.engine.registry import OPERATIONS_IMPL
from placecell.engine.values import Absent, Count, Extents, InstanceValue, Length, Picture, Text
from placecell.errors import UserError
from placecell.language.check import check
from placecell.language.ops import OPERATIONS

LOOK = """
    here = query_camera_pose(memory, image=1)
    set_viewpoint(memory, at=here)
"""


def test_every_operation_of_the_table_has_one_implementation():
    assert set(OPERATIONS_IMPL) == set(OPERATIONS)


def test_returned_values_come_in_the_order_of_the_return():
    first, second = values(
        """
        table = query_3d_object_location(memory, "table")
        chairs = query_3d_object_location(memory, "chair")
        return [count_objects(memory, chairs), measure_distance(memory, table, chairs)]
        """,
        room(),
    )
    assert isinstance(first, Count) and first.value == 2
    assert isinstance(second, Length) and second.unit == "m"


def test_an_absent_input_says_which_one_was_absent():
    (gap,) = values(
        """
        door = query_3d_object_location(memory, "door")
        one = select_object(door, by="only")
        return [measure_size(memory, one)]
        """,
        room(),
    )
    assert isinstance(gap, Absent)
    assert (gap.kind, gap.reason) == ("extents", "input absent")
    assert gap.cause is not None and gap.cause.reason == "not found"


def test_an_object_nobody_looked_for_is_not_called_absent():
    for name, reason in (("door", "not found"), ("unicorn", "not looked for")):
        found, size = values(
            f"""
            things = query_3d_object_location(memory, "{name}")
            table = query_3d_object_location(memory, "table")
            return [things, measure_distance(memory, things, table)]
            """,
            room(),
        )
        assert found.instances == () and found.reason == reason
        assert isinstance(size, Absent) and size.reason == reason


def test_a_viewpoint_that_cannot_be_taken_leaves_no_older_one_behind():
    result = run_body(
        LOOK
        + """
        table = query_3d_object_location(memory, "table")
        where = locate(memory, table)
        door = query_3d_object_location(memory, "door")
        one = select_object(door, by="only")
        set_viewpoint(memory, at=one, facing=here)
        again = locate(memory, table)
        return [again]
        """,
        room(),
    )
    assert not isinstance(result.bindings["where"], Absent)
    assert result.values[0].reason == "no viewpoint"


def test_metres_are_never_given_by_a_memory_of_unknown_scale():
    plan = check(
        "def plan(images):\n    memory = build_static_memory(images, metric=True)\n"
        '    table = query_3d_object_location(memory, "table")\n    n = count_objects(memory, table)\n    return [n]\n'
    ).plan
    assert plan is not None
    (count,) = run(plan, relative()).values
    assert isinstance(count, Absent)
    assert count.cause is not None and count.cause.reason == "unknown scale"


def test_a_step_in_metres_needs_a_known_scale():
    body = LOOK + 'step_camera(memory, "forward", distance=1.0)\nreturn [render_egocentric(memory)]'
    assert isinstance(values(body, room())[0], Picture)
    picture = values(body, relative())[0]
    assert isinstance(picture, Absent)
    assert picture.cause is not None and picture.cause.reason == "unknown scale"


def test_fields_and_elements_are_read_as_values():
    width, name, confidence, first = values(
        """
        chairs = query_3d_object_location(memory, "chair")
        chair = select_object(chairs, by="most_confident")
        size = measure_size(memory, chair)
        table = query_3d_object_location(memory, "table")
        order = rank_by_distance(memory, table, [chairs, table])
        return [size.width, chair.name, chair.confidence, order.first]
        """,
        room(),
    )
    assert isinstance(width, Length) and width.value == pytest.approx(0.5)
    assert isinstance(name, Text) and name.value == "chair"
    assert confidence.value == 1.0
    assert first.value == "chair"


def test_a_pose_reads_in_the_terms_of_the_viewpoint_it_was_queried_from():
    position, forward = values(
        LOOK
        + """
        other = query_camera_pose(memory, image=2)
        return [other.position, other.forward]
        """,
        room(),
    )
    # Image 1 looks along -z from the origin; image 2 is at x = 1, z = 0.5 and looks along -x.
    assert (position.right, position.up, position.forward) == pytest.approx((1.0, 0.0, -0.5))
    assert (forward.right, forward.up, forward.forward) == pytest.approx((-1.0, 0.0, 0.0))


def test_a_viewpoint_taken_before_can_be_taken_again():
    result = run_body(
        LOOK
        + """
        turned = turn_camera(memory, "right", degrees=30)
        a = render_egocentric(memory)
        set_viewpoint(memory, at=here)
        b = render_egocentric(memory)
        set_viewpoint(memory, at=turned)
        c = render_egocentric(memory)
        return [c]
        """,
        room(),
    )
    first, _, again = result.pictures
    assert first.caption == again.caption and first.caption.startswith("View at image 1, turned 30 degrees right;")
    assert np.array_equal(first.rgb, again.rgb)


def test_missing_and_unplaced_images_are_told_apart():
    three = values("return [query_camera_pose(memory, image=3)]", room())[0]
    nine = values("return [query_camera_pose(memory, image=9)]", room())[0]
    assert (three.reason, nine.reason) == ("image not placed", "no such image")
    assert "images 1 to 3" in nine.message


def test_the_log_holds_every_operation_with_arguments_result_and_viewpoint():
    seen = []
    body = LOOK + 'turn_camera(memory, "right")\nview = render_egocentric(memory)\nreturn [view]'
    result = run_body(body, room(), on_event=seen.append)
    assert [s.operation for s in result.steps] == [
        "build_static_memory", "query_camera_pose", "set_viewpoint", "turn_camera", "render_egocentric",
    ]  # fmt: skip
    assert tuple(seen) == result.steps
    assert [s.number for s in result.steps] == [1, 2, 3, 4, 5]
    turn = result.steps[3]
    assert turn.arguments["direction"] == Text("right")
    assert turn.viewpoint == "at image 1, turned 90 degrees right"
    assert result.steps[4].target == "view" and result.pictures == (result.values[0],)


def test_budgets_end_in_absent_values_that_name_the_budget():
    many = "\n".join(f'v{n} = query_3d_object_location(memory, "table")' for n in range(5))
    body = many + "\nreturn [count_objects(memory, v4)]"
    (count,) = values(body, room(), budget=Budget(operations=4))
    assert count.reason in ("over budget", "input absent") and "4 operations" in str(count)

    views = LOOK + "a = render_egocentric(memory)\nb = render_egocentric(memory, fov=40)\nreturn [a, b]"
    first, second = values(views, room(), budget=Budget(pictures=1))
    assert isinstance(first, Picture) and second.reason == "over budget"
    first, second = values(views, room(), budget=Budget(bytes=40_000))
    assert isinstance(first, Picture) and second.reason == "over budget"
    (late,) = values(body, room(), budget=Budget(seconds=0.0))
    assert "0 seconds" in str(late)


def test_statements_can_be_run_in_pieces_over_one_environment():
    plan = plan_of('chairs = query_3d_object_location(memory, "chair")\nreturn [count_objects(memory, chairs)]')
    session = Session(Context(lambda _: room(), Budget(), PictureSettings()), parameter=plan.parameter)
    assert session.execute(plan.statements[:1]) == ()
    assert session.execute(plan.statements[1:2]) == ()
    assert set(session.bindings) == {"memory", "chairs"}
    (count,) = session.execute(plan.statements[2:])
    assert count.value == 2
    assert len(session.steps) == 3


def test_a_provider_is_asked_for_what_the_program_builds_and_its_errors_are_the_callers():
    asked = []

    def provide(request: BuildRequest):
        asked.append(request)
        return room()

    plan = plan_of('chairs = query_3d_object_location(memory, "chair")\nreturn [count_objects(memory, chairs)]')
    run(plan, provide)
    assert asked == [BuildRequest(dynamic=False, metric=False)]

    def broken(request: BuildRequest):
        raise UserError("no such folder")

    with pytest.raises(UserError, match="no such folder"):
        run(plan, broken)


def test_tracks_and_motion_say_that_the_memory_holds_no_movement():
    plan = check(
        "def plan(video):\n    memory = build_dynamic_memory(video)\n"
        '    car = track_object(memory, "car")\n    m = measure_motion(memory, car)\n    return [m]\n'
    ).plan
    assert plan is not None
    (motion,) = run(plan, room()).values
    assert motion.reason == "input absent" and motion.cause.reason == "not in memory"


def test_two_runs_give_the_same_values_and_pixels():
    body = (
        LOOK
        + """
        chairs = query_3d_object_location(memory, "chair")
        top = render_semantic_bev(memory, objects=[chairs], cameras=[1, 2])
        return [render_egocentric(memory), top, locate(memory, chairs)]
        """
    )
    a, b = run_body(body, room()).values, run_body(body, room()).values
    assert np.array_equal(a[0].rgb, b[0].rgb) and np.array_equal(a[1].rgb, b[1].rgb)
    assert a[2].bearing == b[2].bearing


def test_an_empty_memory_gives_typed_values():
    result = values(
        """
        chairs = query_3d_object_location(memory, "chair")
        room = measure_room(memory)
        return [chairs, room, render_rgb_bev(memory)]
        """,
        empty(),
    )
    assert [type(v).__name__ for v in result] == ["InstancesValue", "Absent", "Picture"]


def test_sizes_are_of_the_free_box_and_the_upright_one():
    size, chosen = values(
        """
        sofas = query_3d_object_location(memory, "sofa")
        sofa = select_object(sofas, by="only")
        return [measure_size(memory, sofa), sofa]
        """,
        room(),
    )
    assert isinstance(size, Extents) and isinstance(chosen, InstanceValue)
    sides = [size.longest, size.width, size.depth, size.height]
    assert [side.value for side in sides] == pytest.approx([1.8, 1.8, 0.8, 0.8])
