"""Family: two routes to one value, taken only when they agree."""

from __future__ import annotations

from cell_forms import form
from cell_truth import apart, bearing, flat, high, sides

FAMILY = "two routes that agree"


@form(
    FAMILY,
    "How high above the floor is the top of the {top}, by its own box and by the {a} it stands on?",
    """
    one = in_frame(top_of(top), world_frame()).up
    two = in_frame(top_of(a), world_frame()).up + measure_size(top).height
    answer(one if abs(one - two) < metres(0.2) else two)
    """,
    unit="m",
)
def top_by_its_support(room, top, a):
    own, by_support = high(top), high(a) + sides(top)[2]
    return own if top.support == a.id and abs(own - by_support) < 0.02 else None


@form(
    FAMILY,
    "How far apart are the middles of the {a} and the {b}, directly and from the plan and the heights?",
    """
    one = length_of(centre_of(a) - centre_of(b))
    level = length_of(horizontal(centre_of(a) - centre_of(b)))
    rise = in_frame(centre_of(a), world_frame()).up - in_frame(centre_of(b), world_frame()).up
    two = sqrt(level * level + rise * rise)
    answer(one if abs(one - two) < metres(0.1) else two)
    """,
    unit="m",
)
def distance_by_plan_and_height(room, a, b):
    gap = apart(a.centre, b.centre)
    return gap if gap > 0.8 and apart(flat(a.centre), flat(b.centre)) > 0.5 else None


@form(
    FAMILY,
    "Seen from the middle of the {a}, how many degrees on the plan are between the {b} and the {c}, by the angle of "
    "the ways and by turning?",
    """
    one = angle_between(horizontal(centre_of(b) - centre_of(a)), horizontal(centre_of(c) - centre_of(a)))
    two = abs(side_of(c, frame=standing_at(a, facing=b)).bearing)
    answer((one + two) / 2 if abs(one - two) < degrees(3) else one)
    """,
    unit="degrees",
)
def angle_by_turning(room, a, b, c):
    degrees = abs(bearing(a.centre, b.centre - a.centre, c.centre))
    clear = min(apart(flat(a.centre), flat(t.centre)) for t in (b, c)) > 0.8
    return degrees if clear and 20 < degrees < 160 else None


@form(
    FAMILY,
    "How far is the middle of the {c} from the place half way between the {a} and the {b}, by that place and by "
    "walking there?",
    """
    one = length_of(horizontal(centre_of(c) - midpoint(a, b)))
    way = length_of(horizontal(centre_of(b) - centre_of(a)))
    there = walked(standing_at(a, facing=b), way / 2)
    two = length_of(horizontal(centre_of(c) - centre_of(there)))
    answer(one if abs(one - two) < metres(0.1) else two)
    """,
    unit="m",
)
def from_half_way(room, a, b, c):
    gap = apart(flat((a.centre + b.centre) / 2), flat(c.centre))
    return gap if gap > 0.5 and apart(flat(a.centre), flat(b.centre)) > 1 else None
