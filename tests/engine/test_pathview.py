"""The top view of a video: ways in the colours of their time, as a picture and as an animation."""

import io

import numpy as np
import pytest
from moving_memories import TIMES, moving_memory
from PIL import Image

from placecell.engine.context import PictureSettings
from placecell.engine.pathview import animate_paths, render_paths, time_colour
from placecell.errors import UserError
from placecell.memory.track import true_track

SHARE = np.linspace(0, 1, len(TIMES))[:, None]


def memory():
    return moving_memory(true_track(1, "car", TIMES, [-2, 0.5, -4] + SHARE * [4, 0, 0]))


def columns_of(picture, colour):
    return np.flatnonzero(
        (np.abs(picture.rgb.astype(int) - colour).sum(axis=2) < 12)[: picture.rgb.shape[0] // 2].any(axis=0)
    )


def test_a_car_that_goes_right_is_blue_on_the_left_and_red_on_the_right():
    picture = render_paths(memory(), PictureSettings(256))
    blue, red = columns_of(picture, time_colour(0.0)), columns_of(picture, time_colour(0.97))
    assert len(blue)
    assert len(red)
    assert blue.mean() < red.mean()
    assert picture.shown == ("car 1",)


def test_an_animation_shows_more_and_more_of_the_way():
    with Image.open(io.BytesIO(animate_paths(memory(), PictureSettings(128), frames=4))) as film:
        pictures = []
        for k in range(film.n_frames):
            film.seek(k)
            pictures.append(np.asarray(film.convert("RGB")).astype(int))
    assert len(pictures) == 4
    inked = [(np.ptp(p, axis=2) > 60).sum() for p in pictures]
    assert inked == sorted(inked)


def test_a_place_at_rest_has_no_paths():
    from dataclasses import replace

    with pytest.raises(UserError, match="--dynamic"):
        render_paths(replace(memory(), dynamic=False), PictureSettings(128))
