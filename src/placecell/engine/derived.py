"""Facts of a memory that are worked out once and used by many operations: extent, eye height, search trees, ways.

A memory never changes, so they are kept as long as it lives and forgotten with it.
"""

from __future__ import annotations

from functools import cached_property
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import KDTree

from placecell.engine.viewpoint import STEP_FRACTION
from placecell.engine.ways import smoothed
from placecell.geometry.cloud import Cloud, Extent, fuse, robust_extent, typical_spacing
from placecell.memory.scene import Instance, SpatialMemory
from placecell.memory.track import Track

Array = NDArray[np.float64]

_FEW_POINTS = 32
"""Fewer points than this do not show where a thing ends; its box does."""

_SAMPLE = 5000
_CELL = 2.0  # standard deviations of an object's sides across a cell in which its points are averaged


class Derived:
    """What ``derived(memory)`` knows."""

    def __init__(self, memory: SpatialMemory) -> None:
        self._cloud = memory.cloud
        self._room_height = memory.layout.height
        self._cameras = np.array([f.camera.centre for f in memory.frames if f.camera is not None]).reshape(-1, 3)
        self._corners = np.array([i.box.corners for i in memory.instances]).reshape(-1, 3)

    @cached_property
    def extent(self) -> Extent | None:
        """Bounds of the scene without stray points; of boxes and cameras when there is no cloud; None for nothing."""
        parts = [self._corners, self._cameras]
        if len(self._cloud):
            bounds = robust_extent(self._cloud.points)
            parts.append(np.stack([bounds.low, bounds.high]))
        known = np.concatenate(parts)
        return Extent(known.min(axis=0), known.max(axis=0)) if len(known) else None

    @cached_property
    def outline(self) -> Array:
        """Up to a few thousand points (N, 3) that a picture of the whole scene must hold, without strays."""
        if self.extent is None:
            return np.zeros((0, 3))
        sample = self._cloud.points[:: max(1, len(self._cloud) // _SAMPLE)].astype(np.float64)
        inside = ((sample >= self.extent.low) & (sample <= self.extent.high)).all(axis=1)
        return np.concatenate([sample[inside], self._corners]) if inside.any() else _corners_of(self.extent)

    @cached_property
    def step(self) -> float:
        """Length of a step that states none; 0 when the scene has no extent."""
        return 0.0 if self.extent is None else STEP_FRACTION * float(max(self.extent.size[0], self.extent.size[2]))

    @cached_property
    def eye_height(self) -> float | None:
        """How high the cameras were held, as a world y: their median. None without cameras."""
        return float(np.median(self._cameras[:, 1])) if len(self._cameras) else None

    @cached_property
    def spacing(self) -> float:
        """Distance between neighbouring points of the cloud; a small share of the scene when that cannot be told."""
        spacing = typical_spacing(self._cloud.points)
        return spacing if spacing > 0 else max(0.1 * self.step, 1e-3)

    @cached_property
    def near(self) -> float:
        """How close to the eye a point may be and still be drawn."""
        return min(0.05, 0.1 * self.step) if self.step > 0 else 1e-3

    @cached_property
    def cut_height(self) -> float | None:
        """World y above which a top view leaves everything out, so that one looks under the ceiling.

        A hand's breadth above the heads: 1.3 times as high as the cameras were held, below the ceiling when the memory
        knows it. None when there is nothing to go by.
        """
        if self.extent is None:
            return None
        floor, top = float(self.extent.low[1]), float(self.extent.high[1])
        room = self._room_height
        if self.eye_height is None or self.eye_height <= floor:
            return None if room is None else floor + 0.9 * room
        cut = self.eye_height + 0.3 * (self.eye_height - floor)
        if room is not None:
            cut = min(max(cut, floor + 0.6 * room), floor + 0.9 * room)
        return cut if cut < top else None


_DERIVED: WeakKeyDictionary[SpatialMemory, Derived] = WeakKeyDictionary()
_TREES: WeakKeyDictionary[Instance, KDTree] = WeakKeyDictionary()
_WAYS: WeakKeyDictionary[Track, Array] = WeakKeyDictionary()


def _corners_of(extent: Extent) -> Array:
    low, high = extent
    return np.array([[x, y, z] for x in (low[0], high[0]) for y in (low[1], high[1]) for z in (low[2], high[2])])


def derived(memory: SpatialMemory) -> Derived:
    """The derived facts of ``memory``, made on first use."""
    found = _DERIVED.get(memory)
    if found is None:
        found = _DERIVED.setdefault(memory, Derived(memory))
    return found


def surface_points(instance: Instance) -> Array:
    """Points (N, 3) to measure to: averaged over cells of a few standard deviations of the object's sides.

    The closest of many noisy points is too close; averaging takes the noise out before it is looked for.
    """
    return np.asarray(tree(instance).data)


def tree(instance: Instance) -> KDTree:
    """Search tree over ``surface_points``, made on first use."""
    found = _TREES.get(instance)
    if found is None:
        points = instance.points
        extent = float(np.ptp(points, axis=0).max(initial=0.0)) if len(points) else 0.0
        if 0 < _CELL * instance.size_sd < extent < _CELL * instance.size_sd * 1e5:
            points = fuse(Cloud.of_points(points), _CELL * instance.size_sd).points
        made = KDTree(points.astype(np.float64), balanced_tree=False, compact_nodes=False)
        found = _TREES.setdefault(instance, made)
    return found


def way_along(track: Track) -> Array:
    """Where a track was (N, 3) at its moments, smoothed (``ways.smoothed``), made on first use."""
    found = _WAYS.get(track)
    return _WAYS.setdefault(track, smoothed(track.times_s, track.centres)) if found is None else found


def has_surface(instance: Instance) -> bool:
    """Whether the points of ``instance`` show its surface well enough to measure to it."""
    return len(instance.points) >= _FEW_POINTS


def box_samples(instance: Instance, across: int) -> Array:
    """Points (N, 3) on the faces of an object's box, a grid of ``across`` along each side."""
    grid = np.linspace(-0.5, 0.5, across)
    cube = np.stack(np.meshgrid(grid, grid, grid, indexing="ij"), axis=-1).reshape(-1, 3)
    shell = cube[(np.abs(cube) == 0.5).any(axis=1)]
    return np.asarray(instance.box.centre + (shell * instance.box.size) @ instance.box.axes)
