"""The reconstructor for plain photos and video: structure from motion, dense depth, and a gate before anything is used.

Runs on any laptop. The scale is relative: no photo says how large the world is. What could not be placed keeps its
number and says why.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from placecell.backends.posed.capture import Lens, Shot
from placecell.backends.posed.labels import read_labels
from placecell.backends.posed.pixels import PixelWay
from placecell.backends.posed.reading import Given, OpenShot
from placecell.backends.sfm.cameras import Model, find_cameras
from placecell.backends.sfm.dense import Dense, confirmed_depth
from placecell.backends.sfm.pictures import Picture, Pictures, read_pictures
from placecell.backends.sfm.planes import View
from placecell.backends.sfm.refusal import WHAT_TO_DO, name_list, too_few, too_little
from placecell.backends.sfm.settings import SfmSettings
from placecell.errors import UserError
from placecell.geometry.cloud import Cloud
from placecell.geometry.distortion import undistortion
from placecell.media.frames import area_resize, size_within
from placecell.media.sampling import Sampling
from placecell.memory.pictures import ComputedPicture
from placecell.memory.ports import Reconstruction
from placecell.memory.scene import Frame, Scale
from placecell.progress import OnProgress, silent


class Sfm:
    """Plain photos, or one video, without poses."""

    name = "sfm"

    def reconstruct(
        self,
        sources: Sequence[Path],
        *,
        frames: int | None = None,
        strict: bool = False,
        progress: OnProgress = silent,
    ) -> Reconstruction:
        """As ``ports.Reconstructor``."""
        return reconstruct_pictures(sources, frames=frames, strict=strict, progress=progress)

    def reconstruct_pictures(
        self,
        sources: Sequence[Path],
        *,
        frames: int | None = None,
        sampling: Sampling = "uniform",
        labels: Path | None = None,
        strict: bool = False,
        progress: OnProgress = silent,
    ) -> Reconstruction:
        """As ``ports.PictureReconstructor``."""
        return reconstruct_pictures(
            sources, frames=frames, sampling=sampling, labels=labels, strict=strict, progress=progress
        )


@dataclass(frozen=True, eq=False)
class _Result:
    """A model with its confirmed depth; ``others``: numbers of the pictures in each of the other models."""

    model: Model
    dense: Dense
    others: tuple[tuple[int, ...], ...]


def reconstruct_pictures(
    sources: Sequence[Path],
    *,
    frames: int | None = None,
    sampling: Sampling = "uniform",
    labels: Path | None = None,
    strict: bool = False,
    settings: SfmSettings | None = None,
    progress: OnProgress = silent,
) -> Reconstruction:
    """Cameras and depth of photos or a video.

    Raises:
        UserError: the pictures cannot be read, or do not overlap enough; it says which do not and what to do.
    """
    settings = settings or SfmSettings()
    with tempfile.TemporaryDirectory(prefix="placecell-sfm-") as name:
        folder = Path(name)
        work = folder / "pictures"
        work.mkdir()
        read = read_pictures(
            sources, work, frames=frames, sampling=sampling, strict=strict, settings=settings, progress=progress
        )
        if len(read.pictures) < 2:
            raise too_few(read.pictures, read.skipped)
        models, notes = find_cameras(read, folder, settings, progress)
        result = _best_confirmed(models, read, settings, progress)
    given = _labels(labels, read, result)
    made = _frames(read.pictures, result)
    return Reconstruction(
        frames=made,
        scale=Scale("relative"),
        backend="sfm",
        settings=asdict(settings),
        points=_points(result.model, made),
        labels=given.labels,
        boxes=given.boxes,
        vocabulary=given.vocabulary,
        skipped=read.skipped,
        notes=(*read.notes, *notes, *given.notes, *_report(read, result)),
        depth_sd=result.dense.depth_sd,
    )


def _best_confirmed(models: Sequence[Model], read: Pictures, settings: SfmSettings, progress: OnProgress) -> _Result:
    """The first model, in order of size, that its own depth confirms. UserError when there is none."""
    refused: dict[int, float] = {}
    for at, model in enumerate(models):
        pictures = [p for p in read.pictures if p.number in model.placed]
        if len(pictures) < 2:
            continue
        views = {p.number: _view(p, model, settings) for p in pictures}
        dense = confirmed_depth(views, model, settings, progress)
        if len(dense.depth) >= 2:
            others = tuple(tuple(m.placed) for i, m in enumerate(models) if i != at)
            return _Result(model, dense, others)
        refused |= {n: max(share, refused.get(n, 0.0)) for n, share in dense.refused.items()}
    raise too_little(read.pictures, models, refused, read.skipped, settings)


def _view(picture: Picture, model: Model, settings: SfmSettings) -> View:
    """The picture without distortion at the size of its depth map, grey."""
    from PIL import Image

    placed = model.placed[picture.number]
    with Image.open(picture.file) as image:
        rgb = np.asarray(image)
    lens = placed.lens
    flat = undistortion(lens.model, lens.params, lens.width, lens.height, placed.recon_from_cam)
    size = size_within(*picture.work_size, settings.depth_side)
    small = area_resize(flat(rgb), size).astype(np.float32)
    grey = small @ np.array([0.299, 0.587, 0.114], np.float32) / np.float32(255)
    return View(picture.number, np.ascontiguousarray(grey), flat.camera.resized(*size), placed.seen)


def _frames(pictures: Sequence[Picture], result: _Result) -> tuple[Frame, ...]:
    return tuple(_frame(picture, result) for picture in pictures)


def _frame(picture: Picture, result: _Result) -> Frame:
    width, height = picture.frame_size
    depth = result.dense.depth.get(picture.number)
    camera, notes, lens = None, picture.notes, None
    if depth is None:
        notes = (*notes, f"not placed: {_why(picture.number, result)}")
    else:
        lens = result.model.placed[picture.number].lens.fitted(width, height)
        camera = depth.camera.resized(width, height)
    return Frame(
        number=picture.number,
        name=picture.name,
        digest=picture.digest,
        width=width,
        height=height,
        read_rgb=_pixels(picture, lens),
        camera=camera,
        depth=depth,
        time_s=picture.time_s,
        original_size=picture.original_size,
        notes=notes,
    )


def _pixels(picture: Picture, lens: Lens | None) -> ComputedPicture:
    """The frame's pixels: shrunk to its size and, when its lens is known, without distortion."""
    size = picture.frame_size

    def change(rgb: np.typing.NDArray[np.uint8]) -> np.typing.NDArray[np.uint8]:
        small = area_resize(rgb, size)
        if lens is None:
            return small
        return np.asarray(PixelWay(lens).apply(small, smooth=True))

    return ComputedPicture(picture.read_rgb, change)


def _why(number: int, result: _Result) -> str:
    share = result.dense.refused.get(number)
    if share is not None:
        return f"other pictures confirm the depth of only {share:.0%} of its pixels"
    group = next((group for group in result.others if number in group), None)
    if group is not None:
        others = [n for n in group if n != number]
        return f"it fits together with {name_list(others, 'image')} only, not with the rest"
    return "it shares too little with the other pictures"


def _points(model: Model, frames: Sequence[Frame]) -> Cloud:
    """The sparse points that a picture which was kept has seen."""
    kept = [f.number for f in frames if f.camera is not None]
    seen = np.unique(np.concatenate([model.placed[n].seen for n in kept]))
    return Cloud.of_points(model.points[seen], model.colors[seen])


def _labels(labels: Path | None, read: Pictures, result: _Result) -> Given:
    """Label images of the photos as their frames have them."""
    if labels is None:
        return Given()
    if any(picture.path is None for picture in read.pictures):
        raise UserError("labels belong to photos; a video's frames have no names", hint="save its frames as photos")
    return read_labels(labels, [_shot(picture, result) for picture in read.pictures])


def _shot(picture: Picture, result: _Result) -> OpenShot:
    way = None
    if picture.number in result.dense.depth:
        way = PixelWay(result.model.placed[picture.number].lens.fitted(*picture.frame_size))
    assert picture.path is not None
    shot = Shot(picture.name, picture.path)
    return OpenShot(picture.number, shot, picture.digest, picture.frame_size, way, None, ())


def _report(read: Pictures, result: _Result) -> list[str]:
    dense, model = result.dense, result.model
    missing = [p.number for p in read.pictures if p.number not in dense.depth]
    share = float(np.median(list(dense.shares.values())))
    notes = [
        f"{len(dense.depth)} of {len(read.pictures)} pictures placed by {model.mapper} structure from motion: "
        f"{len(model.points)} points, reprojection error {model.error_px:.2f} px",
        f"depth confirmed by other views: {share:.0%} of the pixels of the typical picture "
        f"({min(dense.shares.values()):.0%} to {max(dense.shares.values()):.0%}), it varies by {dense.depth_sd:.1%}",
        "the scale is relative: photos do not say how large things are",
    ]
    if missing:
        weight = "WARNING: " if 2 * len(missing) >= len(read.pictures) else ""
        notes.append(f"{weight}not placed: {name_list(missing, 'image')}; {WHAT_TO_DO}")
    return notes
