"""The coloured points a picture is made of: the fused cloud, or the faces of the boxes where only boxes are known.

Knows which points belong in a picture (not the ceiling from above, not the backs of walls from outside, not the thing
one stands in). Does not draw.
"""

from __future__ import annotations

from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from placecell.engine.derived import derived
from placecell.engine.drawing import PALETTE
from placecell.engine.sides import seen_sides
from placecell.geometry.boxes import OrientedBox
from placecell.memory.names import same_thing
from placecell.memory.scene import Instance, SpatialMemory

Array = NDArray[np.float64]

_BOX_POINTS = 400_000
_OPPOSITE = -0.5


@dataclass(frozen=True, eq=False)
class Surface:
    """``points`` (N, 3), ``colors`` (N, 3), the ``spacing`` between neighbours; ``boxes``: made from boxes.

    ``origin`` (N,) is the number of the photo a point comes from, 0 = none; of a box, its place among the instances.
    """

    points: NDArray[np.float32]
    colors: NDArray[np.uint8]
    origin: NDArray[np.int32]
    spacing: float
    boxes: bool = False

    def select(self, mask: NDArray[np.bool_]) -> Surface:
        return Surface(self.points[mask], self.colors[mask], self.origin[mask], self.spacing, self.boxes)


_BOXES: WeakKeyDictionary[SpatialMemory, Surface] = WeakKeyDictionary()


def surface_of(memory: SpatialMemory) -> Surface:
    """What of the memory can be shown."""
    cloud = memory.cloud
    if len(cloud):
        return Surface(cloud.points, cloud.colors, cloud.frame, derived(memory).spacing)
    found = _BOXES.get(memory)
    return _BOXES.setdefault(memory, _box_faces(memory.instances)) if found is None else found


def without_ceiling(memory: SpatialMemory, surface: Surface) -> tuple[Surface, float | None]:
    """The surface below the height at which a top view cuts, and that height (world y), None when nothing is cut.

    Of boxes only a ceiling goes: they are few, and each is whole or not there.
    """
    if surface.boxes:
        ceilings = [place for place, thing in enumerate(memory.instances) if same_thing(thing.name, "ceiling")]
        return surface.select(~np.isin(surface.origin, ceilings)), None
    cut = derived(memory).cut_height
    if cut is None:
        return surface, None
    below = surface.points[:, 1] < cut
    return (surface, None) if below.all() else (surface.select(below), cut)


def without(surface: Surface, thing: Instance | None) -> Surface:
    """The surface without what one stands in."""
    if thing is None or not len(surface.points):
        return surface
    return surface.select(~thing.upright_box.contains(surface.points, margin=surface.spacing))


def facing(memory: SpatialMemory, surface: Surface, eye: Array) -> Surface:
    """The surface without what ``eye`` (3,) would see from behind: so from outside one looks into a room.

    Each point faces the camera that saw it; the walls and the ceiling nearer to an eye outside turn their backs on it.
    Edges, which have no side, go when camera and eye are on opposite sides of them; from above, so does whatever is
    loose near the ceiling.
    """
    if surface.boxes or len(surface.points) != len(memory.cloud):
        return surface
    toward, flat = seen_sides(memory)
    way = eye.astype(np.float32) - surface.points
    cosine = np.einsum("ij,ij->i", toward, way) / np.maximum(np.linalg.norm(way, axis=1), 1e-12)
    seen = cosine >= np.where(flat, 0.0, _OPPOSITE)
    cut = derived(memory).cut_height
    if cut is not None and eye[1] > cut:
        seen &= (surface.points[:, 1] < cut) | flat
    return surface.select(seen)


def colour_of(names: tuple[str, ...], name: str) -> tuple[int, int, int]:
    """The colour of a category among ``names``, the same in every picture of a memory."""
    return PALETTE[names.index(name) % len(PALETTE)] if name in names else PALETTE[-1]


def _box_faces(instances: tuple[Instance, ...]) -> Surface:
    """Points on the faces of all boxes, shaded by face so that edges show."""
    names = tuple(sorted({i.name for i in instances}))
    area = sum(_area(i.box) for i in instances)
    spacing = max((area / _BOX_POINTS) ** 0.5, _finest(instances))
    parts, colours, owners = [np.zeros((0, 3))], [np.zeros((0, 3), np.uint8)], [np.zeros(0, np.int32)]
    for place, instance in enumerate(instances):
        points, shade = _faces(instance.box, spacing)
        owners.append(np.full(len(points), place, np.int32))
        parts.append(points)
        colours.append((shade[:, None] * np.array(colour_of(names, instance.name))).astype(np.uint8))
    everything: NDArray[np.float32] = np.concatenate(parts).astype(np.float32)
    return Surface(everything, np.concatenate(colours), np.concatenate(owners), spacing, boxes=bool(instances))


def _area(box: OrientedBox) -> float:
    a, b, c = box.size.tolist()
    return float(2.0 * (a * b + b * c + c * a))


def _finest(instances: tuple[Instance, ...]) -> float:
    """A spacing at which the typical box still has a few points along each side."""
    longest = [i.box.longest for i in instances if i.box.longest > 0]
    return float(np.median(longest)) / 100 if longest else 0.01


def _faces(box: OrientedBox, spacing: float) -> tuple[Array, Array]:
    points, shades = [], []
    for axis in range(3):
        u, v = (axis + 1) % 3, (axis + 2) % 3
        grid_u, grid_v = (
            np.linspace(-0.5, 0.5, int(min(box.size[k] / spacing, 500)) + 2) * box.size[k] for k in (u, v)
        )
        for side in (-0.5, 0.5):
            local = np.zeros((len(grid_u) * len(grid_v), 3))
            local[:, u] = np.repeat(grid_u, len(grid_v))
            local[:, v] = np.tile(grid_v, len(grid_u))
            local[:, axis] = side * box.size[axis]
            points.append(box.centre + local @ box.axes)
            # Lit from above and a little from one side.
            normal = np.sign(side) * box.axes[axis]
            shades.append(np.full(len(local), 0.72 + 0.22 * normal[1] + 0.06 * normal[0]))
    return np.concatenate(points), np.concatenate(shades)
