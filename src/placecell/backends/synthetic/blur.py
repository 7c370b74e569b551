"""Memories that are off by chance and say by how much: what an engine's uncertainty can be held against.

Knows: where a memory keeps what was measured. Does not know: pictures; cameras and cloud stay as they are.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from placecell.geometry.boxes import OrientedBox, gravity_box
from placecell.memory.rescale import rescaled
from placecell.memory.scene import Float32, Frame, Instance, Scale, SpatialMemory
from placecell.memory.track import Track


@dataclass(frozen=True)
class Blur:
    """Standard deviations: of box centres along each axis and of box sides in metres, of the scale as a share.

    ``track_m``: of the centre of a track along each axis, at each moment by itself. ``depth``: of each pixel's depth,
    as a share of it; a memory does not state that.
    """

    centre_m: float = 0.03
    side_m: float = 0.03
    scale: float = 0.0
    track_m: float = 0.03
    depth: float = 0.0


def blurred(memory: SpatialMemory, blur: Blur, seed: int = 0) -> SpatialMemory:
    """The memory with normal errors of these sizes in its objects, tracks and depth, stated where it keeps them.

    An object's points, where it has any, move with its box and stretch with its sides. The same seed makes the same
    errors. Only for memories of known scale.
    """
    rng = np.random.default_rng([seed, 17])
    instances = tuple(_instance(instance, blur, rng) for instance in memory.instances)
    tracks = tuple(_track(track, blur, rng) for track in memory.tracks)
    frames = tuple(_frame(frame, blur, rng) for frame in memory.frames) if blur.depth else memory.frames
    spoiled = replace(memory, instances=instances, tracks=tracks, frames=frames)
    if not blur.scale:
        return spoiled
    factor = float(1 + blur.scale * rng.standard_normal())
    scale = Scale("metric", "sensor", blur.scale)
    return replace(rescaled(spoiled, factor, scale, "blurred"), version=memory.version, edits=memory.edits)


def _frame(frame: Frame, blur: Blur, rng: np.random.Generator) -> Frame:
    if frame.depth is None:
        return frame
    z = frame.depth.z * (1 + blur.depth * rng.standard_normal(frame.depth.z.shape))
    return replace(frame, depth=replace(frame.depth, z=z.astype(np.float32)))


def _instance(instance: Instance, blur: Blur, rng: np.random.Generator) -> Instance:
    box = instance.box
    shift = blur.centre_m * rng.standard_normal(3)
    sides = np.maximum(box.size + blur.side_m * rng.standard_normal(3), 0.005)
    moved = OrientedBox(box.centre + shift, box.axes, sides)
    return replace(
        instance,
        box=moved,
        upright_box=gravity_box(moved.corners),
        points=_stretched(instance.points, box, moved),
        centre_sd=blur.centre_m,
        size_sd=blur.side_m,
    )


def _stretched(points: Float32, box: OrientedBox, moved: OrientedBox) -> Float32:
    if not len(points):
        return points
    local = (points - box.centre) @ box.axes.T * (moved.size / np.maximum(box.size, 1e-9))
    return np.asarray(moved.centre + local @ moved.axes, dtype=np.float32)


def _track(track: Track, blur: Blur, rng: np.random.Generator) -> Track:
    centres = track.centres + blur.track_m * rng.standard_normal(track.centres.shape)
    return replace(track, centres=centres, centre_sd=np.full(len(centres), blur.track_m))
