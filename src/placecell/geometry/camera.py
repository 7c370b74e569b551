"""Pinhole and orthographic cameras: intrinsics together with the image size they belong to, and a pose.

Knows: projection, unprojection, and what resizing, cropping or turning the picture does to a camera.
Does not know: lens distortion (``distortion``), pixels' colours or files.

Pixels are (u, v), u to the right and v downwards; the centre of the top-left pixel is (0.5, 0.5). Depth is z-depth
along the optical axis; 0 or NaN is unknown.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from placecell.geometry.transforms import Array, apply, invert, is_rigid, rigid


class Projection(NamedTuple):
    """``pixels`` (..., 2), NaN behind the camera; z-``depth`` (...); ``in_view`` (...): in front and in the picture."""

    pixels: NDArray[Any]
    depth: NDArray[Any]
    in_view: NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Camera:
    """A pinhole camera: ``K`` (3, 3) without skew for ``width`` x ``height`` pixels, and ``world_from_cam`` (4, 4)."""

    K: Array
    width: int
    height: int
    world_from_cam: Array

    def __post_init__(self) -> None:
        _freeze(self, "K", self.K, (3, 3))
        _check_view(self, self.width, self.height, self.world_from_cam)
        (fx, skew, _), (zero, fy, _), last = self.K.tolist()
        if not (fx > 0 and fy > 0 and skew == zero == 0 and last == [0, 0, 1]) or not np.isfinite(self.K).all():
            raise ValueError(f"K must be [[fx, 0, cx], [0, fy, cy], [0, 0, 1]] with fx, fy > 0, got {self.K.tolist()}")

    @classmethod
    def from_fov(cls, fov_x: float, width: int, height: int, world_from_cam: ArrayLike | None = None) -> Self:
        """Square pixels, centred, ``fov_x`` degrees from the left to the right edge."""
        if not 0 < fov_x < 180:
            raise ValueError(f"a pinhole camera's field of view lies between 0 and 180 degrees, got {fov_x}")
        f = 0.5 * width / np.tan(np.radians(fov_x) / 2)
        K = np.array([[f, 0, width / 2], [0, f, height / 2], [0, 0, 1]])
        return cls(K, width, height, np.eye(4) if world_from_cam is None else np.asarray(world_from_cam))

    @property
    def centre(self) -> Array:
        """Position (3,) in the world."""
        return self.world_from_cam[:3, 3]

    @property
    def fov_x(self) -> float:
        """Degrees from the left to the right edge."""
        return _spread(self.K[0, 2], self.width - self.K[0, 2], self.K[0, 0])

    @property
    def fov_y(self) -> float:
        """Degrees from the top to the bottom edge."""
        return _spread(self.K[1, 2], self.height - self.K[1, 2], self.K[1, 1])

    def project(self, points_world: ArrayLike) -> Projection:
        """Points (..., 3) in the world to the picture."""
        points = apply(invert(self.world_from_cam), points_world)
        depth = points[..., 2]
        ahead = depth > 0
        scale = self.K[[0, 1], [0, 1]].astype(points.dtype)
        shift = self.K[:2, 2].astype(points.dtype)
        pixels = points[..., :2] / np.where(ahead, depth, np.nan)[..., None] * scale + shift
        return Projection(pixels, depth, ahead & _inside(pixels, self.width, self.height))

    def unproject(self, depth: ArrayLike) -> NDArray[Any]:
        """World points (height, width, 3) of a z-depth map of this size; NaN where depth is 0, NaN or negative."""
        z = np.asarray(depth)
        if z.shape != (self.height, self.width):
            raise ValueError(f"depth must be (height, width) = ({self.height}, {self.width}), got {z.shape}")
        u, v = self._plane()
        z = np.where(z > 0, z, np.nan).astype(np.float32 if z.dtype == np.float32 else np.float64)
        return apply(self.world_from_cam, np.stack([z * u.astype(z.dtype), z * v[:, None].astype(z.dtype), z], axis=-1))

    def unproject_pixels(self, pixels: ArrayLike, depth: ArrayLike) -> NDArray[Any]:
        """World points (..., 3) of pixels (..., 2) at z-depth (...); NaN where depth is unknown."""
        uv, z = np.asarray(pixels, dtype=np.float64), np.asarray(depth, dtype=np.float64)
        z = np.where(z > 0, z, np.nan)[..., None]
        xy = (uv - self.K[:2, 2]) / self.K[[0, 1], [0, 1]]
        return apply(self.world_from_cam, np.concatenate([xy * z, z], axis=-1))

    def rays(self) -> Array:
        """World directions (height, width, 3) through the pixel centres, as long as a z-depth of 1."""
        u, v = self._plane()
        cam = np.stack([*np.broadcast_arrays(u, v[:, None]), np.ones((self.height, self.width))], axis=-1)
        return cam @ self.world_from_cam[:3, :3].T

    def posed(self, world_from_cam: ArrayLike) -> Self:
        """The same camera elsewhere."""
        return replace(self, world_from_cam=np.asarray(world_from_cam))

    def resized(self, width: int, height: int) -> Self:
        """The camera of the picture resized to ``width`` x ``height``."""
        K = self.K.copy()
        K[0] *= width / self.width
        K[1] *= height / self.height
        return replace(self, K=K, width=width, height=height)

    def cropped(self, left: int, top: int, width: int, height: int) -> Self:
        """The camera of the window whose top-left corner is pixel column ``left``, row ``top``; may reach outside."""
        K = self.K.copy()
        K[:2, 2] -= left, top
        return replace(self, K=K, width=width, height=height)

    def rotated_90(self, clockwise: int = 1) -> Self:
        """The camera of the picture turned by that many quarter turns, as ``numpy.rot90(picture, -clockwise)`` does."""
        camera = self
        for _ in range(clockwise % 4):
            (fx, _, cx), (_, fy, cy), _ = camera.K.tolist()
            K = np.array([[fy, 0, camera.height - cy], [0, fx, cx], [0, 0, 1]])
            before_from_after = rigid([[0, 1, 0], [-1, 0, 0], [0, 0, 1]])
            pose = camera.world_from_cam @ before_from_after
            camera = replace(camera, K=K, width=camera.height, height=camera.width, world_from_cam=pose)
        return camera

    def _plane(self) -> tuple[Array, Array]:
        """x (width,) and y (height,) of the pixel centres at z = 1, camera axes."""
        u = (np.arange(self.width) + 0.5 - self.K[0, 2]) / self.K[0, 0]
        v = (np.arange(self.height) + 0.5 - self.K[1, 2]) / self.K[1, 1]
        return u, v


@dataclass(frozen=True, eq=False)
class OrthoCamera:
    """An orthographic camera: its pose is the picture's centre, a pixel covers ``units_per_pixel`` in world lengths."""

    units_per_pixel: float
    width: int
    height: int
    world_from_cam: Array

    def __post_init__(self) -> None:
        _check_view(self, self.width, self.height, self.world_from_cam)
        if not (self.units_per_pixel > 0 and np.isfinite(self.units_per_pixel)):
            raise ValueError(f"units_per_pixel must be positive, got {self.units_per_pixel}")

    def project(self, points_world: ArrayLike) -> Projection:
        """Points (..., 3) in the world to the picture."""
        points = apply(invert(self.world_from_cam), points_world)
        pixels = points[..., :2] / points.dtype.type(self.units_per_pixel)
        pixels += np.array([self.width / 2, self.height / 2], dtype=points.dtype)
        depth = points[..., 2]
        return Projection(pixels, depth, (depth > 0) & _inside(pixels, self.width, self.height))

    def unproject_pixels(self, pixels: ArrayLike, depth: ArrayLike) -> NDArray[Any]:
        """World points (..., 3) of pixels (..., 2) at z-depth (...)."""
        uv, z = np.asarray(pixels, dtype=np.float64), np.asarray(depth, dtype=np.float64)
        xy = (uv - (self.width / 2, self.height / 2)) * self.units_per_pixel
        return apply(self.world_from_cam, np.concatenate([xy, z[..., None]], axis=-1))


def _freeze(owner: object, name: str, value: ArrayLike, shape: tuple[int, ...]) -> None:
    array = np.array(value, dtype=np.float64)
    if array.shape != shape:
        raise ValueError(f"{name} must be {shape}, got {array.shape}")
    array.flags.writeable = False
    object.__setattr__(owner, name, array)


def _check_view(owner: object, width: int, height: int, world_from_cam: ArrayLike) -> None:
    if width < 1 or height < 1:
        raise ValueError(f"a picture has at least one pixel, got {width} x {height}")
    _freeze(owner, "world_from_cam", world_from_cam, (4, 4))
    if not is_rigid(world_from_cam):
        raise ValueError("world_from_cam must be rigid; transforms.nearest_rigid cleans rounded poses")


def _inside(pixels: NDArray[Any], width: int, height: int) -> NDArray[np.bool_]:
    u, v = pixels[..., 0], pixels[..., 1]
    inside: NDArray[np.bool_] = (u >= 0) & (u < width) & (v >= 0) & (v < height)
    return inside


def _spread(before: float, after: float, focal: float) -> float:
    return float(np.degrees(np.arctan2(before, focal) + np.arctan2(after, focal)))
