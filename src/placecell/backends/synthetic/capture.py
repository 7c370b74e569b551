"""Photographing a synthetic room: a posed RGB-D capture with true labels, in memory or as files.

Knows: how a capture differs from the truth (its own frame, noise). Does not know: what a memory makes of it.
"""

from __future__ import annotations

import hashlib
import json
import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image
from scipy.spatial.transform import Rotation

from placecell.backends.synthetic.furnish import LEVELS, MAKERS, make_room
from placecell.backends.synthetic.path import Views, around, rolled
from placecell.backends.synthetic.render import Shot, flat, shoot
from placecell.backends.synthetic.scene import SyntheticRoom
from placecell.errors import UserError
from placecell.geometry.camera import Camera
from placecell.geometry.transforms import Array, invert, rigid
from placecell.memory.ports import FrameLabels, Labels, Reconstruction
from placecell.memory.scene import DepthMap, Frame, Scale

__all__ = ["Noise", "default_views", "make_room", "photograph", "vocabulary", "write_capture"]

_MILLIMETRES = 1000
# Files of this layout count pixels from the centre of the first one.
_HALF_PIXEL = np.array([[0, 0, 0.5], [0, 0, 0.5], [0, 0, 0]])


@dataclass(frozen=True)
class Noise:
    """Standard deviations: depth relative to itself, camera places in metres, camera directions in degrees."""

    depth: float = 0.0
    place_m: float = 0.0
    turn_deg: float = 0.0


_EXACT = Noise()


def vocabulary() -> frozenset[str]:
    """Every name a room may hold, so that a memory of one knows what is absent."""
    return frozenset(MAKERS) - {"low table"} | {"table"}


def default_views(room: SyntheticRoom) -> Views:
    """The pictures a capture takes when nobody says which: fewer for hard levels, rolled for adversarial ones."""
    level = LEVELS[room.level]
    views = around(room, level.views)
    return rolled(views, seed=room.seed) if level.tilted else views


def photograph(
    room: SyntheticRoom,
    views: Views | None = None,
    *,
    size: tuple[int, int] = (320, 240),
    fov_x: float = 70.0,
    noise: Noise = _EXACT,
    frame: str | None = None,
    lit: bool = True,
    seed: int = 0,
) -> Reconstruction:
    """What an RGB-D camera with known poses would deliver, with true instance labels.

    ``size`` is (width, height). ``frame`` names the recon frame the poses come in: "world" (y up), "z-up" (gravity is
    known, but z is up and the heading is odd) or "camera" (the first camera's own axes; nobody knows where up is); the
    room's level decides when it is None. ``lit`` False paints each object in one flat colour, five times faster.
    """
    views = default_views(room) if views is None else views
    recon_from_world, up = _recon_frame(frame or LEVELS[room.level].frame, views)
    rng = np.random.default_rng([room.seed, seed, 6])
    cameras = [Camera.from_fov(fov_x, *size, pose) for pose in views.world_from_cam]
    packed, lights = room.packed, room.lights
    with ThreadPoolExecutor(min(4, os.cpu_count() or 1)) as pool:
        shots = list(pool.map(lambda camera: shoot(packed, camera, lights) if lit else flat(packed, camera), cameras))
    frames, labels = [], {}
    for number, (camera, shot) in enumerate(zip(cameras, shots, strict=True), start=1):
        seen = camera.posed(recon_from_world @ _shaken(camera.world_from_cam, noise, rng))
        time_s = None if views.every_s is None else (number - 1) * views.every_s
        frames.append(frame_of(number, shot, seen, noise.depth, rng, time_s))
        labels[number] = FrameLabels(shot.owner)
    return Reconstruction(
        frames=tuple(frames),
        scale=Scale("metric", "synthetic"),
        backend="synthetic",
        settings={
            "seed": room.seed,
            "level": room.level,
            "theme": room.theme,
            "noise": [noise.depth, noise.place_m, noise.turn_deg],
        },
        up=up,
        labels=Labels("instance", {thing.id: thing.name for thing in room.objects}, labels),
        vocabulary=vocabulary(),
        depth_sd=max(noise.depth, 1e-4),
    )


def write_capture(capture: Reconstruction, folder: Path) -> None:
    """Writes a photographed room as a 7-Scenes style folder with ``labels/``; depth in whole millimetres, 0 = unknown.

    ``frame-000000.color.png`` is image 1. UserError when the folder exists and is not empty.
    """
    if folder.exists() and any(folder.iterdir()):
        raise UserError(f"{folder} is not empty", hint="name a new folder for the capture")
    (folder / "labels").mkdir(parents=True, exist_ok=True)
    for frame in capture.frames:
        stem = frame.name.removesuffix(".color.png")
        Image.fromarray(frame.rgb).save(folder / frame.name)
        if frame.camera is not None:
            np.savetxt(folder / f"{stem}.pose.txt", frame.camera.world_from_cam, fmt="%.9f")
            np.savetxt(folder / "camera-intrinsics.txt", frame.camera.K - _HALF_PIXEL, fmt="%.6f")
        if frame.depth is not None:
            millimetres = np.rint(frame.depth.z * _MILLIMETRES).astype(np.uint16)
            Image.fromarray(millimetres).save(folder / f"{stem}.depth.png")
        if capture.labels is not None:
            kind = np.uint8 if len(capture.labels.names) < 256 else np.uint16
            ids = capture.labels.frames[frame.number].ids.astype(kind)
            Image.fromarray(ids).save(folder / "labels" / frame.name)
    if capture.labels is not None:
        names = {str(k): name for k, name in sorted(capture.labels.names.items())}
        text = json.dumps({"kind": capture.labels.kind, "names": names}, indent=1)
        (folder / "labels" / "labels.json").write_text(text + "\n", encoding="utf-8")


def frame_of(
    number: int, shot: Shot, camera: Camera, depth_sd: float, rng: np.random.Generator, time_s: float | None
) -> Frame:
    """A rendered picture as a frame, its depth noisy by ``depth_sd`` relative to itself."""
    rgb, depth = shot.rgb, shot.depth
    if depth_sd > 0:
        depth = (depth * (1 + depth_sd * rng.standard_normal(depth.shape))).astype(np.float32)
    rgb.flags.writeable = depth.flags.writeable = False
    return Frame(
        number=number,
        name=f"frame-{number - 1:06d}.color.png",
        digest=hashlib.sha256(rgb.tobytes()).hexdigest(),
        width=camera.width,
        height=camera.height,
        read_rgb=lambda: rgb,
        camera=camera,
        depth=DepthMap(depth, camera),
        time_s=time_s,
        original_size=(camera.width, camera.height),
    )


def _recon_frame(name: str, views: Views) -> tuple[Array, Array | None]:
    if name == "world":
        return np.eye(4), np.array([0.0, 1.0, 0.0])
    if name == "z-up":
        rotation = Rotation.from_euler("xz", [90, 37], degrees=True)
        return rigid(rotation, (1.3, -0.4, 0.2)), np.array([0.0, 0.0, 1.0])
    if name == "camera":
        return invert(views.world_from_cam[0]), None
    raise UserError(f"unknown frame {name!r} for a capture", hint="use world, z-up or camera")


def _shaken(pose: Array, noise: Noise, rng: np.random.Generator) -> Array:
    if noise.place_m == 0 and noise.turn_deg == 0:
        return pose
    vector = rng.standard_normal(3) * np.radians(noise.turn_deg)
    shift = rng.standard_normal(3) * noise.place_m
    out = pose @ rigid(Rotation.from_rotvec(vector))
    out[:3, 3] += shift
    return out
