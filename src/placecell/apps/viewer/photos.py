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
_MOST_VIEWS = 3


def small(frame: Frame, longest: int, boxes: Sequence[tuple[int, int, int, int]] = ()) -> UInt8:
    """The photo with its longer side at most ``longest`` pixels; ``boxes`` (left, top, right, bottom) framed."""
    photo = Image.fromarray(frame.rgb)
    photo.thumbnail((longest, longest))
    scale = photo.width / frame.width
    draw = ImageDraw.Draw(photo)
    for box in boxes:
        draw.rectangle([v * scale for v in box], outline=_FRAME, width=max(2, photo.width // 160))
    return np.asarray(photo)


def views_of(memory: SpatialMemory, thing: Instance, longest: int) -> UInt8 | None:
    """The photos that show most of an object, below each other, it framed in each; None when no photo shows it."""
    views = sorted(thing.views, key=lambda v: v.pixels, reverse=True)[:_MOST_VIEWS]
    if not views:
        return None
    photos = [small(memory.frame(view.frame), longest, [view.bbox]) for view in views]
    sheet = np.full((sum(len(p) for p in photos), max(p.shape[1] for p in photos), 3), 255, np.uint8)
    top = 0
    for photo in photos:
        sheet[top : top + len(photo), : photo.shape[1]] = photo
        top += len(photo)
    return sheet


def recorded(log: Log, picture: PictureRef, longest: int) -> UInt8:
    """A picture of a log, its longer side at most ``longest`` pixels."""
    with Image.open(io.BytesIO(log.data(picture.digest))) as opened:
        shown = opened.convert("RGB")
    shown.thumbnail((longest, longest))
    return np.asarray(shown)
