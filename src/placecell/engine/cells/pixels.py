"""From a pixel to the place it shows, and images as they were taken."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from placecell.engine.cells.context import CellContext
from placecell.engine.cells.quantities import SCALE
from placecell.engine.cells.uncertain import measured, source_of
from placecell.engine.cells.values import PointValue
from placecell.engine.cells.vectors import Vec
from placecell.engine.derived import derived
from placecell.engine.registry import implements_in_cells
from placecell.engine.values import Absent, Evidence, Picture
from placecell.errors import PlacecellError
from placecell.geometry.camera import Camera
from placecell.geometry.picking import box_entry, first_point
from placecell.geometry.transforms import Array
from placecell.language.types import Kind
from placecell.memory.scene import DepthMap, Frame, SpatialMemory

_PIXELS_BESIDE = 1.5
"""A point of the cloud within so many pixels of the ray is on it."""

_BESIDE = 2
"""Noise of depth is read from so many pixels on every side."""
_MEDIAN_OF_NORMAL = 0.6745
"""Of the size of a normal error, as a share of its standard deviation."""


@implements_in_cells("locate_pixel")
def locate_pixel(context: CellContext, image: int, x: float, y: float) -> PointValue | Absent:
    """By the image's depth, else by what its ray meets first."""
    memory = context.scene
    frame = _frame(memory, image, Kind.POINT)
    if isinstance(frame, Absent):
        return frame
    if frame.camera is None:
        return Absent(Kind.POINT, "image not placed", f"where image {image} was taken is not known")
    if not (0 <= x < frame.width and 0 <= y < frame.height):
        size = f"{frame.width} x {frame.height} pixels"
        return Absent(Kind.POINT, "not seen", f"image {image} has {size}, so none at ({x:g}, {y:g})")
    found = None if frame.depth is None else _by_depth(frame.depth, frame, x, y)
    flags: tuple[str, ...] = ()
    if found is None:
        found, flags = _by_ray(memory, frame.camera, x, y), ("by the first surface on its ray",)
    if found is None:
        return Absent(Kind.POINT, "no points", f"nothing is known of what pixel ({x:g}, {y:g}) of image {image} shows")
    source = source_of("pixel", image, x, y)
    along = measured(0.0, 1.0, f"{source} along its ray")
    spread = Vec.around(found.place, found.sd, source).plus(Vec(*(along.times(float(step)) for step in found.along)))
    spread = spread.scaled_by(context.scale_error, SCALE)
    label = f"the point at pixel ({x:g}, {y:g}) of image {image}"
    return PointValue(spread, memory.unit, label, evidence=Evidence((image,), (), 1, flags))


class _Found(NamedTuple):
    """A point (3,) of the world, its standard deviation along each axis, and one more (3,) along its ray."""

    place: Array
    sd: float
    along: Array = np.zeros(3)


def _by_depth(depth: DepthMap, frame: Frame, x: float, y: float) -> _Found | None:
    """The point as its depth tells it; None where that is unknown. Across its ray it is known to a pixel."""
    height, width = depth.z.shape
    u, v = x * width / frame.width, y * height / frame.height
    row, column = min(int(v), height - 1), min(int(u), width - 1)
    z = float(depth.z[row, column])
    if not (z > 0 and math.isfinite(z)):
        return None
    point = np.asarray(depth.camera.unproject_pixels(np.array([u, v]), np.array(z)), np.float64)
    footprint = z / float(depth.camera.K[0, 0])
    along = (point - depth.camera.centre) * (_noise(depth.z, row, column) / z)
    return _Found(point, footprint / math.sqrt(12.0), along)


def _noise(z: NDArray[np.float32], row: int, column: int) -> float:
    """Noise of depth around a pixel: what is left of it where neighbours lie on a straight line.

    The second difference of three independent values has sqrt(6) times their deviation. The median of all around the
    pixel is taken, which a step to what is behind does not move.
    """
    around = z[max(row - _BESIDE, 0) : row + _BESIDE + 1, max(column - _BESIDE, 0) : column + _BESIDE + 1]
    known = np.where((around > 0) & np.isfinite(around), around, np.nan).astype(np.float64)
    bends = np.concatenate([np.diff(known, 2, axis=axis).ravel() for axis in (0, 1)])
    bends = np.abs(bends[np.isfinite(bends)])
    return float(np.median(bends)) / (_MEDIAN_OF_NORMAL * math.sqrt(6.0)) if len(bends) else 0.0


def _by_ray(memory: SpatialMemory, camera: Camera, x: float, y: float) -> _Found | None:
    """The first point of the cloud on the ray, or where it enters the first box when there is no cloud."""
    eye = camera.centre
    way = np.asarray(camera.unproject_pixels(np.array([x, y]), np.array(1.0)), np.float64) - eye
    way /= np.linalg.norm(way)
    if len(memory.cloud):
        slope = _PIXELS_BESIDE / float(camera.K[0, 0])
        spacing = derived(memory).spacing
        nearest = first_point(memory.cloud.points, eye, way, slope, spacing / 2)
        return None if nearest is None else _Found(memory.cloud.points[nearest].astype(np.float64), spacing)
    entries = [(entry, thing) for thing in memory.instances if (entry := box_entry(thing.box, eye, way)) is not None]
    if not entries:
        return None
    entry, thing = min(entries, key=lambda pair: pair[0])
    return _Found(eye + entry * way, thing.face_sd(-way))


@implements_in_cells("photo_of")
def photo_of(context: CellContext, image: int) -> Picture | Absent:
    """The image, no larger than pictures are made."""
    frame = _frame(context.scene, image, Kind.PICTURE)
    if isinstance(frame, Absent):
        return frame
    size = context.pictures.size
    over = context.picture_exceeded(min(frame.width, size) * min(frame.height, size))
    if over is not None:
        return over
    try:
        photo = Image.fromarray(frame.rgb)
    except PlacecellError as error:
        return Absent(Kind.PICTURE, "not available", f"image {image} cannot be read: {error.message}")
    photo.thumbnail((size, size))
    return Picture(np.asarray(photo), "photo", f"image {image}", evidence=Evidence(frames=(image,)))


def _frame(memory: SpatialMemory, image: int, kind: str) -> Frame | Absent:
    found = next((f for f in memory.frames if f.number == image), None)
    message = f"there is no image {image}; the memory has {memory.describe_numbers()}"
    return found or Absent(kind, "no such image", message)
