"""Values to answers: comparisons that need more than one number, over the room laid out in ``conftest``."""

from dataclasses import replace

import pytest

from placecell.agents import answers, choice
from placecell.agents.planner import plan
from placecell.agents.reading import certainty, in_sd
from placecell.engine.facts import facts_of
from placecell.engine.interpreter import run
from placecell.language.check import check
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

YES_NO = tuple(Option(letter=c, text=t, answer=t.lower()) for c, t in (("A", "No"), ("B", "Yes")))


def read(memory, comparison, reference=None, motions=()):
    decomposition = Decomposition(reference=reference or Reference(), motions=motions, comparison=comparison)
    facts = facts_of(memory)
    report = check(plan(decomposition, facts), facts=facts, decomposition=decomposition)
    assert report.ok, report.errors
    return answers.read(decomposition, run(report.plan, memory))


def words(*texts):
    return tuple(Option(letter="ABCDEF"[i], text=t, answer=t) for i, t in enumerate(texts))


def things(*names):
    return tuple(Option(letter="ABCDEF"[i], text=t, entity=t) for i, t in enumerate(names))


def turns(*sequences):
    return tuple(
        Option(letter="ABCDEF"[i], text=", ".join(s), sequence=tuple(s))
        for i, s in enumerate(map(str.split, sequences))
    )


def at_image(number):
    return Reference(kind="image", image=number, facing=Facing(kind="same_as_image", image=number))


def standing(place, facing):
    return Reference(kind="object", object=place, facing=Facing(kind="towards_object", object=facing))


ROUTE = tuple(step for stop in ("sofa", "plant") for step in (RouteStep(kind="turn"), RouteStep(kind="go", until=stop)))


def route(*sequences, steps=ROUTE):
    return Comparison(function=Function.ROUTE, entities=("plant",), route=steps, options=turns(*sequences))


def test_a_route_takes_the_option_with_the_smallest_summed_error(room):
    offered = route("right left", "left back", "left left", "back right")
    reading = read(room(), offered, standing("table", "door"))
    assert reading.option.letter == "C"
    assert reading.confidence > 0.5


def test_a_turn_between_two_words_goes_to_the_nearer_one_even_when_neither_is_close(room):
    # Having walked north to the door, the lamp is 146 degrees to the right: nearer to "back" than to "right".
    steps = (RouteStep(kind="go", until="door"), RouteStep(kind="turn"), RouteStep(kind="go", until="lamp"))
    reading = read(room(), route("left", "right", "back", steps=steps), standing("table", "door"))
    assert reading.option.text == "back"


def test_an_open_route_is_told_in_words(room):
    reading = read(room(), route(), standing("table", "door"))
    assert reading.text == "turn left, turn left"


def test_a_route_over_an_unknown_landmark_is_not_in_memory(room):
    steps = (*ROUTE[:3], RouteStep(kind="go", until="fountain"))
    reading = read(room(), route("left left", steps=steps), standing("table", "door"))
    assert reading.reason.startswith("not in memory")


def test_a_route_that_starts_at_what_it_faces_has_no_heading(room):
    reading = read(room(), route("left left"), standing("table", "table"))
    assert reading.reason == "not in memory: at the table, facing it, the heading is open"


@pytest.mark.parametrize(("images", "sense"), [((1, 2), "clockwise"), ((2, 1), "counterclockwise")])
def test_a_camera_that_moves_to_its_left_circles_clockwise(room, images, sense):
    senses = (
        Option(letter="A", text="left", answer="clockwise"),
        Option(letter="B", text="right", answer="counterclockwise"),
    )
    reading = read(room(), Comparison(function=Function.ROTATION_SENSE, images=images, options=senses))
    assert reading.option.answer == sense


def test_diagonal_motions_are_words_of_their_own(room):
    offered = words("left", "right", "forward-left", "forward-right")
    reading = read(room(), Comparison(function=Function.CAMERA_MOTION, images=(2, 3), options=offered))
    assert reading.value == "forward-right"
    open_reading = read(room(), Comparison(function=Function.CAMERA_MOTION, images=(1, 2)))
    assert open_reading.text == "left"


def test_turning_is_told_apart_from_moving(room):
    turned = Comparison(
        function=Function.CAMERA_MOTION, images=(1, 3), attribute="rotation", unit="degrees", form="number"
    )
    assert read(room(), turned).value == 180
    towards = words("left", "right")
    reading = read(
        room(), Comparison(function=Function.CAMERA_MOTION, images=(1, 2), attribute="rotation", options=towards)
    )
    assert reading.value == "right"


def test_coming_closer_between_two_images_is_towards(room):
    offered = words("towards", "away")
    for images, word in (((1, 3), "towards"), ((3, 1), "away")):
        asked = Comparison(function=Function.CAMERA_MOTION, images=images, relative_to="door", options=offered)
        assert read(room(), asked).value == word


@pytest.mark.parametrize(("attribute", "yes"), [("closer", True), ("farther", False)])
def test_yes_means_what_was_asked_closer_or_farther(room, attribute, yes):
    step = Motion(kind="step", direction="forward", distance=1.0, unit="m", quote="forward")
    asked = Comparison(
        function=Function.CLOSER_AFTER_MOTION, entities=("door",), attribute=attribute, form="yes_no", options=YES_NO
    )
    reading = read(room(), asked, at_image(1), (step,))
    assert reading.value is yes
    assert reading.option.answer == ("yes" if yes else "no")


def test_a_turn_alone_brings_nobody_closer(room):
    turn = Motion(kind="turn", direction="left", quote="turn left")
    asked = Comparison(function=Function.CLOSER_AFTER_MOTION, entities=("door",), form="yes_no", options=YES_NO)
    assert read(room(), asked, at_image(1), (turn,)).value is False


@pytest.mark.parametrize(
    ("function", "attribute", "winner"),
    [(Function.LARGEST, None, "sofa"), (Function.LARGEST, "height", "lamp"), (Function.SMALLEST, None, "plant")],
)
def test_the_largest_is_by_the_asked_side(room, function, attribute, winner):
    names = ("sofa", "lamp", "plant", "table")
    reading = read(room(), Comparison(function=function, entities=names, attribute=attribute, options=things(*names)))
    assert reading.option.entity == winner


def test_comparing_two_things_by_yes_and_no_is_about_the_first(room):
    for pair, yes in ((("sofa", "plant"), True), (("plant", "sofa"), False)):
        asked = Comparison(function=Function.LARGEST, entities=pair, form="yes_no", options=YES_NO)
        assert read(room(), asked).value is yes


def test_a_tie_is_only_called_when_options_force_it(room):
    names = ("sofa", "lamp")  # 0.95 m and 1.25 m from the table
    forced = Comparison(function=Function.NEAREST, entities=names, relative_to="table", options=things(*names))
    assert read(room(sd=1.5), forced).option.entity == "sofa"
    free = read(room(sd=1.5), forced.model_copy(update={"options": ()}))
    assert free.reason == "too close to call: sofa and lamp"
    assert read(room(sd=0.05), forced.model_copy(update={"options": ()})).text == "sofa"


def test_an_unknown_candidate_is_left_out_and_said_so(room):
    names = ("sofa", "fountain", "plant")
    asked = Comparison(function=Function.NEAREST, entities=names, relative_to="table", options=things(*names))
    reading = read(room(), asked)
    assert reading.option.entity == "sofa"
    assert "fountain" in reading.notes[0]
    assert reading.confidence < 0.7


def test_nearest_to_the_viewer_is_measured_from_the_viewpoint(room):
    names = ("door", "plant", "table")
    asked = Comparison(function=Function.NEAREST, entities=names, options=things(*names))
    assert read(room(), asked, at_image(1)).option.entity == "plant"
    assert read(room(), asked, at_image(3)).option.entity == "door"


def test_what_is_there_considers_extents_and_says_when_nothing_lies_squarely_that_way(room):
    asked = Comparison(
        function=Function.WHAT_IS_THERE, side="front", entities=("sofa", "door"), options=things("sofa", "door")
    )
    assert read(room(), asked, at_image(1)).option.entity == "door"
    behind = Comparison(
        function=Function.WHAT_IS_THERE, side="back", entities=("sofa", "lamp"), options=things("sofa", "lamp")
    )
    reading = read(room(), behind, at_image(1))
    assert "nothing offered lies squarely that way" in reading.notes[0]
    assert reading.confidence <= 0.6
    nothing = replace(room(), instances=(), vocabulary=frozenset())
    open_ended = Comparison(function=Function.WHAT_IS_THERE, side="front")
    assert read(nothing, open_ended, at_image(1)).reason == "not in memory: nobody looked for objects in this memory"
    assert read(replace(nothing, vocabulary=frozenset({"sofa"})), open_ended, at_image(1)).text == "nothing known"
    none = (*things("sofa", "lamp"), Option(letter="C", text="None of them", answer="neither"))
    assert read(room(), behind.model_copy(update={"options": none}), at_image(1)).option.letter == "C"


def test_order_of_appearance_and_its_ends(room):
    # Image 1 shows the door and not the plant, image 3 the plant.
    orders = tuple(
        Option(letter=c, text=", ".join(s), sequence=s) for c, s in (("A", ("plant", "door")), ("B", ("door", "plant")))
    )
    asked = Comparison(function=Function.APPEARANCE_ORDER, entities=("plant", "door"), options=orders)
    assert read(room(), asked).option.letter == "B"
    last = Comparison(
        function=Function.APPEARANCE_ORDER,
        entities=("plant", "door"),
        attribute="last",
        options=things("plant", "door"),
    )
    assert read(room(), last).option.entity == "plant"


def test_who_faces_which_way_needs_a_known_front(room):
    asked = Comparison(function=Function.FACING, entities=("sofa",), options=words("left", "right", "front", "back"))
    assert read(room(), asked, at_image(1)).reason.startswith("not in memory")
    assert read(room(fronts={"sofa": (1, 0, 0)}), asked, at_image(1)).value == "right"
    assert read(room(fronts={"sofa": (0, 0, 1)}), asked, at_image(1)).value == "back"


def test_an_answer_that_no_option_offers_is_no_answer(room):
    reading = read(
        room(), Comparison(function=Function.PRESENCE, entities=("sofa",), form="yes_no", options=YES_NO[:1])
    )
    assert reading.reason == "the answer is 'Yes', which is none of the options"


def test_movement_over_time_is_not_in_a_memory_at_rest(room):
    decomposition = Decomposition(comparison=Comparison(function=Function.OBJECT_MOTION, entities=("sofa",)))
    report = check(plan(decomposition), decomposition=decomposition)
    assert answers.read(decomposition, run(report.plan, room())).reason.startswith("not in memory")


def test_letters_are_the_options_own_or_those_of_their_places():
    plain = (Option(text="left"), Option(text="right"))
    assert choice.letter_of(plain[1], plain, by_place=True) == "B"
    assert choice.letter_of(plain[1], plain, by_place=False) is None
    assert choice.letter_of(YES_NO[1], YES_NO, by_place=False) == "B"
    assert choice.letter_of(None, plain, by_place=True) is None


def test_confidence_is_half_at_a_tie_and_grows_with_the_margin():
    assert certainty(0.0) == 0.5
    assert certainty(1.0) == pytest.approx(0.841, abs=1e-3)
    assert certainty(None) == certainty(10.0) == 0.99
    assert in_sd(1.0, 0.0) is None
    assert in_sd(0.0, 0.0) == 0.0
