"""From a decomposition to the text of a program. One function for each kind of comparison.

Knows the operations and the rules a program must keep (viewpoint before looking, an observation after every motion).
Does not know the memory beyond its facts, nor how values become an answer (``answers``).

What each plan returns, and in which order, is the contract with ``answers``; it is written at each function.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from placecell.agents.writer import PlanningError, Writer
from placecell.language.decomposition import Comparison, Decomposition, Function
from placecell.language.phrases import same_thing
from placecell.language.plan import NO_FACTS, MemoryFacts

_NOBODY = "nobody looks: name an image, or where to stand and what to face"


def plan(decomposition: Decomposition, facts: MemoryFacts = NO_FACTS, *, pictures: bool = False) -> str:
    """The program that answers ``decomposition``; ``facts`` name the objects for questions that name none.

    With ``pictures`` it also returns a plan view of the things it is about, and what is seen from the viewpoint.
    Raises PlanningError when the language has no way to say it.
    """
    writer = Writer(decomposition, facts)
    results = _PLANS[decomposition.comparison.function](writer, decomposition.comparison)
    return writer.text([*results, *(writer.pictures() if pictures else ())])


def _direction(w: Writer, c: Comparison) -> list[str]:
    """[Direction of each entity], from the viewpoint, or relative to another thing in the viewer's terms."""
    relative = _viewpoint(w, c)
    return [w.locate(entity, of=relative) for entity in c.entities]


def _what_is_there(w: Writer, c: Comparison) -> list[str]:
    """[Instances that side, Direction of each entity]: what is met first, and where each candidate lies."""
    if c.side is None:
        raise PlanningError("the question names no side to look at")
    relative = _viewpoint(w, c)
    return [w.find(c.side, c.entities, of=relative), *(w.locate(e, of=relative) for e in c.entities)]


def _distance(w: Writer, c: Comparison) -> list[str]:
    """[Length]."""
    if c.images is not None:
        first, second = (w.camera(n) for n in c.images)
        return [w.assign("distance", f"measure_distance(memory, {first}, {second})")]
    things = [t for t in (*c.entities, c.relative_to) if t and not w.is_viewer(t)]
    if len(things) >= 2:
        a, b = (w.objects(t) for t in things[:2])
        return [w.assign("distance", f"measure_distance(memory, {a}, {b})")]
    if not things:
        raise PlanningError("a distance needs two things, or one thing and a place to measure from")
    _look(w)
    return [w.assign("distance", f"measure_distance(memory, {w.objects(things[0])})")]


def _rank(w: Writer, c: Comparison) -> list[str]:
    """[Order, nearest first]; seen from the viewpoint [Length to each thing]; with a side as `_what_is_there`.

    For things of one name and no options [Instance, Length].
    """
    if c.side is not None:
        return _what_is_there(w, c)
    relative = _relative(w, c)
    if relative is None:
        _look(w)
    if len(c.entities) == 1 and not c.options:
        criterion = "nearest" if c.function is Function.NEAREST else "farthest"
        of, start = (f", of={w.objects(relative)}", f"{w.objects(relative)}, ") if relative else ("", "")
        chosen = w.assign("chosen", f'select_object({w.objects(c.entities[0])}, by="{criterion}"{of})')
        return [chosen, w.assign("distance", f"measure_distance(memory, {start}{chosen})")]
    candidates = w.candidates(c)
    if not candidates:
        raise PlanningError("the memory knows no other objects to compare")
    if relative is None:
        return [w.assign(f"to {name}", f"measure_distance(memory, {name})") for name in candidates]
    return [w.assign("order", f"rank_by_distance(memory, {w.objects(relative)}, [{', '.join(candidates)}])")]


def _superlative(w: Writer, c: Comparison) -> list[str]:
    """[Length of the asked side of each entity]; for a single entity [Instance, its Length]."""
    by = "largest" if c.function is Function.LARGEST else "smallest"
    attribute = _attribute(c)
    results: list[str] = []
    for entity in c.entities:
        one = w.assign(f"{by} {entity}", f'select_object({w.objects(entity)}, by="{by}")')
        size = w.assign(f"size of {entity}", f"measure_size(memory, {one})")
        results += [f"{size}.{attribute}"] if len(c.entities) > 1 or c.options else [one, f"{size}.{attribute}"]
    return results


def _size(w: Writer, c: Comparison) -> list[str]:
    """[Length]."""
    if not c.entities:
        return [f"{w.assign('room', 'measure_room(memory)')}.height"]
    size = w.assign(f"size of {c.entities[0]}", f"measure_size(memory, {w.one(c.entities[0])})")
    return [f"{size}.{_attribute(c)}"]


def _area(w: Writer, c: Comparison) -> list[str]:
    """[Area]."""
    return [w.assign("room", "measure_room(memory)")]


def _count(w: Writer, c: Comparison) -> list[str]:
    """[Count of each entity]; with a side, of those that way. In a video [Count of movers, Count of those at rest]."""
    if w.dynamic and c.side is None:
        return [number for e in c.entities for number in _events(w, c, w.track(e), ("moving", "still"), "movers")]
    if c.side is None:
        return [w.count(w.objects(e), e) for e in c.entities]
    relative = _viewpoint(w, c)
    return [w.count(w.find(c.side, (e,), of=relative), e) for e in c.entities]


def _presence(w: Writer, c: Comparison) -> list[str]:
    """[Count of each entity]; in a video [Track of each]: what moves is no object of the place."""
    if w.dynamic:
        return [w.track(e) for e in c.entities]
    return _count(w, c)


def _visibility(w: Writer, c: Comparison) -> list[str]:
    """[Visibility of each entity] from the viewpoint, or [Order] of first appearance when no place is named."""
    if not w.anchored:
        return _order(w, c)
    reference = w.decomposition.reference
    facing = c.entities[0] if reference.kind == "object" and reference.facing.kind == "free" and c.entities else None
    w.stand(facing=facing)
    w.move()
    return [w.assign(f"view of {e}", f"check_visibility(memory, {w.objects(e)})") for e in c.entities]


def _closer(w: Writer, c: Comparison) -> list[str]:
    """[Text: how the distance after the motions compares with the one before, Length after, Length before]."""
    if not w.decomposition.motions:
        raise PlanningError("closer after what? the question states no turn or step")
    if not w.anchored:
        raise PlanningError(_NOBODY)
    target = w.objects(c.entities[0])
    w.stand()
    before = w.assign("before", f"measure_distance(memory, {target})")
    w.move()
    after = w.assign("after", f"measure_distance(memory, {target})")
    return w.change(before, after)


def _order(w: Writer, c: Comparison) -> list[str]:
    """[Order of first appearance]."""
    groups = ", ".join(w.objects(e) for e in c.entities)
    return [w.assign("order", f"first_seen(memory, [{groups}])")]


def _route(w: Writer, c: Comparison) -> list[str]:
    """[Route over the landmarks in order]."""
    reference = w.decomposition.reference
    goals = [s.until for s in c.route if s.kind == "go" and s.until]
    # The goal is often named more exactly than the landmark of the last step, or is no landmark of a step at all.
    goals += [e for e in c.entities if not any(same_thing(e, g) for g in goals)]
    if reference.object is None or reference.facing.object is None:
        raise PlanningError("a route needs the thing it starts at and the thing faced there")
    start, facing = w.one(reference.object), w.one(reference.facing.object)
    stops = ", ".join(w.objects(goal) for goal in goals)
    call = f"plan_route(memory, start={start}, facing={facing}, goals=[{stops}])"
    return [w.assign("route", call)]


def _camera_motion(w: Writer, c: Comparison) -> list[str]:
    """[Direction of the second camera from the first, Pose of the second in the first one's terms].

    With a thing to come closer to or not, `_closer`'s values before them.
    """
    if c.images is None:
        return _dynamic_motion(w, c)
    first = w.camera(c.images[0])
    w.do(f"set_viewpoint(memory, at={first})")
    second = w.camera(c.images[1])
    results = [w.assign("motion", f"locate(memory, {second})"), second]
    if c.relative_to is not None and not w.is_viewer(c.relative_to):
        results = [*w.change(w.distance(first, c.relative_to), w.distance(second, c.relative_to)), *results]
    return results


def _rotation_sense(w: Writer, c: Comparison) -> list[str]:
    """As camera motion for two images, else [Motion]."""
    return _camera_motion(w, c) if c.images is not None else _dynamic_motion(w, c)


def _dynamic_motion(w: Writer, c: Comparison) -> list[str]:
    """[Motion, Track of the mover, Track of every other thing the question names]: what it is relative to, or around.

    For "what moves left" [Motion and Track of each entity, then the other Tracks].
    """
    if c.attribute == "which":
        movers = [w.track(e) for e in c.entities]
        others = [w.track(thing) for thing in w.decomposition.objects if thing not in c.entities]
        return [*(_motion(w, c, mover) for mover in movers), *movers, *others]
    others = [w.track(thing) for thing in w.decomposition.objects if thing not in c.entities[:1]]
    if not c.entities:
        return [_motion(w, c, '"camera"'), *others]
    mover = w.track(c.entities[0])
    return [_motion(w, c, mover), mover, *others]


def _motion(w: Writer, c: Comparison, mover: str) -> str:
    return w.assign("motion", f'measure_motion(memory, {mover}, frame="{_frame(c)}", during="{c.during}")')


def _frame(c: Comparison) -> str:
    """Whose left and right a motion is told in."""
    return {"object": "self", "world": "world"}.get(c.frame, "camera")


def _facing(w: Writer, c: Comparison) -> list[str]:
    """[Vector: its own front in the camera's terms], or from its own place the camera's heading in its terms.

    In a video [Motion], which knows fronts.
    """
    reference = w.decomposition.reference
    if w.dynamic and reference.kind != "object":
        return [_motion(w, c, w.track(c.entities[0]))]
    if reference.kind == "object":
        w.stand()
        return [f"{w.camera(1)}.forward"]
    w.do(f"set_viewpoint(memory, at={w.camera(reference.image or 1)})")
    return [f"{w.one(c.entities[0])}.front"]


def _event_count(w: Writer, c: Comparison) -> list[str]:
    """[Count of each way of doing it]; as object motion for what tracks do not tell (who is laughing)."""
    events = _EVENTS.get(c.event or "", ())
    if not c.entities or not events or c.attribute not in ("movers", "times"):
        return _dynamic_motion(w, c)
    whom = ""
    if c.event in ("pass", "contact") and c.relative_to is not None:
        whom = '"camera"' if w.is_viewer(c.relative_to) else w.track(c.relative_to)
    return _events(w, c, w.track(c.entities[0]), events, c.attribute, whom)


def _events(w: Writer, c: Comparison, mover: str, events: Sequence[str], count: str, whom: str = "") -> list[str]:
    """``whom``: the track that passes and contacts are counted with."""
    how = f'count="{count}", frame="{_frame(c)}", during="{c.during}"' + (f", other={whom}" if whom else "")
    return [w.assign("number", f'count_events(memory, {mover}, event="{event}", {how})') for event in events]


def _viewpoint(w: Writer, c: Comparison) -> str | None:
    """Stand where the question says and look; what its side is relative to, None for the viewer.

    An object's own left and right are the sides of a viewer who stands there and looks its way.
    """
    relative = _relative(w, c)
    if relative and c.frame == "object" and not w.decomposition.anchored:
        w.do(f"set_viewpoint(memory, at={w.one(relative)})")
        return None
    _look(w)
    return relative


def _look(w: Writer) -> None:
    if not w.anchored:
        raise PlanningError(_NOBODY)
    w.stand()
    w.move()


def _relative(w: Writer, c: Comparison) -> str | None:
    return None if c.relative_to is None or w.is_viewer(c.relative_to) else c.relative_to


def _attribute(c: Comparison) -> str:
    return c.attribute if c.attribute in ("longest", "width", "depth", "height") else "longest"


_EVENTS: Mapping[str, tuple[str, ...]] = {
    **{f"move {way}": (way,) for way in ("left", "right", "up", "down", "towards", "away")},
    "move forward": ("away",),
    "move backward": ("towards",),
    "move": ("moving",),
    "moving": ("moving",),
    "not move": ("still",),
    "turn left": ("turn-left",),
    "turn right": ("turn-right",),
    "turn": ("turn-left", "turn-right"),
    "spin": ("clockwise", "counterclockwise"),
    "spin clockwise": ("clockwise",),
    "spin counterclockwise": ("counterclockwise",),
    "turn clockwise": ("clockwise",),
    "turn counterclockwise": ("counterclockwise",),
    "reverse": ("reversal",),
    "turn around": ("reversal",),
    "pass": ("pass",),
    "contact": ("contact",),
}
"""Events of ``count_events`` by what a question says is done."""

_PLANS: Mapping[Function, Callable[[Writer, Comparison], list[str]]] = {
    Function.DIRECTION: _direction,
    Function.DISTANCE: _distance,
    Function.NEAREST: _rank,
    Function.FARTHEST: _rank,
    Function.LARGEST: _superlative,
    Function.SMALLEST: _superlative,
    Function.SIZE: _size,
    Function.AREA: _area,
    Function.COUNT: _count,
    Function.VISIBILITY: _visibility,
    Function.WHAT_IS_THERE: _what_is_there,
    Function.CLOSER_AFTER_MOTION: _closer,
    Function.APPEARANCE_ORDER: _order,
    Function.ROUTE: _route,
    Function.CAMERA_MOTION: _camera_motion,
    Function.OBJECT_MOTION: _dynamic_motion,
    Function.ROTATION_SENSE: _rotation_sense,
    Function.EVENT_COUNT: _event_count,
    Function.FACING: _facing,
    Function.PRESENCE: _presence,
}
