"""Family: routes gone step by step in the mind, up to the wall if need be."""

from __future__ import annotations

import numpy as np
from cell_forms import Told, form
from cell_truth import apart, axes, bearing, flat, runs_into, unit

FAMILY = "a route in the mind"


@form(
    FAMILY,
    "You stand at the {a} and face the {b}. You turn right by 90 degrees, walk 1 m, turn left by 45 degrees and walk "
    "2 m. How far are you from the middle of the {c} then, as seen from above?",
    """
    start = standing_at(at=a, facing=b)
    corner = walked(turned(start, 90), metres(1))
    end = walked(turned(corner, -45), metres(2))
    answer(length_of(horizontal(centre_of(c) - centre_of(end))))
    """,
    unit="m",
)
def two_legs(room, a, b, c):
    if apart(flat(a.centre), flat(b.centre)) < 0.8:
        return None
    right, forward = axes(b.centre - a.centre)
    end = a.centre + right + 2 * unit(right + forward)
    gap = apart(flat(end), flat(c.centre))
    return gap if gap > 0.5 else None


@form(
    FAMILY,
    "You stand at the {a} and face the {b}, turn around and walk 1 m. By how many degrees do you turn right then to "
    "face the {c}?",
    """
    start = standing_at(at=a, facing=b)
    end = walked(turned(start, 180), metres(1))
    answer(side_of(c, frame=end).bearing)
    """,
    unit="degrees",
    program="""
    a = select_object(query_3d_object_location(memory, "{a}"), by="only")
    b = select_object(query_3d_object_location(memory, "{b}"), by="only")
    set_viewpoint(memory, at=a, facing=b)
    turn_camera(memory, "back")
    step_camera(memory, "forward", distance=1)
    way = locate(memory, query_3d_object_location(memory, "{c}"))
    return [way.bearing]
    """,
)
def turned_around(room, a, b, c):
    if apart(flat(a.centre), flat(b.centre)) < 0.8:
        return None
    _, forward = axes(b.centre - a.centre)
    end = a.centre - forward
    degrees = bearing(end, -forward, c.centre)
    return degrees if apart(flat(end), flat(c.centre)) > 0.7 and 10 < abs(degrees) < 160 else None


@form(
    FAMILY,
    "From the {a}, you face the {b} and turn by {turn} degrees to the right. How far is the wall in that direction "
    "from the middle of the {a}?",
    """
    start = turned(standing_at(at=a, facing=b), {turn})
    answer(clear_way(start, until="wall"))
    """,
    unit="m",
)
def until_the_wall(room, a, b):
    if a.mount != "floor" or apart(flat(a.centre), flat(b.centre)) < 1:
        return None
    right, forward = axes(b.centre - a.centre)
    for degrees in (90, 180, 270, 135):
        ahead = np.cos(np.radians(degrees)) * forward + np.sin(np.radians(degrees)) * right
        aside = 0.05 * np.cross(ahead, [0, 1, 0])
        wall, *near = (runs_into(a.centre, ahead + s * aside, room.outline) for s in (0, -1, 1))
        if 0.8 < wall < 8 and max(abs(n - wall) for n in near) < 0.4:
            return Told(wall, {"turn": f"{degrees:d}"})
    return None


@form(
    FAMILY,
    "You stand at the {a}, face the {b} and walk halfway to it. How far is it then to the middle of the {c}, seen from "
    "above?",
    """
    start = standing_at(at=a, facing=b)
    half = length_of(horizontal(centre_of(b) - centre_of(a))) / 2
    end = walked(start, half)
    answer(length_of(horizontal(centre_of(c) - centre_of(end))))
    """,
    unit="m",
)
def halfway(room, a, b, c):
    gap = apart(flat((a.centre + b.centre) / 2), flat(c.centre))
    return gap if gap > 0.5 and apart(flat(a.centre), flat(b.centre)) > 1 else None
