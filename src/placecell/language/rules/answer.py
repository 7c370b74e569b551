"""P6, plan consistency, part two: what is observed answers the question that was asked.

The asked side is looked at, every thing compared is queried, and an operation that can answer is among the results.
"""

from __future__ import annotations

from collections.abc import Mapping

from placecell.language.decomposition import METRIC_UNITS, Comparison, Decomposition, Function, Motion, Reference
from placecell.language.diagnostics import Edit, Fix, Severity
from placecell.language.environment import Environment, Event
from placecell.language.phrases import same_thing
from placecell.language.plan import Literal, MemoryFacts, Program, Return, Span
from placecell.language.rules.base import Rule, program
from placecell.language.rules.execution import append_result
from placecell.language.rules.plan import check_motion, expected_pose
from placecell.language.types import Kind, StaticType
from placecell.language.viewpoint import SIDE_BEARING, angle_between

_BUILD = "memory = build_static_memory(images)"
_VIDEO = "memory = build_dynamic_memory(video)"
_A, _B = 'a = query_3d_object_location(memory, "bed")', 'b = query_3d_object_location(memory, "desk")'
_VIEW = "set_viewpoint(memory, at=query_camera_pose(memory, image=1))"
_FROM_1 = Reference(kind="image", image=1)
_DISTANCE = Decomposition(comparison=Comparison(function=Function.DISTANCE, entities=("bed", "desk"), unit="m"))
_NEAREST = Decomposition(
    comparison=Comparison(function=Function.NEAREST, entities=("bed", "desk"), relative_to="lamp", unit="m")
)
_LEFT = Decomposition(reference=_FROM_1, comparison=Comparison(function=Function.WHAT_IS_THERE, side="left"))
_MOVED = Decomposition(comparison=Comparison(function=Function.CAMERA_MOTION, images=(1, 2)))
_CAR = Decomposition(comparison=Comparison(function=Function.OBJECT_MOTION, entities=("car",), frame="object"))
_CLOSER = Decomposition(
    reference=_FROM_1,
    motions=(Motion(kind="step", direction="forward", quote="move forward"),),
    comparison=Comparison(function=Function.CLOSER_AFTER_MOTION, entities=("bed",), form="yes_no"),
)
_LAMP = 'lamp = query_3d_object_location(memory, "lamp")'
_GAP = program(_BUILD, _A, _B, "return [measure_distance(memory, a, b)]")

SIDE = Rule(
    "P605", "the side the question asks about is not looked at",
    "An answer about the left cannot come from a look to the front.",
    "find_in_direction that way, locate the candidates, or turn that way and render",
    program(_BUILD, _VIEW, "return [render_egocentric(memory)]"),
    program(_BUILD, _VIEW, "return [find_in_direction(memory, 'left')]"), decomposition=_LEFT,
    repair="find_in_direction that way is added to the return",
)  # fmt: skip
ENTITY = Rule(
    "P606", "a thing the question compares is never queried",
    "What was not looked for cannot be part of the answer.",
    "query every thing that is compared, the options' among them",
    program(_BUILD, _A, "return [measure_distance(memory, a, query_3d_object_location(memory, 'lamp'))]"), _GAP,
    decomposition=_DISTANCE,
)  # fmt: skip
FUNCTION = Rule(
    "P607", "nothing that is computed answers the question",
    "A number is measured, an order ranked, a count counted; a picture alone leaves them to a guess.",
    "an operation that answers this kind of question, among the returned values",
    program(_BUILD, _A, _B, "return [render_semantic_bev(memory, objects=[a, b])]"), _GAP, decomposition=_DISTANCE,
    repair="the operation is added to the return when its arguments are at hand",
)  # fmt: skip
UNIT = Rule(
    "P608", "the question asks for metres, but the memory's scale is unknown",
    "The answer will be in units of the memory.",
    "give the memory a scale first (placecell scale)",
    program(_BUILD, _A, _B, _LAMP, "return [measure_distance(memory, lamp, a), measure_distance(memory, lamp, b)]"),
    program(_BUILD, _A, _B, _LAMP, "return [rank_by_distance(memory, lamp, [a, b])]"), severity=Severity.WARNING,
    facts=MemoryFacts(scale="relative"), decomposition=_NEAREST,
)  # fmt: skip
IMAGES = Rule(
    "P609", "the two images of the question are not related to each other",
    "Which way the camera moved is where the second camera is, seen from the first.",
    "set_viewpoint at the first image's pose and locate the second's, or a plan view with both cameras",
    program(_BUILD, _VIEW, "return [locate(memory, query_camera_pose(memory, image=3))]"),
    program(_BUILD, _VIEW, "return [locate(memory, query_camera_pose(memory, image=2))]"), decomposition=_MOVED,
)  # fmt: skip
FRAME = Rule(
    "P610", "the motion is measured in another frame or time span than asked",
    "A car that goes left for the camera may go straight ahead for its driver.",
    "frame and during as the question says",
    program(_VIDEO, "car = track_object(memory, 'car')", "return [measure_motion(memory, car, frame='camera')]",
            argument="video"),
    program(_VIDEO, "car = track_object(memory, 'car')", "return [measure_motion(memory, car, frame='self')]",
            argument="video"), decomposition=_CAR, repair="frame and during are put right",
)  # fmt: skip
PAIR = Rule(
    "P611", "only one half of a before/after pair is measured",
    "Closer is a comparison of two places.",
    "measure_distance before the motion and after it, and compare(after, before)",
    program(_BUILD, _A, _VIEW, "step_camera(memory, 'forward')", "return [measure_distance(memory, a)]"),
    program(_BUILD, _A, _VIEW, "before = measure_distance(memory, a)", "step_camera(memory, 'forward')",
            "return [compare(measure_distance(memory, a), before)]"), decomposition=_CLOSER,
)  # fmt: skip

_PICTURES = ("render_egocentric", "render_semantic_bev", "render_rgb_bev")
ANSWERS: Mapping[Function, tuple[str, ...]] = {
    Function.DIRECTION: ("locate", "find_in_direction", *_PICTURES),
    Function.DISTANCE: ("measure_distance",),
    Function.NEAREST: ("rank_by_distance", "select_object", "find_in_direction", "measure_distance"),
    Function.FARTHEST: ("rank_by_distance", "select_object", "measure_distance"),
    Function.LARGEST: ("measure_size", "select_object"),
    Function.SMALLEST: ("measure_size", "select_object"),
    Function.SIZE: ("measure_size", "measure_room"),
    Function.AREA: ("measure_room",),
    Function.COUNT: ("count_objects", "count_events"),
    Function.VISIBILITY: ("check_visibility", "first_seen", "render_egocentric"),
    Function.WHAT_IS_THERE: ("find_in_direction", "locate", *_PICTURES),
    Function.CLOSER_AFTER_MOTION: ("compare", "measure_distance", "render_egocentric"),
    Function.APPEARANCE_ORDER: ("first_seen",),
    Function.ROUTE: ("plan_route", "render_semantic_bev"),
    Function.CAMERA_MOTION: ("locate", "render_semantic_bev", "measure_motion"),
    Function.OBJECT_MOTION: ("measure_motion",),
    Function.ROTATION_SENSE: ("measure_motion", "locate", "render_semantic_bev"),
    Function.EVENT_COUNT: ("measure_motion", "track_object", "count_objects", "count_events"),
    Function.FACING: ("locate", "query_camera_pose", "measure_motion", *_PICTURES),
    Function.PRESENCE: (
        "count_objects",
        "check_visibility",
        "find_in_direction",
        "locate",
        "query_3d_object_location",
        "track_object",
    ),
}
"""Operations of which at least one must be used, by what is asked."""

_SHOWN_IN_PICTURES = frozenset(
    {Function.WHAT_IS_THERE, Function.VISIBILITY, Function.DIRECTION, Function.CLOSER_AFTER_MOTION, Function.PRESENCE}
)
"""Questions that a look can answer, so that their things need not be queried by name."""


def check_plan(env: Environment, parsed: Program, question: Decomposition) -> None:
    """All rules of the category; nothing is reported that only follows from another fault."""
    in_place = check_motion(env, parsed, question)
    answered = _check_function(env, parsed, question)
    _check_entities(env, parsed, question)
    if in_place and answered:
        _check_side(env, parsed, question)
    _check_images(env, parsed, question)
    _check_frame(env, question)
    _check_pair(env, question)
    _check_unit(env, question)


def _ending(parsed: Program) -> Return | None:
    last = parsed.statements[-1] if parsed.statements else None
    return last if isinstance(last, Return) else None


def _span(parsed: Program) -> Span:
    return parsed.statements[-1].span if parsed.statements else parsed.span


def _add(parsed: Program, name: str, text: str) -> Fix | None:
    ending = _ending(parsed)
    return Fix(name, f"add {text} to the return", (append_result(ending, text),)) if ending is not None else None


def _check_function(env: Environment, parsed: Program, question: Decomposition) -> bool:
    wanted = ANSWERS[question.comparison.function]
    if any(e.name in wanted for e in env.events):
        return True
    words = str(question.comparison.function).replace("_", " ")
    mend = None
    text = _answering_call(env, question)
    if text is not None:
        mend = _add(parsed, "answer", text)
    hint = f"use {' or '.join(dict.fromkeys(wanted))}"
    env.report(FUNCTION.at(_span(parsed), f"the question asks for {words}, which nothing here gives", hint, mend))
    return False


def _answering_call(env: Environment, question: Decomposition) -> str | None:
    """The missing operation on the things that have been queried already."""
    memories, c = env.memory_names(), question.comparison
    if len(memories) != 1:
        return None
    memory = memories[0]
    names = [n for n in (_queried_as(env, e) for e in c.entities) if n is not None]
    if len(names) != len(c.entities):
        return None
    match c.function, names:
        case (Function.DISTANCE, [a, b]):
            return f"measure_distance({memory}, {a}, {b})"
        case (Function.COUNT, [a]):
            return f"count_objects({memory}, {a})"
        case (Function.SIZE, [a]):
            return f'measure_size({memory}, select_object({a}, by="most_confident"))'
        case (Function.AREA, []):
            return f"measure_room({memory})"
        case (Function.APPEARANCE_ORDER, [_, _, *_]):
            return f"first_seen({memory}, [{', '.join(names)}])"
    return None


def _queried_as(env: Environment, phrase: str) -> str | None:
    """The name that holds the instances of a phrase."""
    for name, binding in env.bindings.items():
        known = binding.type.name
        if binding.type.kind is Kind.INSTANCES and known is not None and same_thing(known, phrase):
            return name
    return None


def _check_entities(env: Environment, parsed: Program, question: Decomposition) -> None:
    found = [e.result for e in env.events if e.result.kind in (Kind.INSTANCES, Kind.TRACK)]
    queried = [type_.name for type_ in found if type_.name]
    looks = any(e.name == "render_egocentric" or (e.name == "find_in_direction" and "candidates" not in e.arguments)
                for e in env.events)  # fmt: skip
    if looks and question.comparison.function in _SHOWN_IN_PICTURES:
        return
    if question.comparison.function is Function.EVENT_COUNT or question.comparison.images is not None:
        return
    for phrase in question.compared_objects:
        if not any(same_thing(phrase, q) for q in queried):
            hint = f'query_3d_object_location(memory, "{phrase}")'
            env.report(ENTITY.at(_span(parsed), f"{phrase!r} is never queried", hint))


def _check_side(env: Environment, parsed: Program, question: Decomposition) -> None:
    side = question.comparison.side
    if side is None or not question.anchored or any(_honours(e, question) for e in env.events):
        return
    memories, of = env.memory_names(), question.comparison.relative_to
    relative = _queried_as(env, of) if of is not None else None
    mend = None
    if len(memories) == 1 and (of is None or relative is not None):
        extra = f", of={relative}" if relative is not None else ""
        mend = _add(parsed, "asked side", f'find_in_direction({memories[0]}, "{side}"{extra})')
    what = f"{side} of {of}" if of is not None else side
    env.report(SIDE.at(_span(parsed), f"the question asks what is {what}; nothing looks there", "", mend))


def _honours(event: Event, question: Decomposition) -> bool:
    """Whether an observation tells about the asked side, given the heading it was made under."""
    side, of = question.comparison.side or "front", question.comparison.relative_to
    pose = event.view.pose
    if pose is None or event.name not in ("locate", "find_in_direction", *_PICTURES):
        return event.observes and pose is None
    offset = pose.yaw - expected_pose(question).pose.yaw
    as_asked = angle_between(offset, 0.0) < 1.0
    if event.name == "find_in_direction":
        asked = str(event.arguments["direction"].value)
        relative = event.arguments.get("of")
        if of is not None and (relative is None or not as_asked):
            return False
        if side in SIDE_BEARING and asked in SIDE_BEARING:
            return angle_between(offset + SIDE_BEARING[asked], SIDE_BEARING[side]) < 1.0
        return asked == side
    if event.name == "render_egocentric" and of is None and side in SIDE_BEARING:
        return angle_between(offset, SIDE_BEARING[side]) < 1.0
    return as_asked


def _check_images(env: Environment, parsed: Program, question: Decomposition) -> None:
    images = question.comparison.images
    if images is None:
        return
    for event in env.events:
        if event.name == "locate" and event.view.pose is not None:
            target = event.arguments["target"].pose
            here, there = event.view.pose.place.image, target.place.image if target is not None else None
            either_way = question.comparison.function is Function.ROTATION_SENSE
            if (here, there) == images or (either_way and (there, here) == images):
                return
        if event.name == "measure_distance" and {_image(event.arguments.get(end)) for end in ("a", "b")} == set(images):
            return
        drawn = {t.value for t in event.arguments["cameras"].items} if "cameras" in event.arguments else set()
        if set(images) <= drawn or event.name == "measure_motion":
            return
    message = f"image {images[1]} is never located from image {images[0]}"
    env.report(IMAGES.at(_span(parsed), message))


def _image(type_: StaticType | None) -> int | None:
    """The image whose camera a pose is."""
    return type_.pose.place.image if type_ is not None and type_.pose is not None else None


def _check_frame(env: Environment, question: Decomposition) -> None:
    c = question.comparison
    frame = {"object": "self", "world": "world"}.get(c.frame, "camera")
    measured = [e for e in env.events if e.name == "measure_motion"]
    if c.function not in (Function.OBJECT_MOTION, Function.ROTATION_SENSE) or not measured:
        return
    wanted = {"frame": frame, "during": c.during}
    defaults = {"frame": "camera", "during": "whole"}

    def given(event: Event) -> dict[str, object]:
        return {k: event.arguments[k].value if k in event.arguments else defaults[k] for k in wanted}

    if any(given(e) == wanted for e in measured):
        return
    event = measured[0]
    edits = []
    for key, value in wanted.items():
        node = event.call.argument(key)
        if isinstance(node, Literal):
            edits.append(Edit(node.span, f'"{value}"'))
        elif value != defaults[key]:
            end = event.call.span
            inside = Span(end.end_line, end.end_column - 1, end.end_line, end.end_column - 1)
            edits.append(Edit(inside, f', {key}="{value}"'))
    have, want = given(event), ", ".join(f"{k}={v}" for k, v in wanted.items())
    message = f"measured with {', '.join(f'{k}={v}' for k, v in have.items())}, the question says {want}"
    env.report(FRAME.at(event.call.span, message, "", Fix("right frame", f"use {want}", tuple(edits))))


def _check_pair(env: Environment, question: Decomposition) -> None:
    """Two distances to the viewer, from different places; a rendered view answers without them."""
    if question.comparison.function is not Function.CLOSER_AFTER_MOTION:
        return
    measured = [e for e in env.events if e.name == "measure_distance" and e.reads_viewpoint]
    if not measured or any(e.name == "render_egocentric" for e in env.events):
        return
    if len({e.view.stamp for e in measured}) < 2:
        env.report(PAIR.at(measured[0].call.span, "the distance is measured from one place only"))


def _check_unit(env: Environment, question: Decomposition) -> None:
    lengths = (Kind.LENGTH, Kind.AREA, Kind.EXTENTS)
    event = next((e for e in env.events if e.result.kind in lengths), None)
    if env.facts.scale == "relative" and question.comparison.unit in METRIC_UNITS and event is not None:
        unit = question.comparison.unit
        env.report(UNIT.at(event.call.span, f"the question asks for {unit}, but the memory has no scale"))
