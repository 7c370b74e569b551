"""Photos as the viewer shows them: small enough to send, with the object in question framed."""

from __future__ import annotations

import io
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from placecell.agents.events import PictureRef
from placecell.agents.log import Log
from placecell.memory.scene import Frame, Instance, SpatialMemory

UInt8 = NDArray[np.uint8]
_FRAME = (255, 140, 0)


def small(frame: Frame, longest: int, boxes: Sequence[tuple[int, int, int, int]] = ()) -> UInt8:
    """The photo with its longer side at most ``longest`` pixels; ``boxes`` (left, top, right, bottom) framed."""
    photo = Image.fromarray(frame.rgb)
    photo.thumbnail((longest, longest))
    scale = photo.width / frame.width
    draw = ImageDraw.Draw(photo)
    for box in boxes:
        draw.rectangle([v * scale for v in box], outline=_FRAME, width=max(2, photo.width // 160))
    return np.asarray(photo)


def best_view(memory: SpatialMemory, thing: Instance, longest: int) -> UInt8 | None:
    """The photo that shows most of an object, the object framed; None when no photo shows it."""
    if not thing.views:
        return None
    view = max(thing.views, key=lambda v: v.pixels)
    return small(memory.frame(view.frame), longest, [view.bbox])


def recorded(log: Log, picture: PictureRef, longest: int) -> UInt8:
    """A picture of a log, its longer side at most ``longest`` pixels."""
    with Image.open(io.BytesIO(log.data(picture.digest))) as opened:
        shown = opened.convert("RGB")
    shown.thumbnail((longest, longest))
    return np.asarray(shown)
