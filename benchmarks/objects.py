"""Masks to objects: the paper's merging and ours on synthetic rooms, with masks that are wrong as often as one says.

    python benchmarks/objects.py [--rooms 100] [--first 1000] [--views 8 16 32 64] [--workers 2]
    python benchmarks/objects.py --speed

Each room is photographed 64 times with depth that is off by 0.5 %, as both methods are told; fewer views are every
second, fourth or eighth of them. A quarter of the rooms has true masks, a quarter each masks spoiled lightly, more, and
heavily. Truth are the objects that the views show, in cubes of 4 cm of exact depth. AP25 and AP50 are pooled over rooms
and averaged over names, as ScanNet does. Count is the mean relative accuracy over the names of a room, of objects that
are certain. Centre and size (longest side) are medians over objects found with an overlap of 0.25. ``--speed`` times
the merging of 64 views with 10 masks each in pictures of 672 x 378.
"""

from __future__ import annotations

import argparse
import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from multiprocessing import get_context

import numpy as np
from numpy.typing import NDArray

from placecell.backends.synthetic.capture import Noise, make_room, photograph
from placecell.backends.synthetic.noise import LEVELS, SyntheticSegmenter
from placecell.backends.synthetic.path import around
from placecell.backends.synthetic.scene import SyntheticRoom
from placecell.geometry.boxes import gravity_box
from placecell.memory.instances import from_proposals, objects_among
from placecell.memory.measured import clean_points, depth_views
from placecell.memory.merging.settings import OURS, PAPER, MergeSettings
from placecell.memory.ports import Proposal, Reconstruction
from placecell.memory.scene import Frame

Case = tuple[str, int, str]
"""Level of the masks, number of views, method."""

METHODS = {"paper": PAPER, "ours": OURS}
ROOM_LEVELS = ("easy", "medium", "hard")
SIZE = (256, 192)
SPACING_M = 0.04
EVERY = 20  # rooms, a table so far
SMALLEST = 20  # cubes; smaller objects are neither asked for nor counted
DEPTH_SD = 0.005
TOLERANCES = 1 - np.linspace(0.5, 0.95, 10)


@dataclass(frozen=True, eq=False)
class Thing:
    """An object, true or found: its name, the places it holds, centre and longest side."""

    name: str
    places: NDArray[np.bool_]
    centre: NDArray[np.float64]
    longest: float
    confidence: float = 1.0
    certain: bool = True


@dataclass
class Scores:
    """What the objects found in many rooms come to."""

    hits: dict[tuple[str, float], list[tuple[float, bool]]] = field(default_factory=dict)
    true: dict[str, int] = field(default_factory=dict)
    counts: list[float] = field(default_factory=list)
    centres: list[float] = field(default_factory=list)
    sizes: list[float] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)

    def add(self, truth: Sequence[Thing], found: Sequence[Thing], ignored: NDArray[np.bool_]) -> None:
        for name in {t.name for t in truth}:
            mine = [t for t in truth if t.name == name]
            counted = sum(f.certain for f in found if f.name == name)
            self.true[name] = self.true.get(name, 0) + len(mine)
            self.counts.append(float(np.mean(abs(counted - len(mine)) / len(mine) <= TOLERANCES)))
        for overlap in (0.25, 0.5):
            free = set(range(len(truth)))
            for thing in sorted(found, key=lambda f: -f.confidence):
                shares = {k: iou(thing, truth[k]) for k in free if truth[k].name == thing.name}
                best = max(shares, key=shares.__getitem__, default=None)
                hit = best is not None and shares[best] > overlap
                if hit and best is not None:
                    free.remove(best)
                    if overlap == 0.25:
                        self.centres.append(float(np.linalg.norm(thing.centre - truth[best].centre)))
                        self.sizes.append(abs(thing.longest / truth[best].longest - 1))
                elif (thing.places & ignored).sum() > overlap * thing.places.sum():
                    continue
                self.hits.setdefault((thing.name, overlap), []).append((thing.confidence, hit))

    def extend(self, other: Scores) -> None:
        """Adds what another room came to."""
        for key, hits in other.hits.items():
            self.hits.setdefault(key, []).extend(hits)
        for name, count in other.true.items():
            self.true[name] = self.true.get(name, 0) + count
        for mine, theirs in ((getattr(self, k), getattr(other, k)) for k in ("counts", "centres", "sizes", "seconds")):
            mine.extend(theirs)

    def ap(self, overlap: float) -> float:
        return float(
            np.mean([average_precision(self.hits.get((n, overlap), []), total) for n, total in self.true.items()])
        )

    def row(self) -> str:
        return (
            f"{self.ap(0.25):8.3f}{self.ap(0.5):8.3f}{np.mean(self.counts):8.3f}"
            f"{100 * np.median(self.centres):10.1f}{100 * np.median(self.sizes):9.1f}{1e3 * np.mean(self.seconds):9.0f}"
        )


def iou(a: Thing, b: Thing) -> float:
    both = int((a.places & b.places).sum())
    return both / max(1, int(a.places.sum()) + int(b.places.sum()) - both)


def average_precision(hits: Iterable[tuple[float, bool]], total: int) -> float:
    """Area under the precision envelope over recall."""
    ordered = np.array([hit for _, hit in sorted(hits, key=lambda h: -h[0])], bool)
    if not ordered.any():
        return 0.0
    precision = np.cumsum(ordered) / np.arange(1, len(ordered) + 1)
    envelope = np.maximum.accumulate(precision[::-1])[::-1]
    return float(envelope[ordered].sum() / total)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rooms", type=int, default=100)
    parser.add_argument("--first", type=int, default=1000)
    parser.add_argument("--views", type=int, nargs="+", default=[8, 16, 32, 64])
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--speed", action="store_true")
    parsed = parser.parse_args()
    if parsed.speed:
        print_speed()
        return
    scores: dict[Case, Scores] = defaultdict(Scores)
    seeds = range(parsed.first, parsed.first + parsed.rooms)
    with ProcessPoolExecutor(parsed.workers, mp_context=get_context("spawn")) as pool:
        for done, room in enumerate(pool.map(partial(scores_of, views=parsed.views), seeds), 1):
            for case, score in room.items():
                scores[case].extend(score)
            if done % EVERY == 0 or done == parsed.rooms:
                print(f"\n{done} rooms", flush=True)
                print_table(scores)


def scores_of(seed: int, views: Sequence[int]) -> dict[Case, Scores]:
    """Both methods on one room, with masks of one level and each number of views."""
    level = list(LEVELS)[seed % len(LEVELS)]
    room = make_room(seed, ROOM_LEVELS[seed // len(LEVELS) % len(ROOM_LEVELS)])
    take = partial(photograph, room, around(room, max(views)), size=SIZE, lit=False, frame="world")
    exact, capture = take(), take(noise=Noise(depth=DEPTH_SD))
    proposed = list(SyntheticSegmenter.of(exact, LEVELS[level], seed).segment(exact.frames, room.names))
    scores: dict[Case, Scores] = {(level, count, method): Scores() for count in views for method in METHODS}
    for count in views:
        step = max(views) // count
        truth = Truth.of(room, exact, exact.frames[::step])
        proposals = [p for mine in proposed[::step] for p in mine]
        for method in METHODS:
            score(truth, capture.frames[::step], proposals, METHODS[method], scores[level, count, method])
    return scores


@dataclass(frozen=True, eq=False)
class Truth:
    """What the views show: cubes (N,), the objects asked for, and the places (N,) of smaller ones."""

    places: NDArray[np.int64]
    things: list[Thing]
    ignored: NDArray[np.bool_]

    @classmethod
    def of(cls, room: SyntheticRoom, capture: Reconstruction, frames: Sequence[Frame]) -> Truth:
        places, owner = true_places(capture, frames)
        large = [t for t in room.objects if (owner == t.id).sum() >= SMALLEST]
        things = [Thing(t.name, owner == t.id, t.box.centre, t.box.longest) for t in large]
        return cls(places, things, (owner > 0) & ~np.isin(owner, [t.id for t in large]))


def score(
    truth: Truth, frames: Sequence[Frame], proposals: Sequence[Proposal], settings: MergeSettings, scores: Scores
) -> None:
    started = time.perf_counter()
    found = found_things(frames, proposals, truth.places, settings)
    scores.seconds.append(time.perf_counter() - started)
    scores.add(truth.things, [f for f in found if f.places.sum() >= SMALLEST], truth.ignored)


def true_places(capture: Reconstruction, frames: Sequence[Frame]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The cubes (N,) that the frames show, sorted, and the object (N,) that most of the pixels in each belong to."""
    cubes, owners = [], []
    for frame in frames:
        assert frame.depth is not None and capture.labels is not None
        known = frame.depth.z > 0
        known[1::2] = known[:, 1::2] = False
        cubes.append(cubes_of(frame.depth.camera.unproject(frame.depth.z)[known]))
        owners.append(capture.labels.frames[frame.number].ids[known])
    places, place = np.unique(np.concatenate(cubes), return_inverse=True)
    pairs, votes = np.unique(place << 20 | np.concatenate(owners), return_counts=True)
    order = np.argsort(votes, kind="stable")
    majority = np.zeros(len(places), np.int64)
    majority[pairs[order] >> 20] = pairs[order] & 0xFFFFF
    return places, majority


def cubes_of(points: NDArray[np.floating]) -> NDArray[np.int64]:
    """The number (N,) of the cube that each point (N, 3) lies in."""
    x, y, z = np.floor(points / SPACING_M).astype(np.int64).T + (1 << 20)
    return np.asarray(x << 42 | y << 21 | z)


def found_things(
    frames: Sequence[Frame], proposals: Sequence[Proposal], places: NDArray[np.int64], settings: MergeSettings
) -> list[Thing]:
    groups, _ = objects_among(frames, proposals, depth_sd=DEPTH_SD, settings=settings)
    views = depth_views(frames)
    found = []
    for name, group in groups:
        if settings.clean:
            points = clean_points(group.parts, views, DEPTH_SD)
        else:
            points = np.concatenate([part.points for part in group.parts])
        box = gravity_box(points, trim=0.005 if settings.clean else 0.0)
        centre = box.centre if settings.clean else np.median(points, axis=0).astype(np.float64)
        held = np.isin(places, np.unique(cubes_of(points)), assume_unique=True)
        certain = group.confidence >= settings.sure
        found.append(Thing(name, held, centre, box.longest, group.confidence, certain))
    return found


def print_table(scores: dict[Case, Scores]) -> None:
    columns = ("AP25", "AP50", "count", "centre cm", "size %", "ms")
    widths = (8, 8, 8, 10, 9, 9)
    print(
        f"\n{'masks':8}{'views':>6} {'method':7}" + "".join(f"{c:>{w}}" for c, w in zip(columns, widths, strict=True))
    )
    for level, views, method in sorted(scores, key=lambda c: (list(LEVELS).index(c[0]), c[1], c[2] == "ours")):
        score = scores[level, views, method]
        print(f"{level:8}{views:6} {method:7}{score.row()}", flush=True)


def print_speed() -> None:
    """All names of a furnished room, masks of the right number, none missed. CPU seconds: the machine may be shared."""
    room = make_room(1004, "hard")
    capture = photograph(room, around(room, 64), size=(672, 378), lit=False, frame="world")
    proposals = []
    for mine in SyntheticSegmenter.of(capture).segment(capture.frames, room.names):
        proposals += sorted(mine, key=lambda p: -p.mask.sum())[:10]
    print(
        f"{len(capture.frames)} views of 672 x 378, {len(proposals)} masks, {len({p.phrase for p in proposals})} names"
    )
    for method, settings in METHODS.items():
        few = [p for p in proposals if p.frame <= 4]
        from_proposals(capture.frames[:4], few, depth_sd=DEPTH_SD, settings=settings)  # compiles
        started, cpu = time.perf_counter(), time.process_time()
        groups, _ = objects_among(capture.frames, proposals, depth_sd=DEPTH_SD, settings=settings)
        merged, cpu_merged = time.perf_counter() - started, time.process_time() - cpu
        started, cpu = time.perf_counter(), time.process_time()
        from_proposals(capture.frames, proposals, depth_sd=DEPTH_SD, settings=settings)
        whole, cpu_whole = time.perf_counter() - started, time.process_time() - cpu
        print(f"{method:6} {len(groups)} objects: merged in {merged:.2f} s ({cpu_merged:.2f} s of CPU)", end="")
        print(f", with boxes and views {whole:.2f} s ({cpu_whole:.2f} s of CPU)", flush=True)


if __name__ == "__main__":
    main()
