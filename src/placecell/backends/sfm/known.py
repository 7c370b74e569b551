"""Depth of pictures whose poses are known: points are triangulated, then planes are swept, as without poses.

The poses are kept as they are. A picture of which others confirm too little keeps its camera and has no depth.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from PIL import Image

from placecell.backends.sfm import colmap
from placecell.backends.sfm.cameras import Model, find_matches, model_of
from placecell.backends.sfm.dense import confirmed_depth
from placecell.backends.sfm.pictures import Picture
from placecell.backends.sfm.planes import View
from placecell.backends.sfm.refusal import name_list
from placecell.backends.sfm.settings import SfmSettings
from placecell.geometry.camera import Camera
from placecell.media.frames import area_resize, size_within
from placecell.memory.scene import Frame
from placecell.progress import OnProgress

_FEWEST_POINTS = 30


@dataclass(frozen=True, eq=False)
class Densified:
    """The frames, with depth where it could be confirmed; ``depth_sd`` as in ``Dense``, None when nothing has depth."""

    frames: tuple[Frame, ...]
    notes: tuple[str, ...]
    depth_sd: float | None = None


def depth_from_poses(frames: Sequence[Frame], settings: SfmSettings, progress: OnProgress) -> Densified:
    """Measure depth between frames that have cameras and no depth. What cannot be measured is said, never guessed."""
    posed = {frame.number: frame.camera for frame in frames if frame.camera is not None}
    if len(posed) < 2:
        return Densified(tuple(frames), ("depth cannot be measured from one picture",))
    with tempfile.TemporaryDirectory(prefix="placecell-sweep-") as name:
        folder = Path(name)
        (folder / "pictures").mkdir()
        pictures = [_picture(f, folder / "pictures", settings) for f in frames if f.number in posed]
        model = _triangulated(folder, pictures, posed, settings, progress)
        if len(model.points) < _FEWEST_POINTS:
            note = f"no depth: the pictures share {len(model.points)} points under these poses, too few to measure any"
            return Densified(tuple(frames), (note,))
        views = {p.number: _view(p, posed[p.number], model, settings) for p in pictures}
    dense = confirmed_depth(views, model, settings, progress)
    made = tuple(replace(f, depth=dense.depth.get(f.number, f.depth)) for f in frames)
    if not dense.depth:
        return Densified(
            made, ("no depth: what is measured from one picture, no other confirms; are the poses right?",)
        )
    share = float(np.median(list(dense.shares.values())))
    notes = [
        f"depth measured between the pictures under the given poses: {share:.0%} of the pixels of the typical picture, "
        f"{len(model.points)} points with reprojection error {model.error_px:.2f} px"
    ]
    without = sorted(posed.keys() - dense.depth.keys())
    if without:
        notes.append(f"no depth for {name_list(without, 'image')}: too little of it is confirmed by others")
    return Densified(made, tuple(notes), dense.depth_sd)


def _picture(frame: Frame, folder: Path, settings: SfmSettings) -> Picture:
    """The frame as COLMAP reads it; each has a lens of its own, because each has its own known camera."""
    work_size = size_within(frame.width, frame.height, settings.work_side)
    file = folder / f"{frame.number:07d}.png"
    Image.fromarray(area_resize(frame.rgb, work_size)).save(file, compress_level=1)
    size = (frame.width, frame.height)
    return Picture(
        frame.number, frame.name, frame.digest, file, work_size, size, size, frame.read_rgb, str(frame.number)
    )


def _triangulated(
    folder: Path,
    pictures: Sequence[Picture],
    cameras: dict[int, Camera],
    settings: SfmSettings,
    progress: OnProgress,
) -> Model:
    database = folder / "database.db"
    at_work = {p.file.name: cameras[p.number].resized(*p.work_size) for p in pictures}
    with colmap.quiet():
        colmap.import_pictures(database, pictures, settings)
        colmap.set_cameras(database, at_work)
        find_matches(database, pictures, settings, progress)
        found = colmap.triangulate(database, pictures[0].file.parent, at_work, settings)
    return model_of(found, {p.file.name: p.number for p in pictures}, "known poses")


def _view(picture: Picture, camera: Camera, model: Model, settings: SfmSettings) -> View:
    size = size_within(*picture.frame_size, settings.depth_side)
    with Image.open(picture.file) as image:
        small = area_resize(np.asarray(image), size).astype(np.float32)
    grey = small @ np.array([0.299, 0.587, 0.114], np.float32) / np.float32(255)
    return View(picture.number, np.ascontiguousarray(grey), camera.resized(*size), model.placed[picture.number].seen)
