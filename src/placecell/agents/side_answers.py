"""Answers about sides: where a thing is, what is there, which way the camera went or circled, which way someone faces.

Knows how offered words and things are weighed against measured directions. Does not know where the viewer stands.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from placecell.agents import choice
from placecell.agents.directions import EIGHT, Offset, Side, angle_to, axis, best_side
from placecell.agents.numbers import angle_reading
from placecell.agents.reading import (
    Reading,
    asked_objects,
    certainty,
    first_absent,
    in_sd,
    no_answer,
    nothing_found,
    of_kind,
)
from placecell.engine.interpreter import RunResult
from placecell.engine.values import Absent, Direction, InstancesValue, MotionValue, PoseValue, Vector
from placecell.language.decomposition import Comparison, Decomposition, Option
from placecell.language.phrases import normalise_phrase

_UNCLEAR = 0.6
"""Confidence when several offered things lie that way, or none does, and the best has to be taken."""
_POSE_SD_DEGREES = 2.0
"""How well the direction between two photos is known when the memory states no noise of its cameras."""


def direction(d: Decomposition, r: RunResult) -> Reading:
    """Where one thing is: the offered word nearest to its bearing."""
    found = of_kind(r, Direction)
    if not found:
        return first_absent(r.values) or no_answer("the program located nothing")
    if d.comparison.unit == "degrees":
        return angle_reading(found[0].bearing, found[0].sd, d.comparison.options)
    offset = _in_words_terms(found[0], d.comparison)
    offered = _offered_sides(d.comparison)
    side = best_side(offset, offered or _default_words(d.comparison))
    if side is None:
        return no_answer("the thing is at the very place one looks from")
    return side_reading(side, found[0].sd, d.comparison.options)


def _default_words(c: Comparison) -> Sequence[str]:
    if c.attribute == "quadrants":
        return ("front-left", "front-right", "back-left", "back-right")
    return ("left", "right", "back") if c.attribute == "back_from_135" else EIGHT


def _offered_sides(c: Comparison) -> list[str]:
    return [o.answer for o in c.options if o.answer and axis(o.answer) is not None]


def side_reading(side: Side, sd: float, options: Sequence[Option]) -> Reading:
    """The word of a side as the options have it; ``sd``, degrees, is that of the direction it was found for."""
    confidence = certainty(in_sd(side.margin, sd))
    note = f"{side.margin:.0f} degrees from the border to {side.rival}" if side.close and side.rival else ""
    return choice.chosen(choice.of_answer(options, side.word), side.word, confidence, note)


def _in_words_terms(found: Direction, c: Comparison) -> Offset:
    """Right, up, forward as words mean them: around another thing, "front" is its side nearer to the viewer."""
    right, up, forward = found.offset
    around = c.relative_to is not None and found.viewpoint.startswith("around ")
    return (right, up, -forward) if around else found.offset


def what_is_there(d: Decomposition, r: RunResult) -> Reading:
    """What lies on a side: yes or no for one thing, the best of several offered, or what is met first."""
    c = d.comparison
    groups = of_kind(r, InstancesValue)
    if not groups or c.side is None:
        return first_absent(r.values) or no_answer("the program looked to no side")
    found = groups[0]
    directions = _where(r, c)
    if c.form == "yes_no":
        return _is_there(found, directions, c, r)
    if c.options:
        return _best_offered(found, directions, c, r)
    if found.reason == "not looked for":
        return no_answer("not in memory: nobody looked for objects in this memory", "grounding")
    if not found.instances:
        return replace(choice.chosen(None, "nothing known", certainty(None)), value=None)
    names = list(dict.fromkeys(i.name for i in found.instances))
    rest = f"then {', '.join(names[1:4])}" if len(names) > 1 else ""
    return choice.chosen(None, names[0], certainty(None) if len(names) == 1 else _UNCLEAR, rest)


def _where(r: RunResult, c: Comparison) -> dict[str, Direction | Absent]:
    """Direction of each entity, from the steps that located it by its name."""
    located: dict[str, Direction | Absent] = {}
    for step in r.steps:
        target = step.arguments.get("target")
        if (
            step.operation == "locate"
            and isinstance(target, InstancesValue)
            and isinstance(step.result, Direction | Absent)
        ):
            located[normalise_phrase(target.name)] = step.result
    return {e: located[normalise_phrase(e)] for e in c.entities if normalise_phrase(e) in located}


def _is_there(found: InstancesValue, where: dict[str, Direction | Absent], c: Comparison, r: RunResult) -> Reading:
    objects = asked_objects(r)
    for entity in c.entities:
        things = objects.get(entity)
        if things is not None and not things.instances and things.reason != "not found":
            return nothing_found(things)
    there = bool(found.instances)
    margins = [_misses(w, c) for w in where.values() if isinstance(w, Direction)]
    confidence = certainty(None)
    for entity, w in where.items():
        if isinstance(w, Direction) and w.sd > 0:
            confidence = min(confidence, certainty(abs(45.0 - _misses(w, c)) / w.sd))
        elif isinstance(w, Absent):
            things = objects.get(entity)
            confidence = min(confidence, certainty(None) if things and not things.instances else _UNCLEAR)
    note = "near the border of that side" if any(abs(45.0 - m) < 5.0 for m in margins) else ""
    return choice.yes_no(there, confidence, c.options, note)


def _best_offered(found: InstancesValue, where: dict[str, Direction | Absent], c: Comparison, r: RunResult) -> Reading:
    """Among the offered things, the first one met that way; when none is that way, the one that misses it least."""
    missing = [e for e in c.entities if not isinstance(where.get(e), Direction)]
    misses = {e: _misses(w, c) for e, w in where.items() if isinstance(w, Direction)}
    if not misses:
        objects = asked_objects(r)
        nowhere = next((objects[e] for e in c.entities if e in objects and not objects[e].instances), None)
        return nothing_found(nowhere) if nowhere else first_absent(r.values) or no_answer("nothing offered was located")
    met = _met(found, r, c)
    none = choice.of_answer(c.options, "neither")
    if none is not None and not met:
        return choice.chosen(none, "nothing offered", certainty(None) if not missing else _UNCLEAR)
    order = [*met, *sorted((e for e in misses if e not in met), key=lambda e: misses[e])]
    best = order[0]
    notes = [f"{e} is not known, so it was not considered" for e in missing]
    if not met:
        notes.append(f"nothing offered lies squarely that way; {best} misses it least")
    confidence = _UNCLEAR if not met else certainty(None)
    if len(order) > 1 and order[1] in misses:
        gap = abs(misses[order[1]] - misses.get(best, 0.0))
        sd = max((w.sd for w in where.values() if isinstance(w, Direction)), default=0.0)
        clear = certainty(in_sd(gap / 2, sd)) if gap > 0 else _UNCLEAR
        confidence = min(confidence, clear)
        if gap < 5.0:
            notes.append(f"{order[1]} lies there as well")
    confidence *= 1 - len(missing) / (2 * len(c.entities))
    return choice.chosen(choice.of_entity(c.options, best), best, confidence, *notes)


def _met(found: InstancesValue, r: RunResult, c: Comparison) -> list[str]:
    """The entities whose instances were found, first one first."""
    objects = asked_objects(r)
    owner = {i.id: e for e in reversed(c.entities) if e in objects for i in objects[e].instances}
    return list(dict.fromkeys(owner[i.id] for i in found.instances if i.id in owner))


def _misses(where: Direction, c: Comparison) -> float:
    """Degrees by which the thing's extent misses the asked side's middle."""
    side = c.side or "front"
    if where.viewpoint.startswith("around "):
        side = {"front": "back", "back": "front"}.get(side, side)  # type: ignore[assignment]
    return angle_to(where, side)


def camera_motion(d: Decomposition, r: RunResult) -> Reading:
    """Which way the second photo was taken from the first."""
    moves = of_kind(r, Direction)
    if not moves:
        return first_absent(r.values) or no_answer("the program compared no cameras")
    move = moves[0]
    if d.comparison.attribute == "rotation":
        return _rotation(d, r)
    side = best_side(move.offset, _motion_words(d.comparison))
    still = choice.of_answer(d.comparison.options, "not moving")
    if side is None and still is not None:
        return choice.chosen(still, "not moving", certainty(None))
    if side is None:
        return no_answer("the two photos were taken from the same place")
    reading = side_reading(side, move.sd or _POSE_SD_DEGREES, d.comparison.options)
    return reading.noting(f"{move.distance.value:.2f} {move.distance.unit}")


def _rotation(d: Decomposition, r: RunResult) -> Reading:
    """Which way, or how far, the second photo is turned from the first."""
    poses = [v for v in r.values if isinstance(v, PoseValue) and v.seen_from is not None]
    if not poses:
        return no_answer("the program compared no headings")
    turned = _turn(poses[0])
    if d.comparison.unit == "degrees":
        return angle_reading(turned, _POSE_SD_DEGREES, d.comparison.options)
    words = [o.answer for o in d.comparison.options if o.answer in ("left", "right")] or ["left", "right"]
    word = "right" if turned > 0 else "left"
    if word not in words or abs(turned) < _POSE_SD_DEGREES:
        still = choice.of_answer(d.comparison.options, "not turning")
        return choice.chosen(still, "not turning", certainty(None))
    confidence = certainty(abs(turned) / _POSE_SD_DEGREES)
    return choice.chosen(choice.of_answer(d.comparison.options, word), word, confidence, f"{abs(turned):.0f} degrees")


def _motion_words(c: Comparison) -> Sequence[str]:
    return _offered_sides(c) or [w.replace("front", "forward").replace("back", "backward") for w in EIGHT]


def rotation_sense(d: Decomposition, r: RunResult) -> Reading:
    """Clockwise or not, seen from above: a camera that circles clockwise what it looks at moves to its left."""
    moves = of_kind(r, Direction)
    if not moves:
        return first_absent(r.values) or no_answer("the memory says nothing about the turning")
    right, _, forward = moves[0].offset
    length = math.hypot(right, forward)
    if length < 1e-9:
        return no_answer("the two photos were taken from the same place")
    aside = math.degrees(math.asin(min(1.0, abs(right) / length)))
    word = "clockwise" if right < 0 else "counterclockwise"
    notes = [] if aside > 5.0 else ["the camera hardly moved sideways"]
    turned = [v for v in r.values if isinstance(v, PoseValue) and v.seen_from is not None]
    if turned and _turn(turned[0]) * right > 0:
        notes.append("the camera turned away from what it circled")
    return choice.chosen(_sense_option(d.comparison, word), word, certainty(aside / _POSE_SD_DEGREES), *notes)


def _sense_option(c: Comparison, word: str) -> Option | None:
    side = "left" if word == "clockwise" else "right"
    return choice.of_answer(c.options, word) or choice.of_answer(c.options, side)


def _turn(pose: PoseValue) -> float:
    """Degrees the second camera looks further right than the first."""
    assert pose.seen_from is not None
    ahead = pose.seen_from[:3, :3].T @ pose.world_from_cam[:3, 2]
    return math.degrees(math.atan2(ahead[0], ahead[2]))


def facing(d: Decomposition, r: RunResult) -> Reading:
    """Which way someone faces, as the camera sees it; told from their own place, the camera's heading turned round."""
    headings = [(v.right, v.forward) for v in of_kind(r, Vector)]
    turned = [m.facing for motion in of_kind(r, MotionValue) for m in motion.movements if m.facing is not None]
    headings += [(math.sin(math.radians(degrees)), math.cos(math.radians(degrees))) for degrees in turned]
    if not headings:
        return first_absent(r.values) or no_answer("the memory does not know which way it faces")
    right, ahead = headings[0]
    if d.reference.kind == "object":
        right = -right
    side = best_side((right, 0.0, ahead), _offered_sides(d.comparison) or EIGHT)
    return side_reading(side, 0.0, d.comparison.options) if side else no_answer("it faces straight up or down")
