"""Types of operators: what arithmetic, comparisons and choices do to kinds, dimensions and frames.

Each function gives the type of a node whose operands' types are known, and reports what does not go together.
"""

from __future__ import annotations

from placecell.language.diagnostics import Edit, Fix
from placecell.language.dimensions import METRES, PLAIN, UNITS, Dimension
from placecell.language.environment import Environment
from placecell.language.plan import Binary, Compare, Expr, Field, Literal, MemoryFacts, Span
from placecell.language.rules import cells as rule
from placecell.language.types import FIELDS, SCALARS, Kind, StaticType, kind_of_dimension, with_article

UNKNOWN = StaticType(Kind.UNKNOWN)
PLACES = frozenset({Kind.POINT, Kind.VECTOR})
_SAME = frozenset({Kind.INSTANCE, Kind.TEXT, Kind.TRACK})
"""Kinds that can be asked to be the same thing, and nothing else."""
WORLD = "world_frame()"


def length_unit(facts: MemoryFacts) -> Dimension:
    """What lengths of the memory are measured in."""
    return UNITS if facts.scale == "relative" else METRES


def in_memory(type_: StaticType, facts: MemoryFacts) -> StaticType:
    """A measured value with the dimension that it has in this memory."""
    dimension = SCALARS.get(type_.kind)
    if dimension is None or type_.dimension is not None:
        return type_
    if facts.scale == "relative" and dimension.metres:
        dimension = dimension._replace(metres=0, units=dimension.metres)
    return type_._replace(dimension=dimension)


def scalar(dimension: Dimension, *of: StaticType) -> StaticType:
    """A computed quantity, measured when anything it is made ``of`` is."""
    return StaticType(kind_of_dimension(dimension), dimension=dimension, measured=any(t.measured for t in of))


def described(type_: StaticType) -> str:
    """ "a length in units", "a number", "an instance"."""
    unit = "" if type_.dimension is None else type_.dimension.unit
    if type_.kind is Kind.QUANTITY:
        return f"a quantity in {unit}"
    return f"{with_article(type_)} in {unit}" if unit and type_.kind is not Kind.ANGLE else with_article(type_)


def arithmetic(env: Environment, node: Binary, left: StaticType, right: StaticType) -> StaticType:
    """Type of ``left op right``."""
    if Kind.UNKNOWN in (left.kind, right.kind):
        return UNKNOWN
    if left.kind in PLACES or right.kind in PLACES:
        return _with_places(env, node, left, right)
    a = dimension_of(env, node.left, left, "compute with")
    b = None if a is None else dimension_of(env, node.right, right, "compute with")
    if a is None or b is None:
        return UNKNOWN
    if node.op in "+-":
        alike = same_dimension(env, node.span, (node.left, left), (node.right, right), _SUMS[node.op])
        return scalar(a, left, right) if alike else UNKNOWN
    result = a.times(b) if node.op == "*" else a.over(b)
    if result.too_large or (node.op == "/" and right.value == 0):
        what = f"{result.unit} is no unit of anything" if result.too_large else "this divides by 0"
        env.report(rule.NO_VALUE.at(node.span, what))
        return UNKNOWN
    return scalar(result, left, right)


_SUMS = {"+": "added", "-": "subtracted"}


def dimension_of(env: Environment, node: Expr, type_: StaticType, doing: str) -> Dimension | None:
    """The dimension of a number to compute with; anything else is reported."""
    if type_.kind is Kind.UNTRUSTED:
        env.report(rule.UNTRUSTED.at(node.span, f"this text cannot be trusted enough to {doing}"))
    elif type_.dimension is None and type_.kind is not Kind.UNKNOWN:
        hint, mend = "", None
        text = env.source.slice(node.span)
        mend = _point_of(env, node, type_)
        if mend is not None:
            hint = "a position in the viewer's terms is for reading; centre_of(...) is a point"
        elif type_.kind is Kind.INSTANCES:
            mend = Fix("count", f"write count({text})", (Edit(node.span, f"count({text})"),))
        elif type_.kind in (Kind.SET, Kind.LIST):
            hint = "go through it: [x * 2 for x in set], or sum(set)"
        elif type_.kind in FIELDS:
            fields = [f for f, spec in FIELDS[type_.kind].items() if spec.kind in SCALARS]
            hint = f"its fields are numbers: {', '.join(f'.{f}' for f in fields)}" if fields else ""
        env.report(rule.NOT_A_NUMBER.at(node.span, f"{with_article(type_)} is nothing to {doing}", hint, mend))
    return type_.dimension


def _point_of(env: Environment, node: Expr, type_: StaticType) -> Fix | None:
    """A position in the viewer's terms becomes the point."""
    if type_.kind is not Kind.VECTOR or not isinstance(node, Field) or node.name not in ("centre", "position"):
        return None
    thing = env.source.slice(node.value.span)
    return Fix("point of a thing", f"use centre_of({thing})", (Edit(node.span, f"centre_of({thing})"),))


Operand = tuple[Expr, StaticType]


def same_dimension(env: Environment, span: Span, left: Operand, right: Operand, done: str) -> bool:
    """Whether two numbers can be ``done``: added, compared. Reported when not."""
    a, b = left[1].dimension, right[1].dimension
    if a == b or a is None or b is None:
        return True
    mend = _unit_of_literal(env, left, b) or _unit_of_literal(env, right, a)
    hint = ""
    if {a.metres and b.units, a.units and b.metres} != {0}:
        hint = "this memory has no scale: relate it to something of known size, metres(0.75) * (gap / table_height)"
    what = f"{described(left[1])} and {described(right[1])} cannot be {done}"
    env.report(rule.DIMENSION.at(span, what, hint, mend))
    return False


_UNITS = {METRES: "metres", Dimension(seconds=1): "seconds", Dimension(degrees=1): "degrees"}


def _unit_of_literal(env: Environment, operand: Operand, wanted: Dimension) -> Fix | None:
    """A bare number beside a quantity gets its unit."""
    node, type_ = operand
    unit = _UNITS.get(wanted)
    if unit is None or not isinstance(node, Literal) or type_.kind is not Kind.NUMBER:
        return None
    text = env.source.slice(node.span)
    return Fix("unit of a number", f"write {unit}({text})", (Edit(node.span, f"{unit}({text})"),))


def _with_places(env: Environment, node: Binary, left: StaticType, right: StaticType) -> StaticType:
    """Arithmetic of points and vectors, both in one frame."""
    kinds = (left.kind, node.op, right.kind)
    if kinds in _PLACE_SUMS:
        frame = same_frame(env, (node.left, left), (node.right, right))
        return UNKNOWN if frame is None else StaticType(_PLACE_SUMS[kinds], frame=frame, measured=True)
    vector, other = (left, (node.right, right)) if left.kind is Kind.VECTOR else (right, (node.left, left))
    scales = node.op == "*" or (node.op == "/" and vector is left)
    if vector.kind is Kind.VECTOR and scales and other[1].dimension == PLAIN:
        return vector
    if Kind.VECTOR in (left.kind, right.kind) and node.op in "*/" and other[1].dimension is not None:
        env.report(rule.NOT_A_NUMBER.at(other[0].span, f"a vector is scaled by a number, not by {described(other[1])}"))
        return UNKNOWN
    for side, type_ in ((node.left, left), (node.right, right)):
        if type_.kind not in PLACES:
            dimension_of(env, side, type_, "compute with")
    what = f"{with_article(left)} {node.op} {with_article(right)} has no meaning"
    env.report(rule.NOT_A_NUMBER.at(node.span, what, "point - point is a vector, point + vector is a point"))
    return UNKNOWN


_PLACE_SUMS = {
    (Kind.POINT, "-", Kind.POINT): Kind.VECTOR,
    (Kind.POINT, "+", Kind.VECTOR): Kind.POINT,
    (Kind.VECTOR, "+", Kind.POINT): Kind.POINT,
    (Kind.POINT, "-", Kind.VECTOR): Kind.POINT,
    (Kind.VECTOR, "+", Kind.VECTOR): Kind.VECTOR,
    (Kind.VECTOR, "-", Kind.VECTOR): Kind.VECTOR,
}


def same_frame(env: Environment, left: Operand, right: Operand) -> str | None:
    """The frame that two points or vectors share; None, reported, when they do not."""
    a, b = left[1].frame, right[1].frame
    if a is not None and a == b:
        return a
    for node, type_ in (left, right):
        if type_.frame is None:
            what = f"it is not known in which frame {env.source.slice(node.span)} is"
            hint = "in_frame(x, frame); of an object's or a pose's position take centre_of(...)"
            env.report(rule.FRAMES.at(node.span, what, hint, _point_of(env, node, type_)))
            return None
    text = env.source.slice(right[0].span)
    mend = None
    named = next((name for name, b in env.bindings.items() if b.type.kind is Kind.FRAME and b.type.frame == a), a)
    if named is not None and "#local" not in named:
        named = named.partition("#")[0]
        mend = Fix("one frame", f"tell it in {named}", (Edit(right[0].span, f"in_frame({text}, {named})"),))
    env.report(rule.FRAMES.at(right[0].span, f"this is in {b}, the other in {a}", "", mend))
    return None


def comparison(env: Environment, node: Compare, left: StaticType, right: StaticType) -> StaticType:
    """Type of ``left op right``: a verdict."""
    verdict = StaticType(Kind.VERDICT, measured=left.measured or right.measured)
    if Kind.UNKNOWN in (left.kind, right.kind):
        return verdict
    if left.kind in _SAME and right.kind is left.kind:
        if node.op not in ("==", "!="):
            env.report(rule.NOT_A_NUMBER.at(node.span, f"{with_article(left)} is the same or not, never {node.op}"))
        return verdict
    for side, type_ in ((node.left, left), (node.right, right)):
        if type_.kind is Kind.UNTRUSTED:
            dimension_of(env, side, type_, "compare")
            return verdict
    a = dimension_of(env, node.left, left, "compare")
    b = None if a is None else dimension_of(env, node.right, right, "compare")
    if a is not None and b is not None:
        same_dimension(env, node.span, (node.left, left), (node.right, right), "compared")
    return verdict


def joined(env: Environment, span: Span, first: Operand, second: Operand, what: str) -> StaticType:
    """The type that covers two values either of which may be given; ``what`` they are, for the message."""
    a, b = first[1], second[1]
    if Kind.UNKNOWN in (a.kind, b.kind):
        return b if a.kind is Kind.UNKNOWN else a
    if a.dimension is not None and b.dimension is not None:
        if not same_dimension(env, span, first, second, f"two {what} of one value"):
            return UNKNOWN
        if a.kind is not b.kind:  # a count and a plain number
            return scalar(a.dimension, a, b)
    elif a.kind is not b.kind or (a.kind is Kind.LIST and [*map(str, a.items)] != [*map(str, b.items)]):
        env.report(rule.DIFFERENT.at(span, f"the {what} are {with_article(a)} and {with_article(b)}"))
        return UNKNOWN
    if a.kind is Kind.SET and a.element is not None and b.element is not None:
        element = joined(env, span, (first[0], a.element), (second[0], b.element), f"members of the {what}")
        a = a._replace(element=element)
    if a.kind is Kind.TEXT:  # the texts it may turn out to be, when all are written out
        texts = (*(a.items or (a,)), *(b.items or (b,)))
        a = a._replace(items=texts if all(isinstance(t.value, str) for t in texts) else ())
    sizes = [t.size for t in (a, b)]
    size = None if None in sizes else max(n for n in sizes if n is not None)
    return a._replace(
        frame=a.frame if a.frame == b.frame else None, size=size, exact=a.exact and b.exact and a.size == b.size,
        value=a.value if a.value == b.value else None, name=a.name if a.name == b.name else None,
        pose=a.pose if a.pose == b.pose else None, measured=a.measured or b.measured,
        bound=a.bound or b.bound, stamp=min(a.stamp, b.stamp),
    )  # fmt: skip
