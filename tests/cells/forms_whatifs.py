"""Family: what if it fell, would it fit, is the way free."""

from __future__ import annotations

import numpy as np
from cell_forms import Thing, form
from cell_truth import apart, flat, high, hits, low, others, sides, unit

from placecell.backends.synthetic.scene import SyntheticRoom
from placecell.backends.synthetic.truth import box_distance
from placecell.geometry.transforms import Array

FAMILY = "what if"


def _shadow(thing: Thing) -> Array:
    """(4, 2) corners of its footprint."""
    return np.array([thing.box.centre + thing.box.axes.T @ (s * thing.box.size / 2) for s in _SIGNS])[:, [0, 2]]


_SIGNS = np.array([[x, 0.0, z] for x in (-1, 1) for z in (-1, 1)])


def _overlap(a: Array, b: Array) -> float:
    """How deep two footprints, moved as they are, reach into each other; negative: the gap along some axis."""
    deep = np.inf
    for corners in (a, b):
        for edge in (corners[1] - corners[0], corners[2] - corners[0]):
            along = edge / np.linalg.norm(edge)
            pa, pb = a @ along, b @ along
            deep = min(deep, pa.max() - pb.min(), pb.max() - pa.min())
    return float(deep)


def _rests_at(room: SyntheticRoom, thing: Thing, shift: Array) -> float | None:
    """Height at which its lower side comes to rest after a shift; None where it would barely be caught, or missed."""
    shadow = _shadow(thing) + shift[[0, 2]]
    below = [t for t in others(room, thing) if high(t) <= low(thing) + shift[1] + 0.02]
    depths = {t.id: _overlap(shadow, _shadow(t)) for t in below}
    if any(abs(depth) < 0.12 for depth in depths.values()):
        return None
    return max((high(t) for t in below if depths[t.id] > 0), default=0.0)


@form(
    FAMILY,
    "If the nail of the {fronted} gave way, how far would the {fronted} fall?",
    """
    down = dropped(fronted)
    answer(length_of(centre_of(fronted) - centre_of(down)))
    """,
    unit="m",
)
def falls_from_the_wall(room, fronted):
    rest = _rests_at(room, fronted, np.zeros(3)) if fronted.mount == "wall" and low(fronted) > 0.4 else None
    return None if rest is None else low(fronted) - rest


@form(
    FAMILY,
    "If somebody pushed the {top} 1.5 m towards the {a} and let it go, how high would its top be then?",
    """
    way = horizontal(centre_of(a) - centre_of(top))
    pushed = moved(top, by=way * (metres(1.5) / length_of(way)))
    down = dropped(pushed)
    ---
    answer(in_frame(top_of(down), world_frame()).up)
    """,
    unit="m",
)
def pushed_off(room, top, a):
    way = flat(a.centre - top.centre)
    if np.linalg.norm(way) < 0.5:
        return None
    rest = _rests_at(room, top, 1.5 * unit(way))
    return None if rest is None else rest + sides(top)[2]


@form(
    FAMILY,
    "Would the {a} fit through between the {b} and the {c}, standing upright?",
    """
    gap = measure_distance(b, c)
    answer("yes" if fits(a, gap=gap) else "no")
    """,
    options=("yes", "no"),
    program="""
    a = select_object(query_3d_object_location(memory, "{a}"), by="only")
    gap = measure_distance(memory, query_3d_object_location(memory, "{b}"), query_3d_object_location(memory, "{c}"))
    size = measure_size(memory, a)
    return [compare(gap, size.depth)]
    """,
)
def fits_between_two(room, a, b, c):
    spare = box_distance(b, c) - sides(a)[1]
    floor = all(thing.mount == "floor" for thing in (a, b, c))
    return ("yes" if spare > 0 else "no") if floor and sides(a)[2] > 0.3 and abs(spare) > 0.15 else None


@form(
    FAMILY,
    "Is the straight line from the middle of the {a} to that of the {b} free?",
    """
    answer("no" if blocked(a, b) else "yes")
    """,
    options=("yes", "no"),
)
def the_line_is_free(room, a, b):
    way, gap = unit(b.centre - a.centre), apart(a.centre, b.centre)
    rest = [t for t in others(room, a, b) if t.name != "rug"]
    met = any(hits(t, a.centre, way, wide=-0.08) < gap for t in rest if t.box.size.min() > 0.2)
    near = any(hits(t, a.centre, way, wide=0.12) < gap for t in rest)
    if gap < 1 or met != near:
        return None
    return "no" if met else "yes"
