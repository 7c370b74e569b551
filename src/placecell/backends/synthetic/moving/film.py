"""Filming a moving scene: an RGB-D video with known cameras and true masks, and the true tracks that go with it.

Knows: what a camera delivers and what is true at each frame. Does not know: how tracks are found.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from placecell.backends.synthetic.capture import frame_of
from placecell.backends.synthetic.moving.bodies import MOVERS, NEVER_THERE, PROPS
from placecell.backends.synthetic.moving.scene import Mover, MovingScene
from placecell.backends.synthetic.moving.stage import FOV_X
from placecell.backends.synthetic.render import Shot, flat, shoot
from placecell.geometry.transforms import Array, apply, rotate
from placecell.memory.ports import FrameLabels, Labels, Reconstruction
from placecell.memory.scene import Scale, SpatialMemory
from placecell.memory.track import Track, true_track

SIZE = (160, 120)
_FOLLOWS_M = 1.0


def vocabulary() -> frozenset[str]:
    """Every name that was looked for in a scene: what may be there, and what never is."""
    return frozenset({*MOVERS, *PROPS, *NEVER_THERE})


def film(
    scene: MovingScene,
    *,
    size: tuple[int, int] = SIZE,
    fov_x: float = FOV_X,
    depth_sd: float = 0.0,
    lit: bool = False,
    seed: int = 0,
) -> Reconstruction:
    """The video as an RGB-D camera with known poses would deliver it, in the scene's own world, with true masks.

    ``size`` is (width, height). ``depth_sd``: noise of depth relative to itself. ``lit`` paints light and patterns,
    without it each thing is one flat colour, five times faster.
    """
    cameras = scene.cameras(size, fov_x)
    lights = scene.lights

    def shot(k: int) -> Shot:
        packed = scene.packed(k)
        return shoot(packed, cameras[k], lights) if lit else flat(packed, cameras[k])

    with ThreadPoolExecutor(min(4, os.cpu_count() or 1)) as pool:
        shots = list(pool.map(shot, range(len(cameras))))
    rng = np.random.default_rng([scene.seed, seed, 12])
    frames = tuple(
        frame_of(k + 1, shots[k], cameras[k], depth_sd, rng, float(scene.times[k])) for k in range(len(cameras))
    )
    return Reconstruction(
        frames=frames,
        scale=Scale("metric", "synthetic"),
        backend="synthetic",
        settings={"scene": scene.seed, "camera": scene.camera_act, "movers": len(scene.movers), "depth_sd": depth_sd},
        up=np.array([0.0, 1.0, 0.0]),
        labels=Labels("instance", scene.names, {k + 1: FrameLabels(shot.owner) for k, shot in enumerate(shots)}),
        vocabulary=vocabulary(),
        depth_sd=max(depth_sd, 1e-4),
    )


def true_tracks(scene: MovingScene, video: Reconstruction) -> tuple[Track, ...]:
    """What a perfect tracker would find: every mover's centre, turning and front at each frame, and where it shows."""
    if video.labels is None:
        raise ValueError("a video without true masks has no true tracks")
    owners = [video.labels.frames[k + 1].ids for k in range(len(scene.times))]
    found = []
    for mover in scene.movers:
        pixels, boxes = shown(owners, mover.id)
        if pixels.any():
            found.append(_true_track(scene, mover, pixels, boxes))
    return tuple(found)


def _true_track(scene: MovingScene, mover: Mover, pixels: NDArray[np.int64], boxes: NDArray[np.int64]) -> Track:
    headings = scene.headings(mover)
    # A right turn is clockwise from above, negative about the world's up.
    spin = np.zeros((len(headings), 3))
    spin[:, 1] = -np.gradient(headings, scene.times)
    return true_track(
        mover.id,
        mover.name,
        scene.times,
        scene.centres(mover),
        seen=pixels > 0,
        spin=spin if mover.faces else None,
        front_deg=headings if mover.faces else None,
        pixels=pixels,
        bbox=boxes,
        size=scene.box(mover, 0).longest,
        width=scene.box(mover, 0).widest,
    )


def shown(owners: list[NDArray[np.int32]], id_: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Pixels (N,) of a thing in each frame, and its box (N, 4): left, top, right, bottom, zeros where it is hidden."""
    pixels, boxes = np.zeros(len(owners), np.int64), np.zeros((len(owners), 4), np.int64)
    for k, owner in enumerate(owners):
        rows, columns = np.nonzero(owner == id_)
        pixels[k] = len(rows)
        if len(rows):
            boxes[k] = columns.min(), rows.min(), columns.max() + 1, rows.max() + 1
    return pixels, boxes


def with_fronts(memory: SpatialMemory, scene: MovingScene) -> SpatialMemory:
    """The memory of a filmed scene, each track told once, when first seen, where its front points.

    What a pose estimator would add to masks: the front of the mover of its name that it follows. A track that follows
    none, and one of a thing without a front, stays as it is.
    """
    world_from_scene = memory.alignment.world_from_recon
    return replace(memory, tracks=tuple(_with_front(track, scene, world_from_scene) for track in memory.tracks))


def _with_front(track: Track, scene: MovingScene, world_from_scene: Array) -> Track:
    index = np.clip(track.frames - 1, 0, len(scene.times) - 1)
    movers = [mover for mover in scene.named(track.name) if mover.faces]
    if not movers:
        return track

    def off(mover: Mover) -> float:
        centres = apply(world_from_scene, scene.centres(mover))[index]
        return float(np.median(np.linalg.norm(centres - track.centres, axis=1)))

    mover = min(movers, key=off)
    if off(mover) > _FOLLOWS_M:
        return track
    first = int(np.flatnonzero(track.seen)[0])
    ahead = rotate(world_from_scene, mover.poses(scene.passed)[index[first], :3, 2])
    front: Array = np.full(len(track.frames), np.nan)
    front[first] = np.degrees(np.arctan2(ahead[0], -ahead[2]))
    return replace(track, front_deg=front, front_from="label")
