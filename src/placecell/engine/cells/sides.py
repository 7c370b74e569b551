"""On which side of a frame things lie.

Knows frames and places with errors by source. Words and spans are those of ``engine.directions``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import Any

from placecell.engine.cells.comparing import sign_test
from placecell.engine.cells.context import CellContext
from placecell.engine.cells.frames import WINDS
from placecell.engine.cells.spots import pose_of, spot
from placecell.engine.cells.uncertain import Uncertain, measured, source_of
from placecell.engine.cells.values import NO, UNDECIDED, YES, DirectionValue, FrameValue, State, Verdict
from placecell.engine.cells.vectors import Axes, Vec
from placecell.engine.directions import located
from placecell.engine.evidence import pooled
from placecell.engine.places import closest, places, viewpoint_place
from placecell.engine.registry import implements_in_cells
from placecell.engine.values import Absent, Direction, Evidence, InstanceValue, Value
from placecell.engine.viewpoint import Viewpoint
from placecell.geometry.transforms import wrap_degrees
from placecell.language.types import Kind

_AHEAD, _BACK, _RIGHT, _LEFT, _ABOVE, _BELOW = (
    ((axis, op),) for axis, op in ((2, ">"), (2, "<"), (0, ">"), (0, "<"), (1, ">"), (1, "<"))
)
_SIDES: dict[str, tuple[tuple[int, str], ...]] = {
    "front": _AHEAD, "back": _BACK, "right": _RIGHT, "left": _LEFT, "up": _ABOVE, "down": _BELOW,
    "front-left": _AHEAD + _LEFT, "front-right": _AHEAD + _RIGHT,
    "back-left": _BACK + _LEFT, "back-right": _BACK + _RIGHT,
    "north": _AHEAD, "south": _BACK, "east": _RIGHT, "west": _LEFT,
    "northeast": _AHEAD + _RIGHT, "northwest": _AHEAD + _LEFT,
    "southeast": _BACK + _RIGHT, "southwest": _BACK + _LEFT,
}  # fmt: skip
"""Which components (0 right, 1 up, 2 forward) must be above or below 0 on a side."""


@implements_in_cells("side_of")
def side_of(context: CellContext, target: Value, frame: FrameValue) -> DirectionValue | Absent:
    """As ``locate`` tells it from a viewpoint that stands as the frame does."""
    memory = context.scene
    here = Viewpoint(frame.axes.world_from_frame, frame.label, frame.unit, standing_in=frame.inside)
    targets = places(pose_of(target), Kind.DIRECTION)
    if isinstance(targets, Absent):
        return targets
    nearest = targets[0]
    flags: tuple[str, ...] = ()
    if len(targets) > 1:
        nearest = closest(memory, (viewpoint_place(here),), targets).b
        target, flags = InstanceValue(nearest.instance), (f"the nearest of {len(targets)}",)  # type: ignore[arg-type]
    found = located(memory, here, pose_of(target))
    if isinstance(found, Absent):
        return found
    place = spot(context, target, Kind.DIRECTION)
    if isinstance(place, Absent):
        return place
    number = _bearing(place.place, frame.axes, found.bearing)
    told: dict[str, Any] = {f.name: getattr(found, f.name) for f in fields(found)}
    told |= {"words": _winds(found) if frame.compass else found.words, "sd": number.sd}
    told |= {"evidence": pooled(found.evidence, frame.evidence, Evidence(flags=flags))}
    return DirectionValue(**told, number=number)


def _bearing(place: Vec, axes: Axes, degrees: float) -> Uncertain:
    """A bearing of so many degrees with its errors; what the two places and the heading share drops out.

    Where the target is straight above or below, so that there is no bearing, it may be anywhere.
    """
    way = place.minus(axes.origin)
    if not (way.x.value or way.z.value):
        return measured(degrees, 180.0 if way.sd else 0.0, source_of("no bearing", *way))
    number = way.heading() - axes.heading
    if number.sd > 180.0:
        return measured(degrees, 180.0, source_of("any bearing", number))
    return Uncertain(degrees, number.errors)


def _winds(direction: Direction) -> tuple[str, ...]:
    """Compass words of a direction in a compass frame, and whether it is up or down."""
    height = tuple(w for w in direction.words if w in ("up", "down"))
    if not set(direction.words) - set(height):
        return height
    wind = WINDS[round(float(wrap_degrees(direction.bearing)) / 45.0) % 8]
    return (wind, *height)


@implements_in_cells("on_side")
def on_side(context: CellContext, target: Value, frame: FrameValue, side: str) -> Verdict | Absent:
    """Whether the centre of a thing is on a side, by how many standard deviations."""
    place = spot(context, target, Kind.VERDICT)
    if isinstance(place, Absent):
        return place
    if side in WINDS and not frame.compass:
        return Absent(Kind.VERDICT, "degenerate", f"there is no {side} in a frame that is no compass")
    components = frame.axes.components(place.place.minus(frame.axes.origin))
    tests = [sign_test(op, components[axis]) for axis, op in _SIDES[side]]
    return Verdict(*_all_of(tests), pooled(place.evidence, frame.evidence))


def _all_of(
    tests: Sequence[tuple[str, float | None]],
) -> tuple[State, float | None]:
    """The joined state and its margin: a clear no decides, else the least clear one does."""
    for state in (NO, UNDECIDED, YES):
        margins = [margin for found, margin in tests if found == state and margin is not None]
        if any(found == state for found, _ in tests):
            return state, (max if state == NO else min)(margins, default=None)
    raise ValueError("a side needs a test")
