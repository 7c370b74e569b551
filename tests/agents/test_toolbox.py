"""Operations called one by one give what the same program gives; a call that cannot be made is told, never raised."""

from __future__ import annotations

from typing import get_args

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from placecell.agents.toolbox import Toolbox, kind_of
from placecell.engine.context import PictureSettings
from placecell.engine.facts import facts_of
from placecell.engine.interpreter import run
from placecell.engine.values import Absent, Picture, Value
from placecell.language.check import check
from placecell.language.ops import OPERATIONS
from placecell.language.signature import Category
from placecell.language.types import Kind

TINY = PictureSettings(size=24)


@pytest.fixture
def box(room):
    return Toolbox(room(), pictures=TINY)


def test_every_kind_of_value_can_be_a_handle():
    classes = set(get_args(Value)) - {Absent}
    assert {kind_of(object.__new__(c)) for c in classes} <= set(Kind)


def test_calls_give_the_same_values_as_a_program(room, box):
    program = """
def plan(images):
    memory = build_static_memory(images)
    here = query_camera_pose(memory, image=1)
    set_viewpoint(memory, at=here)
    turn_camera(memory, "right")
    table = query_3d_object_location(memory, "table")
    sofa = query_3d_object_location(memory, "sofa")
    where = locate(memory, table)
    gap = measure_distance(memory, table, sofa)
    size = measure_size(memory, table[0])
    verdict = compare(gap, size.longest)
    return [where, gap, verdict]
"""
    memory = room()
    report = check(program, facts=facts_of(memory))
    expected = run(report.plan, memory).values
    box.call("query_camera_pose", {"image": 1})
    box.call("set_viewpoint", {"at": "r1"})
    box.call("turn_camera", {"direction": "right"})
    box.call("query_3d_object_location", {"name": "table"})
    box.call("query_object", {"category": "sofa"})  # names of other code bases are understood
    where = box.call("locate", {"target": "r4"})
    gap = box.call("measure_distance", {"a": "r4", "b": "r5"})
    box.call("measure_size", {"object": "r4[0]"})
    verdict = box.call("compare", {"a": "r7", "b": "r8.longest"})
    assert [repr(m.value) for m in (where, gap, verdict)] == [repr(v) for v in expected]
    assert gap.told().startswith("r7 = ") and "objects" in gap.told()
    assert [s.operation for s in box.result().steps][-1] == "compare"
    assert box.last().values == (verdict.value,)


@pytest.mark.parametrize(
    ("name", "arguments", "hint"),
    [
        ("teleport", {}, "there is no operation 'teleport'"),
        ("build_static_memory", {"source": "images"}, "there is no operation"),
        ("query_camera_pose", {}, "image is missing: image number"),
        ("query_camera_pose", {"image": "three"}, "give a whole number"),
        ("query_camera_pose", {"image": 1.5}, "give a whole number"),
        ("locate", {"target": "r9"}, "there is no result r9"),
        ("locate", {"target": "the table"}, "give the handle of an earlier result"),
        ("locate", {"target": "r1.depth"}, "has no field 'depth'; it has position"),
        ("locate", {"target": "r1[0]"}, "has no elements"),
        ("measure_size", {"object": "r1"}, "object is r1, pose; it takes instance"),
        ("turn_camera", {"direction": "sideways"}, "give left, right, up, down, back"),
        ("turn_camera", {"direction": "left", "degrees": 400}, "give a number, above 0, at most 360"),
        ("turn_camera", {"direction": "left", "speed": 3}, "there is no argument 'speed'; it takes direction, degrees"),
        ("turn_camera", {"direction": "left", "degrees": 10**400}, "give a number, above 0, at most 360"),
        ("query_camera_pose", {"image": 10**400}, "give a whole number"),
        ("locate", {"target": f"r1[{'9' * 5000}]"}, "give the handle of an earlier result"),
        ("render_semantic_bev", {}, "there is nothing to draw"),
    ],
)
def test_a_call_that_cannot_be_made_says_what_is_wrong(box, name, arguments, hint):
    box.call("query_camera_pose", {"image": 1})
    said = box.call(name, arguments)
    assert isinstance(said, str) and hint in said


def test_metres_are_refused_where_the_scale_is_unknown(room):
    box = Toolbox(room(metric=False), pictures=TINY)
    box.call("query_camera_pose", {"image": 1})
    box.call("set_viewpoint", {"at": "r1"})
    assert "units of unknown size" in box.call("step_camera", {"direction": "forward", "distance": 2})
    assert not isinstance(box.call("step_camera", {"direction": "forward"}).value, Absent)


def test_without_a_viewpoint_a_direction_is_absent_not_an_error(box):
    box.call("query_3d_object_location", {"name": "table"})
    assert box.call("locate", {"target": "r1"}).value.reason == "no viewpoint"
    chained = box.call("compare", {"a": "r2.distance", "b": "r2.distance"})
    assert chained.value.reason == "input absent"


VALUES = st.one_of(
    st.sampled_from(["r1", "r2", "r3[0]", "r4.distance", "r5", "left", "nearest", "table", "camera", "r1[9]", ""]),
    st.integers(-3, 400), st.floats(), st.booleans(), st.none(),
    st.lists(st.sampled_from(["r1", "r2", 1, "x"]), max_size=3),
)  # fmt: skip
CALLED = [o for o in OPERATIONS.values() if o.category not in (Category.CONSTRUCT, Category.DYNAMIC)]


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.sampled_from(CALLED), st.lists(VALUES, min_size=4, max_size=4)), min_size=1, max_size=10))
def test_no_sequence_of_calls_raises(room, calls):
    box = Toolbox(room(), pictures=TINY)
    for start in ({"name": "table"}, {"name": "chair"}, {"name": "ghost"}):
        box.call("query_3d_object_location", start)
    box.call("query_camera_pose", {"image": 1})
    for operation, given_values in calls:
        names = [p.name for p in operation.parameters if p.name != "memory"]
        made = box.call(operation.name, dict(zip(names, given_values, strict=False)))
        if not isinstance(made, str):
            assert made.told() and (
                isinstance(made.value, Absent | Picture) or kind_of(made.value) == operation.returns
            )
