"""A memory in another unit of length: every length it holds times one factor.

Knows where a memory keeps lengths. Does not know how the factor was found.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from placecell.geometry.boxes import OrientedBox
from placecell.geometry.camera import Camera
from placecell.geometry.transforms import Array
from placecell.memory.scene import Frame, Instance, Layout, Scale, SpatialMemory
from placecell.memory.track import Track


def rescaled(memory: SpatialMemory, factor: float, scale: Scale, detail: str) -> SpatialMemory:
    """The next version of ``memory``, its lengths times ``factor`` and its scale ``scale``; ids and pictures stay.

    The alignment stays rigid: it now turns a reconstruction that is ``factor`` times as large.
    """
    if not (factor > 0 and np.isfinite(factor)):
        raise ValueError(f"a scale factor is positive and finite, got {factor}")
    return memory.changed(
        "scale",
        detail,
        frames=tuple(_frame(frame, factor) for frame in memory.frames),
        cloud=replace(memory.cloud, points=memory.cloud.points * np.float32(factor)),
        scale=scale,
        alignment=replace(memory.alignment, world_from_recon=_moved(memory.alignment.world_from_recon, factor)),
        instances=tuple(_instance(i, factor) for i in memory.instances),
        layout=_layout(memory.layout, factor),
        retired=tuple(_instance(i, factor) for i in memory.retired),
        tracks=tuple(_track(track, factor) for track in memory.tracks),
    )


def _frame(frame: Frame, factor: float) -> Frame:
    depth = frame.depth
    return replace(
        frame,
        camera=None if frame.camera is None else _camera(frame.camera, factor),
        depth=None
        if depth is None
        else replace(depth, z=depth.z * np.float32(factor), camera=_camera(depth.camera, factor)),
    )


def _camera(camera: Camera, factor: float) -> Camera:
    return camera.posed(_moved(camera.world_from_cam, factor))


def _moved(a_from_b: Array, factor: float) -> Array:
    """A rigid transform whose two frames both grew by ``factor``: the same turn, a longer way."""
    scaled = np.array(a_from_b, dtype=np.float64)
    scaled[:3, 3] *= factor
    return scaled


def _instance(instance: Instance, factor: float) -> Instance:
    return replace(
        instance,
        box=_box(instance.box, factor),
        upright_box=_box(instance.upright_box, factor),
        points=instance.points * np.float32(factor),
        size_sd=instance.size_sd * factor,
        centre_sd=instance.centre_sd * factor,
        hidden_sd=instance.hidden_sd * factor,
    )


def _track(track: Track, factor: float) -> Track:
    return replace(
        track,
        centres=track.centres * factor,
        centre_sd=track.centre_sd * factor,
        size=track.size * factor,
        width=track.width * factor,
        drift=track.drift * factor,
    )


def _box(box: OrientedBox, factor: float) -> OrientedBox:
    return OrientedBox(box.centre * factor, box.axes, box.size * factor)


def _layout(layout: Layout, factor: float) -> Layout:
    return replace(
        layout,
        floor_area=None if layout.floor_area is None else layout.floor_area * factor**2,
        floor_area_sd=layout.floor_area_sd * factor**2,
        height=None if layout.height is None else layout.height * factor,
        outline=None if layout.outline is None else layout.outline * factor,
        walls=tuple(wall.scaled(factor) for wall in layout.walls),
    )
