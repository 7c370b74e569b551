"""Family: metres from one known size, in memories whose scale nobody knows."""

from __future__ import annotations

from cell_forms import Told, form
from cell_truth import apart, sides

FAMILY = "a known size"


@form(
    FAMILY,
    "The {a} is {metres} m high. How long is the longest side of the {b}, in metres?",
    """
    answer(rescaled(measure_size(b).longest, measured=measure_size(a).height, known=metres({metres})))
    """,
    unit="m",
    world="units",
)
def size_by_a_known_height(room, a, b):
    height = round(sides(a)[2], 4)
    return Told(b.box.longest * height / sides(a)[2], {"metres": f"{height:g}"}) if height > 0.5 else None


@form(
    FAMILY,
    "The {a} is {metres} m wide. How many metres are between the middles of the {b} and the {c}?",
    """
    metres_a_unit = metres({metres}) / measure_size(a).width
    gap = length_of(centre_of(b) - centre_of(c))
    answer(gap * metres_a_unit)
    """,
    unit="m",
    world="units",
)
def distance_by_a_known_width(room, a, b, c):
    width = round(sides(a)[0], 4)
    gap = apart(b.centre, c.centre)
    return Told(gap * width / sides(a)[0], {"metres": f"{width:g}"}) if width > 0.4 and gap > 0.6 else None


@form(
    FAMILY,
    "The {a} is {metres} m high. How many square metres is the floor?",
    """
    metres_a_unit = metres({metres}) / measure_size(a).height
    answer(measure_room() * metres_a_unit * metres_a_unit)
    """,
    unit="m2",
    world="units",
)
def floor_by_a_known_height(room, a):
    height = round(sides(a)[2], 4)
    return Told(room.floor_area * (height / sides(a)[2]) ** 2, {"metres": f"{height:g}"}) if height > 0.6 else None


@form(
    FAMILY,
    "The {a} is {metres} m high. Is the {b} more than a metre high?",
    """
    high = rescaled(measure_size(b).height, measured=measure_size(a).height, known=metres({metres}))
    answer("yes" if high > metres(1) else "no")
    """,
    options=("yes", "no"),
    world="units",
)
def a_metre_high_by_a_known_height(room, a, b):
    height = round(sides(a)[2], 4)
    if height < 0.5 or abs(sides(b)[2] - 1) < 0.15:
        return None
    return Told("yes" if sides(b)[2] > 1 else "no", {"metres": f"{height:g}"})
