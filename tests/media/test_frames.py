from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from placecell.errors import UserError
from placecell.media.frames import MediaFrame, PhotoFacts, area_resize, size_within

sides = st.integers(1, 3000)


def frame_of(rgb: np.ndarray) -> MediaFrame:
    return MediaFrame("a.png", "0" * 64, rgb, (rgb.shape[1], rgb.shape[0]))


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


def test_a_marked_pixel_is_found_again_after_shrinking():
    rgb = np.zeros((300, 450, 3), np.uint8)
    rgb[201:204, 330:333] = 255
    small = area_resize(rgb, (150, 100))[:, :, 0]
    assert np.unravel_index(small.argmax(), small.shape) == (67, 110)


def test_shrinking_averages_areas_so_brightness_is_kept():
    rng = np.random.default_rng(0)
    rgb = rng.integers(0, 256, (211, 307, 3), dtype=np.uint8)
    assert area_resize(rgb, (97, 67)).mean() == pytest.approx(rgb.mean(), abs=0.6)


def test_pixels_of_a_frame_cannot_be_changed():
    frame = frame_of(np.zeros((4, 5, 3), np.uint8))
    with pytest.raises(ValueError, match="read-only"):
        frame.rgb[0, 0] = 1


@pytest.mark.parametrize("pixels", [np.zeros((4, 5), np.uint8), np.zeros((4, 5, 3))])
def test_pixels_that_are_no_rgb_bytes_are_a_programming_error(pixels):
    with pytest.raises(ValueError, match="uint8"):
        MediaFrame("a.png", "", pixels, (5, 4))


def test_focal_length_in_pixels_follows_the_diagonal():
    facts = PhotoFacts("JPEG", focal_35mm=26.0)
    assert facts.focal_pixels(3600, 2400) == pytest.approx(2600.0)
    assert PhotoFacts("JPEG").focal_pixels(3600, 2400) is None
