"""COCO and LabelMe files: polygons drawn by people, as label ids by photo.

Knows the two formats and how a polygon covers pixels. Does not know captures.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from placecell.errors import UserError

Ids = NDArray[np.int32]
Size = tuple[int, int]

_MAX_PIXELS = 100_000_000


@dataclass(frozen=True)
class Drawn:
    """Label ids of each photo, by the stem of its file name, made when called; and the name of each id."""

    format: str
    names: Mapping[int, str]
    ids: Mapping[str, Callable[[], Ids]]


def read_json(path: Path) -> Any:
    """The content of a JSON file, of a .jsonl file the list of its lines. UserError names the file."""
    try:
        text = path.read_text(encoding="utf-8-sig")
        if path.suffix == ".jsonl":
            return [json.loads(line) for line in text.splitlines() if line.strip()]
        return json.loads(text)
    except (OSError, ValueError, RecursionError) as error:
        raise UserError(f"{path} cannot be read as JSON ({' '.join(str(error).split())[:100]})") from None


def coco(data: Any, path: Path) -> Drawn:
    """COCO instances. Each annotation is an object in one photo only, so ids are categories, numbered from 1."""
    try:
        categories = sorted((int(c["id"]), str(c["name"])) for c in data["categories"])
        number = {key: i for i, (key, _) in enumerate(categories, 1)}
        shapes: dict[int, list[tuple[int, Any]]] = {int(image["id"]): [] for image in data["images"]}
        for annotation in data["annotations"]:
            parts = annotation["segmentation"]
            if not isinstance(parts, list):
                raise UserError(f"{path} has run-length masks", hint="export polygons or label images")
            mine = shapes[int(annotation["image_id"])]
            mine += [(number[int(annotation["category_id"])], np.reshape(part, (-1, 2))) for part in parts]
        ids = {
            Path(str(image["file_name"])).stem: partial(polygon_ids, _size(image["width"], image["height"], path), mine)
            for image, mine in zip(data["images"], shapes.values(), strict=True)
        }
    except (KeyError, TypeError, ValueError) as error:
        raise UserError(f"{path} is no complete COCO file ({type(error).__name__}: {error})") from None
    return Drawn("COCO", {i: name for i, (_, name) in enumerate(categories, 1)}, ids)


def labelme(files: Mapping[str, Any], folder: Path) -> Drawn | None:
    """LabelMe files by the stem of their photo; names are categories. None when there are none."""
    if not files:
        return None
    try:
        names = sorted({str(shape["label"]) for data in files.values() for shape in data["shapes"]})
        number = {name: i for i, name in enumerate(names, 1)}
        ids = {}
        for stem, data in files.items():
            shapes = [(number[str(s["label"])], np.reshape(s["points"], (-1, 2))) for s in data["shapes"]]
            ids[stem] = partial(polygon_ids, _size(data["imageWidth"], data["imageHeight"], folder), shapes)
    except (KeyError, TypeError, ValueError) as error:
        raise UserError(f"{folder} has an incomplete LabelMe file ({type(error).__name__}: {error})") from None
    return Drawn("LabelMe", {i: name for name, i in number.items()}, ids)


def polygon_ids(size: Size, shapes: Sequence[tuple[int, Any]]) -> Ids:
    """Ids (h, w) of polygons ((K, 2) x and y, pixels) drawn in order, later ones on top.

    A pixel belongs to a polygon that holds its centre, by the even-odd rule along its row, so that neighbours that
    share an edge share no pixel.
    """
    width, height = size
    ids = np.zeros((height, width), np.int32)
    centres = np.arange(width) + 0.5
    for number, shape in shapes:
        points = np.asarray(shape, dtype=np.float64)
        if len(points) < 3:
            continue
        following = np.roll(points, -1, axis=0)
        top, bottom = max(0, int(points[:, 1].min())), min(height, int(points[:, 1].max()) + 1)
        for row in range(top, bottom):
            y = row + 0.5
            crosses = (points[:, 1] <= y) != (following[:, 1] <= y)
            a, b = points[crosses], following[crosses]
            x = np.sort(a[:, 0] + (y - a[:, 1]) / (b[:, 1] - a[:, 1]) * (b[:, 0] - a[:, 0]))
            ids[row, np.searchsorted(x, centres, side="right") % 2 == 1] = number
    return ids


def _size(width: Any, height: Any, path: Path) -> Size:
    size = int(width), int(height)
    if min(size) < 1 or size[0] * size[1] > _MAX_PIXELS:
        raise UserError(f"{path} says a photo is {size[0]} x {size[1]}")
    return size
