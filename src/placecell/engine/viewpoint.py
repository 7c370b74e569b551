"""Where the viewer stands and which way it looks, as an immutable value.

Knows: how a viewpoint is set, turned and moved, its exact pose, and how to say it in words. Turns are kept as sums of
degrees and steps as one displacement, so two quarter turns are one half turn to the last bit.
Does not know: what is seen from it (``directions``, ``sight``, ``renders``).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from placecell.engine.values import Absent, LengthUnit
from placecell.geometry import transforms
from placecell.geometry.camera import Camera
from placecell.language.viewpoint import DEFAULT_TURN
from placecell.memory.scene import Instance

Array = NDArray[np.float64]

STEP_FRACTION = 0.1
"""A step without a distance is this share of the longer horizontal side of the scene."""

_NEAR = 1e-6


@dataclass(frozen=True, eq=False)
class Viewpoint:
    """A place to look from.

    ``anchor`` (4, 4) is ``world_from_cam`` where it was set, ``place`` what that is in words ("image 3", "the chair"),
    ``facing`` what it was turned to, if anything. ``yaw`` and ``tilt`` are the degrees turned right and up since,
    ``shift`` (3,) the world displacement since. ``standing_in`` is the object whose place was taken: it is not seen.
    ``eye_lift`` raises the eye above the object's centre for pictures (measures use the centre). ``camera`` lends its
    field of view; ``image`` is the photo it stands at; ``level`` says whether the photo's pitch and roll were dropped.
    """

    anchor: Array
    place: str
    unit: LengthUnit = "units"
    facing: str | None = None
    image: int | None = None
    camera: Camera | None = None
    standing_in: Instance | None = None
    level: bool = True
    eye_lift: float = 0.0
    yaw: float = 0.0
    tilt: float = 0.0
    shift: tuple[float, float, float] = (0.0, 0.0, 0.0)

    @cached_property
    def _headed(self) -> Array:
        """The pose without the tilt since it was set."""
        pose = transforms.turn(self.anchor, right=self.yaw) if self.yaw else self.anchor.copy()
        pose[:3, 3] += self.shift
        return pose

    @cached_property
    def world_from_cam(self) -> Array:
        """(4, 4); looking up and down ends at the vertical."""
        if not self.tilt:
            return self._headed
        own = 0.0 if self.level else float(transforms.elevation(self.anchor))
        return transforms.turn(self._headed, up=min(max(self.tilt, -90.0 - own), 90.0 - own))

    @cached_property
    def levelled(self) -> Array:
        """(4, 4): the same place and heading with a level horizon. Right, up and forward of a viewer are its axes."""
        return self._headed if self.level else transforms.level(self._headed)

    @property
    def position(self) -> Array:
        return self._headed[:3, 3]

    @cached_property
    def eye(self) -> Array:
        """``world_from_cam`` (4, 4) for pictures: raised to eye height when standing in an object."""
        if not self.eye_lift:
            return self.world_from_cam
        pose = self.world_from_cam.copy()
        pose[1, 3] += self.eye_lift
        return pose

    @property
    def elevation(self) -> float:
        """Degrees the view looks above the horizon."""
        return float(transforms.elevation(self.world_from_cam))

    @property
    def moved(self) -> bool:
        """Whether it was turned or moved since it was set."""
        return bool(self.yaw % 360.0 or self.tilt or any(self.shift))

    def offsets(self, points: NDArray[np.floating]) -> Array:
        """Points (..., 3) of the world as right, up, forward (..., 3) of the levelled viewer."""
        return in_viewer_terms(self.levelled, points)

    def turned(self, direction: str, degrees: float | None = None) -> Viewpoint:
        """Turned on the spot: left, right, back, up or down."""
        amount = DEFAULT_TURN[direction] if degrees is None or direction == "back" else degrees
        if direction in ("up", "down"):
            return replace(self, tilt=self.tilt + (amount if direction == "up" else -amount))
        return replace(self, yaw=(self.yaw + (-amount if direction == "left" else amount)) % 360.0)

    def stepped(self, direction: str, distance: float) -> Viewpoint:
        """Moved by ``distance`` in the memory's unit; forward and backward are horizontal."""
        axes = self.levelled[:3, :3]
        along = {
            "forward": axes[:, 2], "backward": -axes[:, 2], "right": axes[:, 0],
            "left": -axes[:, 0], "up": -axes[:, 1], "down": axes[:, 1],
        }[direction]  # fmt: skip
        x, y, z = self.shift
        dx, dy, dz = (distance * along).tolist()
        return replace(self, shift=(x + dx, y + dy, z + dz))

    def words(self) -> str:
        """The viewpoint in words, the same for the same pose however it was reached."""
        start = f"at {self.place}"
        if self.facing:
            start += f", facing {self.facing}"
        return ", ".join([start, *self._motion_words()])

    def _motion_words(self) -> list[str]:
        words = []
        yaw = float(transforms.wrap_degrees(self.yaw))
        if abs(yaw) > _NEAR:
            words.append(
                f"turned {number(abs(yaw))} degrees" + ("" if yaw == -180 else " right" if yaw > 0 else " left")
            )
        if self.tilt and abs(self.elevation) > _NEAR:
            words.append(f"looking {number(abs(self.elevation))} degrees {'up' if self.elevation > 0 else 'down'}")
        right, up, forward = in_viewer_terms(
            transforms.level(self.anchor), self.anchor[:3, 3] + np.asarray(self.shift)
        ).tolist()
        parts = [
            f"{number(abs(amount))} {self.unit} {positive if amount > 0 else negative}"
            for amount, positive, negative in ((forward, "ahead", "back"), (right, "right", "left"), (up, "up", "down"))
            if abs(amount) > _NEAR
        ]
        if parts:
            words.append(f"moved {' and '.join(parts)}" + (" as seen before turning" if abs(yaw) > _NEAR else ""))
        return words


def in_viewer_terms(levelled: Array, points: NDArray[np.floating]) -> Array:
    """World points (..., 3) as right, up, forward (..., 3) of the levelled pose (4, 4)."""
    local = (np.asarray(points, dtype=np.float64) - levelled[:3, 3]) @ levelled[:3, :3]
    local[..., 1] *= -1.0  # camera y points down
    return local


def towards(eye: Array, target: Array, *, level: bool) -> Array | Absent:
    """``world_from_cam`` (4, 4) at ``eye`` looking at ``target``; absent when that is no direction."""
    aim = np.array(target, dtype=np.float64)
    if level:
        aim[1] = eye[1]
    reach = float(np.linalg.norm(aim - eye))
    if reach <= 1e-9 * max(1.0, float(np.abs(eye).max()), float(np.abs(target).max())):
        what = "straight above or below" if level and np.linalg.norm(target - eye) > reach else "at the same place"
        return Absent("pose", "degenerate", f"what should be faced is {what}, so there is no heading")
    return transforms.look_at(eye, aim)


def number(value: float) -> str:
    """A length or angle for a caption: two decimals at most, no trailing zeros."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return text if float(text) else f"{value:.2g}"
