"""COCO instance annotations: polygons and run-length masks, compressed or not. Does not know captures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, ValidationError

from placecell.backends.posed import rle
from placecell.backends.posed.polygons import Drawn, Ids, Size, corners, draw_polygon, picture_size
from placecell.errors import UserError


class _Record(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class _Image(_Record):
    id: int
    file_name: str
    width: int
    height: int


class _Category(_Record):
    id: int
    name: str


class _Annotation(_Record):
    image_id: int
    category_id: int
    id: int | str | None = None
    segmentation: Any = None
    iscrowd: int = 0
    track_id: int | None = None


class _File(_Record):
    images: tuple[_Image, ...]
    annotations: tuple[_Annotation, ...]
    categories: tuple[_Category, ...]


@dataclass(frozen=True)
class _Shape:
    """One annotation: the id it is drawn as, its polygons or its run-length code, and how a person finds it."""

    number: int
    segmentation: Any
    where: str


def is_coco(data: Any) -> bool:
    """Whether parsed JSON has the tables of a COCO file."""
    return isinstance(data, dict) and {"images", "annotations", "categories"} <= data.keys()


def coco(data: Any, path: Path) -> Drawn:
    """The file's masks by photo.

    An annotation is an object in one photo only, so ids are categories, numbered from 1 - unless every annotation has a
    ``track_id``: those say which are one object. Crowds (``iscrowd``) outline many objects at once and are left out.
    UserError names the file and the entry.
    """
    try:
        file = _File.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise UserError(f"{path} is no complete COCO file: {where}: {first['msg']}") from None
    categories = {category.id: category.name for category in file.categories}
    shapes: dict[int, list[_Shape]] = {image.id: [] for image in file.images}
    drawn = [a for a in file.annotations if not a.iscrowd and a.segmentation]
    tracked = bool(drawn) and all(a.track_id is not None for a in drawn)
    keys = {a.track_id for a in drawn} if tracked else set(categories)
    numbers = {key: i for i, key in enumerate(sorted(key for key in keys if key is not None), 1)}
    names = {} if tracked else {i: categories[key] for key, i in numbers.items()}
    for annotation in drawn:
        where = f"{path}, annotation {'?' if annotation.id is None else annotation.id}"
        _check(annotation, shapes, categories, where)
        name = categories[annotation.category_id]
        number = numbers[annotation.track_id if tracked and annotation.track_id is not None else annotation.category_id]
        if names.setdefault(number, name) != name:
            raise UserError(f"{where}: track {annotation.track_id} is a {name} here and a {names[number]} before")
        shapes[annotation.image_id].append(_Shape(number, annotation.segmentation, where))
    ids = {
        image.file_name: partial(_draw, picture_size(image.width, image.height, str(path)), shapes[image.id])
        for image in file.images
    }
    notes = _left_out(file.annotations, path)
    return Drawn("COCO", names, ids, "instance" if tracked else "class", frozenset(categories.values()), notes)


def _check(annotation: _Annotation, images: dict[int, list[_Shape]], categories: dict[int, str], where: str) -> None:
    if annotation.image_id not in images:
        raise UserError(f"{where}: there is no image {annotation.image_id}")
    if annotation.category_id not in categories:
        raise UserError(f"{where}: there is no category {annotation.category_id}")


def _left_out(annotations: Sequence[_Annotation], path: Path) -> tuple[str, ...]:
    crowds = sum(1 for a in annotations if a.iscrowd)
    boxes = sum(1 for a in annotations if not a.iscrowd and not a.segmentation)
    if annotations and boxes == len(annotations):
        raise UserError(f"{path} has boxes without masks", hint="export its segmentations too")
    notes = [f"{crowds} crowds of {path.name} left out: they outline many objects at once"] if crowds else []
    notes += [f"{boxes} annotations of {path.name} have no mask and are left out"] if boxes else []
    return tuple(notes)


def _draw(size: Size, shapes: Sequence[_Shape]) -> Ids:
    """Ids (h, w) of the photo, later annotations on top."""
    ids = np.zeros(size[::-1], np.int32)
    for shape in shapes:
        try:
            if isinstance(shape.segmentation, dict):
                ids[_run_length(shape.segmentation, size)] = shape.number
            else:
                for part in shape.segmentation:
                    draw_polygon(ids, shape.number, corners(part))
        except (ValueError, TypeError) as error:
            raise UserError(f"{shape.where}: {error}") from None
    return ids


def _run_length(code: dict[str, Any], size: Size) -> NDArray[np.bool_]:
    height, width = size[1], size[0]
    if list(code.get("size", ())) != [height, width]:
        raise ValueError(f"its mask is of size {code.get('size')}, its photo [{height}, {width}]")
    return rle.decode(code.get("counts", ""), height, width)
