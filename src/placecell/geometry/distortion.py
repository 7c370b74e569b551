"""Pictures of lenses with distortion, made into pictures of a pinhole camera.

Knows: COLMAP's camera models by name, through pycolmap. nerfstudio and instant-ngp use the same models and parameters.
Does not know: where the parameters come from.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from placecell.errors import UserError
from placecell.geometry.camera import Camera
from placecell.media.native import load_pycolmap

Float32 = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Undistortion:
    """The pinhole ``camera`` that looks as the ``lens`` (a ``pycolmap.Camera``) does, but without its distortion."""

    camera: Camera
    lens: Any

    @cached_property
    def maps(self) -> tuple[Float32, Float32]:
        """For each pixel (h, w) of the camera, u and v in the distorted picture it comes from; first centre 0.5, 0.5.

        Made when a picture is first asked for: a camera alone does not need them.
        """
        rays = self.camera.posed(np.eye(4)).rays()
        source = np.asarray(self.lens.img_from_cam(rays.reshape(-1, 3))).reshape(*rays.shape[:2], 2).astype(np.float32)
        return np.ascontiguousarray(source[..., 0]), np.ascontiguousarray(source[..., 1])

    def __call__(self, picture: NDArray[Any], how: Literal["linear", "nearest"] = "linear") -> NDArray[Any]:
        """The picture (h, w) or (h, w, C) as the pinhole camera sees it, 0 outside. Depth and labels take "nearest"."""
        import cv2

        flag = cv2.INTER_LINEAR if how == "linear" else cv2.INTER_NEAREST
        u, v = self.maps
        return np.asarray(cv2.remap(picture, u - 0.5, v - 0.5, flag))  # OpenCV counts from the top-left centre


def undistortion(
    model: str, params: Sequence[float], width: int, height: int, world_from_cam: ArrayLike | None = None
) -> Undistortion:
    """How to see with a pinhole camera what a COLMAP camera saw.

    ``params`` in COLMAP's order for ``model``, as OPENCV: fx, fy, cx, cy, k1, k2, p1, p2. The pinhole camera has
    the lens's size, focal lengths and centre, so the middle stays as sharp as it was.

    Raises:
        UserError: an unknown model, the wrong number of parameters, or parameters that describe no lens.
    """
    pycolmap = load_pycolmap()
    name = model.upper()
    if name == "INVALID" or name not in pycolmap.CameraModelId.__members__:
        known = ", ".join(n for n in pycolmap.CameraModelId.__members__ if n != "INVALID")
        raise UserError(f"unknown camera model {model!r}", hint=f"known models: {known}")
    lens = pycolmap.Camera(model=name, width=width, height=height, params=list(params))
    if not lens.verify_params():
        raise UserError(f"camera model {name} takes the parameters {lens.params_info}, got {len(params)} numbers")
    if not lens.is_perspective():
        raise UserError(f"a picture of camera model {name} cannot be made into one of a pinhole camera")
    if not np.isfinite(lens.params).all() or lens.has_bogus_params(0.05, 20.0, 10.0):
        raise UserError(f"these parameters of camera model {name} describe no lens: {list(params)}")
    pose = np.eye(4) if world_from_cam is None else np.asarray(world_from_cam)
    return Undistortion(Camera(lens.calibration_matrix(), width, height, pose), lens)
