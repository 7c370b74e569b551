"""Types of the builtin functions: one rule for each name of ``builtins``.

A rule gets the call with the types of its arguments and gives the type of the result; what does not fit is reported.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce

from placecell.language.cells.algebra import PLACES, UNKNOWN, Operand, dimension_of, joined, same_dimension, scalar
from placecell.language.cells.builtins import BUILTINS
from placecell.language.cells.scope import MOST_FOUND
from placecell.language.dimensions import DEGREES, METRES, PLAIN, SECONDS, Dimension
from placecell.language.environment import Environment
from placecell.language.plan import Expr, Span
from placecell.language.rules import cells as rule
from placecell.language.types import Kind, StaticType, with_article

MAX_DIGITS = 6


@dataclass(frozen=True, slots=True)
class Use:
    """One use of a builtin: its arguments with their types, and the type of the score that ``by`` gives."""

    env: Environment
    name: str
    span: Span
    given: Sequence[Operand]
    score: StaticType | None = None

    def wrong(self, message: str, at: Expr | None = None) -> StaticType:
        span = self.span if at is None else at.span
        self.env.report(rule.ARGUMENTS.at(span, message, BUILTINS[self.name].signature))
        return UNKNOWN


def members(env: Environment, node: Expr, type_: StaticType) -> StaticType | None:
    """The type of a set's members; None, reported, when it is none."""
    match type_.kind:
        case Kind.INSTANCES:
            return StaticType(Kind.INSTANCE, stamp=type_.stamp, name=type_.name, measured=True)
        case Kind.SET:
            return type_.element or UNKNOWN
        case Kind.LIST if type_.items:
            nodes = getattr(node, "items", None) or (node,) * len(type_.items)
            first, *others = zip(nodes, type_.items, strict=True)
            return reduce(lambda a, b: (b[0], joined(env, node.span, a, b, "members")), others, first)[1]
        case Kind.UNKNOWN:
            return UNKNOWN
    hint = "take each track by itself: movers_of(track)" if type_.kind is Kind.TRACK else ""
    env.report(rule.NO_SET.at(node.span, f"{with_article(type_)} is no set", hint))
    return None


def size_of(type_: StaticType) -> tuple[int, bool]:
    """How many members a set has at most, and whether it has exactly so many."""
    if type_.kind is Kind.LIST:
        return len(type_.items), True
    return (MOST_FOUND, False) if type_.size is None else (type_.size, type_.exact)


def set_of(element: StaticType, size: int, exact: bool = False) -> StaticType:
    """A set of such members; of instances it is what a query gives too."""
    if element.kind is Kind.INSTANCE:
        return StaticType(Kind.INSTANCES, stamp=element.stamp, name=element.name, size=size, exact=exact, measured=True)
    element = element._replace(value=None)
    return StaticType(Kind.SET, element=element, size=size, exact=exact, measured=element.measured)


def apply(use: Use) -> StaticType:
    """The type of what a builtin gives."""
    builtin = BUILTINS[use.name]
    if not builtin.least <= len(use.given) <= builtin.most:
        count = f"{builtin.least}" if builtin.least == builtin.most else f"{builtin.least} to {builtin.most}"
        return use.wrong(f"{use.name} takes {count} argument{'s' if count != '1' else ''}, not {len(use.given)}")
    if any(type_.kind is Kind.UNKNOWN for _, type_ in use.given):
        return UNKNOWN
    return _RULES[use.name](use)


def _unit(dimension: Dimension) -> Callable[[Use], StaticType]:
    def rule_(use: Use) -> StaticType:
        ((node, type_),) = use.given
        if type_.dimension != PLAIN:
            return use.wrong(f"{use.name} takes a number", node)
        return scalar(dimension, type_)

    return rule_


def _same(use: Use) -> StaticType:
    """abs and round: a number of any dimension, and digits that are written out."""
    node, type_ = use.given[0]
    dimension = dimension_of(use.env, node, type_, "compute with")
    for digits, given in use.given[1:]:
        if not isinstance(given.value, int) or not 0 <= given.value <= MAX_DIGITS:
            return use.wrong(f"digits are written as a whole number, 0 to {MAX_DIGITS}", digits)
    return UNKNOWN if dimension is None else scalar(dimension, type_)


def _whole(use: Use) -> StaticType:
    ((node, type_),) = use.given
    if type_.dimension != PLAIN:
        hint = "divide by a length to get how many fit" if type_.dimension is not None else ""
        use.env.report(rule.ARGUMENTS.at(node.span, f"{use.name} takes a plain number", hint))
        return UNKNOWN
    return scalar(PLAIN, type_)


def _root(use: Use) -> StaticType:
    ((node, type_),) = use.given
    dimension = dimension_of(use.env, node, type_, "take the root of")
    root = dimension.root() if dimension is not None else None
    if dimension is not None and root is None:
        use.env.report(rule.NO_VALUE.at(node.span, f"the square root of {dimension.unit} has no unit"))
    return UNKNOWN if root is None else scalar(root, type_)


def _extreme(use: Use) -> StaticType:
    """min and max: the best member of a set, or the smallest of several values."""
    if len(use.given) == 1:
        return _best(use)
    if use.score is not None:
        return use.wrong("by= goes with one set, not with several values")
    first, *others = use.given
    dimension = dimension_of(use.env, *first, "compare")
    for other in others:
        if dimension is None or dimension_of(use.env, *other, "compare") is None:
            return UNKNOWN
        if not same_dimension(use.env, use.span, first, other, "compared"):
            return UNKNOWN
    return UNKNOWN if dimension is None else scalar(dimension, *(t for _, t in use.given))


def _best(use: Use) -> StaticType:
    element = _scored(use)
    return UNKNOWN if element is None or _empty(use) else element


def _scored(use: Use) -> StaticType | None:
    """The members of a set that can be ordered: by their score, or by themselves when they are numbers."""
    node, type_ = use.given[0]
    element = members(use.env, node, type_)
    if element is None or element.kind is Kind.UNKNOWN:
        return None
    order = element if use.score is None else use.score
    if order.kind is Kind.UNKNOWN:
        return None
    if order.dimension is None:
        what = "members have no order of their own" if use.score is None else f"{with_article(order)} is no score"
        use.env.report(rule.NO_SCORE.at(use.span if use.score else node.span, what))
        return None
    return element


def _empty(use: Use) -> bool:
    """Whether the set is known to have no members (reported)."""
    node, type_ = use.given[0]
    empty = size_of(type_) == (0, True)
    if empty:
        use.env.report(rule.EMPTY.at(node.span, f"{use.env.source.slice(node.span)} has no members"))
    return empty


def _sorted(use: Use) -> StaticType:
    for node, type_ in use.given[1:]:
        if not isinstance(type_.value, bool):
            return use.wrong("reverse is written as True or False", node)
    element = _scored(use)
    return UNKNOWN if element is None else set_of(element, *size_of(use.given[0][1]))


def _total(use: Use) -> StaticType:
    """sum, mean and median of numbers."""
    node, type_ = use.given[0]
    element = members(use.env, node, type_)
    if element is None or element.kind is Kind.UNKNOWN:
        return UNKNOWN
    if element.dimension is None:
        if element.kind is Kind.INSTANCE:
            hint = "[f(o) for o in set], or count(set)"
            use.env.report(rule.NOT_A_NUMBER.at(node.span, "instances have no sum", hint))
            return UNKNOWN
        return UNKNOWN if dimension_of(use.env, node, element, "add up") is None else element
    return UNKNOWN if use.name != "sum" and _empty(use) else scalar(element.dimension, element)


def _member(use: Use) -> StaticType:
    element = members(use.env, *use.given[0])
    return UNKNOWN if element is None or _empty(use) else element


def _count(use: Use) -> StaticType:
    if members(use.env, *use.given[0]) is None:
        return UNKNOWN
    return StaticType(Kind.COUNT, dimension=PLAIN, measured=use.given[0][1].measured)


def _verdicts(use: Use) -> StaticType:
    node, type_ = use.given[0]
    element = members(use.env, node, type_)
    if element is not None and element.kind not in (Kind.VERDICT, Kind.UNKNOWN):
        use.env.report(rule.NO_VERDICT.at(node.span, f"its members are {element}, not verdicts"))
    return StaticType(Kind.VERDICT, measured=type_.measured)


def _together(use: Use) -> StaticType:
    elements = [(node, members(use.env, node, type_)) for node, type_ in use.given]
    known = [(node, element) for node, element in elements if element is not None]
    if len(known) < len(elements):
        return UNKNOWN
    joint = reduce(lambda a, b: (b[0], joined(use.env, use.span, a, b, "members")), known)[1]
    sizes = [size_of(type_) for _, type_ in use.given]
    return UNKNOWN if joint.kind is Kind.UNKNOWN else set_of(joint, sum(n for n, _ in sizes), all(e for _, e in sizes))


def _in_frame(use: Use) -> StaticType:
    (node, type_), (other, frame) = use.given
    if type_.kind not in PLACES:
        return use.wrong("in_frame takes a point or a vector; of a thing take centre_of(...)", node)
    if frame.kind is not Kind.FRAME:
        return use.wrong(f"{with_article(frame)} is no frame", other)
    return type_._replace(frame=frame.frame)


def _misplaced(use: Use) -> StaticType:
    if use.name == "answer":
        use.env.report(rule.ANSWER_LAST.at(use.span, "answer gives no value to go on with"))
        return UNKNOWN
    return use.wrong("pairs only stands behind `in` of a comprehension with two variables")


_RULES: dict[str, Callable[[Use], StaticType]] = {
    "metres": _unit(METRES), "seconds": _unit(SECONDS), "degrees": _unit(DEGREES),
    "abs": _same, "round": _same, "floor": _whole, "ceil": _whole, "sqrt": _root,
    "min": _extreme, "max": _extreme, "sorted": _sorted,
    "sum": _total, "mean": _total, "median": _total,
    "count": _count, "first": _member, "last": _member, "any": _verdicts, "all": _verdicts,
    "together": _together, "in_frame": _in_frame, "pairs": _misplaced, "answer": _misplaced,
}  # fmt: skip
