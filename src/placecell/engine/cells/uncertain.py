"""A number with its uncertainty to first order: how much it changes with each independent source of error.

Every measured value brings a source of its own; what many share (the scale of a memory, the place of an object) is one
source with one name. Arithmetic adds up changes source by source, so what is shared drops out where it should:
``x - x`` is 0 ± 0 and a ratio of two lengths does not feel the scale, without any special case. (Linear error
propagation: JCGM 100:2008, section 5.)

Knows plain numbers. Does not know units (``quantities``) or memories.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

Errors = tuple[tuple[str, float], ...]
"""Sources by name, each with the change of the value for one standard deviation of it."""

MOST_SOURCES = 32
"""Of more sources than this, the smallest are joined in one that is shared with nothing."""


@dataclass(frozen=True)
class Uncertain:
    """``value`` and its ``errors``, sorted by source, none of them 0."""

    value: float
    errors: Errors = ()

    @cached_property
    def sd(self) -> float:
        return math.sqrt(sum(change * change for _, change in self.errors))

    def __add__(self, other: Uncertain) -> Uncertain:
        return combined(self.value + other.value, ((1.0, self), (1.0, other)))

    def __sub__(self, other: Uncertain) -> Uncertain:
        return combined(self.value - other.value, ((1.0, self), (-1.0, other)))

    def __neg__(self) -> Uncertain:
        return self.times(-1.0)

    def __mul__(self, other: Uncertain) -> Uncertain:
        return combined(self.value * other.value, ((other.value, self), (self.value, other)))

    def over(self, other: Uncertain) -> Uncertain:
        """The quotient; ``other`` is not 0."""
        quotient = self.value / other.value
        return combined(quotient, ((1.0 / other.value, self), (-quotient / other.value, other)))

    def times(self, factor: float) -> Uncertain:
        return combined(self.value * factor, ((factor, self),))

    def root(self) -> Uncertain:
        """The square root of a value above 0."""
        root = math.sqrt(self.value)
        return combined(root, ((0.5 / root, self),))

    def part(self, source: str) -> float:
        """The change with one source; 0 when it does not depend on it."""
        return next((change for name, change in self.errors if name == source), 0.0)

    def without(self, source: str) -> Uncertain:
        """As if one source of error were none."""
        return Uncertain(self.value, tuple(error for error in self.errors if error[0] != source))


def measured(value: float, sd: float, source: str) -> Uncertain:
    """A value with one source of error."""
    return Uncertain(value, ((source, sd),) if sd else ())


def combined(value: float, terms: Iterable[tuple[float, Uncertain]]) -> Uncertain:
    """``value`` computed from others: each term is its derivative by one of them, and that one."""
    terms = [term for term in terms if term[1].errors]
    if not terms:
        return Uncertain(value)
    changes: dict[str, float] = {}
    largest: dict[str, float] = {}
    for derivative, term in terms:
        for source, change in term.errors:
            part = derivative * change
            changes[source] = changes.get(source, 0.0) + part
            largest[source] = max(largest.get(source, 0.0), abs(part))
    # What is left of a source that cancelled is rounding.
    kept = sorted((s, c) for s, c in changes.items() if abs(c) > 1e-13 * largest[s])
    return Uncertain(value, tuple(kept) if len(kept) <= MOST_SOURCES else _joined(kept))


def with_error(number: Uncertain, sd: float, source: str) -> Uncertain:
    """``number`` with one more source of error."""
    return combined(number.value, ((1.0, number), (1.0, measured(0.0, sd, source))))


def _joined(errors: list[tuple[str, float]]) -> Errors:
    """The largest of the errors, and one for all the others."""
    by_size = sorted(errors, key=lambda e: (-abs(e[1]), e[0]))
    kept, rest = by_size[: MOST_SOURCES - 1], by_size[MOST_SOURCES - 1 :]
    return tuple(sorted([*kept, (source_of("rest", *rest), math.hypot(*(change for _, change in rest)))]))


def source_of(*content: object) -> str:
    """A name for a source of error: the same for the same content, so that measuring twice is no new measurement."""
    return hashlib.blake2s(repr(content).encode(), digest_size=10).hexdigest()
