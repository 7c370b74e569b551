"""Photographic detail for a picture of the cloud: its pixels take their colours from the photos that saw them best.

The cloud says where surfaces are, the photos what they look like. Knows which few photos to use. Nothing is shown that
the photos do not show: where none saw a surface, the cloud's own colour stays.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from placecell.engine.derived import derived
from placecell.geometry.camera import Camera
from placecell.geometry.raster import Raster
from placecell.geometry.warp import Source, warp
from placecell.memory.scene import DepthMap, Frame, SpatialMemory

UInt8 = NDArray[np.uint8]
Float32 = NDArray[np.float32]

_MOST_PHOTOS = 5
_ENOUGH = 0.01  # a further photo must better at least this share of the picture
_GRID = 48  # samples across the picture on which photos are compared
_CANDIDATES = 200
_RELATIVE = 0.03  # depths within this share agree


def with_detail(
    memory: SpatialMemory, camera: Camera, raster: Raster
) -> tuple[UInt8, NDArray[np.bool_], tuple[int, ...]]:
    """The cloud's picture recoloured from photos, the mask (H, W) of known pixels, and the numbers of the photos."""
    frames = _chosen(memory, camera, raster.depth)
    if not frames:
        return raster.rgb, raster.known, ()
    sources = [Source(_photo(frame), shot, seen.z, seen.camera) for frame, shot, seen in frames]
    absolute = 2 * derived(memory).spacing
    out, used = warp(raster.rgb, raster.depth, camera, sources, relative=_RELATIVE, absolute=absolute)
    shown = [frames[k][0].number for k in np.unique(used[used >= 0])]
    return out, raster.known | (used >= 0), tuple(sorted(shown))


@lru_cache(maxsize=_MOST_PHOTOS)
def _photo(frame: Frame) -> UInt8:
    """Decoded pixels of a photo; those of one picture are kept, since neighbouring views use the same ones."""
    return np.ascontiguousarray(frame.rgb)


def _chosen(memory: SpatialMemory, camera: Camera, depth: Float32) -> list[tuple[Frame, Camera, DepthMap]]:
    """The photos that together show most of the picture, best first."""
    candidates = [(f, f.camera, f.depth) for f in memory.frames if f.camera is not None and f.depth is not None]
    step = max(1, camera.width // _GRID)
    rows, columns = np.mgrid[step // 2 : camera.height : step, step // 2 : camera.width : step].reshape(2, -1)
    z = depth[rows, columns]
    known = z > 0
    points = camera.unproject_pixels(np.stack([columns, rows], axis=-1)[known] + 0.5, z[known])
    if not len(points) or not candidates:
        return []
    if len(candidates) > _CANDIDATES:
        away = [float(np.linalg.norm(shot.centre - camera.centre)) for _, shot, _ in candidates]
        candidates = [candidates[i] for i in sorted(np.argsort(away, kind="stable")[:_CANDIDATES].tolist())]
    absolute = 2 * derived(memory).spacing
    scores = np.stack([_score(camera, shot, seen, points, z[known], absolute) for _, shot, seen in candidates])
    chosen: list[tuple[Frame, Camera, DepthMap]] = []
    best = np.zeros(len(points))
    while len(chosen) < min(_MOST_PHOTOS, len(candidates)):
        gains = np.maximum(scores - best, 0.0).sum(axis=1)
        winner = int(np.argmax(gains))
        if gains[winner] < _ENOUGH * len(points):
            break
        chosen.append(candidates[winner])
        best = np.maximum(best, scores[winner])
    return chosen


def _score(
    camera: Camera, shot: Camera, seen: DepthMap, points: NDArray[np.float64], z: Float32, absolute: float
) -> NDArray[np.float64]:
    """How well a photo saw each point (N,), 0 to 1: from nearly here, sharply enough, with nothing in between."""
    view = seen.camera.project(points)
    inside = view.in_view
    there = np.zeros(len(points))
    column, row = view.pixels[inside].astype(np.int64).T
    there[inside] = seen.z[row, column]
    agrees = inside & (there > 0) & (np.abs(there - view.depth) <= _RELATIVE * there + absolute)
    ours, theirs = points - camera.centre, points - shot.centre
    lengths = np.linalg.norm(ours, axis=1) * np.linalg.norm(theirs, axis=1)
    cosine = np.maximum(np.einsum("ij,ij->i", ours, theirs) / np.maximum(lengths, 1e-12), 0.0)
    sharpness = np.minimum(1.0, shot.K[0, 0] * z / (np.where(agrees, view.depth, np.inf) * camera.K[0, 0] * 0.6))
    return np.asarray(np.where(agrees, cosine**4 * sharpness, 0.0))
