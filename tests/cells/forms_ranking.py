"""Family: ranking by a score that the question defines, with conditions."""

from __future__ import annotations

from cell_forms import form
from cell_truth import apart, seen, sides, to_line

from placecell.backends.synthetic.truth import box_distance

FAMILY = "ranking by a derived score"


@form(
    FAMILY,
    "Which is second closest to the {d}: the {a}, the {b} or the {c}?",
    """
    def way(o): return measure_distance(o, d)
    nearest = sorted([a, b, c], by=way)
    answer(nearest[1])
    """,
    options=("{a}", "{b}", "{c}"),
    program="""
    a = query_3d_object_location(memory, "{a}")
    b = query_3d_object_location(memory, "{b}")
    c = query_3d_object_location(memory, "{c}")
    d = query_3d_object_location(memory, "{d}")
    order = rank_by_distance(memory, d, [a, b, c])
    return [order[1]]
    """,
)
def second_of_three(room, a, b, c, d):
    ways = sorted((box_distance(thing, d), slot) for thing, slot in ((a, "{a}"), (b, "{b}"), (c, "{c}")))
    return ways[1][1] if min(ways[1][0] - ways[0][0], ways[2][0] - ways[1][0]) > 0.3 else None


@form(
    FAMILY,
    "How far is the second closest of the things called {many} from the {a}, middle to middle?",
    """
    ways = sorted(length_of(centre_of(o) - centre_of(a)) for o in many)
    answer(ways[1])
    """,
    unit="m",
)
def second_closest(room, many, a):
    ways = sorted(apart(thing.centre, a.centre) for thing in many)
    return ways[1] if ways[1] - ways[0] > 0.2 and ways[2] - ways[1] > 0.2 else None


@form(
    FAMILY,
    "Of the things called {many}, take the one nearest to the straight line from the {a} to the {b}. How far is its "
    "middle from that of the {a}?",
    """
    def off(o): return distance_to_line(o, a, b)
    best = min(many, by=off)
    answer(length_of(centre_of(best) - centre_of(a)))
    """,
    unit="m",
)
def nearest_to_a_line(room, many, a, b):
    ranked = sorted(many, key=lambda thing: to_line(thing.centre, a.centre, b.centre))
    off = [to_line(thing.centre, a.centre, b.centre) for thing in ranked]
    return apart(ranked[0].centre, a.centre) if off[1] - off[0] > 0.25 and apart(a.centre, b.centre) > 1 else None


@form(
    FAMILY,
    "How many of the things called {many} are within 2 m of the {a} (middle to middle) and lower than it?",
    """
    near = [o for o in many if length_of(centre_of(o) - centre_of(a)) < metres(2)]
    answer(count(o for o in near if measure_size(o).height < measure_size(a).height))
    """,
)
def near_and_lower(room, many, a):
    ways = [apart(thing.centre, a.centre) for thing in many]
    heights = [sides(thing)[2] - sides(a)[2] for thing in many]
    if min(abs(w - 2) for w in ways) < 0.15 or min(map(abs, heights)) < 0.1:
        return None
    found = sum(w < 2 and h < 0 for w, h in zip(ways, heights, strict=True))
    return float(found) if found else None


@form(
    FAMILY,
    "Of the pairs of things called {many}, how far apart are the middles of the two that are farthest apart?",
    """
    answer(max(length_of(centre_of(p) - centre_of(q)) for p, q in pairs(many)))
    """,
    unit="m",
    wanted=2,
)
def farthest_pair(room, many):
    ways = sorted(apart(p.centre, q.centre) for k, p in enumerate(many) for q in many[k + 1 :])
    return ways[-1] if ways[-1] - ways[-2] > 0.1 else None


@form(
    FAMILY,
    "Are there things called {many} on both sides of the {a}, looking from it to the {b}?",
    """
    here = standing_at(at=a, facing=b)
    right = any(in_frame(centre_of(o), here).right > metres(0) for o in many)
    left = any(in_frame(centre_of(o), here).right < metres(0) for o in many)
    answer("yes" if right and left else "no")
    """,
    options=("yes", "no"),
)
def on_both_sides(room, many, a, b):
    rights = [seen(a.centre, b.centre - a.centre, thing.centre)[0] for thing in many]
    if min(map(abs, rights)) < 0.3 or apart(a.centre, b.centre) < 1:
        return None
    return "yes" if max(rights) > 0 > min(rights) else "no"
