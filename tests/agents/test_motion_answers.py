"""Questions about videos, asked in words of memories whose tracks are exact: the whole way from text to option."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from placecell.agents.pipeline import ask
from placecell.backends.synthetic.moving.acts import Act
from placecell.backends.synthetic.moving.film import film, true_tracks
from placecell.backends.synthetic.moving.perfect import perfect_video
from placecell.backends.synthetic.moving.questions import questions_about
from placecell.backends.synthetic.moving.stage import make_scene

SMALL = (80, 60)
NO_CARS = "there are no cars in the video"
SIDES = ["left", "right", "not moving", NO_CARS]


def video_of(*acts, camera="static", name="car"):
    """A memory of things called ``name`` that do these acts, one each."""
    scene = make_scene(4, camera=camera, movers=3, frames=12, every_s=0.4)
    body = next(m for m in scene.movers if m.faces)
    movers = tuple(replace(body, id=10 + k, name=name, act=act) for k, act in enumerate(acts))
    scene = replace(scene, movers=movers)
    return perfect_video(scene, film(scene, size=SMALL))


def go(heading, x=0.0, z=-1.0, deed="go", **more):
    return Act(deed, (x, z), heading, more.pop("length", 2.0), **more)


def answer(memory, question, options=None):
    found = ask(memory, question, options)
    assert found.reason is None, found.reason
    return found.answer


RIGHT = video_of(go(90, -1.0))
STILL = video_of(Act("still", (0.0, -1.0), 90))


@pytest.mark.parametrize(("heading", "word"), [(90, "right"), (-90, "left"), (0, "away"), (180, "towards")])
@pytest.mark.parametrize("camera", ["static", "pan left", "walk left", "shake"])
def test_directions_are_the_things_own_whatever_the_camera_does(heading, word, camera):
    memory = video_of(go(heading), camera=camera)
    if word in ("left", "right"):
        assert answer(memory, "What direction is the car moving towards?", SIDES) == word
    else:
        options = ["towards the camera", "away from the camera", "not moving"]
        assert answer(memory, "Is the car moving towards or away from the camera?", options).startswith(word)


def test_what_stands_is_said_not_to_move_even_for_a_camera_that_walks():
    for camera in ("static", "walk right", "pan right"):
        memory = video_of(Act("still", (0.0, -1.0), 90), camera=camera)
        assert answer(memory, "What direction is the car moving towards?", SIDES) == "not moving"
        assert (
            answer(memory, "What direction is the crate moving towards?", [*SIDES[:3], "no crate there"])
            == "not moving"
        )


def test_what_is_not_there_is_said_to_be_absent():
    assert answer(RIGHT, "What direction is the bus moving towards?", [*SIDES[:3], "no bus there"]) == "no bus there"
    assert answer(RIGHT, "Is the horse spinning clockwise or counter-clockwise?",
                  ["clockwise", "counter-clockwise", "no horse there"]) == "no horse there"  # fmt: skip
    assert answer(RIGHT, "Does the bus move to the left?", ["Yes", "No"]) == "No"
    assert answer(RIGHT, "Is there a bus in the video?") == "No"
    assert answer(RIGHT, "Is there a car in the video?") == "Yes"


def test_a_name_nobody_looked_for_is_no_absence():
    found = ask(RIGHT, "What direction is the unicorn moving towards?", [*SIDES[:3], "no unicorn there"])
    assert found.abstained
    assert "looked for" in found.reason
    assert ask(RIGHT, "Is there a unicorn in the video?", ["Yes", "No"]).abstained


def test_own_perspective_tells_backing_up_from_going_ahead():
    options = ["forwards", "backwards", "not moving", NO_CARS]
    question = "Is the car moving forwards or backwards from its own perspective?"
    assert answer(RIGHT, question, options) == "forwards"
    assert answer(video_of(go(90, -1.0, deed="back up")), question, options) == "backwards"
    assert answer(STILL, question, options) == "not moving"


@pytest.mark.parametrize(("degrees", "word"), [(90.0, "right"), (-90.0, "left")])
def test_turns_are_the_movers_own_sides(degrees, word):
    memory = video_of(go(180, 0.0, -3.0, deed="turn", length=4.0, degrees=degrees))
    options = ["left", "right", "not turning", NO_CARS]
    assert answer(memory, "From the car's perspective, is the car turning to the left or right?", options) == word
    assert (
        answer(RIGHT, "From the car's perspective, is the car turning to the left or right?", options) == "not turning"
    )


@pytest.mark.parametrize(("degrees", "word"), [(400.0, "clockwise"), (-400.0, "counter-clockwise")])
def test_spins_are_seen_from_above(degrees, word):
    memory = video_of(Act("spin", (0.0, -1.0), 0.0, degrees=degrees))
    options = ["clockwise", "counter-clockwise", "not spinning"]
    assert answer(memory, "Is the car spinning clockwise or counter-clockwise?", options) == word
    assert answer(RIGHT, "Is the car spinning clockwise or counter-clockwise?", options) == "not spinning"


def test_halves_of_a_way_there_and_back_have_their_own_directions():
    memory = video_of(go(90, -1.0, deed="to and fro", legs=2))
    assert answer(memory, "In the first half of the video, what direction is the car moving towards?", SIDES) == "right"
    assert answer(memory, "In the second half of the video, what direction is the car moving towards?", SIDES) == "left"
    assert answer(memory, "How many times does the car change direction?", ["0", "1", "2"]) == "1"


def test_movers_are_counted_by_what_they_do():
    memory = video_of(go(90, -3.0, -3.0), go(90, -1.0, 0.0), go(-90, 3.0, -3.0), Act("still", (2.0, 0.5), 0.0))
    numbers = ["0", "1", "2", "3"]
    assert answer(memory, "How many cars are moving to the right?", numbers) == "2"
    assert answer(memory, "How many cars are moving to the left?", numbers) == "1"
    assert answer(memory, "How many cars are moving towards the camera?", numbers) == "0"
    assert answer(memory, "How many cars are not moving?", numbers) == "1"
    assert answer(memory, "How many cars are there in the video?", ["2", "3", "4"]) == "4"
    assert answer(memory, "How many buses are moving to the left?", numbers) == "0"


def test_a_landmark_decides_towards_and_away():
    scene_pillar = next(i for i in STILL.instances if i.name == "pillar").centre
    side = 90 if scene_pillar[0] > 0 else -90
    memory = video_of(Act("go", (-np.sign(scene_pillar[0]) * 2.5, 2.0), side, 2.0))
    options = ["towards", "away", "not moving"]
    assert answer(memory, "Is the car moving towards or away from the pillar?", options) == "towards"
    back = video_of(Act("go", (0.0, 2.0), -side, 2.0))
    assert answer(back, "Is the car moving towards or away from the pillar?", options) == "away"


def test_world_coordinates_are_those_of_the_first_camera():
    memory = video_of(go(90, -1.0), camera="pan right")
    options = ["left", "right", "forwards", "backwards"]
    assert answer(memory, "In world coordinates, which direction is the car moving?", options) == "right"


@pytest.mark.parametrize(
    ("camera", "moved", "turned"),
    [
        ("static", "not moving", "not turning"),
        ("shake", "not moving", "not turning"),
        ("pan left", "not moving", "left"),
        ("pan right", "not moving", "right"),
        ("walk forward", "forward", "not turning"),
        ("walk left", "left", "not turning"),
    ],
)
def test_the_cameras_own_way_and_turn(camera, moved, turned):
    memory = video_of(Act("still", (0.0, -1.0), 90), camera=camera)
    ways = ["left", "right", "forward", "backward", "not moving"]
    assert answer(memory, "Which direction did the camera move?", ways) == moved
    assert answer(memory, "Which way did the camera pan?", ["left", "right", "not turning"]) == turned


def test_what_moves_a_way_is_picked_from_the_offered_things():
    question, options = "What object is moving to the right in the scene?", ["a bus", "a car", "a dog", "a crate"]
    assert answer(RIGHT, question, options) == "a car"
    assert ask(STILL, question, options).abstained


def test_open_questions_and_yes_or_no_are_answered_in_words():
    assert answer(RIGHT, "Which way is the car moving?") == "right"
    assert answer(RIGHT, "Does the car move to the right?") == "Yes"
    assert answer(RIGHT, "Does the car move to the left?") == "No"
    assert answer(STILL, "Which way is the car moving?") == "not moving"


def test_events_that_tracks_do_not_show_are_not_answered():
    found = ask(RIGHT, "How many people are laughing?", ["0", "1", "2"])
    assert found.abstained


def test_a_memory_at_rest_answers_no_question_about_motion():
    found = ask(replace(RIGHT, dynamic=False, tracks=()), "What direction is the car moving towards?", SIDES)
    assert found.abstained


def test_true_tracks_answer_every_question_of_some_scenes():
    wrong = []
    for seed in (1, 5, 6):
        scene = make_scene(seed)
        video = film(scene)
        memory = perfect_video(scene, video, true_tracks(scene, video))
        for asked in questions_about(scene, video, per_family=2):
            found = ask(memory, asked.question, asked.options)
            if found.letter != asked.answer:
                wrong.append((seed, asked.question, asked.truth, found.answer, found.reason))
    assert wrong == []


def test_passes_and_contacts_are_those_with_the_thing_named():
    memory = video_of(go(90, -1.5, -1.0, length=2.5), Act("still", (-0.3, -2.2), 0), Act("still", (1.2, -1.0), 0))
    car, crate, barrel = (replace(t, name=n) for t, n in zip(memory.tracks, ("car", "crate", "barrel"), strict=True))
    memory = replace(memory, tracks=(car, crate, barrel), vocabulary=memory.vocabulary | {"crate", "barrel"})
    yes_no = ["Yes", "No"]
    assert answer(memory, "Does the car pass the crate?", yes_no) == "Yes"
    assert answer(memory, "Does the car touch the crate?", yes_no) == "No"
    assert answer(memory, "Does the car bump into the barrel?", yes_no) == "Yes"
    assert answer(memory, "How many times does the car touch the barrel?", ["0", "1", "2"]) == "1"
    assert answer(memory, "How many cars pass the crate?", ["0", "1", "2"]) == "1"
    assert answer(memory, "Does the crate pass the car?", yes_no) == "No"
    assert ask(memory, "Does the car pass the piano?", yes_no).reason is not None


@pytest.mark.parametrize(
    ("heading", "deed", "word"), [(90, "go", "right"), (-90, "go", "left"), (90, "back up", "left")]
)
def test_what_faces_a_way_in_a_video_is_told_by_its_front_and_without_one_by_the_way_it_goes(heading, deed, word):
    sides = ["left", "right", "front", "back"]
    memory = video_of(go(heading, deed=deed))
    assert answer(memory, "Which direction is the car facing?", sides) == word
    (track,) = memory.tracks
    unstated = replace(memory, tracks=(replace(track, front_deg=np.full(len(track.frames), np.nan), front_from=None),))
    opposite = {"left": "right", "right": "left"}[word]
    assert answer(unstated, "Which direction is the car facing?", sides) == (opposite if deed == "back up" else word)
    rests = replace(
        track, centres=np.tile(track.centres[:1], (len(track.frames), 1)), front_deg=unstated.tracks[0].front_deg
    )
    found = ask(replace(memory, tracks=(replace(rests, front_from=None),)), "Which direction is the car facing?", sides)
    assert found.reason is not None
