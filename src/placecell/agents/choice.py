"""From a finding to one of the offered answers, always by what the option says, never by where it stands.

Knows yes and no, things, words and sequences. Does not know geometry.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from string import ascii_uppercase

from placecell.agents.reading import Reading
from placecell.language.decomposition import Option
from placecell.language.phrases import normalise_phrase
from placecell.memory.names import canonical


def of_entity(options: Sequence[Option], entity: str) -> Option | None:
    """The option that stands for this thing."""
    key = normalise_phrase(entity)
    exact = next((o for o in options if o.entity and normalise_phrase(o.entity) == key), None)
    return exact or next((o for o in options if o.entity and canonical(o.entity) == canonical(entity)), None)


def of_answer(options: Sequence[Option], word: str) -> Option | None:
    """The option that means this word."""
    return next((o for o in options if (o.answer or normalise_phrase(o.text)) == word), None)


def of_sequence(options: Sequence[Option], names: Sequence[str]) -> Option | None:
    """The option that lists these names in this order."""
    wanted = [canonical(n) for n in names]
    return next((o for o in options if [canonical(n) for n in o.sequence] == wanted), None)


def chosen(option: Option | None, word: str, confidence: float, *notes: str) -> Reading:
    """A choice: the option's own text when one fits, else the word itself."""
    text = option.text if option else word
    return Reading(text, option, word, confidence=confidence, notes=tuple(n for n in notes if n))


def yes_no(answer: bool, confidence: float, options: Sequence[Option], *notes: str) -> Reading:
    """Yes or no, as the options word it."""
    word = "yes" if answer else "no"
    reading = chosen(of_answer(options, word), word.capitalize(), confidence, *notes)
    return replace(reading, value=answer)


def letter_of(option: Option | None, options: Sequence[Option], *, by_place: bool) -> str | None:
    """The letter an option has; ``by_place``: when the options carry none, the letter of its place in the list."""
    if option is None or option.letter or not by_place:
        return option.letter or None if option else None
    place = options.index(option)
    return ascii_uppercase[place : place + 1] or None
