"""How far an object may go on behind what was seen of it: the room that no view rules out, side by side of its box.

A side is settled when views see past it, when the next thing is measured right behind it, when the surface that it
stands on or hangs at is measured around it, or when a face that was seen ends there. What lies behind a cupboard's
front, below a bed's edge or beyond the rim of all pictures is settled by none, until a wall, the floor or free space
is. Knows depth maps and which of their pixels are the object's. Does not know what things usually look like.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from placecell.geometry.boxes import OrientedBox
from placecell.geometry.consistency import projected
from placecell.geometry.splats import kernel
from placecell.geometry.transforms import Array
from placecell.memory.merging.space import distance_of, footprint
from placecell.memory.pieces import Int32, Piece
from placecell.memory.scene import Float32, Frame
from placecell.memory.votes import LabelledView, member_views

Bool = NDArray[np.bool_]

MOST_VIEWS = 32
"""At most so many views of an object are looked at, and as many others."""
_ACROSS = 6  # places across a side, and along each of its rims
_INNER = 0.7  # share of a side that is looked at: past its edges one sees a little more than there is room
_STEPS = 16
_FREE, _MET = 0.4, 0.5  # shares of the places behind a side that must be free, or another thing's, to settle it
_RIM = 0.3  # share of the places along a rim that tells
_FACE = 0.65  # share of the places along a face's end that must be the face, and no more beyond it
_BEYOND = 2.5  # so far beyond that what stands before a face, and touches it, hides its other part
_SIGMAS = 3.0
_PIXELS = 2.0  # slack for the width of a pixel, at an edge of the object and of what lies behind


class _Seen(NamedTuple):
    """Of places (...): what most views have there; the rest is hidden, or out of all views.

    ``ahead``: how far behind the place, along the way out of the object, the surface that was met is on average.
    """

    free: Bool
    met: Bool  # the surface of something else
    own: Bool
    faced: Bool  # own, seen from out there
    ahead: Array


def hidden_room(box: OrientedBox, parts: Sequence[Piece], frames: Sequence[Frame], depth_sd: float) -> Array:
    """(3, 2): how far the object may go on beyond the low and the high end of each axis of its upright ``box``.

    0 where a side was seen. Never much farther than the object is long, nor below the floor at y = 0. ``frames`` are
    such that what ``parts`` do not hold of them is not the object.
    """
    slack = _PIXELS * footprint(parts)
    near = _SIGMAS * depth_sd * distance_of(parts) + slack
    steps = np.concatenate([[0.0, slack], near + box.longest * np.arange(_STEPS + 1) / _STEPS])
    views = _views(parts, frames)
    room = np.zeros((3, 2))
    for axis, end in np.ndindex(3, 2):
        sign = (-1.0, 1.0)[end]
        way = sign * box.axes[axis]
        places = _places(box, axis, sign, steps, near, slack)
        seen = _look(places, way, views, parts[0].label, _SIGMAS * depth_sd, slack)
        if _is_seen(seen) or (box.size[axis] > 2 * slack and _face_ends(seen)):
            continue
        down = float(way[1]) < -0.9
        behind = _behind(seen, steps, standing=down)
        room[axis, end] = min(behind, max(float(box.corners[:, 1].min()), 0.0)) if down else behind
    return room


def _places(box: OrientedBox, axis: int, sign: float, steps: Array, near: float, beside: float) -> Array:
    """(2 + S, P, 3) places at a side, first those across it, then those along its four rims.

    First on the faces that meet the side, before its edges and some way beyond them, a little inwards, where they would
    be seen nevertheless; then at each step behind the side, where rims are ``beside`` it.
    """
    across = [k for k in range(3) if k != axis]
    half = box.size / 2
    line = _INNER * np.linspace(-1.0, 1.0, _ACROSS)
    inner = np.stack(np.meshgrid(*(line * half[k] for k in across), indexing="ij"), axis=-1).reshape(-1, 2)
    levels = np.concatenate([[-beside, _BEYOND * near], steps])
    local = np.empty((len(levels), len(inner) + 4 * _ACROSS, 3))
    local[:, :, axis] = sign * (half[axis] + levels)[:, None]
    local[:, : len(inner), across] = inner
    rims = local[:, len(inner) :].reshape(len(levels), 2, 2, _ACROSS, 3)
    away = np.where(np.arange(len(levels)) < 2, -beside / 2, beside)[:, None]
    for k in (0, 1):
        for end, out in enumerate((-1.0, 1.0)):
            rims[:, k, end, :, across[k]] = out * (half[across[k]] + away)
            rims[:, k, end, :, across[1 - k]] = line * half[across[1 - k]]
    local[:, len(inner) :] = rims.reshape(len(levels), -1, 3)
    return np.asarray(box.centre + local @ box.axes)


def _is_seen(seen: _Seen) -> bool:
    """Whether the side itself was."""
    return bool(seen.faced[2, : _ACROSS**2].mean() >= _FACE)


def _face_ends(seen: _Seen) -> bool:
    """Whether one of the faces that meet the side was seen right up to it, and not beyond."""
    before, beyond = _by_rim(seen.own)[0], _by_rim(seen.free | seen.met)[1]
    return bool(((before >= _FACE) & (beyond >= _FACE)).any())


def _behind(seen: _Seen, steps: Array, *, standing: bool) -> float:
    """How far behind the side the object must have ended; the last step when nothing tells.

    The surface around a side ends the object unless one sees past it somewhere; what it stands on may be smaller.
    """
    inner = _ACROSS**2
    free, met, ahead = seen.free[2:], seen.met[2:], seen.ahead[2:]
    rim_free, rim_met = _by_rim(free), _by_rim(met)
    around: Bool = (rim_met > rim_free) & (rim_met >= _RIM)
    passed = np.any((rim_free >= rim_met) & (rim_free >= _RIM), axis=1)
    for k in range(len(steps)):
        step = float(steps[k])
        # At the side itself the object's own surface is nearer than depth can tell.
        if k > 0 and free[k, :inner].mean() >= _FREE:
            return step if k > 1 else 0.0
        if k > 0 and met[k, :inner].mean() >= _MET:
            return max(step + float(np.median(ahead[k, :inner][met[k, :inner]])), 0.0)
        if around[k].sum() >= 2 and (standing or not passed[k]):
            rims = np.repeat(around[k], _ACROSS) & met[k, inner:]
            return max(step + float(np.median(ahead[k, inner:][rims])), 0.0)
    return float(steps[-1])


def _by_rim(outcome: Bool) -> Array:
    """(S, 4) shares of the places along each rim."""
    return np.asarray(outcome[:, _ACROSS**2 :].reshape(-1, 4, _ACROSS).mean(axis=2))


def _look(places: Array, way: Array, views: Sequence[LabelledView], label: int, relative: float, slack: float) -> _Seen:
    points = places.reshape(-1, 3).astype(np.float32)
    votes, ahead = np.zeros((len(points), 4), np.int32), np.zeros(len(points))
    for view in views:
        along = places.reshape(-1, 3) @ way - float(view.camera.centre @ way)
        seen = projected(points, view.camera)
        _vote(*seen, along, view.z, relative, slack, view.ids, view.corner, label, votes, ahead)
    free, met, own, faced = votes.T
    ahead /= np.maximum(met, 1)
    is_own = (own > 0) & (own >= free) & (own >= met)
    shape = places.shape[:-1]
    return _Seen(
        free=((free > met) & (free >= own)).reshape(shape),
        met=((met > 0) & (met >= free)).reshape(shape),
        own=is_own.reshape(shape),
        faced=(is_own & (faced > 0)).reshape(shape),
        ahead=ahead.reshape(shape),
    )


def _views(parts: Sequence[Piece], frames: Sequence[Frame]) -> list[LabelledView]:
    """Views of the object, with its pixels, and other views, evenly thinned."""
    shown = {part.view.frame for part in parts}
    own = _thinned([frame for frame in frames if frame.number in shown and frame.depth is not None])
    others = _thinned([frame for frame in frames if frame.number not in shown and frame.depth is not None])
    numbers = {frame.number for frame in own}
    views = member_views([part for part in parts if part.view.frame in numbers], own)
    nothing = np.zeros((0, 0), np.int32)
    depths = [frame.depth for frame in others if frame.depth is not None]
    return [*views, *(LabelledView(depth.camera, depth.z, nothing) for depth in depths)]


def _thinned(items: list[Frame]) -> list[Frame]:
    return items[:: -(-len(items) // MOST_VIEWS) or 1]


@kernel
def _vote(  # noqa: PLR0913
    distance: Float32, u: Float32, v: Float32, along: Array, z: Float32, relative: float, slack: float, ids: Int32,
    corner: tuple[int, int], label: int, votes: NDArray[np.int32], ahead: Array,
) -> None:  # fmt: skip
    """One vote a point: free, another thing's surface, the object's own; none where the point is hidden.

    ``distance``, ``u`` and ``v`` (N,) are as `projected` gives them; ``along`` (N,) is how far before the camera a
    point is along the way that ``ahead`` is summed up on.
    """
    height, width = z.shape
    for i in range(len(distance)):
        d = distance[i]
        if not (d > 0 and u[i] >= 0 and v[i] >= 0 and u[i] < width and v[i] < height):
            continue
        column, row = int(u[i]), int(v[i])
        behind = z[row, column] - d
        if not z[row, column] > 0 or behind < -relative * d - slack:
            continue
        if behind > relative * d + slack:
            votes[i, 0] += 1
            continue
        column, row = column - corner[0], row - corner[1]
        own = 0 <= row < ids.shape[0] and 0 <= column < ids.shape[1] and ids[row, column] == label
        votes[i, 2 if own else 1] += 1
        if not own:
            ahead[i] += behind * along[i] / d
        elif along[i] < 0:
            votes[i, 3] += 1
