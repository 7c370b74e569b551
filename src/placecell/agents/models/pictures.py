"""Pictures as they are sent: small enough for the model and its provider, in the format their content asks for.

Knows sizes, formats and what providers take. Does not know conversations.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Self
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from placecell.agents.image_file import ImageFile
from placecell.engine.values import Picture
from placecell.memory.scene import Frame

_QUALITY = 92
_SMALLEST = 64
"""Pictures are never made smaller than this, pixels of the longer side."""


@dataclass(frozen=True, eq=False)
class Shown:
    """A picture to show to a model: (H, W, 3) uint8, or a photo of the memory, and the caption that goes with it.

    ``image`` is the photo's number, None for a render. ``camera`` is the exact camera, for the log.
    """

    source: NDArray[np.uint8] | Frame
    caption: str
    image: int | None = None
    camera: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        rgb = self.source
        if not isinstance(rgb, Frame) and (rgb.ndim != 3 or rgb.shape[2] != 3 or rgb.dtype != np.uint8):
            raise ValueError(f"a shown picture is (H, W, 3) uint8, got {rgb.shape} {rgb.dtype}")

    @classmethod
    def of_frame(cls, frame: Frame) -> Self:
        """A photo of the memory, by its number."""
        return cls(frame, f"Image {frame.number}", frame.number)

    @classmethod
    def of_picture(cls, picture: Picture) -> Self:
        """A render or an overlay, with its caption and camera."""
        return cls(picture.rgb, picture.caption, camera=picture.sidecar)

    @property
    def side(self) -> int:
        """Pixels of the longer side."""
        source = self.source
        return max(source.width, source.height) if isinstance(source, Frame) else max(source.shape[:2])


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


def encode(shown: Shown, room: Room, bytes_left: int) -> ImageFile | None:
    """The picture as it is sent: photos as JPEG, drawings and renders as PNG where that is small enough.

    Made smaller, in steps, until it fits into ``bytes_left`` and the provider's limit (counted in base64); None when it
    does not even fit at 64 pixels.
    """
    most = min(room.picture_bytes, bytes_left) * 3 // 4
    side = min(room.side, shown.side)
    while True:
        encoded = _encoded(shown, side, most)
        if len(encoded.data) <= most:
            return encoded
        side = round(side * 0.75)
        if side < _SMALLEST:
            return None


def prepare(shown: Iterable[Shown], room: Room) -> None:
    """Encode photos that no request has shown yet, several at a time; ``encode`` then finds them ready."""
    _PHOTOS.prepare((one.source, min(room.side, one.side)) for one in shown if isinstance(one.source, Frame))


def _encoded(shown: Shown, side: int, most: int) -> ImageFile:
    if isinstance(shown.source, Frame):
        return _PHOTOS.jpeg(shown.source, side)
    picture = fitted(shown.source, side)
    if shown.image is None:
        png = ImageFile.of(picture, "PNG")
        if len(png.data) <= most:
            return png
    return ImageFile.of(picture, "JPEG", quality=_QUALITY)


class _Photos:
    """Photos of memories as JPEG, each made once and kept as long as its frame: most questions show the same ones.

    Thread-safe; who wants a photo that another thread is making waits for it.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: WeakKeyDictionary[Frame, tuple[threading.Lock, dict[int, ImageFile]]] = WeakKeyDictionary()

    def jpeg(self, frame: Frame, side: int) -> ImageFile:
        with self._lock:
            making, by_side = self._kept.setdefault(frame, (threading.Lock(), {}))
        with making:
            if side not in by_side:
                by_side[side] = ImageFile.of(fitted(frame.rgb, side), "JPEG", quality=_QUALITY)
            return by_side[side]

    def prepare(self, photos: Iterable[tuple[Frame, int]]) -> None:
        """Make the photos that are not there yet in as many threads as there are processors: decoding frees the GIL."""
        with self._lock:
            wanted = [(frame, side) for frame, side in photos if side not in self._kept.get(frame, (None, ()))[1]]
        if len(wanted) > 1:
            with ThreadPoolExecutor(min(len(wanted), os.cpu_count() or 1)) as threads:
                list(threads.map(lambda photo: self.jpeg(*photo), wanted))


_PHOTOS = _Photos()
