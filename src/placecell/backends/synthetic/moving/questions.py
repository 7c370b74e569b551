"""Questions about a moving scene with their true answers, in the families and wordings that VLM4D asks.

Knows: which items are unambiguous (``MARGINS``), and English. Does not know: how anything answers them.
"""

from __future__ import annotations

import string
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from placecell.backends.synthetic.asking import SyntheticQuestion
from placecell.backends.synthetic.moving import deeds
from placecell.backends.synthetic.moving.bodies import MOVERS, NEVER_THERE, plural
from placecell.backends.synthetic.moving.deeds import FIRST_HALF, LAST_HALF, Window
from placecell.backends.synthetic.moving.film import shown
from placecell.backends.synthetic.moving.scene import Mover, MovingScene
from placecell.backends.synthetic.moving.wording import CLOCK, STILL, WAYS, WORDINGS, absence
from placecell.backends.synthetic.scene import SyntheticObject
from placecell.backends.synthetic.wording import pick
from placecell.errors import UserError
from placecell.memory.ports import Reconstruction

Item = tuple[str, Mapping[str, str], Sequence[str], str]
"""Class for balance, slots of the wording, options, right option."""

MARGINS: Mapping[str, str] = {
    "direction": "0.8 m or more along the way, at most 0.45 of that across it; what rests does not move at all",
    "approach": "as for direction, and the distance to the camera changes by 0.8 m the same way",
    "landmark": "the distance to the thing changes by 0.8 m, always the same way",
    "world way": "as for direction, in the axes of the first camera",
    "own way": "straight ahead or straight back by 1.5 m or more; the front is known",
    "turn": "75 to 105 degrees on the way, or none",
    "rotation": "270 to 540 degrees on the spot, or none",
    "half": "to and fro once, the whole leg in the half asked about",
    "count": "for each thing of the kind it is clear whether it counts",
    "reversals": "legs of 1.2 m or more; or straight on",
    "which": "one thing goes that way, the others offered clearly do not, or are not there",
    "presence": "30 pixels of 160 x 120 in a third of the pictures, or of a kind that is not there",
    "camera way": "1.2 m or more, or a camera that stands (shaking by 2 cm and 0.9 degrees counts as that)",
    "camera turn": "20 degrees or more, or none",
}
_ENOUGH = 30 / (160 * 120)
_COMMON, _COMMON_SHARE = ("absent", "stands"), 0.35
_HALVES: Mapping[str, Window] = {"first": FIRST_HALF, "second": LAST_HALF}


def questions_about(
    scene: MovingScene,
    video: Reconstruction,
    *,
    per_family: int = 1,
    families: tuple[str, ...] | None = None,
    seed: int = 0,
) -> tuple[SyntheticQuestion, ...]:
    """Up to ``per_family`` questions of each family that this video can answer; fewer where few are unambiguous.

    ``video`` is the scene as filmed: things that hardly show are not asked about.
    """
    unknown = set(families or ()) - set(FAMILIES)
    if unknown:
        raise UserError(f"unknown question family {sorted(unknown)[0]!r}", hint=f"use one of {', '.join(FAMILIES)}")
    asking = Asking(scene, video)
    asked: list[SyntheticQuestion] = []
    for k, (family, make) in enumerate(FAMILIES.items()):
        if families is None or family in families:
            rng = np.random.default_rng([scene.seed, seed, 13, k])
            asked += _drawn(family, list(make(asking)), per_family, rng)
    return tuple(asked)


@dataclass(frozen=True, eq=False)
class Asking:
    """A scene to ask about."""

    scene: MovingScene
    video: Reconstruction

    @cached_property
    def clear(self) -> tuple[Mover, ...]:
        """Movers that show well."""
        return tuple(mover for mover in self.scene.movers if self._shows(mover.id))

    @cached_property
    def props(self) -> tuple[SyntheticObject, ...]:
        """Things that stand and show well."""
        return tuple(prop for prop in self.scene.props if self._shows(prop.id))

    def _shows(self, id_: int) -> bool:
        """Whether a thing shows well in a third of the pictures, the first and the last fifth among them."""
        if self.video.labels is None:
            raise ValueError("a video without true masks cannot be asked about")
        owners = [self.video.labels.frames[f.number].ids for f in self.video.frames]
        seen = shown(owners, id_)[0] >= _ENOUGH * owners[0].size
        ends = max(1, len(owners) // 5)
        return bool(seen.mean() >= 1 / 3 and seen[:ends].any() and seen[-ends:].any())

    @property
    def single(self) -> tuple[Mover, ...]:
        """Clear movers that their name alone identifies."""
        return tuple(m for m in self.clear if len(self.scene.named(m.name)) == 1)

    @property
    def missing(self) -> tuple[str, ...]:
        """Kinds that are not there."""
        return (*(kind for kind in MOVERS if not self.scene.named(kind)), *NEVER_THERE)

    @property
    def countable(self) -> dict[str, tuple[Mover, ...]]:
        """Movers by kind, where each of them shows well."""
        kinds = {m.name for m in self.clear}
        groups = {kind: self.scene.named(kind) for kind in sorted(kinds)}
        return {kind: group for kind, group in groups.items() if all(m in self.clear for m in group)}


def _drawn(family: str, items: list[Item], count: int, rng: np.random.Generator) -> list[SyntheticQuestion]:
    """``count`` of the items, their classes in turn; what every scene offers is drawn in one of three."""
    groups: dict[str, list[Item]] = {}
    for k in rng.permutation(len(items)):
        groups.setdefault(items[k][0], []).append(items[k])
    rare = [name for name in sorted(groups) if name not in _COMMON]
    common = [name for name in sorted(groups) if name in _COMMON]
    order = [rare[k] for k in rng.permutation(len(rare))]
    if common and (rng.random() < _COMMON_SHARE):
        order.insert(0, common[rng.integers(len(common))])
    queues = [groups[name] for name in order]
    asked: list[SyntheticQuestion] = []
    while len(asked) < count and any(queues):
        for queue in queues:
            if queue and len(asked) < count:
                asked.append(_worded(family, queue.pop(), rng))
    return asked


def _worded(family: str, item: Item, rng: np.random.Generator) -> SyntheticQuestion:
    _, slots, options, right = item
    order = [options[k] for k in rng.permutation(len(options))]
    letters = string.ascii_uppercase
    lettered = tuple(f"{letter}. {text}" for letter, text in zip(letters, order, strict=False))
    question = pick(rng, WORDINGS[family]).format(**slots)
    return SyntheticQuestion(family, question, lettered, letters[order.index(right)], right, "", "choice")


def _about_one(a: Asking, truth: Callable[[Mover], str | None], words: Mapping[str, str], none: str) -> Iterator[Item]:
    """Each single mover with a clear truth, things that stand, and kinds that are not there.

    ``words`` are options by truth, ``none`` is the option for "still" and "none".
    """
    for mover in a.single:
        found = truth(mover)
        if found is not None and (found in words or found in ("still", "none")):
            gone = absence(mover.name)
            options = [*words.values(), none, gone]
            yield found, {"x": mover.name}, options, words.get(found, none)
    for kind in a.missing:
        options = [*words.values(), none, absence(kind)]
        yield "absent", {"x": kind}, options, absence(kind)


def direction(a: Asking) -> Iterator[Item]:
    yield from _about_one(a, lambda m: deeds.way(a.scene, m), {k: WAYS[k] for k in ("left", "right")}, STILL)
    for prop in a.props:
        yield "stands", {"x": prop.name}, [WAYS["left"], WAYS["right"], STILL, absence(prop.name)], STILL


def approach(a: Asking) -> Iterator[Item]:
    yield from _about_one(a, lambda m: deeds.way(a.scene, m), {k: WAYS[k] for k in ("towards", "away")}, STILL)


def landmark(a: Asking) -> Iterator[Item]:
    words = {"towards": "towards", "away": "away"}
    for prop in a.props:
        for mover in a.single:
            found = deeds.approach(a.scene, mover, prop)
            if found is not None:
                options = [*words.values(), STILL, absence(mover.name)]
                yield found, {"x": mover.name, "y": prop.name}, options, words.get(found, STILL)


def world_way(a: Asking) -> Iterator[Item]:
    words = {"left": "left", "right": "right", "forward": "forwards", "backward": "backwards"}
    yield from _about_one(a, lambda m: deeds.world_way(a.scene, m), words, STILL)


def own_way(a: Asking) -> Iterator[Item]:
    yield from _about_one(a, deeds.own_way, {k: WAYS[k] for k in ("forward", "backward")}, STILL)


def turn(a: Asking) -> Iterator[Item]:
    yield from _about_one(a, deeds.turning, {"left": "left", "right": "right"}, "not turning")


def rotation(a: Asking) -> Iterator[Item]:
    yield from _about_one(a, deeds.sense, CLOCK, "not spinning")


def half(a: Asking) -> Iterator[Item]:
    words = {k: WAYS[k] for k in ("left", "right")}
    for which, window in _HALVES.items():
        for mover in a.single:
            found = deeds.way(a.scene, mover, window)
            if mover.act.deed == "to and fro" and found in words:
                yield (
                    found,
                    {"x": mover.name, "half": which},
                    [*words.values(), STILL, absence(mover.name)],
                    words[found],
                )


def count(a: Asking) -> Iterator[Item]:
    """How many of a kind do something; a kind of which it is not clear for one is not counted."""
    for kind, group in a.countable.items():
        ways = [deeds.way(a.scene, m) for m in group]
        spins = [m.act.deed == "spin" for m in group]
        for wanted, said in (("left", "moving to the left"), ("right", "moving to the right"),
                             ("towards", "moving towards the camera"), ("away", "moving away from the camera"),
                             ("still", "not moving")):  # fmt: skip
            clear = [w is not None or (s and wanted != "still") for w, s in zip(ways, spins, strict=True)]
            if all(clear):
                yield from _counted(kind, said, sum(w == wanted for w in ways))
        if all(m.faces and deeds.sense(m) is not None for m in group):
            yield from _counted(kind, "spinning", sum(spins))


def _counted(kind: str, said: str, number: int) -> Iterator[Item]:
    least = max(0, number - 2)
    yield str(number), {"xs": plural(kind), "deed": said}, [str(least + k) for k in range(4)], str(number)


def reversals(a: Asking) -> Iterator[Item]:
    for mover in a.single:
        if mover.act.deed in ("to and fro", "go"):
            yield str(mover.act.reversals), {"x": mover.name}, ["0", "1", "2", "3"], str(mover.act.reversals)


def which(a: Asking) -> Iterator[Item]:
    ways = {m: deeds.way(a.scene, m) for m in a.scene.movers}
    for side in ("left", "right"):
        doing = [m for m in a.single if ways[m] == side]
        if len(doing) != 1 or any(ways[m] == side or ways[m] is None for m in a.scene.movers if m is not doing[0]):
            continue
        others = [m.name for m in a.single if m is not doing[0]] + list(a.missing)
        yield side, {"side": side}, [f"a {name}" for name in (doing[0].name, *others[:3])], f"a {doing[0].name}"


def presence(a: Asking) -> Iterator[Item]:
    for kind in sorted({m.name for m in a.clear}):
        yield "yes", {"x": kind}, ["Yes", "No"], "Yes"
    for kind in a.missing:
        yield "no", {"x": kind}, ["Yes", "No"], "No"


def camera_way(a: Asking) -> Iterator[Item]:
    act, ways = a.scene.camera_act, ("left", "right", "forward", "backward")
    if act.startswith("walk ") and act.split()[1] in ways:
        yield act, {}, [*ways, STILL], act.split()[1]
    elif act in ("static", "shake"):
        yield "static", {}, [*ways, STILL], STILL


def camera_turn(a: Asking) -> Iterator[Item]:
    act = a.scene.camera_act
    if act.startswith("pan "):
        yield act, {}, ["left", "right", "not turning"], act.split()[1]
    elif act in ("static", "shake") or act.startswith("walk"):
        yield "none", {}, ["left", "right", "not turning"], "not turning"


FAMILIES: Mapping[str, Callable[[Asking], Iterator[Item]]] = {
    "direction": direction,
    "approach": approach,
    "landmark": landmark,
    "world way": world_way,
    "own way": own_way,
    "turn": turn,
    "rotation": rotation,
    "half": half,
    "count": count,
    "reversals": reversals,
    "which": which,
    "presence": presence,
    "camera way": camera_way,
    "camera turn": camera_turn,
}
