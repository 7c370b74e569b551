"""Pictures as they are sent: small enough for the model and its provider, in the format their content asks for.

Knows sizes, formats and what providers take. Does not know conversations.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from placecell.engine.values import Picture
from placecell.memory.scene import Frame

_QUALITY = 92
_SMALLEST = 64
"""Pictures are never made smaller than this, pixels of the longer side."""


@dataclass(frozen=True, eq=False)
class Shown:
    """A picture to show to a model: ``rgb`` (H, W, 3) uint8 and the caption that goes with it.

    ``image`` is the photo's number, None for a render. ``camera`` is the exact camera, for the log.
    """

    rgb: NDArray[np.uint8]
    caption: str
    image: int | None = None
    camera: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.rgb.ndim != 3 or self.rgb.shape[2] != 3 or self.rgb.dtype != np.uint8:
            raise ValueError(f"a shown picture is (H, W, 3) uint8, got {self.rgb.shape} {self.rgb.dtype}")

    @classmethod
    def of_frame(cls, frame: Frame) -> Self:
        """A photo of the memory, by its number."""
        return cls(frame.rgb, f"Image {frame.number}", frame.number)

    @classmethod
    def of_picture(cls, picture: Picture) -> Self:
        """A render or an overlay, with its caption and camera."""
        return cls(picture.rgb, picture.caption, camera=picture.sidecar)


@dataclass(frozen=True)
class Room:
    """What a provider takes: pixels of the longer side, bytes of a picture and of a request, number of pictures."""

    side: int
    picture_bytes: int
    request_bytes: int
    pictures: int | None = None


_MB = 1_000_000
ROOMS: Mapping[str, Room] = {
    "openai": Room(2048, 20 * _MB, 50 * _MB, 500),
    "anthropic": Room(1568, 5 * _MB, 32 * _MB, 100),
    "google": Room(3072, 20 * _MB, 20 * _MB, 3000),
}
"""Published limits of the cloud providers (openai, anthropic and google documentation, autumn 2026)."""
ANY_SERVER = Room(1536, 20 * _MB, 32 * _MB)


def fitted(rgb: NDArray[np.uint8], side: int) -> Image.Image:
    """The picture with its longer side at most ``side`` pixels."""
    picture = Image.fromarray(rgb)
    if max(picture.size) > side:
        picture.thumbnail((side, side), Image.Resampling.LANCZOS, reducing_gap=3.0)
    return picture


def encode(shown: Shown, room: Room, bytes_left: int) -> tuple[bytes, str] | None:
    """Bytes and media type: photos as JPEG, drawings and renders as PNG where that is small enough.

    Made smaller, in steps, until it fits into ``bytes_left`` and the provider's limit (counted in base64); None when it
    does not even fit at 64 pixels.
    """
    most = min(room.picture_bytes, bytes_left) * 3 // 4
    picture = fitted(shown.rgb, room.side)
    while True:
        data, media_type = _encoded(picture, lossless=shown.image is None)
        if len(data) <= most:
            return data, media_type
        if media_type == "image/png":
            data, media_type = _encoded(picture, lossless=False)
            if len(data) <= most:
                return data, media_type
        side = round(max(picture.size) * 0.75)
        if side < _SMALLEST:
            return None
        picture = fitted(shown.rgb, side)


def _encoded(picture: Image.Image, *, lossless: bool) -> tuple[bytes, str]:
    buffer = io.BytesIO()
    if lossless:
        picture.save(buffer, "PNG")
        return buffer.getvalue(), "image/png"
    picture.save(buffer, "JPEG", quality=_QUALITY)
    return buffer.getvalue(), "image/jpeg"
