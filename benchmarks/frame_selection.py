"""Which frames to keep of a capture when only a few are wanted: what each choice loses, by how many are kept.

    python benchmarks/frame_selection.py [--rooms 40] [--first 0]

Synthetic rooms of 24 photos, questions of every family, answered by rules over perfect memories that know an object
only when a kept photo shows it: what is lost then is lost by the choice of frames. Choices that read the question keep
the photos it names.

    uniform     evenly in order; the question is not read
    in order    evenly in order, and the photos the question names
    thumbnails  the most different small pictures, and the photos the question names
    depth       most of the place as depth shows it (``memory.selection``), and the photos the question names
    text        adaptive sampling (``media.sampling``) by how large each photo shows what the question names, as a
                recogniser without error would score it: the most that CLIP or its like could give
    oracle      the photos that show most of the asked things that none kept so far shows
"""

from __future__ import annotations

import argparse
import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

import numpy as np

from placecell.agents.pipeline import Asker
from placecell.backends.synthetic.capture import default_views
from placecell.backends.synthetic.furnish import make_room
from placecell.backends.synthetic.perfect import perfect_memory
from placecell.backends.synthetic.questions import SyntheticQuestion, questions_about
from placecell.evaluation.statistics import interval
from placecell.language.phrases import normalise_phrase
from placecell.media.sampling import adaptive, coverage, farthest_first, thumbnail, uniform
from placecell.memory.scene import Instance, SpatialMemory
from placecell.memory.selection import representative_frames
from rooms import score

BUDGETS = (2, 4, 8, 16)
_SHOWN = 60
"""Pixels of an object, of 320 x 240, from which on a photo shows it."""
_NAMED = re.compile(r"\b(?:image|photo|picture|frame|view|shot)s?\s+(\d+)(?:\s+(?:and|to|or|with)\s+(\d+))?", re.I)


class Choice(Protocol):
    """Indices of at most ``most`` frames of a room for a question."""

    def __call__(self, place: Place, asked: SyntheticQuestion, most: int) -> Sequence[int]: ...


class Place:
    """A room's memory with what choices look at."""

    def __init__(self, memory: SpatialMemory) -> None:
        self.memory = memory
        self.count = len(memory.frames)
        self.order = np.arange(self.count, dtype=np.float64)
        self.thumbnails = np.stack([thumbnail(frame.rgb) for frame in memory.frames])

    def named(self, asked: SyntheticQuestion, most: int) -> list[int]:
        numbers = [int(n) for pair in _NAMED.findall(asked.question) for n in pair if n]
        return sorted({n - 1 for n in numbers if n <= self.count})[:most]

    def things(self, asked: SyntheticQuestion) -> list[Instance]:
        """The objects that the question or an option names."""
        said = f" {normalise_phrase(' '.join([asked.question, *asked.options]))} "
        return [i for i in self.memory.instances if re.search(rf"\b{re.escape(i.name)}(?:s|es)?\b", said)]

    def shown(self, things: Sequence[Instance]) -> np.ndarray:
        """(things, frames): pixels of each thing in each frame."""
        pixels = np.zeros((len(things), self.count))
        for row, thing in enumerate(things):
            for view in thing.views:
                pixels[row, view.frame - 1] = view.pixels
        return pixels

    def of(self, kept: Sequence[int]) -> SpatialMemory:
        """The memory that these frames alone would give."""
        numbers = {index + 1 for index in kept}
        things = []
        for thing in self.memory.instances:
            views = tuple(view for view in thing.views if view.frame in numbers)
            if any(view.pixels >= _SHOWN for view in views):
                things.append(replace(thing, views=views))
        frames = tuple(frame for frame in self.memory.frames if frame.number in numbers)
        return replace(self.memory, frames=frames, instances=tuple(things))


def by_order(place: Place, asked: SyntheticQuestion, most: int) -> Sequence[int]:
    return uniform(place.order, float(place.count), most)


def in_order(place: Place, asked: SyntheticQuestion, most: int) -> Sequence[int]:
    named = place.named(asked, most)
    return farthest_first(place.order[:, None], most, named) if named else by_order(place, asked, most)


def by_thumbnails(place: Place, asked: SyntheticQuestion, most: int) -> Sequence[int]:
    named = place.named(asked, most)
    if not named:
        return coverage(place.thumbnails, most)
    small = place.thumbnails.reshape(place.count, -1).astype(np.float64)
    return farthest_first(small, most, named)


def by_depth(place: Place, asked: SyntheticQuestion, most: int) -> Sequence[int]:
    named = [index + 1 for index in place.named(asked, most)]
    return [number - 1 for number in representative_frames(place.memory, most, include=named)]


def by_text(place: Place, asked: SyntheticQuestion, most: int) -> Sequence[int]:
    named, things = place.named(asked, most), place.things(asked)
    if len(named) == most or not things:
        return in_order(place, asked, most)
    scores = np.sqrt(place.shown(things)).sum(axis=0)
    scores[named] = 0.0
    return sorted({*named, *adaptive(scores, most - len(named))})


def by_truth(place: Place, asked: SyntheticQuestion, most: int) -> Sequence[int]:
    kept = place.named(asked, most)
    shows = place.shown(place.things(asked)) >= _SHOWN
    while len(kept) < most and len(shows):
        missing = ~shows[:, kept].any(axis=1)
        gains = shows[missing].sum(axis=0)
        if not gains.any():
            break
        kept.append(int(gains.argmax()))
    return kept or in_order(place, asked, most)


CHOICES: dict[str, Choice] = {
    "uniform": by_order,
    "in order": in_order,
    "thumbnails": by_thumbnails,
    "depth": by_depth,
    "text": by_text,
    "oracle": by_truth,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rooms", type=int, default=40)
    parser.add_argument("--first", type=int, default=0)
    parsed = parser.parse_args()
    scores: dict[tuple[str, int], list[float]] = defaultdict(list)
    for seed in range(parsed.first, parsed.first + parsed.rooms):
        room = make_room(seed)
        views = default_views(room)
        place = Place(perfect_memory(room, views))
        for asked in questions_about(room, views, per_family=1, seed=seed):
            for name, choose in CHOICES.items():
                for most in BUDGETS:
                    scores[name, most].append(answered(place, asked, choose(place, asked, most)))
    count = len(scores["uniform", BUDGETS[0]])
    widest = max(found.high - found.low for values in scores.values() if (found := interval(values)) is not None)
    print(f"{parsed.rooms} rooms, {count} questions; mean score, 95 % intervals at most {100 * widest:.1f} points wide")
    print(f"{'frames kept':12}" + "".join(f"{most:>8}" for most in BUDGETS))
    for name in CHOICES:
        print(f"{name:12}" + "".join(f"{100 * np.mean(scores[name, most]):8.1f}" for most in BUDGETS))


def answered(place: Place, asked: SyntheticQuestion, kept: Sequence[int]) -> float:
    answer = Asker(place.of(kept)).ask(asked.question, list(asked.options) or None)
    return score(asked, answer)


if __name__ == "__main__":
    main()
