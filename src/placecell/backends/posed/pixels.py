"""From the pixels as a file stores them, for which the camera was calibrated, to a frame's: undistorted and upright.

The photo, its depth and its label image take the same way. Poses and intrinsics made by tools that ignore EXIF
orientation belong to the lying pixels; which pixels are meant is read off the size that the intrinsics state.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from placecell.backends.posed.capture import Lens
from placecell.geometry.camera import Camera
from placecell.geometry.distortion import Undistortion, undistortion
from placecell.geometry.transforms import Array

# Clockwise quarter turns that bring stored pixels upright, by EXIF orientation; the others are mirrored.
_TURNS = {1: 0, 6: 1, 3: 2, 8: 3}
_UNDISTORTED = ("PINHOLE", "SIMPLE_PINHOLE")


@dataclass(frozen=True)
class PixelWay:
    """``lens`` belongs to pixels that are stored upright (``turns`` 0) or need ``turns`` clockwise quarter turns.

    ``read_upright``: the calibrated pixels are the photo's upright ones, not the stored ones.
    """

    lens: Lens
    turns: int = 0
    read_upright: bool = True
    notes: tuple[str, ...] = ()

    @property
    def changes(self) -> bool:
        """Whether the frame's pixels differ from the decoded ones."""
        return self.distorted or self.turns != 0

    @property
    def distorted(self) -> bool:
        return self.lens.model not in _UNDISTORTED

    def camera(self, recon_from_cam: Array, lens: Lens | None = None) -> Camera:
        """The camera of the frame, or of its depth image when that has a ``lens`` of its own.

        UserError for parameters that describe no lens.
        """
        return _undistortion(lens or self.lens).camera.posed(recon_from_cam).rotated_90(self.turns)

    def apply(self, image: NDArray[Any], *, smooth: bool) -> NDArray[Any]:
        """Stored pixels (h, w, ...) of any size as the frame has them; ``smooth`` is for colours, not depth or ids."""
        if self.distorted:
            # OpenCV knows no 32-bit integers; label ids are exact as floats up to 2**24.
            source = image.astype(np.float32) if image.dtype == np.int32 else image
            flat = _undistortion(self.lens.fitted(image.shape[1], image.shape[0]))
            image = flat(source, "linear" if smooth else "nearest").astype(image.dtype)
        return np.ascontiguousarray(np.rot90(image, -self.turns)) if self.turns else image


@lru_cache(maxsize=8)
def _undistortion(lens: Lens) -> Undistortion:
    """Kept, because a capture has few lenses and many photos, and its maps are as large as a photo."""
    return undistortion(lens.model, lens.params, lens.width, lens.height)


def pixel_way(lens: Lens, stored: tuple[int, int], orientation: int) -> PixelWay:
    """The way for a photo of ``stored`` (width, height) with this EXIF orientation. ValueError when no size fits."""
    turns = _TURNS.get(orientation)
    if turns is None:
        note = "its EXIF orientation mirrors it, which no camera pose can; the stored pixels are used"
        return PixelWay(lens.fitted(*stored), read_upright=False, notes=(note,))
    if turns % 2 and lens.width and _shape_differs(lens, stored) and not _shape_differs(lens, stored[::-1]):
        return PixelWay(lens.fitted(*stored[::-1]))
    fitted = lens.fitted(*stored)
    if turns == 0:
        return PixelWay(fitted)
    note = f"turned upright by {90 * turns} degrees with its camera: the intrinsics are for the stored, lying pixels"
    return PixelWay(fitted, turns, read_upright=False, notes=(note,))


def _shape_differs(lens: Lens, size: tuple[int, int]) -> bool:
    try:
        lens.fitted(*size)
    except ValueError:
        return True
    return False
