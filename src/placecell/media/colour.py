"""Any pixel layout Pillow decodes -> 8-bit sRGB: 16 bits, palettes, alpha, CMYK, Lab, embedded colour profiles."""

from __future__ import annotations

import functools
import io

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageCms

from placecell.media.frames import MediaError, PhotoFacts

_PROFILE_SPACE = {"RGB": "RGB", "L": "GRAY", "CMYK": "CMYK", "LAB": "Lab"}
_ALPHA_MODES = ("RGBA", "RGBa", "LA", "La", "PA")


def to_srgb(image: Image.Image, name: str, facts: PhotoFacts) -> tuple[NDArray[np.uint8], tuple[str, ...]]:
    """(h, w, 3) uint8 sRGB of a decoded image, alpha composited on white, and notes on what a person should know."""
    if image.mode.startswith("I;16") or (image.mode == "I" and facts.bits > 8):
        return _from_deep_grey(image, facts.bits)
    if image.mode in ("I", "F"):
        raise MediaError(name, "holds 32-bit numbers (a depth map or a measurement), not a photo")
    if image.mode in _ALPHA_MODES or "transparency" in image.info:
        grey = image.mode in ("LA", "La")
        image = image.convert("RGBA")
        alpha = image.getchannel("A")
        base = image.convert("L" if grey else "RGB")
        rgb, notes = _colour_managed(base, image.info.get("icc_profile"))
        white = Image.new("RGB", rgb.size, "white")
        return np.array(Image.composite(rgb, white, alpha)), notes
    if image.mode not in _PROFILE_SPACE:
        image = image.convert("L" if image.mode == "1" else "RGB")
    rgb, notes = _colour_managed(image, image.info.get("icc_profile"))
    return np.array(rgb), notes


def _from_deep_grey(image: Image.Image, bits: int) -> tuple[NDArray[np.uint8], tuple[str, ...]]:
    values = np.asarray(image, np.float32)
    grey = np.rint(values * (255.0 / (2**bits - 1))).astype(np.uint8)
    note = f"{bits}-bit greyscale, values {int(values.min())} to {int(values.max())}: may be a depth map, not a photo"
    return np.repeat(grey[:, :, None], 3, axis=2), (note,)


@functools.cache
def _srgb() -> ImageCms.ImageCmsProfile:
    return ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB"))


def _colour_managed(image: Image.Image, profile: bytes | None) -> tuple[Image.Image, tuple[str, ...]]:
    """RGB in sRGB. Without a profile RGB and grey are taken as sRGB, CMYK is inverted plainly, Lab is CIE D50."""
    if not profile and image.mode != "LAB":
        return image.convert("RGB"), ()
    try:
        source = ImageCms.ImageCmsProfile(io.BytesIO(profile) if profile else ImageCms.createProfile("LAB"))
        space = source.profile.xcolor_space.strip()
        if space != _PROFILE_SPACE[image.mode]:
            return image.convert("RGB"), (
                f"its {space} colour profile does not fit {image.mode} pixels and is ignored",
            )
        if _is_srgb(source):
            return image.convert("RGB"), ()
        intent = ImageCms.Intent(ImageCms.getDefaultIntent(source))
        converted = ImageCms.profileToProfile(image, source, _srgb(), renderingIntent=intent, outputMode="RGB")
    except (ImageCms.PyCMSError, OSError, ValueError, TypeError):
        return _without_profile(image), ("its colour profile is unreadable and is ignored",)
    return converted or image, ()


def _is_srgb(source: ImageCms.ImageCmsProfile) -> bool:
    """By name, as most cameras write it; converting sRGB to sRGB costs as much as decoding."""
    title = (source.profile.profile_description or "").lower()
    return title.startswith("srgb") and "linear" not in title


def _without_profile(image: Image.Image) -> Image.Image:
    return image.convert("L" if image.mode == "LAB" else "RGB").convert("RGB")
