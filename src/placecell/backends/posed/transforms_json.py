"""transforms.json of nerfstudio, instant-ngp and NeRF: poses of photos, with or without depth files.

Camera axes are OpenGL's, the scale is whatever made the file. Intrinsics stand at the top or in each frame, or only as
a field of view. Photos that the file names and that are not there are listed, photos it does not name are not placed.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from placecell.backends.posed.capture import PHOTO_SUFFIXES, SENSOR, Capture, Lens, Shot, pose_of, with_suffix
from placecell.backends.posed.depth import DepthCoding
from placecell.errors import UserError
from placecell.geometry.cloud import Cloud
from placecell.geometry.transforms import convert_camera
from placecell.media.names import natural_key, printable
from placecell.media.sources import Skipped
from placecell.memory.interchange.ply import read_ply
from placecell.memory.scene import Scale

_FILES = ("transforms.json", "transforms_train.json")
_LAST_NUMBER = re.compile(r"(\d+)\D*$")
_LISTED = 100
_PINHOLES = ("PINHOLE", "SIMPLE_PINHOLE")


class _Lens(BaseModel):
    """The keys that describe a camera; in a frame they override those at the top of the file."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    w: float | None = Field(default=None, gt=0)
    h: float | None = Field(default=None, gt=0)
    fl_x: float | None = Field(default=None, gt=0)
    fl_y: float | None = Field(default=None, gt=0)
    cx: float | None = None
    cy: float | None = None
    k1: float = 0.0
    k2: float = 0.0
    k3: float = 0.0
    k4: float = 0.0
    p1: float = 0.0
    p2: float = 0.0
    camera_angle_x: float | None = Field(default=None, gt=0, lt=math.pi)
    camera_angle_y: float | None = Field(default=None, gt=0, lt=math.pi)
    camera_model: str | None = None
    is_fisheye: bool = False


class _Frame(_Lens):
    file_path: str
    transform_matrix: list[list[float]]
    depth_file_path: str | None = None
    depth_path: str | None = None
    time: float | None = None


class _File(_Lens):
    frames: list[_Frame] = Field(min_length=1)
    depth_unit_scale_factor: float | None = Field(default=None, gt=0)
    integer_depth_scale: float | None = Field(default=None, gt=0)
    ply_file_path: str | None = None


def found(folder: Path) -> bool:
    """Whether there is a transforms file."""
    return any((folder / name).is_file() for name in _FILES)


def read(folder: Path) -> Capture:
    """The capture, its photos in the natural order of their names."""
    path = next(folder / name for name in _FILES if (folder / name).is_file())
    data = _parse(path)
    photos, notes = _find_photos(folder, path.name, [frame.file_path for frame in data.frames])
    there = [(frame, photo) for frame, photo in zip(data.frames, photos, strict=True) if photo is not None]
    shots = [_shot(folder, path.name, data, frame, photo) for frame, photo in there]
    named = {photo for _, photo in there}
    for parent in sorted({photo.parent for photo in named}):
        shots += [
            Shot(_name(folder, extra), extra, notes=(f"{path.name} does not name it, so it is not placed",))
            for extra in parent.iterdir()
            if extra.suffix.lower() in PHOTO_SUFFIXES and extra not in named and not _is_depth(extra, shots)
        ]
    shots.sort(key=lambda shot: natural_key(Path(shot.name)))
    absent = [f.file_path for f, photo in zip(data.frames, photos, strict=True) if photo is None]
    coding, scale = _depth_coding(data)
    return Capture(
        layout="transforms.json",
        folder=folder,
        shots=tuple(shots),
        scale=scale if any(s.depth for s in shots) else Scale(),
        coding=coding,
        points=None if any(s.depth for s in shots) else _points(folder, data, notes),
        skipped=_absent(absent, path.name),
        notes=tuple(notes),
    )


def _points(folder: Path, data: _File, notes: list[str]) -> Cloud | None:
    """The points the file names, in the frame of its poses."""
    if not data.ply_file_path:
        return None
    if not (folder / data.ply_file_path).is_file():
        notes.append(f"its points {printable(data.ply_file_path)} are not there")
        return None
    return read_ply(folder / data.ply_file_path)


def _absent(names: list[str], where: str) -> tuple[Skipped, ...]:
    """One entry a photo; a file made for hundreds of photos of which a few were taken along gives one for all."""
    reason = f"named in {where}, but not there"
    if len(names) > _LISTED:
        return (Skipped(f"{printable(names[0])} and {len(names) - 1} more", reason),)
    return tuple(Skipped(printable(name), reason) for name in names)


def _parse(path: Path) -> _File:
    try:
        raw: Any = json.loads(path.read_text(encoding="utf-8"))
        return _File.model_validate(raw)
    except ValidationError as error:
        first = error.errors()[0]
        raise UserError(f"{path}: {'.'.join(map(str, first['loc']))}: {first['msg']}") from None
    except (OSError, ValueError, RecursionError) as error:
        raise UserError(f"{path} cannot be read ({error})") from None


def _shot(folder: Path, where: str, data: _File, frame: _Frame, photo: Path) -> Shot:
    matrix = np.asarray(frame.transform_matrix, dtype=object)
    if matrix.shape not in ((4, 4), (3, 4)):
        raise UserError(f"{where}: the transform_matrix of {frame.file_path} is not 4x4")
    pose = pose_of(matrix.astype(np.float64), f"{where} ({frame.file_path})")
    depth_name = frame.depth_file_path or frame.depth_path
    depth = folder / depth_name if depth_name else None
    notes = []
    if depth is not None and not depth.is_file():
        notes.append(f"its depth file {depth_name} is not there")
    return Shot(
        name=_name(folder, photo),
        photo=photo,
        recon_from_cam=None if pose is None else convert_camera(pose, "nerfstudio"),
        lens=_lens(data, frame, where),
        depth=depth if not notes else None,
        time_s=frame.time,
        notes=tuple(notes),
    )


def _lens(data: _File, frame: _Frame, where: str) -> Lens:
    """The frame's own keys before the file's. Sizes of 0 mean "the photo's"; a field of view needs a stated size."""
    own, shared = frame.model_dump(exclude_unset=True), data.model_dump(exclude_unset=True, exclude={"frames"})
    k = _Lens.model_validate({**shared, **own})
    width, height = round(k.w or 0), round(k.h or 0)
    fx = k.fl_x or (0.5 * width / math.tan(k.camera_angle_x / 2) if k.camera_angle_x and width else None)
    if fx is None and k.camera_angle_x:
        return Lens.of_angle(k.camera_angle_x)
    if fx is None:
        raise UserError(f"{where} states no focal length", hint="add fl_x, fl_y, cx, cy, w and h in pixels")
    fy = k.fl_y or (0.5 * height / math.tan(k.camera_angle_y / 2) if k.camera_angle_y and height else fx)
    if (k.cx is None or k.cy is None) and not (width and height):
        raise UserError(f"{where} states neither a principal point nor a size", hint="add cx, cy, w and h in pixels")
    cx, cy = (k.cx if k.cx is not None else width / 2), (k.cy if k.cy is not None else height / 2)
    base = (float(fx), float(fy), float(cx), float(cy))
    if k.is_fisheye or k.camera_model == "OPENCV_FISHEYE":
        return Lens("OPENCV_FISHEYE", width, height, (*base, k.k1, k.k2, k.k3, k.k4))
    if k.camera_model in _PINHOLES or not any((k.k1, k.k2, k.k3, k.k4, k.p1, k.p2)):
        return Lens("PINHOLE", width, height, base)
    if k.camera_model not in (None, "OPENCV", "SIMPLE_RADIAL", "RADIAL"):
        raise UserError(f"{where} has the camera model {k.camera_model}", hint="known: OPENCV, OPENCV_FISHEYE, PINHOLE")
    if k.k3 or k.k4:
        return Lens("FULL_OPENCV", width, height, (*base, k.k1, k.k2, k.p1, k.p2, k.k3, k.k4, 0.0, 0.0))
    return Lens("OPENCV", width, height, (*base, k.k1, k.k2, k.p1, k.p2))


def _depth_coding(data: _File) -> tuple[DepthCoding, Scale]:
    """nerfstudio's factor gives metres; instant-ngp's gives the scene's own units."""
    if data.integer_depth_scale is not None:
        return DepthCoding(
            data.integer_depth_scale, reason="integer_depth_scale of transforms.json", stated=True
        ), Scale()
    if data.depth_unit_scale_factor is not None:
        reason = "depth_unit_scale_factor of transforms.json"
        return DepthCoding(data.depth_unit_scale_factor, reason=reason, stated=True), SENSOR
    return DepthCoding(0.001, reason="millimetres, nerfstudio's default"), SENSOR


def _find_photos(folder: Path, where: str, names: list[str]) -> tuple[list[Path | None], list[str]]:
    """The photo of each named file, or None: by its path, else by its file name, else by the number in its name."""
    direct = [_existing(folder / name) for name in names]
    if any(direct):
        return direct, []
    around = _photos_around(folder)
    by_name = {photo.name: photo for photo in around}
    if len(by_name) == len(around) and any(Path(name).name in by_name for name in names):
        note = f"photos found by file name: {where} names other folders"
        return [by_name.get(Path(name).name) for name in names], [note]
    listed, present = _by_number(Path(name) for name in names), _by_number(around)
    if present and len(present) == len(around) and set(present) <= set(listed):
        number, photo = next(iter(present.items()))
        note = f"photos found by the number in their name ({photo.name} is taken for {listed[number].as_posix()})"
        return [present.get(_number(Path(name))) for name in names], [note]
    held = f"the folder has {around[0].name} and {len(around) - 1} more" if around else "the folder has no photos"
    raise UserError(f"none of the {len(names)} photos that {where} names is there (first: {names[0]}); {held}")


def _existing(path: Path) -> Path | None:
    if path.is_file():
        return path
    return with_suffix(path, PHOTO_SUFFIXES) if path.suffix.lower() not in PHOTO_SUFFIXES else None


def _photos_around(folder: Path) -> list[Path]:
    places = [folder, *sorted(p for p in folder.iterdir() if p.is_dir())]
    found = [p for place in places for p in sorted(place.iterdir()) if p.suffix.lower() in PHOTO_SUFFIXES]
    return sorted(found, key=natural_key)


def _by_number(paths: Iterable[Path]) -> Mapping[int | None, Path]:
    """Paths by the last number in their name; a number that occurs twice says nothing."""
    listed = list(paths)
    count = Counter(_number(path) for path in listed)
    return {_number(p): p for p in listed if _number(p) is not None and count[_number(p)] == 1}


def _number(path: Path) -> int | None:
    match = _LAST_NUMBER.search(path.stem)
    return int(match[1]) if match else None


def _is_depth(path: Path, shots: list[Shot]) -> bool:
    return any(shot.depth == path for shot in shots) or "depth" in path.stem.lower()


def _name(folder: Path, photo: Path) -> str:
    try:
        return printable(photo.relative_to(folder))
    except ValueError:
        return printable(photo.name)
