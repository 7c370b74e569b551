"""One surface out of many depth maps: points that the views disagree about are moved, dropped and coloured.

Knows: how often each point of a cloud is confirmed and how often it is seen through.
Does not know: where depth comes from, or which cameras are right.

Depth maps of one wall never coincide; put together they are a layer as thick as the noise, and what is seen of a layer
is its front. So every point is projected into every depth map. Where the map agrees within the noise, its own surface
pulls the point along its line of sight; where the map sees something behind, it speaks against the point. The weighted
mean of the confirming surfaces is where a truncated signed distance field would have its zero (Curless and Levoy 1996),
without the grid.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from placecell.geometry.camera import Camera
from placecell.geometry.cloud import Cloud, fuse
from placecell.geometry.splats import kernel, project
from placecell.geometry.transforms import Array, invert

Float32 = NDArray[np.float32]
Projected = tuple[Float32, Float32, Float32]

# Agreement is within this many standard deviations of a depth reading.
_SIGMAS = 3.0


@dataclass(frozen=True, eq=False)
class DepthView:
    """z-depth (h, w), 0 or NaN unknown, with the camera of that size, and optionally its picture (h, w, 3) uint8."""

    camera: Camera
    depth: Float32
    rgb: NDArray[np.uint8] | None = None

    def __post_init__(self) -> None:
        size = (self.camera.height, self.camera.width)
        if self.depth.shape != size or (self.rgb is not None and self.rgb.shape != (*size, 3)):
            raise ValueError(f"depth and picture must have the camera's size {size}")


def fuse_views(cloud: Cloud, views: Sequence[DepthView], voxel_size: float, noise: float) -> Cloud:
    """A thin, clean cloud from one that has a point a voxel (`cloud.fuse`): it is settled, fused again and recoloured.

    ``noise`` is the relative standard deviation of a depth reading.
    """
    settled = settle(cloud, views, noise, voxel_size)
    return recolor(fuse(settled, voxel_size), views, noise, voxel_size)


def settle(cloud: Cloud, views: Sequence[DepthView], noise: float = 0.01, slack: float = 0.0) -> Cloud:
    """The points moved onto the mean of the surfaces that confirm them, without those the views see through.

    A view confirms a point when its depth there is the point's within 3 ``noise`` of it and ``slack`` (a length). A
    point goes when more than one view sees through it for every two that confirm it. Confidence is multiplied by the
    confirming share of the views that have a say.
    """
    pull, weight = np.zeros((len(cloud), 3)), np.zeros(len(cloud))
    votes = np.zeros((len(cloud), 2), np.int32)
    for view, seen in _in_turn(cloud, views):
        rays = view.camera.world_from_cam[:3, :3] @ np.linalg.inv(view.camera.K)
        _pull(*seen, view.depth, rays, _SIGMAS * noise, slack, pull, weight, votes)
    confirmed, denied = votes[:, 0], votes[:, 1]
    moved = cloud.points + np.where(confirmed > 0, 1 / np.where(weight > 0, weight, 1), 0)[:, None] * pull
    share = confirmed / np.maximum(confirmed + denied, 1)
    confidence = cloud.confidence * np.where(confirmed + denied > 0, share, 1)
    settled = replace(cloud, points=moved.astype(np.float32), confidence=confidence.astype(np.float32))
    return settled.select(2 * denied <= confirmed)


def recolor(cloud: Cloud, views: Sequence[DepthView], noise: float = 0.01, slack: float = 0.0) -> Cloud:
    """The points in the colours of the nearest views that see them; without a picture of them they keep their own."""
    total, weight = np.zeros((len(cloud), 3)), np.zeros(len(cloud))
    for view, seen in _in_turn(cloud, views):
        if view.rgb is not None:
            _tint(*seen, view.depth, view.rgb, _SIGMAS * noise, slack, total, weight)
    colors = np.where(weight[:, None] > 0, total / np.where(weight > 0, weight, 1)[:, None] + 0.5, cloud.colors)
    return replace(cloud, colors=colors.astype(np.uint8))


def _in_turn(cloud: Cloud, views: Sequence[DepthView]) -> Iterator[tuple[DepthView, Projected]]:
    """Each view with z-depth (N,), u and v of all points; the arrays are used again for the next view."""
    into = None
    for view in views:
        into = projected(cloud.points, view.camera, into)
        yield view, into


def projected(points: Float32, camera: Camera, into: Projected | None = None) -> Projected:
    """z-depth (N,), u and v of points (N, 3), world, in single precision; behind the camera u and v mean nothing.

    ``into``: arrays to be written into.
    """
    made = into or (
        np.empty(len(points), np.float32),
        np.empty(len(points), np.float32),
        np.empty(len(points), np.float32),
    )
    pose = invert(camera.world_from_cam)[:3].astype(np.float32)
    project(points, pose, camera.K[[0, 1, 0, 1], [0, 1, 2, 2]].astype(np.float32), True, *made)
    return made


@kernel
def _pull(  # noqa: PLR0913
    distance: Float32, u: Float32, v: Float32, depth: Float32, rays: Array, relative: float, slack: float,
    pull: Array, weight: Array, votes: NDArray[np.int32],
) -> None:  # fmt: skip
    height, width = depth.shape
    for i in range(len(distance)):
        if not (distance[i] > 0 and u[i] >= 0 and v[i] >= 0 and u[i] < width and v[i] < height):
            continue
        measured = depth[np.uint64(v[i]), np.uint64(u[i])]
        if not measured > 0:
            continue
        behind = measured - distance[i]
        if abs(behind) <= relative * distance[i] + slack:
            # The noise of a depth reading grows with depth, that of stereo with its square: far views count little.
            nearness = 1.0 / (distance[i] * distance[i])
            w = nearness * nearness
            for axis in range(3):
                pull[i, axis] += w * behind * (rays[axis, 0] * u[i] + rays[axis, 1] * v[i] + rays[axis, 2])
            weight[i] += w
            votes[i, 0] += 1
        elif behind > 0:
            votes[i, 1] += 1


@kernel
def _tint(  # noqa: PLR0913
    distance: Float32, u: Float32, v: Float32, depth: Float32, rgb: NDArray[np.uint8], relative: float, slack: float,
    total: Array, weight: Array,
) -> None:  # fmt: skip
    height, width = depth.shape
    for i in range(len(distance)):
        if not (distance[i] > 0 and u[i] >= 0 and v[i] >= 0 and u[i] < width and v[i] < height):
            continue
        row, column = np.uint64(v[i]), np.uint64(u[i])
        if abs(depth[row, column] - distance[i]) <= relative * distance[i] + slack:
            # So steep that few views count: an average of many blurs, a choice of one shows every change of exposure.
            nearness = 1.0 / (distance[i] * distance[i])
            w = nearness * nearness * nearness
            w *= w
            for channel in range(3):
                total[i, channel] += w * rgb[row, column, channel]
            weight[i] += w
