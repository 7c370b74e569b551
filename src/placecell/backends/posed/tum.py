"""TUM RGB-D sequences: ``rgb.txt``, ``depth.txt`` and ``groundtruth.txt`` with one timestamp a line.

A photo gets the depth image and the pose nearest in time, up to 20 ms away, as the data set's own tools do. Depth has
5000 steps a metre. Intrinsics come from ``camera-intrinsics.txt``: the sequences differ and ship none.
"""

from __future__ import annotations

from pathlib import Path, PurePosixPath

import numpy as np

from placecell.backends.posed.capture import SENSOR, Capture, Lens, Shot, read_K, read_text, stated_coding
from placecell.errors import UserError
from placecell.geometry.transforms import Array, from_quat_wxyz

_FARTHEST_S = 0.02
_INTRINSICS = ("camera-intrinsics.txt", "intrinsics.txt", "camera.txt")
# The calibration the data set's authors recommend for its already registered images (ROS default); freiburg1..3 differ
# from it by up to 2 %, so it is offered in the hint and never assumed.
_ROS_DEFAULT = "525 525 319.5 239.5"


def found(folder: Path) -> bool:
    """Whether the two lists that make a sequence are there."""
    return (folder / "rgb.txt").is_file() and (folder / "groundtruth.txt").is_file()


def read(folder: Path) -> Capture:
    """The capture; times count from its first photo."""
    intrinsics = next((folder / n for n in _INTRINSICS if (folder / n).is_file()), None)
    if intrinsics is None:
        raise UserError(
            f"{folder} is a TUM RGB-D sequence without camera intrinsics",
            hint=f"add {_INTRINSICS[0]} with fx fy cx cy; {_ROS_DEFAULT} is the data set's default calibration",
        )
    lens = Lens.pinhole(read_K(intrinsics))
    photos = _listed(folder / "rgb.txt")
    depth = _listed(folder / "depth.txt") if (folder / "depth.txt").is_file() else []
    times, poses = _trajectory(folder / "groundtruth.txt")
    if not photos:
        raise UserError(f"{folder / 'rgb.txt'} names no photo")
    start = photos[0][0]
    depth_times = np.array([t for t, _ in depth])
    shots = []
    for time, name in photos:
        pose = _nearest(times, time)
        image = _nearest(depth_times, time)
        notes = [] if pose is not None else [f"no pose within {_FARTHEST_S * 1000:.0f} ms, so it is not placed"]
        if image is None:
            notes.append(f"no depth image within {_FARTHEST_S * 1000:.0f} ms")
        shots.append(
            Shot(
                name=name,
                photo=folder / name,
                recon_from_cam=None if pose is None else poses[pose],
                lens=lens,
                depth=None if image is None else folder / depth[image][1],
                time_s=round(time - start, 6),
                notes=tuple(notes),
            )
        )
    coding = stated_coding(folder, 1 / 5000, "as TUM RGB-D stores depth")
    return Capture("tum", folder, tuple(shots), SENSOR, coding, depth_sd=0.015)


def _listed(path: Path) -> list[tuple[float, str]]:
    """(timestamp, file) of each line that is no comment, in time order."""
    rows = []
    for number, line in enumerate(read_text(path).splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        parts = line.replace(",", " ").split()
        try:
            time, name = float(parts[0]), parts[1]
        except (ValueError, IndexError):
            raise UserError(f"{path}, line {number}: not a timestamp and a file name") from None
        if PurePosixPath(name).is_absolute() or ".." in PurePosixPath(name).parts:
            raise UserError(f"{path}, line {number}: {name} lies outside the sequence")
        rows.append((time, name))
    return sorted(rows)


def _trajectory(path: Path) -> tuple[Array, Array]:
    """Times (N,) in order and ``recon_from_cam`` (N, 4, 4) of lines ``time tx ty tz qx qy qz qw``."""
    rows = []
    for number, line in enumerate(read_text(path).splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        try:
            row = [float(v) for v in line.replace(",", " ").split()]
        except ValueError:
            raise UserError(f"{path}, line {number}: something is no number") from None
        if len(row) != 8:
            raise UserError(f"{path}, line {number}: {len(row)} numbers, expected time tx ty tz qx qy qz qw")
        if np.isfinite(row).all() and any(row[4:]):
            rows.append(row)
    table = np.array(sorted(rows), dtype=np.float64).reshape(-1, 8)
    return table[:, 0], from_quat_wxyz(table[:, [7, 4, 5, 6]], table[:, 1:4])


def _nearest(times: Array, time: float) -> int | None:
    """Index of the entry nearest to ``time``, None when it is too far away."""
    if len(times) == 0:
        return None
    index = int(np.argmin(np.abs(times - time)))
    return index if abs(times[index] - time) <= _FARTHEST_S else None
