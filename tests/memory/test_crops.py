"""The photo that shows an object best, and the window of it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from cubes import CUBE_A, CUBE_B, capture, labels

from placecell.memory.crops import best_view, crop
from placecell.memory.instances import from_labels
from placecell.memory.scene import InstanceView


@pytest.fixture(scope="module")
def seen():
    frames, truth = capture([CUBE_A, CUBE_B], count=4)
    return frames, from_labels(frames, labels("instance", {1: "box", 2: "lamp"}, truth), depth_sd=0.01).instances[0]


def test_the_best_view_has_most_pixels_unless_it_is_cut_off(seen):
    frames, box = seen
    view = best_view(box, frames)
    assert view.pixels == max(v.pixels for v in box.views)
    cut = InstanceView(1, int(view.pixels * 1.5), (0, 10, 90, 90))
    assert best_view(replace(box, views=(cut, view)), frames) == view
    assert best_view(replace(box, views=(replace(cut, pixels=3 * view.pixels), view)), frames).pixels == 3 * view.pixels


def test_what_no_frame_shows_has_no_best_view(seen):
    frames, box = seen
    assert best_view(replace(box, views=()), frames) is None
    assert best_view(box, []) is None


def test_a_crop_is_the_window_with_its_margin_inside_the_photo(seen):
    frames, _ = seen
    picture = np.arange(frames[0].height * frames[0].width * 3, dtype=np.int64).reshape(frames[0].height, -1, 3) % 251
    frame = replace(frames[0], read_rgb=lambda: picture.astype(np.uint8))
    window = crop(frame, InstanceView(1, 100, (40, 30, 60, 40)), margin=0.1)
    np.testing.assert_array_equal(window, picture[28:42, 38:62])
    assert crop(frame, InstanceView(1, 100, (0, 0, 20, 20))).shape == (22, 22, 3)
