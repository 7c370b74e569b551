"""Depth maps for the pictures of a model, and which of them are confirmed by the others.

Each view is swept (``sweep``) against the views that see most of the same points at a useful angle. A depth is kept
when enough other views measured the same surface, and becomes their mean. A picture whose depth hardly anything
confirms was placed wrongly, whatever its reprojection error says: that is the gate.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from placecell.backends.sfm.agreement import agree
from placecell.backends.sfm.cameras import Model
from placecell.backends.sfm.settings import SfmSettings
from placecell.backends.sfm.sweep import Swept, sweep
from placecell.geometry.camera import Camera
from placecell.geometry.transforms import Array, apply, compose, invert
from placecell.memory.scene import DepthMap
from placecell.progress import OnProgress, Progress

Float32 = NDArray[np.float32]

_ANGLE_DEG = 9.0  # triangulation angle that sees depth well while patches still look alike
_ANGLE_SPREAD = 0.9  # of its logarithm
_FEW_POINTS = 8
_NEAR, _FAR = 0.75, 1.6  # how far beyond the sparse points' depths to look
_PLANE_PIXELS = 0.6  # how far a plane's picture in the source moves from the one before
_FEWEST_PLANES, _MOST_PLANES = 32, 192
_DOUBTFUL_COST = 0.42  # correlation below 0.16
_SPECK = 3e-4  # of a picture
_SPECK_JUMP, _STEPS = 0.01, 16000  # of the largest inverse depth, and how finely that is counted
_LEAST_SD, _MOST_SD = 0.003, 0.02


@dataclass(frozen=True, eq=False)
class View:
    """A placed picture at the size of its depth map: grey (h, w) 0..1, without lens distortion."""

    number: int
    grey: Float32
    camera: Camera
    seen: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Dense:
    """Confirmed depth by picture number, the share of each picture's pixels that have it, and who was refused.

    ``depth_sd``: relative standard deviation of a depth reading, from how the views differ where they agree.
    """

    depth: dict[int, DepthMap]
    shares: dict[int, float]
    refused: dict[int, float]
    depth_sd: float


@dataclass(frozen=True)
class Link:
    """How well another view goes with one: points both see and the median angle between their lines of sight."""

    number: int
    shared: int
    angle_deg: float

    @property
    def quality(self) -> float:
        return self.shared * float(np.exp(-0.5 * (np.log(max(self.angle_deg, 0.01) / _ANGLE_DEG) / _ANGLE_SPREAD) ** 2))


@dataclass(frozen=True, eq=False)
class _Measured:
    """What one sweep gave: z-depth (h, w), 0 = unknown, matching cost (h, w), and the views it was swept against."""

    z: Float32
    cost: Float32
    sources: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class _Confirmed:
    """The depth of a view that others confirm, and the relative standard deviation of one reading."""

    depth: DepthMap
    sd: float

    @property
    def share(self) -> float:
        return float((self.depth.z > 0).mean())


def confirmed_depth(views: Mapping[int, View], model: Model, settings: SfmSettings, progress: OnProgress) -> Dense:
    """Sweep all views, keep what others confirm, and refuse views that nothing confirms."""
    links = {n: links_of(n, views, model) for n in views}
    measured: dict[int, _Measured] = {}
    refused: dict[int, float] = {}
    kept, before = list(views), 0
    while len(kept) != before:
        # The second time for views that were swept against a refused one, which spoils what it takes part in.
        before = len(kept)
        _sweep_all(kept, views, links, measured, model, settings, progress)
        found = _confirm_all(kept, views, links, measured, settings)
        while kept and min(c.share for c in found.values()) < settings.min_share:
            # One at a time: the others' depth may be unconfirmed only because of this one.
            worst = min(kept, key=lambda n: (found[n].share, n))
            refused[worst] = found[worst].share
            kept.remove(worst)
            found = _confirm_all(kept, views, links, measured, settings)
    spread = [c.sd for c in found.values() if np.isfinite(c.sd)]
    return Dense(
        depth={n: c.depth for n, c in found.items()},
        shares={n: c.share for n, c in found.items()},
        refused=refused,
        depth_sd=float(np.clip(np.median(spread), _LEAST_SD, _MOST_SD)) if spread else _MOST_SD,
    )


def _sweep_all(
    kept: Sequence[int],
    views: Mapping[int, View],
    links: Mapping[int, Sequence[Link]],
    measured: dict[int, _Measured],
    model: Model,
    settings: SfmSettings,
    progress: OnProgress,
) -> None:
    """Fill in ``measured`` for views without, and again for those whose sources have changed."""
    sources = {n: tuple(k.number for k in links[n] if k.number in kept)[: settings.sources] for n in kept}
    todo = [n for n in kept if n not in measured or measured[n].sources != sources[n]]
    with ThreadPoolExecutor(settings.threads, thread_name_prefix="sweep") as pool:
        jobs = pool.map(lambda n: _swept(views[n], [views[k] for k in sources[n]], model, settings), todo)
        for done, result in enumerate(jobs, 1):
            measured[todo[done - 1]] = result
            progress(Progress("measuring depth", done, len(todo)))


def _confirm_all(
    kept: Sequence[int],
    views: Mapping[int, View],
    links: Mapping[int, Sequence[Link]],
    measured: Mapping[int, _Measured],
    settings: SfmSettings,
) -> dict[int, _Confirmed]:
    needed = 1 if len(kept) <= settings.one_view else settings.min_views
    return {
        n: _confirmed(views[n], views, [k for k in links[n] if k.number in kept], measured, needed, settings)
        for n in kept
    }


def links_of(number: int, views: Mapping[int, View], model: Model) -> list[Link]:
    """Links to all other views that share points, the best first."""
    me = views[number]
    found = []
    for other in views.values():
        shared = np.intersect1d(me.seen, other.seen, assume_unique=True)
        if other.number != number and len(shared) >= _FEW_POINTS:
            a = me.camera.centre - model.points[shared]
            b = other.camera.centre - model.points[shared]
            cosine = (a * b).sum(axis=1) / (np.linalg.norm(a, axis=1) * np.linalg.norm(b, axis=1))
            angle = float(np.degrees(np.median(np.arccos(np.clip(cosine, -1, 1)))))
            found.append(Link(other.number, len(shared), angle))
    return sorted(found, key=lambda link: (-link.quality, link.number))


def _swept(view: View, sources: Sequence[View], model: Model, settings: SfmSettings) -> _Measured:
    numbers = tuple(source.number for source in sources)
    depths = apply(invert(view.camera.world_from_cam), model.points[view.seen])[:, 2]
    depths = depths[depths > 0]
    if not sources or len(depths) < _FEW_POINTS:
        return _Measured(np.zeros(view.grey.shape, np.float32), np.ones(view.grey.shape, np.float32), numbers)
    near, far = np.percentile(depths, [1, 99]) * (_NEAR, _FAR)
    transforms = [compose(invert(s.camera.world_from_cam), view.camera.world_from_cam) for s in sources]
    inverse = np.linspace(1 / far, 1 / near, _planes(view, transforms, near, far))
    homographies = np.stack(
        [
            _homographies(view.camera, s.camera, transform, inverse)
            for s, transform in zip(sources, transforms, strict=True)
        ]
    )
    sizes = np.array([s.grey.shape for s in sources])
    pictures = np.zeros((len(sources), *sizes.max(axis=0)), np.float32)
    for picture, source in zip(pictures, sources, strict=True):
        picture[: source.grey.shape[0], : source.grey.shape[1]] = source.grey
    found: Swept = sweep(
        view.grey,
        pictures,
        sizes,
        homographies,
        window=settings.window,
        smooth_near=settings.smooth_near,
        smooth_far=settings.smooth_far,
    )
    step = inverse[1] - inverse[0]
    ok = (found.plane >= 0) & (found.cost <= _DOUBTFUL_COST)
    z = np.where(ok, 1 / (inverse[0] + step * found.plane), 0).astype(np.float32)
    return _Measured(z, found.cost, numbers)


def _planes(view: View, transforms: Sequence[Array], near: float, far: float) -> int:
    """So many that a surface moves by ``_PLANE_PIXELS`` from plane to plane in the typical source."""
    baseline = float(np.median([np.linalg.norm(t[:3, 3]) for t in transforms]))
    pixels = float(view.camera.K[0, 0]) * baseline * (1 / near - 1 / far)
    return int(np.clip(pixels / _PLANE_PIXELS, _FEWEST_PLANES, _MOST_PLANES))


def _homographies(reference: Camera, source: Camera, source_from_reference: Array, inverse: Array) -> Array:
    """(planes, 3, 3): pixels of the source for pixels of the reference at z-depth 1 / ``inverse``."""
    turn = source.K @ source_from_reference[:3, :3]
    shift = source.K @ source_from_reference[:3, 3]
    normal = np.array([0.0, 0.0, 1.0])
    planes = turn[None] + inverse[:, None, None] * np.outer(shift, normal)[None]
    return np.asarray(planes @ np.linalg.inv(reference.K))


def _confirmed(
    me: View,
    views: Mapping[int, View],
    links: Sequence[Link],
    measured: Mapping[int, _Measured],
    needed: int,
    settings: SfmSettings,
) -> _Confirmed:
    """The depth of one view where ``needed`` others agree."""
    z, cost = measured[me.number].z, measured[me.number].cost
    others = sorted(links, key=lambda k: (-k.shared, k.number))[: settings.checked]
    total, count, denied = z.astype(np.float64), np.zeros(z.shape, np.int32), np.zeros(z.shape, np.int32)
    squares = np.zeros(z.shape)
    for link in others:
        other = views[link.number]
        agree(
            z,
            measured[link.number].z,
            _lens(me.camera),
            _lens(other.camera),
            compose(invert(other.camera.world_from_cam), me.camera.world_from_cam),
            np.array([settings.agree_pixels, settings.agree_depth]),
            total,
            squares,
            count,
            denied,
        )
    kept = _without_specks((z > 0) & (count >= needed), z)
    mean = np.where(kept, total / (count + 1), 0).astype(np.float32)
    confidence = np.where(kept, (1 - cost) * count / (count + denied + 1), 0).astype(np.float32)
    differences = squares[kept].sum() / max(int(count[kept].sum()), 1)
    sd = float(np.sqrt(differences / 2)) if kept.any() else float("nan")
    return _Confirmed(DepthMap(mean, me.camera, confidence), sd)


def _without_specks(kept: NDArray[np.bool_], z: Float32) -> NDArray[np.bool_]:
    """Without patches of like depth too small to be a surface: what agrees by chance, in sky and on plain walls."""
    import cv2

    inverse = np.where(kept, 1 / np.where(kept, z, 1), 0)
    steps = np.where(kept, np.rint(1 + inverse / max(float(inverse.max()), 1e-12) * (_STEPS - 1)), 0).astype(np.int16)
    cv2.filterSpeckles(steps, 0, round(_SPECK * z.size), _STEPS * _SPECK_JUMP)
    return kept & (steps > 0)


def _lens(camera: Camera) -> Array:
    return np.array([camera.K[0, 0], camera.K[1, 1], camera.K[0, 2], camera.K[1, 2]])
