"""Exact facts about a room and pictures of it, computed from its solids: what every answer is checked against.

Knows: boxes, surfaces, rays. Does not know: wordings, memories or the engine, whose geometry it deliberately does not
use. Distances are metres, bearings degrees (positive right, 0 ahead).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import lsq_linear
from scipy.spatial import ConvexHull, cKDTree

from placecell.backends.synthetic.layout import inside
from placecell.backends.synthetic.path import Views
from placecell.backends.synthetic.render import look
from placecell.backends.synthetic.scene import SyntheticObject, SyntheticRoom
from placecell.backends.synthetic.shapes import pack
from placecell.geometry.camera import Camera
from placecell.geometry.transforms import Array, apply, invert

_CELL_M = 0.1


def box_distance(a: SyntheticObject, b: SyntheticObject) -> float:
    """Distance between the closest points of two true boxes, as a bounded least squares problem (0 when they meet)."""
    # A point of a box is centre + axes.T @ w with |w| <= half; the closest pair minimises the difference's length.
    difference = np.concatenate([a.box.axes.T, -b.box.axes.T], axis=1)
    half = np.concatenate([a.box.size, b.box.size]) / 2
    fit = lsq_linear(difference, b.box.centre - a.box.centre, bounds=(-half, half), method="bvls", tol=1e-14)
    return float(np.linalg.norm(difference @ fit.x - (b.box.centre - a.box.centre)))


def surface_distance(a: SyntheticObject, b: SyntheticObject, spacing: float = 0.03) -> float:
    """Distance between the closest points of two surfaces, from samples (up to about ``spacing`` too long)."""
    gaps, _ = cKDTree(a.surface(spacing)).query(b.surface(spacing))
    return float(np.min(gaps))


def turned_side(thing: SyntheticObject) -> float:
    """How much the longest side of a box could differ from the true box's, as a share, if someone turned the box.

    Looks at all boxes turned about one axis of the object that are at most 2 % larger than its own box.
    """
    local = thing.surface(0.05) @ thing.box.axes.T
    corners = local[ConvexHull(local).vertices]
    own = np.ptp(corners, axis=0)
    worst = 0.0
    for axis in range(3):
        u, v = [k for k in range(3) if k != axis]
        for angle in np.radians(np.arange(3, 90, 3)):
            x = corners[:, u] * np.cos(angle) + corners[:, v] * np.sin(angle)
            y = corners[:, v] * np.cos(angle) - corners[:, u] * np.sin(angle)
            sides = np.array([own[axis], np.ptp(x), np.ptp(y)])
            if sides.prod() <= 1.02 * own.prod():
                worst = max(worst, abs(sides.max() / own.max() - 1))
    return worst


def bearing(world_from_cam: Array, point: Array) -> float:
    """Horizontal angle of a point seen from a camera, in degrees, positive right of its heading, in (-180, 180]."""
    return float(_bearings(world_from_cam, np.asarray(point)[None])[0])


def bearing_span(world_from_cam: Array, thing: SyntheticObject) -> tuple[float, float, float]:
    """(left end, middle, right end) in degrees of a thing's box; ends are continuous around the middle."""
    middle = bearing(world_from_cam, thing.centre)
    offsets = (_bearings(world_from_cam, thing.box.corners) - middle + 180) % 360 - 180
    return middle + float(offsets.min()), middle, middle + float(offsets.max())


def moved(from_: Array, to: Array) -> tuple[float, float, float]:
    """(right, up, forward) in metres of one camera seen from another, in the other's levelled heading."""
    forward = _heading(from_)
    shift = to[:3, 3] - from_[:3, 3]
    right = np.array([-forward[2], 0.0, forward[0]])
    return float(shift @ right), float(shift[1]), float(shift @ forward)


def floor_distance(world_from_cam: Array, thing: SyntheticObject) -> float:
    """Horizontal distance from a camera to the nearest part of a thing's box."""
    return float(thing.box.distance(np.array([world_from_cam[0, 3], thing.centre[1], world_from_cam[2, 3]])))


def quadrant_angle(stand: SyntheticObject, face: SyntheticObject, target: Array) -> float:
    """Clockwise angle in degrees, 0 to 360, from facing to the target, at the first thing's centre, seen from above."""
    ahead = (face.centre - stand.centre)[[0, 2]]
    towards = (np.asarray(target) - stand.centre)[[0, 2]]
    # Seen from above with x to the right, z points down the page, so a positive cross product is clockwise.
    return float(np.degrees(np.arctan2(ahead[0] * towards[1] - ahead[1] * towards[0], ahead @ towards)) % 360)


@dataclass(frozen=True, eq=False)
class Sight:
    """What pictures of a room show. ``cameras`` are in the room's world; rows are pictures, columns objects."""

    room: SyntheticRoom
    cameras: tuple[Camera, ...]

    @classmethod
    def of(cls, room: SyntheticRoom, views: Views, size: tuple[int, int] = (320, 240), fov_x: float = 70.0) -> Sight:
        return cls(room, tuple(Camera.from_fov(fov_x, *size, pose) for pose in views.world_from_cam))

    @cached_property
    def _seen(self) -> list[tuple[NDArray[np.float32], NDArray[np.int32]]]:
        return [look(self.room.packed, camera) for camera in self.cameras]

    @cached_property
    def pixels(self) -> NDArray[np.int64]:
        """(V, N) pixels of each object."""
        count = len(self.room.objects) + 1
        return np.array([np.bincount(owner.ravel(), minlength=count)[1:] for _, owner in self._seen])

    @cached_property
    def _alone(self) -> list[list[tuple[int, float]]]:
        """Per picture and object: its pixels if nothing stood before it, and how far behind what hides it it is."""
        rows = []
        packs = [
            pack([(thing.id, thing.world_from_object, part) for part in thing.parts]) for thing in self.room.objects
        ]
        for camera, (depth, _) in zip(self.cameras, self._seen, strict=True):
            row = []
            for thing, packed in zip(self.room.objects, packs, strict=True):
                window = _window(camera, thing)
                if window is None:
                    row.append((0, np.inf))
                    continue
                left, top, right, bottom = window
                z, owner = look(packed, camera.cropped(left, top, right - left, bottom - top))
                mask = owner > 0
                behind = (z - depth[top:bottom, left:right])[mask]
                row.append((len(behind), float(behind.min(initial=np.inf))))
            rows.append(row)
        return rows

    @cached_property
    def share(self) -> Array:
        """(V, N) visible share of each object, 0 to 1: neither hidden nor outside of the picture."""
        samples = [thing.surface(0.08) for thing in self.room.objects]
        rows = []
        for camera, pixels, alone in zip(self.cameras, self.pixels, self._alone, strict=True):
            row = []
            for surface, own, (free, _) in zip(samples, pixels, alone, strict=True):
                framed = camera.project(surface).in_view.mean() if own else 0.0
                row.append(own / max(free, 1) * framed)
            rows.append(row)
        return np.array(rows)

    def surely_absent(self, view: int, index: int) -> bool:
        """No pixel shows the object, and it is well outside the picture or at least 10 cm behind what hides it."""
        if self.pixels[view, index]:
            return False
        camera, thing = self.cameras[view], self.room.objects[index]
        free, gap = self._alone[view][index]
        return gap >= 0.1 if free else _window(camera, thing, margin=0.06) is None

    def may_show(self, view: int, index: int) -> bool:
        """Whether the object would reach into the picture if nothing stood before it."""
        return bool(self._alone[view][index][0])

    @cached_property
    def coverage(self) -> Array:
        """(N, 3) share of each side of the true box that some picture shows."""
        low = np.full((len(self.room.objects), 3), np.inf)
        high = -low
        for camera, (depth, owner) in zip(self.cameras, self._seen, strict=True):
            points = camera.unproject(depth)
            for k, thing in enumerate(self.room.objects):
                mine = points[owner == thing.id]
                if len(mine):
                    local = (mine - thing.box.centre) @ thing.box.axes.T
                    low[k], high[k] = np.minimum(low[k], local.min(axis=0)), np.maximum(high[k], local.max(axis=0))
        sizes = np.array([thing.box.size for thing in self.room.objects])
        return np.asarray(np.clip((high - low) / sizes, 0, 1))

    @cached_property
    def plan_coverage(self) -> float:
        """Share of 10 cm cells of the floor plan over which some picture shows anything, at any height."""
        low, high = self.room.outline.min(axis=0), self.room.outline.max(axis=0)
        shape = np.ceil((high - low) / _CELL_M).astype(int)
        hit = np.zeros(shape, bool)
        for camera, (depth, _) in zip(self.cameras, self._seen, strict=True):
            points = camera.unproject(depth).reshape(-1, 3)
            cells = np.floor((points[:, [0, 2]] - low) / _CELL_M).astype(int)
            cells = cells[((cells >= 0) & (cells < shape)).all(axis=1) & (points[:, 1] < self.room.height - 0.01)]
            hit[cells[:, 0], cells[:, 1]] = True
        middles = low + (np.stack(np.meshgrid(*map(np.arange, shape), indexing="ij"), axis=-1) + 0.5) * _CELL_M
        room = inside(self.room.outline, middles)
        return float(hit[room].mean())


def _bearings(world_from_cam: Array, points: Array) -> Array:
    forward = _heading(world_from_cam)
    offset = points - world_from_cam[:3, 3]
    right = offset[:, 2] * forward[0] - offset[:, 0] * forward[2]
    ahead = offset[:, 0] * forward[0] + offset[:, 2] * forward[2]
    return np.asarray(np.degrees(np.arctan2(right, ahead)))


def _heading(world_from_cam: Array) -> Array:
    forward = world_from_cam[:3, 2] * np.array([1.0, 0.0, 1.0])
    return np.asarray(forward / np.linalg.norm(forward))


def _window(camera: Camera, thing: SyntheticObject, margin: float = 0.0) -> tuple[int, int, int, int] | None:
    """Left, top, right, bottom in pixels around the projection of a thing's box, within the picture.

    None when it lies outside of the picture grown by ``margin`` of its width.
    """
    local = apply(invert(camera.world_from_cam), thing.box.corners)
    if (local[:, 2] < 0.05).any():
        return (0, 0, camera.width, camera.height) if (local[:, 2] > 0).any() else None
    pixels = local[:, :2] / local[:, 2:] * camera.K[[0, 1], [0, 1]] + camera.K[:2, 2]
    low, high = pixels.min(axis=0), pixels.max(axis=0)
    size, grow = np.array([camera.width, camera.height]), margin * camera.width
    if (high <= -grow).any() or (low >= size + grow).any():
        return None
    left, top = np.clip(np.floor(low), 0, size - 1).astype(int)
    right, bottom = np.clip(np.ceil(high), (left + 1, top + 1), size).astype(int)
    return int(left), int(top), int(right), int(bottom)
