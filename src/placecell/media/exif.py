"""What a photo file says about itself: orientation, focal length, camera, position. Reads tags, judges nothing.

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
    bits, grey = _depth_of(image)
    file_format = image.format or "?"
    try:
        exif = image.getexif()
        orientation = exif.get(ExifTags.Base.Orientation, 1)
        make, model = _text(exif.get(ExifTags.Base.Make)), _text(exif.get(ExifTags.Base.Model))
    except DECODE_ERRORS:
        return PhotoFacts(file_format, bits, grey), ("EXIF data unreadable, taken as upright",)
    notes: list[str] = []
    if orientation not in range(1, 9):
        if orientation != 0:  # 0 is a common way to say "unknown"
            notes.append(f"EXIF orientation {orientation!r} does not exist, taken as upright"[:100])
        orientation = 1
    detail, gps = _block(exif, ExifTags.IFD.Exif), _block(exif, ExifTags.IFD.GPSInfo)
    latitude = _coordinate(gps, ExifTags.GPS.GPSLatitude, ExifTags.GPS.GPSLatitudeRef, "S", 90.0)
    longitude = _coordinate(gps, ExifTags.GPS.GPSLongitude, ExifTags.GPS.GPSLongitudeRef, "W", 180.0)
    placed = latitude is not None and longitude is not None
    facts = PhotoFacts(
        format=file_format,
        bits=bits,
        grey=grey,
        orientation=int(orientation),
        focal_35mm=_positive(detail.get(ExifTags.Base.FocalLengthIn35mmFilm)),
        focal_mm=_positive(detail.get(ExifTags.Base.FocalLength)),
        camera=(model if model.lower().startswith(make.lower()) else f"{make} {model}").strip() or None,
        latitude_deg=latitude if placed else None,
        longitude_deg=longitude if placed else None,
        altitude_m=_altitude(gps) if placed else None,
    )
    return facts, tuple(notes)


def _depth_of(image: Image.Image) -> tuple[int, bool]:
    """Bits per channel as far as they matter here, and whether it is plain greyscale."""
    if image.mode.startswith("I;16"):
        declared = getattr(image, "tag_v2", {}).get(ExifTags.Base.BitsPerSample, (16,))
        return (int(declared[0]) if isinstance(declared, tuple) else int(declared)), True
    if image.mode == "I" and image.format == "PPM":  # Pillow scales any maxval above 255 to 16 bits
        return 16, True
    return 8, image.mode in ("1", "L", "LA", "La")


def _block(exif: Image.Exif, which: int) -> Mapping[int, Any]:
    try:
        return exif.get_ifd(which)
    except DECODE_ERRORS:
        return {}


def _text(value: object) -> str:
    text = value.decode("latin-1") if isinstance(value, bytes) else value
    return "".join(c for c in text if c.isprintable()).strip() if isinstance(text, str) else ""


def _number(value: Any) -> float | None:
    try:
        number = float(value)
    except (TypeError, ValueError, ArithmeticError):
        return None
    return number if math.isfinite(number) else None


def _positive(value: Any) -> float | None:
    number = _number(value)
    return number if number is not None and number > 0 else None


def _coordinate(gps: Mapping[int, Any], tag: int, ref_tag: int, negative: str, limit: float) -> float | None:
    """Degrees from (degrees, minutes, seconds) and the hemisphere letter."""
    parts = gps.get(tag)
    hemisphere = _text(gps.get(ref_tag)).upper()
    if not isinstance(parts, (tuple, list)) or len(parts) != 3 or not hemisphere:
        return None
    numbers = [_number(p) for p in parts]
    if any(n is None for n in numbers):
        return None
    degrees = sum((n or 0.0) / 60.0**i for i, n in enumerate(numbers))
    if not 0.0 <= degrees <= limit:
        return None
    return -degrees if hemisphere[0] == negative else degrees


def _altitude(gps: Mapping[int, Any]) -> float | None:
    altitude = _number(gps.get(ExifTags.GPS.GPSAltitude))
    below_sea = gps.get(ExifTags.GPS.GPSAltitudeRef) in (1, b"\x01")
    return -altitude if altitude is not None and below_sea else altitude
