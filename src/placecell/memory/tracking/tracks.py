"""From the sightings of one thing to its track: bridged over hidden moments, with noise, drift, spin and confidence.

Knows sightings in the upright world frame and the times of all frames. Does not know where masks come from.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np

from placecell.geometry.transforms import Array
from placecell.memory.track import Track
from placecell.memory.tracking.settings import TrackSettings
from placecell.memory.tracking.sightings import Sighting
from placecell.memory.tracking.trust import jitter, left_open, unproven, whole_views, without_strays
from placecell.memory.tracking.turning import turning

_TOLD = 0.4
"""A thing whose turning is told at fewer of its moments than this share looks round; stray answers are no turn."""
_MOVED_ON_S = 1.0
"""Before it was fully seen, and after, a thing is taken to move as in this much time next to it."""
_CLEARLY, _STRAIGHT = 4.5, 0.1
"""A way shows a front when it is longer than so many deviations, and leaves its line by at most this share."""
_SIDE_SHARE = 0.25
"""The middle of what is visible lies about this share of a thing's size off its centre, towards the camera."""


def track_of(
    id: int,
    chain: Sequence[Sighting],
    times: Mapping[int, float],
    settings: TrackSettings,
    *,
    depth_sd: float = 0.01,
    front: Array | None = None,
) -> Track:
    """The track of one thing.

    Args:
        chain: its sightings in order of time, world frame.
        times: seconds of every frame of the video by number; between the first and the last sighting each has a moment.
        front: (3,) where its front points at the first sighting, world; None: not known.
    """
    seen = {s.frame: s for s in chain}
    numbers = np.array([n for n in sorted(times) if chain[0].frame <= n <= chain[-1].frame])
    at = np.array([times[n] for n in numbers.tolist()])
    steady = without_strays(chain, settings)
    whole = whole_views(steady, settings)
    open_ = left_open(steady, whole, settings)
    extents = np.array([np.ptp(s.points, axis=0) for s in whole])
    size = float(np.percentile(extents.max(axis=1), 90))
    depth_noise = depth_sd * float(np.median([s.depth for s in whole])) / np.sqrt(len(whole[0].points))
    noise = max(jitter(whole), depth_noise)
    centres = _bridged(at, whole, steady, open_)
    shown = [seen.get(n) for n in numbers.tolist()]
    visible = np.array([s is not None for s in shown])
    spin = _spin(at, whole)
    drift = min(_drift(whole, extents, size, unproven(centres, steady, open_)), size)
    front_deg = _front(front, spin, at) if front is not None else _way_ahead(centres, _CLEARLY * noise + drift)
    told: Literal["label", "motion"] = "label" if front is not None else "motion"
    return Track(
        id=id,
        name=chain[0].name,
        frames=numbers,
        times_s=at,
        centres=centres,
        centre_sd=np.where(visible, noise, 4 * noise),
        seen=visible,
        spin=spin,
        front_deg=front_deg,
        pixels=np.array([0 if s is None else s.pixels for s in shown]),
        bbox=np.array([(0, 0, 0, 0) if s is None else s.bbox for s in shown]),
        front_from=told if np.isfinite(front_deg).any() else None,
        size=size,
        width=float(np.percentile(extents[:, [0, 2]].max(axis=1), 90)),
        drift=drift,
        confidence=_confidence(chain),
    )


def _bridged(at: Array, whole: Sequence[Sighting], steady: Sequence[Sighting], open_: Array) -> Array:
    """(N, 3) centres at all moments: of whole sightings, between them on a line, beyond them as it was moving there.

    No centre is further from the middle of what shows of the thing at that moment than ``open_`` allows.
    """
    known = np.array([s.time_s for s in whole])
    values = np.array([s.middle for s in whole])
    centres = np.stack([np.interp(at, known, values[:, k]) for k in range(3)], axis=-1)
    for outside, end, near in (
        (at < known[0], 0, known <= known[0] + _MOVED_ON_S),
        (at > known[-1], -1, known >= known[-1] - _MOVED_ON_S),
    ):
        if outside.any() and near.sum() > 1:
            slope = np.polyfit(known[near], values[near], 1)[0]
            centres[outside] = values[end] + (at[outside] - known[end])[:, None] * slope
    shown = np.array([s.middle for s in steady])
    when = np.searchsorted(at, [s.time_s for s in steady])
    centres[when] = np.clip(centres[when], shown - open_, shown + open_)
    return centres


def _drift(whole: Sequence[Sighting], extents: Array, size: float, unproven: float) -> float:
    """How far the middle may wander although the thing stays: other sides of it come into view, or parts are hidden."""
    width = extents[:, [0, 2]].max(axis=1)
    wobble = 0.5 * float(np.percentile(width, 90) - np.percentile(width, 10))
    sight = np.array([s.middle - s.camera for s in whole])[:, [0, 2]]
    bearing = np.unwrap(np.arctan2(sight[:, 0], -sight[:, 1]))
    sides = _SIDE_SHARE * size * min(1.0, float(np.ptp(bearing)))
    return max(min(wobble, size / 2), unproven) + sides


def _spin(at: Array, whole: Sequence[Sighting]) -> Array:
    """(N, 3) degrees per second about the vertical; NaN where nothing tells it, 0 in between for a moment."""
    rate = turning(whole, at)
    known = np.isfinite(rate)
    spin = np.full((len(at), 3), np.nan)
    if known.mean() >= _TOLD:
        spin[:, 0] = spin[:, 2] = 0.0
        spin[:, 1] = -np.nan_to_num(rate)
    return spin


def _way_ahead(centres: Array, least: float) -> Array:
    """(N,) heading of a way that goes straight on and farther than ``least``, as a thing's front; NaN without one."""
    net = centres[-1] - centres[0]
    length = float(np.hypot(net[0], net[2]))
    if length <= max(least, 1e-9):
        return np.full(len(centres), np.nan)
    ahead = net[[0, 2]] / length
    gone = (centres - centres[0])[:, [0, 2]]
    along, aside = gone @ ahead, gone @ [-ahead[1], ahead[0]]
    back = float((np.maximum.accumulate(along) - along).max())
    straight = max(float(np.ptp(aside)), back) <= max(_STRAIGHT * length, least)
    return np.full(len(centres), np.degrees(np.arctan2(ahead[0], -ahead[1])) if straight else np.nan)


def _front(front: Array, spin: Array, at: Array) -> Array:
    """(N,) heading of the front: where it points first, turned with the thing."""
    start = np.degrees(np.arctan2(front[0], -front[2]))
    rate = -np.nan_to_num(spin[:, 1])
    turned = np.concatenate([[0.0], np.cumsum(0.5 * (rate[1:] + rate[:-1]) * np.diff(at))])
    return np.asarray(start + turned)


def _confidence(chain: Sequence[Sighting]) -> float:
    """That there is such a thing: every sighting halves the doubt down to what the masks' own scores leave."""
    score = float(np.mean([s.score for s in chain]))
    return score * (1 - 0.5 ** len(chain))
