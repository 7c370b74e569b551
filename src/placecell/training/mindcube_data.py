"""A training set from MindCube's training file: rows chosen by seed, none of a scene that is tested.

The paper trains on 977 rows "randomly selected, with no overlap with the test set" and names neither seed nor rows, so
the same rows cannot be had; the rule here is exact and its result the same everywhere. Knows scenes, duplicates and
counts. Files are read as the benchmark's reader reads them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Literal

import numpy as np

from placecell.errors import UserError
from placecell.evaluation.benchmarks.readers import mindcube
from placecell.evaluation.benchmarks.rows import digest, need_unique, read_rows
from placecell.evaluation.benchmarks.sample import Sample
from placecell.training.samples import balanced

__all__ = ["ROWS", "SEED", "Report", "build", "scenes_of"]

ROWS, SEED = 977, 42
"""The paper's number of rows, and the seed of the authors' own script."""
_ROOT = "other_all_image"
_GROUP = re.compile(r"^(.*?group\d+)", re.IGNORECASE)
_NAMED = 3


@dataclass(frozen=True)
class Report:
    """What a training set holds, and what was left out.

    ``categories``: rows of each of MindCube's settings. ``answers``: rows with each letter as the right one.
    ``constant``: the share that always answering the commonest letter gets right. ``files``: sha256 of what was read.
    """

    rows: int
    scenes: int
    categories: Mapping[str, int]
    answers: Mapping[str, int]
    constant: float
    duplicates: int
    test_rows: int
    files: Mapping[str, str]

    def __str__(self) -> str:
        kinds = ", ".join(f"{name} {count}" for name, count in self.categories.items())
        letters = ", ".join(f"{letter} {count}" for letter, count in self.answers.items())
        return (
            f"{self.rows} rows of {self.scenes} scenes: {kinds}; right answers: {letters} "
            f"(the commonest alone: {self.constant:.0%}); left out: {self.duplicates} duplicates, "
            f"{self.test_rows} rows of test scenes"
        )


def build(
    training: Path,
    tests: Sequence[Path],
    *,
    count: int = ROWS,
    seed: int = SEED,
    choose: Literal["random", "balanced"] = "random",
    leave_out: bool = False,
) -> tuple[tuple[Sample, ...], Report]:
    """The training samples and what they are.

    Rows that repeat an earlier one (same images, question, options and answer) are left out; the rest is shuffled by
    ``seed``; of that order the first ``count`` are taken ("random"), or those that even out categories and letters.

    Args:
        training: MindCube's training JSONL.
        tests: the files of every set that will be tested on; at least one.
        count: how many rows.
        seed: of the shuffle.
        choose: how rows are taken.
        leave_out: leave rows of test scenes out and count them, instead of refusing the file.

    Raises:
        UserError: a row is of a test scene (names it), no test file, too few rows, or a file that cannot be read.
    """
    if not tests:
        raise UserError("no test file was given, so nothing can be shown to be disjoint", hint="name every test set")
    rows, tested = _read(training), {scene for path in tests for row in _read(path) for scene in scenes_of(row)}
    seen = [row for row in rows if tested & scenes_of(row)]
    if seen and not leave_out:
        names = ", ".join(f"{row.id} ({min(tested & scenes_of(row))})" for row in seen[:_NAMED])
        raise UserError(
            f"{training}: {len(seen)} rows are of test scenes: {names}{', ...' if len(seen) > _NAMED else ''}",
            hint="allow leaving them out",
        )
    apart = [row for row in rows if not tested & scenes_of(row)]
    unique = list({_content(row): row for row in reversed(apart)}.values())[::-1]
    need_unique(unique, training)
    if len(unique) < count or count < 1:
        raise UserError(f"{training} has {len(unique)} rows to choose from, {count} were asked for")
    shuffled = [unique[k] for k in np.random.default_rng(seed).permutation(len(unique))]
    chosen = balanced(shuffled, count) if choose == "balanced" else tuple(shuffled[:count])
    files = {path.name: digest(path) for path in (training, *tests)}
    return chosen, _report(chosen, len(apart) - len(unique), len(seen), files)


def scenes_of(sample: Sample) -> frozenset[str]:
    """The scenes a row shows: the folders of its images, and the group its id names.

    Copies of the data differ in what stands before the folder of images, so paths count from there.
    """
    named = _GROUP.match(sample.id)
    folders = (_folder(image) for image in sample.media)
    return frozenset([*folders, *([named[1].lower()] if named else [])])


def _folder(image: str) -> str:
    parts = PurePosixPath(image.replace("\\", "/")).parent.parts
    start = parts.index(_ROOT) + 1 if _ROOT in parts else 0
    return "/".join(parts[start:]).lower() or image.lower()


def _read(path: Path) -> list[Sample]:
    samples = []
    for number, row in enumerate(read_rows(path), 1):
        try:
            sample = mindcube(row, path.parent)
        except (UserError, ValueError) as error:
            raise UserError(f"{path}, row {number}: {error}") from None
        if not sample.media:
            raise UserError(f"{path}, row {number} ({sample.id}) names no images, so its scene is not known")
        samples.append(sample)
    return samples


def _content(sample: Sample) -> tuple[object, ...]:
    return sample.media, sample.question, sample.options, sample.truth


def _report(rows: Sequence[Sample], duplicates: int, test_rows: int, files: Mapping[str, str]) -> Report:
    categories = Counter(row.kind for row in rows)
    answers = Counter(row.truth for row in rows)
    return Report(
        rows=len(rows),
        scenes=len({row.scene for row in rows}),
        categories=dict(sorted(categories.items())),
        answers=dict(sorted(answers.items())),
        constant=max(answers.values()) / len(rows),
        duplicates=duplicates,
        test_rows=test_rows,
        files=files,
    )
