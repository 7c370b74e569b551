"""What a question written as cells is: its text, the cells that answer it, and its truth by plain arithmetic.

A form is a question with slots. Its function gets the true things in the slots and returns the truth, or None where the
question would be unclear there. Parameters tell what fills them: ``a`` to ``d`` are things whose name is theirs alone,
``many`` are three or more of one name, ``fronted`` is one with a front, ``top`` stands on something, ``image`` is a
picture; of videos ``mover`` and ``other`` are things that may move and are never hidden, ``prop`` stands. Knows no
engine and no language.
"""

from __future__ import annotations

import inspect
import math
import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from cell_worlds import always_seen

from placecell.backends.synthetic.moving.scene import Mover, MovingScene
from placecell.backends.synthetic.scene import SyntheticObject, SyntheticRoom

Thing = SyntheticObject
World = Literal["boxes", "units", "pictures", "video"]
"""What the question is asked of: a room without pictures, the same without metres, with pictures, or a video."""
Truth = float | str
_MOST_TRIES = 400

FIND = '{0} = select_object(query_3d_object_location("{1}"), by="only")'
FIND_ALL = '{0} = query_3d_object_location("{1}")'
TRACK = '{0} = track_object("{1}")'


@dataclass(frozen=True)
class Told:
    """A truth, with numbers that the question tells, and what a picture would be judged to show."""

    value: Truth
    slots: dict[str, str] = field(default_factory=dict)
    judged: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class CellQuestion:
    """One question of one room or video. ``truth`` is in ``unit``, or the right option.

    ``cells`` are run one after the other; the first finds what the question names. ``program`` is the same question in
    the one-shot language, None where it has no form for it. ``seed`` is that of the room or scene, ``judged`` what a
    judge of its pictures answers.
    """

    family: str
    form: str
    seed: int
    world: World
    question: str
    options: tuple[str, ...]
    cells: tuple[str, ...]
    truth: Truth
    unit: str
    program: str | None
    slots: dict[str, str]
    judged: dict[str, str]

    @property
    def id(self) -> str:
        return f"{self.form.replace(' ', '_')}-{self.seed}-{'-'.join(v.replace(' ', '_') for v in self.slots.values())}"


@dataclass(frozen=True, eq=False)
class Form:
    """A question with slots; ``wanted`` questions are made of it, at most one of each room."""

    family: str
    name: str
    question: str
    cells: str
    truth: Callable[..., Truth | Told | None]
    options: tuple[str, ...]
    unit: str
    world: World
    program: str | None
    wanted: int

    def questions(self, scenes: Iterable[SyntheticRoom | MovingScene]) -> Iterator[CellQuestion]:
        """The questions, from as many rooms as it takes; no option is right twice before each was."""
        left = list(self.options)
        made = 0
        for scene in scenes:
            told = self._about(scene)
            found = next((pair for pair in told if not self.options or pair[1].value in left), None)
            if found is not None:
                left = [option for option in left if option != found[1].value] or list(self.options)
                made += 1
                yield self._filled(scene.seed, *found)
            if made == self.wanted:
                return

    def _about(self, scene: SyntheticRoom | MovingScene) -> Iterator[tuple[dict[str, Any], Told]]:
        """What may fill the slots, with the truth, wherever it is clear; in an order of chance."""
        names = list(inspect.signature(self.truth).parameters)[1:]
        rng = np.random.default_rng([scene.seed, len(self.name)])
        choices = [_fillings(name, scene) for name in names]
        counts = [len(options) for options in choices]
        for k in rng.permutation(math.prod(counts))[:_MOST_TRIES]:
            picked = [options[i] for options, i in zip(choices, np.unravel_index(k, counts), strict=True)]
            if len({_named(thing) for thing in picked}) < len(picked):
                continue
            truth = self.truth(scene, *picked)
            if truth is not None:
                yield dict(zip(names, picked, strict=True)), truth if isinstance(truth, Told) else Told(truth)

    def _filled(self, seed: int, picked: dict[str, Any], told: Told) -> CellQuestion:
        slots = {name: _named(thing) for name, thing in picked.items()} | told.slots
        found = [_finding(name, thing) for name, thing in picked.items() if not isinstance(thing, int)]
        cells = [cell.strip() for cell in textwrap.dedent(self.cells.format(**slots)).split("---")]
        return CellQuestion(
            self.family,
            self.name,
            seed,
            self.world,
            self.question.format(**slots),
            tuple(option.format(**slots) for option in self.options),
            ("\n".join(found), *cells) if found else tuple(cells),
            told.value.format(**slots) if isinstance(told.value, str) else told.value,
            self.unit,
            None if self.program is None else self.program.format(**slots),
            slots,
            told.judged,
        )


FORMS: list[Form] = []


def form(
    family: str,
    question: str,
    cells: str,
    *,
    options: tuple[str, ...] = (),
    unit: str = "",
    world: World = "boxes",
    program: str | None = None,
    wanted: int = 3,
) -> Callable[[Callable[..., Truth | Told | None]], Callable[..., Truth | Told | None]]:
    """Makes a form of the function that knows its truth."""

    def made(truth: Callable[..., Truth | Told | None]) -> Callable[..., Truth | Told | None]:
        name = truth.__name__.replace("_", " ")
        FORMS.append(Form(family, name, question, cells, truth, options, unit, world, program, wanted))
        return truth

    return made


def _named(thing: Any) -> str:
    if isinstance(thing, tuple):
        return str(thing[0].name)
    return str(thing) if isinstance(thing, int) else str(thing.name)


def _finding(name: str, thing: Any) -> str:
    how = FIND_ALL if isinstance(thing, tuple) else TRACK if isinstance(thing, Mover) else FIND
    return how.format(name, _named(thing))


def _fillings(slot: str, scene: SyntheticRoom | MovingScene) -> Sequence[Any]:
    if isinstance(scene, MovingScene):
        if slot == "prop":
            return scene.props
        return [m for m in scene.movers if len(scene.named(m.name)) == 1 and m.id in always_seen(scene.seed)]
    alone = [thing for name in scene.names if len(scene.named(name)) == 1 for thing in scene.named(name)]
    match slot:
        case "many":
            return [scene.named(name) for name in scene.names if len(scene.named(name)) >= 3]
        case "fronted":
            return [thing for thing in alone if thing.faces]
        case "top":
            return [thing for thing in alone if thing.mount == "top"]
        case "image":
            return range(1, 9)
        case _:
            return alone
