"""Questions to train on: benchmark samples, unlimited and balanced from synthetic rooms, or from a JSONL file.

A training sample is a benchmark's ``Sample``: what is trained and what is evaluated has one form, and any of them has a
memory by its scene (``evaluation.runs.sources``). Knows balance and which rooms are for training.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from itertools import islice
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from placecell.errors import UserError
from placecell.evaluation.benchmarks.sample import Sample
from placecell.evaluation.benchmarks.synthetic import LEVEL, drawn

__all__ = ["Sample", "balanced", "read_samples", "synthetic_samples", "write_samples"]

TRAINING_SEED = 1000
"""Added to seeds: the rooms of a benchmark list with a seed below it are never trained on."""
_PATIENCE = 40
"""Questions looked through for each one wanted, before a balance is given up for what there is."""
_SAMPLE = TypeAdapter(Sample)


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
    """``count`` of the samples, the kinds of question in turn and, within a kind, the answers in turn.

    Takes from an endless stream what evens the counts out, and looks through at most 40 samples for each one wanted;
    then the rarest kind it has decides.
    """
    waiting: defaultdict[str, list[Sample]] = defaultdict(list)
    kinds: Counter[str] = Counter()
    answers: Counter[tuple[str, str]] = Counter()
    chosen: list[Sample] = []
    for sample in islice(samples, _PATIENCE * count):
        waiting[sample.kind].append(sample)
        kinds.setdefault(sample.kind, 0)
        while len(chosen) < count and (ready := _next(waiting, kinds, answers)) is not None:
            chosen.append(ready)
        if len(chosen) == count:
            return tuple(chosen)
    left = sorted((s for queue in waiting.values() for s in queue), key=lambda s: kinds[s.kind])
    return tuple([*chosen, *left][:count])


def _next(waiting: dict[str, list[Sample]], kinds: Counter[str], answers: Counter[tuple[str, str]]) -> Sample | None:
    """The next sample that keeps the balance, taken out of those waiting; None when it needs more to choose from."""
    scarcest = min(kinds.values())
    for kind in (kind for kind in kinds if kinds[kind] == scarcest):
        queue = waiting[kind]
        best = min(queue, key=lambda sample: answers[kind, _letter(sample)], default=None)
        if best is not None:
            queue.remove(best)
            kinds[kind] += 1
            answers[kind, _letter(best)] += 1
            return best
    return None


def _letter(sample: Sample) -> str:
    """What its answer is balanced by: the letter of a choice; numbers are all alike."""
    return sample.truth if sample.options else ""


def write_samples(samples: Iterable[Sample], path: Path) -> None:
    """Write one sample a line, every field."""
    path.write_text("".join(json.dumps(asdict(s), ensure_ascii=False) + "\n" for s in samples), encoding="utf-8")


def read_samples(path: Path) -> tuple[Sample, ...]:
    """The samples of ``write_samples``. UserError names the file and the line that is none, or an id that repeats."""
    return tuple(_read(path))


def _read(path: Path) -> Iterator[Sample]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"{path} cannot be read: {error}") from None
    seen: set[str] = set()
    for number, line in enumerate(lines, 1):
        try:
            sample = _SAMPLE.validate_json(line)
        except (ValidationError, ValueError) as error:
            raise UserError(f"{path}, line {number}: no training sample ({error})") from None
        if sample.id in seen:
            raise UserError(f"{path}, line {number}: the id {sample.id!r} comes twice")
        seen.add(sample.id)
        yield sample
