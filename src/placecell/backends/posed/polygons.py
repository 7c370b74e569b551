"""How a polygon covers pixels, and what annotation tools give: label ids by photo, drawn when they are needed."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from placecell.errors import UserError
from placecell.media.limits import check_size

Ids = NDArray[np.int32]
Size = tuple[int, int]


@dataclass(frozen=True)
class Drawn:
    """Label ids of each photo, by its file name or stem, made when called; and the name of each id.

    ``kind`` as in ``ports.Labels``; ``vocabulary``: names that were looked for, besides those of the ids. Calling one
    may raise UserError, when what it draws is damaged.
    """

    format: str
    names: Mapping[int, str]
    ids: Mapping[str, Callable[[], Ids]]
    kind: Literal["instance", "class"] = "class"
    vocabulary: frozenset[str] = frozenset()
    notes: tuple[str, ...] = ()


def read_json(path: Path) -> Any:
    """The content of a JSON file, of a .jsonl file the list of its lines. UserError names the file."""
    try:
        text = path.read_text(encoding="utf-8-sig")
        if path.suffix == ".jsonl":
            return [json.loads(line) for line in text.split("\n") if line.strip()]
        return json.loads(text)
    except (OSError, ValueError, RecursionError) as error:
        raise UserError(f"{path} cannot be read as JSON ({' '.join(str(error).split())[:100]})") from None


def draw_polygon(ids: Ids, number: int, points: NDArray[np.float64]) -> None:
    """Set the pixels of ``ids`` that the polygon (K, 2) holds.

    A pixel belongs to a polygon that holds its centre, by the even-odd rule along its row, so that neighbours that
    share an edge share no pixel.
    """
    height, width = ids.shape
    centres = np.arange(width) + 0.5
    following = np.roll(points, -1, axis=0)
    top, bottom = max(0, int(points[:, 1].min())), min(height, int(points[:, 1].max()) + 1)
    for row in range(top, bottom):
        y = row + 0.5
        crosses = (points[:, 1] <= y) != (following[:, 1] <= y)
        a, b = points[crosses], following[crosses]
        x = np.sort(a[:, 0] + (y - a[:, 1]) / (b[:, 1] - a[:, 1]) * (b[:, 0] - a[:, 0]))
        ids[row, np.searchsorted(x, centres, side="right") % 2 == 1] = number


def corners(flat: Any) -> NDArray[np.float64]:
    """(K, 2) of a list x, y, x, y ... or of pairs. ValueError when it is no polygon of at least three corners."""
    points = np.asarray(flat, dtype=np.float64).reshape(-1, 2)
    if len(points) < 3:
        raise ValueError(f"a polygon of {len(points)} corners")
    if not np.isfinite(points).all():
        raise ValueError("a corner that is not finite")
    return points


def picture_size(width: int, height: int, where: str) -> Size:
    """(width, height). UserError for a size that no photo has, or one over the limit for pictures."""
    if min(width, height) < 1:
        raise UserError(f"{where} says that a photo is {width} x {height}")
    check_size(where, width, height)
    return width, height
