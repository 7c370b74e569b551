"""Family: before and after a move that nobody makes."""

from __future__ import annotations

import numpy as np
from cell_forms import form
from cell_truth import apart, axes, bearing, flat, unit

FAMILY = "a hypothetical move"


@form(
    FAMILY,
    "If the {a} were a metre nearer to the {b}, how far would its middle be from that of the {c}?",
    """
    way = horizontal(centre_of(b) - centre_of(a))
    step = way * (metres(1) / length_of(way))
    after = moved(a, by=step)
    answer(length_of(centre_of(after) - centre_of(c)))
    """,
    unit="m",
)
def a_metre_nearer(room, a, b, c):
    way = flat(b.centre - a.centre)
    return apart(a.centre + unit(way), c.centre) if np.linalg.norm(way) > 1.5 else None


@form(
    FAMILY,
    "Would the {a} be closer to the {c} than it is, middle to middle, if it were moved 1.5 m to the right as seen by "
    "someone at the {b} who faces the {a}?",
    """
    here = standing_at(at=b, facing=a)
    aside = in_frame(point_at(here, right=metres(1.5)), world_frame()) - centre_of(here)
    after = moved(a, by=aside)
    nearer = length_of(centre_of(after) - centre_of(c)) < length_of(centre_of(a) - centre_of(c))
    answer("yes" if nearer else "no")
    """,
    options=("yes", "no"),
)
def nearer_after_a_step_aside(room, a, b, c):
    if apart(flat(a.centre), flat(b.centre)) < 0.8:
        return None
    right, _ = axes(a.centre - b.centre)
    change = apart(a.centre + 1.5 * right, c.centre) - apart(a.centre, c.centre)
    return None if abs(change) < 0.3 else "yes" if change < 0 else "no"


@form(
    FAMILY,
    "If the {a} moved half of the way to the {b}, by how much would the way from its middle to that of the {c} change?",
    """
    after = moved(a, by=(centre_of(b) - centre_of(a)) / 2)
    answer(length_of(centre_of(after) - centre_of(c)) - length_of(centre_of(a) - centre_of(c)))
    """,
    unit="m",
)
def change_by_half_a_way(room, a, b, c):
    change = apart((a.centre + b.centre) / 2, c.centre) - apart(a.centre, c.centre)
    return change if abs(change) > 0.4 else None


@form(
    FAMILY,
    "Imagine the {a} at the place of the {b}. Standing at the {c} and facing the {d}, by how many degrees do you turn "
    "right to face it?",
    """
    there = placed(a, at=centre_of(b))
    here = standing_at(at=c, facing=d)
    answer(side_of(there, frame=here).bearing)
    """,
    unit="degrees",
)
def seen_at_another_place(room, a, b, c, d):
    degrees = bearing(c.centre, d.centre - c.centre, b.centre)
    clear = min(apart(flat(p.centre), flat(c.centre)) for p in (b, d)) > 0.8
    return degrees if clear and 10 < abs(degrees) < 160 else None
