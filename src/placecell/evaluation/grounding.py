"""Instance AP, AP50 and AP25 of predicted masks over the vertices of a scene, as ScanNet's benchmark defines them.

Knows masks, true ids and the rules of the benchmark (``evaluate_semantic_instance.py``; MaskClustering scores by the
same ones). Does not know files (``grounding_files``) or how masks were made. The rules, in the order they act:

- A predicted mask of fewer than 100 vertices is left out; so is one of a class that is not scored. A true instance of
  fewer than 100 is *ignored*: it need not be found.
- A prediction matches a true instance of its class when their IoU is *above* the threshold. True instances choose in
  turn, predictions stand in input order; one that was chosen is taken. A further match of the same instance is a false
  positive with the lower of the two scores, and is not taken.
- A prediction that matches nothing is a false positive, unless more than the threshold's share of it lies on vertices
  without a scored class or on ignored instances of its class.
- AP is the area under the precision-recall curve over all scenes, points at each distinct score, each with half the
  recall between its neighbours, ending at recall 0 with precision 1. A class with truth and no prediction has 0, a
  class without truth none.
- AP is the mean over classes and the nine thresholds 0.50, 0.55, ..., 0.90; AP50 and AP25 have one threshold.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from placecell.errors import UserError

Array = NDArray[np.float64]
Ids = NDArray[np.int64]

THRESHOLDS = tuple(np.append(np.arange(0.5, 0.95, 0.05), 0.25).tolist())
"""As the benchmark computes them: 0.95 is not among them, 0.25 comes last and does not count for AP."""
SMALLEST = 100
"""Vertices of the smallest region that counts."""
SCANNET18: Mapping[int, str] = {
    3: "cabinet", 4: "bed", 5: "chair", 6: "sofa", 7: "table", 8: "door", 9: "window", 10: "bookshelf", 11: "picture",
    12: "counter", 14: "desk", 16: "curtain", 24: "refrigerator", 28: "shower curtain", 33: "toilet", 34: "sink",
    36: "bathtub", 39: "otherfurniture",
}  # fmt: skip
"""NYU40 ids of the benchmark's classes."""


@dataclass(frozen=True, eq=False)
class ScoredScene:
    """Predictions and truth of one scene of V vertices.

    ``masks`` (V, n) bool, may overlap; ``scores`` (n,); ``classes`` (n,) class ids; ``truth`` (V,) ids that are
    1000 * class + instance, 0 without a label.
    """

    masks: NDArray[np.bool_]
    scores: Array
    classes: Ids
    truth: Ids
    name: str = "scene"

    def __post_init__(self) -> None:
        count = self.masks.shape[1] if self.masks.ndim == 2 else -1
        if self.truth.ndim != 1 or self.masks.shape[:1] != self.truth.shape or count < 0:
            raise UserError(f"{self.name}: masks are {self.masks.shape}, but there are {len(self.truth)} true ids")
        if self.scores.shape != (count,) or self.classes.shape != (count,):
            raise UserError(f"{self.name}: {count} masks need as many scores and classes")
        if not np.isfinite(self.scores).all():
            raise UserError(f"{self.name}: every score must be a finite number")
        if (self.truth < 0).any():
            raise UserError(f"{self.name}: true ids are 0 or more")


@dataclass(frozen=True)
class ClassScore:
    """Scores of one class; None when no scene has a true instance of it that counts."""

    name: str
    ap: float | None
    ap50: float | None
    ap25: float | None


@dataclass(frozen=True)
class GroundingScore:
    """Means over the classes that have truth; None when none has."""

    ap: float | None
    ap50: float | None
    ap25: float | None
    classes: tuple[ClassScore, ...]


def instance_ap(scenes: Iterable[ScoredScene], classes: Mapping[int, str] = SCANNET18) -> GroundingScore:
    """ScanNet's AP, AP50 and AP25 over ``scenes`` for ``classes`` (id -> name)."""
    pools = {label: [_Pool() for _ in THRESHOLDS] for label in classes}
    for scene in scenes:
        known = np.isin(scene.truth // 1000, list(classes))
        for label in classes:
            overlaps = _overlaps(scene, label, known)
            for pool, threshold in zip(pools[label], THRESHOLDS, strict=True):
                pool.add(overlaps, threshold)
    aps = np.array([[pool.ap() for pool in pools[label]] for label in classes]).reshape(-1, len(THRESHOLDS))
    rows = zip(classes.values(), aps, strict=True)
    by_class = tuple(ClassScore(name, _mean(row[:-1]), _mean(row[:1]), _mean(row[-1:])) for name, row in rows)
    return GroundingScore(_mean(aps[:, :-1]), _mean(aps[:, :1]), _mean(aps[:, -1:]), by_class)


def class_agnostic(scene: ScoredScene, classes: Mapping[int, str] = SCANNET18) -> ScoredScene:
    """The scene with every scored class as the first of ``classes``: only shapes count. Instances stay apart."""
    first = next(iter(classes))
    known = np.isin(scene.truth // 1000, list(classes))
    _, number = np.unique(np.where(known, scene.truth, 0), return_inverse=True)
    if number.max(initial=0) >= 1000:
        raise UserError(f"{scene.name} has 1000 instances or more, which its ids cannot tell apart")
    number = number + (0 if (~known).any() else 1)
    truth = np.where(known, first * 1000 + number, 0).astype(np.int64)
    return ScoredScene(scene.masks, scene.scores, np.full(len(scene.scores), first), truth, scene.name)


@dataclass(frozen=True, eq=False)
class _Overlaps:
    """What a class has in one scene: ``shared`` (G, P) vertices of true instance and prediction, both in order.

    ``true_size`` (G,), ``size`` (P,), ``score`` (P,); ``elsewhere`` (P,): vertices without a scored class.
    """

    shared: Ids
    true_size: Ids
    size: Ids
    score: Array
    elsewhere: Ids

    @property
    def iou(self) -> Array:
        return np.asarray(self.shared / (self.true_size[:, None] + self.size - self.shared))


def _overlaps(scene: ScoredScene, label: int, known: NDArray[np.bool_]) -> _Overlaps:
    ids = np.unique(scene.truth[scene.truth // 1000 == label])
    sizes = scene.masks.sum(axis=0, dtype=np.int64)
    which = np.flatnonzero((scene.classes == label) & (sizes >= SMALLEST))
    masks = scene.masks[:, which]
    number = np.searchsorted(ids, scene.truth)
    mine = np.append(ids, -1)[number] == scene.truth
    rows = [np.bincount(number[mine & mask], minlength=len(ids)) for mask in masks.T]
    return _Overlaps(
        np.array(rows, np.int64).reshape(len(which), len(ids)).T,
        np.bincount(number[mine], minlength=len(ids)).astype(np.int64)[: len(ids)],
        sizes[which],
        scene.scores[which],
        np.array([np.count_nonzero(mask & ~known) for mask in masks.T], np.int64),
    )


class _Pool:
    """Predictions of one class at one threshold, over scenes: right or wrong, with scores; and what was not found."""

    def __init__(self) -> None:
        self.right: list[float] = []
        self.wrong: list[float] = []
        self.missed = 0
        self.has_truth = False
        self.has_predictions = False

    def add(self, found: _Overlaps, threshold: float) -> None:
        """Match the predictions of one scene."""
        counts = found.true_size >= SMALLEST
        self.has_truth |= bool(counts.any())
        self.has_predictions |= len(found.size) > 0
        above = found.iou > threshold
        taken = np.zeros(len(found.size), bool)
        for row in above[counts]:
            best: float | None = None
            for prediction in np.flatnonzero(row & ~taken).tolist():
                score = float(found.score[prediction])
                if best is None:
                    best, taken[prediction] = score, True
                else:
                    self.wrong.append(min(best, score))
                    best = max(best, score)
            if best is None:
                self.missed += 1
            else:
                self.right.append(best)
        ignored = found.elsewhere + found.shared[~counts].sum(axis=0)
        false = ~above.any(axis=0) & (ignored / found.size <= threshold)
        self.wrong += found.score[false].tolist()

    def ap(self) -> float:
        """Area under the curve; NaN without truth."""
        if not self.has_truth:
            return float("nan")
        if not self.has_predictions or not (self.right or self.wrong):
            return 0.0
        right, wrong = np.sort(self.right), np.sort(self.wrong)
        scores = np.unique(np.concatenate([right, wrong]))
        hits = len(right) - np.searchsorted(right, scores)
        false = len(wrong) - np.searchsorted(wrong, scores)
        precision = np.append(hits / (hits + false), 1.0)
        recall = np.append(hits / max(len(right) + self.missed, 1), 0.0)
        before, after = np.append(recall[0], recall[:-1]), np.append(recall[1:], 0.0)
        return float(precision @ ((before - after) / 2))


def _mean(values: Array) -> float | None:
    known = values[~np.isnan(values)]
    return float(known.mean()) if known.size else None


def masks_of(memberships: Sequence[NDArray[np.integer]], vertices: int) -> NDArray[np.bool_]:
    """Masks (V, n) of lists of vertex numbers."""
    masks = np.zeros((vertices, len(memberships)), bool)
    for column, members in enumerate(memberships):
        masks[members, column] = True
    return masks
