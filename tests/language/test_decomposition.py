"""A decomposition that does not fit its question is told so; one that cannot make sense is refused."""

import pytest
from pydantic import ValidationError

from placecell.language.decomposition import (
    Comparison,
    Decomposition,
    Facing,
    Function,
    Motion,
    Option,
    Reference,
    RouteStep,
)
from placecell.language.phrases import normalise_phrase, same_thing, strip_letter

QUESTION = "From image 2, if I turn right, what is on my left?"
OPTIONS = ["A. the red sofa", "B. Door"]
GOOD = Decomposition(
    reference=Reference(kind="image", image=2, quote="From image 2"),
    motions=(Motion(kind="turn", direction="right", quote="turn right"),),
    comparison=Comparison(
        function=Function.WHAT_IS_THERE, side="left", entities=("red sofa", "door"), form="choice",
        options=(
            Option(letter="A", text="the red sofa", entity="red sofa"), Option(letter="B", text="Door", entity="door"),
        ),
    ),
)  # fmt: skip


def problems(changed, question=QUESTION, options=OPTIONS, images=range(1, 5)):
    return [str(p) for p in changed.validate_against(question, options, images)]


def with_(**changes):
    return GOOD.model_copy(update=changes)


def compare(**changes):
    return with_(comparison=GOOD.comparison.model_copy(update=changes))


def test_a_fitting_decomposition_has_no_problems():
    assert problems(GOOD) == []


def test_quotes_must_be_said():
    motion = Motion(kind="turn", direction="left", quote="turn left")
    assert problems(with_(motions=(motion,))) == ["motions[0].quote: the question does not say 'turn left'"]


def test_motions_must_be_quoted():
    assert "quote the words" in problems(with_(motions=(Motion(kind="turn", direction="left"),)))[0]


def test_images_must_exist():
    assert "there is no image 2; images are 1 to 1" in problems(GOOD, images=[1])[0]
    assert problems(GOOD, images=None) == []


def test_options_must_be_covered_and_not_invented():
    assert problems(compare(options=GOOD.comparison.options[:1])) == [
        "comparison.options: the option 'door' is not covered"
    ]
    extra = (*GOOD.comparison.options, Option(letter="C", text="lamp"))
    assert "'lamp' is not one of the options" in problems(compare(options=extra))[0]


def test_things_of_the_options_must_be_entities():
    assert "the option's thing 'door' is missing" in problems(compare(entities=("red sofa",)))[0]


def test_entities_must_be_said():
    assert "'piano': the question does not say piano" in problems(compare(entities=("red sofa", "door", "piano")))[0]


@pytest.mark.parametrize(
    "make",
    [
        lambda: Reference(kind="image"),
        lambda: Reference(kind="object"),
        lambda: Facing(kind="towards_object"),
        lambda: Facing(kind="same_as_image"),
        lambda: Motion(kind="turn", direction="forward"),
        lambda: Motion(kind="step", direction="back"),
        lambda: Motion(kind="turn", direction="left", distance=1),
        lambda: Motion(kind="step", direction="left", degrees=10),
        lambda: Motion(kind="turn", direction="left", degrees=0),
        lambda: Comparison(function="guess"),
        lambda: Decomposition.model_validate({"comparison": {"function": "count"}, "extra": 1}),
    ],
)
def test_what_makes_no_sense_is_refused(make):
    with pytest.raises(ValidationError):
        make()


def test_objects_are_listed_once_and_without_the_viewer():
    decomposition = Decomposition(
        reference=Reference(kind="object", object="door", facing=Facing(kind="towards_object", object="table")),
        comparison=Comparison(
            function=Function.ROUTE, entities=("bin", "me"), relative_to="camera",
            route=(RouteStep(kind="go", until="table"), RouteStep(kind="go", until="bin")),
        ),
    )  # fmt: skip
    assert decomposition.objects == ("door", "table", "bin")
    assert decomposition.compared_objects == ("table", "bin")


def test_it_survives_json():
    assert Decomposition.model_validate_json(GOOD.model_dump_json()) == GOOD


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        ("shoe", "the black shoes", True), ("Chairs", "chair", True), ("knives", "knife", True), ("bus", "bus", True),
        ("box", "boxes", True), ("table", "chair", False), ("red chair", "blue chair", False), ("", "chair", False),
        ("glass", "glasses", True), ("shelf", "shelves", True), ("berry", "berries", True), ("the", "a", False),
    ],
)  # fmt: skip
def test_phrases_name_the_same_thing_when_one_says_no_more_than_the_other(a, b, same):
    assert same_thing(a, b) is same
    assert same_thing(b, a) is same


@pytest.mark.parametrize("option", ["A. the door", "(A) the door", "a) the door", "A: the door", "the door"])
def test_letters_of_options_are_stripped(option):
    assert strip_letter(option) == "the door"


def test_quotes_are_compared_without_case_spacing_and_end_marks():
    assert normalise_phrase("  What’s  there? ") == "what's there"
