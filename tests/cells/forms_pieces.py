"""Family: motion in pieces. Of videos."""

from __future__ import annotations

import numpy as np
from cell_forms import Told, form
from cell_truth import apart

FAMILY = "motion in pieces"
_STRAIGHT = ("go", "back up")


def _way(mover, scene, first, last):
    """Metres gone between two frames, by a path far finer than the frames."""
    fine = np.linspace(scene.passed[first], scene.passed[last], 2001)
    places, _ = mover.act.places(fine)
    return float(np.linalg.norm(np.diff(places, axis=0), axis=1).sum())


@form(
    FAMILY,
    "How far did the {mover} go between second {start} and second {end} of the video?",
    """
    answer(path_between(mover, start=seconds({start}), end=seconds({end})))
    """,
    unit="m",
    world="video",
)
def way_in_a_piece(scene, mover):
    first, last = 5, 15
    way = _way(mover, scene, first, last)
    told = {"start": f"{scene.times[first]:g}", "end": f"{scene.times[last]:g}"}
    return Told(way, told) if way > 0.8 and mover.act.deed in (*_STRAIGHT, "turn") else None


@form(
    FAMILY,
    "How many times as fast as the {other} is the {mover}, both between second 1 and second 3?",
    """
    fast = speed_between(mover, start=seconds(1), end=seconds(3))
    slow = speed_between(other, start=seconds(1), end=seconds(3))
    answer(fast / slow)
    """,
    world="video",
)
def times_as_fast(scene, mover, other):
    ways = [_way(m, scene, 5, 15) for m in (mover, other)]
    straight = all(m.act.deed in (*_STRAIGHT, "turn", "circle") for m in (mover, other))
    return ways[0] / ways[1] if straight and ways[1] > 0.5 and ways[0] / ways[1] > 1.15 else None


@form(
    FAMILY,
    "How far from where it was at the beginning did the {mover} get, at most?",
    """
    times = moments_of(mover)
    begin = first(times)
    answer(max(length_of(position_at(mover, t) - position_at(mover, begin)) for t in times))
    """,
    unit="m",
    world="video",
)
def farthest_from_its_start(scene, mover):
    centres = scene.centres(mover)
    gaps = np.linalg.norm(centres - centres[0], axis=1)
    return float(gaps.max()) if gaps.max() > 0.8 and mover.act.deed in ("to and fro", "circle", "turn") else None


@form(
    FAMILY,
    "By how many degrees did the {mover} turn to the right between second 1 and second 3?",
    """
    answer(turn_between(mover, start=seconds(1), end=seconds(3)))
    """,
    unit="degrees",
    world="video",
)
def turned_in_a_piece(scene, mover):
    headings = scene.headings(mover)
    turned = float(headings[15] - headings[5])
    return turned if abs(turned) > 30 and mover.faces and mover.act.deed in ("spin", "circle", "turn") else None


@form(
    FAMILY,
    "How many metres longer is the way that the {mover} goes in the whole video than the straight line between its "
    "beginning and its end?",
    """
    times = moments_of(mover)
    way = path_between(mover, start=first(times), end=last(times))
    line = length_of(position_at(mover, last(times)) - position_at(mover, first(times)))
    answer(way - line)
    """,
    unit="m",
    world="video",
)
def a_detour(scene, mover):
    centres = scene.centres(mover)
    more = _way(mover, scene, 0, len(scene.times) - 1) - apart(centres[0], centres[-1])
    return more if more > 0.4 and mover.act.deed in ("turn", "circle") else None
