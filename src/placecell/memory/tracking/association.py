"""Which sightings are one thing: by its id where that is to be trusted, else by place, motion and colour.

Knows the sightings of one video, in order of time; nothing is kept from one video to the next.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby

import numpy as np
from scipy.optimize import linear_sum_assignment

from placecell.geometry.transforms import Array
from placecell.memory.tracking.settings import TrackSettings
from placecell.memory.tracking.sightings import Sighting

_COLOUR = 0.25
"""A difference of mean colour that weighs as much as a miss by the whole reach."""
_TOO_FAR = 1e6
"""The cost of a pair that is no pair."""
_REMEMBERED, _COVERED = 24, 0.1
"""Where a thing goes is told from the last so many sightings of which at most this share is covered."""


def chains(found: Sequence[Sighting], settings: TrackSettings) -> list[list[Sighting]]:
    """The sightings of each thing, in order of time; every sighting is in one chain, which has one a frame.

    An id that comes twice in a frame, as of label images and of a tracker, is believed once.
    """
    by_id: dict[tuple[str, int], list[Sighting]] = {}
    loose: list[Sighting] = []
    for s in sorted(found, key=lambda s: s.frame):
        if s.identity is None or not settings.trust_ids:
            loose.append(s)
            continue
        chain = by_id.setdefault((s.name, s.identity), [])
        (loose if chain and chain[-1].frame == s.frame else chain).append(s)
    open_: list[_Chain] = []
    for _, group in groupby(loose, key=lambda s: s.frame):
        _extend(open_, list(group), settings)
    return [*by_id.values(), *(c.sightings for c in open_)]


@dataclass
class _Chain:
    """The sightings of one thing so far, its mean ``colour`` (3,) of 0..1, and its size of late (world lengths)."""

    sightings: list[Sighting] = field(default_factory=list)
    colour: Array = field(default_factory=lambda: np.zeros(3))
    size: float = 0.0

    def add(self, s: Sighting) -> None:
        n = min(len(self.sightings), 8)
        self.colour = (n * self.colour + s.colours.mean(axis=0)) / (n + 1)
        self.size = max(0.9 * self.size, float(np.linalg.norm(np.ptp(s.points, axis=0))))
        self.sightings.append(s)

    def expected(self, time_s: float) -> tuple[Array, float]:
        """Where it should be, and how far it may be from there besides its size."""
        # What goes behind something shows less and less of itself, whose middle hardly moves.
        clear = [s for s in self.sightings[-_REMEMBERED:] if s.covered <= _COVERED and not s.cut] or self.sightings[-1:]
        last = clear[-1]
        if len(clear) < 2:
            return last.middle, 0.0
        before = clear[max(-4, -len(clear))]
        velocity = (last.middle - before.middle) / max(last.time_s - before.time_s, 1e-6)
        gap = time_s - last.time_s
        return last.middle + velocity * gap, 0.5 * float(np.linalg.norm(velocity)) * gap


def _extend(open_: list[_Chain], new: list[Sighting], settings: TrackSettings) -> None:
    """Each new sighting joins the chain it fits best (one to one, least cost in all), or starts one."""
    cost = np.full((len(open_), len(new)), _TOO_FAR)
    for i, chain in enumerate(open_):
        for j, s in enumerate(new):
            if s.name == chain.sightings[-1].name:
                cost[i, j] = _cost(chain, s, settings)
    taken: set[int] = set()
    for i, j in np.stack(linear_sum_assignment(cost), axis=-1).tolist():
        if cost[i, j] < _TOO_FAR:
            open_[i].add(new[j])
            taken.add(j)
    for k, s in enumerate(new):
        if k not in taken:
            chain = _Chain()
            chain.add(s)
            open_.append(chain)


def _cost(chain: _Chain, s: Sighting, settings: TrackSettings) -> float:
    gap = s.time_s - chain.sightings[-1].time_s
    if gap > settings.most_hidden_s:
        return _TOO_FAR
    at, slack = chain.expected(s.time_s)
    size = max(chain.size, float(np.linalg.norm(np.ptp(s.points, axis=0))))
    # A thing that has only just appeared, or was hidden, may have started to move.
    reach = settings.reach * size * (1 + min(gap / settings.most_hidden_s, 1)) + slack
    miss = float(np.linalg.norm(s.middle - at))
    colour = float(np.abs(chain.colour - s.colours.mean(axis=0)).max()) / _COLOUR
    return miss / reach + colour if miss <= reach and colour <= 1.5 else _TOO_FAR
