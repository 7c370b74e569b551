"""Questions that depend on the room alone: distances, sizes, numbers, neighbours, directions between things, area.

Knows: the margins that make an item unambiguous (``questions.MARGINS`` says them in words). Does not know: wordings.
"""

from __future__ import annotations

from functools import cache
from itertools import combinations, permutations

import numpy as np

from placecell.backends.synthetic.asking import Ask, SyntheticQuestion
from placecell.backends.synthetic.scene import SyntheticObject
from placecell.backends.synthetic.truth import box_distance, quadrant_angle, surface_distance, turned_side
from placecell.backends.synthetic.wording import listed, plural

_TRIES = 60
_QUADRANTS = ("front-right", "back-right", "back-left", "front-left")


def distance(ask: Ask) -> list[SyntheticQuestion]:
    """Metres between the closest points of two things."""
    whole = [thing for thing in ask.unique if (ask.sight.coverage[ask.index(thing)] >= 0.95).all()]
    pairs = list(combinations(whole, 2))
    asked: list[SyntheticQuestion] = []
    for k in ask.rng.permutation(len(pairs))[:_TRIES]:
        if len(asked) == ask.wanted:
            break
        a, b = pairs[k]
        metres = box_distance(a, b)
        if metres >= 0.4 and abs(surface_distance(a, b) - metres) <= 0.03 * metres:
            first, second = (a, b) if ask.rng.random() < 0.5 else (b, a)
            asked.append(ask.number("distance", metres, "m", 2, a=first.name, b=second.name))
    return asked


def size(ask: Ask) -> list[SyntheticQuestion]:
    """Centimetres along the longest side of a thing's box."""
    asked: list[SyntheticQuestion] = []
    for k in ask.rng.permutation(len(ask.unique)):
        if len(asked) == ask.wanted:
            break
        thing = ask.unique[k]
        longest = int(np.argmax(thing.box.size))
        if ask.sight.coverage[ask.index(thing), longest] >= 0.96 and turned_side(thing) <= 0.02:
            asked.append(ask.number("size", 100 * thing.box.longest, "cm", 0, a=thing.name))
    return asked


def count(ask: Ask) -> list[SyntheticQuestion]:
    """How many things of a name there are; two and more are asked as often as one."""
    candidates = []
    for name in sorted(ask.clear_names):
        things = ask.room.named(name)
        apart = all(box_distance(a, b) >= 0.15 for a, b in combinations(things, 2))
        if apart and all(ask.shown[thing.id] for thing in things):
            candidates.append((min(len(things), 2), (name, len(things))))
    return [
        ask.number("count", number, "", 0, a=name, plural=plural(name)) for name, number in ask.balanced(candidates)
    ]


def nearest(ask: Ask) -> list[SyntheticQuestion]:
    """Which of three or four things is nearest to another."""
    return _by_distance(ask, "nearest", 0)


def farthest(ask: Ask) -> list[SyntheticQuestion]:
    """Which of three or four things is farthest from another."""
    return _by_distance(ask, "farthest", -1)


def _by_distance(ask: Ask, family: str, place: int) -> list[SyntheticQuestion]:
    things = ask.unique
    if len(things) < 4:
        return []
    apart = cache(lambda i, j: (box_distance(things[i], things[j]), surface_distance(things[i], things[j], 0.05)))
    asked: list[SyntheticQuestion] = []
    for _ in range(_TRIES):
        if len(asked) == ask.wanted:
            break
        many = min(len(things) - 1, int(ask.rng.integers(3, 5)))
        x, *others = (int(k) for k in ask.rng.choice(len(things), many + 1, replace=False))
        order = sorted(others, key=lambda k: apart(min(x, k), max(x, k))[0])
        metres = np.array([apart(min(x, k), max(x, k)) for k in order])
        if metres.min() < 0.15 or (np.diff(metres, axis=0) < 0.2).any():
            continue
        options = tuple(things[k].name for k in others)
        slots = {"choices": listed(options), "either": listed(options, "or")}
        asked.append(ask.choice(family, options, things[order[place]].name, x=things[x].name, **slots))
    return asked


def relative_direction(ask: Ask) -> list[SyntheticQuestion]:
    """Standing at a thing and facing another, where a third is: two, three or four words, as in VSI-Bench."""
    triples = list(permutations(ask.unique, 3))
    candidates = []
    for k in ask.rng.permutation(len(triples))[: 4 * _TRIES]:
        a, b, c = triples[k]
        if not _well_apart(a, b, c):
            continue
        angle = quadrant_angle(a, b, c.centre)
        for words, edges in (
            (("right", "left"), (0, 180)),
            (("right", "back", "left"), (0, 135, 225)),
            (_QUADRANTS, (0, 90, 180, 270)),
        ):
            if len(words) == 2 and 135 <= angle <= 225:
                continue
            sector = int(np.searchsorted(edges, angle, side="right")) - 1
            off = min(abs((angle - edge + 180) % 360 - 180) for edge in edges)
            corners = [int(np.searchsorted(edges, quadrant_angle(a, b, p), side="right")) - 1 for p in c.box.corners]
            if off >= 12 and sum(corner != sector for corner in corners) <= 2:
                candidates.append(((len(words), sector), (a, b, c, words, words[sector])))
    asked = []
    for a, b, c, words, right in ask.balanced(candidates):
        spoken = f"{', '.join(words[:-1])} or {words[-1]}"
        asked.append(ask.choice("relative direction", words, right, a=a.name, b=b.name, c=c.name, words=spoken))
    return asked


def _well_apart(*things: SyntheticObject) -> bool:
    """Each two 0.3 m to 5 m apart, and their centres at least 0.8 m apart on the floor."""
    for a, b in combinations(things, 2):
        level = np.hypot(*(a.centre - b.centre)[[0, 2]])
        if level < 0.8 or level > 5.0 or not 0.3 <= box_distance(a, b) <= 5.0:
            return False
    return True


def room_size(ask: Ask) -> list[SyntheticQuestion]:
    """Square metres of floor."""
    if ask.sight.plan_coverage < 0.94:
        return []
    return [ask.number("room size", ask.room.floor_area, "m2", 1)][: ask.wanted]
