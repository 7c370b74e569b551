"""A benchmark without data: questions of every family about synthetic rooms, with exact truth, balanced, by seed.

The first questions of a longer list are those of a shorter one. Drawing takes a second or so for each, so a list is
kept on disk until the code that draws changes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path

from placecell.backends.synthetic import furnish
from placecell.backends.synthetic.capture import default_views
from placecell.backends.synthetic.perfect import perfect_memory
from placecell.backends.synthetic.questions import questions_about
from placecell.errors import UserError
from placecell.evaluation.benchmarks.keeping import digest_beside, kept
from placecell.evaluation.benchmarks.sample import Sample
from placecell.memory.scene import SpatialMemory

NAME = "synthetic"
COUNT = 300
LEVEL = "easy"
_PER_FAMILY = 2


def samples(count: int = COUNT, *, level: str = LEVEL, seed: int = 0) -> tuple[Sample, ...]:
    """``count`` questions, as many of each family as rooms allow: the families take turns, room by room."""
    if count < 1:
        raise UserError(f"{count} questions make no benchmark")
    chosen: list[Sample] = []
    waiting: defaultdict[str, list[Sample]] = defaultdict(list)
    taken: defaultdict[str, int] = defaultdict(int)
    for sample in drawn(level, seed):
        waiting[sample.kind].append(sample)
        while len(chosen) < count:
            scarce = min(taken[kind] for kind in waiting)
            ready = [kind for kind in waiting if waiting[kind] and taken[kind] <= scarce]
            if not ready:
                break
            chosen.append(waiting[ready[0]].pop(0))
            taken[ready[0]] += 1
        if len(chosen) == count:
            break
    return tuple(chosen)


def kept_samples(count: int, folder: Path, *, level: str = LEVEL, seed: int = 0) -> tuple[Sample, ...]:
    """As `samples`, read from ``folder`` when a list that is long enough lies there, else drawn and kept there."""
    path = folder / f"{level}-{seed}-{code_digest()}.jsonl"
    return kept(path, count, lambda: samples(count, level=level, seed=seed))


def code_digest() -> str:
    """Of the code that draws rooms and asks about them: rooms of another version of it are other rooms."""
    return digest_beside(furnish)


def scene_name(level: str, room: int) -> str:
    """ "easy-17": what the memory of a room is made from."""
    return f"{level}-{room}"


@lru_cache(maxsize=4)
def memory_of_scene(scene: str) -> SpatialMemory:
    """The perfect memory of a room by its name. UserError for a name that is none."""
    level, _, number = scene.rpartition("-")
    if not level or not number.isdecimal():
        raise UserError(f"{scene!r} is no synthetic room", hint=f"a name such as {scene_name(LEVEL, 17)}")
    room = furnish.make_room(int(number), level)
    return perfect_memory(room, default_views(room))


def drawn(level: str, seed: int, families: Sequence[str] | None = None) -> Iterator[Sample]:
    """Questions room by room without end, unbalanced; of these families only. Seeds have 10,000 rooms of their own."""
    number = seed * 10_000
    wanted = None if families is None else tuple(families)
    while True:
        scene = scene_name(level, number)
        room = furnish.make_room(number, level)
        views = default_views(room)
        questions = questions_about(room, views, per_family=_PER_FAMILY, families=wanted, seed=seed)
        for place, asked in enumerate(questions):
            yield Sample(
                id=f"{scene}-{place}",
                question=asked.question,
                options=asked.options,
                truth=asked.answer,
                kind=asked.family,
                scene=scene,
            )
        number += 1
