"""Choosing one object out of several: by geometry, by confidence, or by a phrase judged on pictures of the candidates.

Says how clearly the choice was made. A phrase that geometry and colours do not decide gives ``ambiguous``: no first
candidate is ever taken instead.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from placecell.engine.colours import MOST_JUDGED, PERHAPS, SURE, fits_of
from placecell.engine.context import Context
from placecell.engine.directions import bearing_of
from placecell.engine.evidence import seen_by
from placecell.engine.judging import votes
from placecell.engine.measures import CLEAR
from placecell.engine.places import Place, closest, distance, no_objects, one_of_many, place_of, places, viewpoint_place
from placecell.engine.registry import implements
from placecell.engine.values import Absent, InstancesValue, InstanceValue, Reason, Value
from placecell.geometry.transforms import WORLD_UP
from placecell.language.attributes import colours_in, only_colours
from placecell.language.ops import SELECTIONS
from placecell.memory.scene import Instance, SpatialMemory

_CLEAR_COLOUR = 0.15


@implements("select_object")
def select_object(context: Context, objects: InstancesValue, by: str, of: Value | None) -> InstanceValue | Absent:
    """The one of ``objects`` that ``by`` means; ``of`` is what near and far are counted from."""
    things = objects.instances
    memory = context.memory
    if not things or memory is None:
        return no_objects(objects, "instance")
    if len(things) == 1 and (by in SELECTIONS or not colours_in(by)):
        return InstanceValue(things[0], evidence=seen_by(things))
    if by == "only":
        return one_of_many(objects, "instance")
    if by not in SELECTIONS:
        return _by_looks(context, memory, objects, by)
    if by in ("nearest", "farthest"):
        return _by_distance(context, memory, things, of, nearest=by == "nearest")
    if by in ("leftmost", "rightmost"):
        here = context.standing("instance")
        if isinstance(here, Absent):
            return here
        sign = 1.0 if by == "leftmost" else -1.0
        return _least(things, lambda t: sign * bearing_of(here.levelled, place_of(t)).bearing, scale=180.0)
    return _least(things, _KEYS[by], _SPREADS.get(by))


def _surface(thing: Instance) -> float:
    """Area of the upright box: a measure of size that flat things have too."""
    a, b, c = thing.upright_box.size.tolist()
    return float(2.0 * (a * b + b * c + c * a))


def _surface_sd(thing: Instance) -> float:
    """Of ``_surface``: each side counts with twice the sum of the other two."""
    box = thing.upright_box
    return math.hypot(*(2.0 * (box.size.sum() - s) * thing.side_sd(a) for s, a in zip(box.size, box.axes, strict=True)))


_KEYS: Mapping[str, Callable[[Instance], float]] = {
    "largest": lambda t: -_surface(t),
    "smallest": _surface,
    "highest": lambda t: -float(t.centre[1]),
    "lowest": lambda t: float(t.centre[1]),
    "most_confident": lambda t: -t.confidence,
}
_SPREADS: Mapping[str, Callable[[Instance], float]] = {
    "largest": _surface_sd,
    "smallest": _surface_sd,
    "highest": lambda t: t.place_sd(WORLD_UP),
    "lowest": lambda t: t.place_sd(WORLD_UP),
}


def _least(
    things: Sequence[Instance],
    key: Callable[[Instance], float],
    spread: Callable[[Instance], float] | None = None,
    scale: float | None = None,
) -> InstanceValue:
    ranked = sorted(((key(t), t.id, t) for t in things), key=lambda r: r[:2])
    sds = [spread(t) if spread else 0.0 for _, _, t in ranked[:2]]
    return _chosen([r[2] for r in ranked], [r[0] for r in ranked], sds, scale)


def _by_distance(
    context: Context, memory: SpatialMemory, things: Sequence[Instance], of: Value | None, *, nearest: bool
) -> InstanceValue | Absent:
    origin: tuple[Place, ...] | Absent
    if of is None:
        here = context.standing("instance")
        origin = here if isinstance(here, Absent) else (viewpoint_place(here),)
    else:
        origin = places(of, "instance")
    if isinstance(origin, Absent):
        return origin
    itself = {id(p.instance) for p in origin} if len(origin) == 1 else set()
    others = [t for t in things if id(t) not in itself]
    if not others:
        return Absent("instance", "not found", f"there is no other {things[0].name}")
    sign = 1.0 if nearest else -1.0
    measured = [(distance(memory, closest(memory, origin, (place_of(t),))), t) for t in others]
    ranked = sorted(measured, key=lambda m: (sign * m[0].value, m[1].id))
    sds = [m.own_sd for m, _ in ranked[:2]]
    return _chosen([t for _, t in ranked], [sign * m.value for m, _ in ranked], sds)


def _chosen(
    ranked: Sequence[Instance], keys: Sequence[float], sds: Sequence[float], scale: float | None = None
) -> InstanceValue:
    """The first, with the margin to the second as a share of the larger measure (or of ``scale``)."""
    if len(ranked) == 1:
        return InstanceValue(ranked[0], evidence=seen_by(ranked))
    gap = keys[1] - keys[0]
    whole = scale or max(abs(keys[0]), abs(keys[1]))
    close = gap <= CLEAR * math.hypot(*sds)
    flags = [f"close to {ranked[1].name} {ranked[1].id}"] if close else []
    margin = min(1.0, gap / whole) if whole > 0 else 0.0
    return InstanceValue(ranked[0], 0.0 if close else margin, ranked[1], seen_by(ranked[:1], flags=flags))


class _Chosen(NamedTuple):
    """What was chosen, and whether nobody needs to look to be surer."""

    value: InstanceValue | Absent
    certain: bool = False


def _by_looks(context: Context, memory: SpatialMemory, objects: InstancesValue, phrase: str) -> InstanceValue | Absent:
    """By colour where that decides, else as a model judges, where there is one."""
    chosen = _by_colour(memory, objects, phrase)
    if context.judge is None or chosen.certain:
        return chosen.value
    said = votes(memory, objects.instances, phrase, context.judge)
    if isinstance(said, Absent):
        return replace(said, kind="instance")
    if len(said.fitting) == 1 and not said.undecided:
        return InstanceValue(said.fitting[0], evidence=seen_by(said.fitting, flags=said.flags(phrase)))
    if said.fitting or said.undecided:
        which = f"{len(said.fitting)} {objects.name} were judged to be {phrase!r}"
        return Absent("instance", "ambiguous", "; ".join([which, *said.flags(phrase)[1:]]))
    return Absent("instance", "not found", f"no {objects.name} was judged to be {phrase!r} on pictures")


def _by_colour(memory: SpatialMemory, objects: InstancesValue, phrase: str) -> _Chosen:
    """The candidate with most of the named colour; absent when the pictures do not decide."""
    name, wanted = objects.name, colours_in(phrase)
    look = " and ".join(wanted)
    if not wanted:
        return _Chosen(Absent("instance", "ambiguous", f"geometry cannot tell which {name} is {phrase!r}"))
    if len(objects.instances) > MOST_JUDGED:
        return _Chosen(Absent("instance", "ambiguous", f"there are too many {name} to look at each"))
    found = fits_of(memory, objects.instances, wanted)
    if not found.scores:
        return _Chosen(Absent("instance", "not seen", f"no picture shows the colour of any {name}"))
    certain = found.certain and only_colours(phrase, name)
    more = [f"no picture shows the colour of {found.unseen} more"] if found.unseen else []
    if found.best < PERHAPS:
        reason: Reason = "not seen" if more else "not found"
        return _Chosen(Absent("instance", reason, ", and ".join([f"no {name} looks {look}", *more])), certain)
    ranked = sorted(found.scores, key=lambda scored: -scored[1])
    thing, best = ranked[0]
    second, next_best = ranked[1] if len(ranked) > 1 else (None, 0.0)
    if best - next_best < _CLEAR_COLOUR:
        absent = Absent("instance", "ambiguous", f"more than one {name} looks {look}")
        return _Chosen(absent, certain and next_best >= SURE)
    doubt = [] if found.certain else [f"not certain that it is {look}"]
    evidence = seen_by([thing], flags=[f"{phrase}: judged by colour", *doubt, *more])
    return _Chosen(InstanceValue(thing, best - next_best, second, evidence), certain)
