"""Questions about a synthetic room with their true answers: every family people and benchmarks ask, balanced, seeded.

Knows: which items are unambiguous, and by which margin (``MARGINS``). Does not know: how anything answers them. The
families live in ``asked_views`` (what depends on a picture) and ``asked_things`` (what depends on the room alone).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from placecell.backends.synthetic import asked_things, asked_views
from placecell.backends.synthetic.asking import Ask, SyntheticQuestion
from placecell.backends.synthetic.path import Views
from placecell.backends.synthetic.scene import SyntheticRoom
from placecell.backends.synthetic.truth import Sight
from placecell.errors import UserError

__all__ = ["FAMILIES", "MARGINS", "SyntheticQuestion", "questions_about"]

FAMILIES: Mapping[str, Callable[[Ask], list[SyntheticQuestion]]] = {
    "camera motion": asked_views.camera_motion,
    "side": asked_views.side,
    "side after turn": asked_views.side_after_turn,
    "visibility": asked_views.visibility,
    "closer": asked_views.closer,
    "appearance order": asked_views.appearance_order,
    "distance": asked_things.distance,
    "size": asked_things.size,
    "count": asked_things.count,
    "nearest": asked_things.nearest,
    "farthest": asked_things.farthest,
    "relative direction": asked_things.relative_direction,
    "room size": asked_things.room_size,
}

# Long enough to be exact, short enough to print beside a table of results.
MARGINS: Mapping[str, str] = {
    "camera motion": "moved 0.4 m or more, 10 degrees off the boundary between words, less than 20 degrees steep",
    "side": "the answer lies within 45 degrees of the side, its middle within 30; the others beyond 55",
    "side after turn": "as for side, after the turn",
    "visibility": "30 % of it shows, or no pixel and it is 6 % of the width outside or 10 cm behind what hides it",
    "closer": "1.2 m away or more, all of it within 50 degrees of the new heading, or all beyond 110",
    "appearance order": "more than 1 s from when one shows clearly (a tenth, 100 pixels) to the next one's first pixel",
    "distance": "0.4 m or more, all sides of both seen to 95 %, surfaces as far apart as boxes within 3 %",
    "size": "its longest side seen to 96 %; turned boxes that are as small have the same longest side (2 %)",
    "count": "each instance shows in two pictures, 15 cm from the next",
    "nearest": "distances from 0.15 m that differ by 0.2 m, on boxes and on surfaces",
    "farthest": "as for nearest",
    "relative direction": "0.8 m to 5 m apart, 12 degrees off each boundary, no more than two box corners across it",
    "room size": "94 % of the plan under something seen",
}


def questions_about(
    room: SyntheticRoom,
    views: Views,
    *,
    per_family: int = 2,
    families: tuple[str, ...] | None = None,
    seed: int = 0,
    size: tuple[int, int] = (320, 240),
    fov_x: float = 70.0,
) -> tuple[SyntheticQuestion, ...]:
    """Up to ``per_family`` questions of each family that the pictures can answer; fewer where few are unambiguous.

    ``views``, ``size`` and ``fov_x`` must be those of the capture that is asked. Appearance order is asked of videos
    only. Objects asked about are of one instance (counting aside) and show well in at least two pictures.
    """
    unknown = set(families or ()) - set(FAMILIES)
    if unknown:
        raise UserError(f"unknown question family {sorted(unknown)[0]!r}", hint=f"use one of {', '.join(FAMILIES)}")
    sight = Sight.of(room, views, size, fov_x)
    asked: list[SyntheticQuestion] = []
    for k, (family, make) in enumerate(FAMILIES.items()):
        if families is None or family in families:
            rng = np.random.default_rng([room.seed, seed, 7, k])
            asked += make(Ask(room, views, sight, rng, per_family))
    return tuple(asked)
