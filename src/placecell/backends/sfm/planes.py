"""Depth of one view by sweeping planes: across its line of sight, and along the main surface if views are far apart.

A patch is compared as if it lay on the plane that is tried. Views 20 degrees apart and more see a table top so
differently that planes across the line of sight do not match it; planes along it do (Gallup et al. 2007). Those match
any two pictures of a flat thing, whatever their poses, so what they measure needs two other views.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from placecell.backends.sfm.settings import SfmSettings
from placecell.backends.sfm.sweep import sweep
from placecell.geometry.camera import Camera
from placecell.geometry.transforms import Array, apply, compose, invert

Float32 = NDArray[np.float32]

FEW_POINTS = 8
"""Fewer points say nothing about how far away things are."""
_NEAR, _FAR = 0.75, 1.6  # how far beyond the sparse points to look
_ALL, _MOST = (1, 99), (10, 90)  # percentiles of the points between which planes lie
_PLANE_PIXELS = 0.6  # how far a plane's picture in the source moves from the one before
_FEWEST_PLANES, _MOST_PLANES = 32, 192
_DOUBTFUL_COST = 0.42  # correlation below 0.16
_ACROSS = np.array([0.0, 0.0, 1.0])
_LEAST_SLOPE = 0.02  # of a plane against the line of sight, as a cosine: flatter is not seen
_TRIALS = 1000  # of three points to lay a plane through


@dataclass(frozen=True, eq=False)
class View:
    """A placed picture at the size of its depth map: grey (h, w) 0..1, without lens distortion.

    ``seen``: the points of the model that it sees (indices).
    """

    number: int
    grey: Float32
    camera: Camera
    seen: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Measured:
    """What sweeping gave: z-depth (h, w), 0 = unknown, matching cost (h, w), and the views it was swept against.

    ``along`` (h, w): measured on planes along the main surface.
    """

    z: Float32
    cost: Float32
    along: NDArray[np.bool_]
    sources: tuple[int, ...]


def main_surface(views: Iterable[View], points: Array, settings: SfmSettings) -> Array | None:
    """Normal of the plane that most of the points (N, 3) lie on, as seen by ``views``; None when too few of them do."""
    depths = np.concatenate([apply(invert(v.camera.world_from_cam), points[v.seen])[:, 2] for v in views])
    if len(points) < FEW_POINTS or not len(depths):
        return None
    off = settings.agree_depth * float(np.median(np.abs(depths)))
    corners = points[np.random.default_rng(settings.seed).integers(0, len(points), (_TRIALS, 3))]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    with np.errstate(invalid="ignore"):  # three points on a line hold none: NaN is below nothing
        normals /= np.linalg.norm(normals, axis=1)[:, None]
    held = [(np.abs((points - c) @ n) < off).sum() for n, c in zip(normals, corners[:, 0], strict=True)]
    best = int(np.argmax(held))
    if held[best] < settings.surface_share * len(points):
        return None
    near = points[np.abs((points - corners[best, 0]) @ normals[best]) < off]
    return np.asarray(np.linalg.svd(near - near.mean(axis=0), full_matrices=False)[2][2])


def measure(
    view: View, sources: Sequence[View], points: Array, surface: Array | None, settings: SfmSettings
) -> Measured:
    """Sweep ``view`` against ``sources``; ``surface``: normal, in the model's frame, of planes to try as well."""
    seen = apply(invert(view.camera.world_from_cam), points[view.seen])
    z, cost = _swept(view, sources, seen[seen[:, 2] > 0], _ACROSS, _ALL, settings)
    along = np.zeros(z.shape, np.bool_)
    if surface is not None:
        normal = view.camera.world_from_cam[:3, :3].T @ surface
        other_z, other_cost = _swept(view, sources, seen, normal, _MOST, settings)
        along = _around(other_cost, settings.window) < _around(cost, settings.window)
        z, cost = np.where(along, other_z, z), np.where(along, other_cost, cost)
    return Measured(z, cost, along, tuple(source.number for source in sources))


def _around(cost: Float32, side: int) -> Float32:
    import cv2

    return np.asarray(cv2.blur(cost, (side, side)), np.float32)


def _swept(
    view: View, sources: Sequence[View], seen: Array, normal: Array, spread: tuple[int, int], settings: SfmSettings
) -> tuple[Float32, Float32]:
    """z-depth and cost, 0 and 1 where unknown, over planes ``normal`` . X = distance.

    ``seen`` (N, 3) points and ``normal`` in the view's camera frame. ``spread``: percentiles of the points' distances
    between which planes lie.
    """
    distances = seen @ normal
    if (distances < 0).sum() > (distances > 0).sum():
        normal, distances = -normal, -distances
    distances = distances[distances > 0]
    if not sources or len(distances) < FEW_POINTS:
        return np.zeros_like(view.grey), np.ones_like(view.grey)
    near, far = np.percentile(distances, spread) * (_NEAR, _FAR)
    transforms = [compose(invert(s.camera.world_from_cam), view.camera.world_from_cam) for s in sources]
    inverse = np.linspace(1 / far, 1 / near, _planes(view, transforms, near, far))
    sizes = np.array([s.grey.shape for s in sources])
    pictures = np.zeros((len(sources), *sizes.max(axis=0)), np.float32)
    for picture, source in zip(pictures, sources, strict=True):
        picture[: source.grey.shape[0], : source.grey.shape[1]] = source.grey
    found = sweep(
        view.grey,
        pictures,
        sizes,
        np.stack(
            [
                homographies(view.camera, s.camera, transform, normal, inverse)
                for s, transform in zip(sources, transforms, strict=True)
            ]
        ),
        window=settings.window,
        smooth_near=settings.smooth_near,
        smooth_far=settings.smooth_far,
    )
    slope = view.camera.posed(np.eye(4)).rays() @ normal
    ok = (found.plane >= 0) & (found.cost <= _DOUBTFUL_COST) & (slope > _LEAST_SLOPE)
    inverse_z = np.where(ok, (inverse[0] + (inverse[1] - inverse[0]) * found.plane) * slope, 1)
    z = np.where(ok, 1 / inverse_z, 0).astype(np.float32)
    return z, np.where(ok, found.cost, np.float32(1))


def _planes(view: View, transforms: Sequence[Array], near: float, far: float) -> int:
    """So many that a surface moves by ``_PLANE_PIXELS`` from plane to plane in the typical source."""
    baseline = float(np.median([np.linalg.norm(t[:3, 3]) for t in transforms]))
    pixels = float(view.camera.K[0, 0]) * baseline * (1 / near - 1 / far)
    return int(np.clip(pixels / _PLANE_PIXELS, _FEWEST_PLANES, _MOST_PLANES))


def homographies(
    reference: Camera, source: Camera, source_from_reference: Array, normal: Array, inverse: Array
) -> Array:
    """(planes, 3, 3): pixels of the source for those of the reference on planes ``normal`` . X = 1 / ``inverse``."""
    turn = source.K @ source_from_reference[:3, :3]
    shift = source.K @ source_from_reference[:3, 3]
    planes = turn[None] + inverse[:, None, None] * np.outer(shift, normal)[None]
    return np.asarray(planes @ np.linalg.inv(reference.K))
