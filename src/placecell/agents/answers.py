"""From the values of a program to an answer, one reader for each kind of comparison.

Knows which values each plan of ``planner`` returns, and reads any accepted program that returns values of those kinds.
Does not know how they were measured. Sides and motions are read in ``side_answers``, routes in ``route_answers``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from placecell.agents import choice, motion_answers, route_answers, side_answers
from placecell.agents.numbers import area_reading, count_reading, length_reading
from placecell.agents.reading import (
    Reading,
    absent,
    asked_objects,
    certainty,
    first_absent,
    in_sd,
    judged,
    measured_values,
    no_answer,
    of_kind,
    selected,
)
from placecell.engine.interpreter import RunResult
from placecell.engine.measures import CLEAR
from placecell.engine.values import (
    Area,
    Count,
    InstancesValue,
    InstanceValue,
    Length,
    Order,
    Text,
    Value,
    Visibility,
)
from placecell.language.decomposition import Comparison, Decomposition, Function
from placecell.language.phrases import normalise_phrase
from placecell.memory.names import same_thing

_TIE = "too close to call"
_TOO_UNSURE = 0.6
"""A choice less sure than this is only made when options force one; numbers have their interval instead."""


def read(decomposition: Decomposition, result: RunResult) -> Reading:
    """What the values of a run say about the question; a reading with a reason when they say nothing."""
    reading = judged(_READERS[decomposition.comparison.function](decomposition, result), result)
    if reading.reason is not None:
        return reading
    if decomposition.comparison.options:
        return reading if reading.option else no_answer(f"the answer is {reading.text!r}, which is none of the options")
    measured = isinstance(reading.value, int | float) and not isinstance(reading.value, bool)
    if reading.confidence < _TOO_UNSURE and not measured:
        tie = next((note for note in reading.notes if _TIE in note), f"perhaps {reading.text}")
        return no_answer(f"{_TIE}: {tie.removesuffix(f' are {_TIE}')}")
    return reading


def _distance(d: Decomposition, r: RunResult) -> Reading:
    lengths = of_kind(r, Length)
    if not lengths:
        return _nothing(r)
    return length_reading(lengths[0], d.comparison.unit, d.comparison.options)


def _area(d: Decomposition, r: RunResult) -> Reading:
    areas = of_kind(r, Area)
    return area_reading(areas[0], d.comparison.unit, d.comparison.options) if areas else _nothing(r)


def _count(d: Decomposition, r: RunResult) -> Reading:
    counts = of_kind(r, Count)
    if not counts or len(counts) < len(measured_values(r)):
        return _nothing(r)
    total = Count(sum(c.value for c in counts), sum(c.uncertain for c in counts))
    return count_reading(total, d.comparison.options)


def _presence(d: Decomposition, r: RunResult) -> Reading:
    if (tracked := motion_answers.presence(d, r)) is not None:
        return tracked
    counts = of_kind(r, Count)
    if not counts:
        return _nothing(r)
    there = all(c.value > 0 for c in counts)
    doubtful = any(0 < c.value == c.uncertain for c in counts)
    return choice.yes_no(there, 0.6 if doubtful else certainty(None), d.comparison.options)


def _visibility(d: Decomposition, r: RunResult) -> Reading:
    orders = of_kind(r, Order)
    if orders:
        seen = bool(orders[0].names) != (d.comparison.attribute == "hidden")
        return choice.yes_no(seen, certainty(None), d.comparison.options)
    views = of_kind(r, Visibility)
    if not views:
        return _nothing(r)
    seen = all(v.state == "seen" for v in views) != (d.comparison.attribute == "hidden")
    why = next((v for v in views if v.state != "seen"), None)
    note = "" if why is None else f"hidden by the {why.hidden_by}" if why.hidden_by else why.state
    confidence = min(_seen_confidence(v) for v in views)
    return choice.yes_no(seen, confidence, d.comparison.options, note)


def _seen_confidence(view: Visibility) -> float:
    """A photo that shows it, or does not, decides; geometry alone is unsure when little of a thing is free."""
    if "by geometry" not in view.evidence.flags:
        return certainty(None)
    return 0.9 if view.share > 0.3 or view.share < 0.01 else 0.7


def _rank(d: Decomposition, r: RunResult) -> Reading:
    c = d.comparison
    if c.side is not None:
        return side_answers.what_is_there(d, r)
    chosen = of_kind(r, InstanceValue)
    if chosen and not c.options:
        lengths = of_kind(r, Length)
        far = _far(lengths[0]) if lengths else ""
        return choice.chosen(None, chosen[0].instance.name, selected(chosen[0]), far)
    orders = of_kind(r, Order)
    if not orders:
        return _extreme(d, r, _lengths_by_name(r), largest=c.function is Function.FARTHEST)
    if not orders[0].names:
        return _nothing(r)
    order = orders[0]
    last = c.function is Function.FARTHEST
    names = order.names[::-1] if last else order.names
    measures = order.measures[::-1] if last else order.measures
    tied = len(names) > 1 and any({names[0], names[1]} == set(pair) for pair in order.ties)
    confidence = _rank_confidence(r, names, measures)
    notes = [f"{names[0]} and {names[1]} are {_TIE}"] if tied else []
    notes += [f"{m.message}, so it was not compared" for m in order.missing]
    confidence *= len(names) / (len(names) + len(order.missing))
    return _picked(c, names[0], confidence, notes)


def _lengths_by_name(r: RunResult) -> dict[str, Value]:
    """What the distance to each thing came out as, by the name it was looked up under."""
    found: dict[str, Value] = {}
    for step in r.steps:
        thing = step.arguments.get("a")
        if step.operation == "measure_distance" and isinstance(thing, InstancesValue):
            found[thing.name] = step.result
    return found


def _extreme(d: Decomposition, r: RunResult, measured: Mapping[str, Value], *, largest: bool) -> Reading:
    """The thing with the largest or smallest length, with the sureness of its lead."""
    lengths = [(value, name) for name, value in measured.items() if isinstance(value, Length)]
    if not lengths:
        return _nothing(r)
    lengths.sort(key=lambda pair: pair[0].value, reverse=largest)
    best, name = lengths[0]
    confidence, notes = certainty(None), []
    if len(lengths) > 1:
        rival, other = lengths[1]
        sd = math.hypot(best.own_sd, rival.own_sd)
        confidence = certainty(in_sd(abs(best.value - rival.value), sd))
        if abs(best.value - rival.value) <= CLEAR * sd:
            notes.append(f"{name} and {other} are {_TIE}")
    notes += [f"{n} is not known, so it was not compared" for n, v in measured.items() if not isinstance(v, Length)]
    return _picked(d.comparison, name, confidence * len(lengths) / len(measured), notes)


def _picked(c: Comparison, name: str, confidence: float, notes: Sequence[str]) -> Reading:
    """The winner of a comparison; asked as yes or no, it is about the first thing named."""
    if c.form == "yes_no":
        return choice.yes_no(normalise_phrase(name) == normalise_phrase(c.entities[0]), confidence, c.options, *notes)
    return choice.chosen(choice.of_entity(c.options, name), name, confidence, *notes)


def _rank_confidence(r: RunResult, names: Sequence[str], measures: Sequence[float]) -> float:
    """How sure the first is before the second, from the noise of what was measured."""
    if len(names) < 2:
        return certainty(None)
    objects = asked_objects(r)
    sds = [_surface_sd(objects.get(name)) for name in names[:2]]
    return certainty(in_sd(abs(measures[1] - measures[0]), math.hypot(*sds)))


def _surface_sd(objects: InstancesValue | None) -> float:
    if objects is None or not objects.instances:
        return 0.0
    return max(math.hypot(i.centre_sd, i.size_sd / 2) for i in objects.instances)


def _superlative(d: Decomposition, r: RunResult) -> Reading:
    c = d.comparison
    if len(c.entities) == 1 and not c.options:
        picked = of_kind(r, InstanceValue)
        if not picked:
            return _nothing(r)
        sizes = of_kind(r, Length)
        return choice.chosen(None, picked[0].instance.name, selected(picked[0]), _far(sizes[0]) if sizes else "")
    values = measured_values(r)
    if len(values) != len(c.entities):
        return no_answer("the program does not measure each thing once")
    measured = dict(zip(c.entities, values, strict=True))
    return _extreme(d, r, measured, largest=c.function is Function.LARGEST)


def _closer(d: Decomposition, r: RunResult) -> Reading:
    """Whether a distance shrank: yes or no, or towards and away."""
    verdicts = of_kind(r, Text)
    if not verdicts:
        return _nothing(r)
    c, verdict, lengths = d.comparison, verdicts[0], of_kind(r, Length)
    change, notes = verdict.value, []
    if len(lengths) == 2:
        after, before = lengths
        notes.append(f"from {before.value:.2f} to {after.value:.2f} {after.unit}")
        if change == _TIE:
            notes.append(f"the change is {_TIE}")
            change = "less" if after.value < before.value else "more"
    confidence = certainty(None) if verdict.value == "same" else certainty(verdict.margin)
    if c.form == "yes_no":
        return choice.yes_no(change == ("more" if c.attribute == "farther" else "less"), confidence, c.options, *notes)
    word = {"less": "towards", "more": "away"}.get(change, "not moving")
    return choice.chosen(choice.of_answer(c.options, word), word, confidence, *notes)


def _camera_motion(d: Decomposition, r: RunResult) -> Reading:
    if (filmed := motion_answers.camera_motion(d, r)) is not None:
        return filmed
    return _closer(d, r) if of_kind(r, Text) else side_answers.camera_motion(d, r)


def _rotation_sense(d: Decomposition, r: RunResult) -> Reading:
    """Between two photos by where the second was taken, in a video by how the thing turned."""
    if d.comparison.images is not None:
        return side_answers.rotation_sense(d, r)
    return motion_answers.rotation_sense(d, r)


def _order(d: Decomposition, r: RunResult) -> Reading:
    c = d.comparison
    orders = of_kind(r, Order)
    if not orders:
        return _nothing(r)
    order = orders[0]
    if order.missing:
        return absent(order.missing[0])
    if c.attribute in ("first", "last"):
        name = order.names[0 if c.attribute == "first" else -1]
        tied = any(name in pair for pair in order.ties)
        return choice.chosen(choice.of_entity(c.options, name), name, 0.5 if tied else certainty(None))
    option = choice.of_sequence(c.options, order.names)
    notes = [f"{a} and {b} appear together" for a, b in order.ties]
    confidence = certainty(None) * 0.5 ** len(order.ties)
    if option is None and c.options and order.ties:
        option = next((o for o in c.options if _fits(o.sequence, order)), None)
    return choice.chosen(option, ", ".join(order.names), confidence, *notes)


def _fits(sequence: Sequence[str], order: Order) -> bool:
    """Whether a sequence differs from the order only where neighbours are tied."""
    ranks: list[int] = []
    for i, name in enumerate(order.names):
        tied = i > 0 and (order.names[i - 1], name) in order.ties
        ranks.append(ranks[-1] if tied else i)
    places = [
        next((rank for n, rank in zip(order.names, ranks, strict=True) if same_thing(n, s)), -1) for s in sequence
    ]
    return sorted(places) == places and -1 not in places


def _far(length: Length) -> str:
    return f"{length.value:.2f} {length.unit}"


def _nothing(r: RunResult) -> Reading:
    """Why there is no value of the kind needed."""
    return first_absent(r.values) or no_answer("the program returned nothing that answers the question")


_READERS: Mapping[Function, Callable[[Decomposition, RunResult], Reading]] = {
    Function.DIRECTION: side_answers.direction,
    Function.DISTANCE: _distance,
    Function.NEAREST: _rank,
    Function.FARTHEST: _rank,
    Function.LARGEST: _superlative,
    Function.SMALLEST: _superlative,
    Function.SIZE: _distance,
    Function.AREA: _area,
    Function.COUNT: _count,
    Function.VISIBILITY: _visibility,
    Function.WHAT_IS_THERE: side_answers.what_is_there,
    Function.CLOSER_AFTER_MOTION: _closer,
    Function.APPEARANCE_ORDER: _order,
    Function.ROUTE: route_answers.route,
    Function.CAMERA_MOTION: _camera_motion,
    Function.OBJECT_MOTION: motion_answers.object_motion,
    Function.ROTATION_SENSE: _rotation_sense,
    Function.EVENT_COUNT: motion_answers.event_count,
    Function.FACING: side_answers.facing,
    Function.PRESENCE: _presence,
}
