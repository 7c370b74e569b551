"""Cubes in an empty room, photographed from a circle, with exact depth and labels."""

from __future__ import annotations

import numpy as np

from placecell.geometry.camera import Camera
from placecell.geometry.transforms import look_at
from placecell.memory.ports import FrameLabels, Labels
from placecell.memory.scene import DepthMap, Frame

ROOM = np.array([[-2.5, 0, -2.5], [2.5, 2.5, 2.5]])
CUBE_A = np.array([[-1.0, 0, -0.3], [-0.4, 0.6, 0.3]])
CUBE_B = np.array([[0.5, 0, -0.2], [0.9, 1.0, 0.2]])


def cast(camera, boxes):
    """Exact z-depth and the index of the box seen (from 1; 0 = the room's walls)."""
    rays, eye = camera.rays(), camera.centre
    with np.errstate(divide="ignore", invalid="ignore"):
        z = np.where(rays > 0, (ROOM[1] - eye) / rays, (ROOM[0] - eye) / rays).min(axis=-1)
        ids = np.zeros(z.shape, np.int32)
        for number, (low, high) in enumerate(boxes, 1):
            near, far = (low - eye) / rays, (high - eye) / rays
            enter, leave = np.minimum(near, far).max(axis=-1), np.maximum(near, far).min(axis=-1)
            hit = (enter < leave) & (enter > 0) & (enter < z)
            z, ids = np.where(hit, enter, z), np.where(hit, number, ids)
    return z.astype(np.float32), ids


def circle(count):
    """Places of cameras around the middle."""
    angles = np.linspace(0, 2 * np.pi, count, endpoint=False)
    return [[2.2 * np.sin(angle), 1.4, 2.2 * np.cos(angle)] for angle in angles]


def capture(boxes, count=10, noise=0.0, size=(160, 120), eyes=None, target=(0, 0.4, 0)):
    """Frames on a circle around the middle, or from ``eyes``, and the true ids of each."""
    frames, truth = [], {}
    rng = np.random.default_rng(3)
    for number, eye in enumerate(circle(count) if eyes is None else eyes, 1):
        camera = Camera.from_fov(75, *size, look_at(eye, target))
        z, ids = cast(camera, boxes)
        z = z * (1 + noise * rng.standard_normal(z.shape)).astype(np.float32)
        frames.append(
            Frame(
                number=number,
                name=str(number),
                digest="0" * 64,
                width=2 * size[0],
                height=2 * size[1],
                read_rgb=lambda: np.zeros((2 * size[1], 2 * size[0], 3), np.uint8),
                camera=camera.resized(2 * size[0], 2 * size[1]),
                depth=DepthMap(z, camera),
                time_s=number / 10,
            )
        )
        truth[number] = ids
    return tuple(frames), truth


def labels(kind, names, ids):
    return Labels(kind, names, {n: FrameLabels(np.asarray(i, np.int32)) for n, i in ids.items()})
