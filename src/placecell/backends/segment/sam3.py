"""SAM 3: every instance of a phrase in a picture, as masks with scores (transformers' ``Sam3Model``).

The weights are gated and under the SAM License, which binds whoever uses them. Scores are the product of presence and
query probability, masks are cut at 0.5, both as ``Sam3ImageProcessor.post_process_instance_segmentation`` does it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from placecell.backends.segment.rows import WEIGHTS
from placecell.backends.segment.running import (
    Checkpoint,
    Device,
    Loaded,
    best,
    check_length,
    enlarged,
    in_batches,
    pick_device,
    pictures,
    proposal,
)
from placecell.memory.ports import Proposal
from placecell.memory.scene import Frame

_TOKENS = 32


class Sam3:
    """A segmenter. ``threshold``: scores from here on count (SAM 3's own default for instances: 0.3)."""

    name = "sam3"

    def __init__(self, *, threshold: float = 0.3, mask_threshold: float = 0.5) -> None:
        (weights,) = WEIGHTS[self.name]
        self._checkpoint = Checkpoint(weights, "Sam3Model", "Sam3Processor", half="bfloat16")
        self._threshold = threshold
        self._mask_threshold = mask_threshold

    @cached_property
    def settings(self) -> Mapping[str, object]:
        """As ``ports.Segmenter``."""
        return {
            **self._checkpoint.describe(self._device),
            "threshold": self._threshold,
            "mask_threshold": self._mask_threshold,
        }

    def segment(self, frames: Sequence[Frame], phrases: Sequence[str]) -> Iterator[list[Proposal]]:
        """As ``ports.Segmenter``. A picture is encoded once; each phrase is a pass of the detector over that."""
        loaded = self._loaded
        for phrase in phrases:
            check_length(loaded, phrase, _TOKENS, "SAM 3")
        return in_batches(frames, self._device.batch, lambda group: self._some(loaded, group, phrases))

    @cached_property
    def _device(self) -> Device:
        return pick_device()

    @cached_property
    def _loaded(self) -> Loaded:
        return self._checkpoint.load(self._device)

    def _some(self, loaded: Loaded, frames: Sequence[Frame], phrases: Sequence[str]) -> list[list[Proposal]]:
        seen = loaded.model.get_vision_features(pixel_values=loaded.inputs(images=pictures(frames)).pixel_values)
        found: list[list[Proposal]] = [[] for _ in frames]
        for phrase in phrases:
            text = loaded.inputs(text=[phrase] * len(frames))
            output = loaded.model(
                vision_embeds=seen, input_ids=text["input_ids"], attention_mask=text["attention_mask"]
            )
            for i, frame in enumerate(frames):
                found[i] += self._proposals(output, i, frame, phrase)
        return found

    def _proposals(self, output: Any, i: int, frame: Frame, phrase: str) -> list[Proposal]:
        scores = output.pred_logits[i].float().sigmoid()
        if output.presence_logits is not None:
            scores = scores * output.presence_logits[i].float().sigmoid()
        kept = []
        for query in best(scores, self._threshold):  # one at a time: a mask is as large as the photo
            mask = enlarged(output.pred_masks[i, query].float().sigmoid(), frame) > self._mask_threshold
            kept.append(proposal(frame, phrase, mask, float(scores[query])))
        return [p for p in kept if p is not None]
