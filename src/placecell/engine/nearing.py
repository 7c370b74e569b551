"""Whether a mover came nearer to another thing: how their distance along the ground changed in a part of a video.

Knows two tracks. Does not know cameras or words.
"""

from __future__ import annotations

import numpy as np

from placecell.engine.derived import way_along
from placecell.memory.track import Track


def nearing(mover: Track, other: Track, span_s: tuple[float, float]) -> tuple[float, float]:
    """Change of the distance between two tracks from the first to the last moment of the mover in ``span_s``.

    Negative: it came nearer. The second number is one standard deviation, in the same unit. Where the other was not
    tracked, it is taken to have stayed at the nearest end of its track.
    """
    inside = mover.between(*span_s)
    if len(inside) < 2:
        return 0.0, float("inf")
    ends = inside[[0, -1]]
    own = way_along(mover)[ends]
    points = way_along(other)
    theirs = np.stack([np.interp(mover.times_s[ends], other.times_s, points[:, k]) for k in range(3)], axis=-1)
    away = np.linalg.norm((own - theirs)[:, [0, 2]], axis=1)
    sd = np.hypot(np.median(mover.centre_sd), np.median(other.centre_sd)) * np.sqrt(2.0)
    return float(away[1] - away[0]), float(sd)
