"""Similarity transforms (scale, rotation, translation): from one reconstruction of a place to another.

Knows: how points and camera poses move. Does not know: how the two were found to correspond.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from placecell.geometry.transforms import Array, apply, as_transforms, is_rigid, rigid


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

    def apply(self, points_b: ArrayLike) -> NDArray[Any]:
        """Points (..., 3) moved from b to a."""
        points = np.asarray(points_b)
        return apply(rigid(self.scale * self.rotation, self.translation), points)

    def apply_to_poses(self, b_from_cam: ArrayLike) -> Array:
        """Camera poses (..., 4, 4) moved from b to a; they stay rigid."""
        poses = as_transforms(b_from_cam)
        return rigid(self.rotation @ poses[..., :3, :3], self.apply(poses[..., :3, 3]))
