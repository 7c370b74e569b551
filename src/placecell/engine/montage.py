"""Pictures side by side with titles, for pages and reports. Knows pixels only."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from placecell.engine.drawing import INK, PAPER, Canvas

UInt8 = NDArray[np.uint8]


def side_by_side(pictures: Sequence[tuple[UInt8, str]], *, height: int) -> UInt8:
    """(rgb, title) pairs scaled to one height on white, titles above."""
    gap, head = height // 40, height // 12
    scaled = [Image.fromarray(rgb).resize((round(rgb.shape[1] * height / rgb.shape[0]), height)) for rgb, _ in pictures]
    width = sum(p.width for p in scaled) + gap * (len(scaled) - 1)
    sheet = Image.new("RGB", (width, height + head), PAPER)
    canvas = Canvas(np.asarray(sheet), round(height * 1.6))
    x = 0
    for picture, (_, title) in zip(scaled, pictures, strict=True):
        canvas.image.paste(picture, (x, head))
        canvas.draw.text((x, head / 2), title, font=canvas.font(), fill=INK, anchor="lm")
        x += picture.width + gap
    return canvas.rgb
