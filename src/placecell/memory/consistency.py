"""Do the depth maps of a capture agree with each other under the given poses, and would another reading agree better?

A depth pixel of one view, moved into another view, is *confirmed* when that view measures the same depth there,
*contradicted* when that view sees through it, and neither when it is hidden or outside. A wrong depth coding, other
camera axes or inverted poses leave few pixels confirmed, and the right reading shows itself by confirming many more.
Knows depth and cameras. Does not know files, nor what to do about a disagreement: it measures.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from placecell.geometry.transforms import Array, convert_camera, invert
from placecell.memory.depthmaps import known_pixels
from placecell.memory.scene import DepthMap

CONFIRMED = 0.025
"""Relative depth difference up to which a view confirms another's measurement."""
CONTRADICTED = 0.05
"""A view contradicts a measurement when it sees further, through it, by more than this share."""
BETTER = 1.25
"""Another reading is the right one when it confirms this many times as much, and agrees with itself."""

_MAX_PAIRS = 48
_POINTS_PER_VIEW = 1200
_MAX_ANGLE_DEG = 45.0
_SCALES = tuple(np.geomspace(1 / 20, 20, 41).tolist())
_CODING_FACTORS = (1.0, *(factor for k in (1000.0, 5.0, 10.0, 2.0, 8.0, 4.0) for factor in (k, 1 / k)))


@dataclass(frozen=True)
class Agreement:
    """Shares of the measured depth pixels, over ``pairs`` ordered pairs of views that look the same way."""

    pairs: int
    confirmed: float
    contradicted: float

    @property
    def checked(self) -> bool:
        """Whether the views see enough of the same things to say anything."""
        return self.confirmed + self.contradicted >= 0.02

    @property
    def ratio(self) -> float:
        """Confirmed among the confirmed or contradicted, 0..1."""
        return self.confirmed / max(self.confirmed + self.contradicted, 1e-12)


@dataclass(frozen=True)
class Verdict:
    """``agreement`` as read; ``better`` names another reading that clearly agrees better, and how well.

    ``scale``: when no reading is clearly better, the factor on depth (within 25 %) that agrees a little better, else 1.

    ``view_ratios``: each view's own share of confirmed among the confirmed or contradicted, NaN where nothing was said.
    """

    agreement: Agreement
    better: str | None = None
    better_agreement: Agreement | None = None
    scale: float = 1.0
    view_ratios: tuple[float, ...] = ()

    @property
    def disagrees(self) -> bool:
        """Whether the depth and poses cannot both be right as they were read."""
        return self.better is not None or (self.agreement.checked and self.agreement.ratio < 0.6)


class _Counts(NamedTuple):
    """Of P pairs the two views (P, 2), and of the first one's samples (P, 3) the known, confirmed, contradicted."""

    views: NDArray[np.int64]
    samples: NDArray[np.int64]

    def total(self) -> Agreement:
        measured, confirmed, contradicted = self.samples.sum(axis=0).tolist()
        return Agreement(len(self.views), confirmed / max(measured, 1), contradicted / max(measured, 1))

    def ratios(self, views: int) -> tuple[float, ...]:
        """Of each view, over the pairs it is in: confirmed among the confirmed or contradicted."""
        both = self.views.T.ravel()
        confirmed = np.bincount(both, np.tile(self.samples[:, 1], 2), views)
        said = confirmed + np.bincount(both, np.tile(self.samples[:, 2], 2), views)
        enough = said >= 0.1 * _POINTS_PER_VIEW
        return tuple(np.where(enough, confirmed / np.maximum(said, 1), np.nan).tolist())


class CrossCheck:
    """The depth samples of a set of views, ready to be compared under the given or under changed poses."""

    def __init__(self, views: Sequence[DepthMap]) -> None:
        self._poses = np.array([v.camera.world_from_cam for v in views]).reshape(-1, 4, 4)
        self._pairs = _pairs(self._poses)
        self._samples = np.zeros((len(views), _POINTS_PER_VIEW, 3), np.float32)
        for i, view in enumerate(views):
            points = _sample(view)
            self._samples[i, : len(points)] = points
        self._depths = [v.z for v in views]
        self._shapes = np.array([v.z.shape for v in views], dtype=np.int64).reshape(-1, 2)
        self._lenses = np.array([v.camera.K[[0, 1, 0, 1], [0, 1, 2, 2]] for v in views], np.float32).reshape(-1, 4)

    def agreement(self, scale: float = 1.0, poses: Array | None = None) -> Agreement:
        """How the views agree when depth is multiplied by ``scale``, or with other ``poses`` (views, 4, 4)."""
        if poses is None:
            return self._count(self._poses, self._pairs, scale).total()
        return self._count(poses, _pairs(poses), scale).total()

    def verdict(self) -> Verdict:
        """Compare the reading as given with other scales, OpenGL camera axes and inverted poses."""
        counts = self._count(self._poses, self._pairs, 1.0)
        given, ratios = counts.total(), counts.ratios(len(self._poses))
        if given.pairs == 0:
            return Verdict(given, view_ratios=ratios)
        scale, best = self._best_scale()
        slightly_off = 1 / BETTER <= scale <= BETTER
        options = {} if slightly_off else {f"depth x {scale:.3g}": best}
        inverted = invert(self._poses)
        options["camera axes as OpenGL has them (y up, z backward)"] = self.agreement(poses=_flipped(self._poses))
        options["poses that are world-to-camera"] = self.agreement(poses=inverted)
        options["world-to-camera poses with OpenGL camera axes"] = self.agreement(poses=_flipped(inverted))
        name, other = max(options.items(), key=lambda option: option[1].confirmed)
        if other.confirmed > BETTER * given.confirmed + 0.01 and other.ratio >= 0.8:
            return Verdict(given, name, other, view_ratios=ratios)
        return Verdict(
            given, scale=scale if slightly_off and best.confirmed > given.confirmed else 1.0, view_ratios=ratios
        )

    def _best_scale(self) -> tuple[float, Agreement]:
        """The factor on depth that confirms most; a factor that codings differ by, if it is as good as any."""
        found = [(scale, self.agreement(scale)) for scale in (*_CODING_FACTORS, *_SCALES)]
        most = max(agreement.confirmed for _, agreement in found)
        return next(option for option in found if option[1].confirmed >= 0.97 * most)

    def _count(self, poses: Array, pairs: NDArray[np.int64], scale: float) -> _Counts:
        a, b = pairs[:, 0], pairs[:, 1]
        b_from_a = invert(poses[b]) @ poses[a]
        rotation = b_from_a[:, :3, :3].astype(np.float32)
        # Multiplying all depth by a scale is dividing all baselines by it, with every length then in other units.
        shift = (b_from_a[:, :3, 3] / scale).astype(np.float32)
        points = np.matmul(self._samples[a], np.swapaxes(rotation, -1, -2)) + shift[:, None]
        known, depth = self._samples[a][..., 2] > 0, points[..., 2]
        ahead = known & (depth > 0)
        lens = self._lenses[b][:, None]
        inverse = 1 / np.where(ahead, depth, np.float32(1))
        u = points[..., 0] * inverse * lens[..., 0] + lens[..., 2]
        v = points[..., 1] * inverse * lens[..., 1] + lens[..., 3]
        height, width = self._shapes[b, 0, None], self._shapes[b, 1, None]
        inside = ahead & (u >= 0) & (u < width) & (v >= 0) & (v < height)
        pixel = np.where(inside, v, 0).astype(np.int64) * width + np.where(inside, u, 0).astype(np.int64)
        seen_there = [self._depths[view].ravel()[at] for view, at in zip(b.tolist(), pixel, strict=True)]
        other = np.array(seen_there, np.float32).reshape(pixel.shape)
        seen = inside & (other > 0)
        error = (depth - other) / np.where(seen, other, np.float32(1))
        confirmed = seen & (np.abs(error) <= CONFIRMED)
        contradicted = seen & (error < -CONTRADICTED)
        return _Counts(pairs, np.stack([known.sum(axis=1), confirmed.sum(axis=1), contradicted.sum(axis=1)], axis=1))


def _pairs(poses: Array) -> NDArray[np.int64]:
    """(P, 2) ordered pairs of views that look the same way, evenly from the shortest to the longest baseline."""
    forward, centre = poses[:, :3, 2], poses[:, :3, 3]
    same_way = forward @ forward.T > np.cos(np.radians(_MAX_ANGLE_DEG))
    np.fill_diagonal(same_way, False)
    a, b = np.nonzero(same_way)
    order = np.argsort(np.linalg.norm(centre[a] - centre[b], axis=1), kind="stable")
    if len(order) > _MAX_PAIRS:
        order = order[np.linspace(0, len(order) - 1, _MAX_PAIRS).astype(int)]
    return np.stack([a[order], b[order]], axis=1).astype(np.int64)


def _flipped(poses: Array) -> Array:
    return convert_camera(poses, "opengl")


def _sample(view: DepthMap) -> NDArray[np.float32]:
    """(M, 3) float32 known points of a view in its camera, from an even grid, at most ``_POINTS_PER_VIEW``."""
    height, width = view.z.shape
    step = max(1, int(np.ceil(np.sqrt(height * width / _POINTS_PER_VIEW))))
    points = view.camera.posed(np.eye(4)).unproject_pixels(*known_pixels(view, step))
    return points[:_POINTS_PER_VIEW].astype(np.float32)
