"""Depth images to metres: which coding a file uses, and reading it without guessing.

A coding is stated by the capture's layout or found from the values, and its ``reason`` is reported with the memory.
8-bit pictures are refused: they are for looking at. "Unknown" (0) are 0, 65535, NaN, infinite and negative values, and
floats from 65504 on: renderers put the largest half float, or 1e10 as Blender, where nothing was hit.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from placecell.errors import BackendUnavailable, UserError

Float32 = NDArray[np.float32]

_DEPTH_CHANNELS = ("Z", "depth.Z", "depth", "Y", "R")
_NOTHING_HIT = 65504.0
_HINT_16_BIT = "give the sensor's depth as 16-bit PNG or PGM, or as 32-bit TIFF, EXR or NPY"


class NoDepth(UserError):
    """A file that is no depth image at all, where a damaged one could be left out."""

    def __init__(self, message: str) -> None:
        super().__init__(message, hint=_HINT_16_BIT)


@dataclass(frozen=True)
class DepthCoding:
    """How a stored number becomes a distance: ``unit`` metres (or units) a step, after undoing a rotation by 3 bits.

    ``unit`` is for integers; floating-point files store the distance itself. ``reason``: who says so. ``stated``: the
    capture itself does, in a file, which counts more than what its layout usually means.
    """

    unit: float
    rotated: bool = False
    reason: str = ""
    stated: bool = False

    @property
    def text(self) -> str:
        """For reports: "bit-rotated, 10000 steps a metre (found from ...)", or the reason alone for floating point."""
        if self.unit == 1:
            return self.reason
        return f"{'bit-rotated, ' if self.rotated else ''}{1 / self.unit:.6g} steps a unit ({self.reason})"


def decode(raw: NDArray[np.generic], coding: DepthCoding) -> Float32:
    """Stored values (h, w), uint16 or floating point, as distances."""
    if raw.dtype == np.uint16:
        values = raw.astype(np.uint16)
        known = (values != 0) & (values != 65535)
        if coding.rotated:
            values = np.bitwise_or(values >> np.uint16(3), values << np.uint16(13))
        # Divided, not multiplied: a step of a tenth is not a number in binary, ten is.
        steps = np.float32(round(1 / coding.unit, 9)) if coding.unit <= 1 else np.float32(1 / coding.unit)
        return np.where(known, values.astype(np.float32) / steps, np.float32(0))
    z = raw.astype(np.float32)
    return np.where((z > 0) & (z < _NOTHING_HIT), z, np.float32(0))


def read_raw(path: Path, name: str) -> NDArray[np.generic]:
    """The stored values of a depth file, (h, w), uint16 or floating point, nothing converted."""
    if not path.is_file():
        raise UserError(f"the depth file {name} does not exist")
    suffix = path.suffix.lower()
    if suffix == ".exr":
        raw = _read_exr(path, name)
    elif suffix == ".npy":
        raw = _read_npy(path, name)
    else:
        raw = _read_image(path, name)
    if raw.ndim != 2 or raw.size == 0:
        raise UserError(f"{name} has the shape {raw.shape}, a depth image has one value a pixel", hint=_HINT_16_BIT)
    if raw.dtype == np.uint8:
        raise NoDepth(f"{name} has 8 bits a pixel, which cannot hold depth")
    if raw.dtype.kind not in "fu":
        raise UserError(f"{name} holds {raw.dtype} values, not depth", hint=_HINT_16_BIT)
    return raw


def looks_rotated(raws: Sequence[NDArray[np.generic]]) -> bool:
    """Whether 16-bit values were rotated left by 3 bits, as SUN3D, SUN RGB-D and APC store them.

    Then the last three bits are the distance's highest ones, which neighbouring pixels share, while in plain depth they
    are its lowest: of neighbours that differ at all, nearly all or few agree in them.
    """
    differ = agree = 0
    for raw in raws:
        if raw.dtype == np.uint16:
            left, right = raw[:, :-1].astype(np.uint16), raw[:, 1:].astype(np.uint16)
            known = (left != 0) & (right != 0) & (left != 65535) & (right != 65535) & (left != right)
            differ += int(known.sum())
            agree += int((((left ^ right) & np.uint16(7)) == 0)[known].sum())
    return differ >= 100 and agree > 0.9 * differ


def _read_image(path: Path, name: str) -> NDArray[np.generic]:
    from PIL import Image

    try:
        with Image.open(path) as image:
            mode, declared = image.mode, image.format
            if mode in ("L", "P", "RGB", "RGBA", "LA", "1"):
                bands = len(image.getbands())
                what = f"{bands} channels of 8 bits" if bands > 1 else "8 bits a pixel"
                raise NoDepth(f"{name} has {what}, which cannot hold depth")
            pixels = np.asarray(image)
        if declared == "PPM":
            return _unscaled_pgm(path, pixels)
    except (OSError, SyntaxError, ValueError, EOFError, IndexError) as error:
        text = " ".join(str(error).split())[:100]
        raise UserError(f"the depth file {name} is damaged or no image ({text})") from None
    if pixels.dtype == np.int32 and mode == "I" and pixels.min() >= 0 and pixels.max() <= 65535:
        return pixels.astype(np.uint16)
    return pixels if pixels.dtype.kind != "u" else pixels.astype(pixels.dtype.newbyteorder("="))


def _unscaled_pgm(path: Path, pixels: NDArray[np.generic]) -> NDArray[np.uint16]:
    """Pillow stretches every PGM to 0..65535; depth needs the numbers as they stand in the file."""
    with path.open("rb") as file:
        header = re.sub(rb"#[^\n]*", b"", file.read(512)).split(None, 4)
    largest = int(header[3])
    return np.rint(pixels.astype(np.float64) * largest / 65535).astype(np.uint16)


def _read_exr(path: Path, name: str) -> NDArray[np.generic]:
    try:
        import OpenEXR
    except ImportError:
        raise BackendUnavailable(f"{name} is an EXR file, which needs OpenEXR", hint="pip install OpenEXR") from None
    try:
        sys.audit("open", str(path), "rb", 0)  # OpenEXR opens files unseen by Python's audit hooks
        with OpenEXR.File(str(path)) as file:
            channels = {key: np.asarray(channel.pixels) for key, channel in file.channels().items()}
    except (RuntimeError, ValueError, OSError) as error:
        raise UserError(f"the depth file {name} is damaged ({' '.join(str(error).split())[:100]})") from None
    if len(channels) == 1:
        return next(iter(channels.values()))
    for key in _DEPTH_CHANNELS:
        if key in channels:
            return channels[key]
    raise UserError(f"{name} has the channels {', '.join(channels)} and none is depth", hint="name the channel Z")


def _read_npy(path: Path, name: str) -> NDArray[np.generic]:
    try:
        array = np.load(path, allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise UserError(f"the depth file {name} is damaged ({' '.join(str(error).split())[:100]})") from None
    squeezed: NDArray[np.generic] = np.squeeze(array)
    return squeezed
