"""How big an object is and how big the room is, with uncertainty."""

from __future__ import annotations

import numpy as np

from placecell.engine.context import Context
from placecell.engine.evidence import seen_by
from placecell.engine.places import length
from placecell.engine.registry import implements
from placecell.engine.values import Absent, Area, Evidence, Extents, InstanceValue, Length
from placecell.geometry.boxes import OrientedBox
from placecell.memory.scene import Instance, SpatialMemory


def extents_of(memory: SpatialMemory, instance: Instance) -> Extents:
    """Longest side of the free box; width, depth and height of the upright one."""
    upright = instance.upright_box
    vertical = int(np.argmax(np.abs(upright.axes[:, 1])))
    deep, wide = sorted((k for k in range(3) if k != vertical), key=lambda k: float(upright.size[k]))

    def side(box: OrientedBox, k: int) -> Length:
        return length(memory, float(box.size[k]), instance.side_sd(box.axes[k]))

    longest = side(instance.box, int(np.argmax(instance.box.size)))
    return Extents(longest, side(upright, wide), side(upright, deep), side(upright, vertical), seen_by([instance]))


@implements("measure_size")
def measure_size(context: Context, memory: SpatialMemory, object: InstanceValue) -> Extents:
    """Sides of one object."""
    return extents_of(memory, object.instance)


@implements("measure_room")
def measure_room(context: Context, memory: SpatialMemory) -> Area | Absent:
    """Floor area and height as the memory found them when it was built."""
    layout = memory.layout
    height = None if layout.height is None else length(memory, layout.height)
    if layout.floor_area is None:
        return Absent("area", "not in memory", "the floor's outline is not known")
    # An area scales with the square of a length, so its relative error is twice the scale's.
    scale_sd = 2 * layout.floor_area * (memory.scale.relative_error or 0.0) if memory.scale.metric else 0.0
    evidence = Evidence(frames=tuple(f.number for f in memory.posed_frames), points=len(memory.cloud))
    return Area(layout.floor_area, memory.unit, float(np.hypot(layout.floor_area_sd, scale_sd)), height, evidence)
