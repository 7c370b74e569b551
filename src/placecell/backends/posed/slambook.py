"""SLAM-book style captures: ``color/N.png``, ``depth/N.pgm``, ``pose.txt`` with ``tx ty tz qx qy qz qw`` a line.

``intrinsics.txt`` has lines ``fx VALUE``, ``fy``, ``cx``, ``cy`` and ``depthScale`` (steps a metre).
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from placecell.backends.posed.capture import (
    DEPTH_SUFFIXES,
    PHOTO_SUFFIXES,
    SENSOR,
    Capture,
    Lens,
    Shot,
    files_in,
    parse_numbers,
    pose_of_quat,
    read_text,
)
from placecell.backends.posed.depth import DepthCoding
from placecell.errors import UserError
from placecell.media.sources import Skipped

_EXAMPLE = "add intrinsics.txt with lines: fx 518, fy 519, cx 325.5, cy 253.5, depthScale 1000"


def found(folder: Path) -> bool:
    """Whether ``pose.txt`` lies beside the two image folders."""
    return (folder / "pose.txt").is_file() and (folder / "color").is_dir() and (folder / "depth").is_dir()


def read(folder: Path) -> Capture:
    """The capture; line i of ``pose.txt`` belongs to the i-th photo in natural order."""
    stated = _intrinsics(folder / "intrinsics.txt")
    K = np.array([[stated["fx"], 0, stated["cx"]], [0, stated["fy"], stated["cy"]], [0, 0, 1]])
    lines = [s for s in read_text(folder / "pose.txt").splitlines() if s.strip()]
    photos = files_in(folder / "color", PHOTO_SUFFIXES)
    by_stem = {p.stem: p for p in files_in(folder / "depth", DEPTH_SUFFIXES)}
    shots = []
    for i, photo in enumerate(photos):
        notes = [] if photo.stem in by_stem else ["has no depth image"]
        pose = None
        if i < len(lines):
            row = parse_numbers(lines[i], (7,), f"{folder / 'pose.txt'}, line {i + 1}")
            pose = pose_of_quat(row[3:], row[:3])
        if pose is None:
            notes.append("pose.txt has no pose for it, so it is not placed")
        shots.append(
            Shot(
                name=f"color/{photo.name}",
                photo=photo,
                recon_from_cam=pose,
                lens=Lens.pinhole(K),
                depth=by_stem.get(photo.stem),
                notes=tuple(notes),
            )
        )
    extra = len(lines) - len(photos)
    skipped = (Skipped("pose.txt", f"its last {extra} poses have no photo"),) if extra > 0 else ()
    coding = DepthCoding(1 / stated["depthscale"], reason="stated in intrinsics.txt", stated=True)
    return Capture("slambook", folder, tuple(shots), SENSOR, coding, depth_sd=0.015, skipped=skipped)


def _intrinsics(path: Path) -> dict[str, float]:
    if not path.is_file():
        raise UserError(f"{path.parent} has photos, depth and poses but no camera intrinsics", hint=_EXAMPLE)
    values = {}
    for line in read_text(path).splitlines():
        parts = line.replace("=", " ").replace(":", " ").split()
        if len(parts) == 2 and not parts[0].startswith("#"):
            try:
                values[parts[0].lower()] = float(parts[1])
            except ValueError:
                raise UserError(f"{path}: {parts[1]!r} is no number", hint=_EXAMPLE) from None
    missing = [k for k in ("fx", "fy", "cx", "cy", "depthScale") if not values.get(k.lower(), 0) > 0]
    if missing:
        raise UserError(f"{path} does not state {', '.join(missing)}", hint=_EXAMPLE)
    return values
