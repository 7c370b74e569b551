"""Pictures on the canvas of a model: whole patches, nothing cropped, and every pixel finds its way back."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from placecell.backends.feedforward.depth_anything3 import RULE as DA3
from placecell.backends.feedforward.pi3 import RULE as PI3
from placecell.backends.feedforward.settings import InputRule
from placecell.backends.feedforward.sizing import PADDING, canvas_for
from placecell.backends.feedforward.vggt import RULE as VGGT
from placecell.geometry.camera import Camera

sizes = st.tuples(st.integers(40, 4000), st.integers(40, 4000)).filter(lambda s: max(s) < 6 * min(s))


@pytest.mark.parametrize(
    ("rule", "frame", "size"),
    [
        (PI3, (1920, 1080), (672, 378)),  # the paper's short edge of 378
        (PI3, (640, 480), (504, 378)),
        (PI3, (480, 640), (378, 504)),
        (PI3, (2560, 1080), (770, 322)),  # a short edge of 378 would be more than 255,000 pixels
        (VGGT, (640, 480), (518, 392)),
        (VGGT, (480, 640), (392, 518)),
        (DA3, (1920, 1080), (504, 280)),
        (DA3, (100, 100), (504, 504)),
    ],
)
def test_the_input_has_the_size_that_the_model_s_rule_says(rule, frame, size):
    assert canvas_for([frame, frame], rule).size == size


@given(st.lists(sizes, min_size=1, max_size=4), st.sampled_from([PI3, VGGT, DA3]))
@settings(max_examples=60, deadline=None)
def test_any_pictures_fit_a_canvas_of_whole_patches_without_losing_a_pixel(frames, rule):
    canvas = canvas_for(frames, rule)
    width, height = canvas.size
    assert width % rule.patch == height % rule.patch == 0
    assert rule.max_pixels is None or width * height <= rule.max_pixels
    for frame, place in zip(frames, canvas.placements, strict=True):
        assert place.left >= 0 and place.top >= 0
        assert place.left + place.width <= width and place.top + place.height <= height
        # The shape is kept but for rounding to whole patches.
        assert abs(place.width / place.height / (frame[0] / frame[1]) - 1) < 1.1 * rule.patch / min(
            place.width, place.height
        )


@given(sizes, sizes, st.floats(0, 1), st.floats(0, 1))
@settings(max_examples=60, deadline=None)
def test_a_camera_of_the_canvas_becomes_the_camera_of_the_picture_at_its_own_size(one, other, x, y):
    canvas = canvas_for([one, other], PI3)
    K = np.array([[400.0, 0, 250], [0, 380, 190], [0, 0, 1]])
    camera = Camera(K, *canvas.size, np.eye(4))
    for frame, place in zip((one, other), canvas.placements, strict=True):
        on_canvas = np.array([place.left + x * place.width, place.top + y * place.height])
        on_frame = np.array([x * frame[0], y * frame[1]])
        found = place.cropped(camera).resized(*frame)
        assert (found.width, found.height) == frame
        np.testing.assert_allclose(
            found.unproject_pixels(on_frame, 2.0), camera.unproject_pixels(on_canvas, 2.0), atol=1e-6
        )


def test_pictures_are_painted_in_rgb_and_what_they_do_not_cover_is_white():
    frames = [(400, 300), (300, 400)]
    canvas = canvas_for(frames, PI3)
    red = [np.full((h, w, 3), (250, 20, 10), np.uint8) for w, h in frames]
    painted = canvas.paint([lambda rgb=rgb: rgb for rgb in red])
    assert painted.shape == (2, canvas.size[1], canvas.size[0], 3)
    for picture, place in zip(painted, canvas.placements, strict=True):
        inside = np.zeros(picture.shape[:2], bool)
        inside[place.window] = True
        assert (picture[inside] == (250, 20, 10)).all()
        assert (picture[~inside] == PADDING).all() and (~inside).any()


def test_a_rule_fixes_one_side():
    with pytest.raises(ValueError, match="either the short edge or the longest side"):
        InputRule(short_edge=378, longest_side=518)
