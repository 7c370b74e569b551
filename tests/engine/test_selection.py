"""Choosing one object: criteria, phrases, colours, and how clear the choice was."""

from __future__ import annotations

from dataclasses import replace

import pytest
from engine_memories import frame, memory, room, thing
from engine_running import values

from placecell.engine.colours import colour_fits
from placecell.engine.values import Absent, InstanceValue

STAND = "here = query_camera_pose(memory, image=1)\nset_viewpoint(memory, at=here)\n"


def chosen(by, scene, of="", name="chair"):
    (one,) = values(
        STAND
        + f"""
        table = query_3d_object_location(memory, "table")
        things = query_3d_object_location(memory, "{name}")
        one = select_object(things, by="{by}"{f", of={of}" if of else ""})
        return [one, measure_size(memory, one)]
        """,
        scene,
    )[:1]
    return one


def chairs():
    return memory(
        [frame(1, (0, 1.5, 0), (0, 1.5, -1))],
        [
            thing(1, "chair", (-1, 0.5, -1), (0.4, 0.8, 0.4), confidence=0.9),
            thing(2, "chair", (0.5, 0.9, -2), (0.5, 0.9, 0.5), confidence=0.7),
            thing(3, "chair", (2, 0.3, -3), (0.6, 0.6, 0.3), confidence=0.8),
            thing(4, "table", (2.5, 0.4, -3.5)),
        ],
    )


@pytest.mark.parametrize(
    ("by", "which"),
    [
        ("nearest", 1),
        ("farthest", 3),
        ("largest", 2),
        ("smallest", 3),
        ("leftmost", 1),
        ("rightmost", 3),
        ("highest", 2),
        ("lowest", 3),
        ("most_confident", 1),
        ("the biggest one", 2),
        ("the one furthest away", 3),
    ],
)
def test_each_criterion_picks_its_object(by, which):
    one = chosen(by, chairs())
    assert isinstance(one, InstanceValue) and one.instance.id == which
    assert one.margin is not None and one.margin > 0 and one.runner_up is not None


def test_nearest_counts_from_what_is_given():
    assert chosen("nearest", chairs(), of="table").instance.id == 3


def test_only_needs_exactly_one():
    one = chosen("only", chairs())
    assert isinstance(one, Absent) and one.reason == "ambiguous"
    assert chosen("only", chairs(), name="table").instance.id == 4


def test_a_close_choice_says_so():
    scene = chairs()
    same = tuple(replace(t, size_sd=0.2) for t in scene.instances)
    one = chosen("largest", replace(scene, instances=same))
    assert one.margin == 0 and "close to chair 1" in one.evidence.flags


def test_nothing_is_chosen_from_nothing():
    assert chosen("nearest", room(), name="door").reason == "not found"
    assert chosen("nearest", room(), name="unicorn").reason == "not looked for"


def coloured(*colours):
    frames = [frame(n, (0, 1, 0), colour=c) for n, c in enumerate(colours, 1)]
    things = [thing(n, "chair", (n, 0, -2), views=(n,)) for n in range(1, len(colours) + 1)]
    return memory(frames, things)


def test_a_colour_is_judged_on_the_photos_of_each_candidate():
    scene = coloured((200, 30, 30), (30, 60, 200), (60, 160, 60))
    assert chosen("the blue one", scene).instance.id == 2
    assert chosen("red", scene).instance.id == 1
    assert chosen("the purple one", scene).reason == "not found"


def test_two_of_a_colour_are_ambiguous_and_unknown_phrases_are_not_guessed():
    assert chosen("the red one", coloured((200, 30, 30), (210, 40, 40))).reason == "ambiguous"
    assert chosen("the one with a cushion", coloured((200, 30, 30), (0, 0, 200))).reason == "ambiguous"


def test_a_single_candidate_of_another_colour_is_not_taken():
    assert chosen("the blue one", coloured((200, 30, 30))).reason == "not found"
    assert chosen("the red one", coloured((200, 30, 30))).instance.id == 1


def test_without_pictures_a_colour_is_not_seen():
    assert chosen("the red one", chairs()).reason == "not seen"


@pytest.mark.parametrize(
    ("rgb", "name"),
    [
        ((10, 10, 12), "black"),
        ((245, 245, 245), "white"),
        ((128, 128, 130), "grey"),
        ((200, 20, 20), "red"),
        ((240, 140, 20), "orange"),
        ((240, 220, 40), "yellow"),
        ((40, 160, 60), "green"),
        ((30, 70, 200), "blue"),
        ((120, 40, 180), "purple"),
        ((250, 150, 180), "pink"),
        ((110, 70, 40), "brown"),
        ((225, 205, 170), "beige"),
    ],
)
def test_colours_are_named_as_people_name_them(rgb, name):
    scene = coloured(rgb)
    fits = colour_fits(scene, scene.instances[0])
    assert max(fits, key=fits.__getitem__) == name
