"""Which offered side word fits a measured direction, and how clearly.

One rule serves all sets of words: the word whose centre is nearest in angle. Of four quadrants, left and right, left,
right and back, or eight words, that gives exactly the sectors of their definitions: quadrants meet at 0, 90, 180, 270
degrees, "back" begins at 135 degrees of turn when only left and right are beside it, eight words are 45 degrees wide.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from placecell.engine.values import Direction

# Right, up, forward; "towards" and "away" are the camera's, for what it sees.
_AXES: dict[str, tuple[float, float, float]] = {
    "right": (1, 0, 0),
    "left": (-1, 0, 0),
    "up": (0, 1, 0),
    "above": (0, 1, 0),
    "down": (0, -1, 0),
    "below": (0, -1, 0),
    "front": (0, 0, 1),
    "forward": (0, 0, 1),
    "back": (0, 0, -1),
    "behind": (0, 0, -1),
    "backward": (0, 0, -1),
    "away": (0, 0, 1),
    "towards": (0, 0, -1),
}
EIGHT = ("front", "front-right", "right", "back-right", "back", "back-left", "left", "front-left")
"""Sides of a circle, clockwise."""
CLOSE_DEGREES = 5.0
"""A direction this near to the border of its sector is said to be near it, however well it was measured."""

Offset = tuple[float, float, float]


@dataclass(frozen=True)
class Side:
    """The word that fits best. ``margin``: degrees to the border with the next best, ``rival``; 180 without one."""

    word: str
    margin: float
    rival: str | None = None

    @property
    def close(self) -> bool:
        return self.margin < CLOSE_DEGREES


def axis(word: str) -> Offset | None:
    """Right, up, forward of a side word such as "left" or "front-left"; None for any other word."""
    parts = [_AXES.get(part) for part in word.split("-")]
    if not parts or None in parts:
        return None
    right, up, forward = (sum(p[i] for p in parts if p) for i in range(3))
    length = math.hypot(right, up, forward)
    return (right / length, up / length, forward / length) if length else None


def best_side(offset: Offset, words: Sequence[str]) -> Side | None:
    """The word nearest to ``offset`` (right, up, forward); None when no word is a side or the offset is nothing.

    Height counts only when one of the words is about height.
    """
    known = {w: a for w in words if (a := axis(w)) is not None}
    flat = all(a[1] == 0 for a in known.values())
    vector = (offset[0], 0.0 if flat else offset[1], offset[2])
    length = math.hypot(*vector)
    if not known or length < 1e-9:
        return None
    angles = sorted((_angle(vector, length, a), w) for w, a in known.items())
    best, word = angles[0]
    if len(angles) == 1:
        return Side(word, 180.0)
    return Side(word, (angles[1][0] - best) / 2, angles[1][1])


def angle_to(direction: Direction, word: str) -> float:
    """Degrees between a side word and the nearest part of the target, 0 when the target spans it."""
    towards = axis(word)
    if towards is None or towards[1] != 0:
        return 180.0 if towards is None else _angle(direction.offset, math.hypot(*direction.offset) or 1.0, towards)
    centre = math.degrees(math.atan2(towards[0], towards[2]))
    off = wrap(centre - direction.bearing)
    left, right = direction.span[0] - direction.bearing, direction.span[1] - direction.bearing
    return max(0.0, off - right, left - off)


def wrap(degrees: float) -> float:
    """The same angle in [-180, 180)."""
    return (degrees + 180.0) % 360.0 - 180.0


def _angle(vector: Offset, length: float, unit: Offset) -> float:
    cosine = sum(a * b for a, b in zip(vector, unit, strict=True)) / length
    return math.degrees(math.acos(max(-1.0, min(1.0, cosine))))
