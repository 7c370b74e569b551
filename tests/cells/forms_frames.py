"""Family: frames that the question invents."""

from __future__ import annotations

from cell_forms import Thing, form
from cell_truth import apart, bearing, flat, seen

FAMILY = "frames of the question"


def _clear(*things: Thing) -> bool:
    """Whether all stand well apart on the plan."""
    return all(apart(flat(p.centre), flat(q.centre)) > 0.8 for k, p in enumerate(things) for q in things[k + 1 :])


@form(
    FAMILY,
    "You stand at the {a} and face the {b}. By how many degrees do you turn right to face the {c}?",
    """
    here = standing_at(at=a, facing=b)
    way = side_of(c, frame=here)
    answer(way.bearing)
    """,
    unit="degrees",
    program="""
    a = select_object(query_3d_object_location(memory, "{a}"), by="only")
    b = select_object(query_3d_object_location(memory, "{b}"), by="only")
    set_viewpoint(memory, at=a, facing=b)
    way = locate(memory, query_3d_object_location(memory, "{c}"))
    return [way.bearing]
    """,
)
def turn_to_face(room, a, b, c):
    degrees = bearing(a.centre, b.centre - a.centre, c.centre)
    return degrees if _clear(a, b, c) and 10 < abs(degrees) < 160 else None


@form(
    FAMILY,
    "Say the way from the {a} to the {b} is north. In which direction is the {d}, as seen from the {c}?",
    """
    north = compass(a, towards=b, word="north")
    way = in_frame(centre_of(d) - centre_of(c), north)
    ---
    east = way.right > metres(0)
    ahead = way.forward > metres(0)
    answer(("north-east" if east else "north-west") if ahead else ("south-east" if east else "south-west"))
    """,
    options=("north-east", "north-west", "south-east", "south-west"),
)
def compass_of_one_way(room, a, b, c, d):
    right, forward = seen(c.centre, b.centre - a.centre, d.centre)
    if not _clear(a, b, c, d) or min(abs(right), abs(forward)) < 0.5:
        return None
    return f"{'north' if forward > 0 else 'south'}-{'east' if right > 0 else 'west'}"


@form(
    FAMILY,
    "How far in front of the {fronted} is the middle of the {a}, measured along the way that the {fronted} faces?",
    """
    own = object_frame(fronted)
    answer(in_frame(centre_of(a), own).forward)
    """,
    unit="m",
)
def ahead_of_its_own_front(room, fronted, a):
    forward = float((a.centre - fronted.centre) @ fronted.front)
    return forward if forward > 0.5 else None


@form(
    FAMILY,
    "Looking from the {a} to the {b}, how far to the right of that line of sight is the middle of the {c}?",
    """
    here = standing_at(at=a, facing=b)
    answer(in_frame(centre_of(c), here).right)
    """,
    unit="m",
)
def beside_the_line_of_sight(room, a, b, c):
    right, _ = seen(a.centre, b.centre - a.centre, c.centre)
    return right if _clear(a, b, c) and right > 0.4 else None
