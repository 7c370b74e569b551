"""What a mover or the camera did in a part of a video, as values: amounts with their uncertainty, words, events.

Knows no pictures and no questions. ``motion`` computes these from tracks and cameras.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from placecell.geometry.egomotion import Egomotion

MotionFrame = Literal["camera", "world", "self", "screen"]
EventKind = Literal["reversal", "turn", "spin", "pass", "contact"]


@dataclass(frozen=True)
class Event:
    """Something that happened at one moment.

    ``word``: left or right for a turn, clockwise or counterclockwise for a spin, the new direction for a reversal, the
    other thing's name for a pass or contact. ``other``: the other track's id (None: the camera).
    """

    kind: EventKind
    at_s: float
    word: str
    other: int | None = None


@dataclass(frozen=True)
class Movement:
    """What one mover did between two moments (``span_s``), in the terms of ``frame``.

    Attributes:
        id: the track's; None for the camera itself.
        moving: whether it left its place; ``stillness`` is the length below which it counts as standing still: its
            noise and the drift of its visible side (``motion`` says how).
        displacement: (right, up, forward); "camera": each step in the level axes of the camera at that moment, without
            the camera's own motion; "world": in the fixed level axes of the first camera; "self": in those of its own
            front at that moment; "screen": right and up as shares of the picture's width, seen by the first camera of
            the window standing still. ``displacement_sd``: one standard deviation of each.
        words: what is clear of it: left, right, up, down, forward, backward; in "camera" and "screen" towards and away
            instead of backward and forward; strongest first; ("not moving",) when it stands.
        path, speed: length of its way, and that per second.
        turned: degrees its way (or its front, where it stands) changed in all, + = to its right.
        spun_above: degrees turned about the vertical, + = clockwise seen from above; ``spun_seen``: about the line of
            sight, + = clockwise as the camera sees it; NaN where unknown. ``spun`` is the larger one of the two.
        approach: change of its distance to the camera, negative = came nearer; with the camera's own motion.
        confidence: that there is such a thing, 0..1.
        front_known: whether its front is stated; else it is taken to have set out forwards.
        facing: degrees to the right of where the camera looks that its front points, midway; None where unknown.
    """

    name: str
    id: int | None
    frame: MotionFrame
    span_s: tuple[float, float]
    moving: bool
    stillness: float
    displacement: tuple[float, float, float]
    displacement_sd: float
    words: tuple[str, ...]
    path: float
    speed: float
    turned: float = 0.0
    turned_sd: float = 0.0
    spun_above: float = float("nan")
    spun_seen: float = float("nan")
    approach: float = 0.0
    approach_sd: float = 0.0
    events: tuple[Event, ...] = ()
    confidence: float = 1.0
    front_known: bool = True
    facing: float | None = None

    @property
    def spun(self) -> float:
        """The larger of the two turns; NaN when both are unknown."""
        known = [v for v in (self.spun_above, self.spun_seen) if v == v]
        return max(known, key=abs, default=float("nan"))

    def word(self, axis: Literal["side", "height", "depth"]) -> str | None:
        """The clear word on one axis, if there is one."""
        index = {"side": ("left", "right"), "height": ("up", "down")}.get(axis)
        words = index or ("forward", "backward", "towards", "away")
        return next((w for w in self.words if w in words), None)


@dataclass(frozen=True)
class CameraMovement:
    """What the camera did. ``words``: "pan right", "tilt up", "dolly forward", "static", ...; strongest first."""

    span_s: tuple[float, float]
    motion: Egomotion
    words: tuple[str, ...]
    moving: bool
    stillness: float
    stillness_deg: float
