"""Which way is up, where the floor is and how the walls run: from cameras and points to an upright world frame.

Knows: that people hold cameras level, and that places are made of level and of upright surfaces. Says how sure it is.
Does not know: metres. A table top is taken for the floor when nothing was seen below it.

The result has +y up, the floor at y = 0, walls along x and z, and the first camera looking roughly along -z.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from placecell.geometry.boxes import gravity_box
from placecell.geometry.cloud import robust_extent
from placecell.geometry.storey import even_surfaces, find_floor, wall_heading
from placecell.geometry.transforms import Array, apply, as_transforms, heading, rigid, rotate, yaw

Method = Literal["given", "surfaces", "cameras", "none"]

_LEVEL, _UPRIGHT = float(np.cos(np.radians(8.0))), float(np.sin(np.radians(8.0)))
_CHANCE = 1 - _LEVEL + _UPRIGHT  # share of random directions that are within 8 degrees of up or of the horizon
_EXPLAINED = 0.6  # share of level and upright surface in an ordinary room
_SEARCH = float(np.cos(np.radians(40.0)))  # how far the true vertical may be from the cameras'
_FLATTER = 0.8  # how high z may be of y, to be taken for upright in a file of points


@dataclass(frozen=True, eq=False)
class Upright:
    """``world_from_recon`` (4, 4), rigid, and how it was found.

    method:       "given" (the source knows gravity), "surfaces" (most surfaces are level or upright, near the cameras'
                  vertical), "cameras" (the cameras' vertical alone), "none" (no cameras, no surfaces: +y is taken)
    residual_deg: angle between +y and the normal of the floor; without a floor, between +y and the cameras' vertical;
                  None when there is neither
    confidence:   0 to 1, a rule of thumb: below 0.5 the vertical may well be wrong
    floor_found:  a large level surface below nearly everything is at y = 0; else the lowest point is, or
                  without points the lowest camera
    walls_found:  x and z run along upright surfaces; else along the sides of the smallest rectangle around the points
    """

    world_from_recon: Array
    method: Method
    residual_deg: float | None
    confidence: float
    floor_found: bool
    walls_found: bool

    @property
    def confident(self) -> bool:
        """Whether the vertical can be relied on."""
        return self.confidence >= 0.5


class _Vertical(NamedTuple):
    """The cameras' vertical: unit ``up`` (3,), how much it says (0 to 1), its standard deviation in degrees."""

    up: Array
    strength: float
    sd: float


def estimate_upright(points: ArrayLike, recon_from_cam: ArrayLike, up: ArrayLike | None = None) -> Upright:
    """Upright frame of points (N, 3) seen by cameras (F, 4, 4), in one frame of any orientation and scale.

    Either may be empty. ``up`` (3,), the direction against gravity where the source knows it, is kept as it is.
    """
    xyz = np.asarray(points).reshape(-1, 3)
    cameras = as_transforms(np.asarray(recon_from_cam, dtype=np.float64).reshape(-1, 4, 4))
    places, normals = even_surfaces(xyz)
    prior = _camera_vertical(cameras)
    method: Method
    if up is not None:
        vertical, method, confidence = np.asarray(up, dtype=np.float64), "given", 1.0
        vertical = vertical / np.linalg.norm(vertical)
    else:
        found = _find_vertical(normals, prior) if len(cameras) else _find_without_cameras(places, normals)
        vertical, method, confidence = found
    off_cameras = float(np.degrees(np.arccos(np.clip(vertical @ prior.up, -1, 1))))
    turned = rigid(rotation_to_y(vertical))
    level, facing = apply(turned, places), rotate(turned, normals)
    floor = find_floor(level, facing, (turned @ cameras)[:, 1, 3])
    walls = wall_heading(facing)
    if walls is None:
        along = gravity_box(apply(turned, xyz), trim=0.01).axes[0] if len(xyz) else np.array([1.0, 0, 0])
        turn = float(np.degrees(np.arctan2(along[0], -along[2])))
    else:
        turn = walls
    turned = yaw(_quarter(turn, turned, cameras)) @ turned
    moved = apply(turned, places if len(places) else (xyz if len(xyz) else cameras[:, :3, 3]))
    shift = np.zeros(3)
    if len(moved):
        extent = robust_extent(moved)
        shift = -(extent.low + extent.high) / 2
        shift[1] = -(extent.low[1] if floor is None else floor.height)
    residual = floor.tilt_deg if floor is not None else (off_cameras if len(cameras) else None)
    world_from_recon = rigid(None, shift) @ turned
    return Upright(world_from_recon, method, residual, confidence, floor is not None, walls is not None)


def _camera_vertical(cameras: Array) -> _Vertical:
    """Cameras are rolled less than they are turned and tilted, so the vertical is what their x axes are level to.

    Where they all point the same way that leaves the tilt open, and the mean of their up directions has to do.
    """
    if len(cameras) == 0:
        return _Vertical(np.array([0.0, 1.0, 0.0]), 0.0, 60.0)
    x, up, forward = cameras[:, :3, 0], -cameras[:, :3, 1].mean(axis=0), cameras[:, :3, 2].mean(axis=0)
    spread, axes = np.linalg.eigh(x.T @ x / len(x))
    if spread[1] > 0.03:
        vertical = axes[:, 0]
        # Cameras that look straight down have no up direction in common, but a down direction.
        sign = vertical @ up if abs(vertical @ up) > 0.2 else -(vertical @ forward)
        roll = float(np.degrees(np.arcsin(np.sqrt(np.clip(spread[0], 0, 1)))))
        return _Vertical(vertical * (1 if sign >= 0 else -1), 0.7 * float(np.exp(-((roll / 20) ** 2))), 6 + roll)
    vertical = up - axes[:, 2] * (axes[:, 2] @ up)
    return _Vertical(vertical / np.linalg.norm(vertical), 0.3, 20.0)


def _find_without_cameras(places: Array, normals: Array) -> tuple[Array, Method, float]:
    """A file of points has y upright, or z where that is the flatter way and more surface is level to it.

    Down where only that has a floor. A wall scanned alone looks like a floor, so it is never relied on.
    """
    tries = [_find_vertical(normals, _Vertical(np.array(up), 0.0, 20.0)) for up in ((0.0, 1.0, 0.0), (0.0, 0.0, 1.0))]
    height_y, height_z = (float(np.ptp(places @ up)) if len(places) else 0.0 for up, *_ in tries)
    level_y, level_z = (_shares(normals, up)[0] for up, *_ in tries)
    up, method, confidence = tries[1 if level_z > level_y and height_z < _FLATTER * height_y else 0]

    def has_floor(up: Array) -> bool:
        turned = rigid(rotation_to_y(up))
        return find_floor(rotate(turned, places), rotate(turned, normals), np.zeros(0)) is not None

    return (-up if has_floor(-up) and not has_floor(up) else up), method, 0.4 * confidence


def _find_vertical(normals: Array, prior: _Vertical) -> tuple[Array, Method, float]:
    """The direction near the prior to which most surfaces are level or upright, how it was found, and confidence."""
    best, best_score = prior.up, 0.0
    if len(normals):
        aligned = normals * np.where(normals @ prior.up < 0, -1, 1)[:, None]
        near = aligned[aligned @ prior.up > _SEARCH]
        tries = [prior.up, *near[:: max(1, len(near) // 100)]]
        ranked = sorted(tries, key=lambda up: -_score(normals, up, prior))[:5]
        for candidate in [prior.up, *ranked]:
            refined = _refine(normals, candidate, prior.up)
            score = _score(normals, refined, prior)
            if score > best_score:
                best, best_score = refined, score
    level, upright = _shares(normals, best)
    support = float(np.clip((level + upright - _CHANCE) / (_EXPLAINED - _CHANCE), 0, 1))
    if support < 0.15:
        return prior.up, "cameras" if prior.strength > 0 else "none", prior.strength
    off = float(np.degrees(np.arccos(np.clip(best @ prior.up, -1, 1))))
    agreement = float(np.exp(-0.5 * (off / (2 * prior.sd)) ** 2))
    return best, "surfaces", 1 - (1 - support * agreement) * (1 - prior.strength * agreement)


def _shares(normals: Array, up: Array) -> tuple[float, float]:
    """Share of the surface that is level, and that is upright."""
    if len(normals) == 0:
        return 0.0, 0.0
    along = np.abs(normals @ up)
    return float((along > _LEVEL).mean()), float((along < _UPRIGHT).mean())


def _score(normals: Array, up: Array, prior: _Vertical) -> float:
    level, upright = _shares(normals, up)
    off = np.degrees(np.arccos(np.clip(up @ prior.up, -1, 1)))
    # Upright ones count less: a direction along the horizon has many more chances to be met.
    return float((level + 0.5 * upright) * np.exp(-0.5 * (off / (2 * prior.sd)) ** 2))


def _refine(normals: Array, up: Array, prior: Array) -> Array:
    """Least squares of level normals along and upright normals across, taken ever closer; the prior settles ties."""
    for degrees in (15.0, 8.0, 5.0, 5.0):
        along = np.abs(normals @ up)
        level, upright = normals[along > np.cos(np.radians(degrees))], normals[along < np.sin(np.radians(degrees))]
        if len(level) + len(upright) < 30:
            break
        matrix = upright.T @ upright - level.T @ level - 0.005 * len(normals) * np.outer(prior, prior)
        found = np.linalg.eigh(matrix)[1][:, 0]
        up = found * (1 if found @ up >= 0 else -1)
    return up


def rotation_to_y(up: Array) -> Array:
    """The smallest rotation that takes the unit vector ``up`` to +y."""
    x, y, z = up
    if y < -1 + 1e-9:
        return np.diag([1.0, -1.0, -1.0])
    scale = 1 / (1 + y)
    return np.array([[1 - x * x * scale, -x, -x * z * scale], [x, y, z], [-x * z * scale, -z, 1 - z * z * scale]])


def _quarter(turn: float, turned: Array, cameras: Array) -> float:
    """``turn`` and a number of quarter turns, so that the first camera's heading becomes the closest to 0."""
    if len(cameras) == 0:
        return turn
    first = float(heading(turned @ cameras[0]))
    return turn + 90.0 * round((first - turn) / 90.0)
