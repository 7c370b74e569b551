"""What the question families share: the question as a value, who may be asked about, and balance.

Knows: names, options and letters. Does not know: any family.
"""

from __future__ import annotations

import string
from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeVar

import numpy as np

from placecell.backends.synthetic.path import Views
from placecell.backends.synthetic.scene import SyntheticObject, SyntheticRoom
from placecell.backends.synthetic.truth import Sight
from placecell.backends.synthetic.wording import WORDINGS, pick

T = TypeVar("T")

_ENOUGH_PIXELS = 150 / (320 * 240)
# A person would take these for one another, so neither word is asked about where both are present.
_CONFUSABLE = (("lamp", "floor lamp"), ("chair", "armchair"), ("tv", "monitor"), ("stool", "chair"))


@dataclass(frozen=True)
class SyntheticQuestion:
    """A question with its truth.

    ``options`` are lettered ("A. sofa"), empty when a number is asked. ``answer`` is the right letter, or the number
    in ``unit`` ("m", "cm", "m2", "" for a count). ``truth`` says it in words. ``scoring``: right or wrong ("choice"),
    or by mean relative accuracy ("mra").
    """

    family: str
    question: str
    options: tuple[str, ...]
    answer: str
    truth: str
    unit: str
    scoring: Literal["choice", "mra"]

    @property
    def value(self) -> float | None:
        """The number asked for, None for a choice."""
        return None if self.scoring == "choice" else float(self.answer)


@dataclass(frozen=True, eq=False)
class Ask:
    """One family's commission: the room, what its pictures show, a source of chance, and how many questions."""

    room: SyntheticRoom
    views: Views
    sight: Sight
    rng: np.random.Generator
    wanted: int

    @cached_property
    def shown(self) -> dict[int, bool]:
        """By object id: it shows in at least two pictures, with enough pixels."""
        camera = self.sight.cameras[0]
        enough = (self.sight.pixels >= _ENOUGH_PIXELS * camera.width * camera.height).sum(axis=0) >= 2
        return {thing.id: bool(ok) for thing, ok in zip(self.room.objects, enough, strict=True)}

    @cached_property
    def clear_names(self) -> frozenset[str]:
        """Names that mean one category in this room."""
        present = set(self.room.names)
        unclear = {name for pair in _CONFUSABLE if present.issuperset(pair) for name in pair}
        return frozenset(present - unclear)

    @cached_property
    def unique(self) -> tuple[SyntheticObject, ...]:
        """Objects that their name alone identifies, and that the pictures show."""
        names = [name for name in self.room.names if name in self.clear_names and len(self.room.named(name)) == 1]
        found = [self.room.named(name)[0] for name in names]
        return tuple(thing for thing in found if self.shown[thing.id])

    def index(self, thing: SyntheticObject) -> int:
        """Its column in ``sight``."""
        return thing.id - 1

    def choice(self, family: str, options: Sequence[str], right: str, **slots: str) -> SyntheticQuestion:
        """A question with lettered options, in one of the family's wordings."""
        shown = [options[k] for k in self.rng.permutation(len(options))]
        lettered = tuple(f"{letter}. {text}" for letter, text in zip(string.ascii_uppercase, shown, strict=False))
        letter = string.ascii_uppercase[shown.index(right)]
        return SyntheticQuestion(family, self._worded(family, slots), lettered, letter, right, "", "choice")

    def number(self, family: str, value: float, unit: str, digits: int, **slots: str) -> SyntheticQuestion:
        """A question for a number, whose truth is rounded to ``digits``."""
        text = f"{value:.{digits}f}"
        return SyntheticQuestion(family, self._worded(family, slots), (), text, f"{text} {unit}".strip(), unit, "mra")

    def balanced(self, candidates: Iterable[tuple[Hashable, T]], count: int | None = None) -> list[T]:
        """Up to ``count`` (default: as many as wanted) of the candidates, their classes in turn."""
        groups: dict[Hashable, list[T]] = defaultdict(list)
        for kind, item in candidates:
            groups[kind].append(item)
        kinds = sorted(groups, key=str)
        queues = [[groups[kind][k] for k in self.rng.permutation(len(groups[kind]))] for kind in kinds]
        queues = [queues[k] for k in self.rng.permutation(len(queues))]
        taken: list[T] = []
        wanted = self.wanted if count is None else count
        while any(queues) and len(taken) < wanted:
            for queue in queues:
                if queue and len(taken) < wanted:
                    taken.append(queue.pop())
        return taken

    def _worded(self, family: str, slots: dict[str, str]) -> str:
        return pick(self.rng, WORDINGS[family]).format(**slots)
