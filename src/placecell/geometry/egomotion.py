"""What a camera did while filming: pan, tilt, roll, dolly, truck, pedestal and orbit, net and cumulative.

Knows poses (N, 4, 4) of one camera in an upright world. Does not know pictures, or words for a person.

Signs: pan + = right, tilt + = up, roll + = clockwise (the camera's own turn, as seen from behind it; the picture turns
the other way), dolly + = forward (approaching), truck + = right, pedestal + = up, orbit + = clockwise seen from above.
Turns and steps are taken between neighbouring moments in the axes of the camera at that moment, so a pan to the right
and back has a net of 0 and keeps its total.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from placecell.geometry.transforms import Array, as_transforms, elevation, heading, invert, level, wrap_degrees

TURNS = ("pan", "tilt", "roll")
STEPS = ("dolly", "truck", "pedestal")


@dataclass(frozen=True)
class Egomotion:
    """Signed sums (``net``) and sums of amounts (``total``) by name; degrees for turns, lengths for steps.

    ``displacement`` is (right, up, forward) of the last camera from the first, in the first one's levelled axes,
    ``path`` the length of the way, ``orbit`` degrees around ``pivot`` (None: the sight lines do not meet).
    """

    net: dict[str, float]
    total: dict[str, float]
    displacement: tuple[float, float, float]
    path: float
    orbit: float
    pivot: tuple[float, float, float] | None
    moments: int


def egomotion(world_from_cam: Array, *, jitter: float = 0.0) -> Egomotion:
    """What the camera with these poses (N, 4, 4), in order of time, did.

    ``jitter``: a wander of at most this length around a straight line is noise of the poses, and is straightened out
    before lengths are summed (Ramer-Douglas-Peucker); 0 keeps every step.
    """
    poses = as_transforms(world_from_cam).reshape(-1, 4, 4)
    turns = turns_between(poses)
    kept = poses[simplified(poses[:, :3, 3], jitter)] if jitter > 0 else poses
    steps = steps_between(kept)
    names = dict(zip(TURNS, turns.T, strict=True)) | dict(zip(STEPS, steps.T, strict=True))
    net = {name: float(values.sum()) for name, values in names.items()}
    total = {name: float(np.abs(values).sum()) for name, values in names.items()}
    ends = invert(level(poses[0])) @ np.append(poses[-1, :3, 3], 1.0)
    orbit, pivot = _orbit(poses)
    return Egomotion(
        net=net,
        total=total,
        displacement=(float(ends[0]), float(-ends[1]), float(ends[2])),
        path=float(np.linalg.norm(np.diff(kept[:, :3, 3], axis=0), axis=1).sum()),
        orbit=orbit,
        pivot=pivot,
        moments=len(poses),
    )


def turns_between(poses: Array) -> Array:
    """(N - 1, 3) degrees of pan, tilt and roll from each camera to the next.

    Pan is the change of heading about the world's vertical, tilt that of the elevation, roll what remains about the
    line of sight. Within 1 degree of straight up or down the heading is not defined and ``level`` decides.
    """
    pan = wrap_degrees(np.diff(heading(poses)))
    tilt = np.diff(elevation(poses))
    return np.stack([pan, tilt, wrap_degrees(np.diff(roll_of(poses)))], axis=-1)


def roll_of(poses: Array) -> Array:
    """(N,) degrees the cameras are turned clockwise about their line of sight, from level."""
    up_in_cam = np.swapaxes(poses[..., :3, :3], -1, -2)[..., 1]  # the world's y axis in camera axes
    # Turned clockwise (right side down), world up leans to the picture's left: negative x.
    return np.asarray(np.degrees(np.arctan2(-up_in_cam[..., 0], -up_in_cam[..., 1])))


def steps_between(poses: Array) -> Array:
    """(N - 1, 3) lengths of dolly (forward), truck (right), pedestal (up) from each camera to the next.

    Forward and right are horizontal, in the axes halfway between the two cameras' headings.
    """
    middle = level(poses[:-1])
    half = 0.5 * wrap_degrees(np.diff(heading(poses)))
    moved = np.diff(poses[:, :3, 3], axis=0)
    right, ahead = middle[:, :3, 0], middle[:, :3, 2]
    c, s = np.cos(np.radians(half))[:, None], np.sin(np.radians(half))[:, None]
    right, ahead = c * right - s * ahead, c * ahead + s * right
    return np.stack([(moved * ahead).sum(1), (moved * right).sum(1), moved[:, 1]], axis=-1)


def simplified(points: Array, tolerance: float) -> NDArray[np.int64]:
    """Indices of the points (N, 3) that a broken line needs to stay within ``tolerance`` of all of them."""
    keep = np.zeros(len(points), bool)
    keep[[0, -1]] = True
    open_ = [(0, len(points) - 1)]
    while open_:
        a, b = open_.pop()
        if b - a < 2:
            continue
        along, inner = points[b] - points[a], points[a + 1 : b] - points[a]
        length = float(along @ along)
        share = np.clip(inner @ along / length, 0, 1) if length > 0 else np.zeros(len(inner))
        off = np.linalg.norm(inner - share[:, None] * along, axis=1)
        worst = int(off.argmax())
        if off[worst] > tolerance:
            keep[a + 1 + worst] = True
            open_ += [(a, a + 1 + worst), (a + 1 + worst, b)]
    return np.flatnonzero(keep)


def position_noise(centres: Array, times_s: Array | None = None) -> float:
    """One standard deviation of the jitter of a smooth way (N, k): from its third differences.

    ``times_s`` (N,), where they are not even: what of four moments no parabola explains is taken instead, which for
    even times is the same.
    """
    n = len(centres)
    if n < 8:
        return 0.0
    times = np.arange(float(n)) if times_s is None else times_s
    t = np.stack([times[k : n - 3 + k] for k in range(4)], axis=-1)
    apart = t[:, :, None] - t[:, None, :] + np.eye(4)
    weights = 1 / apart.prod(axis=2)
    weights /= np.linalg.norm(weights, axis=1, keepdims=True)
    third = sum(weights[:, k, None] * centres[k : n - 3 + k] for k in range(4))
    return float(np.median(np.abs(third)) / 0.6745)


def _orbit(poses: Array) -> tuple[float, tuple[float, float, float] | None]:
    """Degrees around the point the horizontal sight lines pass closest to, + = clockwise seen from above.

    None where the lines are parallel, or where they meet behind the cameras: nothing was circled then.
    """
    flat = level(poses)
    ahead, at = flat[:, [0, 2], 2], poses[:, [0, 2], 3]
    across = np.eye(2) - ahead[:, :, None] * ahead[:, None]
    normal = across.sum(axis=0)
    if len(poses) < 3 or np.linalg.cond(normal) > 1e3:
        return 0.0, None
    pivot = np.linalg.solve(normal, (across @ at[..., None]).sum(axis=0)[:, 0])
    off = pivot - at
    depth = (off * ahead).sum(axis=1)
    miss = np.linalg.norm(off - depth[:, None] * ahead, axis=1)
    if np.median(depth) <= 0 or np.median(miss) > 0.35 * np.median(depth):
        return 0.0, None
    # From above with -z up the page, a compass angle of the camera around the pivot grows clockwise.
    around = np.unwrap(np.arctan2(-off[:, 0], off[:, 1]))
    height = float(np.median(poses[:, 1, 3]))
    return float(np.degrees(around[-1] - around[0])), (float(pivot[0]), height, float(pivot[1]))
