"""A moving scene as a value: the stage, what stands on it, who moves and how, and the cameras. All exact.

Knows: where everything is at every frame. Does not know: how scenes are made up (``stage``) or photographed (``film``).
World: y up, floor at y = 0, metres; seconds from the first frame.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from placecell.backends.synthetic.moving.acts import Act
from placecell.backends.synthetic.render import Lights
from placecell.backends.synthetic.scene import Shell, SyntheticObject
from placecell.backends.synthetic.shapes import Packed, Part, pack, tight_bounds
from placecell.geometry.boxes import OrientedBox
from placecell.geometry.camera import Camera
from placecell.geometry.transforms import Array, apply


@dataclass(frozen=True, eq=False)
class Mover:
    """One thing that may move, with its path. ``faces``: it has a front."""

    id: int
    name: str
    parts: tuple[Part, ...]
    faces: bool
    act: Act

    def poses(self, passed: Array) -> Array:
        """``world_from_object`` (N, 4, 4) after shares (N,) of the time."""
        places, headings = self.act.places(passed)
        radians = np.radians(180.0 - headings)  # +z is the front, heading 0 is -z
        poses = np.tile(np.eye(4), (len(places), 1, 1))
        poses[:, 0, 0] = poses[:, 2, 2] = np.cos(radians)
        poses[:, 0, 2], poses[:, 2, 0] = np.sin(radians), -np.sin(radians)
        poses[:, 0, 3], poses[:, 2, 3] = places[:, 0], places[:, 1]
        return poses


@dataclass(frozen=True, eq=False)
class MovingScene:
    """Everything about one video. ``times`` (N,) seconds, ``world_from_cam`` (N, 4, 4); ``camera_act`` in a word or two
    ("static", "pan right", "walk forward", "shake", "tilt up", "roll clockwise")."""

    seed: int
    shell: Shell
    props: tuple[SyntheticObject, ...]
    movers: tuple[Mover, ...]
    times: Array
    world_from_cam: Array
    camera_act: str

    def __post_init__(self) -> None:
        if self.world_from_cam.shape != (len(self.times), 4, 4):
            raise ValueError(f"{len(self.times)} times do not fit cameras {self.world_from_cam.shape}")

    @cached_property
    def passed(self) -> Array:
        """Share of the time passed at each frame, 0 to 1."""
        return np.asarray((self.times - self.times[0]) / (self.times[-1] - self.times[0]))

    @cached_property
    def names(self) -> dict[int, str]:
        """Names by id, of movers and props."""
        return {m.id: m.name for m in self.movers} | {p.id: p.name for p in self.props}

    def named(self, name: str) -> tuple[Mover, ...]:
        """The movers of a kind."""
        return tuple(mover for mover in self.movers if mover.name == name)

    def centres(self, mover: Mover) -> Array:
        """Centres (N, 3): the point of its path, at half its height. It stays where it is while the mover spins."""
        low, high = tight_bounds(mover.parts)
        centres = mover.poses(self.passed)[:, :3, 3]
        centres[:, 1] += (low[1] + high[1]) / 2
        return centres

    def headings(self, mover: Mover) -> Array:
        """Headings (N,) of its front in degrees, unwrapped, growing to the right."""
        return mover.act.places(self.passed)[1]

    def box(self, mover: Mover, frame: int) -> OrientedBox:
        """Its tight box along its own axes at the frame with this index, from 0."""
        low, high = tight_bounds(mover.parts)
        pose = mover.poses(self.passed[frame : frame + 1])[0]
        return OrientedBox(apply(pose, (low + high) / 2), pose[:3, :3].T, high - low)

    def packed(self, frame: int) -> Packed:
        """All parts for the renderer at the frame with this index, from 0."""
        placed = self.shell.parts()
        for prop in self.props:
            placed += [(prop.id, prop.world_from_object, part) for part in prop.parts]
        for mover in self.movers:
            pose = mover.poses(self.passed[frame : frame + 1])[0]
            placed += [(mover.id, pose, part) for part in mover.parts]
        return pack(placed)

    @property
    def lights(self) -> Lights:
        """Four lamps high above the stage."""
        low, high = self.shell.outline.min(axis=0), self.shell.outline.max(axis=0)
        at = [[*(low + (high - low) * share)] for share in ((0.25, 0.3), (0.75, 0.3), (0.3, 0.8), (0.7, 0.8))]
        position = np.array([[x, self.shell.height - 0.1, z] for x, z in at])
        return Lights(position, np.tile([0.75, 0.72, 0.66], (4, 1)), range_m=7.0)

    def cameras(self, size: tuple[int, int], fov_x: float) -> list[Camera]:
        """One camera a frame; ``size`` is (width, height), ``fov_x`` in degrees."""
        return [Camera.from_fov(fov_x, *size, pose) for pose in self.world_from_cam]
