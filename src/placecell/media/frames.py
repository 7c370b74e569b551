"""The picture every later layer works on: upright RGB with its identity, and how its pixels map back to the original.

Knows nothing of files, codecs or cameras, and gives no numbers to pictures: numbering is the memory's.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from placecell.errors import UserError

UInt8 = NDArray[np.uint8]
Float64 = NDArray[np.float64]

FULL_FRAME_DIAGONAL_MM = math.hypot(36.0, 24.0)


class MediaError(UserError):
    """One photo or video that cannot be used. ``name`` is the file, ``reason`` why, so that it can also be listed."""

    def __init__(self, name: str, reason: str, *, hint: str | None = None) -> None:
        super().__init__(f"{name}: {reason}", hint=hint)
        self.name = name
        self.reason = f"{reason}; {hint}" if hint else reason


@dataclass(frozen=True)
class Resize:
    """What was done to the upright original: ``crop`` cut out of it, then scaled to ``size``.

    Sizes are (width, height), ``crop`` is (left, top, width, height) in original pixels. Pixel centres are at
    (0.5, 0.5), so the map is a shift and a scale per axis without half-pixel terms.
    """

    original_size: tuple[int, int]
    crop: tuple[int, int, int, int]
    size: tuple[int, int]

    def __post_init__(self) -> None:
        left, top, width, height = self.crop
        inside = (
            left >= 0 and top >= 0 and left + width <= self.original_size[0] and top + height <= self.original_size[1]
        )
        if not inside or min(*self.original_size, width, height, *self.size) < 1:
            raise ValueError(f"crop {self.crop} scaled to {self.size} does not fit an original of {self.original_size}")

    @classmethod
    def none(cls, width: int, height: int) -> Resize:
        """The original itself."""
        return cls((width, height), (0, 0, width, height), (width, height))

    @property
    def scale(self) -> tuple[float, float]:
        """Pixels per original pixel along x and y. They differ by rounding; both are needed to rescale K exactly."""
        return self.size[0] / self.crop[2], self.size[1] / self.crop[3]

    def original_from_resized(self, xy: Float64) -> Float64:
        """(..., 2) pixels of the resized picture -> (..., 2) pixels of the upright original."""
        return np.asarray(xy, np.float64) / self.scale + self.crop[:2]

    def resized_from_original(self, xy: Float64) -> Float64:
        """(..., 2) pixels of the original -> (..., 2) pixels here, outside [0, size) where it was cropped away."""
        return (np.asarray(xy, np.float64) - self.crop[:2]) * self.scale

    def resized_to(self, size: tuple[int, int]) -> Resize:
        """The record after scaling what is left to ``size``."""
        return replace(self, size=size)


@dataclass(frozen=True)
class PhotoFacts:
    """A photo file's own statements.

    ``orientation`` is the EXIF value 1..8 that was found (and applied); 1 for HEIC, whose decoder turns by itself.
    ``focal_35mm`` is the 35 mm equivalent focal length and ``focal_mm`` the real one, both in mm. Latitude (north
    positive) and longitude (east positive) are in degrees (WGS 84), altitude in metres. ``bits`` is per channel.
    """

    format: str
    bits: int = 8
    grey: bool = False
    orientation: int = 1
    focal_35mm: float | None = None
    focal_mm: float | None = None
    camera: str | None = None
    latitude_deg: float | None = None
    longitude_deg: float | None = None
    altitude_m: float | None = None

    @property
    def may_be_depth(self) -> bool:
        """16-bit greyscale is how depth maps are stored; a plain photo hardly ever is."""
        return self.grey and self.bits > 8

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
    ``time_s`` and ``video_frame`` (which frame of the video, counted from 1) are None for photos, ``facts`` for video.
    """

    name: str
    digest: str
    rgb: UInt8
    resize: Resize
    time_s: float | None = None
    video_frame: int | None = None
    facts: PhotoFacts | None = None
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.rgb.dtype != np.uint8 or self.rgb.shape != (self.resize.size[1], self.resize.size[0], 3):
            raise ValueError(f"{self.name}: pixels {self.rgb.dtype} {self.rgb.shape} do not fit {self.resize.size}")
        self.rgb.flags.writeable = False

    @property
    def width(self) -> int:
        return self.resize.size[0]

    @property
    def height(self) -> int:
        return self.resize.size[1]

    @property
    def original_size(self) -> tuple[int, int]:
        """(width, height) of the upright original."""
        return self.resize.original_size


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


def shrink(frame: MediaFrame, longest_side: int) -> MediaFrame:
    """The frame with its longer side at most ``longest_side`` pixels (area filter), and the resize on record."""
    size = size_within(frame.width, frame.height, longest_side)
    if size == frame.resize.size:
        return frame
    return replace(frame, rgb=area_resize(frame.rgb, size), resize=frame.resize.resized_to(size))
