"""Small dynamic memories made of exact tracks and camera poses: no pixels, no depth."""

from __future__ import annotations

import numpy as np

from placecell.geometry.camera import Camera
from placecell.geometry.cloud import Cloud
from placecell.geometry.transforms import look_at
from placecell.memory.scene import Alignment, Frame, Provenance, Scale, SpatialMemory

TIMES = np.arange(31) / 10
EYE, TARGET = np.array([0.0, 1.5, 0.0]), np.array([0.0, 1.5, -5.0])
"""The camera looks along -z: its right is +x, away from it is -z."""


def still_camera(count=31):
    return np.tile(look_at(EYE, TARGET), (count, 1, 1))


def moving_memory(*tracks, poses=None, times=TIMES, vocabulary=()):
    poses = still_camera(len(times)) if poses is None else poses
    picture = np.zeros((48, 64, 3), np.uint8)
    frames = tuple(
        Frame(
            i + 1, f"v@{t:.2f}", f"{i:064x}", 64, 48, lambda: picture, Camera.from_fov(60, 64, 48, p), time_s=float(t)
        )
        for i, (t, p) in enumerate(zip(times, poses, strict=True))
    )
    return SpatialMemory(
        frames=frames,
        cloud=Cloud.empty(),
        scale=Scale("metric", "synthetic"),
        alignment=Alignment(np.eye(4), "given"),
        provenance=Provenance("synthetic", "0"),
        vocabulary=frozenset({*(t.name for t in tracks), *vocabulary}),
        dynamic=True,
        tracks=tracks,
    )
