"""Names: what a person calls a thing finds the memory's name for it, and never another category."""

from __future__ import annotations

from importlib import resources

import pytest
from hypothesis import given
from hypothesis import strategies as st

from placecell.memory import names
from placecell.memory.names import canonical, look_up, resolve, same_thing, singularise


@pytest.mark.parametrize(
    ("asked", "known", "found", "how"),
    [
        ("chair", ["chair", "table"], ["chair"], "exact"),
        ("The Chair", ["chair"], ["chair"], "exact"),
        ("base cabinet", ["base-cabinet"], ["base-cabinet"], "exact"),
        ("night_stand", ["night stand"], ["night stand"], "exact"),
        ("chairs", ["chair"], ["chair"], "plural"),
        ("chair(s)", ["chair"], ["chair"], "exact"),
        ("shoe", ["shoes"], ["shoes"], "plural"),
        ("glasses", ["glass"], ["glass"], "plural"),
        ("people", ["person"], ["person"], "plural"),
        ("boxes", ["box"], ["box"], "plural"),
        ("computer mice", ["computer mouse"], ["computer mouse"], "plural"),
        ("chests of drawers", ["chest of drawers"], ["chest of drawers"], "plural"),
        ("couches", ["sofa"], ["sofa"], "synonym"),
        ("any television", ["tv"], ["tv"], "synonym"),
        ("tv", ["TV monitor"], ["TV monitor"], "synonym"),
        ("garbage bins", ["trash can"], ["trash can"], "synonym"),
        ("fridge", ["refrigerator"], ["refrigerator"], "synonym"),
        ("coat hanger", ["coat rack"], ["coat rack"], "synonym"),
        ("mouse", ["computer mouse"], ["computer mouse"], "synonym"),
        ("bedside table", ["nightstand"], ["nightstand"], "synonym"),
        ("tables", ["coffee table", "dining table", "tv"], ["coffee table", "dining table"], "head"),
        ("lamp", ["table lamp", "table"], ["table lamp"], "head"),
        ("bottle", ["bottle of water", "water"], ["bottle of water"], "head"),
        ("chair", ["armchair"], ["armchair"], "head"),
        ("phone", ["cell phone"], ["cell phone"], "head"),
    ],
)
def test_a_name_is_found_however_it_is_said(asked, known, found, how):
    match = resolve(asked, known)
    assert list(match.names) == found
    assert match.how == how


@pytest.mark.parametrize(
    ("asked", "known"),
    [
        ("coffee table", ["table"]),
        ("table", ["table lamp", "table runner"]),
        ("tv", ["tv stand"]),
        ("dog", ["hot dog"]),
        ("bear", ["teddy bear"]),
        ("bag", ["bean bag"]),
        ("toilet", ["toilet brush"]),
        ("monitor", ["tv"]),
        ("lamp", ["ceiling light"]),
        ("car", ["carpet"]),
        ("", ["chair"]),
        ("the", ["chair"]),
    ],
)
def test_another_category_is_never_taken_instead(asked, known):
    assert not resolve(asked, known)


def test_names_of_any_language_are_told_apart_and_found_in_any_case():
    known = ["Kühlschrank", "Stuhl", "Straße", "椅子", "कुर्सी", "करसी"]
    assert resolve("kühlschrank", known).names == ("Kühlschrank",)
    assert resolve("KU\u0308HLSCHRANK", known).names == ("Kühlschrank",)
    assert resolve("STRASSE", known).names == ("Straße",)
    assert resolve("कुर्सी", known).names == ("कुर्सी",)
    assert resolve("Stühle", known).names == ()  # German plurals are not known, and nothing is guessed


def test_an_exact_name_wins_over_compounds():
    assert resolve("table", ["coffee table", "table"]).names == ("table",)
    assert resolve("tables", ["coffee table", "table"]).names == ("table",)


def test_a_broader_name_is_offered_but_not_used():
    match = resolve("coffee table", ["table", "chair"])
    assert match.names == ()
    assert match.near == ("table",)


def test_absent_is_not_the_same_as_never_looked_for():
    objects, vocabulary = ["chair"], ["chair", "sofa", "coffee table"]
    assert look_up("chairs", objects, vocabulary).state == "present"
    assert look_up("couch", objects, vocabulary).state == "absent"
    assert look_up("piano", objects, vocabulary).state == "unknown"
    # Coffee tables were looked for; that says nothing about other tables.
    assert look_up("table", objects, vocabulary).state == "unknown"


def test_no_name_stands_in_two_lines_of_the_synonyms():
    text = (resources.files("placecell.memory") / "synonyms.txt").read_text(encoding="utf-8")
    lines = [line.split(", ") for line in text.splitlines() if not line.startswith("#")]
    spelled = [singularise(name) for line in lines for name in line]
    assert len(lines) > 50
    assert sorted(spelled) == sorted(set(spelled))


@pytest.mark.parametrize("word", ["bus", "glass", "tennis", "cactus", "scissors", "series", "gas", "lens", "mattress"])
def test_words_that_only_look_plural_stay(word):
    assert singularise(word) == word


@given(st.text(max_size=20))
def test_canonical_names_are_their_own_canonical_name(name):
    assert canonical(canonical(name)) == canonical(name)


@given(st.sampled_from(sorted(names._THING)), st.sampled_from(["{}", "the {}", "{}s", "{}(s)", " {} "]))
def test_every_synonym_is_the_same_thing_in_every_wording(name, wording):
    if wording == "{}s" and (singularise(name + "s") != name):
        return  # not how this word makes its plural
    assert same_thing(wording.format(name), name)
    assert resolve(wording.format(name), [names._THING[name]])
