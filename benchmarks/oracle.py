"""The oracle test: VSI-Bench questions in words, over scenes given as true boxes.

    python benchmarks/oracle.py [BENCH] [--rewordings]

BENCH is the folder with ``vsibench/questions.jsonl`` and ``vsibench/oracle_scenes.jsonl`` (default ../shared/bench).
Language and geometry are all that can fail here. Beside the score stand the blind floor, and what is left when objects
are known by their centres or by axis-aligned boxes only. ``--rewordings`` asks every question in five mechanical
rewritings as well and prints how often the answer stays the same.
"""

from __future__ import annotations

import argparse
import json
import re
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from placecell.agents.answer import Answer
from placecell.agents.pipeline import ask
from placecell.backends.oracle import load_all
from placecell.geometry.boxes import OrientedBox
from placecell.memory.scene import Instance, SpatialMemory

# Letter majority, or the best constant of a category, without looking (published set, leave one scene out).
FLOORS = {
    "object_counting": 0.547,
    "object_size_estimation": 0.643,
    "room_size_estimation": 0.325,
    "object_abs_distance": 0.320,
    "object_rel_distance": 0.251,
    "object_rel_direction_easy": 0.50,
    "object_rel_direction_medium": 0.333,
    "object_rel_direction_hard": 0.252,
    "obj_appearance_order": 0.252,
    "route_planning": 0.294,
}
Row = Mapping[str, Any]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bench", type=Path, nargs="?", default=Path("../shared/bench"))
    parser.add_argument("--rewordings", action="store_true")
    parsed = parser.parse_args()
    folder = parsed.bench / "vsibench"
    rows = [json.loads(line) for line in (folder / "questions.jsonl").read_text().splitlines()]
    started = time.perf_counter()
    memories = dict(load_all(folder / "oracle_scenes.jsonl"))
    loaded = time.perf_counter()
    answers = [ask(memories[r["scene_name"]], r["question"], r["options"]) for r in rows]
    seconds = time.perf_counter() - loaded
    print_table(rows, answers, memories)
    print(
        f"\n{len(rows)} questions in {seconds:.1f} s ({1e3 * seconds / len(rows):.1f} ms each), "
        f"{len(memories)} scenes loaded in {loaded - started:.1f} s"
    )
    print_reasons(rows, answers)
    if parsed.rewordings:
        print_rewordings(rows, answers, memories)


def print_table(rows: Sequence[Row], answers: Sequence[Answer], memories: Mapping[str, SpatialMemory]) -> None:
    columns = {
        "boxes": [score(r, a) for r, a in zip(rows, answers, strict=True)],
        "aligned": asked_again(rows, {n: reshaped(m, axis_aligned) for n, m in memories.items()}),
        "centres": asked_again(rows, {n: reshaped(m, centre_only) for n, m in memories.items()}),
        "answered": [float(not a.abstained) for a in answers],
        "accepted": [float(a.program is not None and not errors(a)) for a in answers],
    }
    print(f"{'family':30}{'n':>6}{'floor':>8}" + "".join(f"{name:>10}" for name in columns))
    for family, floor in FLOORS.items():
        of_it = [i for i, r in enumerate(rows) if r["question_type"] == family]
        shares = (np.mean([values[i] for i in of_it]) for values in columns.values())
        print(f"{family:30}{len(of_it):6}{floor:8.3f}" + "".join(f"{share:10.3f}" for share in shares))


def errors(answer: Answer) -> int:
    return sum(d.severity == "error" for d in answer.diagnostics)


def asked_again(rows: Sequence[Row], memories: Mapping[str, SpatialMemory]) -> list[float]:
    return [score(r, ask(memories[r["scene_name"]], r["question"], r["options"])) for r in rows]


def score(row: Row, answer: Answer) -> float:
    """The letter, or the mean relative accuracy at ten tolerances from 50 % to 5 %."""
    if row["options"]:
        return float(answer.letter == row["ground_truth"])
    if not isinstance(answer.value, int | float):
        return 0.0
    truth = float(row["ground_truth"])
    tolerances = 1 - np.linspace(0.5, 0.95, 10)
    return float(np.mean(abs(answer.value - truth) / truth <= tolerances))


def reshaped(memory: SpatialMemory, shape: Callable[[OrientedBox], OrientedBox]) -> SpatialMemory:
    """The same objects, known less exactly."""

    def known(thing: Instance) -> Instance:
        return replace(thing, box=shape(thing.box), upright_box=shape(thing.upright_box))

    return replace(memory, instances=tuple(known(i) for i in memory.instances))


def axis_aligned(box: OrientedBox) -> OrientedBox:
    low, high = box.corners.min(axis=0), box.corners.max(axis=0)
    return OrientedBox((low + high) / 2, np.eye(3), high - low)


def centre_only(box: OrientedBox) -> OrientedBox:
    return OrientedBox(box.centre, np.eye(3), np.zeros(3))


def print_reasons(rows: Sequence[Row], answers: Sequence[Answer]) -> None:
    """Why there is no answer, by stage and the first words of the reason."""
    found: dict[tuple[str, str], list[Any]] = defaultdict(list)
    for row, answer in zip(rows, answers, strict=True):
        if answer.abstained:
            reason = (answer.reason or "").split(":")[0]
            found[str(answer.stage), reason].append(row["id"])
    for (stage, reason), ids in sorted(found.items(), key=lambda item: -len(item[1])):
        print(f"{len(ids):6} no answer, {stage}: {reason} (row {ids[0]}, ...)")


def rewordings(row: Row) -> Iterator[tuple[str, str, list[str] | None]]:
    """Five ways to ask the same: name of the change, question, options."""
    question, options = row["question"], row["options"]
    yield "case", question.upper(), options
    yield "spacing", "  " + re.sub(r"\s+", "   ", question).replace(",", " ,") + " ", options
    yield (
        "option order",
        question,
        [f"{c}. {o[3:]}" for c, o in zip("ABCD", options[::-1], strict=False)] if options else None,
    )
    yield "option style", question, [f"({o[0].lower()}) {o[3:]}." for o in options] if options else None
    synonyms = {
        "closest": "nearest",
        "distance between": "gap between",
        "this room": "the room",
        "standing by": "standing next to",
    }
    yield "synonyms", re.sub("|".join(synonyms), lambda m: synonyms[m[0]], question), options


def print_rewordings(rows: Sequence[Row], answers: Sequence[Answer], memories: Mapping[str, SpatialMemory]) -> None:
    same: dict[str, list[bool]] = defaultdict(list)
    for row, answer in zip(rows, answers, strict=True):
        if answer.stage == "decomposition":
            continue
        for name, question, options in rewordings(row):
            again = ask(memories[row["scene_name"]], question, options)
            equal = (again.answer or "").rstrip(".") == (answer.answer or "") and again.abstained == answer.abstained
            same[name].append(equal)
    print()
    for name, kept in same.items():
        print(f"same answer after change of {name:14} {np.mean(kept):.4f} of {len(kept)}")


if __name__ == "__main__":
    main()
