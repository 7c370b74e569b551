"""Family: points given by pixels of a picture."""

from __future__ import annotations

from functools import cache

import numpy as np
from cell_forms import Told, form
from cell_truth import apart, bearing, flat
from cell_worlds import PICTURE_SIZE
from numpy.typing import NDArray

from placecell.backends.synthetic.capture import default_views
from placecell.backends.synthetic.render import look
from placecell.backends.synthetic.scene import SyntheticRoom
from placecell.backends.synthetic.truth import Sight
from placecell.geometry.camera import Camera
from placecell.geometry.transforms import Array

FAMILY = "a point given by a pixel"


@cache
def _shot(room: SyntheticRoom, image: int) -> tuple[Camera, NDArray[np.float32]]:
    camera = Sight.of(room, default_views(room), PICTURE_SIZE).cameras[image - 1]
    return camera, look(room.packed, camera)[0]


def _point(room: SyntheticRoom, image: int, share: tuple[float, float]) -> tuple[Array, str, str] | None:
    """The point (3,) of a pixel at a share of the picture, and the pixel; None where depth is steep around it."""
    camera, depth = _shot(room, image)
    column, row = int(share[0] * camera.width), int(share[1] * camera.height)
    around = depth[row - 1 : row + 2, column - 1 : column + 2]
    if np.ptp(around) > 0.06 * around.mean():
        return None
    z = float(depth[row, column])
    x, y = column + 0.5, row + 0.5
    ray = np.array([(x - camera.K[0, 2]) / camera.K[0, 0], (y - camera.K[1, 2]) / camera.K[1, 1], 1.0])
    pose = camera.world_from_cam
    return pose[:3, :3] @ (z * ray) + pose[:3, 3], f"{x:g}", f"{y:g}"


@form(
    FAMILY,
    "How high above the floor is the point at pixel ({x}, {y}) of image {image}?",
    """
    p = locate_pixel({image}, {x}, {y})
    answer(in_frame(p, world_frame()).up)
    """,
    unit="m",
    world="pictures",
)
def height_of_a_pixel(room, image):
    found = _point(room, image, (0.4, 0.45))
    return Told(float(found[0][1]), {"x": found[1], "y": found[2]}) if found and found[0][1] > 0.3 else None


@form(
    FAMILY,
    "How far is the point at pixel ({x}, {y}) of image {image} from the middle of the {a}?",
    """
    p = locate_pixel({image}, {x}, {y})
    answer(length_of(p - centre_of(a)))
    """,
    unit="m",
    world="pictures",
)
def pixel_to_a_thing(room, image, a):
    found = _point(room, image, (0.6, 0.5))
    gap = apart(found[0], a.centre) if found else 0.0
    return Told(gap, {"x": found[1], "y": found[2]}) if found and gap > 0.5 else None


@form(
    FAMILY,
    "In image {image}, how far apart in the room are the points at pixels ({x}, {y}) and ({u}, {v})?",
    """
    p = locate_pixel({image}, {x}, {y})
    q = locate_pixel({image}, {u}, {v})
    answer(length_of(p - q))
    """,
    unit="m",
    world="pictures",
)
def between_two_pixels(room, image):
    p, q = _point(room, image, (0.25, 0.6)), _point(room, image, (0.8, 0.7))
    if not p or not q or apart(p[0], q[0]) < 0.5:
        return None
    return Told(apart(p[0], q[0]), {"x": p[1], "y": p[2], "u": q[1], "v": q[2]})


@form(
    FAMILY,
    "You stand at the {a} and face the {b}. By how many degrees do you turn right to face what pixel ({x}, {y}) of "
    "image {image} shows?",
    """
    p = locate_pixel({image}, {x}, {y})
    answer(side_of(p, frame=standing_at(a, facing=b)).bearing)
    """,
    unit="degrees",
    world="pictures",
)
def turn_to_a_pixel(room, image, a, b):
    found = _point(room, image, (0.5, 0.55))
    if not found or min(apart(flat(a.centre), flat(q)) for q in (b.centre, found[0])) < 0.8:
        return None
    degrees = bearing(a.centre, b.centre - a.centre, found[0])
    return Told(degrees, {"x": found[1], "y": found[2]}) if 10 < abs(degrees) < 160 else None
