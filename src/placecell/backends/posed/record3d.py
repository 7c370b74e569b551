"""Record3D's "EXR + JPG" export of an iPhone or iPad: ``rgb/N.jpg``, ``depth/N.exr`` and ``metadata.json``.

Poses are ARKit's: OpenGL camera axes, world +y up along gravity, metres. Intrinsics are stored column by column for the
photo's size; newer exports add ``perFrameIntrinsicCoeffs`` (fx, fy, cx, cy), which then count.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from placecell.backends.posed.capture import (
    DEPTH_SUFFIXES,
    PHOTO_SUFFIXES,
    SENSOR,
    Capture,
    Lens,
    Shot,
    files_in,
    pose_of_quat,
    with_suffix,
)
from placecell.backends.posed.depth import DepthCoding
from placecell.errors import UserError
from placecell.geometry.transforms import Array, convert_camera
from placecell.media.sources import Skipped

Numbers = list[float]


class _Metadata(BaseModel):
    """What is used of metadata.json; ``dw``, ``dh`` are the depth image's size and checked when it is read."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    w: int = Field(ge=1)
    h: int = Field(ge=1)
    K: Annotated[Numbers, Field(min_length=9, max_length=9)]
    poses: list[Annotated[Numbers, Field(min_length=7, max_length=7)]]
    perFrameIntrinsicCoeffs: list[Annotated[Numbers, Field(min_length=4, max_length=4)]] | None = None  # noqa: N815
    frameTimestamps: Numbers | None = None  # noqa: N815


def found(folder: Path) -> bool:
    """Whether the metadata lies beside the photos and depth images."""
    return (folder / "metadata.json").is_file() and (folder / "rgb").is_dir() and (folder / "depth").is_dir()


def read(folder: Path) -> Capture:
    """The capture; photo N has the N-th pose of the metadata, counted from 0."""
    path = folder / "metadata.json"
    data = _metadata(path)
    photos = files_in(folder / "rgb", PHOTO_SUFFIXES)
    shots = []
    for photo in photos:
        if not photo.stem.isdigit():
            raise UserError(f"{photo} is not named by its frame number", hint="export the recording again")
        i = int(photo.stem)
        placed = i < len(data.poses)
        depth = with_suffix(folder / "depth" / photo.stem, DEPTH_SUFFIXES)
        notes = [] if placed else ["metadata.json has no pose for it, so it is not placed"]
        notes += ["has no depth image"] if depth is None else []
        shots.append(
            Shot(
                name=f"rgb/{photo.name}",
                photo=photo,
                recon_from_cam=_pose(data.poses[i]) if placed else None,
                lens=_lens(data, i),
                depth=depth,
                time_s=data.frameTimestamps[i] if data.frameTimestamps and i < len(data.frameTimestamps) else None,
                notes=tuple(notes),
            )
        )
    there = {int(p.stem) for p in photos}
    absent = [i for i in range(len(data.poses)) if i not in there]
    skipped = (Skipped(path.name, f"{len(absent)} of its poses have no photo"),) if absent else ()
    return Capture(
        layout="record3d",
        folder=folder,
        shots=tuple(shots),
        scale=SENSOR,
        coding=DepthCoding(1.0, reason="metres, as Record3D stores depth"),
        up=np.array([0.0, 1.0, 0.0]),
        skipped=skipped,
        notes=("ARKit's poses: world +y up along gravity",),
    )


def _metadata(path: Path) -> _Metadata:
    try:
        raw: Any = json.loads(path.read_text(encoding="utf-8"))
        return _Metadata.model_validate(raw)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise UserError(f"{path}: {where}: {first['msg']}", hint="is it Record3D's metadata?") from None
    except (OSError, ValueError) as error:
        raise UserError(f"{path} cannot be read ({error})") from None


def _lens(data: _Metadata, i: int) -> Lens:
    if data.perFrameIntrinsicCoeffs and i < len(data.perFrameIntrinsicCoeffs):
        fx, fy, cx, cy = data.perFrameIntrinsicCoeffs[i]
        return Lens.pinhole(np.array([[fx, 0, cx], [0, fy, cy], [0, 0, 1]]), data.w, data.h)
    return Lens.pinhole(np.array(data.K).reshape(3, 3).T, data.w, data.h)


def _pose(row: Numbers) -> Array | None:
    pose = pose_of_quat(row[:4], row[4:])
    return None if pose is None else convert_camera(pose, "arkit")
