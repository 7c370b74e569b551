"""What a photo file says about itself: orientation, focal length, camera. Reads tags, judges nothing.

Damaged or absurd tags are common; each is read on its own and becomes None when it makes no sense.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Mapping
from typing import Any

from PIL import ExifTags, Image

from placecell.media.frames import PhotoFacts

# What Pillow raises on damaged files besides OSError: its readers unpack, index and convert untrusted bytes.
DECODE_ERRORS = (
    OSError,
    EOFError,
    SyntaxError,  # broken PNG chunks and TIFF tags
    RuntimeError,  # the AVIF and HEIF decoders
    ValueError,
    TypeError,
    LookupError,
    struct.error,
    Image.DecompressionBombError,
)


def read_facts(image: Image.Image) -> tuple[PhotoFacts, tuple[str, ...]]:
    """The facts of an opened, not yet decoded image, and notes on what could not be read."""
    bits = _bits_of(image)
    file_format = image.format or "?"
    try:
        exif = image.getexif()
        orientation = exif.get(ExifTags.Base.Orientation, 1)
        make, model = text_of(exif.get(ExifTags.Base.Make)), text_of(exif.get(ExifTags.Base.Model))
    except DECODE_ERRORS:
        return PhotoFacts(file_format, bits), ("EXIF data unreadable, taken as upright",)
    notes: list[str] = []
    if orientation not in range(1, 9):
        if orientation != 0:  # 0 is a common way to say "unknown"
            notes.append(f"EXIF orientation {orientation!r} does not exist, taken as upright"[:100])
        orientation = 1
    detail = _detail(exif)
    facts = PhotoFacts(
        format=file_format,
        bits=bits,
        orientation=int(orientation),
        focal_35mm=positive(detail.get(ExifTags.Base.FocalLengthIn35mmFilm)),
        focal_mm=positive(detail.get(ExifTags.Base.FocalLength)),
        camera=(model if model.lower().startswith(make.lower()) else f"{make} {model}").strip() or None,
    )
    return facts, tuple(notes)


def _bits_of(image: Image.Image) -> int:
    """Bits per channel as far as they matter here: more than 8 is greyscale."""
    if image.mode.startswith("I;16"):
        declared = getattr(image, "tag_v2", {}).get(ExifTags.Base.BitsPerSample, (16,))
        return int(declared[0]) if isinstance(declared, tuple) else int(declared)
    if image.mode == "I" and image.format == "PPM":  # Pillow scales any maxval above 255 to 16 bits
        return 16
    return 8


def _detail(exif: Image.Exif) -> Mapping[int, Any]:
    try:
        return exif.get_ifd(ExifTags.IFD.Exif)
    except DECODE_ERRORS:
        return {}


def text_of(value: object) -> str:
    """A tag's text without what cannot be printed; empty when it is none."""
    text = value.decode("latin-1") if isinstance(value, bytes) else value
    return "".join(c for c in text if c.isprintable()).strip() if isinstance(text, str) else ""


def number_of(value: Any) -> float | None:
    """A tag's number; None when it is none, or not finite."""
    try:
        number = float(value)
    except (TypeError, ValueError, ArithmeticError):
        return None
    return number if math.isfinite(number) else None


def positive(value: Any) -> float | None:
    """A tag's number that is more than 0."""
    number = number_of(value)
    return number if number is not None and number > 0 else None
