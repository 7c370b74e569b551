"""What a mover does in a video: a path over the floor and where its front points, as functions of the time passed.

Knows: straight ways, ways back, turns, spins and circles. Does not know: bodies or cameras. Headings are degrees seen
from above, 0 along -z, +90 along +x, so they grow turning right (``geometry.transforms.heading``).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from placecell.geometry.transforms import Array

Deed = Literal["still", "go", "back up", "to and fro", "turn", "spin", "circle"]
DEEDS: tuple[Deed, ...] = ("still", "go", "back up", "to and fro", "turn", "spin", "circle")
_BEND = (0.3, 0.7)  # the part of the time in which a turn happens


@dataclass(frozen=True)
class Act:
    """One mover's path.

    ``start``: (x, z) at the beginning. ``heading``: degrees in which it first goes. ``length``: metres of the whole
    way, for "to and fro" of one leg, for "circle" the radius. ``degrees``: how far a turn, spin or circle goes,
    positive to the right (clockwise from above). ``legs``: one more than the reversals of "to and fro".
    """

    deed: Deed
    start: tuple[float, float]
    heading: float
    length: float = 0.0
    degrees: float = 0.0
    legs: int = 1

    def places(self, passed: ArrayLike) -> tuple[Array, Array]:
        """Places (N, 2) in (x, z) and headings of the front (N,) after shares (N,) of the time, 0 to 1."""
        t = np.asarray(passed, dtype=np.float64)
        start, ahead = np.array(self.start), direction(self.heading)
        same = np.full(len(t), self.heading)
        if self.deed == "still":
            return np.tile(start, (len(t), 1)), same
        if self.deed in ("go", "back up"):
            return start + self.length * t[:, None] * ahead, same + (180 if self.deed == "back up" else 0)
        if self.deed == "to and fro":
            phase = (t * self.legs) % 2
            gone = np.where(phase <= 1, phase, 2 - phase)
            return start + self.length * gone[:, None] * ahead, same
        if self.deed == "spin":
            return np.tile(start, (len(t), 1)), self.heading + self.degrees * t
        if self.deed == "circle":
            side = 90 * np.sign(self.degrees)
            middle = start + self.length * direction(self.heading + side)
            headings = self.heading + self.degrees * t
            return middle - self.length * direction(headings + side), headings
        return self._turned(t)

    def _turned(self, t: Array) -> tuple[Array, Array]:
        """Straight, an arc, straight on, at constant speed: headings are exact, places summed finely."""
        fine = np.linspace(0, 1, 401)
        bent = np.clip((fine - _BEND[0]) / (_BEND[1] - _BEND[0]), 0, 1)
        steps = direction(self.heading + self.degrees * bent) * self.length / 400
        path = np.array(self.start) + np.concatenate([[[0, 0]], np.cumsum((steps[1:] + steps[:-1]) / 2, axis=0)])
        places = np.stack([np.interp(t, fine, path[:, k]) for k in (0, 1)], axis=-1)
        return places, self.heading + self.degrees * np.clip((t - _BEND[0]) / (_BEND[1] - _BEND[0]), 0, 1)

    @property
    def reversals(self) -> int:
        return self.legs - 1 if self.deed == "to and fro" else 0


def direction(heading: ArrayLike) -> Array:
    """Unit vectors (..., 2) in (x, z) of headings in degrees."""
    radians = np.radians(heading)
    return np.stack([np.sin(radians), -np.cos(radians)], axis=-1)
