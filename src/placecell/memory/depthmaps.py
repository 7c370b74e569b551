"""Depth maps to coloured points: what is thrown away first, how sure each point is, and how many are kept.

Knows frames in one frame of reference. Does not know where the vertical is, or objects.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from placecell.geometry.camera import Camera
from placecell.geometry.cloud import Cloud, concat, fuse, voxel_ids
from placecell.geometry.consistency import DepthView, fuse_views
from placecell.geometry.splats import kernel
from placecell.geometry.transforms import Array
from placecell.media.frames import area_resize
from placecell.memory.scene import DepthMap, Float32, Frame

_BEND = 0.5  # of the larger of two steps of inverse depth, by which they differ where no plane goes on
_WILD = 1000  # times the usual depth: what is farther is no reading
_MIXED = 3  # a pixel that a sensor mixed has a bend fewer pixels than this away


@dataclass(frozen=True)
class FusionSettings:
    """How depth becomes a cloud. All lengths are relative, so that any unit gives the same result.

    ``edge_jump``: a pixel may be "flying", between two surfaces, where depth jumps by more than this on both sides.
    ``max_samples``: depth pixels taken over all frames; a longer capture is taken at every 2nd, 3rd, ... pixel.
    ``max_points``: of the fused cloud; the voxels grow until it fits.
    ``voxel_pixels``: size of a voxel, in the distances between taken pixels where things usually are.
    ``min_support``: voxels with fewer occupied ones around them (in a cube of 4) are specks.
    """

    edge_jump: float = 0.03
    max_samples: int = 4_000_000
    max_points: int = 1_000_000
    voxel_pixels: float = 1.5
    min_support: int = 3


def without_flying_pixels(depth: DepthMap, edge_jump: float) -> DepthMap:
    """The depth map with 0 where depth jumps on both sides of a pixel, in its row or in its column.

    A pixel at the edge or corner of an object has its own surface on one side and stays; one that a sensor mixed from
    front and back has it on neither. A floor or wall seen at a grazing angle jumps from pixel to pixel, and stays.
    """
    flying = np.zeros(depth.z.shape, np.bool_)
    _mark_flying(np.ascontiguousarray(depth.z), edge_jump, flying)
    return replace(depth, z=np.where(flying, np.float32(0), depth.z))


@kernel
def _mark_flying(z: Float32, edge_jump: float, flying: NDArray[np.bool_]) -> None:
    height, width = z.shape
    flat = z.reshape(-1)
    for row in range(height):
        for column in range(width):
            at = row * width + column
            across = _is_mixed(flat, at, 1, column, width - 1 - column, edge_jump)
            flying[row, column] = across or _is_mixed(flat, at, width, row, height - 1 - row, edge_jump)


@kernel
def _is_mixed(z: Float32, at: int, stride: int, before: int, after: int, edge_jump: float) -> bool:
    """Whether depth jumps on both sides of pixel ``at`` of a line with so many pixels ``before`` and ``after`` it, and
    bends nearby: along a plane, however slanted, inverse depth is a straight line. Unknown pixels say nothing."""
    if before < 1 or after < 1:
        return False
    a, here, b = z[at - stride], z[at], z[at + stride]
    if not (a > 0 and here > 0 and b > 0):
        return False
    if abs(a - here) <= edge_jump * min(a, here) or abs(b - here) <= edge_jump * min(b, here):
        return False
    for k in range(-min(before - 1, _MIXED - 1), min(after - 1, _MIXED - 1) + 1):
        middle = at + k * stride
        first, second = 1 / z[middle] - 1 / z[middle - stride], 1 / z[middle + stride] - 1 / z[middle]
        if abs(second - first) > _BEND * max(abs(first), abs(second)):
            return True
    return False


def known_pixels(depth: DepthMap, step: int) -> tuple[Array, Float32]:
    """(u, v) (N, 2) and z-depth (N,) of the known pixels at every ``step``-th row and column of a depth map."""
    start = step // 2
    z = depth.z[start::step, start::step]
    rows, columns = np.nonzero(z > 0)
    pixels = np.stack([columns, rows], axis=1).astype(np.float64) * step + (start + 0.5)
    return pixels, z[rows, columns]


def cloud_of(frames: tuple[Frame, ...], settings: FusionSettings, depth_sd: float) -> tuple[Cloud, float]:
    """The fused cloud of all depth maps, and its voxel size; an empty cloud and 0 when there is no depth.

    ``depth_sd`` is the relative standard deviation of a depth reading.
    """
    views = [(frame, _view(frame, frame.depth)) for frame in frames if frame.depth is not None]
    middles = [np.median(known) for _, view in views if len(known := view.depth[view.depth > 0])]
    if not middles:
        return Cloud.empty(), 0.0
    total = sum(view.depth.size for _, view in views)
    step = max(1, int(np.ceil(np.sqrt(total / settings.max_samples))))
    usual = float(np.median(middles))
    focal = float(np.median([view.camera.K[0, 0] for _, view in views]))
    raw = concat(_sampled(frame, view, step, usual) for frame, view in views)
    voxel = settings.voxel_pixels * step * usual / focal
    cloud = fuse(raw, voxel)
    while len(cloud) > settings.max_points:
        voxel *= 1.05 * np.sqrt(len(cloud) / settings.max_points)  # points lie on surfaces
        cloud = fuse(raw, voxel)
    if len(views) > 1:
        maps = [view for _, view in views]
        cloud = fuse_views(cloud, maps, voxel, depth_sd)
    return _without_specks(cloud, voxel, settings.min_support), float(voxel)


def _view(frame: Frame, depth: DepthMap) -> DepthView:
    return DepthView(depth.camera, depth.z, area_resize(frame.rgb, (depth.camera.width, depth.camera.height)))


def _sampled(frame: Frame, view: DepthView, step: int, usual: float) -> Cloud:
    """Every ``step``-th known pixel of a frame, the nearer the surer: noise grows with the square of distance.

    ``usual``: the usual depth of the capture.
    """
    start, (height, width) = step // 2, view.depth.shape
    z = view.depth[start::step, start::step]
    known = (z > 0) & (z < _WILD * usual)
    z = z[known]
    u, v = (np.arange(start, n, step, dtype=np.float32) + np.float32(0.5) for n in (width, height))
    u, v = np.broadcast_to(u, known.shape)[known], np.broadcast_to(v[:, None], known.shape)[known]
    confidence = 1 / (1 + (z / np.float32(usual)) ** 2)
    if frame.depth is not None and frame.depth.confidence is not None:
        confidence *= frame.depth.confidence[start::step, start::step][known]
    scale = np.array([frame.width / width, frame.height / height], np.float32)
    return Cloud(
        points=_unprojected(view.camera, u, v, z),
        colors=np.zeros((0, 3), np.uint8) if view.rgb is None else view.rgb[start::step, start::step][known],
        confidence=confidence.astype(np.float32),
        frame=np.full(len(z), frame.number, np.int32),
        pixel=np.stack([u, v], axis=1) * scale,
    )


def _unprojected(camera: Camera, u: Float32, v: Float32, z: Float32) -> Float32:
    """World points (N, 3) of pixels, in single precision: half the time, and enough for a cloud."""
    K, pose = camera.K.astype(np.float32), camera.world_from_cam.astype(np.float32)
    points: Float32 = np.stack([(u - K[0, 2]) / K[0, 0] * z, (v - K[1, 2]) / K[1, 1] * z, z], axis=1) @ pose[:3, :3].T
    return points + pose[:3, 3]


def _without_specks(cloud: Cloud, voxel: float, min_support: int) -> Cloud:
    coarse, count = voxel_ids(cloud.points, 4 * voxel)
    supported = np.bincount(coarse, minlength=count) >= min_support
    return cloud.select(supported[coarse]) if supported.any() else cloud
