"""Family: a closed judgement on a picture decides what exact geometry measures.

Nobody sees here: the true judgement is made up for each question (``Told.judged``), and a scripted judge gives it.
"""

from __future__ import annotations

from cell_forms import Told, form
from cell_truth import apart, bearing, flat, sides

FAMILY = "a judgement that steers"


def _coin(*things) -> bool:
    return sum(thing.id for thing in things) % 2 == 0


@form(
    FAMILY,
    "If the {a} is open in image {image}, how far is its middle from that of the {b}, else from that of the {c}?",
    """
    shot = photo_of({image})
    state = judge("Is the {a} open?", pictures=[shot], options=["open", "closed"])
    ---
    answer(length_of(centre_of(a) - centre_of(b)) if state == "open" else length_of(centre_of(a) - centre_of(c)))
    """,
    unit="m",
    world="pictures",
)
def open_or_closed(room, image, a, b, c):
    is_open = _coin(a, b)
    gap = apart(a.centre, (b if is_open else c).centre)
    other = apart(a.centre, (c if is_open else b).centre)
    if min(gap, other) < 0.6 or abs(gap - other) < 0.3:
        return None
    return Told(gap, {}, {f"Is the {a.name} open?": "open" if is_open else "closed"})


@form(
    FAMILY,
    "How high is the one that is darker in image {image}, the {a} or the {b}?",
    """
    shot = photo_of({image})
    which = judge("Which is darker?", pictures=[shot], options=["{a}", "{b}"])
    darker = a if which == "{a}" else b
    answer(measure_size(darker).height)
    """,
    unit="m",
    world="pictures",
)
def height_of_the_darker(room, image, a, b):
    darker = a if _coin(a, b) else b
    heights = sides(a)[2], sides(b)[2]
    if min(heights) < 0.3 or abs(heights[0] - heights[1]) < 0.2:
        return None
    return Told(sides(darker)[2], {}, {"Which is darker?": darker.name})


@form(
    FAMILY,
    "You stand at the {a} and face the {b}, or, if the {c} looks new in image {image}, the {c}. By how many degrees do "
    "you turn right to face the {d}?",
    """
    shot = photo_of({image})
    new = judge("Does the {c} look new?", pictures=[shot], options=["yes", "no"])
    ahead = c if new == "yes" else b
    ---
    answer(side_of(d, frame=standing_at(a, facing=ahead)).bearing)
    """,
    unit="degrees",
    world="pictures",
)
def facing_what_looks_new(room, image, a, b, c, d):
    new = _coin(c, d)
    ahead = c if new else b
    degrees = bearing(a.centre, ahead.centre - a.centre, d.centre)
    other = bearing(a.centre, (b if new else c).centre - a.centre, d.centre)
    clear = min(apart(flat(a.centre), flat(t.centre)) for t in (b, c, d)) > 0.8
    if not clear or abs(degrees - other) < 20 or not 10 < abs(degrees) < 160:
        return None
    return Told(degrees, {}, {f"Does the {c.name} look new?": "yes" if new else "no"})


@form(
    FAMILY,
    "Is the {a} farther than a metre from the {b} (middle to middle) and switched on in image {image}?",
    """
    shot = photo_of({image})
    lit = judge("Is the {a} switched on?", pictures=[shot], options=["on", "off"])
    answer("yes" if lit == "on" and length_of(centre_of(a) - centre_of(b)) > metres(1) else "no")
    """,
    options=("yes", "no"),
    world="pictures",
)
def on_and_far(room, image, a, b):
    gap, lit = apart(a.centre, b.centre), _coin(a, b)
    if abs(gap - 1) < 0.3:
        return None
    return Told("yes" if lit and gap > 1 else "no", {}, {f"Is the {a.name} switched on?": "on" if lit else "off"})
