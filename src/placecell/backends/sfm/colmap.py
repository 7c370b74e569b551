"""pycolmap as placecell uses it: loaded safely, silent, interruptible, with the options of ``SfmSettings``.

Knows: COLMAP's database and pipelines. Does not know: what a good model is (``cameras``) or where pictures come from.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from placecell.backends.sfm.pictures import Picture
from placecell.backends.sfm.settings import SfmSettings
from placecell.geometry.camera import Camera
from placecell.geometry.transforms import Array, invert
from placecell.media.native import load_pycolmap

T = TypeVar("T")

_ASSUMED_FOCAL = 0.85  # longest sides; a phone's main camera, 65 degrees across a 4:3 picture
_MOST_FEATURES = {8: 8192, 20: 4096}  # pictures: features each; matching a pair grows with the square
_FEATURES = 3000
_LARGE_SIDE = 900  # doubling a picture finds features smaller than a pixel; larger pictures have enough without
_AFFINE_SIDE = 16  # in a smaller picture, looking for affine shapes crashes (pycolmap 4.2)


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """COLMAP says nothing inside."""
    logging = load_pycolmap().logging
    level = logging.minloglevel
    logging.minloglevel = int(logging.FATAL.value)
    try:
        yield
    finally:
        logging.minloglevel = level


def interruptible(work: Callable[[Any], T]) -> T:
    """``work(cancellation_token)`` in another thread, so that ctrl-C is heard; it is cancelled and waited for first."""
    token = load_pycolmap().CancellationToken()
    with ThreadPoolExecutor(1, thread_name_prefix="colmap") as pool:
        try:
            return pool.submit(work, token).result()
        finally:
            token.cancel()


def import_pictures(database: Path, pictures: Sequence[Picture], settings: SfmSettings) -> list[str]:
    """Fill a new database with pictures and one camera for each lens; notes on focal lengths that were assumed."""
    pycolmap = load_pycolmap()
    notes: list[str] = []
    groups: dict[str, list[Picture]] = {}
    for picture in pictures:
        groups.setdefault(picture.lens, []).append(picture)
    with pycolmap.Database.open(database):
        pass  # made by opening it
    for group in groups.values():
        pycolmap.import_images(
            database,
            group[0].file.parent,
            pycolmap.CameraMode.SINGLE,
            [picture.file.name for picture in group],
            pycolmap.ImageReaderOptions(camera_model="SIMPLE_RADIAL"),
        )
    by_file = {picture.file.name: picture for picture in pictures}
    few = len(pictures) <= settings.fixed_focal
    with pycolmap.Database.open(database) as db:
        known = {image.camera_id: by_file[image.name] for image in reversed(db.read_all_images())}
        for camera in db.read_all_cameras():
            focal = known[camera.camera_id].focal
            if focal is None and few:
                focal = _ASSUMED_FOCAL * max(camera.width, camera.height)
                notes.append("focal length not stated and not measurable from so few pictures: a phone's is assumed")
            if focal is not None:
                camera.params = np.array([focal, camera.width / 2, camera.height / 2, 0.0])
                camera.has_prior_focal_length = True
                db.update_camera(camera)
    return sorted(set(notes))


def extract(database: Path, batch: Sequence[Picture], total: int, settings: SfmSettings) -> None:
    """Find the features of some pictures of the database."""
    pycolmap = load_pycolmap()
    options = pycolmap.FeatureExtractionOptions()
    options.num_threads = settings.threads
    options.sift.max_num_features = next((n for most, n in _MOST_FEATURES.items() if total <= most), _FEATURES)
    options.sift.first_octave = -1 if max(batch[0].work_size) < _LARGE_SIDE else 0
    if total <= settings.few:
        options.sift.peak_threshold /= 2
    if total <= settings.few and min(min(picture.work_size) for picture in batch) >= _AFFINE_SIDE:
        options.sift.estimate_affine_shape = options.sift.domain_size_pooling = True
    names = [picture.file.name for picture in batch]
    interruptible(
        lambda token: pycolmap.extract_features(
            database,
            batch[0].file.parent,
            names,
            extraction_options=options,
            device=pycolmap.Device.cpu,
            cancellation_token=token,
        )
    )


def match(database: Path, pairs: Sequence[tuple[str, str]], settings: SfmSettings, *, guided: bool) -> None:
    """Match and verify pairs of file names, again if they have been matched before."""
    pycolmap = load_pycolmap()
    with pycolmap.Database.open(database) as db:
        ids = {image.name: image.image_id for image in db.read_all_images()}
        for a, b in pairs:
            if db.exists_matches(ids[a], ids[b]):
                db.delete_matches(ids[a], ids[b])
                db.delete_two_view_geometry(ids[a], ids[b])
    listing = database.with_name("pairs.txt")
    listing.write_text("".join(f"{a} {b}\n" for a, b in pairs), encoding="utf-8")
    matching = pycolmap.FeatureMatchingOptions()
    matching.num_threads = settings.threads
    matching.guided_matching = guided
    verification = pycolmap.TwoViewGeometryOptions()
    verification.ransac.random_seed = settings.seed
    interruptible(
        lambda token: pycolmap.match_image_pairs(
            database,
            matching_options=matching,
            pairing_options=pycolmap.ImportedPairingOptions(match_list_path=listing),
            verification_options=verification,
            device=pycolmap.Device.cpu,
            cancellation_token=token,
        )
    )


def map_incrementally(
    database: Path,
    folder: Path,
    total: int,
    settings: SfmSettings,
    fixed_focal: bool,
    on_placed: Callable[[], None],
) -> list[Any]:
    """Models (pycolmap.Reconstruction), the one with most pictures first. ``on_placed`` is called for each picture."""
    pycolmap = load_pycolmap()
    options = pycolmap.IncrementalPipelineOptions()
    options.num_threads = 1  # sums of several threads differ in the last digit from run to run
    options.random_seed = options.mapper.random_seed = options.triangulation.random_seed = settings.seed
    options.min_model_size = 2
    options.max_num_models = 6
    options.init_num_trials = 50
    options.mapper.num_threads = 1
    options.mapper.init_min_tri_angle = settings.init_angle_deg
    options.mapper.init_min_num_inliers = settings.init_inliers
    options.mapper.abs_pose_min_num_inliers = settings.pose_inliers
    options.mapper.abs_pose_min_inlier_ratio = settings.pose_inlier_ratio
    if total <= settings.few:
        options.triangulation.ignore_two_view_tracks = False
    if fixed_focal:
        options.ba_refine_focal_length = options.mapper.abs_pose_refine_focal_length = False
    if total <= settings.fixed_focal:
        options.ba_refine_extra_params = options.mapper.abs_pose_refine_extra_params = False
    models = interruptible(
        lambda token: pycolmap.incremental_mapping(
            database, folder, database.parent, options, next_image_callback=on_placed, cancellation_token=token
        )
    )
    return _largest_first(models)


def map_globally(database: Path, folder: Path, settings: SfmSettings) -> list[Any]:
    """As ``map_incrementally``, by rotation averaging. It places unrelated pictures as readily as related ones."""
    pycolmap = load_pycolmap()
    options = pycolmap.GlobalPipelineOptions()
    options.num_threads = 1
    options.random_seed = settings.seed
    models = interruptible(lambda _: pycolmap.global_mapping(database, folder, database.parent, options))
    return _largest_first(models)


def set_cameras(database: Path, cameras: Mapping[str, Camera]) -> None:
    """State the intrinsics of pictures, by file name; each must have a camera of its own in the database."""
    pycolmap = load_pycolmap()
    with pycolmap.Database.open(database) as db:
        for image in db.read_all_images():
            known = db.read_camera(image.camera_id)
            known.model = pycolmap.CameraModelId.PINHOLE
            known.params = _pinhole(cameras[image.name])
            known.has_prior_focal_length = True
            db.update_camera(known)


def triangulate(database: Path, folder: Path, cameras: Mapping[str, Camera], settings: SfmSettings) -> Any:
    """Points (a pycolmap.Reconstruction) of matched pictures whose cameras are known and are left as they are."""
    pycolmap = load_pycolmap()
    made = pycolmap.Reconstruction()
    with pycolmap.Database.open(database) as db:
        for image in db.read_all_images():
            made.add_camera_with_trivial_rig(db.read_camera(image.camera_id))
            pose = invert(cameras[image.name].world_from_cam)
            made.add_image_with_trivial_frame(
                pycolmap.Image(name=image.name, camera_id=image.camera_id, image_id=image.image_id),
                pycolmap.Rigid3d(pycolmap.Rotation3d(pose[:3, :3]), pose[:3, 3]),
            )
    options = pycolmap.IncrementalPipelineOptions()
    options.num_threads = options.mapper.num_threads = 1
    options.random_seed = options.mapper.random_seed = options.triangulation.random_seed = settings.seed
    options.triangulation.ignore_two_view_tracks = False
    options.ba_global_max_refinements = 0  # the poses are known
    return interruptible(
        lambda token: pycolmap.triangulate_points(
            made, database, folder, database.parent, options=options, cancellation_token=token
        )
    )


def _pinhole(camera: Camera) -> Array:
    return np.array([camera.K[0, 0], camera.K[1, 1], camera.K[0, 2], camera.K[1, 2]])


def _largest_first(models: dict[int, Any]) -> list[Any]:
    return sorted(models.values(), key=lambda m: (-m.num_reg_images(), -m.num_points3D()))
