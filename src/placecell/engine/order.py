"""Operations that put things in order: by distance, by first appearance."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from placecell.engine.context import Context
from placecell.engine.evidence import seen_by
from placecell.engine.measures import CLEAR
from placecell.engine.places import Place, closest, distance, places
from placecell.engine.registry import implements
from placecell.engine.values import (
    Absent,
    Evidence,
    InstancesValue,
    InstanceValue,
    LengthUnit,
    Order,
    PoseValue,
    Value,
)
from placecell.memory.scene import Instance, SpatialMemory


@dataclass(frozen=True, eq=False)
class _Entry:
    name: str
    measure: float
    sd: float
    things: tuple[Instance, ...] = ()


@implements("rank_by_distance")
def rank_by_distance(
    context: Context, memory: SpatialMemory, reference: Value, candidates: Sequence[Value]
) -> Order | Absent:
    """Candidates by closest points, nearest first. A lone set of several objects is ranked object by object."""
    origin = places(reference, "order")
    if isinstance(origin, Absent):
        return origin
    entries: list[_Entry] = []
    missing: list[Absent] = []
    for name, group in _groups(candidates):
        if isinstance(group, Absent):
            missing.append(group)
            continue
        others = tuple(p for p in group if not _is(p, origin))
        if not others:
            missing.append(Absent("length", "degenerate", f"the {name} is what distances are measured from"))
            continue
        pair = closest(memory, origin, others)
        measured = distance(memory, pair)
        things = tuple(p.instance for p in (pair.a, pair.b) if p.instance is not None)
        entries.append(_Entry(name, measured.value, measured.own_sd, things))
    return _ordered(entries, missing, memory.unit)


def _groups(candidates: Sequence[Value]) -> list[tuple[str, tuple[Place, ...] | Absent]]:
    """Name and places of each candidate, with numbers where names repeat."""
    if len(candidates) == 1 and isinstance(candidates[0], InstancesValue) and len(candidates[0].instances) > 1:
        candidates = [InstanceValue(i) for i in candidates[0].instances]
    names = [_name(c) for c in candidates]
    groups: list[tuple[str, tuple[Place, ...] | Absent]] = []
    for value, name in zip(candidates, names, strict=True):
        repeated = names.count(name) > 1 and isinstance(value, InstanceValue)
        shown = f"{name} {value.instance.id}" if repeated and isinstance(value, InstanceValue) else name
        groups.append((shown, places(value, "length")))
    return groups


def _name(value: Value) -> str:
    match value:
        case InstancesValue():
            return value.name
        case InstanceValue():
            return value.instance.name
        case PoseValue():
            return value.label
    return "what is absent"


def _is(place: Place, origin: Sequence[Place]) -> bool:
    return place.instance is not None and len(origin) == 1 and origin[0].instance is place.instance


@implements("first_seen")
def first_seen(context: Context, memory: SpatialMemory, groups: Sequence[Value]) -> Order | Absent:
    """Groups by the first photo, or the first second of a video, that shows an instance of each."""
    times = {f.number: f.time_s for f in memory.frames}
    timed = bool(times) and all(t is not None for t in times.values())
    entries: list[_Entry] = []
    missing: list[Absent] = []
    for value in groups:
        found = places(value, "order")
        if isinstance(found, Absent):
            missing.append(found)
            continue
        things = tuple(p.instance for p in found if p.instance is not None)
        seen = [
            (_moment(v.frame, times, timed), thing.id, thing)
            for thing in things
            for v in thing.views
            if v.frame in times and v.pixels > 0
        ]
        if not seen:
            missing.append(Absent("order", "not seen", f"no image is known to show the {_name(value)}"))
            continue
        moment, _, thing = min(seen, key=lambda s: s[:2])
        entries.append(_Entry(_name(value), moment, 0.0, (thing,)))
    return _ordered(entries, missing, "s" if timed else "image")


def _moment(frame: int, times: Mapping[int, float | None], timed: bool) -> float:
    seconds = times[frame]
    return seconds if timed and seconds is not None else float(frame)


def _ordered(entries: list[_Entry], missing: list[Absent], unit: LengthUnit | Literal["s", "image"]) -> Order | Absent:
    if not entries:
        if missing:
            return Absent("order", missing[0].reason, missing[0].message, missing[0])
        return Absent("order", "not found", "there is nothing to put in order")
    entries.sort(key=lambda e: e.measure)
    ties = tuple(
        (a.name, b.name) for a, b in pairwise(entries) if b.measure - a.measure <= CLEAR * math.hypot(a.sd, b.sd)
    )
    things = [thing for entry in entries for thing in entry.things]
    measures = tuple(e.measure for e in entries)
    evidence: Evidence = seen_by(things)
    return Order(tuple(e.name for e in entries), measures, unit, ties, tuple(missing), evidence)
