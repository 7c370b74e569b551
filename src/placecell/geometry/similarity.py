"""Similarity transforms (scale, rotation, translation) and their least-squares fit to points or camera poses.

Knows: how to align two reconstructions of the same place that differ in frame and scale.
Does not know: which points or cameras correspond, or which of the two has the true scale.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from placecell.geometry.transforms import Array, apply, as_transforms, is_rigid, nearest_rotation, rigid


@dataclass(frozen=True)
class Similarity:
    """``p_a = scale * rotation @ p_b + translation``; scale > 0, rotation (3, 3), translation (3,)."""

    scale: float
    rotation: Array
    translation: Array

    def __post_init__(self) -> None:
        if not (self.scale > 0 and math.isfinite(self.scale)):
            raise ValueError(f"scale must be positive and finite, got {self.scale}")
        if not is_rigid(rigid(self.rotation, self.translation)) or self.translation.shape != (3,):
            raise ValueError("rotation must be a (3, 3) rotation and translation (3,)")

    @property
    def inverse(self) -> Similarity:
        """``b_from_a``."""
        return Similarity(1.0 / self.scale, self.rotation.T.copy(), -(self.rotation.T @ self.translation) / self.scale)

    def apply(self, points_b: ArrayLike) -> NDArray[Any]:
        """Points (..., 3) moved from b to a."""
        points = np.asarray(points_b)
        return apply(rigid(self.scale * self.rotation, self.translation), points)

    def apply_to_poses(self, b_from_cam: ArrayLike) -> Array:
        """Camera poses (..., 4, 4) moved from b to a; they stay rigid."""
        poses = as_transforms(b_from_cam)
        return rigid(self.rotation @ poses[..., :3, :3], self.apply(poses[..., :3, 3]))


def fit_similarity(
    points_a: ArrayLike, points_b: ArrayLike, weights: ArrayLike | None = None, *, with_scale: bool = True
) -> Similarity:
    """Least-squares ``a_from_b`` of corresponding points (N, 3) (Umeyama 1991, eq. 34-43; weights (N,) as usual).

    ValueError when the points do not fix a rotation: fewer than 3, or all on a line.
    """
    a, b = np.asarray(points_a, dtype=np.float64), np.asarray(points_b, dtype=np.float64)
    if a.shape != b.shape or a.ndim != 2 or a.shape[1] != 3:
        raise ValueError(f"points must both be (N, 3), got {a.shape} and {b.shape}")
    w = np.ones(len(a)) if weights is None else np.asarray(weights, dtype=np.float64)
    if len(a) < 3 or w.shape != (len(a),) or not w.sum() > 0:
        raise ValueError(f"a similarity needs at least 3 points and as many weights, got {len(a)} and {w.shape}")
    w = w / w.sum()
    mean_a, mean_b = w @ a, w @ b
    covariance = (a - mean_a).T @ ((b - mean_b) * w[:, None])
    spread = np.linalg.svd(covariance, compute_uv=False)
    if not spread[1] > 1e-9 * spread[0]:
        raise ValueError("the points lie on a line (or at one point), so they do not fix a rotation")
    rotation = nearest_rotation(covariance)
    return _scale_and_shift(rotation, a - mean_a, b - mean_b, w, (mean_a, mean_b), with_scale=with_scale)


def fit_pose_similarity(a_from_cam: ArrayLike, b_from_cam: ArrayLike, *, with_scale: bool = True) -> Similarity:
    """``a_from_b`` of corresponding poses (N, 4, 4): the rotation from the orientations, the rest from the centres.

    Works where `fit_similarity` of the centres cannot: on a straight path, or for two cameras. Scale is 1 when all
    centres coincide.
    """
    a, b = as_transforms(a_from_cam), as_transforms(b_from_cam)
    if a.shape != b.shape or a.ndim != 3 or len(a) == 0:
        raise ValueError(f"poses must both be (N, 4, 4) with N > 0, got {a.shape} and {b.shape}")
    rotation = nearest_rotation((a[:, :3, :3] @ np.swapaxes(b[:, :3, :3], 1, 2)).mean(axis=0))
    centres_a, centres_b = a[:, :3, 3], b[:, :3, 3]
    means = (centres_a.mean(axis=0), centres_b.mean(axis=0))
    w = np.full(len(a), 1.0 / len(a))
    return _scale_and_shift(rotation, centres_a - means[0], centres_b - means[1], w, means, with_scale=with_scale)


def _scale_and_shift(
    rotation: Array, a: Array, b: Array, weights: Array, means: Sequence[Array], *, with_scale: bool
) -> Similarity:
    """Scale and translation that are optimal for a given rotation of centred points."""
    variance = float(weights @ (b**2).sum(axis=1))
    scale = float(weights @ (a * (b @ rotation.T)).sum(axis=1)) / variance if with_scale and variance > 0 else 1.0
    return Similarity(scale, rotation, means[0] - scale * (rotation @ means[1]))
