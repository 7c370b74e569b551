"""From pictures to models: where each picture was taken, and the sparse points that say so.

Several models stay several: pictures that do not overlap have no common frame. Knows COLMAP through ``colmap`` only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from placecell.backends.posed.capture import Lens
from placecell.backends.sfm import colmap
from placecell.backends.sfm.pairs import all_pairs, likely_pairs
from placecell.backends.sfm.pictures import Picture, Pictures
from placecell.backends.sfm.settings import SfmSettings
from placecell.geometry.transforms import Array, invert, rigid
from placecell.media.native import load_pycolmap
from placecell.progress import OnProgress, Progress

_BATCH = 4
_PAIR_BATCH = 60
_FEW_LEFT_OUT = 0.34  # share of the pictures; when more do not fit, harder matching does not help


@dataclass(frozen=True, eq=False)
class Placed:
    """One picture's camera: ``lens`` for its work size, and the points of the model it sees (indices)."""

    lens: Lens
    recon_from_cam: Array
    seen: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Model:
    """Pictures in one frame of reference, by number, with sparse points (N, 3) and their colours (N, 3)."""

    placed: dict[int, Placed]
    points: Array
    colors: NDArray[np.uint8]
    error_px: float
    mapper: str = "incremental"


def find_cameras(
    read: Pictures, folder: Path, settings: SfmSettings, progress: OnProgress
) -> tuple[list[Model], list[str]]:
    """Models, the one with most pictures first (none when nothing overlaps), and notes. ``folder`` is for temporaries.

    The incremental mapper decides. Only when it finds nothing, the global one is tried; it places unrelated pictures
    too, so what it finds must be confirmed by depth.
    """
    database, pictures = folder / "database.db", read.pictures
    total = len(pictures)
    with colmap.quiet():
        notes = colmap.import_pictures(database, pictures, settings)
        find_matches(database, pictures, settings, progress)
        models = place(database, read, settings, progress)
        mapper = "incremental"
        if not models and total > 2:
            models, mapper = colmap.map_globally(database, pictures[0].file.parent, settings), "global"
    numbers = {picture.file.name: picture.number for picture in pictures}
    return [model_of(model, numbers, mapper) for model in models], notes


def find_matches(database: Path, pictures: Sequence[Picture], settings: SfmSettings, progress: OnProgress) -> None:
    """Features of all pictures of a database, and the matches of the pairs that are likely to have some."""
    total, done = len(pictures), 0
    sizes = sorted({p.work_size for p in pictures})
    by_size = [[p for p in pictures if p.work_size == size] for size in sizes]
    for batch in [group[i : i + _BATCH] for group in by_size for i in range(0, len(group), _BATCH)]:
        progress(Progress("finding features", done, total, batch[0].name))
        colmap.extract(database, batch, total, settings)
        done += len(batch)
    pairs = _pairs(database, pictures, settings)
    _match(database, pictures, pairs, settings, progress, guided=total <= settings.few)


def _pairs(database: Path, pictures: Sequence[Picture], settings: SfmSettings) -> list[tuple[int, int]]:
    if len(pictures) <= settings.exhaustive:
        return all_pairs(len(pictures))
    with load_pycolmap().Database.open(database) as db:
        ids = [db.read_image_with_name(p.file.name).image_id for p in pictures]
        return likely_pairs([np.asarray(db.read_descriptors(i).data, np.float32) for i in ids], seed=settings.seed)


def _match(
    database: Path,
    pictures: Sequence[Picture],
    pairs: Sequence[tuple[int, int]],
    settings: SfmSettings,
    progress: OnProgress,
    *,
    guided: bool,
) -> None:
    for start in range(0, len(pairs), _PAIR_BATCH):
        progress(Progress("matching", start, len(pairs)))
        batch = [(pictures[a].file.name, pictures[b].file.name) for a, b in pairs[start : start + _PAIR_BATCH]]
        colmap.match(database, batch, settings, guided=guided)


def place(database: Path, read: Pictures, settings: SfmSettings, progress: OnProgress) -> list[Any]:
    """Models (pycolmap.Reconstruction) of matched pictures, the largest first; what is left out is tried harder."""
    models = _map(database, read, settings, progress)
    if not models or len(read.pictures) <= settings.few:
        return models
    models = _matched_harder(database, read, models, settings, progress)
    return _joined(database, read, models, settings, progress)


def _map(database: Path, read: Pictures, settings: SfmSettings, progress: OnProgress) -> list[Any]:
    total = len(read.pictures)
    placed = iter(range(1, 10 * total))
    progress(Progress("placing cameras", 0, total))
    return colmap.map_incrementally(
        database,
        read.pictures[0].file.parent,
        total,
        settings,
        total <= (settings.few if read.calibrated else settings.fixed_focal),
        lambda: progress(Progress("placing cameras", min(next(placed, total), total), total)),
    )


def _matched_harder(
    database: Path, read: Pictures, models: list[Any], settings: SfmSettings, progress: OnProgress
) -> list[Any]:
    """Models after guided matching of a few pictures left out: more matches, at several times the price."""
    pictures, left_out = read.pictures, _left_out(models, read.pictures)
    total = len(pictures)
    if total > settings.exhaustive or not 0 < len(left_out) <= total * _FEW_LEFT_OUT:
        return models
    pairs = [(a, b) for a, b in all_pairs(total) if pictures[a] in left_out or pictures[b] in left_out]
    _match(database, pictures, pairs, settings, progress, guided=True)
    again = _map(database, read, settings, progress)
    return again if len(_left_out(again, pictures)) < len(left_out) else models


def _joined(
    database: Path, read: Pictures, models: list[Any], settings: SfmSettings, progress: OnProgress
) -> list[Any]:
    """Models when each picture needs fewer points, if that adds to the largest and enough points hold what it adds.

    Between two walls there may be too few points for any one picture, and a room falls into pieces. What is added
    stands or falls together, so it must be held by as many points as a single picture needs otherwise.
    """
    left_out = _left_out(models, read.pictures)
    if not left_out:
        return models
    again = _map(database, read, replace(settings, pose_inliers=settings.joined_inliers), progress)
    if len(_left_out(again, read.pictures)) < len(left_out) and _shared(models[0], again[0]) >= settings.pose_inliers:
        return again
    return models


def _shared(before: Any, after: Any) -> int:
    """Points that a picture of both models and one of ``after`` alone have seen."""
    old = {image.image_id for image in before.images.values() if image.has_pose}
    tracks = ({element.image_id for element in point.track.elements} for point in after.points3D.values())
    return sum(bool(seen & old and seen - old) for seen in tracks)


def _left_out(models: Sequence[Any], pictures: Sequence[Picture]) -> list[Picture]:
    """Pictures that the largest model has not placed."""
    placed = {image.name for image in models[0].images.values() if image.has_pose} if models else set()
    return [picture for picture in pictures if picture.file.name not in placed]


def model_of(found: Any, numbers: dict[str, int], mapper: str) -> Model:
    """Plain arrays of a pycolmap.Reconstruction, which does not outlive its temporary folder gracefully."""
    ids = sorted(found.points3D)
    index = {point: i for i, point in enumerate(ids)}
    placed = {}
    for image in found.images.values():
        if image.has_pose:
            camera = found.cameras[image.camera_id]
            params = tuple(float(p) for p in camera.params)
            seen = [index[p.point3D_id] for p in image.points2D if p.has_point3D()]
            matrix = np.asarray(image.cam_from_world().matrix())
            placed[numbers[image.name]] = Placed(
                Lens(camera.model.name, camera.width, camera.height, params),
                invert(rigid(matrix[:, :3], matrix[:, 3])),
                np.array(sorted(set(seen)), dtype=np.int64),
            )
    points = [found.points3D[i] for i in ids]
    return Model(
        placed=dict(sorted(placed.items())),
        points=np.array([p.xyz for p in points], dtype=np.float64).reshape(-1, 3),
        colors=np.array([p.color for p in points], dtype=np.uint8).reshape(-1, 3),
        error_px=float(found.compute_mean_reprojection_error()),
        mapper=mapper,
    )
