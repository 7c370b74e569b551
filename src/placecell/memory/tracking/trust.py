"""How far each sighting of one thing tells where it is: strays, whole views, and how much a partial view leaves open.

Knows the sightings of one thing in order of time. A detector now and then shifts a mask onto what is behind, cuts it in
two or joins it with a neighbour; such a sighting lies off the way of those around it. Of a thing that the picture cuts
off, or that something covers, a part shows, whose middle moves although the thing may not.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations

import numpy as np

from placecell.geometry.egomotion import position_noise
from placecell.geometry.transforms import Array
from placecell.memory.tracking.settings import TrackSettings
from placecell.memory.tracking.sightings import Sighting

_AROUND = 7
"""A sighting is compared with the way of this many around it, itself left out."""
_STEPS, _SIGMAS, _SIZES = 2.0, 4.5, 0.1
"""A stray is farther off than this many of the steps there, and this many deviations of noise or sizes of the thing."""
_ROUNDS = 3
_LOOSE = 0.05
"""The middle of a part is that uncertain besides, in sizes."""
_CUT_BUT_WHOLE = 0.9
"""At the picture's edge with more than this share of its usual area a thing is hardly cut."""


def jitter(chain: Sequence[Sighting]) -> float:
    """One standard deviation of the middles along an axis, at least that of a mask's edges, which are known to a pixel.

    Depth is told worst. Of the three axes the fourth-power mean is taken: a distance of some deviations is then passed
    as rarely by noise along one axis alone as by the same noise along all three.
    """
    middles, times = np.array([s.middle for s in chain]), np.array([s.time_s for s in chain])
    pixel = float(np.median([s.pixel for s in chain]))
    mean = np.mean([position_noise(middles[:, k : k + 1], times) ** 4 for k in range(3)]) ** 0.25
    return max(float(mean), pixel / math.sqrt(12.0))


def without_strays(chain: Sequence[Sighting], settings: TrackSettings) -> list[Sighting]:
    """The sightings on the way of those around them; all of them when they are too few to tell.

    Partial views leave that way too, with nothing wrong about their masks, and are kept.
    """
    kept = list(chain)
    for _ in range(_ROUNDS):  # two strays in a row hide each other
        if len(kept) <= _AROUND:
            break
        near = _on_their_way(kept) | np.array([_partial(s, settings) for s in kept])
        if near.all():
            break
        kept = [s for s, ok in zip(kept, near, strict=True) if ok]
    return kept


def _on_their_way(chain: Sequence[Sighting]) -> Array:
    """(N,) whether each middle lies near the line through those around it (Theil-Sen: half of them may be wrong), or
    goes on from its neighbours: of a thing that turned back just before the end, the line points elsewhere."""
    n = len(chain)
    at, times = np.array([s.middle for s in chain]), np.array([s.time_s for s in chain])
    first = np.clip(np.arange(n) - _AROUND // 2, 0, n - _AROUND)
    window = first[:, None] + np.arange(_AROUND)
    others = window[window != np.arange(n)[:, None]].reshape(n, _AROUND - 1)
    t, p = times[others] - times[:, None], at[others]
    a, b = np.array(list(combinations(range(_AROUND - 1), 2))).T
    slope = np.median((p[:, b] - p[:, a]) / (t[:, b] - t[:, a])[..., None], axis=1)
    expected = np.median(p - slope[:, None] * t[..., None], axis=1)
    step = np.median(np.linalg.norm(np.diff(p, axis=1), axis=2), axis=1)
    size = float(np.median([np.ptp(s.points, axis=0).max() for s in chain]))
    reach = max(_SIGMAS * jitter(chain), _SIZES * size) + _STEPS * step
    apart = np.linalg.norm(np.diff(at, axis=0), axis=1)
    jumps = np.maximum(np.append(0, apart), np.append(apart, 0))
    return np.asarray(np.minimum(np.linalg.norm(at - expected, axis=1), jumps) <= reach)


def whole_views(chain: Sequence[Sighting], settings: TrackSettings) -> list[Sighting]:
    """The sightings that nothing covers and no edge cuts; all of them when those are too few."""
    usual = float(np.percentile([s.area for s in chain], 75))

    def whole(s: Sighting) -> bool:
        share = s.area / usual
        cut = s.cut and share < _CUT_BUT_WHOLE
        partly = _partial(s, settings) and share < settings.enough_seen
        return not (cut or partly or s.covered > settings.covered)

    clear = [s for s in chain if whole(s)]
    return clear if len(clear) >= min(3, len(chain)) else list(chain)


def _partial(s: Sighting, settings: TrackSettings) -> bool:
    """Whether something may hide a part of it."""
    return s.cut or s.covered > settings.covered / 3


def left_open(chain: Sequence[Sighting], whole: Sequence[Sighting], settings: TrackSettings) -> Array:
    """(N, 3) how far, along each axis, the centre may lie from the middle of what shows: half of what does not show.

    More than usual shows where other sides of the thing, or what is not its own, come into view; that is as uncertain.
    """
    usual = np.percentile([s.extent for s in whole], 75, axis=0)
    unusual = np.array([np.abs(usual - s.extent) for s in chain]) / 2 + _LOOSE * usual.max()
    partial = np.array([_partial(s, settings) for s in chain])
    return np.asarray(np.where(partial[:, None], unusual, 0))


def unproven(centres: Array, chain: Sequence[Sighting], open_: Array) -> float:
    """How much of the spread of ``centres`` (M, 3) the sightings do not prove: another place of what is hidden would
    explain them with less movement. ``open_`` as ``left_open`` gives it for the chain."""
    middles = np.array([s.middle for s in chain])
    proven = np.maximum((middles - open_).max(axis=0) - (middles + open_).min(axis=0), 0)
    return float(np.linalg.norm(np.maximum(np.ptp(centres, axis=0) - proven, 0)))
