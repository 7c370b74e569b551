"""E5, execution discipline: motions are observed, observations tell something new, stages come in order, results leave.

These rules look at the whole list of events once all statements are checked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from placecell.language.diagnostics import Edit, Fix, Severity
from placecell.language.environment import Environment, Event, Limits
from placecell.language.plan import Assign, Expr, ListExpr, Name, Program, Return, Span
from placecell.language.rules.base import Rule, program
from placecell.language.rules.viewpoint import STALE
from placecell.language.signature import Category, Stage
from placecell.language.types import BOUND_WHEN_READ, Kind, StaticType

_BUILD = "memory = build_static_memory(images)"
_HERE = "here = query_camera_pose(memory, image=1)"
_SET = "set_viewpoint(memory, at=here)"
_TURN = "turn_camera(memory, 'left')"
_SEE = "return [render_egocentric(memory)]"
_DOOR = 'door = query_3d_object_location(memory, "door")'
_CHAIR = 'chairs = query_3d_object_location(memory, "chair")'
_GOOD = program(_BUILD, _HERE, _SET, _TURN, _SEE)
_COUNTED = program(_BUILD, _CHAIR, "return [count_objects(memory, chairs)]")

DANGLING = Rule(
    "E501", "a motion is not followed by an observation",
    "A turn or step that nothing looks at afterwards has no effect on the answer.",
    "a render, or a measure that looks from the viewpoint, after the last motion",
    program(_BUILD, _HERE, _SET, "view = render_egocentric(memory)", _TURN, "return [view]"), _GOOD,
    repair="a render is added to the return",
)  # fmt: skip
UNSEEN = Rule(
    "E502", "a viewpoint is set, but nothing is observed from it",
    "Standing somewhere does not answer anything by itself.",
    "observe from it, or leave it out",
    program(_BUILD, _HERE, _SET, _CHAIR, "return [count_objects(memory, chairs)]"), _COUNTED,
    severity=Severity.WARNING,
)  # fmt: skip
NO_CONTENT = Rule(
    "E503", "an observation has no content for the question",
    "A plan view without the things asked about shows nothing that helps.",
    "render_semantic_bev(memory, objects=[...]) with the queried objects, or cameras=[...] for a question about images",
    program(_BUILD, "return [render_semantic_bev(memory)]"),
    program(_BUILD, _CHAIR, "return [render_semantic_bev(memory, objects=[chairs])]"),
    repair="the queried objects are drawn",
)  # fmt: skip
DUPLICATE = Rule(
    "E504", "an observation is made twice",
    "The same look from the same viewpoint tells nothing new.",
    "use the first result again",
    program(_BUILD, _HERE, _SET, "view = render_egocentric(memory)", "again = render_egocentric(memory)",
            "return [view, again]"), _GOOD, repair="the first result is used again",
)  # fmt: skip
STAGE = Rule(
    "E505", "an operation is used in a stage that does not permit it",
    "Reference: build and query. Refinement (first to last motion): query, move, render. Comparison: query, render, "
    "measure. A measure before the last motion describes the wrong viewpoint, unless it is measured again after.",
    "measure after the last motion; before it only as the first half of a before/after pair",
    program(_BUILD, _HERE, _SET, _DOOR, "gap = measure_distance(memory, door)", _TURN,
            "return [render_egocentric(memory), gap]"),
    program(_BUILD, _HERE, _SET, _DOOR, "before = measure_distance(memory, door)", "step_camera(memory, 'forward')",
            "after = measure_distance(memory, door)", "return [compare(after, before)]"),
)  # fmt: skip
NOTHING_RETURNED = Rule(
    "E506", "nothing is returned",
    "What is not returned is not seen by anyone.",
    "return [...] with at least one observation",
    program(_BUILD, _CHAIR, "n = count_objects(memory, chairs)", "return []"), _COUNTED,
    repair="what was observed is returned",
)  # fmt: skip
NO_RESULT = Rule(
    "E507", "what is returned is not a result",
    "A memory, a photo list or a literal is not something that was observed.",
    "pictures and values that operations gave",
    program(_BUILD, "return [memory]"), _COUNTED, repair="it is left out when there are other results",
)  # fmt: skip
BUDGET = Rule(
    "E508", "the program exceeds its budget",
    "Its cost is known, and bounded, before it runs.",
    f"at most {Limits().renders} renders and {Limits().operations} operations",
    program(_BUILD, _HERE, _SET,
            *[f"v{i} = render_egocentric(memory, fov={20 + i})" for i in range(13)],
            f"return [{', '.join(f'v{i}' for i in range(13))}]"), _GOOD,
)  # fmt: skip

_NOT_RESULTS = frozenset({Kind.MEMORY, Kind.SOURCE, Kind.NOTHING})
_OBSERVED = frozenset({Category.RENDER, Category.MEASURE})
_STANDALONE_OPERATIONS = frozenset({"compare"})


def check_execution(env: Environment, parsed: Program, results: tuple[StaticType, ...]) -> None:
    """All rules of this category on a finished list of events; ``results`` are the types of what is returned."""
    last = parsed.statements[-1] if parsed.statements else None
    ending = last if isinstance(last, Return) else None
    if not env.blurred:
        _dangling(env, ending, results)
    _content(env)
    _duplicates(env, parsed)
    _stages(env)
    _budget(env, parsed)


def _dangling(env: Environment, ending: Return | None, results: tuple[StaticType, ...]) -> None:
    """One report for the motions after the last observation, however many they are."""
    if any(_read_from(env, type_) for type_ in results) or any(d.code == STALE.code for d in env.diagnostics):
        return  # a stale result is asked for again, which is the observation that was missing
    last_observed = max((i for i, e in enumerate(env.events) if e.observes), default=-1)
    late = [e for e in env.events[last_observed + 1 :] if e.moves]
    motions = [e for e in late if e.name != "set_viewpoint"]
    if motions:
        count = "the motion is" if len(motions) == 1 else f"{len(motions)} motions are"
        message = f"{count} not followed by an observation"
        env.report(DANGLING.at(motions[0].call.span, message, "", _add_render(env, ending)))
    elif late:
        env.report(UNSEEN.at(late[-1].call.span, "nothing is observed from this viewpoint"))


def _read_from(env: Environment, type_: StaticType) -> bool:
    """Whether a result is a position or pose in the last viewpoint's terms, other than that viewpoint itself."""
    pose = type_.kind in BOUND_WHEN_READ and type_.pose is not env.view.pose
    return type_.stamp == env.view.stamp and (type_.bound or pose)


def _add_render(env: Environment, ending: Return | None) -> Fix | None:
    memories = env.memory_names()
    if ending is None or len(memories) != 1:
        return None
    call = f"render_egocentric({memories[0]})"
    return Fix("render after motion", "look from there in the end", (append_result(ending, call),))


def append_result(ending: Return, text: str) -> Edit:
    """Add one more value to the returned list."""
    span = ending.value.span
    if isinstance(ending.value, ListExpr):
        inside = Span(span.end_line, span.end_column - 1, span.end_line, span.end_column - 1)
        return Edit(inside, f", {text}" if ending.value.items else text)
    return Edit(span.start, f"{text}, ")


def _content(env: Environment) -> None:
    """Plan views without anything on them, or with cameras only for a question about objects."""
    question = env.decomposition
    about_objects = question is not None and bool(question.objects) and question.comparison.images is None
    for event in env.events:
        if event.name != "render_semantic_bev" or event.faulty:
            continue
        objects, cameras = _length(event.arguments.get("objects")), _length(event.arguments.get("cameras"))
        if objects or (cameras and not about_objects):
            continue
        what = "the plan view shows cameras only, and the question is about objects" if cameras else "nothing is drawn"
        env.report(NO_CONTENT.at(event.call.span, what, "", _draw_objects(env, event)))


def _length(type_: StaticType | None) -> int:
    return len(type_.items) if type_ is not None else 0


def _draw_objects(env: Environment, event: Event) -> Fix | None:
    """Draw every object the program has queried so far."""
    names = [
        name for name, b in env.bindings.items()
        if b.type.kind in (Kind.INSTANCES, Kind.INSTANCE) and b.statement <= event.statement
    ]  # fmt: skip
    memory = event.call.argument("memory")
    if not names or not isinstance(memory, Name):
        return None
    text = f"{event.name}({memory.id}, objects=[{', '.join(names)}])"
    return Fix("draw the objects", "draw the queried objects", (Edit(event.call.span, text),))


def _duplicates(env: Environment, parsed: Program) -> None:
    """The same look, by value of its arguments, from the same viewpoint."""
    seen: dict[object, Event] = {}
    rebound = _rebound_names(parsed)
    for event in env.events:
        if event.operation.category not in _OBSERVED or event.name in _STANDALONE_OPERATIONS or event.faulty:
            continue
        if any(isinstance(a.value, Name) and a.value.id in rebound for a in event.call.arguments):
            continue
        first = seen.setdefault((event.view.stamp if event.reads_viewpoint else -1, event.call), event)
        if first is event:
            continue
        mend = None
        if first.target is not None and first.target not in rebound:
            mend = Fix("use it again", f"use {first.target} again", (Edit(event.call.span, first.target),))
        env.report(
            DUPLICATE.at(event.call.span, f"this repeats the {event.name} of line {first.call.span.line}", "", mend)
        )


def _rebound_names(parsed: Program) -> set[str]:
    targets = Counter(s.target for s in parsed.statements if isinstance(s, Assign))
    return {name for name, count in targets.items() if count > 1}


def _stages(env: Environment) -> None:
    """Measures before the last motion, unless asked again after it; measures that look at no viewpoint only warn."""
    last = max((i for i, e in enumerate(env.events) if e.moves), default=-1)
    after = {e.name for e in env.events[last + 1 :]}
    for event in env.events[: last + 1]:
        permitted = Stage.REFERENCE in event.operation.stages or Stage.REFINEMENT in event.operation.stages
        bound = event.result.bound  # its staleness is reported where it is used
        if permitted or event.faulty or bound or event.name in after or not event.reads_viewpoint:
            continue
        env.report(STAGE.at(event.call.span, f"{event.name} looks from a viewpoint that is changed afterwards"))


def stages(env: Environment, parsed: Program) -> tuple[Stage, ...]:
    """The reasoning stage of each statement: reference before the first motion, comparison after the last."""
    moving = [e.statement for e in env.events if e.moves]
    measuring = [e.statement for e in env.events if Stage.REFERENCE not in e.operation.stages and not e.moves]
    first = min(moving, default=min(measuring, default=len(parsed.statements) - 1))
    last = max(moving, default=-1)

    def stage(index: int) -> Stage:
        if index < first:
            return Stage.REFERENCE
        return Stage.REFINEMENT if index <= last else Stage.COMPARISON

    return tuple(stage(i) for i in range(len(parsed.statements)))


def _budget(env: Environment, parsed: Program) -> None:
    renders = sum(e.operation.category is Category.RENDER for e in env.events)
    for count, limit, what in (
        (renders, env.limits.renders, "renders"),
        (len(env.events), env.limits.operations, "operations"),
    ):
        if count > limit:
            env.report(BUDGET.at(parsed.span, f"the program has {count} {what}; at most {limit} are allowed"))


def check_results(env: Environment, value: Expr, types: tuple[StaticType, ...]) -> None:
    """The returned list holds at least one result, and nothing that is none."""
    if not types:
        names = observed_names(env)
        mend = None
        if names and isinstance(value, ListExpr):
            for name in names:
                env.bindings[name].used = True
            bare = " " if value.span[:2] == value.span[2:] else ""
            mend = Fix("return what was seen", "return it", (Edit(value.span, f"{bare}[{', '.join(names)}]"),))
        env.report(NOTHING_RETURNED.at(value.span, "nothing is returned", "", mend))
        return
    wrong = [i for i, t in enumerate(types) if not _is_result(t)]
    nodes = value.items if isinstance(value, ListExpr) else ()
    kept = [env.source.slice(node.span) for i, node in enumerate(nodes) if i not in wrong]
    mend = Fix("results only", "leave it out", (Edit(value.span, f"[{', '.join(kept)}]"),)) if kept else None
    for i in wrong:
        what = "a literal" if types[i].value is not None else f"the {types[i].kind}"
        env.report(NO_RESULT.at(nodes[i].span if nodes else value.span, f"{what} is not a result", "", mend))


def _is_result(type_: StaticType) -> bool:
    if type_.kind is Kind.LIST:
        return all(_is_result(item) for item in type_.items)
    return type_.kind not in _NOT_RESULTS and type_.value is None


def observed_names(env: Environment) -> list[str]:
    """Names of pictures and measured values that nothing uses yet, in order: what a missing return should give."""
    return [e.target for e in _results(env) if e.target is not None and not env.bindings[e.target].used]


def _results(env: Environment) -> Iterator[Event]:
    for event in env.events:
        binding = env.bindings.get(event.target) if event.target else None
        if event.operation.category in _OBSERVED and binding is not None and binding.statement == event.statement:
            yield event
