"""COLMAP workspaces: a sparse model (text or binary, rigs included) and the photos it was made from.

A workspace often holds several models of the same photos: one for the originals, one for the undistorted ones, one for
each unconnected part. The one taken is the one whose cameras have the sizes of the photos that are there, with the most
photos placed. The scale is arbitrary. The model's points are the cloud, since there is no depth.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from placecell.backends.posed.capture import PHOTO_SUFFIXES, Capture, Lens, Shot
from placecell.errors import UserError
from placecell.geometry.cloud import Cloud
from placecell.geometry.transforms import invert, nearest_rotation, rigid
from placecell.media.names import natural_key, printable
from placecell.media.native import load_pycolmap
from placecell.media.sources import Skipped
from placecell.memory.scene import Scale

_MODEL_FOLDERS = ("sparse", "sparse/*", "dense/sparse", "dense/*/sparse", "dense/*/sparse/*", "colmap/sparse/*", ".")
_PHOTO_FOLDERS = ("images", "images_*", "dense/images", "dense/*/images", "input", ".")
_PARTS = ("cameras", "images", "points3D")


@dataclass(frozen=True)
class _Fit:
    """How well a model goes with a folder of photos: how many have the exact size, how many the same shape."""

    exact: int
    shape: int
    model: Path
    photos: Path
    reconstruction: Any

    @property
    def rank(self) -> tuple[int, int, int]:
        return self.exact, self.shape, len(self.reconstruction.points3D)


def found(folder: Path) -> bool:
    """Whether there is a sparse model in one of the usual places."""
    return next(_models(folder), None) is not None


def read(folder: Path) -> Capture:
    """The capture of the model that fits the photos. UserError when none does, with the sizes that differ."""
    fits = [fit for model in _models(folder) for fit in _fits(folder, model)]
    if not fits:
        model = next(_models(folder))
        raise UserError(f"{folder} has a COLMAP model ({model}) but no photos", hint="put them in images/")
    best = max(fits, key=lambda fit: fit.rank)
    if best.shape == 0:
        raise UserError(_why_not(best))
    others = [f"{f.model.relative_to(folder).as_posix()} fits {f.shape}" for f in fits if f.model != best.model]
    note = f"model {best.model.relative_to(folder).as_posix()}: fits {best.shape} photos"
    notes = (f"{note} ({', '.join(dict.fromkeys(others))})" if others else note,)
    shots = _shots(folder, best)
    there = {shot.photo.relative_to(best.photos).as_posix() for shot in shots}
    images = sorted(image.name for image in best.reconstruction.images.values() if image.has_pose)
    skipped = tuple(Skipped(printable(n), "placed by COLMAP, but not there") for n in images if n not in there)
    return Capture("colmap", folder, shots, Scale(), points=_cloud(best, shots), skipped=skipped, notes=notes)


def _models(folder: Path) -> Iterator[Path]:
    for pattern in _MODEL_FOLDERS:
        for path in [folder] if pattern == "." else sorted(folder.glob(pattern), key=natural_key):
            if any(all((path / f"{part}{suffix}").is_file() for part in _PARTS) for suffix in (".bin", ".txt")):
                yield path


def _fits(folder: Path, model: Path) -> Iterator[_Fit]:
    pycolmap = load_pycolmap()
    pycolmap.logging.minloglevel = pycolmap.logging.ERROR.value
    try:
        reconstruction = pycolmap.Reconstruction(str(model))
    except (RuntimeError, ValueError, OSError, IndexError) as error:
        raise UserError(f"the COLMAP model {model} cannot be read ({' '.join(str(error).split())[:100]})") from None
    if not (model / "images.bin").is_file():
        _restore_names(reconstruction, model / "images.txt")
    places = [p for q in _PHOTO_FOLDERS for p in ([folder] if q == "." else sorted(folder.glob(q), key=natural_key))]
    for photos in dict.fromkeys(p for p in places if p.is_dir()):
        exact = shape = named = 0
        for image in reconstruction.images.values():
            size = _size(photos / image.name) if image.has_pose else None
            if size is None:
                continue
            lens = _lens(reconstruction.cameras[image.camera_id])
            named += 1
            exact += size == (lens.width, lens.height)
            shape += _fits_shape(lens, size)
        if named:
            yield _Fit(exact, shape, model, photos, reconstruction)


def _restore_names(reconstruction: Any, images: Path) -> None:
    """COLMAP ends the names of a text model at their first space; the file has the rest of them."""
    lines = iter(images.read_text(encoding="utf-8", errors="surrogateescape").splitlines())
    for line in lines:
        fields = line.split(maxsplit=9)
        if len(fields) == 10 and not line.startswith("#"):
            reconstruction.images[int(fields[0])].name = fields[9].rstrip()
            next(lines, None)  # the points seen in this image


def _shots(folder: Path, fit: _Fit) -> tuple[Shot, ...]:
    by_name = {image.name: image for image in fit.reconstruction.images.values()}
    shots = []
    for photo in sorted((p for p in fit.photos.rglob("*") if p.suffix.lower() in PHOTO_SUFFIXES), key=natural_key):
        image = by_name.get(photo.relative_to(fit.photos).as_posix())
        if image is None or not image.has_pose:
            shots.append(Shot(_name(folder, photo), photo, notes=("COLMAP did not place it",)))
            continue
        cam_from_world = image.cam_from_world().matrix()
        pose = invert(rigid(nearest_rotation(cam_from_world[:, :3]), cam_from_world[:, 3]))
        lens = _lens(fit.reconstruction.cameras[image.camera_id])
        shots.append(Shot(_name(folder, photo), photo, recon_from_cam=pose, lens=lens))
    return tuple(shots)


def _cloud(fit: _Fit, shots: tuple[Shot, ...]) -> Cloud:
    """The model's points; each belongs to the first photo of its track, and is surer the more photos saw it.

    The pixel is left out: it is the distorted photo's.
    """
    number = {shot.photo.relative_to(fit.photos).as_posix(): i for i, shot in enumerate(shots, 1)}
    of_image = {key: number.get(image.name, 0) for key, image in fit.reconstruction.images.items()}
    points = [fit.reconstruction.points3D[key] for key in sorted(fit.reconstruction.points3D)]
    seen = [sorted(of_image.get(element.image_id, 0) for element in point.track.elements) for point in points]
    count = len(points)
    return Cloud(
        points=np.array([p.xyz for p in points], dtype=np.float32).reshape(count, 3),
        colors=np.array([p.color for p in points], dtype=np.uint8).reshape(count, 3),
        confidence=np.array([1 - 1 / max(len(s), 2) for s in seen], dtype=np.float32),
        frame=np.array([next((n for n in s if n), 0) for s in seen], dtype=np.int32),
        pixel=np.full((count, 2), np.nan, dtype=np.float32),
    )


def _lens(camera: Any) -> Lens:
    return Lens(camera.model.name, camera.width, camera.height, tuple(float(p) for p in camera.params))


def _fits_shape(lens: Lens, size: tuple[int, int]) -> bool:
    try:
        lens.fitted(*size)
    except ValueError:
        return False
    return True


def _size(photo: Path) -> tuple[int, int] | None:
    from PIL import Image

    try:
        with Image.open(photo) as image:
            return image.size
    except (OSError, ValueError, SyntaxError):
        return None


def _why_not(fit: _Fit) -> str:
    images = fit.reconstruction.images.values()
    image, (width, height) = next((i, s) for i in images if i.has_pose and (s := _size(fit.photos / i.name)))
    camera = fit.reconstruction.cameras[image.camera_id]
    return (
        f"the photos in {fit.photos} are not those of the COLMAP model {fit.model}: "
        f"{image.name} is {width} x {height}, the model says {camera.width} x {camera.height}"
    )


def _name(folder: Path, photo: Path) -> str:
    return printable(photo.relative_to(folder))
