"""From pictures of any sizes to the one size a model sees, and the way back.

No picture is cropped or stretched to another's shape: each is scaled as the model's rule says and put in the middle of
a common canvas, and what it does not cover is white (as VGGT pads) and never becomes depth. Pictures of one shape fill
the canvas, up to the rounding of each side to whole patches, which the camera takes into account.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from placecell.backends.feedforward.settings import InputRule
from placecell.geometry.camera import Camera

UInt8 = NDArray[np.uint8]
Size = tuple[int, int]

PADDING = 255


@dataclass(frozen=True)
class Placement:
    """Where a picture lies on the canvas: its corner and size there, in pixels."""

    left: int
    top: int
    width: int
    height: int

    def cropped(self, canvas_camera: Camera) -> Camera:
        """The camera of the canvas -> the camera of the part that the picture covers."""
        return canvas_camera.cropped(self.left, self.top, self.width, self.height)

    @property
    def window(self) -> tuple[slice, slice]:
        """Rows and columns of the canvas that the picture covers."""
        return slice(self.top, self.top + self.height), slice(self.left, self.left + self.width)


@dataclass(frozen=True)
class Canvas:
    """``size`` (width, height) of what the model sees, and where each picture is on it."""

    size: Size
    placements: tuple[Placement, ...]

    def paint(self, rgbs: Sequence[Callable[[], UInt8]]) -> UInt8:
        """Pictures, one for each placement, as (N, height, width, 3) uint8 RGB."""
        width, height = self.size
        out = np.full((len(rgbs), height, width, 3), PADDING, np.uint8)
        for target, place, read in zip(out, self.placements, rgbs, strict=True):
            target[place.window] = _scaled(read(), (place.width, place.height))
        return out


def canvas_for(frames: Sequence[Size], rule: InputRule) -> Canvas:
    """The canvas for pictures of these (width, height)."""
    limit = rule.max_pixels
    shrink = 1.0
    while True:
        sizes = [_input_size(frame, rule, shrink) for frame in frames]
        width, height = max(w for w, _ in sizes), max(h for _, h in sizes)
        if limit is None or width * height <= limit or min(width, height) <= rule.patch:
            break
        shrink *= min(0.99, (limit / (width * height)) ** 0.5 + 0.005)
    placements = tuple(Placement((width - w) // 2, (height - h) // 2, w, h) for w, h in sizes)
    return Canvas((width, height), placements)


def _input_size(frame: Size, rule: InputRule, shrink: float) -> Size:
    """Whole patches, at least one."""
    if rule.short_edge is not None:
        factor = rule.short_edge / min(frame)
    else:
        assert rule.longest_side is not None
        factor = rule.longest_side / max(frame)
    width, height = (max(1, round(side * factor * shrink / rule.patch)) * rule.patch for side in frame)
    return width, height


def _scaled(rgb: UInt8, size: Size) -> UInt8:
    if (rgb.shape[1], rgb.shape[0]) == size:
        return rgb
    from PIL import Image

    return np.asarray(Image.fromarray(rgb).resize(size, Image.Resampling.LANCZOS))
