"""The memory's side of a model's answer: frames of the pictures, and what is worth telling about them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from placecell.backends.feedforward.adapter import Adapter
from placecell.backends.feedforward.rows import NOT_STATED
from placecell.backends.feedforward.settings import CleaningSettings
from placecell.backends.posed.capture import Shot
from placecell.backends.posed.reading import OpenShot
from placecell.backends.row import Backend
from placecell.backends.sfm.pictures import Picture
from placecell.errors import UserError
from placecell.geometry.camera import Camera
from placecell.media.frames import area_resize
from placecell.memory.pictures import ComputedPicture
from placecell.memory.scene import DepthMap, Frame

_FOCAL_OFF = 0.1
_SQUARE = (0.9, 1.1)  # fx / fy of a camera with square pixels, give or take a model's error


def frames_of(pictures: Sequence[Picture], views: Sequence[DepthMap]) -> tuple[Frame, ...]:
    """A frame of each picture, with its camera at the frame's own size and the depth at the model's."""
    return tuple(_frame(picture, view) for picture, view in zip(pictures, views, strict=True))


def _frame(picture: Picture, view: DepthMap) -> Frame:
    width, height = picture.frame_size
    seen = bool((view.z > 0).any())
    return Frame(
        number=picture.number,
        name=picture.name,
        digest=picture.digest,
        width=width,
        height=height,
        read_rgb=_pixels(picture),
        camera=view.camera.resized(width, height),
        depth=view if seen else None,
        time_s=picture.time_s,
        original_size=picture.original_size,
        notes=picture.notes if seen else (*picture.notes, "no depth: the model is sure of none of its pixels"),
    )


def _pixels(picture: Picture) -> ComputedPicture:
    """Shrunk to the frame's size when the photo is larger."""
    size = picture.frame_size

    def shrink(rgb: NDArray[np.uint8]) -> NDArray[np.uint8]:
        return area_resize(rgb, size)

    return ComputedPicture(picture.read_rgb, shrink)


def label_shots(pictures: Sequence[Picture]) -> list[OpenShot]:
    """The photos as the reader of label images knows them. UserError for a video, whose frames have no names."""
    shots = []
    for picture in pictures:
        if picture.path is None:
            raise UserError("labels belong to photos; a video's frames have no names", hint="save its frames as photos")
        shot = Shot(picture.name, picture.path)
        shots.append(OpenShot(picture.number, shot, picture.digest, picture.frame_size, None, None, ()))
    return shots


def licence_warnings(row: Backend) -> list[str]:
    """A warning for weights that may not, or may perhaps not, be used freely."""
    flagged = [
        f"WARNING: the weights {w.hub_id} are for non-commercial use only ({w.licence})"
        for w in row.weights
        if w.non_commercial
    ]
    unclear = [
        f"WARNING: no licence is stated for the weights {w.hub_id}" for w in row.weights if w.licence == NOT_STATED
    ]
    return [*flagged, *unclear]


def notes_on(pictures: Sequence[Picture], views: Sequence[DepthMap], adapter: Adapter) -> tuple[str, ...]:
    """How much has depth, what was dropped, whether the cameras can be right, and what the unit is."""
    cameras = [v.camera.resized(*p.frame_size) for p, v in zip(pictures, views, strict=True)]
    unit = "the scale is relative: this model does not say how large things are"
    if adapter.metric_error is not None:
        unit = f"metres are the model's estimate, assumed good to {adapter.metric_error:.0%} (docs/models.md)"
    return (_coverage(views, adapter.cleaning), *_squashed(pictures, cameras), *_focal(pictures, cameras), unit)


def _coverage(views: Sequence[DepthMap], cleaning: CleaningSettings) -> str:
    share = float(np.mean([np.mean(view.z > 0) for view in views]))
    dropped = [f"confidence below {cleaning.min_confidence:g}"] * (cleaning.min_confidence > 0)
    dropped += [f"the least confident {cleaning.least_confident:.0%}"] * (cleaning.least_confident > 0)
    return f"depth for {share:.0%} of the pixels; dropped: {', '.join([*dropped, 'edges of things'])}"


def _squashed(pictures: Sequence[Picture], cameras: Sequence[Camera]) -> list[str]:
    """A warning for cameras whose pixels are not square (vggt issue 43)."""
    least, most = _SQUARE
    found = [p.number for p, c in zip(pictures, cameras, strict=True) if not least <= c.K[0, 0] / c.K[1, 1] <= most]
    if not found:
        return []
    listed = ", ".join(map(str, found[:10])) + (f" and {len(found) - 10} more" if len(found) > 10 else "")
    return [f"WARNING: shapes are squashed in image {listed}: the model's focal length differs across and down"]


def _focal(pictures: Sequence[Picture], cameras: Sequence[Camera]) -> list[str]:
    """How the model's focal length compares with the one that EXIF or a K file states (Pi3 issues 2 and 60)."""
    stated = [
        (c.K[0, 0] / c.width, p.focal / p.work_size[0]) for p, c in zip(pictures, cameras, strict=True) if p.focal
    ]
    if not stated:
        return []
    ratio = float(np.median([model / said for model, said in stated]))
    weight = "WARNING: " if abs(ratio - 1) > _FOCAL_OFF else ""
    return [f"{weight}the model's focal length is {ratio:.2f} of the one that the pictures state"]
