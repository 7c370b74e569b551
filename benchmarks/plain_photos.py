"""Synthetic rooms as plain photos: no poses, no depth, no K; structure from motion, then every family with a choice.

    python benchmarks/plain_photos.py [--rooms 30] [--first 0] [--level easy] [--width 480] [--walk 48]

Label images are kept, so this measures geometry. Prints each room's placed photos and camera errors, every miss, and
right answers by family. Photos alone do not know metres, so of lengths every ratio of two in a room is scored, by mean
relative accuracy. ``--walk`` takes that many frames of a slow round instead of photos from along the walls.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
from PIL import Image

from placecell.agents.pipeline import ask
from placecell.backends.auto import build
from placecell.backends.synthetic.asking import SyntheticQuestion
from placecell.backends.synthetic.capture import default_views, photograph
from placecell.backends.synthetic.furnish import make_room
from placecell.backends.synthetic.path import walk
from placecell.backends.synthetic.questions import questions_about
from placecell.errors import UserError
from placecell.evaluation.scoring.accuracy import mean_relative_accuracy
from placecell.geometry.transforms import compose, invert, rotation_angle
from placecell.memory.ports import Reconstruction
from placecell.memory.scene import Scale, SpatialMemory

_PER_METRE = {"m": 1.0, "cm": 100.0}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rooms", type=int, default=30)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--level", default="easy")
    parser.add_argument("--width", type=int, default=480)
    parser.add_argument("--walk", type=int, default=0)
    parsed = parser.parse_args()
    size = (parsed.width, parsed.width * 3 // 4)
    scores: dict[str, list[bool]] = defaultdict(list)
    ratios: list[float] = []
    for seed in range(parsed.first, parsed.first + parsed.rooms):
        room = make_room(seed, parsed.level)
        views = walk(room, parsed.walk) if parsed.walk else default_views(room)
        capture = photograph(room, views, size=size)
        with tempfile.TemporaryDirectory() as folder:
            write_photos(capture, Path(folder))
            try:
                memory = build([Path(folder) / "photos"], labels=Path(folder) / "labels")
            except UserError as error:
                print(f"room {seed}: {error}", flush=True)
                continue
            report(seed, memory, capture)
            asked = questions_about(room, views, size=size, seed=seed)
            found = ratio_accuracies(memory, asked)
            ratios += found
            print(f"room {seed}: {len(found)} ratios of lengths, MRA {np.mean(found) if found else 0:.3f}", flush=True)
            for question in asked:
                if question.scoring == "choice":
                    answer = ask(memory, question.question, list(question.options))
                    right = answer.letter == question.answer
                    scores[question.family].append(right)
                    if not right:
                        got = f"no answer: {answer.reason}" if answer.abstained else f"{answer.answer}"
                        print(
                            f"room {seed}: {question.family}: {question.question} | {question.truth} | {got}",
                            flush=True,
                        )
    for family, values in sorted(scores.items()):
        print(f"{family:22}{len(values):6}{np.mean(values):8.3f}")
    print(f"{'ratios of lengths, MRA':22}{len(ratios):6}{np.mean(ratios) if ratios else 0:8.3f}")
    everything = [v for values in scores.values() for v in values]
    print(f"{'all':22}{len(everything):6}{np.mean(everything) if everything else 0:8.3f}")


def ratio_accuracies(memory: SpatialMemory, asked: Sequence[SyntheticQuestion]) -> list[float]:
    """Mean relative accuracy of the ratio of every two lengths that the questions ask for; an abstention counts 0."""
    units = replace(memory, scale=Scale("metric", "reference"))  # so that lengths in units are given at all
    lengths = [q for q in asked if q.unit in _PER_METRE]
    found = [_metres(ask(units, q.question).value, q.unit) for q in lengths]
    true = [_metres(q.value, q.unit) for q in lengths]
    pairs = combinations(range(len(lengths)), 2)
    return [
        mean_relative_accuracy(found[i] / found[j] if found[i] and found[j] else None, true[i] / true[j])
        for i, j in pairs
    ]


def _metres(value: object, unit: str) -> float:
    return float(value) / _PER_METRE[unit] if isinstance(value, float | int) else 0.0


def write_photos(capture: Reconstruction, folder: Path) -> None:
    """The pictures and their label images, named by number."""
    (folder / "photos").mkdir()
    (folder / "labels").mkdir()
    assert capture.labels is not None
    for frame in capture.frames:
        Image.fromarray(frame.rgb).save(folder / "photos" / f"{frame.number:03d}.png")
        ids = capture.labels.frames[frame.number].ids.astype(np.uint8)
        Image.fromarray(ids).save(folder / "labels" / f"{frame.number:03d}.png")
    names = {str(key): name for key, name in capture.labels.names.items()}
    (folder / "labels" / "labels.json").write_text(json.dumps({"kind": "instance", "names": names}))


def report(seed: int, memory: SpatialMemory, capture: Reconstruction) -> None:
    """How many photos were placed, and the errors of their relative poses."""
    true = {f.number: f.camera.world_from_cam for f in capture.frames if f.camera is not None}
    found = {f.number: f.camera.world_from_cam for f in memory.posed_frames if f.camera is not None}
    turns, directions = [], []
    for a, b in combinations(sorted(found), 2):
        ours, theirs = compose(invert(found[a]), found[b]), compose(invert(true[a]), true[b])
        turns.append(float(rotation_angle(compose(invert(ours), theirs))))
        along = ours[:3, 3] @ theirs[:3, 3] / (np.linalg.norm(ours[:3, 3]) * np.linalg.norm(theirs[:3, 3]))
        directions.append(float(np.degrees(np.arccos(np.clip(along, -1, 1)))))
    print(
        f"room {seed}: {len(found)} of {len(true)} placed, rotation {np.median(turns):.2f} deg "
        f"(worst {max(turns):.2f}), direction {np.median(directions):.2f} deg; {memory.alignment.method}",
        flush=True,
    )


if __name__ == "__main__":
    main()
