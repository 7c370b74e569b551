"""What the camera did in a part of a video, in a film maker's words with signs.

Knows poses and how far away the scene is. The amounts are ``geometry.egomotion``'s.
"""

from __future__ import annotations

import numpy as np

from placecell.engine.movement import CameraMovement
from placecell.engine.values import Absent
from placecell.engine.windows import Window
from placecell.geometry.egomotion import STEPS, TURNS, Egomotion, egomotion, position_noise, simplified
from placecell.geometry.transforms import Array
from placecell.memory.scene import SpatialMemory

_SIGNS = {
    "pan": ("left", "right"),
    "tilt": ("down", "up"),
    "roll": ("counterclockwise", "clockwise"),
    "dolly": ("backward", "forward"),
    "truck": ("left", "right"),
    "pedestal": ("down", "up"),
}
_LEAST_DEG = 3.0
_LEAST_SHARE = 0.03
"""Steps shorter than this share of the scene's distance are sway, not a move; turns below ``_LEAST_DEG`` are too."""
_BESIDE = 0.3
"""A second turn or step is named when it is at least this share of the first."""
_ORBIT_DEG = 15.0


def camera_movement(memory: SpatialMemory, during: Window) -> CameraMovement | Absent:
    """The camera between two moments; Absent when fewer than two frames are placed then."""
    frames = [
        f for f in memory.posed_frames
        if f.time_s is not None and during.start_s - 1e-9 <= f.time_s <= during.end_s + 1e-9
    ]  # fmt: skip
    if len(frames) < 2:
        return Absent("motion", "image not placed", "the camera's way is not known in this part of the video")
    poses = np.array([f.camera.world_from_cam for f in frames if f.camera is not None])
    noise = position_noise(poses[:, :3, 3])
    motion = egomotion(poses)
    away = scene_distance(memory)
    least = max(3 * noise, _LEAST_SHARE * away)
    words = (*turn_words(motion), *step_words(motion, least))
    moving = bool(words) or _travelled(poses[:, :3, 3], least) or max(motion.total.get(t, 0) for t in TURNS) > 30
    span = (float(frames[0].time_s or 0.0), float(frames[-1].time_s or 0.0))
    return CameraMovement(span, motion, words or _no_net(motion, moving), moving, least, _LEAST_DEG)


def turn_words(motion: Egomotion) -> tuple[str, ...]:
    """ "pan right", "tilt up", "roll clockwise": the net turns, largest first."""
    return _words({n: motion.net[n] for n in TURNS}, _LEAST_DEG)


def step_words(motion: Egomotion, least: float) -> tuple[str, ...]:
    """ "dolly forward", "truck right", "pedestal up", "orbit clockwise": net moves, largest first."""
    right, up, forward = motion.displacement
    words = _words({"truck": right, "pedestal": up, "dolly": forward}, least)
    if abs(motion.orbit) >= _ORBIT_DEG and motion.total["truck"] >= least:
        words = (f"orbit {'clockwise' if motion.orbit > 0 else 'counterclockwise'}", *words)
    return words


def _words(amounts: dict[str, float], least: float) -> tuple[str, ...]:
    top = max(abs(v) for v in amounts.values())
    enough = {n: v for n, v in amounts.items() if abs(v) >= max(least, _BESIDE * top)}
    return tuple(f"{n} {_SIGNS[n][int(v > 0)]}" for n, v in sorted(enough.items(), key=lambda item: -abs(item[1])))


def _no_net(motion: Egomotion, moving: bool) -> tuple[str, ...]:
    """Words for a camera that ends where it began."""
    if not moving:
        return ("static",)
    back = [n for n in TURNS if motion.total[n] > 15]
    largest = max(back, key=lambda n: motion.total[n], default=max(STEPS, key=lambda n: motion.total[n]))
    return (f"{largest} back and forth",)


def _travelled(centres: Array, least: float) -> bool:
    return len(simplified(centres, least)) > 2


def scene_distance(memory: SpatialMemory) -> float:
    """How far away things are: the median depth, else distance of the cloud, or of the tracks; 0 when unknown."""
    depths = [np.median(z) for f in memory.frames[:: max(1, len(memory.frames) // 8)]
              if f.depth is not None and len(z := f.depth.z[::8, ::8][f.depth.z[::8, ::8] > 0])]  # fmt: skip
    if depths:
        return float(np.median(depths))
    cameras = np.array([f.camera.centre for f in memory.posed_frames if f.camera is not None])
    points = [memory.cloud.points[::101].astype(np.float64), *(t.centres for t in memory.tracks)]
    known = next((p for p in points if len(p)), None)
    if known is None or not len(cameras):
        return 0.0
    return float(np.median(np.linalg.norm(known - cameras.mean(axis=0), axis=1)))
