"""The mask of what a box holds: SAM 2 and SAM (transformers). A picture is encoded once for all of its boxes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from placecell.backends.segment.running import Checkpoint, Loaded, enlarged, pictures
from placecell.memory.scene import Frame

_TOGETHER = 32  # boxes in one pass of the mask decoder


class Masker(Protocol):
    """A model that turns boxes into masks."""

    checkpoint: Checkpoint

    def masks(self, loaded: Loaded, frame: Frame, boxes: NDArray[np.float64]) -> Iterator[Any]:
        """For each box (N, 4) of the frame, a bool tensor (height, width), on the device."""
        ...


class Sam2:
    """SAM 2.1. One mask a box. It stretches the picture to a square, and its logits cover the whole of it."""

    def __init__(self, checkpoint: Checkpoint) -> None:
        self.checkpoint = checkpoint

    def masks(self, loaded: Loaded, frame: Frame, boxes: NDArray[np.float64]) -> Iterator[Any]:
        """As ``Masker``."""
        size = loaded.processor.image_processor.size
        scale = (size["width"] / frame.width, size["height"] / frame.height)
        for logits in _logits(loaded, frame, boxes * np.tile(scale, 2)):
            yield enlarged(logits, frame) > 0


class Sam:
    """SAM. It scales the picture to its longer side and pads the rest, which is cut off before enlarging."""

    def __init__(self, checkpoint: Checkpoint) -> None:
        self.checkpoint = checkpoint

    def masks(self, loaded: Loaded, frame: Frame, boxes: NDArray[np.float64]) -> Iterator[Any]:
        """As ``Masker``."""
        import torch

        images = loaded.processor.image_processor
        square = (int(images.pad_size["height"]), int(images.pad_size["width"]))
        longest = images.size["longest_edge"] / max(frame.width, frame.height)
        width, height = (int(side * longest + 0.5) for side in (frame.width, frame.height))
        scale = (width / frame.width, height / frame.height)
        for logits in _logits(loaded, frame, boxes * np.tile(scale, 2)):
            whole = torch.nn.functional.interpolate(
                logits[None, None].float(), size=square, mode="bilinear", align_corners=False
            )
            yield enlarged(whole[0, 0, :height, :width], frame) > 0


def _logits(loaded: Loaded, frame: Frame, boxes: NDArray[np.float64]) -> Iterator[Any]:
    """Mask logits (h, w), at the model's own size, of each box (N, 4) in pixels of the model's picture."""
    import torch

    seen = loaded.model.get_image_embeddings(loaded.inputs(images=pictures([frame])).pixel_values)
    for start in range(0, len(boxes), _TOGETHER):
        some = torch.tensor(boxes[None, start : start + _TOGETHER], dtype=loaded.model.dtype)
        output = loaded.model(image_embeddings=seen, input_boxes=some.to(loaded.device.name), multimask_output=False)
        yield from output.pred_masks[0, :, 0]
