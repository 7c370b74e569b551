from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from placecell.errors import UserError
from placecell.media.frames import MediaFrame, PhotoFacts, Resize, shrink, size_within

sides = st.integers(1, 3000)


def frame_of(rgb: np.ndarray) -> MediaFrame:
    return MediaFrame("a.png", "0" * 64, rgb, Resize.none(rgb.shape[1], rgb.shape[0]))


@given(sides, sides, sides)
def test_shrinking_keeps_the_shape_to_half_a_pixel_and_never_enlarges(width, height, longest):
    w, h = size_within(width, height, longest)
    assert max(w, h) == min(longest, max(width, height))
    factor = min(1.0, longest / max(width, height))
    assert abs(w - width * factor) <= 0.5 or w == 1
    assert abs(h - height * factor) <= 0.5 or h == 1


def test_a_longest_side_of_nothing_is_refused():
    with pytest.raises(UserError, match="0 pixels"):
        size_within(10, 10, 0)


@given(st.integers(0, 50), st.integers(0, 50), st.integers(1, 500), st.integers(1, 500), st.integers(1, 300), sides)
def test_pixels_map_to_the_original_and_back(left, top, width, height, new_width, seed):
    resize = Resize((600, 600), (left, top, width, height), (new_width, 77))
    xy = np.random.default_rng(seed).uniform(-10, 600, (5, 2))
    assert resize.resized_from_original(resize.original_from_resized(xy)) == pytest.approx(xy, abs=1e-9)


def test_corners_of_the_picture_are_corners_of_the_crop():
    resize = Resize((640, 480), (40, 30, 600, 400), (300, 100))
    corners = np.array([[0.0, 0.0], [300.0, 100.0]])
    assert resize.original_from_resized(corners).tolist() == [[40.0, 30.0], [640.0, 430.0]]
    assert resize.scale == (0.5, 0.25)


def test_a_crop_outside_the_original_is_a_programming_error():
    with pytest.raises(ValueError, match="does not fit"):
        Resize((100, 100), (50, 0, 60, 10), (60, 10))


def test_a_marked_pixel_is_found_again_after_shrinking():
    rgb = np.zeros((300, 450, 3), np.uint8)
    rgb[201:204, 330:333] = 255
    small = shrink(frame_of(rgb), 150)
    row, column = np.unravel_index(small.rgb[:, :, 0].argmax(), small.rgb.shape[:2])
    assert small.original_size == (450, 300)
    assert small.resize.original_from_resized([column + 0.5, row + 0.5]) == pytest.approx([331.5, 202.5])


def test_shrinking_averages_areas_so_brightness_is_kept():
    rng = np.random.default_rng(0)
    rgb = rng.integers(0, 256, (211, 307, 3), dtype=np.uint8)
    assert shrink(frame_of(rgb), 97).rgb.mean() == pytest.approx(rgb.mean(), abs=0.6)


def test_pixels_of_a_frame_cannot_be_changed():
    frame = frame_of(np.zeros((4, 5, 3), np.uint8))
    with pytest.raises(ValueError, match="read-only"):
        frame.rgb[0, 0] = 1


def test_pixels_that_do_not_fit_the_record_are_a_programming_error():
    with pytest.raises(ValueError, match="do not fit"):
        MediaFrame("a.png", "", np.zeros((4, 5, 3), np.uint8), Resize.none(4, 5))


def test_focal_length_in_pixels_follows_the_diagonal():
    facts = PhotoFacts("JPEG", focal_35mm=26.0)
    assert facts.focal_pixels(3600, 2400) == pytest.approx(2600.0)
    assert PhotoFacts("JPEG").focal_pixels(3600, 2400) is None
