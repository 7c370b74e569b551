"""How often the interval of an answer holds the truth, over memories that are off by chance and say by how much."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from cell_forms import CellQuestion
from cell_play import cause_of, play
from cell_questions import questions
from cell_worlds import A_UNIT_M, memory

from placecell.backends.synthetic.blur import Blur, blurred
from placecell.engine.cells.quantities import quantity_of
from placecell.memory.rescale import rescaled
from placecell.memory.scene import Scale, SpatialMemory

BLUR = Blur(centre_m=0.03, side_m=0.03, scale=0.02, track_m=0.03, depth=0.01)
_EXACT = ("near and lower", "how many fit", "turned in a piece")
"""Forms whose answer is a whole number, or rests on fronts, which nothing blurs."""
_UNDECIDED = ("too close to call", "close to ")


@dataclass(frozen=True)
class Sampled:
    """A question about one noisy memory. ``off``: standard deviations to the truth; None: no value, for a ``reason``.

    ``decided``: no choice or condition on the way was flagged as too close to call.
    """

    question: CellQuestion
    off: float | None
    decided: bool
    reason: str | None = None


def noisy(question: CellQuestion, seed: int) -> SpatialMemory:
    """The memory of the question, off by chance."""
    metric = "boxes" if question.world == "units" else question.world
    spoiled = blurred(memory(metric, question.seed), BLUR, seed=1000 * question.seed + seed)
    if question.world != "units":
        return spoiled
    return rescaled(spoiled, 1 / A_UNIT_M, Scale(), "without a scale")


def measured() -> tuple[CellQuestion, ...]:
    """The questions for a number that is uncertain."""
    return tuple(q for q in questions() if not isinstance(q.truth, str) and q.form not in _EXACT)


def sampled(seeds: Iterable[int]) -> Iterator[Sampled]:
    """Every question once for each seed."""
    for seed in seeds:
        for question in measured():
            value = play(question, noisy(question, seed)).value
            number = None if value is None else quantity_of(value)
            if number is None:
                cause = cause_of(value)
                yield Sampled(question, None, decided=False, reason=cause.reason if cause else None)
                continue
            assert not isinstance(question.truth, str)
            off = abs(number.value - question.truth) / max(number.sd, 1e-9)
            unclear = any(word in flag for flag in number.evidence.flags for word in _UNDECIDED)
            yield Sampled(question, off, decided=not unclear)
