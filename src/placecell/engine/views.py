"""The viewpoint as people write it: ``memory.view(image=3).turn("right").step("forward", 0.5).render()``."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, Self, get_args

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
    """A place to look from in a memory. A value: turning and stepping give new views, nothing else changes."""

    scene: SpatialMemory
    viewpoint: Viewpoint

    @classmethod
    def of_image(cls, scene: SpatialMemory, image: int, *, level: bool = True) -> Self:
        """Where image number ``image`` was taken, with its field of view; ``level`` drops its pitch and roll.

        Raises:
            UserError: there is no such image, or it could not be placed.
        """
        camera = scene.frame(image).camera
        if camera is None:
            raise UserError(f"where image {image} was taken is not known", hint="choose another image")
        return cls.at(scene, camera.world_from_cam, label=f"image {image}", camera=camera, level=level)

    @classmethod
    def at(
        cls,
        scene: SpatialMemory,
        world_from_cam: ArrayLike,
        *,
        label: str = "a free viewpoint",
        camera: Camera | None = None,
        level: bool = True,
    ) -> Self:
        """Any pose ``world_from_cam`` (4, 4); ``camera`` lends its field of view. UserError when it is not rigid."""
        pose = np.asarray(world_from_cam, dtype=np.float64)
        if not transforms.is_rigid(pose):
            raise UserError("world_from_cam is not a rigid transform (4, 4)", hint="see placecell.geometry.transforms")
        anchor = transforms.level(pose) if level else pose
        return cls(scene, Viewpoint(anchor, label, scene.unit, camera=camera, level=level))

    @property
    def world_from_cam(self) -> NDArray[np.float64]:
        """The pose (4, 4)."""
        return self.viewpoint.world_from_cam

    def turn(self, direction: Turn, degrees: float | None = None) -> View:
        """Turned on the spot: left and right by 90 degrees, up and down by 45, back by 180, unless stated."""
        if direction not in get_args(Turn):
            raise UserError(f"cannot turn {direction!r}", hint="left, right, up, down or back")
        return replace(self, viewpoint=self.viewpoint.turned(direction, degrees))

    def step(self, direction: Move, distance: float | None = None) -> View:
        """Moved by ``distance`` in the memory's unit; a tenth of the scene's longer side unless stated."""
        if direction not in get_args(Move):
            raise UserError(f"cannot step {direction!r}", hint="forward, backward, left, right, up or down")
        length = derived(self.scene).step if distance is None else distance
        return replace(self, viewpoint=self.viewpoint.stepped(direction, length))

    def render(self, fov: float | None = None, size: int = 768) -> Picture:
        """What is seen from here."""
        return view_from(self.scene, self.viewpoint, fov, PictureSettings(size=size))

    def top(self, size: int = 768) -> Picture:
        """The scene from above with this viewpoint marked."""
        return render_plan(self.scene, self.viewpoint, PictureSettings(size=size))
