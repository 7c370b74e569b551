"""One thing in one frame: its pixels, and the points and colours of its visible surface.

Knows a frame with depth and masks. Does not know which sightings are one thing (``association``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from placecell.geometry.transforms import Array, apply
from placecell.media.frames import area_resize
from placecell.memory.pieces import label_windows, resized_ids
from placecell.memory.ports import Labels, Proposal
from placecell.memory.scene import DepthMap, Frame
from placecell.memory.tracking.settings import TrackSettings

_LEAST_PIXELS = 12
_OFF = 4.0
"""Points further than this many median deviations from the mask's median depth are the background's."""
_ERODED_FROM = 400
"""Masks of so many pixels lose their rim, whose depth is often the background's."""
_NEARER = 0.07
"""What is nearer than a thing's front by this share of it stands before it."""
_APART, _PIXELS_APART = 0.15, 2.0
"""Pieces are one thing when their gap is below this share of the larger one's size, or this many of its pixels."""


@dataclass(frozen=True, eq=False)
class Sighting:
    """``points`` (M, 3) and ``colours`` (M, 3) of 0..1, at most as many as the settings say; ``depth`` the median z.

    ``cut``: it reaches the picture's edge. ``covered``: share of its outline at which something clearly nearer begins.
    ``pixels`` and ``bbox`` are in the picture's pixels.
    """

    frame: int
    time_s: float
    name: str
    identity: int | None
    pixels: int
    bbox: tuple[int, int, int, int]
    depth: float
    cut: bool
    covered: float
    score: float
    points: Array
    colours: Array
    camera: Array

    def moved(self, world_from_recon: Array) -> Sighting:
        """In another frame of reference."""
        points, camera = apply(world_from_recon, self.points), apply(world_from_recon, self.camera)
        return replace(self, points=points, camera=camera)

    @cached_property
    def box(self) -> tuple[Array, Array]:
        """(3,) low and high corner of its visible surface, without strays."""
        low, high = np.percentile(self.points, (3, 97), axis=0)
        return low, high

    @property
    def middle(self) -> Array:
        """(3,) of its visible box, which is nearer the thing's own than the mean of what shows."""
        low, high = self.box
        return np.asarray((low + high) / 2)

    @property
    def extent(self) -> Array:
        """(3,) of its visible box."""
        low, high = self.box
        return np.asarray(high - low)

    @property
    def pixel(self) -> float:
        """About the width of a pixel at its distance."""
        left, top, right, bottom = self.bbox
        return float(np.ptp(self.points, axis=0).max()) / max(right - left, bottom - top)

    @property
    def area(self) -> float:
        """Pixels as they would be at a distance of 1."""
        return self.pixels * self.depth**2


def masks_of(labels: Labels, frame: Frame) -> list[Proposal]:
    """The masks of a frame's label image: one an id, or for class labels one a connected piece."""
    given = labels.frames.get(frame.number)
    if given is None:
        return []
    ids = resized_ids(given.ids, (frame.height, frame.width))
    found = []
    for label, (rows, columns) in label_windows(ids):
        mask = ids[rows, columns] == label
        if labels.kind == "instance":
            corner = (columns.start, rows.start)
            found.append(Proposal(frame.number, labels.names[label], mask, corner, identity=label))
            continue
        parts, _ = ndimage.label(mask, np.ones((3, 3)))
        for part, (down, right) in label_windows(parts):
            corner = (columns.start + right.start, rows.start + down.start)
            found.append(Proposal(frame.number, labels.names[label], parts[down, right] == part, corner))
    return found


def sightings(frame: Frame, proposals: Sequence[Proposal], time_s: float, settings: TrackSettings) -> list[Sighting]:
    """What the masks of a frame with depth show, pieces of one thing without an id joined; masks too small are none."""
    if frame.depth is None or not proposals:
        return []
    rgb = area_resize(frame.rgb, (frame.depth.camera.width, frame.depth.camera.height))
    found = [_sighting(frame, frame.depth, rgb, p, time_s, settings) for p in proposals]
    return _joined([s for s in found if s is not None])


def _sighting(
    frame: Frame, depth: DepthMap, rgb: NDArray[np.uint8], p: Proposal, time_s: float, settings: TrackSettings
) -> Sighting | None:
    mask = p.mask
    if mask.sum() >= _ERODED_FROM:
        mask = ndimage.binary_erosion(mask, border_value=1)
    rows, columns = np.nonzero(mask)
    scale = np.array([depth.camera.width / frame.width, depth.camera.height / frame.height])
    at = ((np.stack([columns + p.corner[0], rows + p.corner[1]], axis=-1) + 0.5) * scale).astype(np.int64)
    z = depth.z[at[:, 1], at[:, 0]]
    known = z > 0
    if known.sum() < _LEAST_PIXELS:
        return None
    at, z = at[known], z[known]
    median = float(np.median(z))
    off = np.abs(z - median)
    own = off <= _OFF * float(np.median(off)) + 0.03 * median
    at, z = at[own], z[own]
    covered = _covered(depth, at, float(np.percentile(z, 5)))
    step = max(1, len(z) // settings.points)
    at, z = at[step // 2 :: step], z[step // 2 :: step]
    left, top, right, bottom = p.bbox
    return Sighting(
        frame=frame.number,
        time_s=time_s,
        name=p.phrase,
        identity=p.identity,
        pixels=int(p.mask.sum()),
        bbox=p.bbox,
        depth=median,
        cut=left <= 0 or top <= 0 or right >= frame.width or bottom >= frame.height,
        covered=covered,
        score=p.score,
        points=depth.camera.unproject_pixels(at + 0.5, z),
        colours=rgb[at[:, 1], at[:, 0]] / 255.0,
        camera=depth.camera.centre,
    )


def _covered(depth: DepthMap, at: NDArray[np.int64], front: float) -> float:
    """Share of the two pixels around a mask (its (M, 2) columns and rows) that lie clearly in front of it."""
    low, high = np.maximum(at.min(axis=0) - 3, 0), at.max(axis=0) + 4
    z = depth.z[low[1] : high[1], low[0] : high[0]]
    mask = np.zeros(z.shape, bool)
    mask[at[:, 1] - low[1], at[:, 0] - low[0]] = True
    ring = ndimage.binary_dilation(mask, iterations=2) & ~ndimage.binary_fill_holes(mask) & (z > 0)
    return float((z[ring] < (1 - _NEARER) * front).mean()) if ring.any() else 0.0


def _joined(found: list[Sighting]) -> list[Sighting]:
    """Pieces of one name without an id that nearly touch in space, as one: something stands in front of the thing."""
    joined: list[Sighting] = []
    for s in sorted(found, key=lambda s: -s.pixels):
        near = next((i for i, j in enumerate(joined) if _touch(s, j)), None)
        if near is None:
            joined.append(s)
        else:
            joined[near] = _both(joined[near], s)
    return joined


def _touch(a: Sighting, b: Sighting) -> bool:
    if a.identity is not None or b.identity is not None or a.name != b.name:
        return False
    gap = np.maximum(a.points.min(0) - b.points.max(0), b.points.min(0) - a.points.max(0))
    size = float(np.ptp(b.points, axis=0).max())
    # Far away the halves of one thing are a pixel apart, which is much of its size.
    return bool(np.linalg.norm(np.maximum(gap, 0)) < max(_APART * size, _PIXELS_APART * b.pixel))


def _both(a: Sighting, b: Sighting) -> Sighting:
    box = (*np.minimum(a.bbox[:2], b.bbox[:2]).tolist(), *np.maximum(a.bbox[2:], b.bbox[2:]).tolist())
    return replace(
        a,
        pixels=a.pixels + b.pixels,
        bbox=box,
        cut=a.cut or b.cut,
        covered=max(a.covered, b.covered),
        points=np.concatenate([a.points, b.points]),
        colours=np.concatenate([a.colours, b.colours]),
    )
