from __future__ import annotations

import numpy as np
import pytest
from PIL import Image, ImageCms

from placecell.errors import UserError
from placecell.media.photos import read_photo


def one_colour(value, mode: str, size=(8, 6)) -> Image.Image:
    return Image.new(mode, size, value)


@pytest.mark.parametrize(
    ("mode", "value", "suffix", "expected"),
    [
        ("RGBA", (200, 100, 0, 0), "png", (255, 255, 255)),
        ("RGBA", (200, 100, 0, 255), "webp", (200, 100, 0)),
        ("RGBA", (200, 100, 0, 51), "png", (244, 224, 204)),
        ("LA", (0, 51), "png", (204, 204, 204)),
        ("L", 77, "png", (77, 77, 77)),
        ("1", 1, "tif", (255, 255, 255)),
        ("CMYK", (0, 255, 255, 0), "tif", (255, 0, 0)),
        ("CMYK", (0, 0, 0, 255), "jpg", (0, 0, 0)),
    ],
)
def test_every_pixel_layout_ends_as_rgb_on_white(mode, value, suffix, expected, tmp_path):
    path = tmp_path / f"a.{suffix}"
    one_colour(value, mode).save(path, **({"lossless": True} if suffix == "webp" else {}))
    rgb = read_photo(path).rgb
    assert rgb.shape == (6, 8, 3)
    assert np.abs(rgb.astype(int) - expected).max() <= 1


def test_a_palette_with_a_transparent_entry_is_composited_on_white(tmp_path):
    picture = Image.new("P", (2, 1))
    picture.putpalette([10, 20, 30, 40, 50, 60])
    picture.putdata([0, 1])
    picture.save(tmp_path / "a.png", transparency=0)
    assert read_photo(tmp_path / "a.png").rgb.tolist() == [[[255, 255, 255], [40, 50, 60]]]


def test_16_bit_grey_is_scaled_over_its_whole_range_and_flagged(save):
    values = np.array([[0, 257, 32896, 65535]], np.uint16)
    frame = read_photo(save("a.png", values))
    assert frame.rgb[0, :, 0].tolist() == [0, 1, 128, 255]
    assert any("0 to 65535" in note for note in frame.notes)


def test_an_8_bit_grey_photo_is_not_suspected_of_being_depth(save):
    frame = read_photo(save("a.png", np.full((4, 4), 9, np.uint8)))
    assert frame.notes == ()


def test_numbers_without_a_range_are_no_photo(save):
    with pytest.raises(UserError, match=r"a\.tif: holds 32-bit numbers"):
        read_photo(save("a.tif", np.ones((4, 4), np.float32)))


def test_an_embedded_colour_profile_is_converted_to_srgb(tmp_path, save):
    """Lab is a profile whose truth is known: L* = 50 without colour is sRGB 119."""
    lab = Image.merge("LAB", [Image.new("L", (4, 4), v) for v in (128, 128, 128)])
    lab.save(tmp_path / "a.tif")
    assert read_photo(tmp_path / "a.tif").rgb[0, 0].tolist() == pytest.approx([119, 119, 119], abs=2)


def test_an_srgb_profile_leaves_pixels_untouched(corners, save):
    profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    assert np.array_equal(read_photo(save("a.png", corners, icc_profile=profile)).rgb, corners)


@pytest.mark.parametrize("profile", [b"garbage", "XYZ"])
def test_a_profile_that_is_broken_or_does_not_fit_is_ignored_with_a_note(profile, corners, save):
    if profile == "XYZ":
        profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("XYZ")).tobytes()
    frame = read_photo(save("a.png", corners, icc_profile=profile))
    assert np.array_equal(frame.rgb, corners)
    assert any("profile" in note for note in frame.notes)


def test_wide_gamut_red_is_redder_than_srgb_can_be(shared_data):
    assert read_photo(shared_data / "odd_images/depth_alpha_palette/p3.png").rgb[0, 0].tolist() == [255, 0, 0]
