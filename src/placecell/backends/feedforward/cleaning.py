"""Which pixels of a model's depth are kept: those it is sure of, and not at the edges of things.

Knows one model's views, cut to their pictures. Does not know other views of the same place: ``memory.build`` compares.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from placecell.backends.feedforward.settings import CleaningSettings
from placecell.geometry.depth import depth_edges
from placecell.memory.scene import DepthMap, Float32


def cleaned(views: Sequence[DepthMap], settings: CleaningSettings) -> tuple[DepthMap, ...]:
    """The views with depth 0 where it is not kept."""
    least = _least_confidence(views, settings)
    return tuple(_clean(view, least, settings.edge_jump) for view in views)


def _least_confidence(views: Sequence[DepthMap], settings: CleaningSettings) -> float:
    """The larger of the fixed limit and the one that drops the least confident share of all views together."""
    if settings.least_confident <= 0:
        return settings.min_confidence
    known = [view.confidence[view.z > 0] for view in views if view.confidence is not None]
    every = np.concatenate(known) if known else np.zeros(0, np.float32)
    if len(every) == 0:
        return settings.min_confidence
    return max(settings.min_confidence, float(np.quantile(every, settings.least_confident)))


def _clean(view: DepthMap, least: float, edge_jump: float) -> DepthMap:
    keep = ~edges(view.z, edge_jump)
    if view.confidence is not None:
        keep &= view.confidence >= least
    return replace(view, z=np.where(keep, view.z, np.float32(0)))


def edges(z: Float32, jump: float) -> NDArray[np.bool_]:
    """Mask (h, w) of pixels beside a jump of depth that is no slanted surface.

    Inverse depth is linear over a plane, however slanted, so at an edge it must also bend, by as much as it jumps. The
    normals of Pi3's and MapAnything's filters serve the same end.
    """
    inverse = np.where(z > 0, 1 / np.where(z > 0, z, 1), np.nan).astype(np.float32)
    bend = np.zeros(z.shape, bool)
    for axis in range(2):
        second = np.abs(np.diff(inverse, 2, axis=axis))
        middle = inverse[1:-1] if axis == 0 else inverse[:, 1:-1]
        inner = (slice(1, -1), slice(None)) if axis == 0 else (slice(None), slice(1, -1))
        # NaN, next to what is unknown, says nothing: there the jump alone decides.
        bend[inner] |= ~(second <= jump * middle)
    bend[[0, -1]] = bend[:, [0, -1]] = True
    return np.asarray(depth_edges(z, jump) & bend)
