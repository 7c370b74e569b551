"""Places and directions in the world whose components carry errors by source.

Knows three components in the world frame (+y up) and level frames: a place and a compass heading. Does not know
memories or units.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from placecell.engine.cells.uncertain import Uncertain, combined, measured
from placecell.geometry.transforms import Array, level, rigid, wrap_degrees

_RADIAN = math.pi / 180.0


class Vec(NamedTuple):
    """A place or a difference of two, in the world."""

    x: Uncertain
    y: Uncertain
    z: Uncertain

    @classmethod
    def exact(cls, xyz: Array) -> Vec:
        x, y, z = (Uncertain(v) for v in np.asarray(xyz, np.float64).tolist())
        return cls(x, y, z)

    @classmethod
    def around(cls, xyz: Array, sd: float, source: str) -> Vec:
        """Known to ``sd`` along each axis."""
        x, y, z = (measured(v, sd, f"{source} {axis}") for v, axis in zip(xyz.tolist(), "xyz", strict=True))
        return cls(x, y, z)

    @property
    def array(self) -> Array:
        return np.array([self.x.value, self.y.value, self.z.value])

    @property
    def sd(self) -> float:
        """One standard deviation along an axis, on average."""
        return math.sqrt((self.x.sd**2 + self.y.sd**2 + self.z.sd**2) / 3.0)

    def without(self, source: str) -> Vec:
        """As if one source of error were none."""
        return Vec(self.x.without(source), self.y.without(source), self.z.without(source))

    def plus(self, other: Vec) -> Vec:
        return Vec(self.x + other.x, self.y + other.y, self.z + other.z)

    def minus(self, other: Vec) -> Vec:
        return Vec(self.x - other.x, self.y - other.y, self.z - other.z)

    def times(self, factor: Uncertain) -> Vec:
        return Vec(self.x * factor, self.y * factor, self.z * factor)

    def level(self) -> Vec:
        """Without its height."""
        return Vec(self.x, Uncertain(0.0), self.z)

    def scaled_by(self, error: float, source: str) -> Vec:
        """With the error of a scale that all components share: ``error`` of each of them."""
        if error == 0:
            return self
        x, y, z = (combined(v.value, ((1.0, v), (1.0, measured(0.0, v.value * error, source)))) for v in self)
        return Vec(x, y, z)

    def along(self, direction: Array) -> Uncertain:
        """Its component along a fixed unit direction (3,)."""
        dx, dy, dz = direction.tolist()
        return combined(
            self.x.value * dx + self.y.value * dy + self.z.value * dz, ((dx, self.x), (dy, self.y), (dz, self.z))
        )

    def length(self) -> Uncertain:
        """How long it is. At length 0 the derivative is that of a step equally along all axes."""
        size = math.hypot(self.x.value, self.y.value, self.z.value)
        way = self.array / size if size > 0 else np.full(3, 3**-0.5)
        along = self.along(way)
        return Uncertain(size, along.errors)

    def heading(self) -> Uncertain:
        """Compass degrees of its level part, which is not 0: 0 along -z, positive to the right."""
        x, z = self.x.value, self.z.value
        square = x * x + z * z
        degrees = math.degrees(math.atan2(x, -z))
        return combined(degrees, ((-z / square / _RADIAN, self.x), (x / square / _RADIAN, self.z)))


def angle_between(a: Vec, b: Vec) -> Uncertain:
    """Degrees between two vectors that are not 0, 0 to 180."""
    long_a, long_b = float(np.linalg.norm(a.array)), float(np.linalg.norm(b.array))
    u, v = a.array / long_a, b.array / long_b
    cosine, sine = float(u @ v), float(np.linalg.norm(np.cross(u, v)))
    if sine > 1e-9:
        from_u, from_v = (v - cosine * u) / sine, (u - cosine * v) / sine
    else:  # along one line: any way across both
        from_u = np.cross(u, np.eye(3)[np.argmin(np.abs(u))])
        from_u /= np.linalg.norm(from_u)
        from_v = from_u if cosine < 0 else -from_u
    degrees = math.degrees(math.atan2(sine, cosine))
    parts = ((-1.0 / long_a / _RADIAN, a.along(from_u)), (-1.0 / long_b / _RADIAN, b.along(from_v)))
    return combined(degrees, parts)


class Axes(NamedTuple):
    """A level frame: ``origin``, and the compass ``heading`` of its forward in degrees (0 along -z, right positive)."""

    origin: Vec
    heading: Uncertain

    @property
    def forward(self) -> Array:
        turn = self.heading.value * _RADIAN
        return np.array([math.sin(turn), 0.0, -math.cos(turn)])

    @property
    def right(self) -> Array:
        turn = self.heading.value * _RADIAN
        return np.array([math.cos(turn), 0.0, math.sin(turn)])

    @property
    def world_from_frame(self) -> Array:
        """(4, 4) as a camera: right, down, forward."""
        axes = np.stack([self.right, [0.0, -1.0, 0.0], self.forward], axis=-1)
        return rigid(axes, self.origin.array)

    @classmethod
    def of_pose(cls, world_from_cam: Array) -> Axes:
        """The levelled frame of a camera."""
        forward = level(world_from_cam)[:3, 2]
        heading = math.degrees(math.atan2(forward[0], -forward[2]))
        return cls(Vec.exact(world_from_cam[:3, 3]), Uncertain(heading))

    def turned(self, degrees: Uncertain) -> Axes:
        heading = self.heading + degrees
        return Axes(self.origin, Uncertain(float(wrap_degrees(heading.value)), heading.errors))

    def direction(self, right: Uncertain, up: Uncertain, forward: Uncertain) -> Vec:
        """A vector told in this frame's terms, in the world."""
        x, z = (
            combined(
                r * right.value + f * forward.value,
                ((r, right), (f, forward), (_RADIAN * (r * forward.value - f * right.value), self.heading)),
            )
            for r, f in zip(self.right[[0, 2]].tolist(), self.forward[[0, 2]].tolist(), strict=True)
        )
        return Vec(x, up, z)

    def components(self, vector: Vec) -> tuple[Uncertain, Uncertain, Uncertain]:
        """(right, up, forward) of a vector in the world."""
        right, forward = vector.along(self.right), vector.along(self.forward)
        return (
            combined(right.value, ((1.0, right), (-forward.value * _RADIAN, self.heading))),
            vector.y,
            combined(forward.value, ((1.0, forward), (right.value * _RADIAN, self.heading))),
        )
