"""A benchmark of videos without data: VLM4D's families about synthetic scenes, with exact truth, balanced, by seed.

Its memories hold true tracks, so that it measures everything but seeing; ``benchmarks/videos.py`` measures seeing too.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import count as count_from
from itertools import islice
from pathlib import Path

from placecell.backends.synthetic.moving import stage
from placecell.backends.synthetic.moving.film import film
from placecell.backends.synthetic.moving.perfect import perfect_video
from placecell.backends.synthetic.moving.questions import questions_about
from placecell.errors import UserError
from placecell.evaluation.benchmarks.keeping import digest_beside, kept
from placecell.evaluation.benchmarks.sample import Sample
from placecell.memory.scene import SpatialMemory

NAME = "synthetic-videos"
COUNT = 300
_PREFIX = "video-"
_PER_FAMILY = 2


def samples(count: int = COUNT, *, seed: int = 0) -> tuple[Sample, ...]:
    """The first ``count`` questions, video by video. UserError for fewer than one."""
    if count < 1:
        raise UserError(f"{count} questions make no benchmark")
    return tuple(islice(_all(seed), count))


def kept_samples(count: int, folder: Path, *, seed: int = 0) -> tuple[Sample, ...]:
    """As `samples`, read from ``folder`` when a list that is long enough lies there, else drawn and kept there."""
    return kept(folder / f"{NAME}-{seed}-{code_digest()}.jsonl", count, lambda: samples(count, seed=seed))


def code_digest() -> str:
    """Of the code that makes up videos and asks about them: videos of another version of it are other videos."""
    return digest_beside(stage)


def names(scene: str) -> bool:
    """Whether a scene's name is that of a video."""
    return scene.startswith(_PREFIX) and scene.removeprefix(_PREFIX).isdecimal()


@lru_cache(maxsize=4)
def memory_of_scene(scene: str) -> SpatialMemory:
    """The perfect memory of a video by its name ("video-17"). UserError for a name that is none."""
    if not names(scene):
        raise UserError(f"{scene!r} is no synthetic video", hint=f"a name such as {_PREFIX}17")
    made = stage.make_scene(int(scene.removeprefix(_PREFIX)))
    return perfect_video(made, film(made))


def _all(seed: int) -> Iterator[Sample]:
    for number in count_from(seed * 10_000):
        scene = stage.make_scene(number)
        for k, asked in enumerate(questions_about(scene, film(scene), per_family=_PER_FAMILY, seed=seed)):
            yield Sample(
                id=f"{_PREFIX}{number}-{k}",
                question=asked.question,
                options=asked.options,
                truth=asked.answer,
                kind=asked.family,
                scene=f"{_PREFIX}{number}",
            )
