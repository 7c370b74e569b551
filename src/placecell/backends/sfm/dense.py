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
from placecell.backends.sfm.planes import FEW_POINTS, Measured, View, main_surface, measure
from placecell.backends.sfm.settings import SfmSettings
from placecell.geometry.camera import Camera
from placecell.geometry.transforms import Array, compose, invert
from placecell.memory.scene import DepthMap
from placecell.progress import OnProgress, Progress

Float32 = NDArray[np.float32]

_ANGLE_DEG = 9.0  # triangulation angle that sees depth well while patches still look alike
_ANGLE_SPREAD = 0.9  # of its logarithm
_SPECK = 3e-4  # of a picture
_SPECK_JUMP, _STEPS = 0.01, 16000  # of the largest inverse depth, and how finely that is counted
_LEAST_SD, _MOST_SD = 0.003, 0.02


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
    measured: dict[int, Measured] = {}
    refused: dict[int, float] = {}
    surface = main_surface(views.values(), model.points, settings)
    kept, before = list(views), 0
    while len(kept) != before:
        # The second time for views that were swept against a refused one, which spoils what it takes part in.
        before = len(kept)
        _sweep_all(kept, views, links, measured, model.points, surface, settings, progress)
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
    measured: dict[int, Measured],
    points: Array,
    surface: Array | None,
    settings: SfmSettings,
    progress: OnProgress,
) -> None:
    """Fill in ``measured`` for views without, and again for those whose sources have changed."""
    sources = {n: [k for k in links[n] if k.number in kept][: settings.sources] for n in kept}
    todo = [n for n in kept if n not in measured or measured[n].sources != tuple(k.number for k in sources[n])]

    def one(n: int) -> Measured:
        wide = len(sources[n]) > 1 and np.median([k.angle_deg for k in sources[n]]) >= settings.wide_deg
        return measure(views[n], [views[k.number] for k in sources[n]], points, surface if wide else None, settings)

    with ThreadPoolExecutor(settings.threads, thread_name_prefix="sweep") as pool:
        for done, result in enumerate(pool.map(one, todo), 1):
            measured[todo[done - 1]] = result
            progress(Progress("measuring depth", done, len(todo)))


def _confirm_all(
    kept: Sequence[int],
    views: Mapping[int, View],
    links: Mapping[int, Sequence[Link]],
    measured: Mapping[int, Measured],
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
        if other.number != number and len(shared) >= FEW_POINTS:
            a = me.camera.centre - model.points[shared]
            b = other.camera.centre - model.points[shared]
            cosine = (a * b).sum(axis=1) / (np.linalg.norm(a, axis=1) * np.linalg.norm(b, axis=1))
            angle = float(np.degrees(np.median(np.arccos(np.clip(cosine, -1, 1)))))
            found.append(Link(other.number, len(shared), angle))
    return sorted(found, key=lambda link: (-link.quality, link.number))


def _confirmed(
    me: View,
    views: Mapping[int, View],
    links: Sequence[Link],
    measured: Mapping[int, Measured],
    needed: int,
    settings: SfmSettings,
) -> _Confirmed:
    """The depth of one view where ``needed`` others agree, or ``min_views`` where it lies along the main surface."""
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
    enough = np.where(measured[me.number].along, settings.min_views, needed)
    kept = _without_specks((z > 0) & (count >= enough), z)
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
