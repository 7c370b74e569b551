"""What photo files say about where they were taken."""

import pytest
from PIL import ExifTags, Image

from placecell.media.gps import Fix, read_fixes
from placecell.media.photos import read_photo

GPS = ExifTags.GPS
THERE = {
    GPS.GPSLatitude: (52.0, 31.0, 8.57),
    GPS.GPSLatitudeRef: "S",
    GPS.GPSLongitude: (13.0, 24.0, 1.61),
    GPS.GPSLongitudeRef: "E",
}


def fixes_of(save, corners, tags):
    exif = Image.Exif()
    exif.get_ifd(ExifTags.IFD.GPSInfo).update(tags)
    path = save("a.jpg", corners, exif=exif)
    return read_photo(path).digest, read_fixes([path])


def test_a_position_is_signed_by_its_hemisphere_and_found_by_the_photos_digest(corners, save):
    digest, fixes = fixes_of(save, corners, THERE | {GPS.GPSLatitudeRef: "s", GPS.GPSHPositioningError: 4.5})
    assert fixes == {digest: Fix(pytest.approx(-52.51904722), pytest.approx(13.40044722), 4.5)}


@pytest.mark.parametrize(
    "wrong",
    [
        {GPS.GPSLatitude: (91.0, 0.0, 0.0)},
        {GPS.GPSLongitude: (13.0, 24.0)},
        {GPS.GPSLatitudeRef: "E"},
        {GPS.GPSLongitudeRef: ""},
    ],
)
def test_an_impossible_position_is_none(wrong, corners, save):
    assert fixes_of(save, corners, THERE | wrong)[1] == {}


def test_a_photo_without_position_states_none(corners, save):
    assert read_fixes([save("a.jpg", corners)]) == {}


def test_real_phones_state_theirs(shared_data):
    fixes = read_fixes([shared_data / "opensfm_berlin" / "images"])
    assert [round(fix.latitude_deg, 3) for fix in fixes.values()] == [52.519] * 3
    assert [fix.error_m for fix in fixes.values()] == [None] * 3
