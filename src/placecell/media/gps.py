"""Where photo files say they were taken: the GPS tags of their EXIF data. Judges none of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PIL import ExifTags, Image

from placecell.media.exif import DECODE_ERRORS, number_of, positive, text_of
from placecell.media.frames import MediaError
from placecell.media.photos import open_photo
from placecell.media.sources import list_photos


@dataclass(frozen=True)
class Fix:
    """A position in degrees (WGS 84), north and east positive; ``error_m`` is the file's own statement of its error."""

    latitude_deg: float
    longitude_deg: float
    error_m: float | None = None


def read_fixes(sources: Sequence[Path]) -> dict[str, Fix]:
    """The positions that the photos of files and folders state, by the digest of their bytes (``MediaFrame.digest``).

    Raises:
        UserError: a source does not exist, or there is no photo.
    """
    fixes = {}
    for file in list_photos(sources).files:
        try:
            photo = open_photo(file.path, name=file.name)
        except MediaError:  # what cannot be opened is in no memory
            continue
        with photo.image as image:
            fix = read_fix(image)
        if fix is not None:
            fixes[photo.digest] = fix
    return fixes


def read_fix(image: Image.Image) -> Fix | None:
    """The position an opened image states, None when it states none or an impossible one."""
    try:
        tags = image.getexif().get_ifd(ExifTags.IFD.GPSInfo)
    except DECODE_ERRORS:
        return None
    latitude = _degrees(tags, ExifTags.GPS.GPSLatitude, ExifTags.GPS.GPSLatitudeRef, "NS", 90.0)
    longitude = _degrees(tags, ExifTags.GPS.GPSLongitude, ExifTags.GPS.GPSLongitudeRef, "EW", 180.0)
    if latitude is None or longitude is None:
        return None
    return Fix(latitude, longitude, positive(tags.get(ExifTags.GPS.GPSHPositioningError)))


def _degrees(tags: Mapping[int, Any], tag: int, ref_tag: int, letters: str, limit: float) -> float | None:
    """Signed degrees from (degrees, minutes, seconds) and the letter of the hemisphere."""
    parts, letter = tags.get(tag), text_of(tags.get(ref_tag)).upper()
    if not isinstance(parts, (tuple, list)) or len(parts) != 3 or letter not in tuple(letters):
        return None
    numbers = [number_of(part) for part in parts]
    if any(n is None or n < 0 for n in numbers):
        return None
    degrees = sum((n or 0.0) / 60.0**i for i, n in enumerate(numbers))
    if degrees > limit:
        return None
    return degrees if letter == letters[0] else -degrees
