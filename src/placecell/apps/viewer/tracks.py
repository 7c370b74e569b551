"""Where the moving things of a memory are at a moment, and the way each has come."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from placecell.memory.scene import SpatialMemory
from placecell.memory.track import Track

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Place:
    """A track at a moment. ``seen``: whether it was seen there, else its place is bridged from before and after."""

    track: Track
    centre: Array
    seen: bool


def span_s(memory: SpatialMemory) -> tuple[float, float] | None:
    """First and last moment of the tracks in seconds; None without tracks."""
    spans = [track.span_s for track in memory.tracks]
    return (min(a for a, _ in spans), max(b for _, b in spans)) if spans else None


def place_at(track: Track, time_s: float) -> Place | None:
    """Where a track is, on the straight line between its samples; None outside of its span, where nothing is known."""
    times = track.times_s
    first, last = track.span_s
    if not first <= time_s <= last:
        return None
    after = int(np.searchsorted(times, time_s))
    before = max(after - 1, 0) if times[after] > time_s else after
    share = 0.0 if before == after else (time_s - times[before]) / (times[after] - times[before])
    centre = (1 - share) * track.centres[before] + share * track.centres[after]
    return Place(track, centre, bool(track.seen[before] and track.seen[after]))


def way(track: Track) -> Array:
    """The segments (N - 1, 2, 3) between its samples."""
    return np.stack([track.centres[:-1], track.centres[1:]], axis=1)
