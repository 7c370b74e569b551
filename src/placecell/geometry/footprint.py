"""How much floor a place has: the alpha shape of its points seen from above.

Knows: the definition that room sizes are usually given by (VSI-Bench: alpha shape of the points projected on the floor,
ball radius 0.2 m, all rooms of the scan together). Does not know: what is a room, what is furniture.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial import Delaunay, QhullError

from placecell.geometry.cloud import near_most
from placecell.geometry.transforms import Array

_MAX_POINTS = 60_000


@dataclass(frozen=True, eq=False)
class Footprint:
    """``area`` in squared units and its uncertainty ``area_sd``; ``outlines``: outer borders (K, 2), x and z, of the
    separate parts, largest first.

    The uncertainty is half of what the area grows by when gaps twice as wide are bridged: large where the floor was
    seen in patches.
    """

    area: float
    area_sd: float
    outlines: tuple[Array, ...]


def footprint(points: ArrayLike, radius: float = 0.2) -> Footprint:
    """Floor area under points (N, 3) of a +y-up world: triangles whose circumscribed circle is smaller than ``radius``.

    ``radius`` is a length (alpha = 1 / radius): gaps up to twice as wide count as floor. Single specks make no triangle
    that small. Points are first thinned to one a cell of an eighth of it.
    """
    if not radius > 0:
        raise ValueError(f"radius must be positive, got {radius}")
    flat = _thinned(near_most(np.asarray(points, dtype=np.float64).reshape(-1, 3)[:, [0, 2]]), radius / 8)
    try:
        triangles = Delaunay(flat).simplices if len(flat) >= 3 else np.zeros((0, 3), int)
    except QhullError:  # all on a line
        triangles = np.zeros((0, 3), int)
    area, circle = _measure(flat, triangles)
    near = triangles[circle < radius]
    wide = float(area[circle < 2 * radius].sum())
    total = float(area[circle < radius].sum())
    return Footprint(total, (wide - total) / 2, _outlines(flat, near))


def _thinned(flat: Array, cell: float) -> Array:
    """One point, the mean, in each cell; cells grow until there are few enough."""
    if len(flat) == 0:
        return flat
    while True:
        cells = np.floor((flat - flat.min(axis=0)) / cell).astype(np.int64)
        _, which, count = np.unique(cells[:, 0] << 32 | cells[:, 1], return_inverse=True, return_counts=True)
        if len(count) <= _MAX_POINTS:
            return np.stack([np.bincount(which, flat[:, axis]) / count for axis in range(2)], axis=1)
        cell *= 1.5


def _measure(flat: Array, triangles: NDArray[Any]) -> tuple[Array, Array]:
    """Area and radius of the circumscribed circle of each triangle."""
    a, b, c = (flat[triangles[:, k]] for k in range(3))
    sides = [np.linalg.norm(p - q, axis=1) for p, q in ((b, c), (c, a), (a, b))]
    area = 0.5 * np.abs((b[:, 0] - a[:, 0]) * (c[:, 1] - a[:, 1]) - (b[:, 1] - a[:, 1]) * (c[:, 0] - a[:, 0]))
    product = sides[0] * sides[1] * sides[2]
    return area, np.divide(product, 4 * area, out=np.full(len(area), np.inf), where=area > 0)


def _outlines(flat: Array, triangles: NDArray[Any]) -> tuple[Array, ...]:
    """Closed borders of the triangles, holes left out, largest first."""
    # Turn all triangles the same way round; a border edge is then one whose reverse does not occur.
    a, b, c = (flat[triangles[:, k]] for k in range(3))
    turn = (b[:, 0] - a[:, 0]) * (c[:, 1] - a[:, 1]) - (b[:, 1] - a[:, 1]) * (c[:, 0] - a[:, 0])
    around = np.where((turn < 0)[:, None], triangles[:, ::-1], triangles)
    edges = np.concatenate([around[:, [0, 1]], around[:, [1, 2]], around[:, [2, 0]]])
    lone = set(map(tuple, edges.tolist())) - set(map(tuple, edges[:, ::-1].tolist()))
    after: dict[int, list[int]] = {}
    for start, end in sorted(lone):
        after.setdefault(start, []).append(end)
    loops = []
    while after:
        start = here = next(iter(after))
        path = []
        while here in after:
            path.append(here)
            ends = after[here]
            here = ends.pop()
            if not ends:
                del after[path[-1]]
            if here == start:
                break
        loop = flat[path]
        x, z = loop[:, 0], loop[:, 1]
        loops.append((0.5 * float(np.sum(x * np.roll(z, -1) - np.roll(x, -1) * z)), loop))
    # Outer borders run counter-clockwise, the borders of holes clockwise.
    return tuple(loop for area, loop in sorted(loops, key=lambda item: -item[0]) if area > 0)
