"""How large a picture may be before it is refused undecoded, and how a person raises that."""

from __future__ import annotations

import os

from placecell.errors import UserError
from placecell.media.frames import MediaError

MAX_PIXELS = 100_000_000
MAX_PIXELS_VARIABLE = "PLACECELL_MAX_PIXELS"


def check_size(name: str, width: int, height: int) -> None:
    """MediaError when a picture has more pixels than PLACECELL_MAX_PIXELS says, else than ``MAX_PIXELS``."""
    limit = _limit()
    if width * height > limit:
        raise MediaError(
            name,
            f"too large: {width} x {height} is {width * height / 1e6:.0f} megapixels, the limit is {limit / 1e6:.0f}",
            hint=f"save it smaller, or set {MAX_PIXELS_VARIABLE}={width * height}",
        )


def _limit() -> int:
    text = os.environ.get(MAX_PIXELS_VARIABLE)
    if not text:
        return MAX_PIXELS
    if not (text.isascii() and text.isdigit()):
        raise UserError(f"{MAX_PIXELS_VARIABLE}={text} is no whole number", hint="for example 150000000")
    return int(text)
