"""From the value a cell answered with to an answer in the form the question wants.

Knows which kinds of values say what: a number in a unit, a side, a thing, an order, yes or no. Does not know cells, nor
how a value came about.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, Self

from placecell.agents import choice
from placecell.agents.author import Understanding
from placecell.agents.directions import EIGHT, axis, best_side
from placecell.agents.numbers import angle_reading, area_reading, count_reading, length_reading, number_reading
from placecell.agents.questions.text import tokenise
from placecell.agents.questions.units import take_unit
from placecell.agents.reading import Reading, absent, certainty, no_answer, nothing_found, selected
from placecell.agents.side_answers import side_reading
from placecell.agents.wanted import Wanted
from placecell.engine.cells.quantities import Quantity, core_of
from placecell.engine.cells.values import YES, FilteredValue, SetValue, Verdict
from placecell.engine.values import (
    Absent,
    Angle,
    Area,
    Count,
    Direction,
    InstancesValue,
    InstanceValue,
    Length,
    Order,
    PoseValue,
    Text,
    Value,
    Visibility,
)
from placecell.language.decomposition import Option, Unit
from placecell.language.phrases import normalise_phrase, strip_letter

Form = Literal["number", "yes or no", "words"]
_CLOSE = 0.6
"""Confidence of one of several that are too close to call, or that a name may mean."""


@dataclass(frozen=True)
class Sought:
    """The form of the answer: one of ``options``, each with what it means where the question tells, or of a ``form``.

    ``unit`` is the one a number is asked in, None for the memory's own.
    """

    options: tuple[Option, ...] = ()
    unit: Unit | None = None
    form: Form | None = None

    @classmethod
    def of(cls, understood: Understanding | Reading, wanted: Wanted) -> Self:
        """Options keep the letters they have in ``wanted``; the grammar tells what each means where it can."""
        meant = understood.decomposition.comparison.options if isinstance(understood, Understanding) else ()
        by_text = {option.text: option for option in meant}
        options = tuple(
            by_text.get(o.text, Option(text=o.text)).model_copy(update={"letter": o.letter}) for o in wanted.options
        )
        unit = wanted.unit or (None if options else take_unit(tokenise(wanted.question))[1])
        return cls(options, unit, "number" if wanted.number else None)

    @property
    def sides(self) -> tuple[str, ...]:
        """The offered side words; none when something else is offered."""
        said = (o.answer or normalise_phrase(o.text) for o in self.options)
        return tuple(word for word in said if axis(word) is not None)


def read_value(value: Value, sought: Sought) -> Reading:
    """What ``value`` answers; a reading with a reason when it is absent, or no answer to such a question."""
    reader = next((_READERS[kind] for kind in type(value).__mro__ if kind in _READERS), _unreadable)
    reading = reader(value, sought)
    if reading.reason is not None:
        return reading
    if sought.options:
        said = f"the answer is {reading.text!r}, which is none of the options"
        return reading if reading.option is not None else no_answer(said)
    kind = "yes or no" if isinstance(reading.value, bool) else "number" if _is_number(reading.value) else "words"
    if sought.form in ("number", "yes or no") and kind != sought.form:
        return no_answer(f"the answer is {reading.text!r}, and the question asks for {_ASKED_FOR[sought.form]}")
    return reading


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


_ASKED_FOR = {"number": "a number", "yes or no": "yes or no"}


def _direction(value: Direction, sought: Sought) -> Reading:
    if sought.unit == "degrees":
        return angle_reading(value.bearing, value.sd, sought.options)
    side = best_side(value.offset, sought.sides or EIGHT)
    if side is None:
        return no_answer("the thing is at the very place one looks from")
    return side_reading(side, value.sd, sought.options)


def _angle(value: Angle, sought: Sought) -> Reading:
    return angle_reading(value.value, value.sd, sought.options)


def _instance(value: InstanceValue, sought: Sought) -> Reading:
    """As sure as its choice was; a place in an order may be another one's too."""
    return _thing(value.instance.name, sought, selected(value))


def _instances(value: InstancesValue, sought: Sought) -> Reading:
    if not value.instances:
        return nothing_found(value)
    names = list(dict.fromkeys(i.name for i in value.instances))
    doubtful = isinstance(value, FilteredValue) and bool(value.doubtful)
    return _thing(names[0], sought, certainty(None) if len(names) == 1 and not doubtful else _CLOSE)


def _thing(name: str, sought: Sought, sure: float) -> Reading:
    option = choice.of_entity(sought.options, name) or choice.of_answer(sought.options, normalise_phrase(name))
    return choice.chosen(option, name, sure)


def _order(value: Order, sought: Sought) -> Reading:
    if value.missing:
        return absent(value.missing[0])
    option = choice.of_sequence(sought.options, value.names)
    if option is None and value.names and not any(o.sequence for o in sought.options):
        first = value.names[0]
        tied = any(first in pair for pair in value.ties)
        return _thing(first, sought, 0.5 if tied else certainty(None))
    return choice.chosen(option, ", ".join(value.names), certainty(None) * 0.5 ** len(value.ties))


def _quantity(value: Quantity, sought: Sought) -> Reading:
    """A computed number; a difference may be below 0."""
    options, least = sought.options, -math.inf
    match core_of(value):
        case Length() as length:
            return length_reading(length, sought.unit, options, least=least)
        case Area() as area:
            return area_reading(area, sought.unit, options, least=least)
        case Angle() as angle:
            return _angle(angle, sought)
    unit = value.unit or None
    if sought.unit is not None and sought.unit != unit:
        return no_answer(f"it is asked in {sought.unit}, and this is {f'in {unit}' if unit else 'a plain number'}")
    reading = number_reading(value.value, value.sd, unit, options, least=least)
    whole = isinstance(reading.value, float) and unit is None and reading.value.is_integer()
    return replace(reading, value=int(value.value)) if whole else reading


def _verdict(value: Verdict, sought: Sought) -> Reading:
    if not value.decided:
        return no_answer(f"too close to call{'' if value.margin is None else f': {value.margin:.1f} deviations'}")
    return choice.yes_no(value.state == YES, certainty(value.margin), sought.options)


def _set(value: SetValue, sought: Sought) -> Reading:
    """One member answers as itself; several objects by their names, in order."""
    if len(value.items) == 1 and not value.doubtful:
        return read_value(value.items[0], sought)
    names = [item.instance.name for item in value.items if isinstance(item, InstanceValue)]
    if not names or len(names) < len(value.items):
        return no_answer(f"{len(value.items)} values are no single answer")
    sure = _CLOSE if value.doubtful else certainty(None)
    return choice.chosen(choice.of_sequence(sought.options, names), ", ".join(names), sure)


def _text(value: Text, sought: Sought) -> Reading:
    """A closed verdict, or an option by its text or letter."""
    word = normalise_phrase(strip_letter(value.value))
    option = choice.of_answer(sought.options, word) or choice.of_entity(sought.options, word)
    option = option or next((o for o in sought.options if normalise_phrase(o.text) == word), None)
    option = option or next((o for o in sought.options if o.letter.lower() == word), None)
    return choice.chosen(option, value.value, certainty(value.margin))


def _visibility(value: Visibility, sought: Sought) -> Reading:
    note = f"hidden by the {value.hidden_by}" if value.hidden_by else "" if value.state == "seen" else value.state
    return choice.yes_no(value.state == "seen", certainty(None), sought.options, note)


def _pose(value: PoseValue, sought: Sought) -> Reading:
    if value.image is None:
        return no_answer("a viewpoint is no answer")
    word = f"image {value.image}"
    option = choice.of_answer(sought.options, word) or choice.of_answer(sought.options, str(value.image))
    return choice.chosen(option, word, certainty(None))


def _unreadable(value: Value, sought: Sought) -> Reading:
    return no_answer(f"a value of the kind {type(value).__name__.removesuffix('Value').lower()} is no answer")


_READERS: Mapping[type, Callable[[Any, Sought], Reading]] = {
    Absent: lambda value, _: absent(value),
    Length: lambda value, sought: length_reading(value, sought.unit, sought.options),
    Area: lambda value, sought: area_reading(value, sought.unit, sought.options),
    Count: lambda value, sought: count_reading(value, sought.options),
    Angle: _angle,
    Direction: _direction,
    InstanceValue: _instance,
    InstancesValue: _instances,
    Order: _order,
    Text: _text,
    Visibility: _visibility,
    PoseValue: _pose,
    Quantity: _quantity,
    Verdict: _verdict,
    SetValue: _set,
}
