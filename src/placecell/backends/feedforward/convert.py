"""Each model's conventions -> ours: z-depth, K with (0.5, 0.5) as the first pixel's centre, world_from_cam, 0..1.

Numpy only: nothing here imports a model, so every convention is tested without one. The maps that come out have the
size of the model's input; the camera of each goes with it. What is invalid has depth 0.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.transform import Rotation

from placecell.errors import UserError
from placecell.geometry.camera import Camera
from placecell.geometry.transforms import Array, invert, nearest_rotation, rigid
from placecell.memory.scene import DepthMap, Float32

INTEGER_GRID_SHIFT = 0.5
"""VGGT, Depth Anything 3 and MapAnything count pixel centres from 0, we from 0.5: their principal point moves by it."""

DA3_METRIC_FOCAL = 300.0
"""Depth Anything 3's metric model answers for a camera with this focal length in pixels; depth grows with the real one
(``apply_metric_scaling`` of its package)."""


class UnusableAnswer(UserError):
    """A model gave numbers that no camera can have."""

    def __init__(self, what: str) -> None:
        super().__init__(f"the model's answer cannot be used: {what}", hint="try other pictures or another model")


def from_point_maps(local_points: ArrayLike, logits: ArrayLike, world_from_cam: ArrayLike) -> tuple[DepthMap, ...]:
    """Pi3, Pi3X, Flow3r: points in camera axes (N, h, w, 3), confidence logits (N, h, w, 1), poses (N, 4, 4).

    The poses are camera-to-world already. There is no K: it is fitted to the directions of the points.
    """
    points = np.asarray(local_points, np.float32)
    confidence = sigmoid(np.asarray(logits, np.float32)[..., 0])
    poses = cleaned_poses(world_from_cam)
    views = []
    for xyz, sure, pose in zip(points, confidence, poses, strict=True):
        z = valid_depth(xyz[..., 2])
        views.append(_view(z, fit_pinhole(xyz, np.where(z > 0, sure, 0)), pose, sure))
    return tuple(views)


def from_depth_and_extrinsics(
    depth: ArrayLike, confidence: ArrayLike | None, cam_from_world: ArrayLike, K: ArrayLike
) -> tuple[DepthMap, ...]:
    """VGGT, Depth Anything 3: z-depth (N, h, w) or (N, h, w, 1), world-to-camera (N, 3 or 4, 4), K (N, 3, 3).

    Confidence is 1 + exp(x) (N, h, w), or None; K counts pixel centres from 0.
    """
    z = np.asarray(depth, np.float32)
    z = z[..., 0] if z.ndim == 4 else z
    poses = invert(cleaned_poses(cam_from_world))
    sure = None if confidence is None else from_one_plus_exp(confidence)
    return _views(z, K, poses, sure)


def from_depth_and_poses(
    depth: ArrayLike, confidence: ArrayLike, world_from_cam: ArrayLike, K: ArrayLike
) -> tuple[DepthMap, ...]:
    """MapAnything: z-depth (N, h, w, 1), confidence 1 + exp(x) (N, h, w), camera-to-world (N, 4, 4), K (N, 3, 3).

    Its ``depth_along_ray`` is not z-depth and is not used. Depth is 0 where its mask says so.
    """
    z = np.asarray(depth, np.float32)[..., 0]
    return _views(z, K, cleaned_poses(world_from_cam), from_one_plus_exp(confidence))


def from_metric_depth(depth: ArrayLike, sky: ArrayLike | None, focal: float) -> tuple[DepthMap, ...]:
    """Depth Anything 3's metric model, one picture: depth (1, h, w) for a focal length of 300 pixels, sky (1, h, w).

    ``focal``: the real focal length in pixels of this size. The camera is the origin.
    """
    z = np.asarray(depth, np.float32) * np.float32(focal / DA3_METRIC_FOCAL)
    if sky is not None:
        z = np.where(np.asarray(sky, bool), np.float32(0), z)
    height, width = z.shape[1:]
    K = [[focal, 0, width / 2 - INTEGER_GRID_SHIFT], [0, focal, height / 2 - INTEGER_GRID_SHIFT], [0, 0, 1]]
    return _views(z, np.broadcast_to(np.array(K), (len(z), 3, 3)), np.broadcast_to(np.eye(4), (len(z), 4, 4)), None)


def without_painted_sky(depth: ArrayLike, least: int = 10) -> Float32:
    """Depth Anything 3's nested model paints the sky at one depth, the largest of all views: those pixels become 0.

    ``least``: more pixels than this at exactly the largest depth are the sky, fewer are a coincidence.
    """
    z = np.asarray(depth, np.float32)
    painted = z == z.max()
    return np.where(painted, np.float32(0), z) if painted.sum() > least else z


def K_from_fov(fov_h: ArrayLike, fov_w: ArrayLike, height: int, width: int) -> Array:
    """VGGT's fields of view in radians, (N,), -> K (N, 3, 3) as its own decoder gives it (centres counted from 0)."""
    fy, fx = height / 2 / np.tan(np.asarray(fov_h) / 2), width / 2 / np.tan(np.asarray(fov_w) / 2)
    K = np.tile(np.eye(3), (len(fx), 1, 1))
    K[:, 0, 0], K[:, 1, 1], K[:, 0, 2], K[:, 1, 2] = fx, fy, width / 2, height / 2
    return K


def extrinsics_from_encoding(encoding: ArrayLike) -> Array:
    """VGGT's pose encoding (N, 9) -> world-to-camera (N, 4, 4): translation, then a quaternion with the scalar LAST."""
    code = np.asarray(encoding, np.float64)
    if not np.isfinite(code).all() or not np.linalg.norm(code[:, 3:7], axis=1).all():
        raise UnusableAnswer("a camera pose is not finite")
    return rigid(Rotation.from_quat(code[:, 3:7]).as_matrix(), code[:, :3])


def fit_pinhole(points: Float32, weights: ArrayLike) -> Array:
    """K (3, 3) of points (h, w, 3) in camera axes, principal point in the middle, as Pi3's own example fits it.

    Least squares of the pixel positions, weights (h, w). UnusableAnswer when no point is in front of the camera.
    """
    height, width = points.shape[:2]
    z = points[..., 2]
    ahead = np.isfinite(points).all(axis=-1) & (z > 0)
    w = np.where(ahead, np.asarray(weights, np.float64), 0)
    ahead &= w > 0
    if not ahead.any():
        raise UnusableAnswer("no point lies in front of a camera")
    z = np.where(ahead, z, 1)
    middle = np.array([width / 2, height / 2])
    centred = np.stack(np.meshgrid(np.arange(width) + 0.5, np.arange(height) + 0.5), axis=-1) - middle
    slope = np.where(ahead[..., None], points[..., :2], 0).astype(np.float64) / z[..., None]
    focal = (w[..., None] * slope * centred).sum(axis=(0, 1)) / (w[..., None] * slope**2).sum(axis=(0, 1))
    return np.array([[focal[0], 0, middle[0]], [0, focal[1], middle[1]], [0, 0, 1]])


def sigmoid(logits: ArrayLike) -> Float32:
    """Probability of a logit, without overflow."""
    return np.asarray(0.5 * (1 + np.tanh(0.5 * np.asarray(logits, np.float32))), np.float32)


def from_one_plus_exp(confidence: ArrayLike) -> Float32:
    """Confidence c = 1 + exp(x), at least 1 and without limit, -> 1 - 1/c in 0..1, which is sigmoid(x)."""
    c = np.asarray(confidence, np.float32)
    return np.asarray(np.clip(1 - 1 / np.maximum(c, 1), 0, 1), np.float32)


def cleaned_poses(matrices: ArrayLike) -> Array:
    """(N, 3 or 4, 4) of half or single precision -> rigid (N, 4, 4) in double precision.

    UnusableAnswer when one is not finite or no rotation at all.
    """
    m = np.asarray(matrices, np.float64)
    if not np.isfinite(m).all():
        raise UnusableAnswer("a camera pose is not finite")
    rotation = nearest_rotation(m[:, :3, :3])
    if np.abs(rotation - m[:, :3, :3]).max(initial=0) > 0.05:
        raise UnusableAnswer("a camera pose is no rotation")
    return rigid(rotation, m[:, :3, 3])


def valid_depth(z: ArrayLike) -> Float32:
    """The depth with 0 where it is not a positive number."""
    depth = np.asarray(z, np.float32)
    return np.where(np.isfinite(depth) & (depth > 0), depth, np.float32(0))


def _views(z: Float32, K: ArrayLike, poses: Array, sure: NDArray[np.float32] | None) -> tuple[DepthMap, ...]:
    """K with pixel centres counted from 0; its skew, rounding of the model, is left out."""
    lenses = np.array(K, np.float64)
    lenses[:, :2, 2] += INTEGER_GRID_SHIFT
    lenses[:, 0, 1] = 0
    confidences = [None] * len(z) if sure is None else list(sure)
    return tuple(
        _view(valid_depth(depth), lens, pose, c)
        for depth, lens, pose, c in zip(z, lenses, poses, confidences, strict=True)
    )


def _view(z: Float32, K: Array, pose: Array, confidence: Float32 | None) -> DepthMap:
    height, width = z.shape
    if not (np.isfinite(K).all() and K[0, 0] > 0 and K[1, 1] > 0):
        raise UnusableAnswer("a focal length is not positive and finite")
    if confidence is not None:
        confidence = np.nan_to_num(confidence, nan=0.0)
    return DepthMap(z, Camera(K, width, height, pose), confidence)
