"""An object from what one photo shows in a rectangle or a mask: pixels with depth become points, points a box.

Knows depth and cameras. Does not know which object a person means beyond the region (``corrections``).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from placecell.errors import UserError
from placecell.memory.measured import errors_of, seen_times
from placecell.memory.pieces import Piece, pieces
from placecell.memory.ports import FrameLabels, Labels
from placecell.memory.scene import Frame, Instance, InstanceView
from placecell.memory.shapes import boxes_of, joined_views, thinned, views_of

Region = tuple[int, int, int, int] | NDArray[np.bool_]
"""(left, top, right, bottom) in the photo's pixels, right and bottom exclusive; or a mask (height, width)."""

DEPTH_SD = 0.01
"""Relative standard deviation of a depth reading, as `ports.Reconstruction` has it when nobody says."""


def seen_in(frames: tuple[Frame, ...], frame: Frame, name: str, region: Region) -> Instance:
    """The object with id 0 that ``frame`` shows in ``region``, with every other photo that shows its points.

    Raises:
        UserError: the photo has no depth there, or the region is not inside it.
    """
    if frame.camera is None or frame.depth is None:
        what = "was not placed" if frame.camera is None else "has no depth"
        raise UserError(f"image {frame.number} {what}, so its pixels have no place", hint="add the object as a box")
    mask = _mask(frame, region)
    labels = Labels("class", {1: name}, {frame.number: FrameLabels(mask.astype(np.int32))})
    whole = isinstance(region, np.ndarray)
    found = [p for p in pieces((frame,), labels, split=not whole) if len(p.points)]
    if not found:
        raise UserError(f"image {frame.number} has no depth in that region", hint="choose another photo, or add a box")
    piece = found[0] if whole else max(found, key=lambda p: _in_the_middle(frame, p, region))
    free, upright = boxes_of(piece.points)
    # Nobody said which pixels of the other photos are its own, so they cannot tell where something else begins.
    errors = errors_of(upright, [piece], (frame,), DEPTH_SD)
    views = _views(frames, piece)
    first, last = seen_times([v.frame for v in views], {f.number: f.time_s for f in frames})
    return Instance(
        id=0,
        name=name,
        box=free,
        upright_box=upright,
        points=thinned(piece.points),
        views=views,
        size_sd=errors.size,
        centre_sd=errors.centre,
        hidden_sd=errors.hidden,
        first_seen_s=first,
        last_seen_s=last,
    )


def _views(frames: tuple[Frame, ...], piece: Piece) -> tuple[InstanceView, ...]:
    others = views_of(piece.points, (f for f in frames if f.number != piece.view.frame))
    return joined_views([piece.view, *others])


def _mask(frame: Frame, region: Region) -> NDArray[np.bool_]:
    if isinstance(region, np.ndarray):
        if region.shape != (frame.height, frame.width):
            raise UserError(
                f"the mask is {region.shape[1]}x{region.shape[0]}, image {frame.number} is {frame.width}x{frame.height}"
            )
        return region.astype(bool)
    left, top, right, bottom = region
    if not (0 <= left < right <= frame.width and 0 <= top < bottom <= frame.height):
        raise UserError(
            f"the rectangle {left}, {top}, {right}, {bottom} is not inside image {frame.number}",
            hint=f"give left, top, right, bottom within {frame.width} x {frame.height} pixels",
        )
    mask = np.zeros((frame.height, frame.width), bool)
    mask[top:bottom, left:right] = True
    return mask


def _in_the_middle(frame: Frame, piece: Piece, region: Region) -> float:
    """How much of a piece lies in the middle of the rectangle: its points, weighted by how central they are."""
    left, top, right, bottom = region
    middle, reach = np.array([left + right, top + bottom]) / 2, np.array([right - left, bottom - top]) / 4
    if frame.camera is None:
        return 0.0
    away = (frame.camera.project(piece.points).pixels - middle) / reach
    return float(np.exp(-0.5 * (away**2).sum(axis=1)).sum())
