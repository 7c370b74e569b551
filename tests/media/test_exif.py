from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import ExifTags, Image

from placecell.media.photos import read_photo

EXIF, GPS = ExifTags.IFD.Exif, ExifTags.IFD.GPSInfo


def test_focal_length_camera_and_position_are_read(corners, save):
    exif = Image.Exif()
    exif[ExifTags.Base.Make], exif[ExifTags.Base.Model] = "Canon", "Canon EOS 5D"
    exif.get_ifd(EXIF).update({ExifTags.Base.FocalLength: 35.5, ExifTags.Base.FocalLengthIn35mmFilm: 52})
    exif.get_ifd(GPS).update(
        {
            ExifTags.GPS.GPSLatitudeRef: "S",
            ExifTags.GPS.GPSLatitude: (33.0, 30.0, 36.0),
            ExifTags.GPS.GPSLongitudeRef: "E",
            ExifTags.GPS.GPSLongitude: (151.0, 15.0, 0.0),
            ExifTags.GPS.GPSAltitudeRef: b"\x01",
            ExifTags.GPS.GPSAltitude: 12.5,
        }
    )
    facts = read_photo(save("a.jpg", corners, exif=exif)).facts
    assert facts.camera == "Canon EOS 5D"
    assert (facts.focal_35mm, facts.focal_mm) == (52.0, 35.5)
    assert (facts.latitude_deg, facts.longitude_deg) == pytest.approx((-33.51, 151.25))
    assert facts.altitude_m == -12.5


def test_tags_that_make_no_sense_become_nothing(corners, save):
    exif = Image.Exif()
    exif.get_ifd(EXIF).update({ExifTags.Base.FocalLength: 0.0, ExifTags.Base.FocalLengthIn35mmFilm: 0})
    exif.get_ifd(GPS).update({ExifTags.GPS.GPSLatitudeRef: "N", ExifTags.GPS.GPSLatitude: (95.0, 0.0, 0.0)})
    facts = read_photo(save("a.jpg", corners, exif=exif)).facts
    assert (facts.focal_35mm, facts.focal_mm, facts.latitude_deg, facts.longitude_deg) == (None, None, None, None)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(block=st.binary(max_size=80))
def test_no_exif_block_however_broken_costs_the_photo(block, corners, save):
    frame = read_photo(save("a.jpg", corners, exif=b"Exif\0\0" + block))
    assert frame.original_size in ((64, 48), (48, 64))


def test_a_cameras_position_is_the_published_one(shared_data):
    facts = read_photo(shared_data / "odd_images/phones/DSCN0010_gps.jpg").facts
    assert (facts.latitude_deg, facts.longitude_deg) == pytest.approx((43.46745, 11.88513), abs=1e-5)
    assert facts.focal_35mm == 112.0
