"""A cloud at many levels of detail, and the part of it that is worth drawing from where one looks.

An octree of cubes: each holds the points of its part of the space, one for each of 64 x 64 x 64 cells, so that a cube
half as wide shows twice the detail. Points are sorted along a Morton curve (Morton 1966), in which every cube and every
cell is one run. Knows points and a camera; does not know how anything is drawn.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from placecell.geometry.camera import Camera

_CELLS = 6  # a cube has 2 ** 6 cells along each side
_DEEPEST = 14  # with the cells' 6 that makes 20 bits for each of three axes
_SHARP_PX = 1.5
"""Points closer together than this many pixels need no more detail."""


@dataclass(frozen=True, eq=False)
class Cube:
    """A part of the space: ``centre`` (3,), ``side``, its points (indices into the cloud), their ``spacing``.

    ``children`` are the numbers of the cubes that show the same part in more detail; none where there is no more.
    """

    centre: NDArray[np.float64]
    side: float
    points: NDArray[np.int32]
    spacing: float
    children: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Detail:
    """The cubes of one cloud; ``roots`` are the coarsest ones."""

    cubes: tuple[Cube, ...]
    roots: tuple[int, ...]


def detail_of(points: NDArray[np.floating], spacing: float, which: NDArray[np.int32] | None = None) -> Detail:
    """The levels of detail of points (N, 3) whose neighbours are about ``spacing`` apart; ``which``: of these only."""
    points = points if which is None else points[which]
    if len(points) == 0:
        return Detail((), ())
    low = points.min(axis=0).astype(np.float64)
    extent = float((points.max(axis=0) - low).max()) or spacing
    deepest = min(max(math.ceil(math.log2(extent / (2 * spacing * 2**_CELLS))), 0), _DEEPEST)
    code = _morton(points, low, extent, deepest + _CELLS)
    along = np.argsort(code, kind="stable")
    code = code[along]
    order: NDArray[np.int32] = along.astype(np.int32) if which is None else which[along]
    levels: list[tuple[NDArray[np.int64], list[Cube]]] = []  # finest first: codes of the cubes, the cubes
    for level in range(deepest, -1, -1):
        if level < deepest:
            first = _starts(code >> (3 * (deepest - level)))
            order, code = order[first], code[first]
        in_cube = code >> (3 * (deepest - level + _CELLS))
        start = _starts(in_cube)
        names, below = in_cube[start], levels[-1] if levels else None
        side = extent / 2**level
        centres = low + (_unmorton(names) + 0.5) * side
        offset = sum(len(cubes) for _, cubes in levels[:-1])
        cubes = []
        for centre, name, own in zip(centres, names, np.split(order, start[1:]), strict=True):
            children = () if below is None else _children(below, offset, int(name), len(own))
            cubes.append(Cube(centre, side, own, spacing if level == deepest else side / 2**_CELLS, children))
        levels.append((names, cubes))
    cubes = [cube for _, level_cubes in levels for cube in level_cubes]
    return Detail(tuple(cubes), tuple(range(len(cubes) - len(levels[-1][1]), len(cubes))))


def joined(a: Detail, b: Detail) -> Detail:
    """Both; the roots of ``a`` come first."""
    shift = len(a.cubes)
    moved = tuple(replace(cube, children=tuple(child + shift for child in cube.children)) for cube in b.cubes)
    return Detail(a.cubes + moved, a.roots + tuple(root + shift for root in b.roots))


def chosen(detail: Detail, camera: Camera, budget: int, roots: Sequence[int] | None = None) -> tuple[int, ...]:
    """The cubes to draw: together they cover everything once, in the most detail where it is looked at.

    The cube whose points lie furthest apart in the picture is the next to be replaced by its children, as long as all
    points together are at most ``budget``, or it is sharp everywhere. The ``roots`` (all when left out) are drawn
    whatever they hold.
    """
    heap: list[tuple[float, int]] = []
    roots = detail.roots if roots is None else roots
    drawn = set(roots)
    spent = sum(len(detail.cubes[number].points) for number in drawn)

    def consider(number: int) -> None:
        gap = _gap_px(detail.cubes[number], camera)
        if detail.cubes[number].children and gap > _SHARP_PX:
            heapq.heappush(heap, (-gap, number))

    for root in roots:
        consider(root)
    while heap:
        _, number = heapq.heappop(heap)
        cube = detail.cubes[number]
        more = sum(len(detail.cubes[child].points) for child in cube.children) - len(cube.points)
        if spent + more > budget:
            continue
        spent += more
        drawn.remove(number)
        for child in cube.children:
            drawn.add(child)
            consider(child)
    return tuple(sorted(drawn))


def _gap_px(cube: Cube, camera: Camera) -> float:
    """How many pixels two neighbours of a cube are apart where it is nearest; 0 where it is out of the picture."""
    x, y, z = (cube.centre - camera.centre) @ camera.world_from_cam[:3, :3]
    radius = cube.side * math.sqrt(3) / 2
    distance = math.sqrt(x * x + y * y + z * z) - radius
    if distance > 0:
        for offset, fov in ((x, camera.fov_x), (y, camera.fov_y)):
            half = math.radians(fov) / 2
            # How far the centre lies beyond the nearer side plane of the view.
            if abs(offset) * math.cos(half) - z * math.sin(half) > radius:
                return 0.0
    return float(cube.spacing * camera.K[0, 0] / max(distance, cube.side / 4))


def _children(below: tuple[NDArray[np.int64], list[Cube]], offset: int, name: int, own: int) -> tuple[int, ...]:
    names, cubes = below
    first, end = np.searchsorted(names, [name << 3, (name + 1) << 3]).tolist()
    if sum(len(cube.points) for cube in cubes[first:end]) == own and not any(c.children for c in cubes[first:end]):
        return ()
    return tuple(range(offset + first, offset + end))


def _starts(sorted_codes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where each run of equal codes begins."""
    return np.flatnonzero(np.concatenate([[True], sorted_codes[1:] != sorted_codes[:-1]]))


_SPREAD = ((32, 0x1F00000000FFFF), (16, 0x1F0000FF0000FF), (8, 0x100F00F00F00F00F), (4, 0x10C30C30C30C30C3),
           (2, 0x1249249249249249))  # fmt: skip


def _morton(points: NDArray[np.floating], low: NDArray[np.float64], extent: float, bits: int) -> NDArray[np.int64]:
    """``bits`` bits of each of x, y and z by turns (N,), for cells of a cube of side ``extent``."""
    code = np.zeros(len(points), np.int64)
    for axis in range(3):
        cell = ((points[:, axis] - low[axis]) * (2**bits / extent)).astype(np.int64)
        np.clip(cell, 0, 2**bits - 1, out=cell)
        for shift, mask in _SPREAD:
            cell = (cell | (cell << shift)) & mask
        code |= cell << (2 - axis)
    return code


def _unmorton(code: NDArray[np.int64]) -> NDArray[np.float64]:
    """The cells (N, 3) of codes (N,)."""
    cells = np.zeros((len(code), 3), np.float64)
    for axis in range(3):
        cell = (code >> (2 - axis)) & _SPREAD[-1][1]
        for (shift, _), mask in zip(
            reversed(_SPREAD), (*(m for _, m in reversed(_SPREAD[:-1])), 0x1FFFFF), strict=True
        ):
            cell = (cell | (cell >> shift)) & mask
        cells[:, axis] = cell
    return cells
