"""Operations that measure: distance, count, comparison, route."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

import numpy as np

from placecell.engine.context import Context
from placecell.engine.directions import bearing_of
from placecell.engine.evidence import seen_by
from placecell.engine.places import Place, closest, distance, length, no_objects, places, viewpoint_place
from placecell.engine.registry import implements
from placecell.engine.values import (
    Absent,
    Angle,
    Area,
    Count,
    InstancesValue,
    Leg,
    Length,
    Route,
    Text,
    Value,
)
from placecell.engine.viewpoint import towards
from placecell.memory.scene import SpatialMemory

CLEAR = 1.96
"""Differences of fewer standard deviations than this are too close to call."""

_SURELY_JUDGED = 0.9
_STRAIGHT_ON = 45.0
_BACK = 135.0


@implements("measure_distance")
def measure_distance(context: Context, memory: SpatialMemory, a: Value, b: Value | None) -> Length | Absent:
    """Closest points of two things, over all pairs of instances; from the viewpoint when ``b`` is omitted."""
    group_a = places(a, "length")
    if isinstance(group_a, Absent):
        return group_a
    group_b: tuple[Place, ...] | Absent
    if b is None:
        here = context.standing("length")
        group_b = here if isinstance(here, Absent) else (viewpoint_place(here),)
    else:
        group_b = places(b, "length")
    if isinstance(group_b, Absent):
        return group_b
    if _only_one_thing(group_a, group_b):
        return Absent("length", "degenerate", f"both ends are the same {group_a[0].name}")
    pair = closest(memory, group_a, group_b)
    things = [p.instance for p in (pair.a, pair.b) if p.instance is not None]
    images = [p.image for p in (pair.a, pair.b) if p.image is not None]
    flags = [*pair.flags, *_several(group_a), *_several(group_b)]
    return replace(distance(memory, pair), evidence=seen_by(things, images, flags))


def _only_one_thing(group_a: Sequence[Place], group_b: Sequence[Place]) -> bool:
    return (
        len(group_a) == len(group_b) == 1
        and group_a[0].instance is not None
        and group_a[0].instance is group_b[0].instance
    )


def _several(group: Sequence[Place]) -> list[str]:
    return [f"the closest of {len(group)} {group[0].name}"] if len(group) > 1 else []


@implements("count_objects")
def count_objects(context: Context, memory: SpatialMemory, objects: InstancesValue) -> Count | Absent:
    """How many; not zero when nobody looked for them."""
    if objects.reason not in (None, "not found"):
        return no_objects(objects, "count")
    doubtful = objects.judged is not None and objects.judged < _SURELY_JUDGED
    uncertain = sum(doubtful or not thing.certain for thing in objects.instances)
    return Count(len(objects.instances), uncertain, seen_by(objects.instances))


@implements("compare")
def compare(context: Context, a: Value, b: Value) -> Text | Absent:
    """How ``a`` relates to ``b``: less, more, same, too close to call."""
    if isinstance(a, Count) and isinstance(b, Count):
        return _verdict_of_counts(a, b)
    if isinstance(a, Angle) and isinstance(b, Angle):
        return _verdict(a.value, b.value, math.hypot(a.sd, b.sd))
    if isinstance(a, Length) and isinstance(b, Length) and a.unit == b.unit:
        return _verdict(a.value, b.value, math.hypot(a.own_sd, b.own_sd))
    if isinstance(a, Area) and isinstance(b, Area) and a.unit == b.unit:
        return _verdict(a.value, b.value, math.hypot(a.sd, b.sd))
    return Absent("text", "degenerate", "these are not of one kind and unit")


def _verdict(a: float, b: float, sd: float) -> Text:
    difference = a - b
    if abs(difference) <= 1e-9 * max(abs(a), abs(b)):
        return Text("same", 0.0)
    margin = abs(difference) / sd if sd > 0 else math.inf
    if margin < CLEAR:
        return Text("too close to call", margin)
    return Text("less" if difference < 0 else "more", margin)


def _verdict_of_counts(a: Count, b: Count) -> Text:
    difference = a.value - b.value
    unsure = a.uncertain + b.uncertain
    if abs(difference) < unsure or (difference == 0 and unsure):
        return Text("too close to call", abs(difference) / unsure)
    return Text("same" if difference == 0 else "less" if difference < 0 else "more")


@implements("plan_route")
def plan_route(
    context: Context, memory: SpatialMemory, start: Value, facing: Value, goals: Sequence[Value]
) -> Route | Absent:
    """Turns and straight legs between centres; what stands in the way is not looked at."""
    stops: list[Place] = []
    for value in (start, facing, *goals):
        found = places(value, "route")
        if isinstance(found, Absent):
            return found
        stops.append(found[0] if not stops else closest(memory, stops[-1:], found).b)
    here, faced, *targets = stops
    heading = towards(here.position, faced.position, level=True)
    legs: list[Leg] = []
    for goal in targets:
        way = towards(here.position, goal.position, level=True)
        if isinstance(heading, Absent) or isinstance(way, Absent):
            break
        heading[:3, 3] = here.position
        turn = bearing_of(heading, goal).bearing
        away = float(np.linalg.norm((goal.position - here.position)[[0, 2]]))
        legs.append(Leg(goal.name, turn, _turn_word(turn), length(memory, away, math.hypot(here.sd, goal.sd))))
        heading, here = way, goal
    if len(legs) < len(targets):
        return Absent("route", "degenerate", f"there is no way to tell from the {here.name} to where it should lead")
    things = [p.instance for p in stops if p.instance is not None]
    return Route(tuple(legs), seen_by(things, flags=["straight legs: what stands in the way is not looked at"]))


def _turn_word(turn: float) -> Literal["straight on", "left", "right", "back"]:
    if abs(turn) < _STRAIGHT_ON:
        return "straight on"
    if abs(turn) > _BACK:
        return "back"
    return "right" if turn > 0 else "left"
