"""Answers about movement in a video: which way a thing goes, turns or spins, how many do, whether it is there at all.

Knows how offered words are weighed against measured motions, and what a thing that is not there or does not move means
for each question. Does not know how motion is measured.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from placecell.agents import choice
from placecell.agents.directions import Offset, axis, best_side
from placecell.agents.numbers import angle_reading, count_reading
from placecell.agents.reading import Reading, certainty, first_absent, no_answer, of_kind, root_cause
from placecell.engine.interpreter import RunResult
from placecell.engine.movement import CameraMovement, Movement
from placecell.engine.nearing import nearing
from placecell.engine.values import Absent, Count, MotionValue, TrackValue
from placecell.language.decomposition import Comparison, Decomposition

STILL, NO_TURN, NO_SPIN = "not moving", "not turning", "not rotating"
_TURNS_DEG, _SPINS_DEG = 30.0, 60.0
_UNKNOWN_TURN = 0.6
"""Confidence that a thing does not turn about itself, when its turning could not be measured."""
_GUESS = 0.5
_TOLD = ("left", "right", "up", "down", "towards", "away")
_OWN = ("forward", "backward")


def object_motion(d: Decomposition, r: RunResult) -> Reading:
    """Which way one thing goes or turns; whether it does; or which of several does."""
    c = d.comparison
    motions = of_kind(r, MotionValue)
    if c.attribute == "which":
        return _which(c, r)
    if not motions:
        return _nobody(c, r)
    return _told(c, [_one(c, m, r) for m in motions[0].movements], motions[0])


def rotation_sense(d: Decomposition, r: RunResult) -> Reading:
    """Clockwise or not, about itself or along its way round something."""
    c = d.comparison
    motions = of_kind(r, MotionValue)
    if not motions:
        return _nobody(c, r)
    if motions[0].camera is not None:
        return _circled(c, motions[0].camera)
    return _told(c, [_sense(c, m) for m in motions[0].movements], motions[0])


def event_count(d: Decomposition, r: RunResult) -> Reading:
    """How many do it, or how often: the counts of each way of doing it, added."""
    counts = of_kind(r, Count)
    if not counts:
        event = d.comparison.event or "that"
        return first_absent(r.values) or no_answer(f"tracks do not tell who or what did {event!r}")
    total = Count(sum(n.value for n in counts), sum(n.uncertain for n in counts))
    if d.comparison.form == "yes_no":
        return choice.yes_no(total.value > 0, certainty(0.5 if total.uncertain else 2.0), d.comparison.options)
    return count_reading(total, d.comparison.options)


def presence(d: Decomposition, r: RunResult) -> Reading | None:
    """Whether the video shows it; None when no track was looked up."""
    found = of_kind(r, TrackValue)
    if not found:
        return None
    unknown = next((t for t in found if t.reason == "not looked for"), None)
    if unknown is not None:
        return no_answer(f"not in memory: nobody looked for {unknown.name!r}", "grounding")
    there = all(t.tracks for t in found)
    sure = min(t.confidence for t in found if bool(t.tracks) == there)
    return choice.yes_no(there, min(sure, certainty(None)), d.comparison.options)


def camera_motion(d: Decomposition, r: RunResult) -> Reading | None:
    """Which way the camera went or turned during the video; None when no such motion was measured."""
    c = d.comparison
    moved = next((m.camera for m in of_kind(r, MotionValue) if m.camera is not None), None)
    if moved is None:
        return None
    if c.attribute == "rotation":
        return _camera_turn(c, moved)
    right, up, forward = moved.motion.displacement
    offset = (right, up, forward)
    length = math.hypot(*offset)
    if length <= moved.stillness:
        return _word(c, STILL, certainty((moved.stillness - length) / (moved.stillness / 2)))
    # A camera that goes forward comes towards what it films.
    offered = _ways(c)
    towards = {"towards", "away"} & set(offered)
    side = best_side((right, up, -forward) if towards else offset, offered or ("left", "right", "forward", "backward"))
    if side is None:
        return no_answer("none of the offered ways is one of moving")
    return _word(c, side.word, certainty(side.margin / 10.0), f"{length:.2f} in all")


def _camera_turn(c: Comparison, moved: CameraMovement) -> Reading:
    pan, tilt = moved.motion.net["pan"], moved.motion.net["tilt"]
    if c.unit == "degrees":
        return angle_reading(pan, moved.stillness_deg, c.options)
    offered = [w for w in _ways(c) if w in ("left", "right", "up", "down")]
    side = best_side((pan, tilt, 0.0), offered or ("left", "right", "up", "down"))
    amount = max(abs(pan), abs(tilt))
    # Half of what the camera's hand shakes is no turn; a pan is several times that.
    if side is None or amount < 2 * moved.stillness_deg:
        return _word(c, NO_TURN, certainty(2.0 - amount / moved.stillness_deg))
    return _word(c, side.word, certainty(amount / moved.stillness_deg), f"{amount:.0f} degrees")


def _circled(c: Comparison, moved: CameraMovement) -> Reading:
    """The way the camera circled what it filmed, seen from above."""
    degrees = moved.motion.orbit
    if abs(degrees) < _TURNS_DEG / 2:
        return _word(c, NO_SPIN, certainty(2 * (_TURNS_DEG / 2 - abs(degrees)) / 10.0))
    word = "clockwise" if degrees > 0 else "counterclockwise"
    return _word(c, word, certainty(abs(degrees) / 10.0), f"{abs(degrees):.0f} degrees")


def _one(c: Comparison, m: Movement, r: RunResult) -> Reading:
    """What one mover did, in the words of the question."""
    if c.attribute == "turn":
        return _turn(c, m)
    if c.relative_to is not None and (near := _nearing(c, m, r)) is not None:
        return near
    if not m.moving:
        return _word(c, STILL, certainty(2.0))
    offered = _ways(c) or (_OWN if m.frame == "self" else _TOLD)
    side = best_side(_offset(m, offered), offered)
    if side is None:
        return no_answer("none of the offered ways is one of moving")
    toward = axis(side.word) or (0.0, 0.0, 0.0)
    along = sum(a * b for a, b in zip(_offset(m, offered), toward, strict=True))
    sure = min(certainty(abs(along) / max(m.displacement_sd, m.stillness / 3, 1e-9)), certainty(side.margin / 10.0))
    if along <= 0:
        sure = _GUESS / 2
    notes = () if m.front_known or m.frame != "self" else ("taken to have set out forwards",)
    return _word(c, side.word, sure, *notes)


def _offset(m: Movement, offered: Sequence[str]) -> Offset:
    """Right, up, forward; where only nearer or farther is offered and it goes across, its distance decides."""
    right, up, forward = m.displacement
    if set(offered) <= {"towards", "away"} and abs(forward) <= m.stillness:
        return (0.0, 0.0, m.approach)
    return (right, up, forward)


def _turn(c: Comparison, m: Movement) -> Reading:
    amount = abs(m.turned)
    sd = max(m.turned_sd, 5.0)
    if amount < max(_TURNS_DEG, 2 * m.turned_sd):
        word = next((w for w in (NO_TURN, "straight") if choice.of_answer(c.options, w)), None)
        still = word or (STILL if not m.moving and choice.of_answer(c.options, STILL) else NO_TURN)
        return _word(c, still, certainty((_TURNS_DEG - amount) / sd))
    word = "right" if m.turned > 0 else "left"
    return _word(c, word, certainty((amount - _TURNS_DEG / 2) / sd), f"{amount:.0f} degrees")


def _sense(c: Comparison, m: Movement) -> Reading:
    spun = m.turned if c.relative_to is not None and m.moving else m.spun
    if math.isnan(spun):
        # What is round, or too small in the picture, shows no turning; a way in a circle still does.
        spun = m.turned if m.moving else math.nan
        if not abs(spun) >= 2 * _SPINS_DEG:
            return _word(c, NO_SPIN, _UNKNOWN_TURN, "its turning could not be measured")
    if abs(spun) < _SPINS_DEG:
        return _word(c, NO_SPIN, certainty(2 * (_SPINS_DEG - abs(spun)) / _SPINS_DEG))
    word = "clockwise" if spun > 0 else "counterclockwise"
    return _word(c, word, certainty((abs(spun) - _SPINS_DEG / 2) / (_SPINS_DEG / 2)), f"{abs(spun):.0f} degrees")


def _nearing(c: Comparison, m: Movement, r: RunResult) -> Reading | None:
    """Towards or away from a named thing; None when the tracks of both are not there, or other ways are offered."""
    offered = set(_ways(c)) or {"towards", "away"}
    if not offered <= {"towards", "away"}:
        return None
    if not m.moving:
        return _word(c, STILL, certainty(2.0))
    found = _change(c, m, r)
    if found is None:
        return None
    change, sd = found
    word = "towards" if change < 0 else "away"
    return _word(c, word, certainty(abs(change) / max(sd, m.stillness / 3, 1e-9)))


def _change(c: Comparison, m: Movement, r: RunResult) -> tuple[float, float] | None:
    """How its distance to the named thing changed, with its deviation; of several things, to the one it changed most.

    None when the tracks of both are not there.
    """
    found = of_kind(r, TrackValue)
    mine = next((t for v in found for t in v.tracks if t.id == m.id), None)
    others = [t for v in found if v.name == c.relative_to for t in v.tracks if t.id != m.id]
    if mine is None or not others:
        return None
    return max((nearing(mine, other, m.span_s) for other in others), key=lambda pair: abs(pair[0]))


def _which(c: Comparison, r: RunResult) -> Reading:
    """The offered thing that does what is asked about most clearly."""
    kind, _, way = (c.event or "").partition(" ")
    marks: list[tuple[float, str]] = []
    for motion in of_kind(r, MotionValue):
        for m in motion.movements:
            change = _change(c, m, r) if c.relative_to and way in ("towards", "away") else None
            mark = _does(m, kind, way) if change is None else change[0] * (1 if way == "away" else -1)
            marks.append((mark if m.moving else 0.0, motion.mover))
    if not marks:
        return first_absent(r.values) or no_answer("nothing offered was seen to move")
    marks.sort(reverse=True)
    best, name = marks[0]
    neither = choice.of_answer(c.options, "neither")
    if best <= 0:
        return choice.chosen(neither, "neither", certainty(1.0)) if neither else no_answer(f"nothing moves {way}")
    rival = next((mark for mark, other in marks if other != name), 0.0)
    return choice.chosen(choice.of_entity(c.options, name), name, certainty(2 * (best - max(rival, 0.0)) / best))


def _does(m: Movement, kind: str, way: str) -> float:
    """How far (in shares of what it did in all) a movement goes or turns that way; 0 when it does not."""
    if kind == "turn":
        amount = m.turned if way == "right" else -m.turned
        return amount / 90.0 if amount >= _TURNS_DEG else 0.0
    towards = axis(way)
    if not m.moving or towards is None:
        return 0.0
    along = sum(a * b for a, b in zip(m.displacement, towards, strict=True))
    length = math.hypot(*m.displacement)
    return along / length if along > m.stillness and length > 0 else 0.0


def _told(c: Comparison, readings: list[Reading], motion: MotionValue) -> Reading:
    """One reading for a name with several tracks: what most of them did; the surest of those speaks."""
    if not readings:
        return no_answer(f"the {motion.mover} is not seen in {motion.during}", "memory")
    words = Counter(reading.value for reading in readings)
    most = max(words, key=lambda word: (words[word], max(x.confidence for x in readings if x.value == word)))
    told = max((x for x in readings if x.value == most), key=lambda x: x.confidence)
    if len(readings) > 1:
        told = told.noting(f"so do {words[most]} of {len(readings)}")
    return _asked(c, told)


def _asked(c: Comparison, told: Reading) -> Reading:
    """A way as yes or no, when the question names one."""
    if c.form != "yes_no" or not c.event or told.reason is not None:
        return told
    way = c.event.partition(" ")[2]
    return choice.yes_no(told.value == way, told.confidence, c.options, *told.notes)


def _nobody(c: Comparison, r: RunResult) -> Reading:
    """The thing has no track: it is not there, which may be the answer, or nobody looked for it."""
    missing = next((v for v in r.values if isinstance(v, Absent)), None)
    if missing is not None and root_cause(missing).reason == "not found":
        name = c.entities[0] if c.entities else "thing"
        none = choice.of_answer(c.options, "absent")
        sure = min([v.confidence for v in of_kind(r, TrackValue) if not v.tracks], default=0.95)
        if none is not None:
            return choice.chosen(none, "absent", sure)
        if c.form == "yes_no":
            return choice.yes_no(False, sure, c.options, f"there is no {name} in the video")
    return first_absent(r.values) or no_answer("the program measured no motion")


def _ways(c: Comparison) -> list[str]:
    """The ways among what is offered, or those a yes/no question names and their opposites."""
    offered = [o.answer for o in c.options if o.answer and axis(o.answer) is not None]
    if offered or not c.event:
        return offered
    way = c.event.partition(" ")[2]
    return [w for pair in _PAIRS if way in pair for w in pair]


_PAIRS = (("left", "right"), ("up", "down"), ("towards", "away"), ("forward", "backward"))


def _word(c: Comparison, word: str, sure: float, *notes: str) -> Reading:
    """The offered option that means this word; another that says as much where the word itself is not offered."""
    option = choice.of_answer(c.options, word)
    for other in _SAME.get(word, ()):
        option = option or choice.of_answer(c.options, other)
    return choice.chosen(option, word, sure, *notes)


_SAME = {
    STILL: ("neither", NO_TURN, NO_SPIN),
    NO_TURN: ("straight", STILL, "neither"),
    NO_SPIN: (STILL, NO_TURN, "neither"),
    "forward": ("straight",),
}
