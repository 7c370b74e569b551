"""What is true of a mover, in the words questions use, and only where it is clear: "left", "towards", "spin", "still".

Knows: exact paths and cameras, and the margins below which a way is not called one. Does not know: wordings.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from placecell.backends.synthetic.moving.scene import Mover, MovingScene
from placecell.backends.synthetic.scene import SyntheticObject
from placecell.geometry.transforms import Array, level

FAR_M = 0.8
"""A way is one from here on; nothing that moves does so by less, so that still and moving are clearly apart."""
SLANT = 0.45
"""A way is left rather than towards when it goes across by at most this much of what it goes along (24 degrees)."""


@dataclass(frozen=True)
class Window:
    """A part of the video as shares of its time."""

    name: str
    first: float
    last: float


WHOLE, FIRST_HALF, LAST_HALF = Window("whole", 0, 1), Window("first half", 0, 0.5), Window("second half", 0.5, 1)


def gone(scene: MovingScene, mover: Mover, window: Window = WHOLE) -> tuple[float, float]:
    """Metres it went to the right and ahead of the camera, summed in the terms of the camera of each moment."""
    centres = scene.centres(mover)
    steps = np.diff(centres, axis=0)
    axes = level(scene.world_from_cam)[:-1, :3, :3]
    inside = (scene.passed[:-1] >= window.first - 1e-9) & (scene.passed[1:] <= window.last + 1e-9)
    right, _, ahead = np.einsum("nji,nj->ni", axes, steps)[inside].sum(axis=0)
    return float(right), float(ahead)


def way(scene: MovingScene, mover: Mover, window: Window = WHOLE) -> str | None:
    """ "left", "right", "towards", "away" or "still" as the camera sees it; None where no word is clear.

    What goes to and fro or in a circle goes no one way over the whole video; what spins neither moves nor rests.
    Towards and away are clear when the distance to the camera changes the same way.
    """
    deed = mover.act.deed
    if deed == "still":
        return "still"
    halves = deed == "to and fro" and mover.act.legs == 2 and window is not WHOLE
    if deed not in ("go", "back up", "turn") and not halves:
        return None
    right, ahead = gone(scene, mover, window)
    if abs(right) >= FAR_M and abs(ahead) <= SLANT * abs(right):
        return "right" if right > 0 else "left"
    if abs(ahead) >= FAR_M and abs(right) <= SLANT * abs(ahead):
        change = _change(scene, scene.centres(mover), scene.world_from_cam[:, :3, 3], window)
        if change * ahead > 0 and abs(change) >= FAR_M:
            return "away" if ahead > 0 else "towards"
    return None


def world_way(scene: MovingScene, mover: Mover) -> str | None:
    """ "left", "right", "forward", "backward" or "still" in the level axes of the first camera; None if unclear."""
    if mover.act.deed == "still":
        return "still"
    if mover.act.deed not in ("go", "back up"):
        return None
    centres = scene.centres(mover)
    axes = level(scene.world_from_cam[0])[:3, :3]
    right, _, ahead = axes.T @ (centres[-1] - centres[0])
    if abs(right) >= FAR_M and abs(ahead) <= SLANT * abs(right):
        return "right" if right > 0 else "left"
    if abs(ahead) >= FAR_M and abs(right) <= SLANT * abs(ahead):
        return "forward" if ahead > 0 else "backward"
    return None


def approach(scene: MovingScene, mover: Mover, prop: SyntheticObject) -> str | None:
    """Whether it ends nearer to a thing that stands, or farther; None where that is not clear."""
    if mover.act.deed == "still":
        return "still"
    if mover.act.deed not in ("go", "back up"):
        return None
    centres = scene.centres(mover)
    away = np.linalg.norm((centres - prop.centre)[:, [0, 2]], axis=1)
    change = away[-1] - away[0]
    # A way past the thing is both.
    steady = np.abs(np.diff(away)).sum() <= 1.1 * abs(change)
    return ("away" if change > 0 else "towards") if abs(change) >= FAR_M and steady else None


def own_way(mover: Mover) -> str | None:
    """ "forward", "backward" or "still" from its own perspective."""
    if not mover.faces:
        return None
    return {"go": "forward", "turn": "forward", "back up": "backward", "still": "still"}.get(mover.act.deed)


def turning(mover: Mover) -> str | None:
    """ "left", "right" or "none": which way it turns on its way."""
    if not mover.faces or mover.act.deed not in ("turn", "go", "still"):
        return None
    return "none" if mover.act.deed != "turn" else "right" if mover.act.degrees > 0 else "left"


def sense(mover: Mover) -> str | None:
    """ "clockwise", "counterclockwise" or "none", seen from above: whether it turns about itself."""
    if not mover.faces or mover.act.deed not in ("spin", "go", "still", "back up"):
        return None
    return "none" if mover.act.deed != "spin" else "clockwise" if mover.act.degrees > 0 else "counterclockwise"


def _change(scene: MovingScene, centres: Array, eyes: Array, window: Window) -> float:
    inside = np.flatnonzero((scene.passed >= window.first - 1e-9) & (scene.passed <= window.last + 1e-9))
    away = np.linalg.norm(centres - eyes, axis=1)
    return float(away[inside[-1]] - away[inside[0]])
