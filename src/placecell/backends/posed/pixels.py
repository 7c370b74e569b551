"""From the pixels as a file stores them, for which the camera was calibrated, to a frame's: undistorted and upright.

The photo, its depth and its label image take the same way. Poses and intrinsics made by tools that ignore EXIF
orientation belong to the lying pixels; which pixels are meant is read off the size that the intrinsics state.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from placecell.backends.posed.capture import Lens
from placecell.geometry.camera import Camera
from placecell.geometry.transforms import Array

# Clockwise quarter turns that bring stored pixels upright, by EXIF orientation; the others are mirrored.
_TURNS = {1: 0, 6: 1, 3: 2, 8: 3}
_UNDISTORTED = ("PINHOLE", "SIMPLE_PINHOLE")


@dataclass(frozen=True, eq=False)
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
        """The camera of the frame, or of its depth image when that has a ``lens`` of its own."""
        lens = lens or self.lens
        camera = Camera(_pinhole(lens), lens.width, lens.height, recon_from_cam)
        return camera.rotated_90(self.turns)

    def apply(self, image: NDArray[Any], *, smooth: bool) -> NDArray[Any]:
        """Stored pixels (h, w, ...) of any size as the frame has them; ``smooth`` is for colours, not depth or ids."""
        if self.distorted:
            image = _undistort(image, self._maps(image.shape[1], image.shape[0]), smooth)
        return np.ascontiguousarray(np.rot90(image, -self.turns)) if self.turns else image

    def _maps(self, width: int, height: int) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        lens = self.lens.fitted(width, height)
        return self._own_maps if lens == self.lens else _maps(lens)

    @cached_property
    def _own_maps(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        return _maps(self.lens)


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


def _pinhole(lens: Lens) -> Array:
    """K (3, 3) of the picture without its distortion: the same focal length and centre, so the middle stays sharp."""
    camera = _colmap(lens)
    K: Array = np.array(camera.calibration_matrix(), dtype=np.float64)
    return K


def _maps(lens: Lens) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Where each undistorted pixel is in the distorted picture, in OpenCV's pixels (first centre at 0)."""
    K = _pinhole(lens)
    u, v = np.meshgrid(np.arange(lens.width) + 0.5, np.arange(lens.height) + 0.5)
    rays = np.stack([(u - K[0, 2]) / K[0, 0], (v - K[1, 2]) / K[1, 1], np.ones_like(u)], axis=-1)
    distorted = np.asarray(_colmap(lens).img_from_cam(rays.reshape(-1, 3))).reshape(lens.height, lens.width, 2) - 0.5
    return distorted[..., 0].astype(np.float32), distorted[..., 1].astype(np.float32)


def _undistort(
    image: NDArray[Any], maps: tuple[NDArray[np.float32], NDArray[np.float32]], smooth: bool
) -> NDArray[Any]:
    import cv2

    how = cv2.INTER_LINEAR if smooth else cv2.INTER_NEAREST
    # OpenCV knows no 32-bit integers; label ids are exact as floats up to 2**24.
    source = image.astype(np.float32) if image.dtype == np.int32 else image
    moved = cv2.remap(source, *maps, interpolation=how, borderMode=cv2.BORDER_CONSTANT, borderValue=0)
    return np.asarray(moved, dtype=image.dtype)


def _colmap(lens: Lens) -> Any:
    import pycolmap

    return pycolmap.Camera(model=lens.model, width=lens.width, height=lens.height, params=list(lens.params))
