"""The view cache: what it serves is what a fresh render gives, and nothing else is ever served."""

from __future__ import annotations

import shutil
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from placecell.backends.synthetic.capture import default_views
from placecell.backends.synthetic.furnish import make_room
from placecell.backends.synthetic.path import Views
from placecell.backends.synthetic.perfect import perfect_memory
from placecell.engine.renders import render_view
from placecell.errors import UserError
from placecell.memory import storage
from placecell.training import view_cache
from placecell.training.view_cache import CANONICAL, THIRTEEN, ViewCache

SIZE = 64
VIEW = {"anchor": 1, "azimuth": -45.0, "elevation": 0.0, "mode": "global", "size": SIZE, "profile": "placecell"}


def memory_of(seed):
    room = make_room(seed)
    views = Views(default_views(room).world_from_cam[:3])
    return perfect_memory(room, views, size=(48, 36))


@pytest.fixture(scope="module")
def memory():
    return memory_of(3)


@pytest.fixture(scope="module")
def other():
    return memory_of(4)


def same(a, b):
    cameras = a.camera is b.camera is None or (
        np.array_equal(a.camera.K, b.camera.K) and np.array_equal(a.camera.world_from_cam, b.camera.world_from_cam)
    )
    plain = (a.mode, a.caption, a.units_per_pixel, a.shown, a.evidence, a.sidecar)
    return np.array_equal(a.rgb, b.rgb) and cameras and plain == (
        b.mode, b.caption, b.units_per_pixel, b.shown, b.evidence, b.sidecar,
    )  # fmt: skip


def files(folder):
    return sorted(folder.rglob("*.png"))


def test_sixteen_threads_asking_for_mixed_modes_and_cameras_get_what_a_fresh_render_gives(memory, other, tmp_path):
    angled = product((memory, other), (1, 2, 3), ((45, 0), (0, 60)), ("ego", "global"), ("placecell", "think3d"))
    asked = [
        (m, {"anchor": a, "azimuth": az, "elevation": el, "mode": mode, "size": SIZE, "profile": p})
        for m, a, (az, el), mode, p in angled
    ]
    asked += [(memory, VIEW | {"azimuth": 0, "mode": mode}) for mode in ("bev", "semantic")]
    fresh = [render_view(m, **view) for m, view in asked]
    order = np.random.default_rng(0).permutation(np.repeat(np.arange(len(asked)), 4))
    cache = ViewCache(tmp_path)
    with ThreadPoolExecutor(16) as pool:
        served = list(pool.map(lambda k: cache.render(asked[k][0], **asked[k][1]), order))
    assert all(same(got, fresh[k]) for k, got in zip(order, served, strict=True))
    assert len(files(tmp_path)) == len(asked)


def test_a_view_that_was_made_is_read_and_not_rendered(memory, tmp_path, monkeypatch):
    first = ViewCache(tmp_path).render(memory, **VIEW)

    def never(*_, **__):
        raise AssertionError("rendered again")

    monkeypatch.setattr(view_cache, "render_view", never)
    assert same(ViewCache(tmp_path).render(memory, **VIEW), first)


@pytest.mark.parametrize(
    "change",
    [{"anchor": 2}, {"azimuth": 45.0}, {"elevation": 60.0}, {"mode": "ego"}, {"size": 80}, {"profile": "think3d"}],
    ids=lambda change: next(iter(change)),
)
def test_whatever_shapes_the_pixels_makes_another_entry(memory, tmp_path, change):
    cache = ViewCache(tmp_path)
    cache.render(memory, **VIEW)
    assert same(cache.render(memory, **VIEW | change), render_view(memory, **VIEW | change))
    assert len(files(tmp_path)) == 2


def test_a_foreign_entry_under_the_right_name_is_not_served_but_replaced(memory, other, tmp_path):
    mine, theirs = ViewCache(tmp_path / "mine"), ViewCache(tmp_path / "theirs")
    mine.render(memory, **VIEW)
    theirs.render(other, **VIEW)
    (place,), (foreign,) = files(mine.folder), files(theirs.folder)
    shutil.copy(foreign, place)
    assert same(mine.render(memory, **VIEW), render_view(memory, **VIEW))
    assert place.read_bytes() != foreign.read_bytes()


def test_a_view_of_another_mode_under_the_right_name_is_not_served(memory, tmp_path):
    outside, inside = ViewCache(tmp_path / "outside"), ViewCache(tmp_path / "inside")
    outside.render(memory, **VIEW)
    inside.render(memory, **VIEW | {"mode": "ego"})
    shutil.copy(files(inside.folder)[0], files(outside.folder)[0])
    assert outside.render(memory, **VIEW).mode == "global"


@pytest.mark.parametrize("keep", [0, 10, 0.5, -1], ids=["empty", "a few bytes", "half", "all but a byte"])
def test_a_torn_entry_is_rendered_again(memory, tmp_path, keep):
    cache = ViewCache(tmp_path)
    cache.render(memory, **VIEW)
    (entry,) = files(tmp_path)
    data = entry.read_bytes()
    entry.write_bytes(data[: int(keep * len(data)) if isinstance(keep, float) else keep])
    assert same(cache.render(memory, **VIEW), render_view(memory, **VIEW))
    assert entry.read_bytes() == data


def test_changed_pixels_are_not_served(memory, tmp_path):
    cache = ViewCache(tmp_path)
    cache.render(memory, **VIEW)
    (entry,) = files(tmp_path)
    data = bytearray(entry.read_bytes())
    data[len(data) // 4] ^= 1
    entry.write_bytes(bytes(data))
    assert same(cache.render(memory, **VIEW), render_view(memory, **VIEW))


def test_an_edited_memory_has_views_of_its_own(memory, tmp_path):
    cache = ViewCache(tmp_path)
    cache.render(memory, **VIEW)
    half = replace(memory, cloud=memory.cloud.select(memory.cloud.points[:, 0] > 0))
    assert same(cache.render(half, **VIEW), render_view(half, **VIEW))
    assert len(files(tmp_path)) == 2


def test_views_drawn_by_other_code_are_stale(memory, tmp_path, monkeypatch):
    ViewCache(tmp_path).render(memory, **VIEW)
    monkeypatch.setattr(view_cache, "_code", lambda: "another version")
    ViewCache(tmp_path).render(memory, **VIEW)
    assert len(files(tmp_path)) == 2


def test_a_memory_and_its_saved_copy_share_their_views(memory, tmp_path):
    storage.save(memory, tmp_path / "m.pcell")
    cache = ViewCache(tmp_path / "views")
    cache.render(memory, **VIEW)
    cache.render(storage.load(tmp_path / "m.pcell"), **VIEW)
    assert len(files(cache.folder)) == 1


def test_a_reader_of_a_shared_cache_writes_nothing(memory, tmp_path):
    reader = ViewCache(tmp_path / "views", readonly=True)
    assert same(reader.render(memory, **VIEW), render_view(memory, **VIEW))
    assert not (tmp_path / "views").exists()


def test_prerendering_makes_the_three_or_the_thirteen_views_of_an_anchor(memory, tmp_path):
    cache = ViewCache(tmp_path)
    assert cache.prerender(memory, size=SIZE) == len(CANONICAL) == len(files(tmp_path)) == 3
    assert cache.prerender(memory, size=SIZE, angles=THIRTEEN) == len(THIRTEEN) == len(set(THIRTEEN)) == 13
    assert len(files(tmp_path)) == 13  # the canonical ones are among them


def test_a_folder_that_cannot_be_written_is_named(memory, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match="cannot be written"):
        ViewCache(tmp_path / "file" / "views").render(memory, **VIEW)
