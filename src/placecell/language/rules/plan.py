"""P6, plan consistency, part one: the program stands, faces and moves as the question says.

Motions are simulated as poses, so left twice is back, and word lists are never compared. ``answer`` checks what is
observed from there.
"""

from __future__ import annotations

from dataclasses import dataclass

from placecell.language.decomposition import Comparison, Decomposition, Facing, Function, Motion, Option, Reference
from placecell.language.diagnostics import Edit, Fix
from placecell.language.environment import Environment, Event
from placecell.language.phrases import same_thing
from placecell.language.plan import Call, Expr, Literal, Name, Program, Span
from placecell.language.rules.base import Rule, program
from placecell.language.text import expression_text
from placecell.language.types import Kind
from placecell.language.viewpoint import SIDE_BEARING, Heading, Place, ViewPose, angle_between, same_way, turn_words

_BUILD = "memory = build_static_memory(images)"
_BEHIND = Decomposition(
    reference=Reference(kind="image", image=3),
    comparison=Comparison(function=Function.WHAT_IS_THERE, side="back", form="open"),
)
_CLOSER = Decomposition(
    reference=Reference(kind="image", image=1),
    motions=(
        Motion(kind="turn", direction="right", quote="turn right"),
        Motion(kind="step", direction="forward", quote="move forward"),
    ),
    comparison=Comparison(function=Function.CLOSER_AFTER_MOTION, entities=("toy",), form="yes_no"),
)
_STANDING = Decomposition(
    reference=Reference(kind="object", object="door", facing=Facing(kind="towards_object", object="table")),
    comparison=Comparison(
        function=Function.DIRECTION, entities=("lamp",), form="choice",
        options=(Option(letter="A", text="left", answer="left"), Option(letter="B", text="right", answer="right")),
    ),
)  # fmt: skip


def _from_image(number: int, *rest: str) -> str:
    return program(_BUILD, f"set_viewpoint(memory, at=query_camera_pose(memory, image={number}))", *rest)


def _standing(facing: str) -> str:
    return program(
        _BUILD,
        *(
            f'{n} = select_object(query_3d_object_location(memory, "{n}"), by="largest")'
            for n in ("door", "table", "lamp")
        ),
        f"set_viewpoint(memory, at=door, facing={facing})",
        "return [locate(memory, lamp), locate(memory, table)]",
    )


_SEE = "return [render_egocentric(memory)]"
_GOOD = _from_image(3, "turn_camera(memory, 'back')", _SEE)

ANCHOR = Rule(
    "P601", "the program does not stand where the question says",
    "Left, right, near and visible are meant from that place.",
    "set_viewpoint at the image or object the question names",
    _from_image(1, "turn_camera(memory, 'back')", _SEE), _GOOD, decomposition=_BEHIND,
    repair="the image number is put right, or the viewpoint is set first",
)  # fmt: skip
FACING = Rule(
    "P602", "the program does not face what the question says",
    "The heading decides what is left and right.",
    "facing= what the question says to face; leave it out for an image's own heading",
    _standing("lamp"), _standing("table"), decomposition=_STANDING, repair="facing is put right",
)  # fmt: skip
HEADING = Rule(
    "P603", "the turns do not end at the heading the question's turns end at",
    "One wrong turn makes every side wrong.",
    "the turns the question states, in any form that ends at the same heading",
    _from_image(1, "turn_camera(memory, 'left')", "step_camera(memory, 'backward')", _SEE),
    _from_image(1, "turn_camera(memory, 'left', degrees=270)", "step_camera(memory, 'forward')", _SEE),
    decomposition=_CLOSER, repair="a missing final turn is added, a wrong one put right",
)  # fmt: skip
DISPLACEMENT = Rule(
    "P604", "the steps do not lead the way the question's steps lead",
    "Closer and farther depend on where one goes.",
    "the steps the question states",
    _from_image(1, "turn_camera(memory, 'right')", _SEE),
    _from_image(1, "turn_camera(memory, 'right')", "step_camera(memory, 'forward')", _SEE), decomposition=_CLOSER,
    repair="missing final steps are added",
)  # fmt: skip


@dataclass(frozen=True)
class Expected:
    """Where the question's own words lead: the pose after its motions, and the extra turn that faces the asked side."""

    pose: ViewPose
    side_turn: float | None

    def heading_fits(self, yaw: float) -> bool:
        turns = [0.0] if self.side_turn is None else [0.0, self.side_turn]
        return any(angle_between(yaw, self.pose.yaw + turn) < 1.0 for turn in turns)


def expected_pose(question: Decomposition) -> Expected:
    """Simulate the question: reference, facing, motions."""
    reference, facing = question.reference, question.reference.facing
    place = Place(image=reference.image, name=reference.object)
    heading = Heading()
    if facing.object is not None and facing.kind in ("towards_object", "away_from_object"):
        heading = Heading(own=False, towards=facing.object)
    elif facing.kind == "same_as_image" and facing.image != reference.image:
        heading = Heading(own=False, image=facing.image)
    pose = ViewPose(place, heading, yaw=180.0 if facing.kind == "away_from_object" else 0.0)
    for motion in question.motions:
        if motion.kind == "turn":
            pose = pose.turned(motion.direction, motion.degrees)
        else:
            pose = pose.stepped(motion.direction, None)
    side = question.comparison.side
    turn = SIDE_BEARING.get(side) if side is not None and question.comparison.relative_to is None else None
    return Expected(pose, turn)


def needs_viewpoint(question: Decomposition) -> bool:
    """Whether the answer depends on where one stands."""
    c = question.comparison
    if c.function in (Function.DIRECTION, Function.WHAT_IS_THERE, Function.VISIBILITY, Function.CLOSER_AFTER_MOTION):
        return True
    to_viewer = c.relative_to is None
    if c.function in (Function.NEAREST, Function.FARTHEST):
        return to_viewer
    return c.side is not None or (c.function is Function.DISTANCE and len(c.entities) < 2 and to_viewer)


def check_motion(env: Environment, parsed: Program, question: Decomposition) -> bool:
    """Place, facing, turns and steps. False when they do not fit, so that what follows from them is not reported."""
    placed = [e for e in env.events if e.name == "set_viewpoint"]
    if not question.anchored or not (placed or needs_viewpoint(question)):
        return True
    if not placed:
        _missing(env, parsed, question)
        return False
    start, end, expected = placed[-1].view.pose, env.view.pose, expected_pose(question)
    if start is None or end is None:
        return True
    fits = _check_place(env, placed[-1], start, expected.pose, question)
    if not expected.heading_fits(end.yaw) or abs(end.pitch - expected.pose.pitch) > 1.0:
        _report_heading(env, placed[-1], end, expected)
        fits = False
    mixed = any(end.moved) and any(end.metres)
    if not mixed and not same_way(end.displacement, expected.pose.displacement):
        _report_displacement(env, placed[-1], question)
        fits = False
    return fits


def _missing(env: Environment, parsed: Program, question: Decomposition) -> None:
    if any(d.code in ("V402", "V403") for d in env.diagnostics):
        return
    build = next((e for e in env.events if e.builds), None)
    memories, mend = env.memory_names(), None
    if build is not None and len(memories) == 1 and question.reference.kind == "image":
        line = parsed.statements[min(build.statement + 1, len(parsed.statements) - 1)].span.line
        number, memory = question.reference.image, memories[0]
        text = f"set_viewpoint({memory}, at=query_camera_pose({memory}, image={number}))"
        mend = Fix("first viewpoint", f"stand where image {number} was taken", (env.source.insert_line(line, text),))
    where = Place(image=question.reference.image, name=question.reference.object)
    env.report(ANCHOR.at(parsed.span, f"the question is asked from {where}, but no viewpoint is set", "", mend))


def _check_place(env: Environment, event: Event, start: ViewPose, wanted: ViewPose, question: Decomposition) -> bool:
    place, there = wanted.place, start.place
    right_place = (
        there.image == place.image if place.image is not None
        else there.name is not None and same_thing(there.name, place.name or "")
    )  # fmt: skip
    if not right_place:
        mend = _other_image(env, event, place)
        env.report(ANCHOR.at(event.call.span, f"the viewpoint is at {there}, the question says {place}", "", mend))
    facing = question.reference.facing.kind
    if place.image is None and facing in ("free", "same_way_as_object"):
        return right_place
    if not _same_heading(start, wanted):
        mend = _other_facing(env, event, wanted.heading)
        message = f"the viewpoint looks {start.heading}, the question says {wanted.heading}"
        env.report(FACING.at(event.call.span, message, "", mend))
        return False
    return right_place


def _same_heading(start: ViewPose, wanted: ViewPose) -> bool:
    have, want = start.heading, wanted.heading
    if want.towards is not None:
        return have.towards is not None and same_thing(have.towards, want.towards)
    if want.image is not None:
        return have.image == want.image or (have.own and start.place.image == want.image)
    return have.own or (have.image is not None and have.image == wanted.place.image)


def _source_call(env: Environment, node: Expr | None) -> Call | None:
    """The call behind an argument: inline, or what its name is bound to."""
    if isinstance(node, Name) and node.id in env.bindings:
        return env.bindings[node.id].call
    return node if isinstance(node, Call) else None


def _other_image(env: Environment, event: Event, place: Place) -> Fix | None:
    call = _source_call(env, event.call.argument("at"))
    number = call.argument("image") if call is not None else None
    if place.image is None or not isinstance(number, Literal):
        return None
    return Fix("right image", f"stand where image {place.image} was taken", (Edit(number.span, str(place.image)),))


def _other_facing(env: Environment, event: Event, heading: Heading) -> Fix | None:
    """Face the queried object the question names."""
    if heading.towards is None:
        return None
    for name, binding in env.bindings.items():
        kind, known = binding.type.kind, binding.type.name
        if kind in (Kind.INSTANCE, Kind.INSTANCES) and known and same_thing(known, heading.towards):
            target = name if kind is Kind.INSTANCE else f'select_object({name}, by="most_confident")'
            if binding.statement >= event.statement:
                return None
            call = event.call
            others = [a for a in call.arguments if a.name not in ("memory", "facing")]
            kept = [f"{a.name}={expression_text(a.value)}" for a in others]
            memory = expression_text(call.argument("memory") or Name("memory"))
            text = f"set_viewpoint({', '.join([memory, *kept, f'facing={target}'])})"
            return Fix("right facing", f"face the {heading.towards}", (Edit(call.span, text),))
    return None


def _report_heading(env: Environment, placed: Event, end: ViewPose, expected: Expected) -> None:
    turns = [e for e in env.events if e.name == "turn_camera"]
    have, want = turn_words(end.yaw), turn_words(expected.pose.yaw)
    if have == want:
        have, want = f"tilted {end.pitch:g} degrees", f"{expected.pose.pitch:g}"
    where = (turns or [placed])[-1]
    mend = _right_turn(env, placed, turns, end, expected)
    env.report(HEADING.at(where.call.span, f"the program turns {have}, the question says {want}", "", mend))


def _right_turn(env: Environment, placed: Event, turns: list[Event], end: ViewPose, expected: Expected) -> Fix | None:
    """Put the last turn right, or add one after the last motion; headings only."""
    if abs(end.pitch - expected.pose.pitch) > 1.0:
        return None
    memory = expression_text(placed.call.argument("memory") or Name("memory"))
    motions = [e for e in env.events if e.moves]
    missing = (expected.pose.yaw - end.yaw) % 360.0
    if turns and motions[-1] is turns[-1]:
        last = turns[-1]
        before = end.turned(*_reverse(last))
        needed = (expected.pose.yaw - before.yaw) % 360.0
        if angle_between(needed, 0.0) > 1.0:
            return Fix("right turn", f"turn {turn_words(needed)}", (Edit(last.call.span, turn_text(memory, needed)),))
        if last.target is None:
            return Fix("right turn", "leave the turn out", (env.source.delete_lines(last.call.span),))
        return None
    line = motions[-1].call.span.end_line + 1
    text = f"{env.source.indentation(motions[-1].call.span.line)}{turn_text(memory, missing)}\n"
    return Fix("missing turn", f"turn {turn_words(missing)}", (Edit(Span(line, 1, line, 1), text),))


def _reverse(turn: Event) -> tuple[str, float | None]:
    direction = str(turn.arguments["direction"].value)
    degrees = turn.arguments["degrees"].value if "degrees" in turn.arguments else None
    opposite = {"left": "right", "right": "left", "back": "back"}.get(direction, direction)
    return opposite, float(degrees) if isinstance(degrees, int | float) else None


def turn_text(memory: str, yaw: float) -> str:
    """A turn_camera call for a turn to the right by ``yaw`` degrees (mod 360), in its shortest words."""
    yaw = (yaw + 180.0) % 360.0 - 180.0
    if abs(abs(yaw) - 180.0) < 1e-6:
        return f'turn_camera({memory}, "back")'
    amount = "" if abs(abs(yaw) - 90.0) < 1e-6 else f", degrees={abs(yaw):g}"
    return f'turn_camera({memory}, "{"right" if yaw > 0 else "left"}"{amount})'


def _report_displacement(env: Environment, placed: Event, question: Decomposition) -> None:
    steps = [e for e in env.events if e.name == "step_camera"]
    stated = [m for m in question.motions if m.kind == "step"]
    words = " and ".join(m.direction for m in stated) or "no step"
    mend = None
    trailing = question.motions[len(question.motions) - len(stated) :] == tuple(stated)
    if not steps and stated and trailing:
        last = [e for e in env.events if e.moves][-1]
        memory = expression_text(placed.call.argument("memory") or Name("memory"))
        indent = env.source.indentation(last.call.span.line)
        lines = "".join(f'{indent}step_camera({memory}, "{m.direction}")\n' for m in stated)
        line = last.call.span.end_line + 1
        mend = Fix("missing step", f"step {words}", (Edit(Span(line, 1, line, 1), lines),))
    where = (steps or [placed])[-1]
    have = "does not step" if not steps else "steps another way" if stated else "steps"
    env.report(DISPLACEMENT.at(where.call.span, f"the program {have}, the question says {words}", "", mend))
