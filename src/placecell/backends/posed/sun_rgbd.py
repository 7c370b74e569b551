"""One SUN RGB-D frame: ``image/*.jpg``, ``depth/*.png`` (bit-rotated millimetres), ``intrinsics.txt``, ``extrinsics``.

There is a single view, so nothing is merged and nothing can be checked across views. The extrinsics level the camera.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from placecell.backends.posed.capture import (
    MILLIMETRES,
    PHOTO_SUFFIXES,
    SENSOR,
    Capture,
    Lens,
    Shot,
    pose_of,
    read_K,
    read_numbers,
)
from placecell.backends.posed.depth import DepthCoding
from placecell.errors import UserError


def found(folder: Path) -> bool:
    """Whether one frame of the data set is here."""
    return all((folder / name).is_dir() for name in ("image", "depth")) and (folder / "intrinsics.txt").is_file()


def read(folder: Path) -> Capture:
    """The capture: one photo with its depth, levelled by its extrinsics (the newest, when there are several)."""
    photo = _only(folder / "image", PHOTO_SUFFIXES)
    tilts = sorted((folder / "extrinsics").glob("*.txt")) if (folder / "extrinsics").is_dir() else []
    pose = pose_of(read_numbers(tilts[-1], (3, 4)), tilts[-1].name) if tilts else None
    return Capture(
        layout="sun-rgbd",
        folder=folder,
        shots=(
            Shot(
                name=f"image/{photo.name}",
                photo=photo,
                recon_from_cam=np.eye(4) if pose is None else pose,
                lens=Lens.pinhole(read_K(folder / "intrinsics.txt")),
                depth=_only(folder / "depth", (".png",)),
            ),
        ),
        scale=SENSOR,
        coding=DepthCoding(MILLIMETRES, rotated=True, reason="as SUN RGB-D stores depth"),
        up=None if pose is None else np.array([0.0, -1.0, 0.0]),
        notes=("one view: nothing can be checked across views",),
    )


def _only(folder: Path, suffixes: tuple[str, ...]) -> Path:
    files = [p for p in sorted(folder.iterdir()) if p.suffix.lower() in suffixes]
    if len(files) != 1:
        raise UserError(f"{folder} has {len(files)} pictures, a SUN RGB-D frame has one")
    return files[0]
