"""How far one can go: level, from a frame's place, to what is met first."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np

from placecell.engine.cells.choosing import drawn
from placecell.engine.cells.context import CellContext
from placecell.engine.cells.quantities import SCALE, Quantity, length_dimension
from placecell.engine.cells.room import Hit, Obstacles, seen_until
from placecell.engine.cells.uncertain import Uncertain, combined, with_error
from placecell.engine.cells.values import FrameValue
from placecell.engine.cells.vectors import Axes, Vec
from placecell.engine.evidence import pooled
from placecell.engine.registry import implements_in_cells
from placecell.engine.values import Absent, Evidence
from placecell.geometry.transforms import Array
from placecell.language.types import Kind

Until = Literal["anything", "wall"]
_RAYS = 8
_BAND = 4.0
"""Standard deviations of the height of a frame that its rays may be off."""
_GRAZING = 0.01
"""Cosine below which a ray goes along a surface rather than into it."""

_WAYS = {"front": (1.0, 0.0), "back": (-1.0, 0.0), "right": (0.0, 1.0), "left": (0.0, -1.0)}


@implements_in_cells("clear_way")
def clear_way(context: CellContext, frame: FrameValue, side: str, until: Until) -> Quantity | Absent:
    """Level, from the frame's place to what is met first."""
    height = frame.axes.origin.y
    band = height.value - _BAND * height.sd, height.value + _BAND * height.sd
    obstacles = Obstacles.of(context.scene, until, frame.inside, band)
    hit = obstacles.first(frame.axes.origin.array, _way(frame.axes, side))
    if hit is None:
        what = "no wall" if until == "wall" else "nothing known"
        seen = seen_until(context.scene, frame.axes.origin.array, _way(frame.axes, side))
        ends = "" if seen is None else f"; what was seen of the place ends after {seen:.2f} {context.scene.unit}"
        return Absent(Kind.LENGTH, "not found", f"there is {what} that way, seen from {frame.label}{ends}")
    flags = [f"the way ends at the {hit.name}"]
    number = _distance_to(frame.axes, side, hit)
    jumps = _jumps(obstacles, frame.axes, side, number)
    if jumps > number.sd:
        flags.append("it passes close by an edge, where the way is longer or shorter")
    if hit.instance is not None:
        face = hit.instance.face_sd(-_way(frame.axes, side))
        number = with_error(number, face, f"face {hit.instance.id}")
    number = with_error(number, jumps, f"edge {hit.distance!r}")
    number = with_error(number, hit.distance * context.scale_error, SCALE)
    evidence = pooled(frame.evidence, Evidence(flags=tuple(flags)))
    return Quantity(number, length_dimension(context.scene.unit), evidence)


def _way(axes: Axes, side: str) -> Array:
    ahead, aside = _WAYS[side]
    return np.asarray(ahead * axes.forward + aside * axes.right)


def _distance_to(axes: Axes, side: str, hit: Hit) -> Uncertain:
    """The distance with the errors of the place and of the heading, but that of the scale.

    d = n (w - o) / n v: with the heading, v turns across itself and d grows by the tangent of the slant.
    """
    way = _way(axes, side)
    normal = way if hit.normal is None or abs(float(hit.normal @ way)) < _GRAZING else hit.normal
    slant = float(normal @ way)
    across = np.array([-way[2], 0.0, way[0]])
    by_heading = -hit.distance * float(normal @ across) / slant * math.pi / 180.0
    place = axes.origin.along(normal)
    return combined(hit.distance, ((-1.0 / slant, place), (by_heading, axes.heading))).without(SCALE)


def _jumps(obstacles: Obstacles, axes: Axes, side: str, number: Uncertain) -> float:
    """How far off the distance is, rms, beside what its derivative says: it jumps where the ray passes an edge.

    Sampled: frames as they may be, each with the distance that ``number`` expects there.
    """
    x, y, z = axes.origin.without(SCALE)
    if not (x.errors or y.errors or z.errors or axes.heading.errors):
        return 0.0
    off = []
    for *origin, heading, expected in drawn((x, y, z, axes.heading, number), _RAYS).tolist():
        place = np.array(origin)
        hit = obstacles.first(place, _way(Axes(Vec.exact(place), Uncertain(heading)), side))
        off.append(0.0 if hit is None else hit.distance - expected)
    return float(np.sqrt(np.mean(np.square(off))))
