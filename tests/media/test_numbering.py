"""``placecell-frames.json``: numbers, names and times of pictures survive being files, or it says what is wrong."""

from __future__ import annotations

import pytest

from placecell.errors import UserError
from placecell.media.numbering import FILE, FrameTag, read_tags, write_tags


def test_tags_come_back_as_they_were_written(tmp_path):
    tags = {
        "a.png": FrameTag(number=37, name="clip.mp4@1.233s", time_s=37 / 30, focal_px=510.25),
        "b.png": FrameTag(number=2, name="b"),
    }
    write_tags(tmp_path, tags)
    assert read_tags(tmp_path) == tags


def test_a_folder_without_the_file_has_no_tags(tmp_path):
    assert read_tags(tmp_path) == {}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[]", "Input should be"),
        ("{", "Invalid JSON"),
        ('{"a.png": {"number": 0, "name": "a"}}', r"a\.png\.number: .*greater than or equal to 1"),
        ('{"a.png": {"number": 1, "name": "a", "time_s": NaN}}', "time_s: .*finite"),
        ('{"a.png": {"number": 1, "name": "a", "f": 1}}', r"a\.png\.f: Extra inputs"),
        ('{"a.png": {"number": 1, "name": "a"}, "b.png": {"number": 1, "name": "b"}}', "the same number"),
    ],
)
def test_what_is_wrong_is_named(tmp_path, text, words):
    (tmp_path / FILE).write_text(text)
    with pytest.raises(UserError, match=words):
        read_tags(tmp_path)
