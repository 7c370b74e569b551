"""What a click means: the surface point, object or camera that the ray through the clicked pixel meets first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from placecell.engine.places import length
from placecell.engine.surfaces import Surface
from placecell.engine.values import Length
from placecell.geometry.camera import Camera
from placecell.geometry.picking import box_entry, first_point, rectangle_hit
from placecell.memory.scene import Instance, SpatialMemory

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Ray:
    """Through a clicked pixel: ``slope`` is how far from it, per length along it, still counts as hit."""

    origin: Array
    direction: Array
    slope: float = 0.005


@dataclass(frozen=True, eq=False)
class Hit:
    """What was clicked. ``point`` (3,) lies on a surface; ``instance`` and ``frame`` are numbers."""

    point: Array | None = None
    instance: int | None = None
    frame: int | None = None


def frustum_corner(camera: Camera, depth: float) -> Array:
    """The bottom right corner (3,) of the picture plane at ``depth`` in the camera's axes, of a centred lens."""
    half_x, half_y = camera.width / 2 / camera.K[0, 0], camera.height / 2 / camera.K[1, 1]
    return depth * np.array([half_x, half_y, 1.0])


def pick(memory: SpatialMemory, surface: Surface, cameras: Sequence[int], depth: float, ray: Ray) -> Hit:
    """What a ray meets first.

    ``cameras``: the frames drawn as pictures in space, at ``depth`` before their eye. Where the surface was made from
    boxes the boxes themselves are hit.
    """
    index = (
        None if surface.boxes else first_point(surface.points, ray.origin, ray.direction, ray.slope, surface.spacing)
    )
    point = None if index is None else surface.points[index].astype(np.float64)
    reached = np.inf if point is None else float((point - ray.origin) @ ray.direction)
    thing = None
    if point is not None:
        thing = owner(memory, point, surface.spacing)
    else:
        entered = [(t, i) for i in memory.instances if (t := box_entry(i.box, ray.origin, ray.direction)) is not None]
        if entered:
            reached, thing = min(entered, key=lambda one: one[0])
            point = ray.origin + reached * ray.direction
    seen = _pictures(memory, cameras, depth, ray)
    nearest = min(seen, key=lambda number: seen[number], default=None)
    if nearest is not None and seen[nearest] < reached:
        return Hit(frame=nearest)
    return Hit(point, None if thing is None else thing.id)


def owner(memory: SpatialMemory, point: Array, margin: float = 0.0) -> Instance | None:
    """The object a surface point belongs to: of those whose box, grown by ``margin``, holds it the smallest."""
    holding = [i for i in memory.instances if i.box.contains(point, margin=margin + 2 * i.size_sd)]
    return min(holding, key=lambda i: i.box.volume, default=None)


def between(memory: SpatialMemory, a: Array, b: Array, spacing: float = 0.0) -> Length:
    """The straight distance of two clicked points of a surface whose points are ``spacing`` apart.

    What was aimed at lies anywhere between a point and its neighbour: evenly spread over ``spacing``, for both ends.
    """
    return length(memory, float(np.linalg.norm(b - a)), spacing / np.sqrt(6), np.stack([a, b]))


def _pictures(memory: SpatialMemory, cameras: Sequence[int], depth: float, ray: Ray) -> dict[int, float]:
    """How far along the ray each picture is that it meets."""
    met = {}
    for number in cameras:
        camera = memory.frame(number).camera
        if camera is not None:
            corner = frustum_corner(camera, depth)
            along = rectangle_hit(camera.world_from_cam, corner, ray.origin, ray.direction)
            if along is not None:
                met[number] = along
    return met
