from __future__ import annotations

import os
from pathlib import PurePosixPath

from hypothesis import given
from hypothesis import strategies as st

from placecell.media.names import natural_key, printable

part = st.text(st.characters(exclude_characters="/\x00", exclude_categories=("Cs",)), min_size=1, max_size=8).filter(
    lambda text: text not in (".", "..")
)
paths = st.lists(part, min_size=1, max_size=3).map(lambda parts: PurePosixPath(*parts))


def test_numbers_count_by_value_whatever_their_digits():
    names = ["f10.png", "f9.png", "f0100.png", "f1.png", "F2.png"]
    assert sorted(names, key=lambda n: natural_key(PurePosixPath(n))) == [
        "f1.png",
        "F2.png",
        "f9.png",
        "f10.png",
        "f0100.png",
    ]


def test_folders_sort_before_their_neighbours_files_by_number_too():
    names = ["10/1.png", "9/2.png", "9/10.png"]
    assert sorted(names, key=lambda n: natural_key(PurePosixPath(n))) == ["9/2.png", "9/10.png", "10/1.png"]


@given(st.lists(paths, max_size=8, unique=True), st.randoms())
def test_any_names_have_one_order_that_does_not_depend_on_the_start(names, random):
    shuffled = list(names)
    random.shuffle(shuffled)
    assert sorted(shuffled, key=natural_key) == sorted(names, key=natural_key)


@given(st.binary(min_size=1, max_size=20).filter(lambda b: b"\0" not in b))
def test_any_bytes_of_a_name_become_one_printable_line_of_utf8(raw):
    text = printable(os.fsdecode(raw))
    assert text.isprintable()
    assert text.encode("utf-8").decode("utf-8") == text


def test_ordinary_and_foreign_names_stay_as_they_are():
    assert printable(PurePosixPath("Küche/фото 1.jpg")) == "Küche/фото 1.jpg"
