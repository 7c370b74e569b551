"""``--labels``: label images with ``labels.json``, COCO or LabelMe polygons, or a file of 3D boxes.

    FOLDER/labels.json     {"kind": "instance" or "class", "names": {"7": "chair", ...}}
    FOLDER/<photo>.png     ids of 8 or 16 bits, 0 = none, named as the photo

An id without a name, a label image of another shape than its photo and a colour picture are errors; label images of no
photo are listed. Boxes are in the capture's own world.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, TypeVar

import numpy as np
from PIL import Image
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from placecell.backends.posed.polygons import Drawn, Ids, coco, labelme, read_json
from placecell.backends.posed.reading import Given, OpenShot, frame_labels
from placecell.errors import UserError
from placecell.geometry.boxes import OrientedBox
from placecell.memory.ports import FrameLabels, Labels, NamedBox

Triple = tuple[float, float, float]

_FORMAT = '{"kind": "instance" or "class", "names": {"7": "chair"}}'
_IMAGES = (".png", ".tif", ".tiff", ".bmp", ".pgm")
# What captures put between a frame's stem and the suffix: frame-000001.color.jpg goes with frame-000001.segm.png.
_PHOTO_WORDS = (".color", ".rgb")
_LABEL_WORDS = ("", ".segm", ".label", ".labels", ".instance", ".semantic")


_Model = TypeVar("_Model", bound=BaseModel)


class _Record(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True, populate_by_name=True)


class _LabelsFile(_Record):
    kind: Literal["instance", "class"]
    names: dict[int, str]


class _Box(_Record):
    name: str = Field(alias="category", min_length=1)
    centre: Triple = Field(alias="center")
    size: Triple
    axes: tuple[Triple, Triple, Triple] = ((1, 0, 0), (0, 1, 0), (0, 0, 1))
    front: Triple | None = None


class _Boxes(_Record):
    boxes: tuple[_Box, ...] = Field(alias="objects")
    vocabulary: tuple[str, ...] = ()


def read_labels(path: Path, shots: Sequence[OpenShot]) -> Given:
    """What a ``--labels`` argument holds for the shots of a capture. UserError names the file and what is wrong."""
    if not path.exists():
        raise UserError(f"{path}: no such file or folder", hint="give a folder with labels.json, or a boxes file")
    if path.is_dir():
        if (path / "labels.json").is_file():
            return _label_images(path, _labels_file(path / "labels.json"), shots)
        files = {p.stem: read_json(p) for p in sorted(path.glob("*.json"))}
        drawn = labelme(
            {stem: data for stem, data in files.items() if isinstance(data, dict) and "shapes" in data}, path
        )
        if drawn is not None:
            return _polygons(path, drawn, shots)
        raise UserError(f"{path} has no labels.json", hint=f"add one: {_FORMAT}")
    data = read_json(path)
    if isinstance(data, dict) and {"images", "annotations", "categories"} <= data.keys():
        return _polygons(path, coco(data, path), shots)
    if isinstance(data, dict) and "names" in data:
        return _names_only(path, shots)
    return _boxes(path, data)


def own_labels(shots: Sequence[OpenShot], names: Mapping[int, str], kind: str = "class") -> Given:
    """The label images that came with a capture. Ids that nobody named become "object 48", and a note says so."""
    frames = {o.number: _fitted(o, o.shot.label) for o in shots if o.shot.label is not None}
    if not frames:
        return Given()
    ids = sorted({int(i) for f in frames.values() for i in np.unique(f.ids)} - {0})
    named = {i: names.get(i, f"object {i}") for i in ids}
    unnamed = [named[i] for i in ids if i not in names]
    notes = [f"label images of the capture: {len(frames)} of {len(shots)} photos, kind {kind}"]
    if unnamed:
        notes.append(f"the capture names no label, so they are {', '.join(unnamed)}; name them with --labels FILE.json")
    return Given(Labels(kind, named, frames), vocabulary=frozenset(named.values()), notes=tuple(notes))


def _label_images(folder: Path, file: _LabelsFile, shots: Sequence[OpenShot]) -> Given:
    images = {p.stem: p for p in sorted(folder.iterdir()) if p.suffix.lower() in _IMAGES}
    frames: dict[int, FrameLabels] = {}
    used = set()
    for o in shots:
        stem = next((s for s in _label_stems(o.shot.photo) if s in images), None)
        if stem is not None:
            frames[o.number] = _fitted(o, images[stem])
            used.add(stem)
    if not frames:
        raise UserError(
            f"no label image in {folder} is named as a photo of the capture",
            hint=f"for example {shots[0].shot.photo.stem}.png for {shots[0].shot.photo.name}",
        )
    _check_names(frames, file.names, str(folder / "labels.json"))
    notes = [f"labels of kind {file.kind} from {folder.name}: {len(frames)} of {len(shots)} photos"]
    unused = sorted(set(images) - used)
    if unused:
        notes.append(f"{len(unused)} label images belong to no photo used, first {images[unused[0]].name}")
    labels = Labels(file.kind, file.names, frames)
    return Given(labels, vocabulary=frozenset(file.names.values()), notes=tuple(notes))


def _polygons(path: Path, drawn: Drawn, shots: Sequence[OpenShot]) -> Given:
    frames: dict[int, FrameLabels] = {}
    for o in shots:
        stem = next((s for s in _label_stems(o.shot.photo) if s in drawn.ids), None)
        if stem is not None:
            frames[o.number] = _given(o, path, drawn.ids[stem]())
    if not frames:
        raise UserError(f"{path} names no photo of the capture", hint=f"for example {shots[0].shot.photo.name}")
    note = f"{drawn.format} polygons from {path.name}: {len(frames)} of {len(shots)} photos, merged over views by name"
    return Given(Labels("class", drawn.names, frames), vocabulary=frozenset(drawn.names.values()), notes=(note,))


def _names_only(path: Path, shots: Sequence[OpenShot]) -> Given:
    """A labels.json given as a file: its images lie beside it, or the capture has its own."""
    file = _labels_file(path)
    beside = any(p.suffix.lower() in _IMAGES and p.stem in _all_stems(shots) for p in path.parent.iterdir())
    if beside:
        return _label_images(path.parent, file, shots)
    frames = {o.number: _fitted(o, o.shot.label) for o in shots if o.shot.label is not None}
    if not frames:
        raise UserError(f"there are no label images beside {path}, and the capture has none", hint="add <photo>.png")
    _check_names(frames, file.names, str(path))
    notes = (f"label images of the capture, kind {file.kind}, named by {path.name}",)
    return Given(Labels(file.kind, file.names, frames), vocabulary=frozenset(file.names.values()), notes=notes)


def _labels_file(path: Path) -> _LabelsFile:
    return _validated(_LabelsFile, read_json(path), path, hint=f"it looks like {_FORMAT}")


def _boxes(path: Path, data: Any) -> Given:
    rows = {"boxes": data} if isinstance(data, list) else data
    file = _validated(_Boxes, rows, path, hint="a boxes file is a list of name, centre, size, axes (rows)")
    boxes = []
    for number, row in enumerate(file.boxes, 1):
        axes = np.array(row.axes, dtype=np.float64)
        lengths = np.linalg.norm(axes, axis=1, keepdims=True)
        try:
            box = OrientedBox(np.array(row.centre), axes / np.where(lengths > 0, lengths, 1.0), np.array(row.size))
        except ValueError as error:
            raise UserError(f"{path}, box {number} ({row.name}): {error}") from None
        front = None if row.front is None else np.array(row.front) / (np.linalg.norm(row.front) or 1.0)
        boxes.append(NamedBox(row.name, box, front))
    names = frozenset({b.name for b in boxes} | set(file.vocabulary))
    return Given(boxes=tuple(boxes), vocabulary=names, notes=(f"{len(boxes)} boxes from {path.name}",))


def _fitted(o: OpenShot, path: Path) -> FrameLabels:
    return _given(o, path, _read_ids(path))


def _given(o: OpenShot, path: Path, ids: Ids) -> FrameLabels:
    try:
        return frame_labels(o, ids)
    except ValueError as error:
        raise UserError(f"{path}: {error} ({o.shot.name})") from None


def _read_ids(path: Path) -> Ids:
    """The stored numbers of a label image; a palette's are its indices, not its colours."""
    try:
        with Image.open(path) as image:
            if image.mode not in ("L", "P", "I;16", "I", "I;16B", "1"):
                raise UserError(f"{path} has {len(image.getbands())} channels", hint="a label image has one id a pixel")
            ids = np.asarray(image).astype(np.int32)
    except (OSError, SyntaxError, ValueError) as error:
        raise UserError(f"the label image {path} is damaged ({' '.join(str(error).split())[:100]})") from None
    if ids.min(initial=0) < 0:
        raise UserError(f"{path} holds negative ids")
    return ids


def _check_names(frames: Mapping[int, FrameLabels], names: Mapping[int, str], where: str) -> None:
    missing = sorted({int(i) for f in frames.values() for i in np.unique(f.ids)} - {0} - set(names))
    if missing:
        listed = ", ".join(map(str, missing[:10]))
        raise UserError(f"{where} has no name for the ids {listed}", hint="name them, or set those pixels to 0")


def _label_stems(photo: Path) -> list[str]:
    stem = photo.stem
    base = next((stem.removesuffix(word) for word in _PHOTO_WORDS if stem.endswith(word)), stem)
    return [stem, *(base + word for word in _LABEL_WORDS)]


def _all_stems(shots: Sequence[OpenShot]) -> set[str]:
    return {stem for o in shots for stem in _label_stems(o.shot.photo)}


def _validated(model: type[_Model], data: Any, path: Path, hint: str) -> _Model:
    try:
        return model.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        raise UserError(f"{path}: {'.'.join(map(str, first['loc']))}: {first['msg']}", hint=hint) from None
