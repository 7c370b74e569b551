"""Parts of a video: the whole, a half, or the time around a moment."""

from __future__ import annotations

from dataclasses import dataclass

from placecell.engine.values import Absent
from placecell.memory.scene import SpatialMemory

_AROUND = 0.15
"""A window around a moment reaches this share of the video to either side, at least ``_LEAST_S`` seconds."""
_LEAST_S = 0.5


@dataclass(frozen=True)
class Window:
    """A closed interval of seconds, in words."""

    start_s: float
    end_s: float
    words: str


def window(memory: SpatialMemory, during: str, at: float | None) -> Window | Absent:
    """The part of the video that ``during`` and ``at`` (seconds) name; ``at`` wins. Absent without times."""
    times = [f.time_s for f in memory.frames if f.time_s is not None]
    if not memory.dynamic or len(times) < 2:
        return Absent("motion", "not in memory", "the memory holds no movement over time")
    first, last = min(times), max(times)
    if at is not None:
        if not first - _LEAST_S <= at <= last + _LEAST_S:
            return Absent("motion", "not in memory", f"the video lasts from {first:.1f} to {last:.1f} s")
        reach = max(_LEAST_S, _AROUND * (last - first))
        return Window(max(first, at - reach), min(last, at + reach), f"around {at:g} s")
    middle = 0.5 * (first + last)
    if during == "first_half":
        return Window(first, middle, "the first half")
    if during == "last_half":
        return Window(middle, last, "the last half")
    return Window(first, last, "the whole video")
