"""Every decomposition gets a program that the checker accepts together with it, or a reason."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from placecell.agents.planner import plan
from placecell.agents.questions.decompose import NotUnderstood, decompose
from placecell.agents.writer import MAX_CANDIDATES, PlanningError
from placecell.language.check import check
from placecell.language.decomposition import (
    Comparison,
    Decomposition,
    Facing,
    Function,
    Motion,
    Reference,
    RouteStep,
)
from placecell.language.plan import NO_FACTS, MemoryFacts

F = Function
PHRASES = [
    "table",
    "red chair",
    "tv",
    "chair and white board",
    "memory",
    "the 2nd door",
    "lampe à pied",
    "is",
    "sofa's leg",
]
SIDES = ["left", "right", "front", "back", "up", "down", "front-left", "back-right"]

things = st.lists(st.sampled_from(PHRASES), min_size=1, max_size=4, unique=True).map(tuple)
thing = st.sampled_from(PHRASES)
turns = st.builds(
    lambda d, a: Motion(kind="turn", direction=d, degrees=None if d == "back" else a, quote="turn"),
    st.sampled_from(["left", "right", "back", "up", "down"]),
    st.sampled_from([None, 30.0, 90.0]),
)
steps = st.builds(
    lambda d, a: Motion(kind="step", direction=d, distance=a, unit="ft" if a else None, quote="go"),
    st.sampled_from(["forward", "backward", "left", "right", "up", "down"]),
    st.sampled_from([None, 2.0]),
)
motions = st.lists(turns | steps, max_size=3).map(tuple)


@st.composite
def references(draw):
    if draw(st.booleans()):
        image = draw(st.integers(1, 4))
        if draw(st.booleans()):
            return Reference(kind="image", image=image, facing=Facing(kind="towards_object", object=draw(thing)))
        return Reference(kind="image", image=image, facing=Facing(kind="same_as_image", image=draw(st.integers(1, 4))))
    place = draw(thing)
    other = draw(thing.filter(lambda t: t != place))
    facing = draw(
        st.sampled_from(
            [
                Facing(kind="towards_object", object=other),
                Facing(kind="away_from_object", object=other),
                Facing(kind="same_way_as_object", object=place),
            ]
        )
    )
    return Reference(kind="object", object=place, facing=facing)


def comparison(function, **fields):
    return st.builds(Comparison, function=st.just(function), **fields)


images = st.just((1, 3))
side = st.sampled_from(SIDES)
maybe = st.none() | thing
viewed = st.one_of(
    comparison(F.DIRECTION, entities=st.tuples(thing), relative_to=maybe),
    comparison(F.WHAT_IS_THERE, entities=things | st.just(()), side=side, relative_to=maybe),
    comparison(F.WHAT_IS_THERE, entities=st.tuples(thing), side=side, relative_to=maybe, form=st.just("yes_no")),
    comparison(F.NEAREST, entities=things, side=st.none() | side, relative_to=maybe),
    comparison(F.FARTHEST, entities=things, relative_to=maybe),
    comparison(F.VISIBILITY, entities=st.tuples(thing)),
    comparison(F.CLOSER_AFTER_MOTION, entities=st.tuples(thing)),
    comparison(F.DISTANCE, entities=st.tuples(thing), unit=st.sampled_from([None, "cm"])),
    comparison(F.COUNT, entities=st.tuples(thing), side=side, relative_to=maybe),
)
placeless = st.one_of(
    comparison(F.DISTANCE, entities=st.tuples(st.just("table"), thing.filter(lambda t: t != "table"))),
    comparison(F.DISTANCE, images=images),
    comparison(F.NEAREST, entities=things, relative_to=thing),
    comparison(F.LARGEST, entities=things, attribute=st.sampled_from([None, "height"])),
    comparison(F.SMALLEST, entities=things),
    comparison(F.SIZE, entities=st.tuples(thing), attribute=st.sampled_from(["longest", "width", None])),
    comparison(F.SIZE, attribute=st.just("room height")),
    comparison(F.AREA),
    comparison(F.COUNT, entities=things),
    comparison(F.PRESENCE, entities=st.tuples(thing)),
    comparison(F.APPEARANCE_ORDER, entities=things),
    comparison(F.CAMERA_MOTION, images=images, relative_to=maybe),
    comparison(F.ROTATION_SENSE, images=images),
    comparison(
        F.OBJECT_MOTION, entities=st.tuples(thing), relative_to=maybe, frame=st.sampled_from(["camera", "object"])
    ),
    comparison(F.EVENT_COUNT, entities=st.tuples(thing)),
    comparison(F.CAMERA_MOTION),
)
routes = st.builds(
    lambda place, faced, stops: Decomposition(
        reference=Reference(kind="object", object=place, facing=Facing(kind="towards_object", object=faced)),
        comparison=Comparison(
            function=F.ROUTE,
            entities=(stops[-1],),
            route=tuple(s for stop in stops for s in (RouteStep(kind="turn"), RouteStep(kind="go", until=stop))),
        ),
    ),
    thing,
    thing,
    things,
)
decompositions = st.one_of(
    st.builds(Decomposition, reference=references(), motions=motions, comparison=viewed),
    st.builds(Decomposition, comparison=placeless),
    st.builds(Decomposition, comparison=viewed),
    routes,
)
KNOWN = MemoryFacts(image_count=4, objects={"table": 1, "tv": 2}, vocabulary=frozenset({"table", "tv"}), scale="metric")


@settings(max_examples=300, deadline=None)
@given(decompositions, st.sampled_from([NO_FACTS, KNOWN, MemoryFacts(image_count=1)]), st.booleans())
def test_a_plan_is_accepted_together_with_its_decomposition(decomposition, facts, pictures):
    try:
        text = plan(decomposition, facts, pictures=pictures)
    except PlanningError as error:
        assert str(error)
        return
    report = check(text, facts=facts if facts.image_count == 4 else None, decomposition=decomposition)
    assert report.ok, f"{text}\n{report.errors}"


def rows(folder):
    for row in map(json.loads, (folder / "mindcube/tiny150_no_hints_shuffled.jsonl").read_text().splitlines()):
        yield row["question"], row["options"], row["n_images"]
    for name in ("real", "synthetic"):
        for row in map(json.loads, (folder / f"vlm4d/{name}.jsonl").read_text().splitlines()):
            yield row["question"], [f"{k}. {v}" for k, v in row["choices"].items()], None
    for row in map(json.loads, (folder / "viewspatial/questions.jsonl").read_text().splitlines()):
        yield row["question"], row["choices"].splitlines(), len(row["image_path"])
    for row in map(json.loads, (folder / "blink/multiview_val.jsonl").read_text().splitlines()[:1]):
        yield row["question"], row["choices"], 2
    for row in map(json.loads, (folder / "vsibench/questions.jsonl").read_text().splitlines()[::5]):
        yield row["question"], row["options"], None


def test_every_benchmark_question_that_is_understood_gives_an_accepted_program(shared_bench):
    rejected = []
    for question, options, count in rows(shared_bench):
        found = decompose(question, options, image_count=count)
        if isinstance(found, NotUnderstood):
            continue
        facts = MemoryFacts(image_count=count)
        report = check(plan(found, facts), facts=facts, decomposition=found)
        if not report.ok:
            rejected.append((question, [d.code for d in report.errors]))
    assert rejected == []


def test_a_thing_is_looked_up_once_and_named_after_what_it_is():
    chairs = Comparison(function=F.NEAREST, entities=("white chairs", "door"), relative_to="white chairs")
    text = plan(Decomposition(comparison=chairs))
    assert text.count('"white chairs"') == 1
    assert 'white_chairs = query_3d_object_location(memory, "white chairs")' in text


@pytest.mark.parametrize(
    "phrase", ["memory", "images", "is", "2 chairs", 'the "big" one', "plan_route", "échelle", "!!"]
)
def test_odd_phrases_make_safe_names(phrase):
    text = plan(Decomposition(comparison=Comparison(function=F.COUNT, entities=(phrase,))))
    assert check(text).ok, text


def test_open_questions_compare_every_kind_of_thing_but_the_reference():
    nearest = Decomposition(comparison=Comparison(function=F.NEAREST, relative_to="sofa"))
    text = plan(nearest, MemoryFacts(objects={"couch": 1, "lamp": 2, "door": 1}))
    assert '"lamp"' in text
    assert '"door"' in text
    assert '"couch"' not in text  # the sofa itself
    with pytest.raises(PlanningError, match="no other objects"):
        plan(nearest, MemoryFacts(objects={"sofa": 1}))


def test_a_side_without_anybody_who_looks_is_refused_where_several_photos_are_known():
    side = Decomposition(comparison=Comparison(function=F.WHAT_IS_THERE, side="left"))
    with pytest.raises(PlanningError, match="nobody looks"):
        plan(side, MemoryFacts(image_count=4))
    assert "image=1" in plan(side, MemoryFacts(image_count=1))


def test_stated_lengths_are_written_in_metres():
    forward = Motion(kind="step", direction="forward", distance=3, unit="ft", quote="3 feet forward")
    closer = Comparison(function=F.CLOSER_AFTER_MOTION, entities=("door",), form="yes_no")
    text = plan(Decomposition(reference=Reference(kind="image", image=1), motions=(forward,), comparison=closer))
    assert 'step_camera(memory, "forward", distance=0.9144)' in text


def test_more_kinds_of_objects_than_a_program_may_compare_are_refused_and_never_cut_short():
    asked = Decomposition(
        reference=Reference(kind="image", image=1),
        comparison=Comparison(function=Function.NEAREST),
    )
    names = [f"thing {n}" for n in range(MAX_CANDIDATES)]
    most = MemoryFacts(image_count=1, objects=dict.fromkeys(names, 1))
    assert check(plan(asked, most), facts=most, decomposition=asked).ok
    with pytest.raises(PlanningError, match="51 kinds"):
        plan(asked, MemoryFacts(image_count=1, objects=dict.fromkeys([*names, "one more"], 1)))
