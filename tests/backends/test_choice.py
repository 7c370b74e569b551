"""What auto takes for plain pictures, by what is on the machine, and the reason it gives."""

from __future__ import annotations

import pytest

import room_capture as room
from placecell.backends import choice
from placecell.backends.auto import build
from placecell.backends.row import Backend
from placecell.backends.table import BACKENDS
from placecell.errors import UserError


@pytest.fixture
def machine(monkeypatch):
    """A machine on which only these models are ready, with or without a GPU."""

    def have(*ready, gpu):
        real = Backend.missing

        def missing(row):
            if not row.weights:
                return real(row)
            return None if row.name in ready else f"the weights {row.weights[0].hub_id} are not on this machine"

        monkeypatch.setattr(Backend, "missing", missing)
        monkeypatch.setattr(choice, "has_gpu", lambda: gpu)

    return have


def test_nothing_installed_means_structure_from_motion(machine):
    machine(gpu=True)
    assert choice.for_pictures() == choice.Choice("sfm", "plain pictures without poses or depth: structure from motion")


def test_a_gpu_and_weights_mean_that_model(machine):
    machine("vggt", "da3", gpu=True)
    found = choice.for_pictures()
    assert found.name == "vggt"
    assert found.why.endswith("vggt, for its weights and a GPU are here")


def test_weights_without_a_gpu_still_mean_structure_from_motion_and_it_is_said(machine):
    machine("vggt", gpu=False)
    found = choice.for_pictures()
    assert found.name == "sfm"
    assert "vggt is ready, but there is no GPU" in found.why


def test_metres_are_taken_from_a_model_that_knows_them_even_without_a_gpu(machine):
    machine("vggt", "mapanything", gpu=False)
    found = choice.for_pictures(metric=True)
    assert found.name == "mapanything"
    assert "slowly, for there is no GPU" in found.why


def test_metres_are_refused_before_any_work_where_nothing_knows_them(machine, tmp_path):
    machine("vggt", gpu=True)
    with pytest.raises(UserError, match="no model that knows metres is ready") as error:
        choice.for_pictures(metric=True)
    assert error.value.hint == (
        "leave out --metric, give a capture with a depth sensor, or get one: "
        "mapanything (the weights facebook/map-anything-apache are not on this machine)"
    )
    (tmp_path / "no_photo.jpg").write_bytes(b"would be an error of its own, were it read first")
    for name in ("auto", "sfm", "vggt"):
        with pytest.raises(UserError, match="metres"):
            build([tmp_path / "no_photo.jpg"], metric=True, reconstructor=name)


def test_a_capture_without_scale_is_refused_before_it_is_built(monkeypatch, tmp_path):
    room.transforms_json(tmp_path / "room", room.views())
    monkeypatch.setattr("placecell.backends.auto.assemble", lambda *_, **__: pytest.fail("built for nothing"))
    with pytest.raises(UserError, match="cannot be built in metres"):
        build([tmp_path / "room"], metric=True)


def test_every_model_s_row_says_how_to_get_it_and_only_metric_ones_say_metres():
    models = [row for row in BACKENDS.values() if row.kind == "reconstructor" and row.weights]
    assert {row.name for row in models} >= {"pi3", "pi3x", "vggt", "da3", "da3-nested", "mapanything", "flow3r"}
    for row in models:
        assert row.setup == row.install
        assert row.needs_gpu
        assert row.metric == ("in metres" in row.what)
        assert all(("NC" in w.licence) == w.non_commercial for w in row.weights)
