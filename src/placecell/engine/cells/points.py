"""Points and vectors: where things are, and what lies between two places."""

from __future__ import annotations

from dataclasses import replace

from placecell.engine.cells import vectors
from placecell.engine.cells.box_errors import length_between
from placecell.engine.cells.context import CellContext
from placecell.engine.cells.quantities import TOO_LARGE, Quantity, length_dimension, small_enough
from placecell.engine.cells.spots import lengths_in, pose_of, spot, spots, vertical_side
from placecell.engine.cells.uncertain import Uncertain
from placecell.engine.cells.values import FrameValue, PointValue, VectorValue
from placecell.engine.cells.vectors import Vec
from placecell.engine.evidence import pooled
from placecell.engine.measures import CLEAR, measure_distance
from placecell.engine.registry import implements_in_cells
from placecell.engine.values import Absent, InstancesValue, InstanceValue, Value
from placecell.language.dimensions import DEGREES
from placecell.language.types import Kind


@implements_in_cells("centre_of")
def centre_of(context: CellContext, thing: Value) -> PointValue | Absent:
    """The place of one thing."""
    place = spot(context, thing, Kind.POINT)
    if isinstance(place, Absent):
        return place
    return PointValue(place.place, context.scene.unit, f"the centre of {place.label}", evidence=place.evidence)


@implements_in_cells("top_of")
def top_of(context: CellContext, object: InstanceValue) -> PointValue | Absent:
    """The middle of the top of its upright box."""
    place = spot(context, object, Kind.POINT)
    if isinstance(place, Absent):
        return place
    thing = object.instance
    middle = place.place.plus(Vec.exact(thing.upright_box.centre - thing.centre))
    top = middle._replace(y=middle.y + vertical_side(context, thing).times(0.5))
    return PointValue(top, context.scene.unit, f"the top of {place.label}", evidence=place.evidence)


@implements_in_cells("midpoint")
def midpoint(context: CellContext, a: Value, b: Value) -> PointValue | Absent:
    """Half way."""
    ends = spots(context, Kind.POINT, a, b)
    if isinstance(ends, Absent):
        return ends
    one, other = ends
    middle = one.place.plus(other.place).times(Uncertain(0.5))
    label = f"half way between {one.label} and {other.label}"
    return PointValue(middle, context.scene.unit, label, evidence=pooled(one.evidence, other.evidence))


@implements_in_cells("point_at")
def point_at(
    context: CellContext, frame: FrameValue, right: Quantity | None, up: Quantity | None, forward: Quantity | None
) -> PointValue | Absent:
    """A place told in the terms of a frame."""
    parts = lengths_in(context, Kind.POINT, right, up, forward)
    if isinstance(parts, Absent):
        return parts
    place = frame.axes.origin.plus(frame.axes.direction(*parts))
    evidence = pooled(frame.evidence, *(q.evidence for q in (right, up, forward) if q is not None))
    return PointValue(place, frame.unit, f"a point seen from {frame.label}", frame, evidence)


@implements_in_cells("length_of")
def length_of(context: CellContext, vector: VectorValue) -> Quantity:
    """How long."""
    return Quantity(vector.way.length(), length_dimension(vector.unit), vector.evidence)


@implements_in_cells("horizontal")
def horizontal(context: CellContext, vector: VectorValue) -> VectorValue:
    """Its level part."""
    return replace(vector, way=vector.way.level())


@implements_in_cells("angle_between")
def angle_between(context: CellContext, a: VectorValue, b: VectorValue) -> Quantity | Absent:
    """Degrees from one way to the other."""
    for vector in (a, b):
        length = vector.way.length()
        if length.value <= CLEAR * vector.way.sd or length.value == 0:
            message = f"a vector {length.value:.2g} {vector.unit} long, known to {vector.way.sd:.2g}, has no direction"
            return Absent(Kind.ANGLE, "degenerate", message)
    return Quantity(vectors.angle_between(a.way, b.way), DEGREES, pooled(a.evidence, b.evidence))


@implements_in_cells("distance_between")
def distance_between(context: CellContext, a: Value, b: Value) -> Quantity | Absent:
    """Closest points of two things; of points and frames, these."""
    if not isinstance(a, InstanceValue | InstancesValue) and not isinstance(b, InstanceValue | InstancesValue):
        ends = spots(context, Kind.LENGTH, a, b)
        if isinstance(ends, Absent):
            return ends
        one, other = ends
        evidence = pooled(one.evidence, other.evidence)
        return Quantity(one.place.minus(other.place).length(), length_dimension(context.scene.unit), evidence)
    measured = measure_distance(context, context.scene, pose_of(a), pose_of(b))
    if isinstance(measured, Absent):
        return measured
    return length_between(context, measured, a, b)


@implements_in_cells("distance_to_line")
def distance_to_line(context: CellContext, thing: Value, a: Value, b: Value) -> Quantity | Absent:
    """From a centre to the straight piece between two others."""
    found = spots(context, Kind.LENGTH, thing, a, b)
    if isinstance(found, Absent):
        return found
    here, start, end = found
    along, to_here = end.place.minus(start.place), here.place.minus(start.place)
    square = float(along.array @ along.array)
    # Where the foot is moves along the line, which changes no distance to first order.
    share = min(max(float(to_here.array @ along.array) / square, 0.0), 1.0) if square > 0 else 0.0
    foot = start.place.plus(along.times(Uncertain(share)))
    evidence = pooled(here.evidence, start.evidence, end.evidence)
    return Quantity(here.place.minus(foot).length(), length_dimension(context.scene.unit), evidence)


@implements_in_cells("distance_to_plane")
def distance_to_plane(context: CellContext, thing: Value, plane: FrameValue) -> Quantity | Absent:
    """From a centre to the upright plane across a frame's forward."""
    here = spot(context, thing, Kind.LENGTH)
    if isinstance(here, Absent):
        return here
    _, _, forward = plane.axes.components(here.place.minus(plane.axes.origin))
    apart = -forward if forward.value < 0 else forward
    return Quantity(apart, length_dimension(context.scene.unit), pooled(here.evidence, plane.evidence))


def add(op: str, a: PointValue | VectorValue, b: PointValue | VectorValue) -> Value:
    """Point - point is a vector, point + vector a point; other sums, and products, have no meaning."""
    evidence = pooled(a.evidence, b.evidence)
    left, right = _vec(a), _vec(b)
    result = left.plus(right) if op == "+" else left.minus(right)
    if not all(map(small_enough, result)):
        return Absent(Kind.POINT, "degenerate", TOO_LARGE)
    frame = a.frame if a.frame is not None else b.frame
    kinds = (type(a), op, type(b))
    if kinds in _VECTORS:
        return VectorValue(result, a.unit, frame, evidence)
    if kinds in _POINTS:
        label = a.label if isinstance(a, PointValue) else b.label if isinstance(b, PointValue) else ""
        return PointValue(result, a.unit, f"{label}, moved", frame, evidence)
    return Absent(Kind.POINT, "degenerate", "two points have no sum, and nothing is taken from a vector but a vector")


_VECTORS = {(PointValue, "-", PointValue), (VectorValue, "+", VectorValue), (VectorValue, "-", VectorValue)}
_POINTS = {(PointValue, "+", VectorValue), (VectorValue, "+", PointValue), (PointValue, "-", VectorValue)}


def _vec(value: PointValue | VectorValue) -> Vec:
    return value.place if isinstance(value, PointValue) else value.way


def scale(vector: VectorValue, factor: Quantity) -> VectorValue | Absent:
    """A vector times a plain number."""
    if any(factor.dimension):
        return Absent(Kind.VECTOR, "degenerate", f"a vector is scaled by a number, not by {factor.unit}")
    way = vector.way.times(factor.number)
    if not all(map(small_enough, way)):
        return Absent(Kind.VECTOR, "degenerate", TOO_LARGE)
    return replace(vector, way=way, evidence=pooled(vector.evidence, factor.evidence))
