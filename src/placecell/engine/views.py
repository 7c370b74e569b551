"""The viewpoint as people write it: ``memory.view(image=3).turn("right").step("forward", 0.5).render()``."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from placecell.engine.context import PictureSettings
from placecell.engine.derived import derived
from placecell.engine.renders import view_from
from placecell.engine.topview import render_plan
from placecell.engine.values import Picture
from placecell.engine.viewpoint import Viewpoint
from placecell.errors import UserError
from placecell.geometry import transforms
from placecell.geometry.camera import Camera
from placecell.memory.scene import SpatialMemory

Turn = Literal["left", "right", "up", "down", "back"]
Move = Literal["forward", "backward", "left", "right", "up", "down"]


@dataclass(frozen=True, eq=False)
class View:
    """A place to look from in a memory: ``world_from_cam`` (4, 4). A value: turning and stepping give new views.

    ``camera`` lends its field of view to pictures; ``level`` drops pitch and roll.
    """

    scene: SpatialMemory
    world_from_cam: NDArray[np.float64]
    label: str = "a free viewpoint"
    camera: Camera | None = None
    level: bool = True
    _here: Viewpoint | None = field(default=None, repr=False)

    @property
    def viewpoint(self) -> Viewpoint:
        """The viewpoint underneath."""
        if self._here is not None:
            return self._here
        pose = transforms.as_transforms(self.world_from_cam)
        if not transforms.is_rigid(pose):
            raise UserError("world_from_cam is not a rigid transform", hint="use geometry.transforms to make one")
        anchor = transforms.level(pose) if self.level else pose
        return Viewpoint(anchor, self.label, self.scene.unit, camera=self.camera, level=self.level)

    def turn(self, direction: Turn, degrees: float | None = None) -> View:
        """Turned on the spot: left and right by 90 degrees, up and down by 45, back by 180, unless stated."""
        if direction not in ("left", "right", "up", "down", "back"):
            raise UserError(f"cannot turn {direction!r}", hint="left, right, up, down or back")
        return self._with(self.viewpoint.turned(direction, degrees))

    def step(self, direction: Move, distance: float | None = None) -> View:
        """Moved by ``distance`` in the memory's unit; a tenth of the scene's longer side unless stated."""
        if direction not in ("forward", "backward", "left", "right", "up", "down"):
            raise UserError(f"cannot step {direction!r}", hint="forward, backward, left, right, up or down")
        return self._with(self.viewpoint.stepped(direction, derived(self.scene).step if distance is None else distance))

    def render(self, fov: float | None = None, size: int = 768) -> Picture:
        """What is seen from here."""
        return view_from(self.scene, self.viewpoint, fov, PictureSettings(size=size))

    def top(self, size: int = 768) -> Picture:
        """The scene from above with this viewpoint marked."""
        return render_plan(self.scene, self.viewpoint, PictureSettings(size=size))

    def _with(self, here: Viewpoint) -> View:
        return replace(self, world_from_cam=here.world_from_cam, _here=here)


def view_at(scene: SpatialMemory, world_from_cam: ArrayLike, **more: Any) -> View:
    """A view at any pose (4, 4)."""
    return View(scene, np.asarray(world_from_cam, dtype=np.float64), **more)
