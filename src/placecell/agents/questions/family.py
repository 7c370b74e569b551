"""What a question family is: lines of grammar, and how a line that matched becomes a comparison.

A family's ``build`` gets everything known about the question (``Asked``) and gives a ``Reading``, a ``Refusal`` with
the reason in plain words, or None when the line matched something it is not about (the next line or family is tried).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from placecell.agents.questions import answers
from placecell.agents.questions.grammar import Grammar, Match
from placecell.agents.questions.names import is_thing, narrows, split_names
from placecell.agents.questions.options import RawOption
from placecell.agents.questions.setup import Setup
from placecell.agents.questions.units import amount, unit_of
from placecell.language.decomposition import Comparison, Function, Motion, Option, Reference, Unit


@dataclass(frozen=True)
class Refusal:
    """Why a question that looks like one of a family is not understood, as a plain sentence.

    ``final``: no looser reading is tried either.
    """

    reason: str
    final: bool = True


@dataclass(frozen=True)
class Reading:
    """What a family made of a question; a place or motions named by the asking words replace the set-up's."""

    comparison: Comparison
    reference: Reference | None = None
    motions: tuple[Motion, ...] | None = None


@dataclass(frozen=True)
class Asked:
    """A question whose asking words matched a rule, with what was said around them, its options and its unit.

    ``images`` are the numbers of the images that exist, ascending. ``loose``: the rule is one of the loose lines.
    """

    match: Match
    setup: Setup
    options: tuple[RawOption, ...] = ()
    unit: Unit | None = None
    known_names: frozenset[str] = frozenset()
    images: tuple[int, ...] | None = None
    loose: bool = False

    @property
    def image_count(self) -> int | None:
        return None if self.images is None else len(self.images)

    @property
    def pair(self) -> tuple[int, int] | None:
        """The numbers of the images when there are two of them."""
        return (self.images[0], self.images[1]) if self.images is not None and len(self.images) == 2 else None

    @property
    def note(self) -> str:
        return self.match.note

    def name(self, slot: str) -> str:
        """The thing a slot names, "" when the slot is empty or names no thing."""
        name = self.match.phrase(slot)
        return name if is_thing(name) else ""

    def names(self, slot: str, expected: int | None = None) -> tuple[str, ...] | None:
        """The things a list slot names; None when it cannot be split for certain."""
        found = split_names(self.match.quote(slot), expected=expected, known=self.known_names)
        return found if found and all(map(is_thing, found)) else None

    def only_somewhere(self, slot: str) -> bool:
        """Whether a slot narrows its things by a relation ("cups on the table") that is no part of a known name."""
        name = self.name(slot)
        return name not in self.known_names and narrows(name)

    @property
    def reference(self) -> Reference:
        """The set-up's place and facing; an owner's perspective is standing there and facing its way."""
        return owner_reference(self.setup)

    @property
    def frame(self) -> Literal["viewer", "camera"]:
        """The comparison's frame for questions about places: the camera's when said, else the viewer's."""
        return "camera" if self.setup.frame == "camera" else "viewer"

    def measured(self, function: Function, attribute: str | None = None, **fields: Any) -> Reading | None:
        """A comparison answered by a number, with unit and offered numbers; None when the options are no numbers."""
        found = number_options(self.options, unit_of(self.match.canon("unit")) or self.unit)
        if found is None:
            return None
        options, unit = found
        comparison = Comparison(
            function=function,
            attribute=attribute,
            form=choice_or("number", options),
            unit=unit,
            options=options,
            **fields,
        )
        return Reading(comparison)


Form = Literal["open", "choice", "yes_no", "number"]


def choice_or(otherwise: Form, options: Sequence[Option]) -> Form:
    """A choice when there are options."""
    return "choice" if options else otherwise


NO_LINES = Grammar(())
Build = Callable[[Asked], Reading | Refusal | None]


@dataclass(frozen=True)
class Family:
    """A kind of question. ``cues`` are words that suggest it, to name the nearest family of one not understood.

    ``takes`` are the parts of a set-up that change its answer; a question that states another is refused:
    "motions", "landmark", "own" and "world" (frames), "during", "owner", "images" (from one to another), "sectors" and
    "senses" (what direction words stand for).
    ``example`` is a question of the family, shown when one like it is not understood.

    ``loose`` are lines that leave the order of words open: a few telling words, names, and words that change nothing.
    They are tried when no grammar accounts for a question, and name things by ``plain`` slots.
    """

    name: str
    asks: str
    grammar: Grammar
    build: Build
    cues: Collection[str]
    takes: frozenset[str] = frozenset()
    example: str = ""
    loose: Grammar = NO_LINES

    def untaken(self, setup: Setup) -> str | None:
        """The first part of a set-up that this family has no place for, in words."""
        parts = {
            "motions": (bool(setup.motions), "a turn or step"),
            "landmark": (setup.landmark is not None, f"something relative to {setup.landmark}"),
            "own": (setup.frame == "own", "somebody's own perspective"),
            "world": (setup.frame == "world", "the axes of the world"),
            "owner": (setup.owner is not None, f"the perspective of {setup.owner}"),
            "during": (setup.during not in (None, "whole"), "a part of the video"),
            "sectors": (setup.sectors is not None, "how direction words are meant"),
            "images": (setup.images is not None, "two images to compare"),
            "senses": (bool(setup.senses), "what left and right stand for"),
        }
        return next((words for part, (said, words) in parts.items() if said and part not in self.takes), None)


def owner_reference(setup: Setup) -> Reference:
    """Where to stand: the set-up's reference, or at the owner of the perspective, facing its way."""
    if setup.owner is None or setup.reference.kind != "none":
        return setup.reference
    facing = setup.reference.facing
    if facing.kind == "free":
        facing = facing.model_copy(update={"kind": "same_way_as_object", "object": setup.owner})
    return Reference(kind="object", object=setup.owner, facing=facing)


def side_options(options: Sequence[RawOption]) -> tuple[Option, ...] | None:
    """Options that are all sides."""
    return answers.read(options, answers.side)


def alternatives(words: str, reading: answers.Reading) -> tuple[Option, ...] | None:
    """The answers a question itself names: "left, right or back"; None unless it names at least two."""
    parts = [part for part in re.split(r"\s*(?:,|\bor\b)\s*", words, flags=re.IGNORECASE) if part.strip()]
    found = [(part, reading(part)) for part in parts]
    if len(found) < 2 or any(meaning is None for _, meaning in found):
        return None
    return tuple(Option(text=part, answer=meaning) for part, meaning in found)


_QUANTITY = re.compile(r"(?:about |around )?(-?[\d.,]+|[a-z]+)(?: (.+))?")


def number_options(options: Sequence[RawOption], unit: Unit | None) -> tuple[tuple[Option, ...], Unit | None] | None:
    """Offered numbers, with the unit they share; None when one is no number or the units differ."""
    out: list[Option] = []
    for option in options:
        match = _QUANTITY.fullmatch(answers.plain(option.text))
        number = amount(match[1].replace(",", "")) if match else None
        if match is None or number is None:
            return None
        said = unit_of(match[2]) if match[2] else None
        if (match[2] and said is None) or (said and unit and said != unit):
            return None
        unit = said or unit
        out.append(Option(letter=option.letter, text=option.text, answer=f"{number:g}"))
    return tuple(out), unit
