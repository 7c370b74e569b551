"""The small splits of both papers, drawn by rule and seed, since the papers publish no lists of ids."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from placecell.errors import UserError
from placecell.evaluation.benchmarks.sample import Sample
from placecell.evaluation.scoring.aggregate import vsi_task

SEED = 0
TINY: dict[str, int] = {"mindcube": 50, "mindcube-tiny": 50, "vsibench": 50, "vlm4d-real": 50}
"""Samples a category: MindCube's settings (Think3D takes 40), VSI-Bench's eight tasks, VLM4D's ego and exo."""


def tiny(name: str, samples: Sequence[Sample], *, per_category: int | None = None, seed: int = SEED) -> list[Sample]:
    """That many samples of each category, at random by ``seed``, in the benchmark's own order.

    UserError when a category has too few: a smaller split under the same name would not be comparable.
    """
    count = per_category or TINY.get(name)
    if count is None:
        raise UserError(f"{name} has no tiny split", hint=f"those that have one: {', '.join(TINY)}")
    categories: defaultdict[str, list[int]] = defaultdict(list)
    for place, sample in sorted(enumerate(samples), key=lambda pair: pair[1].id):
        categories[sample.group or vsi_task(sample.kind)].append(place)
    generator = np.random.default_rng(seed)
    chosen: list[int] = []
    for category, places in sorted(categories.items()):
        if len(places) < count:
            raise UserError(f"{name} has {len(places)} samples of {category}, {count} are needed")
        chosen += generator.choice(places, count, replace=False).tolist()
    return [samples[place] for place in sorted(chosen)]
