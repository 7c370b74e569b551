"""Pictures that fall into two pieces are joined when enough points hold the pieces together, and only then."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from PIL import Image

from placecell.backends.sfm import colmap
from placecell.backends.sfm.cameras import place
from placecell.backends.sfm.pictures import read_pictures
from placecell.backends.sfm.settings import SfmSettings
from placecell.media.native import load_pycolmap
from placecell.progress import silent

SETTINGS = SfmSettings()
WIDTH, HEIGHT, FOCAL = 160, 120, 192.0
CAMERAS = np.arange(12) * 0.5  # x of each; they look along z
LEFT, RIGHT = range(6), range(6, 12)


def matched(folder, groups):
    """A database of exact matches. ``groups``: (number of points, x around which they are, cameras that see them)."""
    photos, work = folder / "photos", folder / "work"
    photos.mkdir()
    work.mkdir()
    for i in range(len(CAMERAS)):
        Image.new("RGB", (WIDTH, HEIGHT), (i, i, i)).save(photos / f"{i:02d}.png")
    read = read_pictures(
        [photos], work, frames=None, sampling="uniform", strict=False, settings=SETTINGS, progress=silent
    )
    rng = np.random.default_rng(0)
    keypoints, ids = [[] for _ in CAMERAS], [[] for _ in CAMERAS]
    for count, x, cameras in groups:
        points = rng.uniform([x - 0.6, -1.4, 5], [x + 0.6, 1.4, 8], (count, 3))
        first = max((max(i, default=-1) for i in ids), default=-1) + 1
        for c in cameras:
            seen = (points[:, :2] - [CAMERAS[c], 0]) * FOCAL / points[:, 2:] + [WIDTH / 2, HEIGHT / 2]
            keypoints[c].extend(seen)
            ids[c].extend(range(first, first + count))
    database = folder / "database.db"
    colmap.import_pictures(database, read.pictures, SETTINGS)
    pycolmap = load_pycolmap()
    with pycolmap.Database.open(database) as db:
        images = [db.read_image_with_name(p.file.name).image_id for p in read.pictures]
        for image, seen in zip(images, keypoints, strict=True):
            db.write_keypoints(image, np.array(seen, np.float32))
        for a, b in combinations(range(len(images)), 2):
            _, in_a, in_b = np.intersect1d(ids[a], ids[b], return_indices=True)
            pairs = np.column_stack([in_a, in_b]).astype(np.uint32)
            if len(pairs):
                db.write_matches(images[a], images[b], pairs)
                config = pycolmap.TwoViewGeometryConfiguration.UNCALIBRATED
                geometry = pycolmap.TwoViewGeometry(config=config, inlier_matches=pairs)
                db.write_two_view_geometry(images[a], images[b], geometry)
    return database, read


def sizes(folder, groups):
    database, read = matched(folder, groups)
    with colmap.quiet():
        return [model.num_reg_images() for model in place(database, read, SETTINGS, silent)]


PIECES = [(80, 1.25, LEFT), (80, 4.25, RIGHT)]


def test_two_places_stay_two_pieces(tmp_path):
    assert sizes(tmp_path, PIECES) == [6, 6]


def test_two_pieces_are_joined_by_points_that_are_too_few_for_any_one_picture(tmp_path):
    assert sizes(tmp_path, [*PIECES, (20, 2.6, (3, 4, 5, 6)), (20, 2.6, (3, 4, 5, 7))]) == [12]


@pytest.mark.parametrize("held", [16, 20, 28])
def test_fewer_points_in_all_than_one_picture_needs_join_nothing(tmp_path, held):
    assert sizes(tmp_path, [*PIECES, (held, 2.6, (3, 4, 5, 6, 7))])[:2] == [6, 6]
