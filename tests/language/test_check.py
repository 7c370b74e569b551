"""The public entry: what a report holds, and checking in pieces."""

import pytest

from placecell.language.check import check, fix
from placecell.language.checker import Checker
from placecell.language.environment import Environment
from placecell.language.plan import Call, ListExpr, MemoryFacts
from placecell.language.signature import Stage
from placecell.language.syntax import parse
from placecell.language.types import Kind

CLOSER = """def plan(images):
    memory = build_static_memory(images)
    toy = query_3d_object_location(memory, "toy")
    set_viewpoint(memory, at=query_camera_pose(memory, 2))
    before = measure_distance(memory, toy)
    turn_camera(memory, "right")
    step_camera(memory, "forward")
    view = render_egocentric(memory)
    after = measure_distance(memory, toy)
    return [compare(after, before), view]
"""


def test_an_accepted_plan_knows_its_types_results_stages_and_cost():
    plan = check(CLOSER).plan
    assert plan is not None
    assert plan.types["toy"].kind is Kind.INSTANCES
    assert plan.types["toy"].name == "toy"
    assert [t.kind for t in plan.results] == [Kind.TEXT, Kind.PICTURE]
    assert plan.stages == (
        Stage.REFERENCE,
        Stage.REFERENCE,
        *[Stage.REFINEMENT] * 4,
        *[Stage.COMPARISON] * 3,
    )
    assert plan.cost.renders == 1
    assert plan.cost.operations == len(list(plan.calls())) == 10
    assert plan.cost.calls["measure_distance"] == 2


def test_calls_of_a_plan_name_every_argument_and_come_in_order_of_evaluation():
    plan = check(CLOSER).plan
    assert plan is not None
    calls = list(plan.calls())
    assert all(a.name for c in calls for a in c.arguments)
    assert [c.operation for c in calls[2:4]] == ["query_camera_pose", "set_viewpoint"]


def test_a_lone_object_becomes_a_list_where_a_list_is_taken():
    text = CLOSER.replace("compare(after, before)", "render_semantic_bev(memory, toy), compare(after, before)")
    plan = check(text).plan
    assert plan is not None
    drawn = next(c for c in plan.calls() if c.operation == "render_semantic_bev")
    assert isinstance(drawn.argument("objects"), ListExpr)


def test_the_argument_has_its_usual_name_in_the_plan():
    plan = check(CLOSER.replace("images", "input_images")).plan
    assert plan is not None
    assert plan.parameter == "images"
    assert plan.text == check(CLOSER).plan.text


@pytest.mark.parametrize("newline", ["\r\n", "\r"])
def test_other_line_ends_are_read(newline):
    assert check(CLOSER.replace("\n", newline)).ok


def test_a_cut_off_reply_is_no_program_even_if_it_reads_like_one():
    report = check(CLOSER, truncated=True)
    assert [d.code for d in report.errors] == ["S120"]
    assert not fix(CLOSER, truncated=True).ok


def test_what_fix_did_is_reported_with_lines_before_and_after():
    report = fix(CLOSER.replace("render_egocentric", "render_egocentrik"))
    assert report.ok
    (repair,) = report.repairs
    assert repair.name == "misspelling"
    assert "render_egocentrik" in repair.before
    assert "render_egocentric" in repair.after


def test_fix_keeps_comments_and_layout_of_what_it_does_not_touch():
    text = CLOSER.replace('turn_camera(memory, "right")', 'turn_camera( memory,"rigth" )  # towards it')
    assert fix(text).text == text.replace("rigth", "right")


def test_an_exact_camera_view_is_known_to_be_a_photo():
    def photos(arguments, motion=""):
        plan = check(
            "def plan(images):\n    memory = build_static_memory(images)\n"
            '    sofa = select_object(query_3d_object_location(memory, "sofa"), by="only")\n'
            f"    set_viewpoint(memory, at=query_camera_pose(memory, 2){arguments})\n{motion}"
            "    return [render_egocentric(memory), sofa]\n"
        ).plan
        return dict(plan.photos)

    assert photos(", level=False") == {5: 2}
    assert photos("") == {}
    assert photos(", facing=sofa, level=False") == {}
    assert photos(", level=False", '    turn_camera(memory, "left")\n') == {}
    cancelled = '    turn_camera(memory, "left")\n    turn_camera(memory, "right")\n'
    assert photos(", level=False", cancelled) == {7: 2}


def test_facts_that_are_not_known_never_reject():
    text = CLOSER.replace("query_camera_pose(memory, 2)", "query_camera_pose(memory, 7)")
    assert check(text).ok
    assert check(text, facts=MemoryFacts(image_count=7)).ok
    assert not check(text, facts=MemoryFacts(image_count=6)).ok
    assert not check(text, facts=MemoryFacts(image_count=6, image_numbers=frozenset({1, 2, 3, 4, 5, 9}))).ok


START = ("memory = build_static_memory(images)", "a = query_camera_pose(memory, 1)")


def _piece(env, *lines):
    """Check statements one after the other in an environment, as a cell would be."""
    parsed = parse("def plan(images):\n" + "".join(f"    {line}\n" for line in lines))
    env = env.copy()
    env.source = parsed.source
    checker = Checker(env)
    for i, statement in enumerate(parsed.program.statements):
        checker.statement(statement, i)
    return env


def test_a_program_can_be_checked_in_pieces():
    env = _piece(
        Environment(parse("").source), "memory = build_static_memory(images)", "a = query_camera_pose(memory, 1)"
    )
    env = _piece(env, "set_viewpoint(memory, at=a)", 'door = query_3d_object_location(memory, "door")')
    env = _piece(env, "where = locate(memory, door)")
    assert env.diagnostics == []
    assert env.bindings["where"].type.kind is Kind.DIRECTION
    assert len(env.events) == 5


def test_a_rejected_piece_changes_nothing():
    env = _piece(
        Environment(parse("").source), "memory = build_static_memory(images)", "a = query_camera_pose(memory, 1)"
    )
    bad = _piece(env, "set_viewpoint(memory, at=a)", "turn_camera(memory, 'sideways')")
    assert [d.code for d in bad.diagnostics] == ["T210"]
    assert env.diagnostics == []
    assert env.view.stamp == 0
    assert len(env.events) == 2
    assert [d.code for d in _piece(env, "v = render_egocentric(memory)").diagnostics] == ["V403"]


def test_every_literal_of_a_plan_is_plain_data():
    plan = check(CLOSER).plan
    assert isinstance(next(plan.calls()), Call)


def test_a_name_that_a_closed_memory_lacks_is_told_with_what_it_has_and_how_much_more():
    facts = MemoryFacts(objects={f"thing {n}": 1 for n in range(11)}, closed_vocabulary=True)
    text = CLOSER.replace('"toy"', '"accordion"')
    (found,) = [d for d in check(text, facts=facts).diagnostics if "accordion" in d.message]
    assert found.hint.startswith("it knows thing 0, thing 1") and found.hint.endswith("3 more")
