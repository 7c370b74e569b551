"""Point clouds become memories without pictures, at the places and in the colours that the file has."""

from __future__ import annotations

import numpy as np
import pytest

from placecell.backends.auto import build
from placecell.errors import UserError
from placecell.geometry.cloud import Cloud
from placecell.geometry.transforms import invert
from placecell.memory import storage
from placecell.memory.interchange.ply import write_ply


def room_points(count=4000):
    """A floor and two walls, +z up, as (N, 3)."""
    a, b = np.random.default_rng(0).uniform(0, 1, (2, count))
    zero = np.zeros(count)
    return np.concatenate([np.c_[4 * a, 3 * b, zero], np.c_[4 * a, zero, 2 * b], np.c_[zero, 3 * a, 2 * b]])


def rows(colors):
    points = room_points()[: len(colors)]
    return np.hstack([points, colors]).astype("<f4")


def source_points(memory):
    return memory.cloud.moved(invert(memory.alignment.world_from_recon))


def test_a_ply_file_becomes_a_memory_in_units_that_can_be_saved(tmp_path):
    points = room_points()
    path = tmp_path / "scan.PLY"
    path.write_bytes(write_ply(Cloud.of_points(points, np.full(points.shape, 9, np.uint8))))
    memory = build([path])
    storage.save(memory, tmp_path / "scan.pcell")
    memory = storage.load(tmp_path / "scan.pcell")
    assert memory.frames == ()
    assert not memory.scale.metric
    assert memory.provenance.backend == "cloud"
    assert np.ptp(memory.cloud.points[:, 1]) == pytest.approx(2, abs=0.01)  # +z of the file is up
    assert f"no depth: the cloud is the {len(points)} points that were given" in memory.provenance.notes
    assert "WARNING: what is up is a guess: +z of the source is taken" in memory.provenance.notes
    np.testing.assert_allclose(source_points(memory).points, points, atol=2e-6)
    assert (memory.cloud.colors == 9).all()


@pytest.mark.parametrize("unit", [True, False])
def test_rows_of_floats_are_read_with_colours_as_bytes_or_from_0_to_1(tmp_path, unit):
    colors = np.random.default_rng(1).integers(0, 256, (500, 3))
    rows(colors / 255 if unit else colors).tofile(tmp_path / "scan.bin")
    memory = build([tmp_path / "scan.bin"])
    np.testing.assert_array_equal(memory.cloud.colors, colors)
    np.testing.assert_allclose(source_points(memory).points, room_points()[:500], atol=2e-6)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"123",
        np.zeros(6, "<f4").tobytes() + b"123",
        rows(np.full((4, 3), 0.5) * [1, 3, 1]).tobytes(),
        rows(np.full((4, 3), -1)).tobytes(),
        rows(np.full((4, 3), 256)).tobytes(),
        rows(np.full((4, 3), np.nan)).tobytes(),
    ],
)
def test_other_binary_files_are_not_taken_for_points(tmp_path, data):
    (tmp_path / "cameras.bin").write_bytes(data)
    with pytest.raises(UserError, match=r"cameras\.bin does not consist of rows") as error:
        build([tmp_path / "cameras.bin"])
    assert "COLMAP" in error.value.hint


def test_what_a_cloud_cannot_have_is_refused(tmp_path):
    path = tmp_path / "scan.ply"
    path.write_bytes(write_ply(Cloud.of_points(room_points())))
    with pytest.raises(UserError, match="no frames to choose from"):
        build([path], frames=3)
    with pytest.raises(UserError, match="2 sources given"):
        build([path, path])
    with pytest.raises(UserError, match="is not known, so it cannot be built in metres"):
        build([path], metric=True)
    path.write_bytes(write_ply(Cloud.empty()))
    with pytest.raises(UserError, match="holds no points"):
        build([path])


def test_map_coordinates_are_warned_about(tmp_path):
    (tmp_path / "map.ply").write_bytes(write_ply(Cloud.of_points(room_points() + np.array([500_000, 5_000_000, 0]))))
    memory = build([tmp_path / "map.ply"])
    assert any(
        note.startswith("WARNING: coordinates up to 5e+06 are kept to 0.5 only") for note in memory.provenance.notes
    )
