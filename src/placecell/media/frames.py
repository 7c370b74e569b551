"""The picture every later layer works on: upright RGB with its identity.

Knows nothing of files, codecs or cameras, and gives no numbers to pictures: numbering is the memory's.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from placecell.errors import UserError

UInt8 = NDArray[np.uint8]

FULL_FRAME_DIAGONAL_MM = math.hypot(36.0, 24.0)


class MediaError(UserError):
    """One photo or video that cannot be used. ``name`` is the file, ``reason`` why, so that it can also be listed."""

    def __init__(self, name: str, reason: str, *, hint: str | None = None) -> None:
        super().__init__(f"{name}: {reason}", hint=hint)
        self.name = name
        self.reason = f"{reason}; {hint}" if hint else reason


@dataclass(frozen=True)
class PhotoFacts:
    """A photo file's own statements.

    ``orientation`` is the EXIF value 1..8 that was found (and applied); 1 for HEIC, whose decoder turns by itself.
    ``focal_35mm`` is the 35 mm equivalent focal length, ``focal_mm`` the real one, in mm. ``bits`` is per channel.
    """

    format: str
    bits: int = 8
    orientation: int = 1
    focal_35mm: float | None = None
    focal_mm: float | None = None
    camera: str | None = None

    def focal_pixels(self, width: int, height: int) -> float | None:
        """Focal length in pixels at this image size, from the 35 mm equivalent over the diagonal (CIPA DCG-001).

        Only right for the uncropped picture; None when the file does not say.
        """
        if self.focal_35mm is None:
            return None
        return self.focal_35mm * math.hypot(width, height) / FULL_FRAME_DIAGONAL_MM


@dataclass(frozen=True, eq=False)
class MediaFrame:
    """One decoded picture: (h, w, 3) uint8 sRGB, upright, read-only.

    ``name`` is the path relative to the sources' common folder, with "/" ("left/0001.jpg"), or "clip.mp4@12.345s".
    ``digest`` is the SHA-256 of the photo file's bytes, or of a video frame's upright pixels before any resize.
    ``original_size`` is the (width, height) of the upright original; what is smaller was scaled from all of it.
    ``time_s`` and ``video_frame`` (which frame of the video, counted from 1) are None for photos, ``facts`` for video.
    """

    name: str
    digest: str
    rgb: UInt8
    original_size: tuple[int, int]
    time_s: float | None = None
    video_frame: int | None = None
    facts: PhotoFacts | None = None
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.rgb.dtype != np.uint8 or self.rgb.ndim != 3 or self.rgb.shape[2] != 3:
            raise ValueError(f"{self.name}: pixels must be (h, w, 3) uint8, got {self.rgb.shape} {self.rgb.dtype}")
        self.rgb.flags.writeable = False

    @property
    def width(self) -> int:
        return int(self.rgb.shape[1])

    @property
    def height(self) -> int:
        return int(self.rgb.shape[0])


def size_within(width: int, height: int, longest_side: int) -> tuple[int, int]:
    """The (width, height) of the same shape whose longer side is ``longest_side``; never larger than given."""
    if longest_side < 1:
        raise UserError(f"a longest side of {longest_side} pixels is no size", hint="give a whole number of at least 1")
    factor = min(1.0, longest_side / max(width, height))
    return max(1, round(width * factor)), max(1, round(height * factor))


def area_resize(rgb: UInt8, size: tuple[int, int]) -> UInt8:
    """(h, w, 3) shrunk to ``size`` (width, height): each pixel is the mean of the area it covers."""
    if (rgb.shape[1], rgb.shape[0]) == size:
        return rgb
    import cv2

    return np.asarray(cv2.resize(np.ascontiguousarray(rgb), size, interpolation=cv2.INTER_AREA), np.uint8)
