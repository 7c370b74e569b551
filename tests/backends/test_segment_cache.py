"""Masks on disk: the same answer as without, asked for once, and never one that belongs to something else."""

from __future__ import annotations

import os

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from placecell.backends.segment.cache import CachedSegmenter, MaskCache
from placecell.errors import UserError
from placecell.memory.ports import Proposal
from placecell.memory.scene import Frame

WIDTH, HEIGHT = 30, 20


def frame(number=1, seed=1, digest="file"):
    rgb = np.random.default_rng(seed).integers(0, 256, (HEIGHT, WIDTH, 3), dtype=np.uint8)
    return Frame(number, f"{number}.png", digest, WIDTH, HEIGHT, lambda: rgb)


class Asked:
    """A segmenter whose masks depend on everything that a key must hold, and which remembers what it was asked."""

    name = "asked"

    def __init__(self, **options):
        self.settings = {"checkpoint": "c@1", **options}
        self.calls = []

    def segment(self, frames, phrases):
        self.calls.append(([f.number for f in frames], list(phrases)))
        for f in frames:
            yield [p for phrase in phrases for p in self.masks(f, phrase)]

    def masks(self, f, phrase):
        seed = [int(f.rgb.sum()), len(phrase), *(ord(c) for c in phrase + repr(sorted(self.settings.items())))]
        rng = np.random.default_rng(seed)
        for _ in range(int(rng.integers(0, 4))):
            height, width = rng.integers(1, 9, 2).tolist()
            corner = (int(rng.integers(0, WIDTH - width)), int(rng.integers(0, HEIGHT - height)))
            yield Proposal(f.number, phrase, rng.random((height, width)) < 0.5, corner, float(rng.random()))


def plain(results):
    return [[(p.frame, p.phrase, p.corner, p.score, p.mask.tolist()) for p in row] for row in results]


def test_a_second_run_asks_for_nothing_and_says_the_same(tmp_path):
    frames, phrases = [frame(n, seed=n) for n in range(1, 40)], ["chair", "table", "lamp"]
    inner = Asked()
    cached = CachedSegmenter(inner, MaskCache(tmp_path))
    first = plain(cached.segment(frames, phrases))
    assert first == plain(Asked().segment(frames, phrases))
    asked = len(inner.calls)
    assert plain(cached.segment(frames, phrases)) == first
    assert len(inner.calls) == asked
    assert any(len(row) == 0 for row in first)  # that nothing was found is kept too


def test_only_what_is_new_is_asked_for(tmp_path):
    cache = MaskCache(tmp_path)
    list(CachedSegmenter(Asked(), cache).segment([frame(1), frame(2, seed=2)], ["chair"]))
    inner = Asked()
    rows = CachedSegmenter(inner, cache).segment([frame(1), frame(2, seed=2), frame(3, seed=3)], ["chair", "table"])
    assert plain(rows) == plain(Asked().segment([frame(1), frame(2, seed=2), frame(3, seed=3)], ["chair", "table"]))
    assert inner.calls == [([1, 2], ["table"]), ([3], ["chair", "table"])]


def test_the_same_picture_under_another_number_is_known_and_gets_that_number(tmp_path):
    cache, inner = MaskCache(tmp_path), Asked()
    list(CachedSegmenter(Asked(), cache).segment([frame(1)], ["chair", "a table"]))
    (row,) = CachedSegmenter(inner, cache).segment([frame(8)], ["chair", "a table"])
    assert inner.calls == []
    assert {p.frame for p in row} <= {8}


DIFFERENT = [
    (frame(), "chair", {}),
    (frame(seed=2), "chair", {}),  # other pixels of the same file: undistorted by another lens
    (frame(), "Chair", {}),
    (frame(), "chair ", {}),
    (frame(), "chair", {"threshold": 0.3}),
    (frame(), "chair", {"threshold": 0.30000001}),
    (frame(), "chair", {"checkpoint": "c@2"}),
]


def test_no_two_different_askings_share_an_entry(tmp_path):
    cache = MaskCache(tmp_path)
    keys = {cache.key(f.rgb, phrase, "asked", Asked(**options).settings) for f, phrase, options in DIFFERENT}
    keys |= {cache.key(frame().rgb, "chair", "other", Asked().settings)}
    keys |= {cache.key(frame().rgb.reshape(WIDTH, HEIGHT, 3), "chair", "asked", Asked().settings)}
    assert len(keys) == len(DIFFERENT) + 2


@settings(max_examples=25)
@given(st.lists(st.tuples(st.integers(1, 40), st.integers(1, 40), st.integers(0, 9)), max_size=5))
def test_every_mask_comes_back_bit_by_bit(tmp_path_factory, shapes):
    rng = np.random.default_rng(0)
    proposals = [Proposal(4, "x", rng.random((h, w)) < 0.5, (h, w + at), at / 9) for h, w, at in shapes]
    cache = MaskCache(tmp_path_factory.mktemp("cache"))
    cache.put("k" * 64, proposals)
    assert plain([cache.get("k" * 64, 4, "x")]) == plain([proposals])


def test_a_damaged_entry_is_made_again(tmp_path):
    cache = MaskCache(tmp_path)
    f = next(f for f in (frame(seed=s) for s in range(1, 9)) if list(Asked().masks(f, "chair")))
    expected = plain(CachedSegmenter(Asked(), cache).segment([f], ["chair"]))
    (path,) = tmp_path.rglob("*.safetensors")
    whole = path.read_bytes()
    for damaged in (b"", whole[:40], whole[:-1], whole[:-1] + bytes([whole[-1] ^ 1]), b"\0" * len(whole)):
        path.write_bytes(damaged)
        inner = Asked()
        assert plain(CachedSegmenter(inner, cache).segment([f], ["chair"])) == expected
        assert len(inner.calls) == 1
        assert path.read_bytes() == whole


def test_what_was_used_longest_ago_goes_when_the_folder_is_full(tmp_path):
    cache = MaskCache(tmp_path)
    mask = [Proposal(1, "x", np.ones((50, 50), bool), (0, 0))]
    keys = [f"{i:02x}" * 32 for i in range(4)]
    for at, key in enumerate(keys):
        cache.put(key, mask)
        os.utime(tmp_path / key[:2] / f"{key}.safetensors", (at, at))
    assert cache.get(keys[0], 1, "x") is not None  # used now
    size = sum(p.stat().st_size for p in tmp_path.rglob("*.safetensors"))
    MaskCache(tmp_path, max_bytes=size // 2).trim()
    assert [cache.get(key, 1, "x") is not None for key in keys] == [True, False, False, True]
    assert not list(tmp_path.rglob("*.part"))


def test_a_folder_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match=r"masks cannot be kept in .*file.*set PLACECELL_CACHE"):
        list(CachedSegmenter(Asked(), MaskCache(tmp_path / "file")).segment([frame()], ["chair"]))
