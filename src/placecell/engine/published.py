"""The angles as the published Think3D checkpoints were trained on them: their convention, not ours.

In their ego views a positive elevation looks down, and the field of view is 140 degrees whatever the photo's. In their
global views the scene is turned in the anchor's own axes: azimuth +90 shows it from the anchor's right, and every view
looks 10 degrees further down than its elevation says. Framing and drawing are ours, so the picture is to scale.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from placecell.engine.cameras import ego_camera, orbiting
from placecell.engine.viewpoint import number
from placecell.geometry import transforms
from placecell.geometry.camera import Camera

Array = NDArray[np.float64]

EGO_FOV = 140.0
_EXTRA_TILT = 10.0


def ego(anchor: Camera, azimuth: float, elevation: float, size: int, fov: float | None = None) -> Camera:
    """From the anchor's centre: azimuth turns right, elevation turns *down*."""
    return ego_camera(anchor, azimuth, -elevation, size, fov or EGO_FOV)


def orbit(anchor: Array, points: Array, azimuth: float, elevation: float, size: int) -> Camera:
    """From outside, in the anchor's axes: turned *left* by ``azimuth``, then down by ``elevation`` + 10 degrees."""
    turned = transforms.compose(anchor, transforms.yaw(-azimuth), transforms.pitch(-elevation - _EXTRA_TILT))
    return orbiting(turned, points, size)


def words(orbit_pose: Array, anchor: Array, image: int) -> str:
    """Where such a view looks, in the world's terms."""
    if abs(orbit_pose[1, 2]) > 0.999:
        return "looking straight down"
    turn = float(transforms.wrap_degrees(transforms.heading(orbit_pose) - transforms.heading(anchor)))
    way = f"the way image {image} looks"
    if abs(turn) > 0.5:
        way = f"{number(abs(turn))} degrees {'right' if turn > 0 else 'left'} of {way}"
    tilt = float(transforms.elevation(orbit_pose))
    return f"looking {way}, {number(abs(tilt))} degrees {'up' if tilt > 0 else 'down'}"
