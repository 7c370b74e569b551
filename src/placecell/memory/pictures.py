"""Where the pixels of a frame come from: a photo file, a saved memory, or another picture without its lens distortion.

Each is a frame's ``read_rgb``: called, it decodes (height, width, 3) uint8. ``encoded`` gives the bytes of an image
file that hold exactly these pixels when there is one already, so that saving does not compress a photo twice.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from placecell.errors import UserError
from placecell.media.photos import read_photo

UInt8 = NDArray[np.uint8]

_STORED_FORMATS = ("JPEG", "PNG", "WEBP")
_WEBP_MAX_SIDE = 16383


@runtime_checkable
class Encoded(Protocol):
    """A picture that may exist as an image file."""

    def __call__(self) -> UInt8: ...

    def encoded(self) -> bytes | None:
        """The bytes of an image file of this picture, or None."""
        ...


@dataclass(frozen=True)
class PhotoPicture:
    """A photo on disk, as it was when ``digest`` (sha256 of the file) was taken, or not at all."""

    path: Path
    name: str
    digest: str
    upright: bool = True

    def __call__(self) -> UInt8:
        frame = read_photo(self.path, name=self.name, upright=self.upright)
        if frame.digest != self.digest:
            raise UserError(f"{self.path} has changed since the memory was built", hint="build the memory again")
        return frame.rgb

    def encoded(self) -> bytes | None:
        return self.path.read_bytes()


@dataclass(frozen=True, eq=False)
class StoredPicture:
    """An image file inside a saved memory."""

    data: memoryview
    name: str
    width: int
    height: int

    def __call__(self) -> UInt8:
        rgb = decode(bytes(self.data))
        if rgb is None or rgb.shape != (self.height, self.width, 3):
            raise UserError(f"the picture {self.name} of the memory is damaged", hint="build the memory again")
        return rgb

    def encoded(self) -> bytes | None:
        return bytes(self.data)


@dataclass(frozen=True, eq=False)
class ComputedPicture:
    """Another picture after ``change`` (undistortion, turning): pixels that no file holds."""

    source: Callable[[], UInt8]
    change: Callable[[UInt8], UInt8]

    def __call__(self) -> UInt8:
        return self.change(self.source())


def decode(data: bytes) -> UInt8 | None:
    """Pixels of a JPEG, PNG or WebP in plain 8-bit RGB, exactly as stored; None for anything else."""
    try:
        with Image.open(io.BytesIO(data), formats=_STORED_FORMATS) as image:
            return np.asarray(image) if image.mode == "RGB" else None
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        return None


def encode_exactly(read_rgb: Callable[[], UInt8]) -> tuple[bytes, str]:
    """An image file, and its suffix, that decodes to exactly the pixels of ``read_rgb``.

    The original file where it does that already (an upright photo), else lossless WebP: a quarter smaller than PNG and
    faster to write, so that a photo is never compressed twice and a memory's pixels survive saving bit by bit.
    """
    rgb = read_rgb()
    data = read_rgb.encoded() if isinstance(read_rgb, Encoded) else None
    if data is not None:
        held = decode(data)
        if held is not None and np.array_equal(held, rgb):
            return data, _suffix(data)
    buffer = io.BytesIO()
    image = Image.fromarray(np.ascontiguousarray(rgb))
    if max(image.size) > _WEBP_MAX_SIDE:
        image.save(buffer, "PNG", compress_level=1)
    else:
        image.save(buffer, "WEBP", lossless=True, quality=0, method=0)
    data = buffer.getvalue()
    return data, _suffix(data)


def _suffix(data: bytes) -> str:
    if data[:2] == b"\xff\xd8":
        return "jpg"
    return "png" if data[:4] == b"\x89PNG" else "webp"
