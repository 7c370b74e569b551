"""The functions of cells that are no operations: pure, and for values of several kinds.

``functions`` holds the typing rule of each, ``engine.cells`` what each computes; tests hold the three together.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class Builtin:
    """One function: how it is written, what it gives, how many arguments it takes, whether it takes ``by``.

    ``named`` is the last argument's name, where it may be given by that.
    """

    name: str
    signature: str
    summary: str
    least: int = 1
    most: int = 1
    by: bool = False
    named: str | None = None


_ALL = (
    Builtin("metres", "metres(2)", "A length that is known; only ratios relate it to a memory without scale."),
    Builtin("seconds", "seconds(1.5)", "A time."),
    Builtin("degrees", "degrees(30)", "An angle."),
    Builtin("abs", "abs(x)", "Without its sign."),
    Builtin("sqrt", "sqrt(x)", "The length whose square is an area, the root of a number."),
    Builtin("round", "round(x, digits=0)", "To so many decimals of its unit.", most=2,
            named="digits"),
    Builtin("floor", "floor(x)", "The largest whole number not above a number: how many fit."),
    Builtin("ceil", "ceil(x)", "The smallest whole number not below a number."),
    Builtin("min", "min(set, by=score) or min(a, b)", "The member with the smallest score; the smallest value.",
            most=12, by=True),
    Builtin("max", "max(set, by=score) or max(a, b)", "The member with the largest score; the largest value.",
            most=12, by=True),
    Builtin("sorted", "sorted(set, by=score, reverse=False)", "In order, smallest first; [0] is the first.",
            most=2, by=True, named="reverse"),
    Builtin("sum", "sum(set)", "Of values of one dimension; 0 when there are none."),
    Builtin("mean", "mean(set)", "Of values of one dimension; absent when there are none."),
    Builtin("median", "median(set)", "Of values of one dimension; absent when there are none."),
    Builtin("count", "count(set)", "How many; members whose test was too close to call make it uncertain."),
    Builtin("first", "first(set)", "The first member; absent when there is none."),
    Builtin("last", "last(set)", "The last member; absent when there is none."),
    Builtin("any", "any(set)", "Whether some verdict is yes."),
    Builtin("all", "all(set)", "Whether every verdict is yes."),
    Builtin("pairs", "for a, b in pairs(x, y)", "Every member of one set with every one of another; pairs(x): every "
            "two members of one. Only to go through.", most=2),
    Builtin("together", "together(x, y)", "The members of several sets in one.", least=2, most=6),
    Builtin("in_frame", "in_frame(x, frame)", "The same point or vector, in the terms of another frame.", least=2,
            most=2, named="frame"),
    Builtin("answer", "answer(value)", "The answer, as the last statement: a value, or an option of the question."),
)  # fmt: skip

BUILTINS: Mapping[str, Builtin] = MappingProxyType({b.name: b for b in _ALL})
"""Every builtin by its name, in the order of the reference page."""

SYNONYMS: Mapping[str, str] = MappingProxyType(
    {"len": "count", "average": "mean", "union": "together", "deg": "degrees", "meters": "metres", "key": "by"}
)
"""What other languages call them."""
