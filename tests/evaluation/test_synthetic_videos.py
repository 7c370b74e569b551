"""The benchmark of made-up videos: drawn the same every time, and run like any other."""

from __future__ import annotations

import pytest

from placecell.errors import UserError
from placecell.evaluation.benchmarks import synthetic_videos
from placecell.evaluation.benchmarks.sample import Sample
from placecell.evaluation.runs.sources import open_source


@pytest.fixture(scope="module")
def drawn():
    return synthetic_videos.samples(6)


def test_a_shorter_list_is_the_beginning_of_a_longer_one(drawn, tmp_path):
    assert synthetic_videos.samples(3) == drawn[:3]
    assert synthetic_videos.kept_samples(3, tmp_path) == drawn[:3]
    assert synthetic_videos.kept_samples(2, tmp_path) == drawn[:2]


def test_its_memories_are_videos_with_tracks(drawn, tmp_path):
    memory = open_source("synthetic", None, tmp_path).make(drawn[0])
    assert memory.dynamic
    assert memory.tracks
    with pytest.raises(UserError, match="no synthetic"):
        open_source("synthetic", None, tmp_path).make(Sample("1", "", "0", "", "nowhere"))
