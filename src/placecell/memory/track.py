"""A thing over time: where its centre was at each frame of a video, how it turned, when it was seen.

Knows one track in the memory's world frame. Does not know how tracks are found (``tracking``) or what their motion is
called (``engine``). Ids belong to one memory and are never shared between videos.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from placecell.geometry.transforms import WORLD_UP, Array

_REACH = 2
"""A velocity is fitted to this many samples on either side."""


@dataclass(frozen=True, eq=False)
class Track:
    """One thing at N moments, world frame, the memory's unit; nothing outside of them is known.

    Attributes:
        frames: (N,) frame numbers, ascending; ``times_s`` (N,) their seconds.
        centres: (N, 3); ``centre_sd`` (N,) is one standard deviation along each axis, independent between moments.
        seen: (N,) False where the thing was hidden and its centre is bridged from before and after.
        spin: (N, 3) angular velocity in degrees per second by the right-hand rule; NaN where unknown.
        front_deg: (N,) compass heading of its own front (as ``transforms.heading``); NaN where unknown.
        front_from: how the front is known: stated, or taken to lead where it moved, straight on.
        pixels, bbox: (N,) mask size and (N, 4) left, top, right, bottom in each frame; 0 where not seen.
        size: longest side. ``width``: longest horizontal side, 0 where unknown.
        drift: how far the centre may wander only because other sides of a thing at rest come into view, or parts of it
            are hidden.
        depth_from: "size" when its distance is only known from how large it looks (2.5D).
    """

    id: int
    name: str
    frames: NDArray[np.int64]
    times_s: Array
    centres: Array
    centre_sd: Array
    seen: NDArray[np.bool_]
    spin: Array
    front_deg: Array
    pixels: NDArray[np.int64]
    bbox: NDArray[np.int64]
    front_from: Literal["label", "motion"] | None = None
    size: float = 0.0
    width: float = 0.0
    drift: float = 0.0
    depth_from: Literal["depth", "size", "truth"] = "depth"
    confidence: float = 1.0

    def __post_init__(self) -> None:
        n = len(self.frames)
        for name, (kind, shape) in ARRAYS.items():
            array: NDArray[Any] = np.array(getattr(self, name), dtype=kind)
            if array.shape != (n, *shape):
                raise ValueError(f"{name} of track {self.id} must be {(n, *shape)}, got {array.shape}")
            array.flags.writeable = False
            object.__setattr__(self, name, array)
        if n == 0 or not self.seen.any():
            raise ValueError(f"track {self.id} has no moment at which the {self.name} was seen")
        if (np.diff(self.frames) <= 0).any() or not (np.diff(self.times_s) > 0).all():
            raise ValueError(f"the moments of track {self.id} must ascend")
        if not (np.isfinite(self.centres).all() and (self.centre_sd >= 0).all()):
            raise ValueError(f"the centres of track {self.id} must be finite, their deviations not negative")

    @property
    def span_s(self) -> tuple[float, float]:
        """First and last moment, in seconds."""
        return float(self.times_s[0]), float(self.times_s[-1])

    @cached_property
    def visible_intervals(self) -> tuple[tuple[float, float], ...]:
        """(first, last) seconds of every stretch in which it was seen without a gap."""
        edges = np.flatnonzero(np.diff(np.concatenate([[False], self.seen, [False]]).astype(np.int8)))
        return tuple((float(self.times_s[a]), float(self.times_s[b - 1])) for a, b in edges.reshape(-1, 2))

    @cached_property
    def velocity(self) -> Array:
        """(N, 3) unit per second: the slope of a straight line through the moments around each."""
        return np.array([_slope(self.times_s, self.centres, i) for i in range(len(self.times_s))]).reshape(-1, 3)

    @property
    def yaw_rate(self) -> Array:
        """(N,) degrees per second about the vertical, positive to its right (clockwise from above); NaN: unknown."""
        return -self.spin @ WORLD_UP

    def between(self, start_s: float, end_s: float) -> NDArray[np.int64]:
        """Indices of the moments in a closed interval of seconds."""
        return np.flatnonzero((self.times_s >= start_s - 1e-9) & (self.times_s <= end_s + 1e-9))


ARRAYS: dict[str, tuple[type, tuple[int, ...]]] = {
    "frames": (np.int64, ()),
    "times_s": (np.float64, ()),
    "centres": (np.float64, (3,)),
    "centre_sd": (np.float64, ()),
    "seen": (np.bool_, ()),
    "spin": (np.float64, (3,)),
    "front_deg": (np.float64, ()),
    "pixels": (np.int64, ()),
    "bbox": (np.int64, (4,)),
}
"""Type and shape, after N, of the arrays of a track."""


def true_track(  # noqa: PLR0913 - one name for each thing that is known
    id: int,
    name: str,
    times_s: ArrayLike,
    centres: ArrayLike,
    *,
    frames: ArrayLike | None = None,
    seen: ArrayLike | None = None,
    spin: ArrayLike | None = None,
    front_deg: ArrayLike | None = None,
    pixels: ArrayLike | None = None,
    bbox: ArrayLike | None = None,
    size: float = 0.0,
    width: float = 0.0,
    centre_sd: float = 0.0,
) -> Track:
    """A track that is known exactly, as of an annotation or a synthetic scene.

    ``times_s`` (N,) and ``centres`` (N, 3) as in ``Track``; ``frames`` counts from 1 and everything is seen when left
    out. ``spin`` (N, 3) or (3,) degrees per second, unknown when left out. ``front_deg`` (N,) or one heading.
    """
    times = np.asarray(times_s, np.float64)
    n = len(times)

    def full(value: ArrayLike | None, shape: tuple[int, ...], otherwise: float) -> NDArray[np.float64]:
        return np.broadcast_to(np.asarray(otherwise if value is None else value), shape)

    return Track(
        id=id,
        name=name,
        frames=np.arange(1, n + 1) if frames is None else np.asarray(frames, np.int64),
        times_s=times,
        centres=np.asarray(centres, np.float64),
        centre_sd=np.full(n, centre_sd),
        seen=full(seen, (n,), 1).astype(bool),
        spin=full(spin, (n, 3), np.nan),
        front_deg=full(front_deg, (n,), np.nan),
        pixels=full(pixels, (n,), 0).astype(np.int64),
        bbox=full(bbox, (n, 4), 0).astype(np.int64),
        front_from=None if front_deg is None else "label",
        size=size,
        width=width,
        depth_from="truth",
    )


def _slope(times: Array, values: Array, i: int) -> Array:
    around = slice(max(0, i - _REACH), i + _REACH + 1)
    t, v = times[around] - times[around].mean(), values[around]
    spread = float(t @ t)
    slope: Array = t @ (v - v.mean(axis=0)) / spread if spread > 0 else np.zeros(v.shape[1])
    return slope
