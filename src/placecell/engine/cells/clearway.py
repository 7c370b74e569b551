"""How far one can go: level, from a frame's place, to what is met first."""

from __future__ import annotations

from typing import Literal

import numpy as np

from placecell.engine.cells.choosing import drawn
from placecell.engine.cells.context import CellContext
from placecell.engine.cells.quantities import SCALE, Quantity, length_dimension
from placecell.engine.cells.room import Hit, first_hit
from placecell.engine.cells.uncertain import Uncertain, combined, measured, with_error
from placecell.engine.cells.values import FrameValue
from placecell.engine.cells.vectors import Axes, Vec
from placecell.engine.evidence import pooled
from placecell.engine.registry import implements_in_cells
from placecell.engine.values import Absent, Evidence
from placecell.geometry.transforms import Array
from placecell.language.types import Kind

Until = Literal["anything", "wall"]
_RAYS = 8
_GRAZING = 0.01
"""Cosine below which a ray goes along a surface rather than into it."""

_WAYS = {"front": (1.0, 0.0), "back": (-1.0, 0.0), "right": (0.0, 1.0), "left": (0.0, -1.0)}


@implements_in_cells("clear_way")
def clear_way(context: CellContext, frame: FrameValue, side: str, until: Until) -> Quantity | Absent:
    """Level, from the frame's place to what is met first."""
    ahead, aside = _WAYS[side]
    way = ahead * frame.axes.forward + aside * frame.axes.right
    origin = frame.axes.origin.array
    hit = first_hit(context.scene, origin, way, until, frame.inside)
    if hit is None:
        what = "no wall" if until == "wall" else "nothing known"
        return Absent(Kind.LENGTH, "not found", f"there is {what} that way, seen from {frame.label}")
    flags = [f"the way ends at the {hit.name}"]
    number = _distance_to(context, frame, way, hit)
    jumps = _jumps(context, frame, ahead, aside, until, number)
    if jumps > number.sd:
        flags.append("it passes close by an edge, where the way is longer or shorter")
    number = with_error(number, jumps, f"edge {hit.distance!r}")
    evidence = pooled(frame.evidence, Evidence(flags=tuple(flags)))
    return Quantity(number, length_dimension(context.scene.unit), evidence)


def _jumps(
    context: CellContext, frame: FrameValue, ahead: float, aside: float, until: Until, number: Uncertain
) -> float:
    """How far off the distance is, rms, beside what its derivative says: it jumps where the ray passes an edge.

    Sampled: frames as they may be, each with the distance that ``number`` expects there.
    """
    x, y, z = frame.axes.origin.without(SCALE)
    if not (x.errors or y.errors or z.errors or frame.axes.heading.errors):
        return 0.0
    off = []
    for *origin, heading, expected in drawn((x, y, z, frame.axes.heading, number.without(SCALE)), _RAYS).tolist():
        may_be = Axes(Vec.exact(np.array(origin)), Uncertain(heading))
        hit = first_hit(
            context.scene, np.array(origin), ahead * may_be.forward + aside * may_be.right, until, frame.inside
        )
        off.append(0.0 if hit is None else hit.distance - expected)
    return float(np.sqrt(np.mean(np.square(off))))


def _distance_to(context: CellContext, frame: FrameValue, way: Array, hit: Hit) -> Uncertain:
    """The distance with the errors of the place, of the heading, and of what is met, along its normal.

    d = n (w - o) / n v: with the heading, v turns across itself and d grows by the tangent of the slant.
    """
    normal = way if hit.normal is None or abs(float(hit.normal @ way)) < _GRAZING else hit.normal
    slant = float(normal @ way)
    across = np.array([-way[2], 0.0, way[0]])
    exact = combined(
        hit.distance,
        (
            (-1.0 / slant, frame.axes.origin.along(normal)),
            (-hit.distance * float(normal @ across) / slant * np.pi / 180.0, frame.axes.heading),
        ),
    )
    exact = exact.without(SCALE)
    if hit.instance is not None:
        thing = hit.instance
        sd = np.hypot(thing.centre_sd, thing.size_sd / 2) / abs(slant)
        exact = exact + measured(0.0, float(sd), f"face {thing.id}")
    return with_error(exact, hit.distance * context.scale_error, SCALE)
