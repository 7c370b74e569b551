"""Camera paths through a room: where somebody would stand and what they would look at.

Knows: free standing places, eye height, and a few ways of taking pictures. Does not know: pixels. Poses are
``world_from_cam`` (N, 4, 4) with OpenCV axes, in the room's world.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from placecell.backends.synthetic.layout import inside
from placecell.backends.synthetic.scene import SyntheticObject, SyntheticRoom
from placecell.geometry.transforms import Array, look_at, rigid, step, turn

EYE_M = 1.5
_CLEAR_M = 0.3


@dataclass(frozen=True, eq=False)
class Views:
    """``world_from_cam`` (N, 4, 4); ``every_s``: seconds between pictures of a video, None for photos."""

    world_from_cam: Array
    every_s: float | None = None

    def __len__(self) -> int:
        return len(self.world_from_cam)


def is_free(room: SyntheticRoom, points: Array, clear_m: float = _CLEAR_M) -> NDArray[np.bool_]:
    """Mask (...) of places (..., 2) in (x, z) where a person can stand, ``clear_m`` from walls and furniture."""
    points = np.asarray(points, dtype=np.float64)
    free = np.asarray(inside(room.outline, points), dtype=bool)
    for a, b in zip(room.outline, np.roll(room.outline, -1, axis=0), strict=True):
        along = (b - a) / np.linalg.norm(b - a)
        t = np.clip((points - a) @ along, 0, np.linalg.norm(b - a))
        free &= np.linalg.norm(points - (a + t[..., None] * along), axis=-1) >= clear_m
    for thing in room.objects:
        if thing.mount == "floor" and thing.name != "rug":
            free &= _away(thing, points) >= clear_m
    return free


def around(room: SyntheticRoom, count: int = 24, *, seed: int = 0, height_m: float = EYE_M) -> Views:
    """Photos from along the walls, each looking across the room, turned a little left and right by chance."""
    rng = np.random.default_rng([room.seed, seed, 1])
    middle = _middle(room)
    poses = []
    for k in range(count):
        angle = 2 * np.pi * (k + 0.3 * rng.uniform(-1, 1)) / count
        x, z = _outmost(room, middle, angle)
        direction = -np.array([np.cos(angle), np.sin(angle)])
        side = np.array([-direction[1], direction[0]])
        target = (x, z) + 2.5 * direction + rng.uniform(-0.9, 0.9) * side
        eye_y = height_m + rng.uniform(-0.1, 0.1)
        poses.append(look_at([x, eye_y, z], [target[0], eye_y - rng.uniform(0.5, 0.9), target[1]]))
    return Views(np.array(poses))


def walk(
    room: SyntheticRoom, count: int = 48, *, seed: int = 0, every_s: float = 0.5, height_m: float = EYE_M
) -> Views:
    """A video: one slow round close to the walls' inner side, looking ahead and across, steadily."""
    rng = np.random.default_rng([room.seed, seed, 2])
    middle = _middle(room)
    start = rng.uniform(0, 2 * np.pi)
    sense = rng.choice([-1.0, 1.0])
    angles = start + sense * np.linspace(0, 2 * np.pi * (1 - 1 / count), count)
    places = np.array([_outmost(room, middle, angle, share=0.72) for angle in angles])
    places = _smoothed(places, 5)
    poses = []
    for (x, z), angle in zip(places, angles, strict=True):
        across = angle + np.pi - sense * 0.5
        ahead = np.array([np.cos(across), np.sin(across)])
        poses.append(look_at([x, height_m, z], [x + 2.5 * ahead[0], height_m - 0.75, z + 2.5 * ahead[1]]))
    return Views(np.array(poses), every_s)


def orbit(
    target: SyntheticObject,
    count: int = 16,
    *,
    radius_m: float = 2.0,
    height_m: float = EYE_M,
    start: float = 0.0,
    arc: float = 360.0,
) -> Views:
    """Round an object, looking at it, ``arc`` degrees from ``start``; positive is counter-clockwise seen from above."""
    angles = np.radians(start + np.linspace(0, arc, count, endpoint=abs(arc) < 360))
    # y is up and z towards the reader of a top view with x to the right, so counter-clockwise has z = -sin.
    eyes = target.centre + radius_m * np.stack([np.cos(angles), np.zeros(count), -np.sin(angles)], axis=-1)
    eyes[:, 1] = height_m
    return Views(np.array([look_at(eye, target.centre) for eye in eyes]))


def moves(start: Array, motions: Sequence[tuple[float, float, float]]) -> Views:
    """Photos with given motions between them: each (right, forward) in metres as seen before it, then a right turn."""
    poses = [np.asarray(start, dtype=np.float64)]
    for right, forward, degrees in motions:
        poses.append(turn(step(poses[-1], right=right, forward=forward), right=degrees))
    return Views(np.array(poses))


def rolled(views: Views, degrees: float = 15.0, *, seed: int = 0) -> Views:
    """The same places and directions with a camera that is not held level: rolled by up to ``degrees`` either way."""
    rng = np.random.default_rng([seed, 4])
    angles = np.radians(rng.uniform(-degrees, degrees, len(views)))
    roll = [rigid([[np.cos(a), -np.sin(a), 0], [np.sin(a), np.cos(a), 0], [0, 0, 1]]) for a in angles]
    return Views(views.world_from_cam @ np.array(roll), views.every_s)


def _middle(room: SyntheticRoom) -> Array:
    low, high = room.outline.min(axis=0), room.outline.max(axis=0)
    x, z = np.meshgrid(np.linspace(low[0], high[0], 21), np.linspace(low[1], high[1], 21))
    grid = np.stack([x, z], axis=-1).reshape(-1, 2)
    return np.asarray(grid[inside(room.outline, grid)].mean(axis=0))


def _outmost(room: SyntheticRoom, middle: Array, angle: float, share: float = 1.0) -> Array:
    """The free place farthest from the middle in a direction, up to ``share`` of the way to the wall."""
    direction = np.array([np.cos(angle), np.sin(angle)])
    reach = np.arange(0.0, 12.0, 0.05)
    points = middle + reach[:, None] * direction
    within = inside(room.outline, points)
    last = int(np.argmin(within)) if not within.all() else len(reach)
    points = points[: max(1, int(last * share))]
    for clear in (_CLEAR_M, 0.15, 0.05):
        free = is_free(room, points, clear)
        if free.any():
            return np.asarray(points[np.flatnonzero(free)[-1]])
    return middle


def _smoothed(places: Array, window: int) -> Array:
    """A closed path (N, 2) averaged over ``window`` neighbours."""
    offsets = range(-(window // 2), window // 2 + 1)
    return np.asarray(np.mean([np.roll(places, k, axis=0) for k in offsets], axis=0))


def _away(thing: SyntheticObject, points: Array) -> Array:
    """Distance of places (..., 2) from a thing's footprint."""
    spots = np.zeros((*points.shape[:-1], 3))
    spots[..., 0], spots[..., 2] = points[..., 0], points[..., 1]
    spots[..., 1] = thing.centre[1]
    return thing.box.distance(spots)
