"""Exported ScanNet scenes: ``color/N.jpg``, ``depth/N.png`` (mm), ``pose/N.txt``, ``intrinsic/intrinsic_*.txt``.

Colour and depth have their own sizes and intrinsics. The world is z up along gravity. ``axisAlignment.txt`` is not
used: the memory is turned along the walls anyway.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from placecell.backends.posed.capture import (
    DEPTH_SUFFIXES,
    MILLIMETRES,
    PHOTO_SUFFIXES,
    SENSOR,
    Capture,
    Lens,
    Shot,
    files_in,
    pose_of,
    read_K,
    read_numbers,
    stated_coding,
    with_suffix,
)
from placecell.errors import UserError


def found(folder: Path) -> bool:
    """Whether the three folders of an exported scene are there."""
    return all((folder / name).is_dir() for name in ("color", "pose", "depth"))


def read(folder: Path) -> Capture:
    """The capture; UserError when the intrinsics were not exported."""
    color_lens, depth_lens = (Lens.pinhole(read_K(_intrinsics(folder, kind))) for kind in ("color", "depth"))
    photos = files_in(folder / "color", PHOTO_SUFFIXES)
    shots = []
    for photo in photos:
        pose = folder / "pose" / f"{photo.stem}.txt"
        matrix = pose_of(read_numbers(pose, (4, 4)), pose.name) if pose.is_file() else None
        depth = with_suffix(folder / "depth" / photo.stem, DEPTH_SUFFIXES)
        notes = [] if matrix is not None else ["has no pose, so it is not placed"]
        notes += ["has no depth image"] if depth is None else []
        shots.append(
            Shot(
                name=f"color/{photo.name}",
                photo=photo,
                recon_from_cam=matrix,
                lens=color_lens,
                depth=depth,
                depth_lens=depth_lens,
                notes=tuple(notes),
            )
        )
    return Capture(
        layout="scannet",
        folder=folder,
        shots=tuple(shots),
        scale=SENSOR,
        coding=stated_coding(folder, MILLIMETRES, "millimetres, as ScanNet stores depth"),
        up=np.array([0.0, 0.0, 1.0]),
        notes=("ScanNet's world: +z up along gravity",),
    )


def _intrinsics(folder: Path, kind: str) -> Path:
    for parent in ("intrinsic", "intrinsics", "."):
        path = folder / parent / f"intrinsic_{kind}.txt"
        if path.is_file():
            return path
    raise UserError(
        f"{folder} has photos, depth and poses but no {kind} intrinsics",
        hint=f"add intrinsic/intrinsic_{kind}.txt: rows fx 0 cx, 0 fy cy, 0 0 1 (ScanNet's exporter writes it)",
    )
