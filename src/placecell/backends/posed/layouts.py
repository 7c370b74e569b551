"""Which layouts of posed captures are known, and finding the one capture that a folder holds.

A folder is looked at itself, then its subfolders down to two levels. Two captures in one folder are never chosen
between: the user is told to name one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from placecell.backends.posed import (
    colmap,
    open3d_log,
    record3d,
    scannet,
    seven_scenes,
    slambook,
    sun_rgbd,
    transforms_json,
    tum,
)
from placecell.backends.posed.capture import Capture, Layout
from placecell.errors import UserError
from placecell.media.names import natural_key

LAYOUTS = (
    Layout("7-scenes", "7-Scenes, 3DMatch, APC: frame-*.color/depth/pose", seven_scenes.found, seven_scenes.read),
    Layout("tum", "TUM RGB-D: rgb.txt, depth.txt, groundtruth.txt", tum.found, tum.read),
    Layout("record3d", "Record3D EXR + JPG export: metadata.json, rgb/, depth/", record3d.found, record3d.read),
    Layout("open3d", "Open3D, Redwood: trajectory.log, color/, depth/", open3d_log.found, open3d_log.read),
    Layout("slambook", "pose.txt, color/, depth/, intrinsics.txt", slambook.found, slambook.read),
    Layout("scannet", "ScanNet export: color/, depth/, pose/, intrinsic/", scannet.found, scannet.read),
    Layout("transforms.json", "nerfstudio, instant-ngp, NeRF", transforms_json.found, transforms_json.read),
    Layout("colmap", "COLMAP workspace: sparse/0, images/", colmap.found, colmap.read),
    Layout("sun-rgbd", "one SUN RGB-D frame: image/, depth/, intrinsics.txt", sun_rgbd.found, sun_rgbd.read),
)
_DEEPEST = 2
_MOST_FOLDERS = 2000


@dataclass(frozen=True)
class Place:
    """A capture's folder and its layout."""

    folder: Path
    layout: Layout

    def read(self) -> Capture:
        """What the capture states. UserError when a file of it is missing or wrong."""
        return self.layout.read(self.folder)


def find_capture(folder: Path) -> Place | None:
    """The only posed capture in a folder or below it; None when there is none. UserError when there are several."""
    for level in range(_DEEPEST + 1):
        places = [Place(path, layout) for path in _at_level(folder, level) if (layout := _layout_of(path))]
        if len(places) == 1:
            return places[0]
        if places:
            names = ", ".join(p.folder.relative_to(folder).as_posix() for p in places[:5])
            more = f" and {len(places) - 5} more" if len(places) > 5 else ""
            raise UserError(f"{folder} holds {len(places)} captures: {names}{more}", hint="build one of them")
    return None


def _layout_of(folder: Path) -> Layout | None:
    return next((layout for layout in LAYOUTS if layout.found(folder)), None)


def _at_level(folder: Path, level: int) -> Iterator[Path]:
    """Folders ``level`` levels below, in natural order; hidden ones and links are not followed."""
    if level == 0:
        yield folder
        return
    try:
        children = sorted((p for p in folder.iterdir() if p.is_dir()), key=natural_key)
    except PermissionError:  # nothing there for this user
        return
    for count, child in enumerate(children):
        if count < _MOST_FOLDERS and not child.name.startswith(".") and not child.is_symlink():
            yield from _at_level(child, level - 1)
