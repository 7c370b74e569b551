"""Repairs and rewrites: never worse, and the same meaning."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from language_programs import IMAGES, Programs, broken

from placecell.language.check import check, fix
from placecell.language.checker import Checker
from placecell.language.diagnostics import Edit, Fix
from placecell.language.environment import Environment
from placecell.language.plan import MemoryFacts, Span
from placecell.language.repair import apply_together
from placecell.language.rewrite import rewrite
from placecell.language.source import Source
from placecell.language.viewpoint import angle_between

FACTS = MemoryFacts(image_count=IMAGES)
SEEDS = st.integers(min_value=0, max_value=2**32)


@given(SEEDS)
@settings(max_examples=150, deadline=None)
def test_repairing_never_makes_more_errors(seed):
    text = broken(Programs(seed).next(), random.Random(seed))
    before, after = check(text, facts=FACTS), fix(text, facts=FACTS)
    assert len(after.errors) <= len(before.errors)
    assert check(after.text, facts=FACTS).diagnostics == after.diagnostics


@given(SEEDS)
@settings(max_examples=60, deadline=None)
def test_repairing_twice_is_repairing_once(seed):
    once = fix(broken(Programs(seed).next(), random.Random(seed)), facts=FACTS)
    assert fix(once.text, facts=FACTS).text == once.text


def test_most_programs_of_the_generator_are_accepted():
    programs = Programs(7)
    accepted = [check(programs.next(), facts=FACTS).ok for _ in range(300)]
    assert sum(accepted) > 0.85 * len(accepted)


def edit(line, start, end, text):
    return Edit(Span(line, start, line, end), text)


def test_fixes_that_overlap_are_applied_one_at_a_time_and_never_in_part():
    a = Fix("a", "a", (edit(1, 1, 3, "XX"), edit(1, 7, 8, "Y")))
    b = Fix("b", "b", (edit(1, 2, 4, "ZZ"), edit(1, 9, 10, "Z")))
    text, repairs = apply_together("abcdefghij", [a, b])
    assert text == "XXcdefYhij"
    assert [r.name for r in repairs] == ["a"]


def test_two_insertions_at_one_place_both_happen():
    a, b = Fix("a", "a", (edit(1, 3, 3, "1"),)), Fix("b", "b", (edit(1, 3, 3, "2"),))
    assert apply_together("xxyy", [a, b])[0] == "xx12yy"


def test_the_same_fix_of_two_diagnostics_happens_once():
    a = Fix("a", "a", (edit(1, 1, 2, "X"),))
    assert apply_together("ab", [a, a])[0] == "Xb"


PROGRAM = """def plan(images):
    memory = build_static_memory(images)
    set_viewpoint(memory, at=query_camera_pose(memory, image=1))
    {}
    return [render_egocentric(memory)]
"""


@pytest.mark.parametrize(
    ("lines", "left"),
    [
        (["turn_camera(memory, 'left')"] * 2, ['turn_camera(memory, "back")']),
        (["turn_camera(memory, 'left')"] * 4, []),
        (["turn_camera(memory, 'left')"] * 3, ['turn_camera(memory, "right", degrees=90)']),
        (["turn_camera(memory, 'left')", "turn_camera(memory, 'right')"], []),
        (["turn_camera(memory, 'back')", "turn_camera(memory, 'back')"], []),
        (["turn_camera(memory, 'left', degrees=30)", "turn_camera(memory, 'right', degrees=45.5)"],
         ['turn_camera(memory, "right", degrees=15.5)']),
        (["step_camera(memory, 'left')", "step_camera(memory, 'right')"], []),
        (["turn_camera(memory, 'left')", "step_camera(memory, 'up')", "step_camera(memory, 'down')",
          "turn_camera(memory, 'right')"], []),
        (["step_camera(memory, 'left', distance=2)", "step_camera(memory, 'right', distance=1)"], None),
        (["turn_camera(memory, 'up')", "turn_camera(memory, 'down')"], None),
        (["turn_camera(memory, 'up')", "turn_camera(memory, 'left')"], None),
        (["moved = turn_camera(memory, 'left')", "turn_camera(memory, 'right')"], None),
    ],
)  # fmt: skip
def test_turns_merge_and_opposite_steps_cancel(lines, left):
    report = check(PROGRAM.format("\n    ".join(lines)))
    plan, changes = rewrite(report.plan)
    if left is None:
        assert plan is report.plan
        assert changes == ()
        return
    assert [line.strip() for line in plan.text.split("\n")[3:-2]] == left
    assert changes
    assert all(c.before for c in changes)


def test_a_repeated_query_is_shared_under_one_viewpoint_only():
    text = PROGRAM.format(
        'a = query_3d_object_location(memory, "sofa")\n    b = query_3d_object_location(memory, "sofa")\n'
        '    turn_camera(memory, "left")\n    c = query_3d_object_location(memory, "sofa")\n'
        "    x = measure_distance(memory, a, b)\n    y = measure_distance(memory, b, c)"
    ).replace("return [", "return [x, y, ")
    plan, changes = rewrite(check(text).plan)
    assert [(c.name, c.after) for c in changes] == [("share queries", "b = a")]
    assert plan.cost.calls["query_3d_object_location"] == 2


def test_a_query_is_not_shared_when_its_name_was_bound_anew():
    text = PROGRAM.format(
        'a = query_3d_object_location(memory, "sofa")\n    n = count_objects(memory, a)\n'
        '    a = query_3d_object_location(memory, "door")\n    b = query_3d_object_location(memory, "sofa")'
    ).replace("return [", "return [n, measure_distance(memory, a, b), ")
    assert rewrite(check(text).plan)[1] == ()


def _final(plan):
    """What a plan comes to without a memory: the last viewpoint and the kinds of the results."""
    env = Environment(Source(plan.text))
    checker = Checker(env)
    checker.check_program(plan.program)
    return env.view.pose, [t.kind for t in checker.results], [e.name for e in env.events if not e.moves]


@given(SEEDS)
@settings(max_examples=100, deadline=None)
def test_a_rewritten_plan_ends_at_the_same_pose_with_the_same_kinds_of_results(seed):
    plan = check(Programs(seed).next(), facts=FACTS).plan
    if plan is None:
        return
    (pose, kinds, asked), (new_pose, new_kinds, new_asked) = _final(plan), _final(rewrite(plan, FACTS)[0])
    assert kinds == new_kinds
    assert len(new_asked) <= len(asked)
    if pose is not None:
        assert new_pose is not None
        assert angle_between(pose.yaw, new_pose.yaw) < 1e-6
        assert new_pose.displacement == pytest.approx(pose.displacement, abs=1e-6)
        assert (pose.place, pose.heading) == (new_pose.place, new_pose.heading)
