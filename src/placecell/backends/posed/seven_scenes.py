"""7-Scenes folders: ``frame-000000.{color,depth}.*``, ``frame-000000.pose.txt`` (camera to world), one intrinsics file.

The same names are used by tsdf-fusion, 3DMatch and the APC captures, with ``frame-000000.segm.png`` as class labels.
"""

from __future__ import annotations

import re
from pathlib import Path

from placecell.backends.posed.capture import (
    DEPTH_SUFFIXES,
    MILLIMETRES,
    PHOTO_SUFFIXES,
    SENSOR,
    Capture,
    Lens,
    Shot,
    pose_of,
    read_K,
    read_numbers,
    stated_coding,
    with_suffix,
)
from placecell.errors import UserError
from placecell.media.names import natural_key
from placecell.media.sources import Skipped

_COLOR = re.compile(r"(.+)\.color\.[A-Za-z]+")
_INTRINSICS = ("camera-intrinsics.txt", "camera-intrinsics.color.txt", "intrinsics.txt", "camera_intrinsics.txt")


def found(folder: Path) -> bool:
    """Whether photos named ``*.color.*`` lie beside files named ``*.pose.txt``."""
    return any(folder.glob("*.color.*")) and any(folder.glob("*.pose.txt"))


def read(folder: Path) -> Capture:
    """The capture; UserError without intrinsics, because the original dataset ships none and they differ by camera."""
    K = read_K(_intrinsics(folder))
    shots, skipped = [], []
    for photo in sorted(folder.glob("*.color.*"), key=natural_key):
        match = _COLOR.fullmatch(photo.name)
        if match is None or photo.suffix.lower() not in PHOTO_SUFFIXES:
            continue
        stem = match[1]
        pose = folder / f"{stem}.pose.txt"
        notes = [] if pose.is_file() else [f"{pose.name} is missing, so it is not placed"]
        matrix = pose_of(read_numbers(pose, (4, 4)), pose.name) if pose.is_file() else None
        if pose.is_file() and matrix is None:
            notes.append(f"{pose.name} says that tracking was lost, so it is not placed")
        depth = with_suffix(folder / f"{stem}.depth", DEPTH_SUFFIXES)
        if depth is None:
            notes.append("has no depth image")
        segments = folder / f"{stem}.segm.png"
        shots.append(
            Shot(
                name=photo.name,
                photo=photo,
                recon_from_cam=matrix,
                lens=Lens.pinhole(K),
                depth=depth,
                label=segments if segments.is_file() else None,
                notes=tuple(notes),
            )
        )
    known = {s.name.rsplit(".color.", 1)[0] for s in shots}
    for pose in sorted(folder.glob("*.pose.txt"), key=natural_key):
        if pose.name.removesuffix(".pose.txt") not in known:
            skipped.append(Skipped(pose.name, "a pose without a photo"))
    return Capture(
        layout="7-scenes",
        folder=folder,
        shots=tuple(shots),
        scale=SENSOR,
        coding=stated_coding(folder, MILLIMETRES, "millimetres, as 7-Scenes stores depth"),
        skipped=tuple(skipped),
    )


def _intrinsics(folder: Path) -> Path:
    for name in _INTRINSICS:
        if (folder / name).is_file():
            return folder / name
    raise UserError(
        f"{folder} has photos, depth and poses but no camera intrinsics",
        hint=f"add {_INTRINSICS[0]}: rows fx 0 cx, 0 fy cy, 0 0 1, in pixels of the colour photos",
    )
