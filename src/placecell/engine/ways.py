"""The shape of a way: its smoothed points, the stretches between its corners, how far it turned, where it reversed.

Knows points over time. Does not know tracks, cameras or names. The vertical is +y.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from placecell.geometry.transforms import Array, wrap_degrees

REVERSAL_DEG = 135.0
"""A change of direction sharper than this between two stretches is a reversal, not a turn."""
_REACH_S = 0.25
_STRETCHES = 16


def smoothed(times: Array, points: Array) -> Array:
    """(N, k) values at each time of straight lines fitted to the quarter second around it (at least 3 moments).

    A line keeps the ends where they are; a mean would pull them in.
    """
    if len(times) < 4:
        return points.copy()
    out = np.empty_like(points)
    for i, now in enumerate(times):
        near = _near(times, i)
        t = times[near] - now
        mean = t.mean()
        spread = float(((t - mean) ** 2).sum())
        slope = (t - mean) @ points[near] / spread
        out[i] = points[near].mean(axis=0) - mean * slope
    return out


def share_left(times: Array, i: int) -> float:
    """Share of the deviation of one moment that is left in the smoothed point ``i``, all being equally uncertain."""
    if len(times) < 4:
        return 1.0
    t = times[_near(times, i)] - times[i]
    mean = t.mean()
    return float(np.sqrt(1 / len(t) + mean**2 / ((t - mean) ** 2).sum()))


def _near(times: Array, i: int) -> NDArray[np.bool_]:
    """(N,) the moments that a line at moment ``i`` is fitted to."""
    near: NDArray[np.bool_] = np.abs(times - times[i]) <= _REACH_S
    near[max(0, i - 1) : i + 2] = True
    return near


@dataclass(frozen=True)
class Way:
    """``knots``: indices of points of the way at least one stretch apart; ``headings`` (K - 1,) compass degrees between
    them; ``bends`` (K - 2,) degrees from one to the next, + = right, 0 at reversals; ``reversals``: indices of points.
    """

    knots: tuple[int, ...]
    headings: Array
    bends: Array
    reversals: tuple[int, ...]

    @property
    def turned(self) -> float:
        """Degrees turned in all, + = right; a reversal is no turn."""
        return float(self.bends.sum())


def way_of(points: Array, least: float) -> Way:
    """The way through points (N, 3). ``least``: shorter moves than this are noise."""
    spread = float(np.linalg.norm(points - points[0], axis=1).max(initial=0.0))
    length = max(least, spread / _STRETCHES, 1e-12)
    knots = [0]
    for i in range(1, len(points)):
        if np.linalg.norm(points[i] - points[knots[-1]]) >= length:
            knots.append(i)
    moved = np.diff(points[knots], axis=0)
    headings = np.degrees(np.arctan2(moved[:, 0], -moved[:, 2]))
    steep = np.hypot(moved[:, 0], moved[:, 2]) < 0.3 * np.abs(moved[:, 1])
    bends = np.zeros(max(0, len(moved) - 1))
    reversals = []
    for k in range(len(bends)):
        a, b = moved[k], moved[k + 1]
        cosine = float(a @ b / (np.linalg.norm(a) * np.linalg.norm(b)))
        if cosine < np.cos(np.radians(REVERSAL_DEG)):
            reversals.append(_farthest(points, knots[k], knots[k + 2], a))
        elif not (steep[k] or steep[k + 1]):
            bends[k] = wrap_degrees(headings[k + 1] - headings[k])
    return Way(tuple(knots), headings, bends, tuple(reversals))


def _farthest(points: Array, first: int, last: int, along: Array) -> int:
    return first + int(np.argmax(points[first : last + 1] @ along))


def stretches(values: Array, least: float) -> list[tuple[int, int, float]]:
    """(first, last, sum) of the longest runs of ``values`` that add up one way, by at least ``least``.

    What goes the other way by less than ``least`` in between does not break a run (a zigzag filter of the sums).
    """
    sums = np.concatenate([[0.0], np.cumsum(values)])
    pivots: list[int] = []
    low = high = extreme = way = 0
    for i, now in enumerate(sums.tolist()):
        if way == 0:
            low, high = (i if now < sums[low] else low), (i if now > sums[high] else high)
            if now - sums[low] >= least or sums[high] - now >= least:
                way = 1 if now - sums[low] >= least else -1
                pivots, extreme = [low if way > 0 else high], i
        elif way * (now - sums[extreme]) > 0:
            extreme = i
        elif way * (sums[extreme] - now) >= least:
            pivots.append(extreme)
            way, extreme = -way, i
    pivots += [extreme] if way else []
    return [(a, b - 1, float(sums[b] - sums[a])) for a, b in pairwise(pivots)]
