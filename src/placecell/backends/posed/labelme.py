"""LabelMe files: what a person drew on one photo each - polygons, rectangles, circles and painted masks."""

from __future__ import annotations

import base64
import binascii
import io
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from placecell.backends.posed.polygons import Drawn, Ids, Size, corners, draw_polygon, picture_size
from placecell.errors import UserError

_CIRCLE = 64  # corners of the polygon drawn for a circle
_NO_AREA = ("point", "points", "line", "linestrip")


class _Shape(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)
    label: str
    points: tuple[tuple[float, float], ...]
    shape_type: str = "polygon"
    mask: str | None = None


class _File(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)
    shapes: tuple[_Shape, ...]
    width: int = Field(alias="imageWidth")
    height: int = Field(alias="imageHeight")


def is_labelme(data: Any) -> bool:
    """Whether parsed JSON is a LabelMe file."""
    return isinstance(data, dict) and "shapes" in data


def labelme(files: Mapping[str, Any], folder: Path) -> Drawn:
    """LabelMe files by the stem of their photo; names are categories. UserError names the file and the shape."""
    parsed = {stem: _parse(data, folder / f"{stem}.json") for stem, data in files.items()}
    names = sorted({shape.label for file in parsed.values() for shape in file.shapes})
    number = {name: i for i, name in enumerate(names, 1)}
    ids: dict[str, Callable[[], Ids]] = {}
    without_area = 0
    for stem, file in parsed.items():
        path = folder / f"{stem}.json"
        areas = [s for s in file.shapes if s.shape_type not in _NO_AREA]
        without_area += len(file.shapes) - len(areas)
        ids[stem] = partial(_draw, picture_size(file.width, file.height, str(path)), areas, number, path)
    notes = (f"{without_area} points and lines of {folder.name} left out: they cover no area",) if without_area else ()
    return Drawn("LabelMe", {i: name for name, i in number.items()}, ids, notes=notes)


def _parse(data: Any, path: Path) -> _File:
    try:
        return _File.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise UserError(f"{path} is an incomplete LabelMe file: {where}: {first['msg']}") from None


def _draw(size: Size, shapes: Sequence[_Shape], number: Mapping[str, int], path: Path) -> Ids:
    """Ids (h, w) of the photo, later shapes on top."""
    ids = np.zeros(size[::-1], np.int32)
    for at, shape in enumerate(shapes, 1):
        try:
            if shape.shape_type == "mask":
                _paint(ids, number[shape.label], shape)
            else:
                draw_polygon(ids, number[shape.label], corners(_outline(shape)))
        except (ValueError, OSError, SyntaxError, binascii.Error) as error:
            raise UserError(f"{path}, shape {at} ({shape.label}): {error}") from None
    return ids


def _outline(shape: _Shape) -> np.typing.NDArray[np.float64]:
    points = np.array(shape.points, dtype=np.float64).reshape(-1, 2)
    if shape.shape_type == "polygon":
        return points
    if len(points) != 2:
        raise ValueError(f"a {shape.shape_type} has 2 points, not {len(points)}")
    if shape.shape_type == "rectangle":
        (left, top), (right, bottom) = points
        return np.array([[left, top], [right, top], [right, bottom], [left, bottom]])
    if shape.shape_type == "circle":
        angle = np.linspace(0, 2 * np.pi, _CIRCLE, endpoint=False)
        radius = np.linalg.norm(points[1] - points[0])
        return np.asarray(points[0] + radius * np.stack([np.cos(angle), np.sin(angle)], axis=1))
    raise ValueError(f"shapes of type {shape.shape_type!r} are not known; draw a polygon")


def _paint(ids: Ids, number: int, shape: _Shape) -> None:
    """A painted mask: a picture of the part of the photo from its first point on."""
    with Image.open(io.BytesIO(base64.b64decode(shape.mask or "", validate=True)), formats=("PNG",)) as image:
        painted = np.asarray(image.convert("L")) > 0
    if not shape.points:
        raise ValueError("a mask without its corner")
    left, top = (round(v) for v in shape.points[0])
    target = ids[max(top, 0) : top + painted.shape[0], max(left, 0) : left + painted.shape[1]]
    part = painted[max(-top, 0) :, max(-left, 0) :][: target.shape[0], : target.shape[1]]
    target[part] = number
