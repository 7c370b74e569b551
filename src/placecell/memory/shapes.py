"""The shape of one object: its boxes around its points, where it shows in the photos, and how its points fall apart.

Knows points, depth and cameras. Does not know labels, names, or why an object is looked at again (``corrections``).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.vq import kmeans2
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.spatial import KDTree

from placecell.geometry.boxes import GROW, OrientedBox, gravity_box, oriented_box
from placecell.geometry.cloud import voxel_ids
from placecell.memory.scene import Float32, Frame, InstanceView

Labels = NDArray[np.intp]

STRAY = 0.1
"""A separate cluster of points with less than this share of the largest one's is not part of the object."""
TRIM = 0.005
"""Share of an object's points at each end of each side that its box may leave out as specks."""
TILT_GAIN = 0.5
"""Things stand upright. A tilted box around a chair or a bed with a headboard saves up to 30 % where they were not seen
from below; only what leans itself saves more than this."""
MAX_POINTS = 20_000
"""An object keeps at most about this many points."""
GAP = 3.0
"""Two parts of an object are apart when their points are more than this many spacings from each other."""
_CELLS = 40  # along the longest side of an object, when its points are looked at evenly
_DEPTH_TOLERANCE = 0.03  # share of its distance by which a point may lie behind the measured surface and still be seen
_SHOWN = 0.05  # share of an object's points that a photo must show to count as a view of it


def boxes_of(points: Float32, *, noisy: bool = False) -> tuple[OrientedBox, OrientedBox]:
    """The free and the upright box around points (N, 3), N > 0; upright both, unless a tilted one is much smaller.

    A box of ``noisy`` points does not grow back to those it trimmed: they are the outer half of a blurred surface.
    """
    grow = 0.0 if noisy else GROW
    free, upright = oriented_box(points, trim=TRIM, grow=grow), gravity_box(points, trim=TRIM, grow=grow)
    if upright.volume <= free.volume * (1 + TILT_GAIN):
        longest_first = np.argsort(-upright.size, kind="stable")
        free = OrientedBox(upright.centre, upright.axes[longest_first], upright.size[longest_first])
    return free, upright


def thinned(points: Float32) -> Float32:
    """At most ``MAX_POINTS`` of the points, evenly in their order."""
    step = -(-len(points) // MAX_POINTS) or 1
    return np.ascontiguousarray(points[::step], dtype=np.float32)


def views_of(points: Float32, frames: Iterable[Frame]) -> tuple[InstanceView, ...]:
    """Where points (N, 3) show in the frames: in view and not behind what the depth map measured there."""
    views = []
    for frame in frames:
        if frame.camera is None or len(points) == 0:
            continue
        seen = frame.camera.project(points)
        shown = seen.in_view.copy()
        if frame.depth is not None:
            z = frame.depth.z
            scale = np.array([z.shape[1] / frame.width, z.shape[0] / frame.height])
            column, row = (seen.pixels[shown] * scale).astype(np.int64).T
            measured = z[np.minimum(row, z.shape[0] - 1), np.minimum(column, z.shape[1] - 1)]
            shown[shown] = (measured > 0) & (seen.depth[shown] <= measured * (1 + _DEPTH_TOLERANCE))
        if shown.sum() < max(1.0, _SHOWN * len(points)):
            continue
        pixels = np.floor(seen.pixels[shown]).astype(int)
        (left, top), (right, bottom) = pixels.min(axis=0).tolist(), (pixels.max(axis=0) + 1).tolist()
        views.append(InstanceView(frame.number, len(np.unique(pixels, axis=0)), (left, top, right, bottom)))
    return tuple(views)


def joined_views(views: Iterable[InstanceView]) -> tuple[InstanceView, ...]:
    """One view a frame, by frame: pixels added up, never more than the joined rectangle holds."""
    by_frame: dict[int, list[InstanceView]] = {}
    for view in views:
        by_frame.setdefault(view.frame, []).append(view)
    joined = []
    for frame, parts in sorted(by_frame.items()):
        boxes = np.array([part.bbox for part in parts])
        (left, top), (right, bottom) = boxes[:, :2].min(axis=0).tolist(), boxes[:, 2:].max(axis=0).tolist()
        pixels = min(sum(part.pixels for part in parts), (right - left) * (bottom - top))
        joined.append(InstanceView(frame, pixels, (left, top, right, bottom)))
    return tuple(joined)


def connected_parts(points: Float32) -> Labels:
    """Part (N,) of each point, 0 the largest: parts are more than ``GAP`` spacings apart.

    Specks, with less than ``STRAY`` of the largest part's places, belong to the part nearest to them.
    """
    places, place = _even(points)
    if len(places) == 1:
        return np.zeros(len(points), np.intp)
    tree = KDTree(places)
    neighbour, _ = tree.query(places, k=[2])
    spacing = float(np.median(neighbour))
    pairs = tree.query_pairs(GAP * spacing, output_type="ndarray")
    ones = np.ones(len(pairs), np.int8)
    _, part = connected_components(coo_array((ones, tuple(pairs.T)), shape=(len(places),) * 2), directed=False)
    size = np.bincount(part)
    large = (size >= STRAY * size.max())[part]
    nearest_large = np.flatnonzero(large)[KDTree(places[large]).query(places)[1]]
    return _by_size(part[nearest_large][place])


def parts_by_number(points: Float32, count: int) -> Labels:
    """Part (N,) of each point, 0 the largest: ``count`` compact parts (k-means), the same for equal input."""
    places, place = _even(points)
    if len(places) < count:
        raise ValueError(f"{len(places)} places cannot be cut into {count} parts")
    starts = [int(np.argmax(np.linalg.norm(places - places.mean(axis=0), axis=1)))]
    while len(starts) < count:  # each next start is the place farthest from the others
        starts.append(int(np.argmax(KDTree(places[starts]).query(places)[0])))
    _, part = kmeans2(places, places[starts], minit="matrix", missing="raise")
    return _by_size(part[place])


def sides_of(points: Float32, axis: int, at: float) -> Labels:
    """Side (N,) of the plane ``axis`` = ``at`` that each point is on: 0 the side with more points."""
    return _by_size((points[:, axis] >= at).astype(np.intp))


def _even(points: Float32) -> tuple[NDArray[np.float64], Labels]:
    """Evenly spread places (M, 3), means of small cubes, and the place (N,) of each point."""
    size = float(np.ptp(points, axis=0).max()) / _CELLS
    if size <= 0:
        return points[:1].astype(np.float64), np.zeros(len(points), np.intp)
    voxel, count = voxel_ids(points, size)
    sums = [np.bincount(voxel, points[:, k], count) for k in range(3)]
    return np.stack(sums, axis=1) / np.bincount(voxel)[:, None], voxel.astype(np.intp)


def _by_size(part: Sequence[int] | NDArray[np.integer]) -> Labels:
    """The parts numbered again, the one with most points first."""
    _, number, size = np.unique(np.asarray(part), return_inverse=True, return_counts=True)
    rank = np.empty(len(size), np.intp)
    rank[np.argsort(-size, kind="stable")] = np.arange(len(size))
    return np.asarray(rank[number], np.intp)
