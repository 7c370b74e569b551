"""Cameras for pictures: the viewer's own, the Think3D ego and global views of an anchor photo, and the top view.

Knows angles and framing; draws nothing. Azimuth is positive to the right in every mode. In ego mode the centre stays
at the anchor and elevation is positive upwards; in global mode the camera orbits the scene's middle and elevation is
positive from higher up. (After Think3D, equations 3 and 7; its own angles are in ``published``.)
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from placecell.engine.viewpoint import Viewpoint
from placecell.geometry import transforms
from placecell.geometry.camera import Camera, OrthoCamera

Array = NDArray[np.float64]

GLOBAL_FOV = 50.0
_ASPECT = 3 / 4
_MARGIN = 1.06


def viewer_camera(here: Viewpoint, size: int, fov: float | None, default_fov: float) -> Camera:
    """The camera of a viewpoint: with the photo's intrinsics where a photo lends them, unless ``fov`` is stated."""
    if here.camera is not None:
        return _with_fov(here.camera, here.eye, size, fov)
    return Camera.from_fov(fov or default_fov, size, max(1, round(size * _ASPECT)), here.eye)


def ego_camera(anchor: Camera, azimuth: float, elevation: float, size: int, fov: float | None = None) -> Camera:
    """From the anchor's centre, turned right about its own vertical axis, then up; (0, 0) is the anchor exactly.

    No roll is added: R_anchor * yaw(azimuth) * pitch(elevation).
    """
    turned = transforms.compose(anchor.world_from_cam, transforms.yaw(azimuth), transforms.pitch(elevation))
    return _with_fov(anchor, turned, size, fov)


def global_camera(anchor: Array, points: Array, azimuth: float, elevation: float, size: int) -> Camera:
    """An orbit around the middle of ``points`` (N, 3) that shows them all, starting behind the heading of ``anchor``.

    Azimuth +90 looks to the anchor's right; elevation 90 is straight down with the heading towards the page's top.
    """
    pose = transforms.turn(transforms.level(anchor), right=azimuth, up=-elevation)
    return orbiting(pose, points, size)


def orbiting(pose: Array, points: Array, size: int) -> Camera:
    """A camera that looks as ``pose`` (4, 4) does, far enough from the middle of ``points`` (N, 3) to show them all."""
    centre = (points.min(axis=0) + points.max(axis=0)) / 2
    height = max(1, round(size * _ASPECT))
    half_x = math.tan(math.radians(GLOBAL_FOV / 2))
    half_y = half_x * height / size
    seen = (points - centre) @ pose[:3, :3]
    needs = np.maximum(np.abs(seen[:, 0]) / half_x, np.abs(seen[:, 1]) / half_y) * _MARGIN - seen[:, 2]
    radius = float(np.linalg.norm(points - centre, axis=1).max())
    placed = pose.copy()
    placed[:3, 3] = centre - max(float(needs.max()), 0.5 * radius, 1e-6) * pose[:3, 2]
    return Camera.from_fov(GLOBAL_FOV, size, height, placed)


def top_camera(points: Array, heading: float, ceiling: float, width: int, height: int) -> OrthoCamera:
    """Straight down on points (N, 3), with the compass direction ``heading`` (degrees) towards the page's top.

    Equal scale on both axes, as large as ``width`` and ``height`` allow; neither side is less than half the other.
    """
    turn = math.radians(heading)
    up = np.array([math.sin(turn), 0.0, -math.cos(turn)])
    right = np.array([math.cos(turn), 0.0, math.sin(turn)])
    across, along = points @ right, points @ up
    wide, long = max(float(np.ptp(across)), 1e-6), max(float(np.ptp(along)), 1e-6)
    wide, long = max(wide, long / 2), max(long, wide / 2)
    scale = max(wide / width, long / height)
    centre = (across.min() + across.max()) / 2 * right + (along.min() + along.max()) / 2 * up
    centre[1] = ceiling
    pose = transforms.rigid(np.stack([right, -up, [0.0, -1.0, 0.0]], axis=-1), centre)
    return OrthoCamera(scale, math.ceil(wide / scale - 1e-9), math.ceil(long / scale - 1e-9), pose)


def _with_fov(camera: Camera, world_from_cam: Array, size: int, fov: float | None) -> Camera:
    """``camera`` at a pose, its longer side ``size``; with another field of view, of the same aspect and centred."""
    scale = size / max(camera.width, camera.height)
    width, height = max(1, round(camera.width * scale)), max(1, round(camera.height * scale))
    if fov is None:
        return camera.posed(world_from_cam).resized(width, height)
    return Camera.from_fov(fov, width, height, world_from_cam)
