"""A known room as feed-forward models would tell of it: each in its own convention, written down from its source."""

from __future__ import annotations

import numpy as np
from PIL import Image
from scipy.spatial.transform import Rotation

import room_capture as room
from placecell.geometry.camera import Camera
from placecell.geometry.similarity import Similarity
from placecell.geometry.transforms import invert, look_at
from placecell.memory.scene import DepthMap

EYES = tuple((1.0 - 0.45 * i + 0.02 * i * i, 1.3 + 0.05 * (i % 3), 1.2 - 0.03 * i) for i in range(8))
TARGET = (0.1, 0.5, -0.6)


def scene(width, height, *, focal=1.0, shift=0.0, count=4):
    """Exact views of the room: ``focal`` in picture widths, the principal point ``shift`` pixels off the middle."""
    f = focal * width
    K = np.array([[f, 0, width / 2 + shift], [0, f, height / 2 + shift], [0, 0, 1]])
    views = []
    for number in range(count):
        camera = Camera(K, width, height, look_at(EYES[number], TARGET))
        z = room.cast(camera)[0].astype(np.float32)
        views.append(DepthMap(z, camera, _confidence(z)))
    return views


def photos(folder, count=4, sizes=((640, 480),)):
    """PNG files: red above blue, and in the middle a patch whose green is the number of the view."""
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(count):
        width, height = sizes[number % len(sizes)]
        rgb = np.full((height, width, 3), (210, 120, 40), np.uint8)
        rgb[height // 3 : 2 * height // 3, width // 3 : 2 * width // 3, 1] = round(255 * (0.2 + number / 20))
        rgb[::16, ::16] = (180, 90, 20)
        rgb[height // 2 - 8 : height // 2 + 8, width // 2 - 8 : width // 2 + 8] = (
            210,
            round(255 * (0.2 + number / 20)),
            40,
        )
        Image.fromarray(rgb).save(folder / f"{number}.png")
    return folder


def elsewhere(views):
    """The same views in a frame and scale of a model's own: the first camera at the origin, half as large."""
    first = views[0].camera.world_from_cam
    move = Similarity(0.5, first[:3, :3].T, -0.5 * first[:3, :3].T @ first[:3, 3])
    return [
        DepthMap(v.z * 0.5, v.camera.posed(move.apply_to_poses(v.camera.world_from_cam)), v.confidence) for v in views
    ]


def point_maps(views):
    """Pi3, Pi3X, Flow3r: camera-axes points, logits, camera-to-world."""
    points = [v.camera.posed(np.eye(4)).unproject(v.z) for v in views]
    logits = [np.log(v.confidence / (1 - v.confidence))[..., None] for v in views]
    return np.array(points, np.float32), np.array(logits, np.float32), poses(views)


def vggt(views):
    """VGGT: depth with a last axis, 1 + exp confidence, and an encoding of world-to-camera and fields of view."""
    cam_from_world = invert(poses(views))
    quaternions = Rotation.from_matrix(cam_from_world[:, :3, :3]).as_quat()  # scalar last, as in VGGT
    fov = [
        (2 * np.arctan(v.camera.height / 2 / v.camera.K[1, 1]), 2 * np.arctan(v.camera.width / 2 / v.camera.K[0, 0]))
        for v in views
    ]
    encoding = np.concatenate([cam_from_world[:, :3, 3], 1.7 * quaternions, np.array(fov)], axis=1)
    return stacked_depth(views)[..., None], one_plus_exp(views), encoding.astype(np.float32)


def da3(views):
    """Depth Anything 3: depth, 1 + exp confidence, world-to-camera (N, 3, 4), K whose first pixel centre is at 0."""
    return stacked_depth(views), one_plus_exp(views), invert(poses(views))[:, :3], integer_K(views)


def mapanything(views):
    """MapAnything: depth with a last axis, 1 + exp confidence, camera-to-world, K whose first pixel centre is at 0."""
    return stacked_depth(views)[..., None], one_plus_exp(views), poses(views), integer_K(views)


def poses(views):
    return np.array([v.camera.world_from_cam for v in views])


def stacked_depth(views):
    return np.array([v.z for v in views])


def one_plus_exp(views):
    logits = np.array([np.log(v.confidence / (1 - v.confidence)) for v in views])
    return 1 + np.exp(logits)


def integer_K(views):
    return np.array([room.integer_K(v.camera) for v in views])


def _confidence(z):
    """Something that differs from pixel to pixel, the nearer the surer, in 0.2 .. 0.95."""
    return (0.2 + 0.75 / (1 + z)).astype(np.float32)
