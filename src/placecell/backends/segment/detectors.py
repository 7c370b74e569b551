"""Boxes of phrases in pictures: OWLv2 and Grounding DINO (transformers).

Each phrase is judged alone: what is found for it does not depend on what else was asked, or a cached answer would not
be the answer. Boxes are (left, top, right, bottom) in the frame's pixels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from placecell.backends.segment.running import Checkpoint, Loaded, best, check_length, pictures
from placecell.memory.scene import Frame

DUPLICATE = 0.7
"""Of two boxes of one phrase that overlap by more than this (intersection over union) the better one stays."""


@dataclass(frozen=True, eq=False)
class Boxes:
    """What one phrase found in one frame: ``boxes`` (N, 4) inside the frame, ``scores`` (N,), best first."""

    boxes: NDArray[np.float64]
    scores: NDArray[np.float64]


class Detector(Protocol):
    """A model that finds boxes."""

    checkpoint: Checkpoint
    threshold: float

    def detect(self, loaded: Loaded, frames: Sequence[Frame], phrases: Sequence[str]) -> list[list[Boxes]]:
        """For each frame, the boxes of each phrase. UserError for a phrase that is too long."""
        ...


class Owlv2:
    """OWLv2: one pass a picture for all phrases; its queries do not see each other.

    ``threshold`` is above the 0.1 of the model's own example: a false object costs more here than one missed view.
    """

    def __init__(self, checkpoint: Checkpoint, threshold: float = 0.2) -> None:
        self.checkpoint = checkpoint
        self.threshold = threshold

    def detect(self, loaded: Loaded, frames: Sequence[Frame], phrases: Sequence[str]) -> list[list[Boxes]]:
        """As ``Detector``."""
        texts = [f"a photo of a {phrase}" for phrase in phrases]
        for text in texts:
            check_length(loaded, text, loaded.model.config.text_config.max_position_embeddings, "OWLv2")
        inputs = loaded.inputs(text=[texts] * len(frames), images=pictures(frames))
        output = loaded.model(**inputs)
        scores = output.logits.float().sigmoid()
        found = []
        for i, frame in enumerate(frames):
            # The picture lies in the top left of a square that is padded to its longer side.
            side = max(frame.width, frame.height)
            corners = _corners(output.pred_boxes[i].float()) * side
            found.append([_kept(corners, scores[i, :, j], self.threshold, frame) for j in range(len(phrases))])
        return found


class GroundingDino:
    """Grounding DINO: one pass a picture and phrase. ``threshold`` is its post-processing's own."""

    def __init__(self, checkpoint: Checkpoint, threshold: float = 0.25) -> None:
        self.checkpoint = checkpoint
        self.threshold = threshold

    def detect(self, loaded: Loaded, frames: Sequence[Frame], phrases: Sequence[str]) -> list[list[Boxes]]:
        """As ``Detector``."""
        found: list[list[Boxes]] = [[] for _ in frames]
        images = pictures(frames)
        for phrase in phrases:
            text = f"{phrase}."  # it reads phrases that end with a dot
            check_length(loaded, text, loaded.model.config.max_text_len, "Grounding DINO")
            output = loaded.model(**loaded.inputs(text=[text] * len(frames), images=images))
            scores = output.logits.float().sigmoid().amax(dim=-1)
            for i, frame in enumerate(frames):
                size = output.pred_boxes.new_tensor([frame.width, frame.height] * 2).float()
                corners = _corners(output.pred_boxes[i].float()) * size
                found[i].append(_kept(corners, scores[i], self.threshold, frame))
        return found


def _corners(boxes: Any) -> Any:
    """(N, 4) centre and size -> left, top, right, bottom."""
    import torch

    centre, half = boxes[:, :2], boxes[:, 2:] / 2
    return torch.cat([centre - half, centre + half], dim=1)


def _kept(corners: Any, scores: Any, threshold: float, frame: Frame) -> Boxes:
    """The boxes above the threshold that reach into the frame by a pixel, without near-duplicates."""
    from torchvision.ops import nms

    order = best(scores, threshold)
    boxes = corners[order].clone()
    boxes[:, 0::2] = boxes[:, 0::2].clamp(0, frame.width)
    boxes[:, 1::2] = boxes[:, 1::2].clamp(0, frame.height)
    mine = scores[order]
    inside = ((boxes[:, 2:] - boxes[:, :2]) >= 1).all(dim=1)
    boxes, mine = boxes[inside], mine[inside]
    kept = nms(boxes, mine, DUPLICATE)
    return Boxes(boxes[kept].double().cpu().numpy(), mine[kept].double().cpu().numpy())
