"""Where things are, with errors by source: cameras, objects, points and frames as one place in the world.

The place of an object is off by its own error along each axis, and by the memory's scale. Everything that is measured
from the same object shares these sources.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from placecell.engine.cells.context import CellContext
from placecell.engine.cells.quantities import SCALE, TOO_LARGE, Quantity, length_dimension, small_enough
from placecell.engine.cells.uncertain import Uncertain, measured, with_error
from placecell.engine.cells.values import FrameValue, PointValue, SupposedValue
from placecell.engine.cells.vectors import Vec
from placecell.engine.evidence import seen_by
from placecell.engine.places import no_objects, one_of_many
from placecell.engine.values import NO_EVIDENCE, Absent, Evidence, InstancesValue, InstanceValue, PoseValue, Value
from placecell.geometry.transforms import Array
from placecell.memory.scene import Instance


@dataclass(frozen=True, eq=False)
class Spot:
    """A place in the world, in words too, and the object that is there."""

    place: Vec
    label: str
    instance: Instance | None = None
    evidence: Evidence = NO_EVIDENCE


def spot(context: CellContext, value: Value, kind: str) -> Spot | Absent:
    """The one place of a value; why a value of ``kind`` is absent when it has none."""
    match value:
        case PointValue():
            return Spot(value.place, value.label, evidence=value.evidence)
        case FrameValue():
            return Spot(value.axes.origin, value.label, value.inside, value.evidence)
        case SupposedValue() if value.place is not None:
            return Spot(value.place, f"the moved {value.instance.name}", value.instance, evidence=value.evidence)
        case InstanceValue():
            return spot_of(context, value.instance)
        case PoseValue():
            place = Vec.exact(value.position).scaled_by(context.scale_error, SCALE)
            return Spot(place, value.label, evidence=value.evidence)
        case InstancesValue() if len(value.instances) == 1:
            return spot_of(context, value.instances[0])
        case InstancesValue() if value.instances:
            return one_of_many(value, kind)
        case InstancesValue():
            return no_objects(value, kind)
        case Absent():
            return Absent(kind, "input absent", value.message, value)
    return Absent(kind, "degenerate", "this has no place")


def spots(context: CellContext, kind: str, *values: Value) -> list[Spot] | Absent:
    """The place of each value, or the first reason why there is none."""
    found: list[Spot] = []
    for value in values:
        place = spot(context, value, kind)
        if isinstance(place, Absent):
            return place
        found.append(place)
    return found


def spot_of(context: CellContext, thing: Instance) -> Spot:
    """The centre of an object."""
    place = Vec.around(thing.centre, thing.centre_sd, f"centre {thing.id}")
    for end in hidden_ends(thing):
        place = place.plus(end.moving(end.sign / 2))
    place = place.scaled_by(context.scale_error, SCALE)
    return Spot(place, f"the {thing.name}", thing, evidence=seen_by([thing]))


class HiddenEnd(NamedTuple):
    """An end of an axis of a thing's upright box that was not seen: one source of error of its side and its centre."""

    axis: int
    sign: int
    way: Array  # (3,) along the axis
    sd: float
    source: str

    def moving(self, share: float) -> Vec:
        """What moves by this share of the error, along the axis."""
        error = measured(0.0, self.sd * share, self.source)
        return Vec(*(error.times(float(step)) for step in self.way))


def hidden_ends(thing: Instance) -> list[HiddenEnd]:
    """The ends that were not seen."""
    return [
        HiddenEnd(axis, 2 * end - 1, thing.upright_box.axes[axis], float(sd), f"end {thing.id} {axis} {end}")
        for (axis, end), sd in np.ndenumerate(thing.hidden_sd)
        if sd > 0
    ]


def vertical(thing: Instance) -> int:
    """Which axis of its upright box is the vertical one."""
    return int(np.argmax(np.abs(thing.upright_box.axes[:, 1])))


def side(context: CellContext, thing: Instance, axis: int) -> Uncertain:
    """The length of a side of its upright box."""
    size = float(thing.upright_box.size[axis])
    own = measured(size, thing.size_sd, f"side {thing.id} {axis}")
    for end in hidden_ends(thing):
        if end.axis == axis:
            own = with_error(own, end.sd, end.source)
    return with_error(own, size * context.scale_error, SCALE)


def vertical_side(context: CellContext, thing: Instance) -> Uncertain:
    """Its height from bottom to top."""
    return side(context, thing, vertical(thing))


def pose_of(value: Value) -> Value:
    """Points and frames as what the one-shot language takes for a place: a pose."""
    match value:
        case FrameValue():
            return PoseValue(value.axes.world_from_frame, value.label, unit=value.unit, evidence=value.evidence)
        case PointValue():
            pose = np.eye(4)
            pose[:3, 3] = value.place.array
            return PoseValue(pose, value.label, unit=value.unit, evidence=value.evidence)
    return value


def lengths_in(context: CellContext, kind: str, *quantities: Quantity | None) -> list[Uncertain] | Absent:
    """Lengths in the memory's own unit, 0 for those omitted; absent when one is in the other unit or too large."""
    unit = length_dimension(context.scene.unit)
    for quantity in quantities:
        if quantity is not None and quantity.dimension != unit:
            told = f"a length in {quantity.unit or 'no unit'} cannot be laid out in a memory in {context.scene.unit}"
            return Absent(kind, "unknown scale", told)
        if quantity is not None and not small_enough(quantity.number):
            return Absent(kind, "degenerate", TOO_LARGE)
    return [Uncertain(0.0) if quantity is None else quantity.number for quantity in quantities]
