"""Segmenters of two models: one finds boxes of phrases, the other the mask in each box."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

import numpy as np

from placecell.backends.segment.detectors import DUPLICATE, Boxes, Detector, GroundingDino, Owlv2
from placecell.backends.segment.maskers import Masker, Sam, Sam2
from placecell.backends.segment.rows import WEIGHTS
from placecell.backends.segment.running import Checkpoint, Device, Loaded, in_batches, pick_device, proposal
from placecell.memory.ports import Proposal
from placecell.memory.scene import Frame


class BoxSegmenter:
    """Boxes by ``detector``, masks by ``masker``; a mask has its box's score."""

    def __init__(self, name: str, detector: Detector, masker: Masker) -> None:
        self.name = name
        self._detector = detector
        self._masker = masker

    @cached_property
    def settings(self) -> Mapping[str, object]:
        """As ``ports.Segmenter``."""
        return {
            "detector": self._detector.checkpoint.describe(self._device),
            "masker": self._masker.checkpoint.describe(self._device),
            "threshold": self._detector.threshold,
            "duplicate": DUPLICATE,
        }

    def segment(self, frames: Sequence[Frame], phrases: Sequence[str]) -> Iterator[list[Proposal]]:
        """As ``ports.Segmenter``."""
        return in_batches(frames, self._device.batch, lambda group: self._some(group, phrases))

    @cached_property
    def _device(self) -> Device:
        return pick_device()

    @cached_property
    def _models(self) -> tuple[Loaded, Loaded]:
        return self._detector.checkpoint.load(self._device), self._masker.checkpoint.load(self._device)

    def _some(self, frames: Sequence[Frame], phrases: Sequence[str]) -> list[list[Proposal]]:
        finder, drawer = self._models
        detected = self._detector.detect(finder, frames, phrases)
        return [self._masked(drawer, frame, phrases, found) for frame, found in zip(frames, detected, strict=True)]

    def _masked(self, drawer: Loaded, frame: Frame, phrases: Sequence[str], found: Sequence[Boxes]) -> list[Proposal]:
        """The frame's proposals: the boxes of all phrases in one go, since its encoding is what takes time."""
        boxes = np.concatenate([boxes.boxes for boxes in found])
        if len(boxes) == 0:
            return []
        owners = [(phrase, score) for phrase, own in zip(phrases, found, strict=True) for score in own.scores]
        masks = self._masker.masks(drawer, frame, boxes)
        made = [proposal(frame, phrase, mask, score) for (phrase, score), mask in zip(owners, masks, strict=True)]
        return [p for p in made if p is not None]


def groundingdino_sam2() -> BoxSegmenter:
    """Grounding DINO and SAM 2."""
    return _made("groundingdino-sam2")


def owlv2_sam2() -> BoxSegmenter:
    """OWLv2 and SAM 2."""
    return _made("owlv2-sam2")


def groundingdino_sam() -> BoxSegmenter:
    """Grounding DINO and SAM."""
    return _made("groundingdino-sam")


def owlv2_sam() -> BoxSegmenter:
    """OWLv2 and SAM."""
    return _made("owlv2-sam")


def _made(name: str) -> BoxSegmenter:
    find, draw = WEIGHTS[name]
    detector: Detector
    if name.startswith("owlv2"):
        detector = Owlv2(Checkpoint(find, "Owlv2ForObjectDetection", "Owlv2Processor"))
    else:
        # In half precision it stops with an error in some versions of transformers (its issue 32672); it is small.
        checkpoint = Checkpoint(find, "GroundingDinoForObjectDetection", "GroundingDinoProcessor", half="float32")
        detector = GroundingDino(checkpoint)
    masker: Masker
    if name.endswith("sam2"):
        masker = Sam2(Checkpoint(draw, "Sam2Model", "Sam2Processor"))
    else:
        masker = Sam(Checkpoint(draw, "SamModel", "SamProcessor"))
    return BoxSegmenter(name, detector, masker)
