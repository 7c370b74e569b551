"""T2, tool usage, part three: arguments that must fit each other, or the memory they are used on."""

from __future__ import annotations

from placecell.language.diagnostics import Edit, Fix
from placecell.language.environment import Environment
from placecell.language.plan import Expr, Span
from placecell.language.rules.base import Rule, program
from placecell.language.rules.tool import Bound
from placecell.language.signature import Category, Operation
from placecell.language.types import UNIT, Kind, StaticType, with_article

_BUILD = "memory = build_static_memory(images)"
_HERE = "here = query_camera_pose(memory, image=1)"
_SET = "set_viewpoint(memory, at=here)"
_SEE = "return [render_egocentric(memory)]"
_GOOD = program(_BUILD, _HERE, _SET, "turn_camera(memory, 'back')", _SEE)
_CHAIRS = 'chairs = query_3d_object_location(memory, "chair")'

COMBINATION = Rule(
    "T213", "arguments do not go together",
    "back is a half turn by itself; tilting ends at straight up or down.",
    "turn_camera(memory, 'back'), or left and right with degrees; up and down by at most 90",
    program(_BUILD, _HERE, _SET, "turn_camera(memory, 'back', degrees=90)", _SEE), _GOOD,
    repair="degrees=180 is dropped",
)  # fmt: skip
NEEDS_TIME = Rule(
    "T215", "tracks and motion need a memory with time",
    "A static memory has no moments to compare.",
    "memory = build_dynamic_memory(video)",
    program("memory = build_static_memory(video)", "car = track_object(memory, 'car')",
            "return [measure_motion(memory, car)]", argument="video"),
    program("memory = build_dynamic_memory(video)", "car = track_object(memory, 'car')",
            "return [measure_motion(memory, car)]", argument="video"),
    repair="build_static_memory becomes build_dynamic_memory for a video",
)  # fmt: skip
UNLIKE = Rule(
    "T216", "values of different kinds are compared",
    "A length is not comparable with an angle, an area or a count.",
    "two lengths, two areas, two counts or two angles",
    program(_BUILD, _CHAIRS, "n = count_objects(memory, chairs)", "room = measure_room(memory)",
            "return [compare(n, room)]"),
    program(_BUILD, _CHAIRS, "gap = measure_distance(memory, chairs, query_3d_object_location(memory, 'door'))",
            "room = measure_room(memory)", "return [compare(gap, room.height)]"),
)  # fmt: skip


def check_together(
    env: Environment, operation: Operation, values: dict[str, tuple[Expr, StaticType]], bound: Bound
) -> None:
    """Rules about several arguments at once."""
    if operation.name == "turn_camera" and {"direction", "degrees"} <= values.keys():
        direction, degrees = values["direction"][1].value, values["degrees"][1].value
        span = values["degrees"][0].span
        if direction == "back":
            mend = _without(bound, "degrees") if degrees == 180 else None
            env.report(COMBINATION.at(span, "back is 180 degrees and takes no degrees", "", mend))
        elif direction in ("up", "down") and isinstance(degrees, int | float) and degrees > 90:
            env.report(COMBINATION.at(span, f"{direction} takes at most 90 degrees"))
    if operation.category is Category.DYNAMIC:
        _check_time(env, operation, values["memory"][0].span)
    if operation.name == "compare" and {"a", "b"} <= values.keys():
        a, b = values["a"][1], values["b"][1]
        if Kind.UNKNOWN not in (a.kind, b.kind) and (a.kind is not b.kind or UNIT.get(a.kind) != UNIT.get(b.kind)):
            span = values["a"][0].span.to(values["b"][0].span)
            env.report(UNLIKE.at(span, f"{with_article(a)} cannot be compared with {with_article(b)}"))


def _check_time(env: Environment, operation: Operation, span: Span) -> None:
    """Tracks and motion need a memory with time; reported once a program."""
    build = next((e for e in env.events if e.builds), None)
    if build is None or any(d.code == NEEDS_TIME.code for d in env.diagnostics):
        return
    if build.name == "build_static_memory":
        edit = Edit(build.call.name_span, "build_dynamic_memory")
        mend = Fix("memory with time", "build the memory with time", (edit,)) if "video" in env.parameter else None
        env.report(NEEDS_TIME.at(span, f"{operation.name} needs time, but the memory is built without", "", mend))
    elif env.facts.dynamic is False:
        env.report(
            NEEDS_TIME.at(span, f"{operation.name} needs time, but this memory has none", "ask something static")
        )


def _without(bound: Bound, name: str) -> Fix:
    """Drop an argument together with the comma before it."""
    argument = bound[name][0]
    before = max(
        (a.span for a, _ in bound.values() if a.span < argument.span), key=lambda s: (s.end_line, s.end_column)
    )
    gap = Span(before.end_line, before.end_column, argument.span.end_line, argument.span.end_column)
    return Fix("drop argument", f"leave {name} out", (Edit(gap, ""),))
