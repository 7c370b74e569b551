"""Questions that depend on a picture: how the camera moved, what is on which side, what shows, what comes closer.

Knows: the margins that make an item unambiguous (``questions.MARGINS`` says them in words). Does not know: wordings.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from placecell.backends.synthetic.asking import Ask, SyntheticQuestion
from placecell.backends.synthetic.scene import SyntheticObject
from placecell.backends.synthetic.truth import bearing_span, floor_distance, moved
from placecell.backends.synthetic.wording import DIAGONAL_WORDS, MOVE_WORDS, SIDES, TURNS, listed, pick, picture

_SIDE_DEGREES = {"front": 0.0, "right": 90.0, "back": 180.0, "left": -90.0}


def camera_motion(ask: Ask) -> list[SyntheticQuestion]:
    """Which way the camera moved, seen from the first picture: in four words, or four of eight with the diagonals."""
    poses = ask.views.world_from_cam
    candidates: list[tuple[tuple[int, int], tuple[int, int, int, int]]] = []
    for a in range(len(poses)):
        for b in range(len(poses)):
            right, up, forward = moved(poses[a], poses[b])
            level = np.hypot(right, forward)
            if level < 0.4 or abs(up) > 0.36 * level:
                continue
            degrees = float(np.degrees(np.arctan2(right, forward))) % 360
            for words in (4, 8):
                sector = 360 / words
                if abs(degrees % sector - sector / 2) >= 10:
                    candidates.append(
                        ((words, round(degrees / sector) % words), (a, b, words, round(degrees / sector) % words))
                    )
    asked = []
    for a, b, words, k in ask.balanced(candidates):
        right_word = (MOVE_WORDS if words == 4 else DIAGONAL_WORDS)[k]
        options = list(MOVE_WORDS) if words == 4 else _some_diagonals(ask, k)
        first, second = picture(ask.rng, a + 1, b + 1)
        asked.append(ask.choice("camera motion", options, right_word, picture=first, other=second))
    return asked


def _some_diagonals(ask: Ask, right: int) -> list[str]:
    others = [k for k in range(8) if k != right]
    return [DIAGONAL_WORDS[k] for k in (right, *ask.rng.choice(others, 3, replace=False))]


def side(ask: Ask) -> list[SyntheticQuestion]:
    """What is left, right, behind or ahead of where a picture was taken."""
    return _sides(ask, "side", (0,))


def side_after_turn(ask: Ask) -> list[SyntheticQuestion]:
    """The same after a stated turn."""
    return _sides(ask, "side after turn", tuple(TURNS))


def _sides(ask: Ask, family: str, turns: tuple[int, ...]) -> list[SyntheticQuestion]:
    candidates = []
    for view, pose in enumerate(ask.views.world_from_cam):
        spans = [(thing, bearing_span(pose, thing)) for thing in ask.unique if floor_distance(pose, thing) >= 0.5]
        for turn in turns:
            for side_, degrees in _SIDE_DEGREES.items():
                inside, outside = _sorted_by_sector(spans, degrees + turn)
                if inside and len(outside) >= 2:
                    candidates.append(((turn, side_), (view, turn, side_, inside, outside)))
    asked = []
    for view, turn, side_, inside, outside in ask.balanced(candidates):
        right = inside[ask.rng.integers(len(inside))]
        wrong = ask.rng.choice(len(outside), min(3, len(outside)), replace=False)
        options = [right, *(outside[k] for k in wrong)]
        slots = {"picture": picture(ask.rng, view + 1)[0], "side": pick(ask.rng, SIDES[side_])}
        if turn:
            slots["turn"] = pick(ask.rng, TURNS[turn])
        asked.append(ask.choice(family, options, right, **slots))
    return asked


def _sorted_by_sector(
    spans: list[tuple[SyntheticObject, tuple[float, float, float]]], heading: float
) -> tuple[list[str], list[str]]:
    """Names of things clearly within 45 degrees of a heading, and of those clearly outside."""
    inside, outside = [], []
    for thing, (left, middle, right) in spans:
        off = (middle - heading + 180) % 360 - 180
        low, high = off - (middle - left), off + (right - middle)
        if abs(off) <= 30 and low >= -45 and high <= 45:
            inside.append(thing.name)
        elif abs(off) >= 60 and (low >= 55 or high <= -55) and low >= -305 and high <= 305:
            outside.append(thing.name)
    return inside, outside


def visibility(ask: Ask) -> list[SyntheticQuestion]:
    """Whether a picture shows a thing, yes and no in equal parts."""
    candidates = []
    for thing in ask.unique:
        k = ask.index(thing)
        for view in range(len(ask.views)):
            if ask.sight.share[view, k] >= 0.3 and ask.sight.pixels[view, k] >= 200:
                candidates.append(("yes", (view, thing.name, "Yes")))
            elif ask.sight.surely_absent(view, k):
                # Hidden things are the harder kind of no, and rarer: a class of their own beside things outside.
                kind = "hidden" if ask.sight.may_show(view, k) else "outside"
                candidates.append((kind, (view, thing.name, "No")))
    asked = []
    for view, name, answer in ask.balanced(candidates):
        shown = picture(ask.rng, view + 1)[0]
        asked.append(ask.choice("visibility", ["Yes", "No"], answer, x=name, picture=shown))
    return asked


def closer(ask: Ask) -> list[SyntheticQuestion]:
    """Whether a turn and a step forward from a picture bring a thing closer, yes and no in equal parts."""
    candidates = []
    for view, pose in enumerate(ask.views.world_from_cam):
        for thing in ask.unique:
            if floor_distance(pose, thing) < 1.2:
                continue
            left, middle, right = bearing_span(pose, thing)
            for turn in (-90, 90):
                off = (middle - turn + 180) % 360 - 180
                low, high = off - (middle - left), off + (right - middle)
                if max(abs(low), abs(high)) <= 50:
                    candidates.append(("yes", (view, turn, thing.name, "Yes")))
                elif (low >= 110 and high <= 250) or (high <= -110 and low >= -250):
                    candidates.append(("no", (view, turn, thing.name, "No")))
    asked = []
    for view, turn, name, answer in ask.balanced(candidates):
        slots = {"picture": picture(ask.rng, view + 1)[0], "turn": pick(ask.rng, TURNS[turn]), "x": name}
        asked.append(ask.choice("closer", ["Yes", "No"], answer, **slots))
    return asked


def appearance_order(ask: Ask) -> list[SyntheticQuestion]:
    """Which of four categories a video shows first, second, third, fourth."""
    if ask.views.every_s is None:
        return []
    moments = _first_moments(ask)
    names = list(moments)
    asked: list[SyntheticQuestion] = []
    for _ in range(20 * ask.wanted):
        if len(names) < 4 or len(asked) == ask.wanted:
            break
        chosen = sorted((names[k] for k in ask.rng.choice(len(names), 4, replace=False)), key=moments.__getitem__)
        if any(moments[later][0] - moments[earlier][1] <= 1.0 for earlier, later in pairwise(chosen)):
            continue
        orders = [", ".join(chosen)]
        while len(orders) < 4:
            other = ", ".join(chosen[k] for k in ask.rng.permutation(4))
            if other not in orders:
                orders.append(other)
        asked.append(ask.choice("appearance order", orders, orders[0], list=_as_list(ask, chosen)))
    return asked


def _first_moments(ask: Ask) -> dict[str, tuple[float, float]]:
    """By name, the seconds of its first pixel and of the first picture that shows it clearly."""
    moments = {}
    for thing in ask.unique:
        pixels, share = ask.sight.pixels[:, ask.index(thing)], ask.sight.share[:, ask.index(thing)]
        clear = (pixels >= 100) & (share >= 0.1)
        if clear.any() and ask.views.every_s is not None:
            moments[thing.name] = (
                int(np.argmax(pixels > 0)) * ask.views.every_s,
                int(np.argmax(clear)) * ask.views.every_s,
            )
    return moments


def _as_list(ask: Ask, names: list[str]) -> str:
    return listed(tuple(names[k] for k in ask.rng.permutation(len(names)))).replace("the ", "")
