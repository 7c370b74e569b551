"""What a memory hands over to another format: placed pictures, depth, points and boxes in one frame of reference.

``source`` is the frame the capture came in, so that what goes out lies on the data it was made from; ``world`` is the
memory's own: +y up, floor near 0. Where a format's readers take an axis for up, either is turned to it. Pictures are
those of the memory, upright and undistorted, so cameras are pinholes.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from placecell.errors import UserError
from placecell.geometry.boxes import OrientedBox
from placecell.geometry.camera import Camera
from placecell.geometry.cloud import Cloud
from placecell.geometry.transforms import Array, invert, rigid
from placecell.geometry.upright import rotation_to_y
from placecell.memory.pictures import encode_exactly
from placecell.memory.scene import Frame, Scale, SpatialMemory

Reference = Literal["source", "world"]
Files = Iterator[tuple[str, bytes]]
"""Relative name and content of each file that is written, in order."""

_DEEPEST = 65_000
_UNSAFE = re.compile(r"[^\w.-]+")


@dataclass(frozen=True, eq=False)
class Shot:
    """One placed frame on its way out. ``stem`` names its files; ``camera`` is placed in the chosen reference."""

    stem: str
    frame: Frame
    camera: Camera

    @property
    def pose(self) -> Array:
        """``reference_from_cam`` (4, 4)."""
        return self.camera.world_from_cam

    @property
    def depth_camera(self) -> Camera | None:
        """The camera of its depth map, in the chosen reference; None without depth."""
        depth = self.frame.depth
        return None if depth is None else depth.camera.posed(self.pose)


@dataclass(frozen=True, eq=False)
class Content:
    """Everything a writer may take. ``placed`` are the frames with a camera, in the order of their numbers."""

    placed: tuple[Shot, ...]
    cloud: Cloud
    boxes: tuple[tuple[str, OrientedBox], ...]
    scale: Scale
    up: Array

    def need_placed(self, what: str) -> tuple[Shot, ...]:
        """The placed shots. UserError when there is none to write."""
        if not self.placed:
            raise UserError(f"the memory has no pictures with cameras, so there is no {what} to write")
        return self.placed


def content_of(memory: SpatialMemory, reference: Reference, up: Array | None = None) -> Content:
    """The memory's content in a frame of reference, turned so that ``up`` (3,) is up, where a format says what is.

    UserError for a name that is no frame.
    """
    if reference not in get_args(Reference):
        raise UserError(f"unknown frame {reference!r}", hint=f"choose {', '.join(get_args(Reference))}")
    out_from_world = np.eye(4) if reference == "world" else invert(memory.alignment.world_from_recon)
    if up is not None:
        turn = rotation_to_y(up).T @ rotation_to_y(out_from_world[:3, 1])
        out_from_world = rigid(turn) @ out_from_world
    taken: set[str] = set()
    placed = []
    for frame in memory.frames:
        stem = _stem(frame, taken)
        if frame.camera is not None:
            placed.append(Shot(stem, frame, frame.camera.posed(out_from_world @ frame.camera.world_from_cam)))
    return Content(
        placed=tuple(placed),
        cloud=memory.cloud.moved(out_from_world) if len(memory.cloud) else memory.cloud,
        boxes=tuple((i.name, i.box.moved(out_from_world)) for i in memory.instances),
        scale=memory.scale,
        up=out_from_world[:3, 1],
    )


def _stem(frame: Frame, taken: set[str]) -> str:
    """A file name that no other frame has: its own without folders and suffixes, with its number when that repeats."""
    name = PurePosixPath(frame.name).name
    stem = _UNSAFE.sub("_", name.rsplit(".", 1)[0]).strip("._") or f"{frame.number:06d}"
    stem = stem if stem not in taken else f"{stem}_{frame.number:06d}"
    taken.add(stem)
    return stem


def picture_file(frame: Frame) -> tuple[bytes, str]:
    """A JPEG or PNG, and its suffix, with exactly the frame's pixels: not every format's readers know WebP."""
    data, suffix = encode_exactly(frame.read_rgb)
    if suffix != "webp":
        return data, suffix
    return png(frame.rgb), "png"


def png(pixels: NDArray[np.uint8] | NDArray[np.uint16]) -> bytes:
    """The array as a PNG file."""
    buffer = io.BytesIO()
    Image.fromarray(np.ascontiguousarray(pixels)).save(buffer, "PNG", compress_level=3)
    return buffer.getvalue()


def depth_file(z: NDArray[np.float32], step: float) -> bytes:
    """A 16-bit PNG of z-depth in steps of ``step``; 0 stays unknown, what is too far for 16 bits becomes unknown."""
    steps = np.rint(np.where(np.isfinite(z), z, 0) / step)
    return png(np.where((steps > 0) & (steps <= np.iinfo(np.uint16).max), steps, 0).astype(np.uint16))


def depth_step(content: Content, usual: float) -> float:
    """``usual`` when every depth fits into 16 bits with it and lengths are metres, else the step that fits them all."""
    deepest = max((float(s.frame.depth.z.max()) for s in content.placed if s.frame.depth is not None), default=0.0)
    if content.scale.metric and deepest <= usual * _DEEPEST:
        return usual
    return deepest / _DEEPEST if deepest > 0 else usual
