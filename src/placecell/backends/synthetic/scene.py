"""A synthetic room as a value: its shell, its objects with exact boxes, and what the renderer needs.

Knows: the truth. Does not know: how rooms are furnished (``furnish``), photographed (``capture``) or asked about
(``questions``). World frame: y up, floor at y = 0, walls along x and z, metres.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from placecell.backends.synthetic.layout import Wall, area, walls
from placecell.backends.synthetic.render import Lights
from placecell.backends.synthetic.shapes import Finish, Packed, Part, box, pack, tight_bounds
from placecell.geometry.boxes import OrientedBox
from placecell.geometry.transforms import Array, apply

_THICK = 0.1


@dataclass(frozen=True, eq=False)
class SyntheticObject:
    """One thing: parts placed by ``world_from_object`` (4, 4).

    ``mount``: "floor", "wall" or "top" (of another object, ``support``). ``faces``: it has a front, its +z.
    """

    id: int
    name: str
    world_from_object: Array
    parts: tuple[Part, ...]
    faces: bool
    mount: str
    support: int | None = None

    @cached_property
    def box(self) -> OrientedBox:
        """The tight box of the geometry along the object's own axes, in the world."""
        low, high = tight_bounds(self.parts)
        rotation = self.world_from_object[:3, :3]
        return OrientedBox(apply(self.world_from_object, (low + high) / 2), rotation.T, high - low)

    @property
    def centre(self) -> Array:
        return self.box.centre

    @property
    def front(self) -> Array | None:
        """Unit vector (3,) its front faces, when it has one."""
        return self.world_from_object[:3, 2].copy() if self.faces else None

    def surface(self, spacing: float) -> Array:
        """Points (N, 3) on its surface, world."""
        return np.asarray(apply(self.world_from_object, np.concatenate([part.surface(spacing) for part in self.parts])))


@dataclass(frozen=True, eq=False)
class Shell:
    """The room's own surfaces: outline (K, 2) in (x, z), height, finishes of floor, walls and ceiling (None = open)."""

    outline: Array
    height: float
    floor: Finish
    wall: Finish
    accent: Finish
    ceiling: Finish | None

    def parts(self) -> list[tuple[int, Array, Part]]:
        """Slabs whose inner faces are the room's surfaces, owned by 0."""
        low, high = self.outline.min(axis=0) - _THICK, self.outline.max(axis=0) + _THICK
        size, middle = high - low, (high + low) / 2
        slabs = [box((size[0], _THICK, size[1]), (middle[0], -_THICK, middle[1]), self.floor)]
        if self.ceiling is not None:
            slabs.append(box((size[0], _THICK, size[1]), (middle[0], self.height, middle[1]), self.ceiling))
        for k, wall in enumerate(walls(self.outline)):
            slabs.append(self._slab(wall, (self.accent if k == 0 else self.wall)._replace(seed=self.wall.seed + k)))
        return [(0, np.eye(4), slab) for slab in slabs]

    def _slab(self, wall: Wall, finish: Finish) -> Part:
        # A slab reaches past a convex corner to close it, but would stick into the room at a reflex one.
        before, after = (0.0 if reflex else _THICK for reflex in (wall.reflex_start, wall.reflex_end))
        x, z = wall.point((wall.length + after - before) / 2, -_THICK / 2)
        return box((wall.length + before + after, self.height, _THICK), (x, 0, z), finish, yaw=wall.yaw)


@dataclass(frozen=True, eq=False)
class SyntheticRoom:
    """A furnished room and all that is true about it."""

    seed: int
    level: str
    theme: str
    shell: Shell
    objects: tuple[SyntheticObject, ...]

    @property
    def outline(self) -> Array:
        """Corners (K, 2) of the floor in (x, z)."""
        return self.shell.outline

    @property
    def height(self) -> float:
        return self.shell.height

    @property
    def floor_area(self) -> float:
        """Square metres."""
        return area(self.shell.outline)

    @property
    def names(self) -> tuple[str, ...]:
        """Distinct names of the objects, sorted."""
        return tuple(sorted({o.name for o in self.objects}))

    def named(self, name: str) -> tuple[SyntheticObject, ...]:
        return tuple(o for o in self.objects if o.name == name)

    @cached_property
    def packed(self) -> Packed:
        """All parts for the renderer."""
        placed = self.shell.parts()
        for thing in self.objects:
            placed += [(thing.id, thing.world_from_object, part) for part in thing.parts]
        return pack(placed)

    @cached_property
    def lights(self) -> Lights:
        """Two lamps below the ceiling and daylight from each window."""
        low, high = self.outline.min(axis=0), self.outline.max(axis=0)
        spots: list[NDArray[np.float64]] = []
        colours = []
        for share in ((0.3, 0.35), (0.66, 0.62)):
            x, z = low + (high - low) * share
            spots.append(np.array([x, self.height - 0.12, z]))
            colours.append((0.62, 0.56, 0.47))
        for thing in self.named("window"):
            front = thing.world_from_object[:3, 2]
            spots.append(thing.centre + 0.5 * front + np.array([0, 0.2, 0]))
            colours.append((0.36, 0.40, 0.46))
        return Lights(np.array(spots), np.array(colours))
