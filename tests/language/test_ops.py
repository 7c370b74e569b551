"""The operation table is consistent in itself, and everything it says is accepted by the checker."""

import pytest

from placecell.language.check import check
from placecell.language.ops import ALIASES, OPERATIONS, SELECTIONS
from placecell.language.signature import STAGES, Category, Stage, Viewpoint
from placecell.language.types import FIELDS, Kind

EVERY_OPERATION = pytest.mark.parametrize("operation", OPERATIONS.values(), ids=OPERATIONS)
PAPER = {
    "build_static_memory",
    "build_dynamic_memory",
    "query_camera_pose",
    "query_3d_object_location",
    "set_viewpoint",
    "step_camera",
    "turn_camera",
    "render_egocentric",
    "render_semantic_bev",
    "render_rgb_bev",
}


def test_the_papers_ten_operations_are_there_by_name():
    assert {name for name, op in OPERATIONS.items() if op.from_paper} == PAPER


def test_an_alias_means_one_operation_and_is_no_operation_itself():
    assert not ALIASES.keys() & OPERATIONS.keys()
    assert len(ALIASES) == sum(len(op.aliases) for op in OPERATIONS.values())


@EVERY_OPERATION
def test_names_of_arguments_are_unambiguous(operation):
    names = [n for p in operation.parameters for n in (p.name, *p.aliases)]
    assert len(set(names)) == len(names)
    assert not set(names) & set(operation.ignored)


@EVERY_OPERATION
def test_required_arguments_come_first(operation):
    required = [p.required for p in operation.parameters]
    assert required == sorted(required, reverse=True)


@EVERY_OPERATION
def test_defaults_and_aliases_are_among_the_choices(operation):
    for parameter in operation.parameters:
        assert set(parameter.choice_aliases.values()) <= set(parameter.choices)
        if parameter.choices and not parameter.required:
            assert parameter.default in parameter.choices


@EVERY_OPERATION
def test_it_is_described(operation):
    assert operation.summary.endswith(".")
    assert operation.documentation.endswith(".")
    assert all(p.summary for p in operation.parameters)
    assert operation.name in operation.example


@EVERY_OPERATION
def test_its_example_is_part_of_an_accepted_program(operation):
    dynamic = operation.needs_time
    build = f"memory = build_{'dynamic' if dynamic else 'static'}_memory({'video' if dynamic else 'images'})"
    lines = [
        build,
        *(f'{n} = query_3d_object_location(memory, "{n}")' for n in ("chairs", "doors", "tables", "sofas")),
        *(f'{n} = select_object({n}s, by="only")' for n in ("door", "table", "sofa")),
        "here = query_camera_pose(memory, image=1)",
        "set_viewpoint(memory, at=here)",
        "before = measure_distance(memory, sofa, here)",
    ]
    if dynamic:
        lines.append('car = track_object(memory, "car")')
    if operation.category is not Category.CONSTRUCT:
        if operation.name == "compare":
            lines += ['step_camera(memory, "forward")', "after = measure_distance(memory, sofa)"]
        lines.append(operation.example)
    used = ["chairs", "door", "table", "sofa", "before", "render_egocentric(memory, fov=77)"]
    target = operation.example.split(" = ")[0]
    if " = " in operation.example and target != "memory" and operation.name != "query_camera_pose":
        used.append(target)
    text = f"def plan({'video' if dynamic else 'images'}):\n" + "".join(f"    {line}\n" for line in lines)
    report = check(text + f"    return [{', '.join(used)}]\n")
    assert [str(d.message) for d in report.errors] == []


def test_stages_follow_the_papers_table():
    allowed = {stage: {c for c, stages in STAGES.items() if stage in stages} for stage in Stage}
    assert allowed[Stage.REFERENCE] == {Category.CONSTRUCT, Category.QUERY}
    assert allowed[Stage.REFINEMENT] == {Category.QUERY, Category.TRANSFORM, Category.RENDER}
    assert allowed[Stage.COMPARISON] == {Category.QUERY, Category.RENDER, Category.MEASURE, Category.DYNAMIC}


def test_only_motions_change_the_viewpoint_and_return_it_as_a_pose():
    for operation in OPERATIONS.values():
        moves = operation.viewpoint in (Viewpoint.SETS, Viewpoint.MOVES)
        assert moves == (operation.category is Category.TRANSFORM)
        if moves:
            assert operation.returns is Kind.POSE


def test_fields_lead_to_kinds_of_the_language():
    for kind, fields in FIELDS.items():
        assert kind in set(Kind)
        assert all(spec.kind in set(Kind) and spec.summary for spec in fields.values())


def test_selections_are_the_choices_of_select_object():
    assert OPERATIONS["select_object"].by_name["by"].choices == SELECTIONS
