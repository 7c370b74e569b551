from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import ExifTags, Image

from placecell.media.photos import read_photo

EXIF = ExifTags.IFD.Exif


def test_focal_length_and_camera_are_read(corners, save):
    exif = Image.Exif()
    exif[ExifTags.Base.Make], exif[ExifTags.Base.Model] = "Canon", "Canon EOS 5D"
    exif.get_ifd(EXIF).update({ExifTags.Base.FocalLength: 35.5, ExifTags.Base.FocalLengthIn35mmFilm: 52})
    facts = read_photo(save("a.jpg", corners, exif=exif)).facts
    assert facts.camera == "Canon EOS 5D"
    assert (facts.focal_35mm, facts.focal_mm) == (52.0, 35.5)


def test_tags_that_make_no_sense_become_nothing(corners, save):
    exif = Image.Exif()
    exif.get_ifd(EXIF).update({ExifTags.Base.FocalLength: 0.0, ExifTags.Base.FocalLengthIn35mmFilm: 0})
    facts = read_photo(save("a.jpg", corners, exif=exif)).facts
    assert (facts.focal_35mm, facts.focal_mm) == (None, None)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(block=st.binary(max_size=80))
def test_no_exif_block_however_broken_costs_the_photo(block, corners, save):
    frame = read_photo(save("a.jpg", corners, exif=b"Exif\0\0" + block))
    assert frame.original_size in ((64, 48), (48, 64))
