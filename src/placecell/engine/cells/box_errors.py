"""How a distance between two surfaces changes with the places and sides of the boxes they belong to.

The closest points of two things move with their centres, and outwards with their sides as far as they lie from the
middle of the box. So distances that share a thing share its errors, with each other and with its centre.
"""

from __future__ import annotations

import math

import numpy as np

from placecell.engine.cells.context import CellContext
from placecell.engine.cells.quantities import SCALE, Quantity, length_dimension, quantity_of
from placecell.engine.cells.spots import hidden_ends, spot
from placecell.engine.cells.uncertain import Uncertain, combined, measured, source_of, with_error
from placecell.engine.cells.vectors import Vec
from placecell.engine.values import Absent, InstancesValue, InstanceValue, Length, Value
from placecell.geometry.transforms import Array
from placecell.memory.scene import Instance

_BESIDE = 1.05
"""How far outside of its box (1: on it) a measured end may lie to move with its sides."""


def length_between(context: CellContext, length: Length, a: Value, b: Value) -> Quantity:
    """A distance between ``a`` and ``b``, as uncertain as it was measured, with the errors of both by source."""
    plain = quantity_of(length)
    if plain is None or length.ends is None or length.value <= 0:
        return plain or Quantity(Uncertain(length.value), length_dimension(length.unit), length.evidence)
    way = (length.ends[1] - length.ends[0]) / length.value
    start = _end(context, a, length.ends[0], length.evidence.instances)
    end = _end(context, b, length.ends[1], length.evidence.instances)
    number = combined(length.value, ((1.0, end.along(way)), (-1.0, start.along(way))))
    # The scale is in both ends already where they are known; of a length it is one share.
    number = number.without(SCALE)
    # A surface is less sure than its box is; that part no other distance shares.
    rest = math.sqrt(max(0.0, length.own_sd**2 - number.sd**2))
    number = with_error(number, rest, source_of("surfaces", length.value, length.ends.tolist()))
    return Quantity(with_error(number, length.scale_sd, SCALE), length_dimension(length.unit), length.evidence)


def _end(context: CellContext, value: Value, place: Array, ids: tuple[int, ...]) -> Vec:
    """A measured point (3,) on what ``value`` is; exact where that has no errors of its own."""
    thing = _instance(value, ids, place)
    if thing is None:
        here = spot(context, value, "length")
        return Vec.exact(place) if isinstance(here, Absent) else here.place
    centre = spot(context, value if isinstance(value, InstanceValue) else InstanceValue(thing), "length")
    moved = Vec.exact(place) if isinstance(centre, Absent) else centre.place
    return moved.plus(_stretched(thing, place))


def _instance(value: Value, ids: tuple[int, ...], place: Array) -> Instance | None:
    """Which object the end belongs to."""
    match value:
        case InstanceValue():
            return value.instance
        case InstancesValue():
            meant = [thing for thing in value.instances if thing.id in ids]
            return min(meant, key=lambda thing: float(thing.box.distance(place)), default=None)
    return None


def _stretched(thing: Instance, place: Array) -> Vec:
    """How a point of a thing moves with its sides: in proportion to where it lies between middle and face."""
    box = thing.upright_box
    local = box.to_local(place) / np.maximum(box.size, 1e-12)
    out = Vec.exact(np.zeros(3))
    if (np.abs(local) > 0.5 * _BESIDE + 1e-9).any():
        return out
    for axis, share in enumerate(local.tolist()):
        error = measured(0.0, thing.size_sd * share, f"side {thing.id} {axis}")
        out = out.plus(Vec(*(error.times(float(step)) for step in box.axes[axis])))
    for end in hidden_ends(thing):
        out = out.plus(end.moving(float(local[end.axis])))
    return out
