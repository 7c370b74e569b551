"""Questions to train on: benchmark samples, unlimited and balanced from synthetic rooms, or from a JSONL file.

A training sample is a benchmark's ``Sample``: what is trained and what is evaluated has one form, and any of them has a
memory by its scene (``evaluation.runs.sources``). Knows balance and which rooms are for training.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from itertools import islice
from pathlib import Path

from pydantic import TypeAdapter

from placecell.errors import UserError
from placecell.evaluation.benchmarks.rows import need_unique
from placecell.evaluation.benchmarks.sample import LETTERS, Sample
from placecell.evaluation.benchmarks.synthetic import LEVEL, drawn
from placecell.evaluation.lines import read_lines

__all__ = ["Sample", "balanced", "read_samples", "synthetic_samples", "write_samples"]

TRAINING_SEED = 1000
"""Added to seeds: the rooms of a benchmark list with a seed below it are never trained on."""
_PATIENCE = 40
"""Questions looked through for each one wanted, before a balance is given up for what there is."""
_Class = tuple[str, str]


def synthetic_samples(
    count: int, *, seed: int = 0, level: str = LEVEL, families: Sequence[str] | None = None
) -> tuple[Sample, ...]:
    """``count`` questions about synthetic rooms that no benchmark list holds, balanced by family and answer.

    Args:
        count: how many; there is no end of rooms.
        seed: another seed has other rooms.
        level: of the rooms ("easy", "medium", ...).
        families: only these families of questions (``backends.synthetic.questions.FAMILIES``).

    Raises:
        UserError: no such level or family, or fewer than one question.
    """
    if count < 1:
        raise UserError(f"{count} questions make no training set")
    return balanced(drawn(level, seed + TRAINING_SEED, families), count)


def balanced(samples: Iterable[Sample], count: int) -> tuple[Sample, ...]:
    """``count`` of the samples: the kinds of question in turn and, within a kind, the answers in turn.

    Waits for what evens the counts out, through at most 40 samples for each one wanted; then takes what evens them out
    best among those it passed over.
    """
    waiting: defaultdict[_Class, deque[Sample]] = defaultdict(deque)
    taken: Counter[_Class] = Counter()
    chosen: list[Sample] = []

    def lead(of: _Class) -> tuple[int, int]:
        """By how much its kind, and its answer within the kind, are ahead of the scarcest."""
        kinds: Counter[str] = Counter()
        for (kind, _), number in taken.items():
            kinds[kind] += number
        letters = [number for (kind, _), number in taken.items() if kind == of[0]]
        return kinds[of[0]] - min(kinds.values()), taken[of] - min(letters)

    def take(of: _Class) -> None:
        chosen.append(waiting[of].popleft())
        taken[of] += 1

    for sample in islice(samples, _PATIENCE * count):
        waiting[_class(sample)].append(sample)
        for letter in LETTERS[: len(sample.options)] or [""]:
            taken.setdefault((sample.kind, letter), 0)
        while ready := next((of for of, queue in waiting.items() if queue and lead(of) == (0, 0)), None):
            take(ready)
            if len(chosen) == count:
                return tuple(chosen)
    while len(chosen) < count and (left := [of for of, queue in waiting.items() if queue]):
        take(min(left, key=lead))
    return tuple(chosen)


def _class(sample: Sample) -> _Class:
    """What it is balanced by: its kind, and the letter of a choice; numbers are all alike."""
    return sample.kind, sample.truth if sample.options else ""


def write_samples(samples: Iterable[Sample], path: Path) -> None:
    """Write one sample a line, every field."""
    path.write_text("".join(json.dumps(asdict(s), ensure_ascii=False) + "\n" for s in samples), encoding="utf-8")


def read_samples(path: Path) -> tuple[Sample, ...]:
    """The samples of ``write_samples``. UserError for a file without any, a line that is none, an id that repeats."""
    samples = read_lines(path, TypeAdapter(Sample), "samples", "`write_samples` writes them")
    need_unique(samples, path)
    return tuple(samples)
