"""What would be if: an object moved, placed or dropped, whether it fits, what is in the way.

The memory is never changed: a moved object is a copy that can be measured like any other. It keeps its id.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from placecell.engine.cells.comparing import compare_quantities, joined_verdict
from placecell.engine.cells.context import CellContext
from placecell.engine.cells.points import distance_between
from placecell.engine.cells.quantities import SCALE, Quantity, divide, length_dimension, multiply
from placecell.engine.cells.room import FLOOR, between, support, surface_under, top
from placecell.engine.cells.spots import side, spot, spot_of, spots, vertical, vertical_side
from placecell.engine.cells.uncertain import Uncertain, combined, measured, with_error
from placecell.engine.cells.values import NO, UNDECIDED, YES, FrameValue, SupposedValue, VectorValue, Verdict
from placecell.engine.cells.vectors import Vec
from placecell.engine.derived import derived
from placecell.engine.evidence import pooled
from placecell.engine.measures import CLEAR
from placecell.engine.registry import implements_in_cells
from placecell.engine.values import Absent, Evidence, InstancesValue, InstanceValue, PoseValue, Value
from placecell.geometry.boxes import OrientedBox
from placecell.language.types import Kind
from placecell.memory.scene import Instance, SpatialMemory


@implements_in_cells("moved")
def moved(context: CellContext, object: InstanceValue, by: VectorValue) -> SupposedValue | Absent:
    """Moved by a vector."""
    place = spot(context, object, Kind.INSTANCE)
    if isinstance(place, Absent):
        return place
    return _supposed(object, place.place.plus(by.way), pooled(object.evidence, place.evidence, by.evidence))


@implements_in_cells("placed")
def placed(context: CellContext, object: InstanceValue, at: Value) -> SupposedValue | Absent:
    """Its centre at a place, or its bottom on the top of another object."""
    there = spot(context, at, Kind.INSTANCE)
    if isinstance(there, Absent):
        return there
    evidence = pooled(object.evidence, there.evidence)
    if isinstance(at, FrameValue | PoseValue) or there.instance is None:
        return _supposed(object, there.place, evidence)
    if there.instance.id == object.instance.id:
        return Absent(Kind.INSTANCE, "degenerate", f"the {object.instance.name} cannot stand on itself")
    base = there.place.plus(Vec.exact(there.instance.upright_box.centre - there.instance.centre))
    height = base.y + vertical_side(context, there.instance).times(0.5) + _rise(context, object.instance)
    return _supposed(object, base._replace(y=height), evidence)


@implements_in_cells("dropped")
def dropped(context: CellContext, object: InstanceValue) -> SupposedValue | Absent:
    """Straight down onto what is under it."""
    place = spot(context, object, Kind.INSTANCE)
    if isinstance(place, Absent):
        return place
    base, rests, flags = _base_under(context, object.instance)
    low = float(object.instance.upright_box.corners[:, 1].min())
    flags = (*flags, f"comes to rest on {rests}", *(["it was below the floor"] if low < FLOOR else []))
    evidence = pooled(object.evidence, place.evidence, Evidence(flags=flags))
    return _supposed(object, place.place._replace(y=base + _rise(context, object.instance)), evidence)


def _base_under(context: CellContext, thing: Instance) -> tuple[Uncertain, str, tuple[str, ...]]:
    """The height of what is under a thing, what that is, and remarks: a known object, a surface, or the floor."""
    memory = context.scene
    under, surface = support(thing, memory.instances), surface_under(memory, thing)
    if under is not None and (surface is None or surface <= top(under)):
        beneath = spot_of(context, under)
        offset = float(under.upright_box.centre[1] - under.centre[1])
        height = beneath.place.y + vertical_side(context, under).times(0.5) + Uncertain(offset)
        return height, f"the {under.name} {under.id}", ()
    if surface is None:
        return Uncertain(FLOOR), "the floor", ()
    own = measured(surface, derived(memory).spacing / 2, f"surface at {surface!r}")
    height = with_error(own, surface * context.scale_error, SCALE)
    return height, f"a surface {surface:.2f} {memory.unit} above the floor", ("nobody named what is under it",)


@implements_in_cells("support_of")
def support_of(context: CellContext, object: InstanceValue) -> InstanceValue | Absent:
    """The thing under it."""
    under = support(object.instance, context.scene.instances)
    if under is None:
        return Absent(Kind.INSTANCE, "not found", f"nothing but the floor is under the {object.instance.name}")
    return InstanceValue(under, evidence=pooled(object.evidence, spot_of(context, under).evidence))


def _rise(context: CellContext, thing: Instance) -> Uncertain:
    """How far its centre is above its bottom."""
    box = thing.upright_box
    offset = float(thing.centre[1] - box.centre[1])
    half = side(context, thing, vertical(thing)).times(0.5)
    # A tilted upright box has its bottom lower than half a side; its corners say how far.
    return combined(float(box.centre[1] - box.corners[:, 1].min()) + offset, ((1.0, half),))


def _supposed(object: InstanceValue, place: Vec, evidence: Evidence) -> SupposedValue | Absent:
    """A copy of the object with its centre at ``place``."""
    thing = object.instance
    shift = place.array - thing.centre
    if not np.isfinite(shift).all():
        return Absent(Kind.INSTANCE, "degenerate", "the new place is too far away to mean anything")
    copy = replace(
        thing,
        box=OrientedBox(thing.box.centre + shift, thing.box.axes, thing.box.size),
        upright_box=OrientedBox(thing.upright_box.centre + shift, thing.upright_box.axes, thing.upright_box.size),
        points=(thing.points + shift).astype(np.float32),
        centre_sd=place.without(SCALE).sd,
        views=(),
    )
    return SupposedValue(copy, evidence=evidence, place=place)


@implements_in_cells("fits")
def fits(context: CellContext, object: InstanceValue, gap: Quantity) -> Verdict | Absent:
    """Its shorter level side is no wider than the gap."""
    return compare_quantities("<=", _narrow(context, object.instance), gap)


@implements_in_cells("fits_between")
def fits_between(context: CellContext, object: InstanceValue, a: Value, b: Value) -> Verdict | Absent:
    """Through the closest gap of two others."""
    gap = distance_between(context, a, b)
    if isinstance(gap, Absent):
        return Absent(Kind.VERDICT, "input absent", "there is no gap to fit in", gap)
    return fits(context, object, gap)


@implements_in_cells("fits_on")
def fits_on(context: CellContext, object: InstanceValue, on: InstanceValue) -> Verdict | Absent:
    """Both level sides are no longer than those of what it stands on."""
    if object.instance.id == on.instance.id:
        return Absent(Kind.VERDICT, "degenerate", f"the {on.instance.name} cannot stand on itself")
    pairs = zip(_level_sides(context, object.instance), _level_sides(context, on.instance), strict=True)
    return joined_verdict("and", [compare_quantities("<=", own, its) for own, its in pairs])


def _narrow(context: CellContext, thing: Instance) -> Quantity:
    return _level_sides(context, thing)[0]


def _level_sides(context: CellContext, thing: Instance) -> list[Quantity]:
    """The two level sides of its upright box, shorter first."""
    level = [k for k in range(3) if k != vertical(thing)]
    sides = sorted((side(context, thing, k) for k in level), key=lambda number: number.value)
    evidence = spot_of(context, thing).evidence
    return [Quantity(number, length_dimension(context.scene.unit), evidence) for number in sides]


@implements_in_cells("blocked")
def blocked(context: CellContext, a: Value, b: Value, supposing: Sequence[Value]) -> Verdict | Absent:
    """Whether something is surely between two centres, surely not, or depends on how large it is exactly."""
    found = spots(context, Kind.VERDICT, a, b)
    if isinstance(found, Absent):
        return found
    start, end = found
    missing = next((v for v in supposing if isinstance(v, Absent)), None)
    if missing is not None:
        return Absent(Kind.VERDICT, "input absent", "what is supposed to be there is absent", missing)
    memory = supposed_in(context.scene, supposing)
    ends = [s.instance for s in found if s.instance is not None]
    here, there = start.place.array, end.place.array
    evidence = pooled(start.evidence, end.evidence)
    sd = max(s.place.without(SCALE).sd for s in found)
    surely = between(memory, here, there, ends, sd, -CLEAR)
    if surely is not None:
        return Verdict(YES, None, pooled(evidence, Evidence(flags=(f"the {surely} is in the way",))))
    perhaps = between(memory, here, there, ends, sd, CLEAR)
    if perhaps is not None:
        return Verdict(UNDECIDED, None, pooled(evidence, Evidence(flags=(f"the {perhaps} is near the line",))))
    return Verdict(NO, None, evidence)


def supposed_in(memory: SpatialMemory, supposing: Iterable[Value]) -> SpatialMemory:
    """The memory with moved objects instead of themselves; the same version, for this one question only."""
    instead = {thing.id: thing for value in supposing for thing in _instances(value)}
    if not instead:
        return memory
    return replace(memory, instances=tuple(instead.get(i.id, i) for i in memory.instances))


def _instances(value: Value) -> tuple[Instance, ...]:
    match value:
        case InstanceValue():
            return (value.instance,)
        case InstancesValue():
            return value.instances
    return ()


@implements_in_cells("rescaled")
def rescaled(context: CellContext, value: Quantity, measured: Quantity, known: Quantity) -> Quantity | Absent:
    """In the unit of what is known."""
    ratio = divide(value, measured)
    return ratio if isinstance(ratio, Absent) else multiply(ratio, known)
