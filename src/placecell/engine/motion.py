"""What a track did in a part of a video, in the terms of one frame: amounts, words, turns, events.

Knows tracks and the cameras of their frames. Does not know other tracks (``encounters``) or how questions are answered.

Standing still. A centre is known to ``centre_sd`` on each axis. Noise alone sets two smoothed centres ``_SIGMAS`` of it
apart once in 200 times (their difference has 1.3 of it on each of three axes); less than that, or than a small share of
the distance (for tracks that state no noise) or a tenth of the thing's size (what passes in front of it changes what
shows of it), plus the drift of its visible side, is standing still.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from placecell.engine.derived import way_along
from placecell.engine.movement import Event, MotionFrame, Movement
from placecell.engine.ways import Way, stretches, way_of
from placecell.engine.windows import Window
from placecell.geometry.camera import Camera
from placecell.geometry.transforms import Array, heading, level, wrap_degrees
from placecell.memory.scene import SpatialMemory
from placecell.memory.track import Track

NOT_MOVING = "not moving"
_SIGMAS = 4.5
_SHARE_OF_DISTANCE = 0.003
_SHARE_OF_SIZE = 0.1
_SIDE = 0.4
"""A second word is said when its part is at least this share of the first's (22 degrees off the axis)."""
_TURN_DEG, _SPIN_DEG = 30.0, 60.0
_WORDS = (("left", "right"), ("down", "up"), ("backward", "forward"))
_SEEN_WORDS = (("left", "right"), ("down", "up"), ("towards", "away"))


def movement(memory: SpatialMemory, track: Track, frame: MotionFrame, during: Window) -> Movement | None:
    """What the track did in the window; None when it was not there then."""
    inside = track.between(during.start_s, during.end_s)
    if not len(inside) or not track.seen[inside].any():
        return None
    part = Part.of(memory, track, inside)
    steps = _steps(part, frame, memory.posed_frames[0].camera if memory.posed_frames else None)
    shown = steps.sum(axis=0)
    least = part.still if frame != "screen" else part.still * _widths_per_unit(part)
    return Movement(
        name=track.name,
        id=track.id,
        frame=frame,
        span_s=(float(part.times[0]), float(part.times[-1])),
        moving=part.moving,
        stillness=part.still,
        displacement=(float(shown[0]), float(shown[1]), float(shown[2])),
        displacement_sd=part.sd,
        words=words_for(shown, least, frame) if part.moving else (NOT_MOVING,),
        path=part.path,
        speed=part.path / max(float(part.times[-1] - part.times[0]), 1e-9),
        turned=part.turned,
        turned_sd=float(np.degrees(np.arctan2(part.sd, max(part.path / 4, 1e-9)))) if part.moving else 0.0,
        spun_above=_sum_over_time(part, part.spin_above),
        spun_seen=_sum_over_time(part, part.spin_seen),
        approach=float(part.away[-1] - part.away[0]),
        approach_sd=max(part.sd, part.still / (2 * _SIGMAS)),
        events=tuple(_events(part, frame)),
        confidence=track.confidence,
        front_known=part.front_known,
        facing=part.facing,
    )


@dataclass(frozen=True, eq=False)
class Part:
    """The moments of a track inside a window: ``times`` (n,), smoothed ``points`` (n, 3), each moment's ``cameras``."""

    track: Track
    inside: NDArray[np.int64]
    times: Array
    points: Array
    cameras: tuple[Camera, ...]

    @classmethod
    def of(cls, memory: SpatialMemory, track: Track, inside: NDArray[np.int64]) -> Part:
        cameras = cameras_at(memory, track.frames[inside])
        return cls(track, inside, track.times_s[inside], way_along(track)[inside], cameras)

    @cached_property
    def poses(self) -> Array:
        return np.array([c.world_from_cam for c in self.cameras])

    @cached_property
    def sight(self) -> Array:
        """(n, 3) from the camera to the mover."""
        return self.points - self.poses[:, :3, 3]

    @cached_property
    def away(self) -> Array:
        """(n,) distance to the camera."""
        return np.asarray(np.linalg.norm(self.sight, axis=1))

    @cached_property
    def sd(self) -> float:
        return float(np.median(self.track.centre_sd[self.inside]))

    @cached_property
    def noise(self) -> float:
        """Length below which a step of its way is noise (see the head of this module)."""
        floor = max(_SHARE_OF_DISTANCE * float(np.median(self.away)), _SHARE_OF_SIZE * self.track.size)
        return max(_SIGMAS * self.sd, floor)

    @property
    def still(self) -> float:
        """Length below which it stands still. What drifts does so slowly, and makes no corners in a way."""
        return self.noise + self.track.drift

    @cached_property
    def moving(self) -> bool:
        """Whether it left its place: in the end, or in between by half as much again (a maximum has more noise)."""
        net = float(np.linalg.norm(self.points[-1] - self.points[0]))
        around = np.linalg.norm(self.points - np.median(self.points, axis=0), axis=1)
        return bool(net > self.still or 2 * np.percentile(around, 95) > 1.5 * self.still)

    @cached_property
    def way(self) -> Way:
        return way_of(self.points, self.noise)

    @cached_property
    def path(self) -> float:
        """Along its knots, and from the last of them to where it is in the end."""
        if not self.moving:
            return 0.0
        ends = self.points[[*self.way.knots, len(self.points) - 1]]
        return float(np.linalg.norm(np.diff(ends, axis=0), axis=1).sum())

    @cached_property
    def front_known(self) -> bool:
        """Whether something but its own way says where its front is."""
        stated = self.track.front_from != "motion"
        return stated and bool(np.isfinite(self.track.front_deg[self.inside]).any())

    @cached_property
    def front(self) -> Array:
        """(n,) compass heading of the mover's own front; NaN where nothing says it.

        Where it is not known, the mover is taken to have set out forwards and to turn with its way; at a reversal it
        keeps its front and goes backwards from then on.
        """
        given = self.track.front_deg[self.inside]
        if self.front_known:
            known, at = np.isfinite(given), np.arange(len(given))
            return np.interp(at, at[known], np.unwrap(given[known], period=360.0))
        front = np.full(len(given), np.nan)
        if self.moving and len(self.way.headings):
            turned = np.concatenate([[0.0], np.cumsum(self.way.bends)])
            for k, start in enumerate(self.way.knots[:-1]):
                front[start:] = self.way.headings[0] + turned[k]
        return front

    @property
    def facing(self) -> float | None:
        """Degrees to the right that its front points of where the camera looks, in the middle; None where unknown."""
        middle = len(self.points) // 2
        front = float(self.front[middle])
        return None if np.isnan(front) else float(wrap_degrees(front - heading(self.poses[middle])))

    @cached_property
    def turned(self) -> float:
        """Degrees to the right: of its way where it goes somewhere, else of its front."""
        if self.moving and len(self.way.bends):
            return self.way.turned
        return float(self.front[-1] - self.front[0]) if self.front_known else 0.0

    @cached_property
    def spin_above(self) -> Array:
        """(n,) degrees per second about the vertical, + = clockwise from above; NaN where unknown."""
        return self.track.yaw_rate[self.inside]

    @cached_property
    def spin_seen(self) -> Array:
        """(n,) degrees per second about the sight line, + = clockwise as the camera sees it; NaN where unknown."""
        towards = self.sight / np.maximum(self.away, 1e-12)[:, None]
        return np.asarray((self.track.spin[self.inside] * towards).sum(axis=1))


def cameras_at(memory: SpatialMemory, frames: NDArray[np.int64]) -> tuple[Camera, ...]:
    """The cameras of the frames with these numbers; of the nearest placed frame where one has none."""
    placed = memory.posed_frames
    numbers = np.array([f.number for f in placed])
    cameras = [f.camera for f in placed if f.camera is not None]
    return tuple(cameras[int(np.abs(numbers - n).argmin())] for n in frames.tolist())


def words_for(shown: Array, least: float, frame: MotionFrame) -> tuple[str, ...]:
    """The clear directions of (right, up, forward), strongest first."""
    names = _SEEN_WORDS if frame in ("camera", "screen") else _WORDS
    amounts = np.abs(shown)
    enough = max(least, _SIDE * float(amounts.max()))
    order = [i for i in np.argsort(-amounts, kind="stable").tolist() if amounts[i] >= enough > 0]
    return tuple(names[i][int(shown[i] > 0)] for i in order)


def _steps(part: Part, frame: MotionFrame, first: Camera | None) -> Array:
    """(n - 1, 3) right, up, forward from each moment to the next, in the frame's axes; 0 where these are unknown."""
    if frame == "screen":
        return _screen_steps(part)
    moved = np.diff(part.points, axis=0)
    if frame == "self":
        angle = np.radians(part.front[:-1])
        zero = np.zeros_like(angle)
        right = np.stack([np.cos(angle), zero, np.sin(angle)], axis=-1)
        ahead = np.stack([np.sin(angle), zero, -np.cos(angle)], axis=-1)
    else:
        axes = level(part.poses[:-1]) if frame == "camera" or first is None else level(first.world_from_cam)
        right, ahead = axes[..., :3, 0], axes[..., :3, 2]
    return np.asarray(np.nan_to_num(np.stack([(moved * right).sum(1), moved[:, 1], (moved * ahead).sum(1)], axis=-1)))


def _screen_steps(part: Part) -> Array:
    """As seen by the window's first camera standing still: right and up as shares of its picture's width.

    Forward is how much farther it gets, in the same shares: a width at its distance then.
    """
    camera = part.cameras[0]
    shot = camera.project(part.points)
    pixels = shot.pixels / camera.width
    farther = np.log(np.where(shot.depth > 0, shot.depth, np.nan)) * camera.K[0, 0] / camera.width
    return np.asarray(np.nan_to_num(np.diff(np.stack([pixels[:, 0], -pixels[:, 1], farther], axis=-1), axis=0)))


def _widths_per_unit(part: Part) -> float:
    """Shares of the picture's width that one unit of length covers at the mover's distance."""
    camera = part.cameras[0]
    away = float(np.linalg.norm(np.median(part.points, axis=0) - camera.centre))
    return float(camera.K[0, 0]) / camera.width / max(away, 1e-9)


def _sum_over_time(part: Part, rate: Array) -> float:
    """Degrees of a rate in degrees per second; NaN when it is known at no moment."""
    known = np.isfinite(rate)
    if known.sum() < 2:
        return float("nan")
    return float(np.trapezoid(rate[known], part.times[known]))


def _events(part: Part, frame: MotionFrame) -> list[Event]:
    """Reversals, turns and spins, in order of time."""
    events = []
    if part.moving:
        for at in part.way.reversals:
            events.append(Event("reversal", float(part.times[at]), _word_after(part, at, frame)))
        for first, last, amount in stretches(part.way.bends, _TURN_DEG):
            middle = part.way.knots[(first + last) // 2 + 1]
            events.append(Event("turn", float(part.times[middle]), "right" if amount > 0 else "left"))
    above, seen = np.nan_to_num(part.spin_above), np.nan_to_num(part.spin_seen)
    rate = above if np.abs(above).sum() >= np.abs(seen).sum() else seen
    turns = 0.5 * (rate[1:] + rate[:-1]) * np.diff(part.times)
    for first, last, amount in stretches(turns, _SPIN_DEG):
        sense = "clockwise" if amount > 0 else "counterclockwise"
        events.append(Event("spin", float(part.times[(first + last + 1) // 2]), sense))
    return sorted(events, key=lambda e: e.at_s)


def _word_after(part: Part, at: int, frame: MotionFrame) -> str:
    """The direction after a reversal, in one word."""
    later = next((k for k in part.way.knots if k > at), len(part.points) - 1)
    moved = part.points[later] - part.points[at]
    if frame == "self":
        angle = np.radians(part.front[at])
        return "backward" if moved[0] * np.sin(angle) - moved[2] * np.cos(angle) < 0 else "forward"
    axes = level(part.poses[at])
    shown = np.array([moved @ axes[:3, 0], moved[1], moved @ axes[:3, 2]])
    return next(iter(words_for(shown, 1e-12, frame)), "back")
