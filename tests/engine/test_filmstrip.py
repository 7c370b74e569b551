"""The sheet of a video's frames: order, times, boxes on what was tracked."""

from __future__ import annotations

import numpy as np
import pytest

from placecell.backends.synthetic.moving.film import film
from placecell.backends.synthetic.moving.perfect import perfect_video
from placecell.backends.synthetic.moving.stage import make_scene
from placecell.engine.drawing import PALETTE
from placecell.engine.filmstrip import filmstrip
from placecell.errors import UserError
from placecell.memory.selection import representative_frames


@pytest.fixture(scope="module")
def memory():
    scene = make_scene(4, movers=2, frames=12)
    return perfect_video(scene, film(scene, size=(80, 60)))


def test_frames_are_spread_over_time_and_named_with_their_times(memory):
    sheet = filmstrip(memory, memory.tracks)
    assert sheet.evidence.frames == (1, 3, 5, 8, 10, 12)
    assert "at 0.0, 0.4, 0.8, 1.4, 1.8, 2.2 s" in sheet.caption
    assert all(f"{t.name} {t.id}" in sheet.caption for t in memory.tracks)


def test_boxes_are_drawn_where_the_track_shows(memory):
    bare, boxed = filmstrip(memory).rgb, filmstrip(memory, memory.tracks[:1]).rgb
    changed = np.argwhere((bare != boxed).any(axis=-1) & (boxed == PALETTE[0]).all(axis=-1))
    left, top, right, bottom = memory.tracks[0].bbox[0] * 340 / 80
    inside = (changed[:, 1] >= left - 3) & (changed[:, 1] <= right + 3)
    inside &= (changed[:, 0] >= top - 3) & (changed[:, 0] <= bottom + 3)
    assert inside.sum() > 20


def test_a_memory_without_times_has_no_sheet(memory):
    from dataclasses import replace

    photos = replace(memory, frames=tuple(replace(f, time_s=None) for f in memory.frames))
    with pytest.raises(UserError, match="no frames with times"):
        filmstrip(photos)


def test_a_video_is_shown_by_frames_spread_over_time(memory):
    chosen = representative_frames(memory, 4)
    assert max(np.diff(chosen)) - min(np.diff(chosen)) <= 1
