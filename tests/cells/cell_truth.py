"""Truths of rooms and videos by plain arithmetic on true boxes and paths. Knows neither engine nor language.

World: y up, metres; a heading's right is (-forward z, 0, forward x).
"""

from __future__ import annotations

import math

import numpy as np

from placecell.backends.synthetic.scene import SyntheticObject, SyntheticRoom
from placecell.geometry.transforms import Array

Thing = SyntheticObject


def flat(vector: Array) -> Array:
    """Without its height."""
    return np.array([vector[0], 0.0, vector[2]])


def unit(vector: Array) -> Array:
    return np.asarray(vector / np.linalg.norm(vector))


def apart(a: Array, b: Array) -> float:
    return float(np.linalg.norm(np.asarray(a) - np.asarray(b)))


def axes(ahead: Array) -> tuple[Array, Array]:
    """(right, forward), both level, of one that looks along ``ahead``."""
    forward = unit(flat(ahead))
    return np.array([-forward[2], 0.0, forward[0]]), forward


def seen(at: Array, ahead: Array, target: Array) -> tuple[float, float]:
    """(right, forward) of a target from a place, looking along ``ahead``."""
    right, forward = axes(ahead)
    way = np.asarray(target) - np.asarray(at)
    return float(way @ right), float(way @ forward)


def bearing(at: Array, ahead: Array, target: Array) -> float:
    """Degrees, positive to the right."""
    return math.degrees(math.atan2(*seen(at, ahead, target)))


def sides(thing: Thing) -> tuple[float, float, float]:
    """(width, depth, height): the longer and the shorter level side of its upright box, and its height.

    Things of rooms stand upright, so the box along their own axes is upright.
    """
    vertical = int(np.argmax(np.abs(thing.box.axes[:, 1])))
    depth, width = sorted(np.delete(thing.box.size, vertical).tolist())
    return width, depth, float(thing.box.size[vertical])


def low(thing: Thing) -> float:
    return float(thing.box.corners[:, 1].min())


def high(thing: Thing) -> float:
    return float(thing.box.corners[:, 1].max())


def to_line(point: Array, a: Array, b: Array) -> float:
    """Distance of a point to the straight piece from a to b."""
    way = b - a
    share = np.clip((point - a) @ way / (way @ way), 0, 1)
    return apart(point, a + share * way)


def runs_into(start: Array, ahead: Array, outline: Array) -> float:
    """Level distance from a place along a way to the outline (K, 2) of the room in (x, z)."""
    here, way = start[[0, 2]], unit(ahead[[0, 2]])
    best = math.inf
    for p, q in zip(outline, np.roll(outline, -1, axis=0), strict=True):
        edge = q - p
        cross = way[0] * edge[1] - way[1] * edge[0]
        if abs(cross) < 1e-12:
            continue
        gap = p - here
        along = (gap[0] * edge[1] - gap[1] * edge[0]) / cross
        share = (gap[0] * way[1] - gap[1] * way[0]) / cross
        if along > 1e-9 and 0 <= share <= 1:
            best = min(best, along)
    return float(best)


def hits(thing: Thing, start: Array, way: Array, wide: float = 0.0) -> float:
    """Distance along ``way`` (unit) from a place to a thing's box grown by ``wide``; inf when it is missed."""
    inverse = thing.box.axes
    origin = inverse @ (np.asarray(start) - thing.box.centre)
    along = inverse @ np.asarray(way)
    half = thing.box.size / 2 + wide
    near, far = -math.inf, math.inf
    for o, d, h in zip(origin, along, half, strict=True):
        if abs(d) < 1e-12:
            if abs(o) > h:
                return math.inf
            continue
        t = sorted(((-h - o) / d, (h - o) / d))
        near, far = max(near, t[0]), min(far, t[1])
    return max(near, 0.0) if near <= far and far >= 0 else math.inf


def others(room: SyntheticRoom, *things: Thing) -> list[Thing]:
    return [thing for thing in room.objects if thing not in things]
