"""One photo file -> one upright RGB frame, decoded completely, whatever the format; or the reason why not.

The content decides what a file is, never its extension. Knows nothing of folders, order or other photos (``sources``).
"""

from __future__ import annotations

import functools
import hashlib
import io
import threading
import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from placecell.errors import BackendUnavailable
from placecell.media.colour import to_srgb
from placecell.media.exif import DECODE_ERRORS, read_facts
from placecell.media.frames import MediaError, MediaFrame, PhotoFacts, area_resize, size_within
from placecell.media.limits import check_size
from placecell.media.names import printable

MAX_FILE_BYTES = 2**30

_FORMATS = ("JPEG", "MPO", "PNG", "WEBP", "AVIF", "HEIF", "TIFF", "GIF", "BMP", "DIB", "PPM", "TGA", "JPEG2000")
_HEIF_BRANDS = (b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"mif1", b"msf1")
_PNG_EXIF_KEYS = ("exif", "Raw profile type exif", "XML:com.adobe.xmp")
_TIFF_REDUCED = 254  # NewSubfileType, bit 0: a reduced-resolution version of another image
_TIFF_DNG = 50706

# Python's warning filters are process-wide, so only one thread at a time may exchange them.
_HEADER_LOCK = threading.Lock()


@dataclass(frozen=True, eq=False)
class OpenPhoto:
    """A photo whose header was read and accepted. ``decode`` may run in another thread, once."""

    name: str
    digest: str
    image: Image.Image
    facts: PhotoFacts | None
    notes: tuple[str, ...]

    def decode(self, *, longest_side: int | None = None, upright: bool = True) -> MediaFrame:
        """All pixels as a frame; MediaError when the data is damaged or cut short.

        ``longest_side`` shrinks (area filter) before anything is kept, which saves memory and, for JPEG, time.
        ``upright=False`` leaves the pixels as they are stored, for cameras that were calibrated on those.
        """
        image = self.image
        width, height = image.size
        try:
            if longest_side is not None and image.format in ("JPEG", "MPO"):
                _decode_reduced(image, longest_side)
            image.load()
            facts, notes = (self.facts, ()) if self.facts else read_facts(image)
            rgb, colour_notes = to_srgb(image, self.name, facts)
        except DECODE_ERRORS as error:
            if isinstance(error, MediaError):
                raise
            raise MediaError(self.name, f"damaged or incomplete ({_one_line(error)})") from None
        finally:
            image.close()
        if image.format == "TIFF":  # Pillow turns these upright by itself
            rgb = rgb if upright else oriented(rgb, {6: 8, 8: 6}.get(facts.orientation, facts.orientation))
        elif upright:
            rgb = oriented(rgb, facts.orientation)
        # The longer side stays the longer side through every turn, also when the JPEG was decoded at a fraction.
        long, short = max(width, height), min(width, height)
        original = (long, short) if rgb.shape[1] >= rgb.shape[0] else (short, long)
        size = original if longest_side is None else size_within(*original, longest_side)
        return MediaFrame(
            name=self.name,
            digest=self.digest,
            rgb=np.ascontiguousarray(area_resize(rgb, size)),
            original_size=original,
            facts=facts,
            notes=(*self.notes, *notes, *colour_notes),
        )


def read_photo(
    path: Path, *, name: str | None = None, longest_side: int | None = None, upright: bool = True
) -> MediaFrame:
    """Decode one photo completely; ``name`` is the frame's (default: the file's), the rest as in ``OpenPhoto.decode``.

    Raises MediaError (a UserError) for anything unusable, BackendUnavailable for HEIC without its extra.
    """
    return open_photo(path, name=name).decode(longest_side=longest_side, upright=upright)


def open_photo(path: Path, *, name: str | None = None) -> OpenPhoto:
    """Read the file and its header, and refuse what is no photo or too large, before any pixel is decoded."""
    shown = printable(path.name) if name is None else name
    data = _read_bytes(path, shown)
    if data[4:8] == b"ftyp" and data[8:12] in _HEIF_BRANDS:
        _need_heif(shown)
    with _HEADER_LOCK, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Pillow's remarks on odd metadata; what matters becomes a note
        image = _open_image(data, shown)
        # The tags of a PNG may follow its pixels; then they are read after decoding.
        early = image.format != "PNG" or any(key in image.info for key in _PNG_EXIF_KEYS)
        facts, notes = read_facts(image) if early else (None, ())
        pictures = _count_pictures(image, shown)
    if pictures > 1:
        notes = (*notes, f"holds {pictures} pictures, the first is used")
    return OpenPhoto(shown, hashlib.sha256(data).hexdigest(), image, facts, notes)


def oriented(pixels: NDArray[np.uint8], orientation: int) -> NDArray[np.uint8]:
    """(h, w, ...) as stored -> upright, by EXIF orientation 1..8 (where the first row and column belong)."""
    if orientation in (5, 6, 7, 8):
        pixels = pixels.swapaxes(0, 1)
    if orientation in (3, 4, 7, 8):
        pixels = pixels[::-1]
    if orientation in (2, 3, 6, 7):
        pixels = pixels[:, ::-1]
    return pixels


def _read_bytes(path: Path, shown: str) -> bytes:
    try:
        if not path.is_file():
            raise MediaError(shown, "is no file" if path.exists() else "does not exist")
        size = path.stat().st_size
        if size == 0:
            raise MediaError(shown, "is empty (0 bytes)")
        if size > MAX_FILE_BYTES:
            raise MediaError(shown, f"has {size / 2**30:.1f} GiB, too large for a photo")
        return path.read_bytes()
    except OSError as error:
        raise MediaError(shown, f"cannot be read ({(error.strerror or 'input error').lower()})") from None


def _open_image(data: bytes, shown: str) -> Image.Image:
    try:
        image = Image.open(io.BytesIO(data), formats=_formats())
    except Image.DecompressionBombError as error:
        raise MediaError(shown, f"too large ({_one_line(error)})", hint="save it smaller") from None
    except DECODE_ERRORS:
        raise MediaError(shown, "is no photo in a known format, or its header is damaged") from None
    check_size(shown, *image.size)
    tags = getattr(image, "tag_v2", {})
    if image.format == "TIFF" and (_TIFF_DNG in tags or tags.get(_TIFF_REDUCED, 0) == 1):
        raise MediaError(shown, "is a camera's raw file", hint="export it as JPEG, PNG or TIFF")
    if _ends_early(data, image.format):
        raise MediaError(shown, "ends too early, an incomplete copy")
    return image


def _ends_early(data: bytes, file_format: str | None) -> bool:
    """Whether the end of the file was never written and reads as zeros, which Pillow would decode as grey areas."""
    if file_format == "WEBP":
        return data[: int.from_bytes(data[4:8], "little") + 8].endswith(bytes(64))
    at = 2
    while file_format == "JPEG" and at + 4 <= len(data) and data[at] == 0xFF:
        if data[at + 1] == 0xDA:  # the pixels start here; the end-of-image marker cannot occur within them
            return data.find(b"\xff\xd9", at) < 0
        at += 2 + int.from_bytes(data[at + 2 : at + 4], "big") if data[at + 1] != 0xFF else 1
    return False


def _count_pictures(image: Image.Image, shown: str) -> int:
    try:
        return getattr(image, "n_frames", 1)
    except DECODE_ERRORS as error:  # found while walking the pages of a TIFF
        raise MediaError(shown, f"damaged or incomplete ({_one_line(error)})") from None


def _formats() -> tuple[str, ...]:
    """The formats this installation can open; HEIF is only known once its plugin is registered."""
    Image.init()
    return tuple(f for f in _FORMATS if f in Image.OPEN)


@functools.cache
def _register_heif() -> bool:
    try:
        from pillow_heif import register_heif_opener
    except ImportError:
        return False
    register_heif_opener()
    return True


def _need_heif(shown: str) -> None:
    if not _register_heif():
        raise BackendUnavailable(
            f"{shown} is a HEIC photo, which needs pillow-heif", hint="pip install 'placecell[heif]'"
        )


def _decode_reduced(image: Image.Image, longest_side: int) -> None:
    """Let libjpeg decode at 1/2, 1/4 or 1/8 where that divides the size exactly and stays above the target."""
    width, height = image.size
    for factor in (8, 4, 2):
        if width % factor == 0 and height % factor == 0 and max(width, height) >= factor * longest_side:
            image.draft(image.mode, (width // factor, height // factor))
            return


def _one_line(error: BaseException) -> str:
    return printable(" ".join(str(error).split()))[:120] or type(error).__name__
