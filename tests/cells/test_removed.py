"""Take away what an answer rests on: it is absent for that reason, or the cell is refused because it is known."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from cell_forms import CellQuestion
from cell_play import at_once, cause_of, play, told
from cell_questions import FAMILIES, questions
from cell_worlds import memory

from placecell.engine.cells.context import Effects
from placecell.engine.cells.quantities import quantity_of
from placecell.memory.scene import Layout, Scale, SpatialMemory

Change = Callable[[SpatialMemory, CellQuestion], SpatialMemory]


def without(slot: str, *, looked_for: bool) -> Change:
    """The thing of a slot is gone, as one that was looked for in vain or that nobody looked for."""

    def change(seen: SpatialMemory, question: CellQuestion) -> SpatialMemory:
        name = question.slots[slot]
        words = seen.vocabulary if looked_for else seen.vocabulary - {name}
        left = tuple(i for i in seen.instances if i.name != name)
        return replace(seen, instances=left, vocabulary=words, tracks=tuple(t for t in seen.tracks if t.name != name))

    return change


def each(**fields: object) -> Change:
    """Every object lacks something."""

    def change(seen: SpatialMemory, question: CellQuestion) -> SpatialMemory:
        return replace(seen, instances=tuple(replace(i, **fields) for i in seen.instances))

    return change


def blurry(seen: SpatialMemory, question: CellQuestion) -> SpatialMemory:
    """Where things are is known to five metres."""
    return each(centre_sd=5.0)(seen, question)


def unplaced(seen: SpatialMemory, question: CellQuestion) -> SpatialMemory:
    """The photo that the question names has no camera."""
    number = int(question.slots["image"])
    frames = (replace(f, camera=None, depth=None) if f.number == number else f for f in seen.frames)
    return replace(seen, frames=tuple(frames))


def lost(seen: SpatialMemory, question: CellQuestion) -> SpatialMemory:
    """The photo that the question names is not there."""
    number = int(question.slots["image"])
    return replace(seen, frames=tuple(f for f in seen.frames if f.number != number))


def without_layout(seen: SpatialMemory, question: CellQuestion) -> SpatialMemory:
    return replace(seen, layout=Layout())


def without_scale(seen: SpatialMemory, question: CellQuestion) -> SpatialMemory:
    return replace(seen, scale=Scale())


def cut_short(seen: SpatialMemory, question: CellQuestion) -> SpatialMemory:
    """Tracks end after the first second."""
    return replace(seen, tracks=tuple(_first(track) for track in seen.tracks))


def _first(track):
    kept = track.times_s <= 1.0
    names = ("frames", "times_s", "centres", "centre_sd", "seen", "spin", "front_deg", "pixels", "bbox")
    return replace(track, **{name: getattr(track, name)[kept] for name in names})


def still(seen: SpatialMemory, question: CellQuestion) -> SpatialMemory:
    """It is no video."""
    return replace(seen, dynamic=False, tracks=())


REMOVED = [
    ("turn to face", without("b", looked_for=False), "not looked for"),
    ("turn to face", without("c", looked_for=True), "not found"),
    ("turn to face", blurry, "degenerate"),
    ("compass of one way", blurry, "degenerate"),
    ("ahead of its own front", each(front=None), "not in memory"),
    ("size by a known height", without("a", looked_for=False), "not looked for"),
    ("distance by a known width", without("b", looked_for=True), "not found"),
    ("floor by a known height", without_layout, "not in memory"),
    ("higher by", without("a", looked_for=True), "not found"),
    ("share of the floor", without_layout, "not in memory"),
    ("mean height", without("many", looked_for=False), "not looked for"),
    ("second closest", without("many", looked_for=True), "not found"),
    ("near and lower", without("a", looked_for=False), "not looked for"),
    ("near and lower", without_scale, None),
    ("a metre nearer", without("c", looked_for=False), "not looked for"),
    ("a metre nearer", without_scale, None),
    ("nearer after a step aside", without("b", looked_for=True), "not found"),
    ("when nearest", without("mover", looked_for=False), "not looked for"),
    ("when nearest", still, None),
    ("first near", without("prop", looked_for=True), "not found"),
    ("way in a piece", cut_short, "not seen"),
    ("turned in a piece", without("mover", looked_for=True), "not found"),
    ("two legs", without_scale, None),
    ("two legs", without("c", looked_for=True), "not found"),
    ("until the wall", without_layout, "not found"),
    ("falls from the wall", without("fronted", looked_for=False), "not looked for"),
    ("fits between two", without("b", looked_for=True), "not found"),
    ("height of a pixel", unplaced, "image not placed"),
    ("pixel to a thing", lost, None),
    ("top by its support", without("a", looked_for=True), "not found"),
    ("angle by turning", without("c", looked_for=False), "not looked for"),
    ("open or closed", without("a", looked_for=True), "not found"),
]
"""Form, what is taken away, and the reason of the absent answer; None: known before it runs, so the cell is refused."""


def asked(form: str) -> CellQuestion:
    """The first question of a form."""
    return next(question for question in questions() if question.form == form)


@pytest.mark.parametrize("form", ["turn to face", "two legs", "times as high"])
def test_what_is_found_to_be_missing_is_known_to_the_next_cell(form):
    question = asked(form)
    slot = next(iter(question.slots))
    played = play(question, without(slot, looked_for=True)(memory(question.world, question.seed), question))
    assert [turn.accepted for turn in played.turns] == [True, False]
    assert f"no {question.slots[slot]}" in played.turns[-1].faults[0].message


def test_lengths_of_a_memory_without_scale_are_never_metres():
    question = asked("higher by")
    value = play(question, without_scale(memory("boxes", question.seed), question)).value
    assert quantity_of(value).unit == "units"


@pytest.mark.parametrize(("form", "change", "reason"), REMOVED)
def test_what_is_taken_away_is_the_reason(form, change, reason):
    question = asked(form)
    played = play(at_once(question), change(memory(question.world, question.seed), question))
    if reason is None:
        assert not played.accepted, told(played)
        return
    assert played.accepted, told(played)
    cause = cause_of(played.value)
    assert cause is not None and cause.reason == reason, told(played)


def test_without_a_judge_the_answer_says_that_nobody_can_judge():
    played = play(at_once(asked("open or closed")), effects=Effects())
    assert not played.accepted or cause_of(played.value) is not None, told(played)


def test_every_family_has_something_taken_away():
    assert {q.family for q in questions() if q.form in {form for form, _, _ in REMOVED}} == set(FAMILIES)
