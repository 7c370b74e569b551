"""Words that tell one thing from others: what geometry decides, what colours say, and what takes eyes."""

from __future__ import annotations

import pytest

from placecell.language.attributes import coloured, colours_in, criterion, only_colours
from placecell.language.check import check
from placecell.language.ops import SELECTIONS


@pytest.mark.parametrize(
    ("phrase", "meant"),
    [
        ("the red chair", (("red",), "chair")),
        ("Dark Blue coffee table", (("blue",), "coffee table")),
        ("black and white chairs", (("black", "white"), "chairs")),
        ("gray sofa", (("grey",), "sofa")),
        ("chair that is red", (("red",), "chair")),
        ("man in light blue", (("blue",), "man")),
        ("chair with a red cushion", None),
        ("chair", None),
        ("orange", None),
        ("red", None),
        ("wooden table", None),
        ("dark table", None),
        ("blackboard", None),
        ("", None),
    ],
)
def test_a_colour_belongs_to_the_thing_it_stands_with(phrase, meant):
    assert coloured(phrase) == meant


def test_colour_words_are_found_in_phrases():
    assert colours_in("the dark blue one") == ("blue",)
    assert colours_in("a grey or gray cushion") == ("grey",)
    assert colours_in("the darkest") == ()


@pytest.mark.parametrize(
    ("phrase", "meant"),
    [
        ("the biggest one", "largest"),
        ("the one furthest away", "farthest"),
        ("The one on the left", "leftmost"),
        ("nearest to me", "nearest"),
        ("the largest coffee table", "largest"),
        ("right side", "rightmost"),
        ("the one closest to the window", None),
        ("near window", None),
        ("left of the sofa", None),
        ("the large red one", None),
        ("the smallest and lightest", None),
        ("the padded one", None),
        ("", None),
    ],
)
def test_a_criterion_is_what_a_phrase_means_and_says_no_more(phrase, meant):
    assert criterion(phrase) == meant


@pytest.mark.parametrize("name", sorted(set(SELECTIONS) - {"only", "most_confident"}))
def test_every_criterion_of_geometry_is_a_word_for_itself(name):
    assert criterion(f"the {name} one") == name


@pytest.mark.parametrize(
    ("phrase", "says"),
    [
        ("red", True),
        ("the red one", True),
        ("the chair that is red", True),
        ("the red one with arms", False),
        ("the one with a red cushion", False),
        ("the padded one", False),
    ],
)
def test_only_colours_are_told_from_more(phrase, says):
    assert only_colours(phrase, "chair") is says


def test_a_phrase_that_means_a_criterion_is_written_as_that():
    text = """def plan(images):
    memory = build_static_memory(images)
    chairs = query_3d_object_location(memory, "chair")
    set_viewpoint(memory, at=query_camera_pose(memory, image=1))
    one = select_object(chairs, by="the one on the left")
    return [measure_size(memory, one)]
"""
    report = check(text)
    assert report.plan is not None and 'by="leftmost"' in report.plan.text
    elsewhere = check(text.replace("    set_viewpoint(memory, at=query_camera_pose(memory, image=1))\n", ""))
    assert [d.code[0] for d in elsewhere.diagnostics if d.severity == "error"] == ["V"]
