"""One question of a benchmark, whatever the benchmark calls its fields."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path

from placecell.errors import UserError

LETTERS = "ABCDEFGHIJ"


class MediaError(UserError):
    """A sample's media are not there or cannot be used."""


@dataclass(frozen=True)
class Sample:
    """``truth`` is the right option's letter, or a number as text. ``kind`` is the benchmark's own name of the type of
    question: it groups scores and is never shown to whoever answers.

    ``media``: files of the question in its order (image 1 is the first), relative to the data folder. ``scene``: same
    scene, same media, so one memory serves all its samples. ``group``: a second grouping, if the benchmark reports one
    (VLM4D's ego and exo). ``also_right``: further letters that count (a right answer listed twice). ``dynamic``: the
    question is about what moves in a video, so its memory needs time.
    """

    id: str
    question: str
    truth: str
    kind: str
    scene: str
    options: tuple[str, ...] = ()
    media: tuple[str, ...] = ()
    group: str = ""
    also_right: tuple[str, ...] = field(default=())
    dynamic: bool = False

    def __post_init__(self) -> None:
        if self.options and self.truth not in tuple(LETTERS[: len(self.options)]):
            raise ValueError(f"sample {self.id}: {self.truth!r} is none of its {len(self.options)} options")
        if not self.options and not _is_number(self.truth):
            raise ValueError(f"sample {self.id}: no options, and {self.truth!r} is no number")

    def files(self, folder: Path) -> tuple[Path, ...]:
        """The media on disk. MediaError names the first that is missing or points out of the folder."""
        root = folder.resolve()
        paths = tuple((root / name).resolve() for name in self.media)
        for name, path in zip(self.media, paths, strict=True):
            if not path.is_relative_to(root):
                raise MediaError(f"sample {self.id}: {name} points out of {folder}")
            if not path.exists():
                raise MediaError(f"sample {self.id}: {path} is missing", hint="download the benchmark's media there")
        return paths


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def lettered(texts: tuple[str, ...] | list[str]) -> tuple[str, ...]:
    """Options with their letters in front: "A. left". ValueError for more than there are letters."""
    if len(texts) > len(LETTERS):
        raise ValueError(f"{len(texts)} options, but letters end at {LETTERS[-1]}")
    return tuple(f"{letter}. {text}" for letter, text in zip(LETTERS, texts, strict=False))


def bare(option: str) -> str:
    """An option's text without its letter."""
    head, dot, rest = option.partition(".")
    return rest.strip() if dot and len(head) == 1 and head in LETTERS else option.strip()
