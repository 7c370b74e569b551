"""Open3D / Redwood captures: ``trajectory.log`` (camera to world), ``color`` and ``depth`` folders, a camera JSON.

The log has five lines a frame: three numbers, then a 4x4 matrix. Frame i of the log is the i-th file of each folder.
"""

from __future__ import annotations

import json
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
    parse_numbers,
    pose_of,
    read_text,
    stated_coding,
)
from placecell.errors import UserError
from placecell.geometry.transforms import Array
from placecell.media.sources import Skipped

_LOGS = ("trajectory.log", "scene/trajectory.log", "scene/integrated.log")
_COLOR_FOLDERS = ("color", "image", "rgb")


def found(folder: Path) -> bool:
    """Whether a trajectory log lies beside folders of photos and of depth."""
    return _first(folder, _LOGS) is not None and _first(folder, _COLOR_FOLDERS) is not None


def read(folder: Path) -> Capture:
    """The capture. The camera JSON is searched in the folder and in the one above, where Open3D's samples keep it."""
    log, color = _first(folder, _LOGS), _first(folder, _COLOR_FOLDERS)
    if log is None or color is None:
        raise UserError(f"{folder} has no trajectory log or no photos")
    camera, lens = _camera(folder)
    poses = read_log(log)
    photos = files_in(color, PHOTO_SUFFIXES)
    depths = files_in(folder / "depth", DEPTH_SUFFIXES) if (folder / "depth").is_dir() else []
    if depths and len(depths) != len(photos):
        raise UserError(f"{folder} has {len(photos)} photos but {len(depths)} depth images", hint="they go by order")
    shots = [
        Shot(
            name=photo.relative_to(folder).as_posix(),
            photo=photo,
            recon_from_cam=poses[i] if i < len(poses) else None,
            lens=lens,
            depth=depths[i] if depths else None,
            notes=() if i < len(poses) else (f"{log.name} ends before it, so it is not placed",),
        )
        for i, photo in enumerate(photos)
    ]
    extra = len(poses) - len(photos)
    skipped = (Skipped(log.name, f"its last {extra} poses have no photo"),) if extra > 0 else ()
    coding = stated_coding(folder, MILLIMETRES, "millimetres, as Open3D's trajectory captures store depth")
    note = f"intrinsics from {camera}"
    return Capture("open3d", folder, tuple(shots), SENSOR, coding, skipped=skipped, notes=(note,))


def read_log(path: Path) -> list[Array | None]:
    """The poses of a trajectory log, in order. UserError for a log that was cut short or is something else."""
    lines = [line for line in read_text(path).splitlines() if line.strip()]
    if not lines or len(lines) % 5:
        raise UserError(f"{path} has {len(lines)} lines, a trajectory log has five a frame")
    poses = []
    for i in range(0, len(lines), 5):
        where = f"{path}, frame {i // 5 + 1}"
        parse_numbers(lines[i], (3,), where)
        poses.append(pose_of(parse_numbers(" ".join(lines[i + 1 : i + 5]), (4, 4), where), where))
    return poses


def _camera(folder: Path) -> tuple[str, Lens]:
    """The first JSON file with an ``intrinsic_matrix`` (column by column), and its lens."""
    for path in [*sorted(folder.glob("*.json")), *sorted(folder.parent.glob("*.json"))]:
        try:
            data = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            continue
        if isinstance(data, dict) and {"intrinsic_matrix", "width", "height"} <= data.keys():
            columns = parse_numbers(" ".join(map(str, data["intrinsic_matrix"])), (3, 3), str(path))
            lens = Lens.pinhole(np.transpose(columns), int(data["width"]), int(data["height"]))
            return path.name if path.parent == folder else f"../{path.name}", lens
    raise UserError(
        f"{folder} has a trajectory but no camera intrinsics",
        hint="add camera.json with width, height and intrinsic_matrix (nine numbers, column by column)",
    )


def _first(folder: Path, names: tuple[str, ...]) -> Path | None:
    return next((folder / name for name in names if (folder / name).exists()), None)
