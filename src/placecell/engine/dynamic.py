"""Operations over time. No memory holds moving things yet, so they say so."""

from __future__ import annotations

from placecell.engine.context import Context
from placecell.engine.registry import implements
from placecell.engine.values import Absent, Value
from placecell.memory.scene import SpatialMemory


@implements("track_object")
def track_object(context: Context, memory: SpatialMemory, name: str) -> Absent:
    """Absent: the memory is of a place at rest."""
    return Absent("track", "not in memory", f"the memory holds no movement over time, so the {name} has no track")


@implements("measure_motion")
def measure_motion(context: Context, memory: SpatialMemory, mover: Value | str, frame: str, during: str) -> Absent:
    """Absent: the memory is of a place at rest."""
    return Absent("motion", "not in memory", "the memory holds no movement over time")
