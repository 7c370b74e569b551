"""The picture of one object: the view that shows it best, and the window of the photo around it.

Knows views and photos. Does not judge what is in them.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from placecell.memory.scene import Frame, Instance, InstanceView, UInt8

CUT_OFF = 0.5
"""A view that the edge of its photo cuts off counts as if it had this share of its pixels."""


def best_view(instance: Instance, frames: Iterable[Frame]) -> InstanceView | None:
    """The view with most pixels, those at an edge of their photo counting less; None when no frame shows it.

    Of equal views the first.
    """
    sizes = {frame.number: (frame.width, frame.height) for frame in frames}
    known = [view for view in instance.views if view.frame in sizes]
    return max(known, key=lambda view: _worth(view, sizes[view.frame]), default=None)


def crop(frame: Frame, view: InstanceView, margin: float = 0.1) -> UInt8:
    """The window (h, w, 3) of the photo around a view, with ``margin`` of its longer side more all round."""
    left, top, right, bottom = view.bbox
    more = round(margin * max(right - left, bottom - top))
    window = frame.rgb[max(0, top - more) : bottom + more, max(0, left - more) : right + more]
    return np.ascontiguousarray(window)


def _worth(view: InstanceView, size: tuple[int, int]) -> float:
    left, top, right, bottom = view.bbox
    cut = left <= 0 or top <= 0 or right >= size[0] or bottom >= size[1]
    return view.pixels * (CUT_OFF if cut else 1.0)
