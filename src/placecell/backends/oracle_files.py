"""Readers of annotation files, each giving ``Annotation`` records: what the file states, in its own frame.

Knows the formats: VSI-Bench style scenes (JSONL), Replica's ``info_semantic.json``, SUN RGB-D labels in VoteNet's
layout, and question files that state where their photos were taken. Does not know memories (``oracle`` makes one).
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from scipy.spatial.transform import Rotation

from placecell.errors import UserError
from placecell.geometry.boxes import OrientedBox
from placecell.geometry.camera import Camera
from placecell.geometry.proximity import overlaps
from placecell.geometry.transforms import Y_UP_FROM_Z_UP, convert_camera, nearest_rotation, rigid, step, turn
from placecell.media.photos import read_photo
from placecell.memory.pictures import PhotoPicture
from placecell.memory.ports import NamedBox
from placecell.memory.scene import Frame

# Stated bearings come without a distance or a size; any will do for directions.
_STATED_DISTANCE = 2.0
_STATED_SIZE = 1.0
_ASSUMED_FOV = 60.0
_PIECE = 0.01
_KNOWN = ".jsonl scenes, Replica .json, SUN RGB-D .txt or .npy"

Triple = tuple[float, float, float]
Read = Callable[[], "Annotation"]


@dataclass(frozen=True)
class Annotation:
    """What a file states about one scene, in the file's frame; ``world_from_file`` turns it +y up.

    ``vocabulary`` are the names that the annotators looked for, ``floor_area`` is in square metres.
    """

    scene: str
    boxes: tuple[NamedBox, ...]
    world_from_file: NDArray[np.float64]
    metric: bool = True
    frames: tuple[Frame, ...] = ()
    vocabulary: frozenset[str] = frozenset()
    floor_area: float | None = None
    notes: tuple[str, ...] = ()


def scenes(path: Path) -> Mapping[str, Read]:
    """The scenes of a file by name, each read when it is called. UserError for a file that is none of the formats."""
    if not path.is_file():
        raise UserError(f"{path}: no such file", hint=f"known are {_KNOWN}")
    if path.suffix == ".jsonl":
        return _jsonl(path)
    if path.suffix == ".json":
        return {path.stem: partial(_replica, path)}
    if path.suffix in (".txt", ".npy"):
        return {path.stem: partial(_sunrgbd if path.suffix == ".txt" else _votenet, path)}
    raise UserError(f"{path}: not an annotation file", hint=f"known are {_KNOWN}")


class _Record(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class _BoxRecord(_Record):
    category: str
    center: Triple
    size: Triple
    axes: tuple[Triple, Triple, Triple]
    duplicate: bool = False


class _SceneRecord(_Record):
    """One line of a scene file: z up, metres, axes as rows."""

    scene_name: str
    room_size_m2: float | None = Field(default=None, gt=0)
    object_counts: dict[str, int] = {}
    objects: tuple[_BoxRecord, ...]


class _PhotoRecord(_Record):
    """One line of a question file that states where its photos were taken and what each one faces."""

    images: tuple[str, ...] = Field(min_length=1)
    preamble: str
    objects_in_front: tuple[str, ...]


_Model = TypeVar("_Model", bound=BaseModel)


def _validated(model: type[_Model], data: Any, where: str) -> _Model:
    try:
        return model.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(map(str, first["loc"]))
        raise UserError(f"{where}: {field}: {first['msg']}", hint="is it the right file?") from None


def _jsonl(path: Path) -> Mapping[str, Read]:
    found: dict[str, Read] = {}
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            where = f"{path}, line {number}"
            try:
                data: Any = json.loads(line)
            except json.JSONDecodeError as error:
                raise UserError(f"{where}: {error.msg}", hint="a scene file has one JSON object a line") from None
            if isinstance(data, dict) and "objects" in data and "scene_name" in data:
                name = str(data["scene_name"])
                if name in found:
                    raise UserError(f"{where}: the scene {name} is there a second time")
                found[name] = partial(_scene, data, where)
            elif isinstance(data, dict) and "objects_in_front" in data:
                record = _validated(_PhotoRecord, data, where)
                found[Path(record.images[0]).parent.name] = partial(_standing_point, record, path.parent, where)
            else:
                raise UserError(f"{where}: neither a scene (scene_name, objects) nor stated photos (objects_in_front)")
    return found


def _scene(data: Any, where: str) -> Annotation:
    record = _validated(_SceneRecord, data, where)
    kept, notes = _agree_with_counts([b for b in record.objects if not b.duplicate], record.object_counts)
    boxes = tuple(NamedBox(b.category, _box(b.center, b.axes, b.size, where)) for b in kept)
    pieces = [b for b in boxes if _is_piece(b, boxes)]
    notes += [f"a {b.name} box left out: it is a piece of the {b.name} it touches" for b in pieces]
    boxes = tuple(b for b in boxes if b not in pieces)
    return Annotation(
        record.scene_name,
        boxes,
        Y_UP_FROM_Z_UP,
        vocabulary=frozenset(record.object_counts),
        floor_area=record.room_size_m2,
        notes=tuple(notes),
    )


def _is_piece(speck: NamedBox, boxes: Iterable[NamedBox]) -> bool:
    """Whether a box reaches into one of the same name and is a hundredth of its size: no object of its own."""
    return any(
        speck.box.volume < _PIECE * b.box.volume and overlaps(speck.box, b.box) for b in boxes if b.name == speck.name
    )


def _agree_with_counts(boxes: list[_BoxRecord], counts: Mapping[str, int]) -> tuple[list[_BoxRecord], list[str]]:
    """The stated counts are the annotators' word: surplus boxes, smallest first, are fragments and left out."""
    notes: list[str] = []
    fragments: list[_BoxRecord] = []
    have = Counter(b.category for b in boxes)
    for name, stated in sorted(counts.items()):
        surplus = have[name] - stated
        if surplus > 0:
            alike = sorted((b for b in boxes if b.category == name), key=lambda b: math.prod(b.size))
            fragments += alike[:surplus]
            notes.append(f"{surplus} of {have[name]} {name} boxes left out as fragments: the file counts {stated}")
        elif surplus < 0:
            notes.append(f"the file counts {stated} {name} but gives {have[name]} boxes")
    return [b for b in boxes if not any(b is f for f in fragments)], notes


def _box(centre: Iterable[float], axes: Any, size: Iterable[float], where: str) -> OrientedBox:
    rows = np.asarray(axes, dtype=np.float64)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    try:  # files round the axes to a few digits
        return OrientedBox(np.asarray(centre), rows / np.where(lengths > 0, lengths, 1.0), np.asarray(size))
    except ValueError as error:
        raise UserError(f"{where}: {error}") from None


class _ReplicaBounds(_Record):
    center: Triple
    sizes: Triple


class _ReplicaPose(_Record):
    rotation: tuple[float, float, float, float]
    translation: Triple


class _ReplicaBox(_Record):
    abb: _ReplicaBounds
    orientation: _ReplicaPose


class _ReplicaObject(_Record):
    class_name: str
    oriented_bbox: _ReplicaBox


class _ReplicaClass(_Record):
    name: str


class _ReplicaRecord(_Record):
    objects: tuple[_ReplicaObject, ...]
    classes: tuple[_ReplicaClass, ...] = ()


def _replica(path: Path) -> Annotation:
    """Replica ``info_semantic.json``: z up, metres; a corner is R (abb.center +- abb.sizes / 2) + translation."""
    record = _validated(_ReplicaRecord, _json(path), str(path))
    boxes, unnamed = [], 0
    for item in record.objects:
        name = _words(item.class_name)
        if name in ("undefined", ""):
            unnamed += 1
            continue
        pose, bounds = item.oriented_bbox.orientation, item.oriented_bbox.abb
        upright = OrientedBox(np.asarray(bounds.center), np.eye(3), np.asarray(bounds.sizes))
        file_from_box = rigid(Rotation.from_quat(pose.rotation), np.asarray(pose.translation))
        boxes.append(NamedBox(name, upright.moved(file_from_box)))
    vocabulary = frozenset(_words(c.name) for c in record.classes) | {b.name for b in boxes}
    notes = (f"{unnamed} objects without a class left out",) if unnamed else ()
    return Annotation(path.stem, tuple(boxes), Y_UP_FROM_Z_UP, vocabulary=vocabulary, notes=notes)


def _sunrgbd(path: Path) -> Annotation:
    """A label file of VoteNet's SUN RGB-D export, with the camera when ``calib`` and ``image`` lie beside its folder.

    Columns: class, 2-D box (4), centre (3), half sizes across, along, up (3), direction of "along" (2). The frame has
    x to the right, y ahead and z up, its origin is the camera.
    """
    boxes = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        where, parts = f"{path}, line {number}", line.split()
        if not parts:
            continue
        if len(parts) != 13:
            raise UserError(
                f"{where}: {len(parts)} columns instead of 13", hint="SUN RGB-D labels have a class and 12 numbers"
            )
        try:
            *_, x, y, z, across, along, up, dx, dy = map(float, parts[1:])
        except ValueError:
            raise UserError(f"{where}: a column after the class is no number") from None
        ahead = np.array([dx, dy, 0.0]) / (math.hypot(dx, dy) or 1.0)
        axes = np.stack([ahead, [-ahead[1], ahead[0], 0.0], [0.0, 0.0, 1.0]])
        size = 2 * np.abs([along, across, up])
        boxes.append(NamedBox(_words(parts[0]), _box((x, y, z), axes, size, where)))
    return Annotation(path.stem, tuple(boxes), Y_UP_FROM_Z_UP, frames=_sunrgbd_frame(path))


def _sunrgbd_frame(label: Path) -> tuple[Frame, ...]:
    calib = label.parent.parent / "calib" / label.name
    image = label.parent.parent / "image" / f"{label.stem}.jpg"
    if not (calib.is_file() and image.is_file()):
        return ()
    try:
        rows = [np.array(line.split(), dtype=np.float64) for line in calib.read_text().splitlines()[:2]]
        tilt, intrinsics = (row.reshape(3, 3, order="F") for row in rows)
        # The tilt turns the camera's own x right, y ahead, z up to the upright frame.
        upright_from_tilted = rigid(nearest_rotation(tilt)) @ Y_UP_FROM_Z_UP.T
        pose = upright_from_tilted @ convert_camera(np.eye(4), "opengl", "opencv")
        return (_frame(1, image, image.name, K=intrinsics, world_from_cam=pose),)
    except ValueError:
        raise UserError(f"{calib}: not two rows of nine numbers (rotation, intrinsics)") from None


_VOTENET_CLASSES = ("bed", "table", "sofa", "chair", "toilet", "desk", "dresser", "nightstand", "bookshelf", "bathtub")


def _votenet(path: Path) -> Annotation:
    """``*_bbox.npy``: (N, 8) centre, half sizes, heading (from x towards -y, radians), class; frame as the labels'."""
    try:
        rows = np.load(path, allow_pickle=False)
    except (OSError, ValueError, EOFError):
        raise UserError(f"{path}: not a plain array file") from None
    if rows.ndim != 2 or rows.shape[1] != 8:
        raise UserError(f"{path}: {rows.shape} instead of (N, 8) boxes")
    unknown = [kind for kind in rows[:, 7].tolist() if kind not in range(len(_VOTENET_CLASSES))]
    if unknown:
        raise UserError(f"{path}: there is no class {unknown[0]:g}, only 0 to {len(_VOTENET_CLASSES) - 1}")
    boxes = []
    for x, y, z, along, across, up, heading, kind in rows.tolist():
        c, s = math.cos(-heading), math.sin(-heading)
        axes = np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]])
        boxes.append(
            NamedBox(_VOTENET_CLASSES[int(kind)], _box((x, y, z), axes, 2 * np.abs([along, across, up]), str(path)))
        )
    return Annotation(path.stem, tuple(boxes), Y_UP_FROM_Z_UP, vocabulary=frozenset(_VOTENET_CLASSES))


_CLOCKWISE = re.compile(r"(\d+(?:\.\d+)?) degrees? further (counter-?|anti-?)?clockwise", re.IGNORECASE)


def _standing_point(record: _PhotoRecord, folder: Path, where: str) -> Annotation:
    """Photos from one standing point, each turned by the stated angle from the one before, facing the stated things."""
    rule = _CLOCKWISE.search(record.preamble)
    if rule is None or "one standing point" not in record.preamble.lower():
        raise UserError(f"{where}: {record.preamble!r} states no standing point and turn between photos")
    if len(record.objects_in_front) != len(record.images):
        raise UserError(f"{where}: {len(record.images)} photos but {len(record.objects_in_front)} things in front")
    degrees = float(rule[1]) * (-1 if rule[2] else 1)
    first = convert_camera(np.eye(4), "opengl", "opencv")
    frames, boxes = [], []
    for i, (image, name) in enumerate(zip(record.images, record.objects_in_front, strict=True)):
        pose = turn(first, right=i * degrees)
        frames.append(_frame(i + 1, folder / image, image, K=None, world_from_cam=pose))
        centre = step(pose, forward=_STATED_DISTANCE)[:3, 3]
        boxes.append(NamedBox(name, OrientedBox(centre, np.eye(3), np.full(3, _STATED_SIZE))))
    scene = Path(record.images[0]).parent.name
    notes = (f"cameras and things placed as stated: {record.preamble}", "distances and sizes are not stated")
    return Annotation(scene, tuple(boxes), np.eye(4), metric=False, frames=tuple(frames), notes=notes)


def _frame(
    number: int, path: Path, name: str, *, K: NDArray[np.float64] | None, world_from_cam: NDArray[np.float64]
) -> Frame:
    photo = read_photo(path, name=name)
    width, height = photo.width, photo.height
    if K is None:
        camera = Camera.from_fov(_ASSUMED_FOV, width, height, world_from_cam)
    else:
        camera = Camera(K, width, height, world_from_cam)
    return Frame(number, name, photo.digest, width, height, PhotoPicture(path, name, photo.digest), camera)


def _json(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except json.JSONDecodeError as error:
        raise UserError(f"{path}: {error.msg} in line {error.lineno}") from None
    except (UnicodeDecodeError, RecursionError):
        raise UserError(f"{path} is no JSON") from None


def _words(name: str) -> str:
    """ "wall-plug" and "night_stand" as a person says them."""
    return " ".join(re.split(r"[\s_-]+", name.strip().lower()))
