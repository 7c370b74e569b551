"""Viewpoints without geometry: where a program stands and looks, as far as its text tells.

A ``ViewPose`` is an anchor (an image's camera or an object), a heading reference and what was turned and stepped
since. That is enough to decide whether two programs end at the same place with the same heading, whatever the memory.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

DEFAULT_TURN = {"left": 90.0, "right": 90.0, "up": 45.0, "down": 45.0, "back": 180.0}
"""Degrees of a turn without an amount, by direction (design: headings and turns)."""

SIDE_BEARING = {
    "front": 0.0, "front-right": 45.0, "right": 90.0, "back-right": 135.0, "back": 180.0, "back-left": 225.0,
    "left": 270.0, "front-left": 315.0,
}  # fmt: skip
"""Bearing of a side word in degrees, positive right."""


@dataclass(frozen=True, slots=True)
class Place:
    """An anchor: image ``image``'s camera, or the object called ``name``."""

    image: int | None = None
    name: str | None = None

    def __str__(self) -> str:
        return (
            f"image {self.image}" if self.image is not None else f"the {self.name}" if self.name else "an unnamed place"
        )


@dataclass(frozen=True, slots=True)
class Heading:
    """What fixes the heading before turns: the place's own, an image's, or looking at an object."""

    own: bool = True
    image: int | None = None
    towards: str | None = None

    def __str__(self) -> str:
        if self.towards is not None:
            return f"facing the {self.towards}"
        return f"facing as in image {self.image}" if self.image is not None else "with its own heading"


@dataclass(frozen=True, slots=True)
class ViewPose:
    """A simulated pose: ``yaw`` and ``pitch`` in degrees since the anchor (positive right and up), and the way moved.

    ``moved`` is (right, up, forward) in the anchor's terms; a step without a distance counts ``default_step`` = 1,
    one with a distance its metres in ``metres``: the two are different units and never added. ``level``: the horizon is
    kept level, so that the pose may differ from its camera's.
    """

    place: Place
    heading: Heading
    yaw: float = 0.0
    pitch: float = 0.0
    moved: tuple[float, float, float] = (0.0, 0.0, 0.0)
    metres: tuple[float, float, float] = (0.0, 0.0, 0.0)
    level: bool = False

    @property
    def photo(self) -> int | None:
        """The image whose camera has exactly this pose, if it is one's."""
        moved = (self.yaw, self.pitch, *self.moved, *self.metres)
        return self.place.image if self.heading.own and not self.level and not any(moved) else None

    def turned(self, direction: str, degrees: float | None) -> ViewPose:
        amount = DEFAULT_TURN[direction] if degrees is None else degrees
        if direction in ("up", "down"):
            return replace(self, pitch=self.pitch + (amount if direction == "up" else -amount))
        return replace(self, yaw=(self.yaw + (-amount if direction == "left" else amount)) % 360.0)

    def stepped(self, direction: str, distance: float | None) -> ViewPose:
        """A step along the floor (forward, backward, left, right) or up and down, in terms of the current heading."""
        bearing = {"forward": 0.0, "right": 90.0, "backward": 180.0, "left": 270.0}.get(direction)
        size = 1.0 if distance is None else distance
        if bearing is None:
            step = (0.0, size if direction == "up" else -size, 0.0)
        else:
            angle = math.radians(self.yaw + bearing)
            step = (size * math.sin(angle), 0.0, size * math.cos(angle))
        if distance is None:
            return replace(self, moved=_plus(self.moved, step))
        return replace(self, metres=_plus(self.metres, step))

    @property
    def displacement(self) -> tuple[float, float, float]:
        """The way moved as one vector: metres where given, else default steps (only its direction means anything)."""
        return _plus(self.moved, self.metres)


def _plus(a: tuple[float, float, float], b: tuple[float, float, float]) -> tuple[float, float, float]:
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


def angle_between(a: float, b: float) -> float:
    """Smallest angle between two headings, 0 to 180 degrees."""
    return abs((a - b + 180.0) % 360.0 - 180.0)


def same_way(a: tuple[float, float, float], b: tuple[float, float, float], tolerance: float = 1.0) -> bool:
    """Whether two displacements point the same way within ``tolerance`` degrees, or are both zero."""
    size_a, size_b = math.hypot(*a), math.hypot(*b)
    if size_a < 1e-6 or size_b < 1e-6:
        return size_a < 1e-6 and size_b < 1e-6
    cosine = sum(x * y for x, y in zip(a, b, strict=True)) / (size_a * size_b)
    return cosine > math.cos(math.radians(tolerance))


def turn_words(yaw: float) -> str:
    """ "90 degrees right", "back", "not at all": a turn for a message."""
    yaw = (yaw + 180.0) % 360.0 - 180.0
    if abs(yaw) < 1e-6:
        return "not at all"
    if abs(abs(yaw) - 180.0) < 1e-6:
        return "back"
    return f"{abs(yaw):g} degrees {'right' if yaw > 0 else 'left'}"
