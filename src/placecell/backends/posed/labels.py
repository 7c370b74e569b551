"""``--labels``: label images with ``labels.json``, mask archives, COCO or LabelMe files, or a file of 3D boxes.

    FOLDER/labels.json     {"kind": "instance" or "class", "names": {"7": "chair", ...}}
    FOLDER/<photo>.png     ids of 8 or 16 bits, 0 = none, named as the photo; or <photo>.npz with ids

An id without a name, a label image of another shape than its photo and a colour picture are errors; label images of no
photo are listed. Boxes are in the capture's own world.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any, Literal, TypeVar

import numpy as np
from PIL import Image
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from placecell.backends.posed.coco import coco, is_coco
from placecell.backends.posed.labelme import is_labelme, labelme
from placecell.backends.posed.mask_files import id_archive, mask_archives
from placecell.backends.posed.polygons import Drawn, Ids, read_json
from placecell.backends.posed.reading import Given, OpenShot, frame_labels
from placecell.errors import UserError
from placecell.geometry.boxes import OrientedBox
from placecell.memory.ports import FrameLabels, Labels, NamedBox

Triple = tuple[float, float, float]

_FORMAT = '{"kind": "instance" or "class", "names": {"7": "chair"}}'
_IMAGES = (".png", ".tif", ".tiff", ".bmp", ".pgm")
_ARCHIVE = ".npz"
_PHOTOS = (".jpg", ".jpeg", ".png", ".webp", ".bmp", ".tif", ".tiff", ".heic", ".heif", ".ppm", ".pgm", ".gif")
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


Labeller = Callable[[Sequence[OpenShot]], Given | None]
"""What labels say about some shots of a capture; None when they label none of these."""


def read_labels(path: Path, shots: Sequence[OpenShot]) -> Given:
    """What a ``--labels`` argument holds for the shots of a capture. UserError names the file and what is wrong."""
    given = open_labels(path)(shots)
    if given is None:
        photo = shots[0].shot.photo
        raise UserError(f"{path} labels no photo of the capture", hint=f"for example {photo.stem}.png for {photo.name}")
    return given


def open_labels(path: Path) -> Labeller:
    """A ``--labels`` argument, read once, to be asked about all shots or about a few at a time. Errors as above."""
    if not path.exists():
        raise UserError(f"{path}: no such file or folder", hint="give a folder with labels.json, or a boxes file")
    if path.is_dir():
        return _folder(path)
    data = read_json(path)
    if is_coco(data):
        return partial(_drawn, path, coco(data, path))
    if is_labelme(data):
        return partial(_drawn, path, labelme({path.stem: data}, path.parent))
    if isinstance(data, dict) and "names" in data:
        return partial(_names_only, path, _labels_file(path), _images_in(path.parent))
    boxes = _boxes(path, data)
    return lambda shots: boxes


def _folder(folder: Path) -> Labeller:
    if (folder / "labels.json").is_file():
        return partial(_label_images, folder, _labels_file(folder / "labels.json"), _images_in(folder, _ARCHIVE))
    files = {p.stem: read_json(p) for p in sorted(folder.glob("*.json"))}
    drawings = {stem: data for stem, data in files.items() if is_labelme(data)}
    if drawings:
        return partial(_drawn, folder, labelme(drawings, folder))
    archives = {p.stem: p for p in sorted(folder.glob(f"*{_ARCHIVE}"))}
    if archives:
        return partial(_drawn, folder, mask_archives(archives))
    raise UserError(f"{folder} has no labels.json", hint=f"add one: {_FORMAT}")


def _images_in(folder: Path, *more: str) -> dict[str, Path]:
    """Label images by stem."""
    return {p.stem: p for p in sorted(folder.iterdir()) if p.suffix.lower() in (*_IMAGES, *more)}


def own_labels(shots: Sequence[OpenShot], names: Mapping[int, str]) -> Given:
    """The label images that came with a capture. Ids that nobody named become "object 48", and a note says so."""
    frames = {o.number: _fitted(o, o.shot.label) for o in shots if o.shot.label is not None}
    if not frames:
        return Given()
    ids = sorted({int(i) for f in frames.values() for i in np.unique(f.ids)} - {0})
    named = {i: names.get(i, f"object {i}") for i in ids}
    unnamed = [named[i] for i in ids if i not in names]
    notes = [f"label images of the capture: {len(frames)} of {len(shots)} photos, kind class"]
    if unnamed:
        notes.append(f"the capture names no label, so they are {', '.join(unnamed)}; name them with --labels FILE.json")
    return Given(Labels("class", named, frames), vocabulary=frozenset(named.values()), notes=tuple(notes))


def _label_images(
    folder: Path, file: _LabelsFile, images: Mapping[str, Path], shots: Sequence[OpenShot]
) -> Given | None:
    matched = _matched(folder, images, shots)
    if not matched:
        return None
    frames = {o.number: _fitted(o, images[key]) for o, key in matched}
    _check_names(frames, file.names, str(folder / "labels.json"))
    notes = [f"labels of kind {file.kind} from {folder.name}: {len(frames)} of {len(shots)} photos"]
    unused = sorted(set(images) - {key for _, key in matched})
    if unused:
        notes.append(f"{len(unused)} label images belong to no photo used, first {images[unused[0]].name}")
    labels = Labels(file.kind, file.names, frames)
    return Given(labels, vocabulary=frozenset(file.names.values()), notes=tuple(notes))


def _drawn(path: Path, drawn: Drawn, shots: Sequence[OpenShot]) -> Given | None:
    matched = _matched(path, drawn.ids, shots)
    if not matched:
        return None
    frames = {o.number: _given(o, path, drawn.ids[key]()) for o, key in matched}
    how = "merged over views by name" if drawn.kind == "class" else "one object a track"
    notes = [f"{drawn.format} masks from {path.name}: {len(frames)} of {len(shots)} photos, {how}", *drawn.notes]
    unused = sorted(set(drawn.ids) - {key for _, key in matched})
    if unused:
        notes.append(f"{len(unused)} photos of {path.name} are not used, first {unused[0]}")
    vocabulary = frozenset(drawn.names.values()) | drawn.vocabulary
    return Given(Labels(drawn.kind, drawn.names, frames), vocabulary=vocabulary, notes=tuple(notes))


def _matched(path: Path, keys: Iterable[str], shots: Sequence[OpenShot]) -> list[tuple[OpenShot, str]]:
    """The shots that have labels, each with its key: a file name or stem. Where names repeat, their folders decide.

    UserError when two photos may mean the same labels, or a photo two.
    """
    by_stem: dict[str, list[str]] = {}
    for key in keys:
        by_stem.setdefault(_split(key)[1], []).append(key)
    taken: dict[str, OpenShot] = {}

    def take(o: OpenShot, mine: Sequence[str]) -> None:
        if len(mine) > 1:
            raise UserError(f"{path} has several labels that {o.shot.name} may mean: {', '.join(mine)}")
        other = taken.setdefault(mine[0], o)
        if other is not o:
            raise UserError(f"{path}: {o.shot.name} and {other.shot.name} may both mean {mine[0]}")

    elsewhere: list[tuple[OpenShot, list[str]]] = []
    for o in shots:
        named = next((by_stem[stem] for stem in _label_stems(o.shot.photo) if stem in by_stem), [])
        here = [key for key in named if _same_place(_split(key)[0], _split(o.shot.name)[0])]
        if here:
            take(o, here)
        elif named:
            elsewhere.append((o, named))
    claimed = set(taken)
    for o, named in elsewhere:  # the labels were written with other folders
        left = [key for key in named if key not in claimed]
        if left:
            take(o, left)
    return [(o, key) for key, o in taken.items()]


def _split(name: str) -> tuple[str, str]:
    """Folder and stem: ("val", "0001") of "val\\0001.jpg". A stem with dots stays as it is."""
    path = PurePosixPath(name.replace("\\", "/"))
    return str(path.parent).lstrip("."), path.stem if path.suffix.lower() in _PHOTOS else path.name


def _same_place(a: str, b: str) -> bool:
    """Whether two folders may be one, seen from different places above it."""
    return f"/{a}".endswith(f"/{b}") or f"/{b}".endswith(f"/{a}")


def _names_only(path: Path, file: _LabelsFile, images: Mapping[str, Path], shots: Sequence[OpenShot]) -> Given | None:
    """A labels.json given as a file: its images lie beside it, or the capture has its own."""
    beside = _label_images(path.parent, file, images, shots)
    frames = {o.number: _fitted(o, o.shot.label) for o in shots if o.shot.label is not None}
    if beside is not None or not frames:
        return beside
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
    if path.suffix.lower() == _ARCHIVE:
        return id_archive(path)
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


def _validated(model: type[_Model], data: Any, path: Path, hint: str) -> _Model:
    try:
        return model.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        raise UserError(f"{path}: {'.'.join(map(str, first['loc']))}: {first['msg']}", hint=hint) from None
