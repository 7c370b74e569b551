"""Family: sums, differences, ratios, how many fit, and rounding to the unit that is asked for."""

from __future__ import annotations

import math

import numpy as np
from cell_forms import form
from cell_truth import apart, sides

FAMILY = "arithmetic"


@form(
    FAMILY,
    "By how many whole centimetres is the {a} higher than the {b}?",
    """
    more = measure_size(a).height - measure_size(b).height
    answer(round(more, 2))
    """,
    unit="m",
)
def higher_by(room, a, b):
    more = sides(a)[2] - sides(b)[2]
    clear = abs(100 * more % 1 - 0.5) > 0.1
    return round(more, 2) if more > 0.2 and clear else None


@form(
    FAMILY,
    "How long is the way from the middle of the {a} to that of the {b} and on to that of the {c}?",
    """
    one = length_of(centre_of(b) - centre_of(a))
    two = length_of(centre_of(c) - centre_of(b))
    answer(one + two)
    """,
    unit="m",
)
def way_over_two_legs(room, a, b, c):
    return apart(a.centre, b.centre) + apart(b.centre, c.centre)


@form(
    FAMILY,
    "How many times as high as the {a} is the {b}?",
    """
    answer(measure_size(b).height / measure_size(a).height)
    """,
)
def times_as_high(room, a, b):
    ratio = sides(b)[2] / sides(a)[2]
    return ratio if sides(a)[2] > 0.3 and ratio > 1.2 else None


@form(
    FAMILY,
    "How high are the things called {many}, on average?",
    """
    answer(mean(measure_size(o).height for o in many))
    """,
    unit="m",
    wanted=2,
)
def mean_height(room, many):
    return float(np.mean([sides(thing)[2] for thing in many]))


@form(
    FAMILY,
    "How many things as wide as the {a} fit side by side along the longest side of the {b}?",
    """
    ratio = measure_size(b).longest / measure_size(a).width
    answer(floor(ratio))
    """,
)
def how_many_fit(room, a, b):
    ratio = b.box.longest / sides(a)[0]
    return float(math.floor(ratio)) if ratio > 2 and 0.15 < ratio % 1 < 0.85 else None


@form(
    FAMILY,
    "Which share of the floor does the {a} stand on?",
    """
    s = measure_size(a)
    answer(s.width * s.depth / measure_room())
    """,
)
def share_of_the_floor(room, a):
    width, depth, _ = sides(a)
    return width * depth / room.floor_area if a.mount == "floor" and width * depth > 0.4 else None
