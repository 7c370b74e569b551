"""A segmenter of synthetic rooms that is wrong as often as one says: it knows the truth and spoils it.

Knows: the true masks, and five ways in which segmenters fail. Does not know: pictures. The same level, seed and frame
give the same masks. ``EXACT`` is the perfect segmenter.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from placecell.memory.ports import FrameLabels, Labels, Proposal, Reconstruction
from placecell.memory.scene import Frame

Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class MaskNoise:
    """Shares of the true masks that fail, 0 to 1. A mask may fail in several ways.

    missed: no proposal at all
    split: cut in two along a line through its middle, each half its own proposal
    merged: joined with the next object of the same name, or with one that it touches
    shifted: moved by up to ``shift`` of its width and height
    wrong: proposed for the name of another object of the room
    """

    missed: float = 0.0
    split: float = 0.0
    merged: float = 0.0
    shifted: float = 0.0
    wrong: float = 0.0
    shift: float = 0.15


EXACT = MaskNoise()
LIGHT = MaskNoise(missed=0.1, split=0.05, merged=0.05, shifted=0.2, wrong=0.03)
MEDIUM = MaskNoise(missed=0.2, split=0.12, merged=0.12, shifted=0.4, wrong=0.06)
HEAVY = MaskNoise(missed=0.35, split=0.2, merged=0.2, shifted=0.6, wrong=0.12)
LEVELS: Mapping[str, MaskNoise] = {"true": EXACT, "light": LIGHT, "medium": MEDIUM, "heavy": HEAVY}

SMALLEST = 30
"""Fewer true pixels than this in a 320 x 240 picture, as many for its size in others, are not proposed."""
_TOUCHING = 2  # pixels
_SURE, _UNSURE = (0.75, 0.98), (0.5, 0.9)  # scores of masks as they should be, and of spoiled ones


@dataclass(frozen=True, eq=False)
class SyntheticSegmenter:
    """``labels``: the true label images of kind "instance" of the frames it will be asked about."""

    labels: Labels
    noise: MaskNoise = EXACT
    seed: int = 0
    name: str = "synthetic"

    @classmethod
    def of(cls, capture: Reconstruction, noise: MaskNoise = EXACT, seed: int = 0) -> SyntheticSegmenter:
        """The segmenter of a photographed room."""
        if capture.labels is None:
            raise ValueError("a capture without true labels cannot be segmented by truth")
        return cls(capture.labels, noise, seed)

    @property
    def settings(self) -> Mapping[str, object]:
        return {**asdict(self.noise), "seed": self.seed}

    def segment(self, frames: Sequence[Frame], phrases: Sequence[str]) -> Iterator[list[Proposal]]:
        """For each frame the masks that are proposed for ``phrases``, by object."""
        for frame in frames:
            rng = np.random.default_rng([self.seed, frame.number, 7])
            found = self._spoiled(frame.number, self.labels.frames[frame.number], rng)
            yield [proposal for proposal in found if proposal.phrase in phrases]

    def _spoiled(self, number: int, truth: FrameLabels, rng: np.random.Generator) -> list[Proposal]:
        """Chance is drawn the same way for every object, whatever comes of it, so levels spoil the same masks."""
        names = sorted(set(self.labels.names.values()))
        smallest = SMALLEST * truth.ids.size / (320 * 240)
        present = [i for i in np.unique(truth.ids[truth.ids > 0]).tolist() if (truth.ids == i).sum() >= smallest]
        proposals = []
        for thing in present:
            missed, split, merged, shifted, wrong = rng.random(5)
            angle, dx, dy = rng.uniform(0, np.pi), *rng.uniform(-1, 1, 2)
            other_name = names[int(rng.integers(len(names)))]
            sure, unsure = rng.uniform(*_SURE), rng.uniform(*_UNSURE)
            if missed < self.noise.missed:
                continue
            mask = truth.ids == thing
            spoiled = False
            if merged < self.noise.merged:
                other = self._neighbour(thing, mask, truth.ids, present)
                if other is not None:
                    mask, spoiled = mask | (truth.ids == other), True
            if shifted < self.noise.shifted:
                mask, spoiled = _moved(mask, self.noise.shift * dx, self.noise.shift * dy), True
            masks = [mask]
            if split < self.noise.split:
                masks, spoiled = _halves(mask, angle), True
            phrase = self.labels.names[thing]
            if wrong < self.noise.wrong:
                phrase, spoiled = other_name, True
            score = float(unsure if spoiled else sure)
            proposals += [_proposal(number, phrase, m, score) for m in masks if m.any()]
        return proposals

    def _neighbour(self, thing: int, mask: Mask, ids: NDArray[np.int32], present: Sequence[int]) -> int | None:
        """The nearest object of the same name, unless it is farther than the picture's sixth; else one it touches."""
        namesakes = [i for i in present if i != thing and self.labels.names[i] == self.labels.names[thing]]
        touched = [i for i in np.unique(ids[ndimage.binary_dilation(mask, iterations=_TOUCHING)]) if i in present]
        if namesakes:
            away = ndimage.distance_transform_edt(~mask)
            nearest = min(namesakes, key=lambda i: float(away[ids == i].min()))
            if away[ids == nearest].min() <= ids.shape[1] / 6:
                return nearest
        return next((int(i) for i in touched if i != thing), None)


def _moved(mask: Mask, dx: float, dy: float) -> Mask:
    """Shifted by shares of its own width and height; what leaves the picture is lost."""
    rows, columns = np.nonzero(mask)
    down, right = round(dy * (np.ptp(rows) + 1)), round(dx * (np.ptp(columns) + 1))
    rows, columns = rows + down, columns + right
    inside = (rows >= 0) & (rows < mask.shape[0]) & (columns >= 0) & (columns < mask.shape[1])
    moved = np.zeros_like(mask)
    moved[rows[inside], columns[inside]] = True
    return moved


def _halves(mask: Mask, angle: float) -> list[Mask]:
    """Both sides of a line through the middle."""
    rows, columns = np.nonzero(mask)
    if not len(rows):
        return [mask]
    side = np.zeros_like(mask)
    across = (columns - columns.mean()) * np.cos(angle) + (rows - rows.mean()) * np.sin(angle)
    side[rows, columns] = across >= 0
    return [side, mask & ~side]


def _proposal(frame: int, phrase: str, mask: Mask, score: float) -> Proposal:
    rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    top, left = int(rows[0]), int(columns[0])
    return Proposal(frame, phrase, mask[top : rows[-1] + 1, left : columns[-1] + 1].copy(), (left, top), score)
