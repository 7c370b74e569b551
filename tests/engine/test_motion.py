"""Motion of exact tracks: directions in every frame, turns, spins, reversals, rest, events and counts."""

import numpy as np
import pytest
from moving_memories import EYE, TIMES, moving_memory, still_camera

from placecell.engine.context import Budget, Context, PictureSettings
from placecell.engine.describe import describe, record
from placecell.engine.dynamic import count_events, measure_motion, track_object
from placecell.engine.values import Absent
from placecell.geometry.transforms import step, turn
from placecell.memory.track import true_track

N = len(TIMES)
SHARE = np.linspace(0, 1, N)[:, None]
START = np.array([0.0, 0.5, -4.0])
WAYS = {
    "right": [1, 0, 0],
    "left": [-1, 0, 0],
    "up": [0, 1, 0],
    "down": [0, -1, 0],
    "away": [0, 0, -1],
    "towards": [0, 0, 1],
}


def measured(memory, name="car", frame="camera", during="whole", at=None):
    context = Context(lambda request: memory, Budget(), PictureSettings(), "video")
    return measure_motion(context, memory, track_object(context, memory, name), frame, during, at)


def counted(memory, event, count="movers", name="car", frame="camera", other="any"):
    context = Context(lambda request: memory, Budget(), PictureSettings(), "video")
    whom = other if other in ("any", "camera") else track_object(context, memory, other)
    return count_events(context, memory, track_object(context, memory, name), event, count, frame, "whole", None, whom)


def car(centres, **more):
    more.setdefault("size", 0.4)
    return true_track(1, "car", TIMES, centres, **more)


def only(motion):
    (found,) = motion.movements
    return found


def arc(degrees, radius=2.0):
    """A way that starts away from the camera (heading 0) and bends to the right by ``degrees``."""
    angle = np.radians(degrees) * SHARE[:, 0]
    sign = np.sign(degrees)
    x, z = sign * radius * (1 - np.cos(angle)), -radius * np.sin(np.abs(angle))
    return START + np.stack([x, 0 * x, z], axis=-1)


@pytest.mark.parametrize(("word", "way"), WAYS.items())
@pytest.mark.parametrize("frame", ["camera", "screen"])
def test_a_straight_way_has_its_word_in_the_cameras_terms(word, way, frame):
    found = only(measured(moving_memory(car(START + 1.5 * SHARE * way)), frame=frame))
    assert found.moving
    assert found.words[0] == word
    if frame == "camera":
        np.testing.assert_allclose(found.displacement, np.array(way) * [1.5, 1.5, -1.5], atol=1e-9)
        assert found.words == (word,)


@pytest.mark.parametrize("pan", [-60, -20, 25, 70])
@pytest.mark.parametrize("word", ["left", "right", "up"])
def test_the_cameras_own_pan_and_walk_do_not_change_the_way_of_a_mover(word, pan):
    poses = [step(turn(p, right=pan * s), forward=0.8 * s) for p, s in zip(still_camera(), SHARE[:, 0], strict=True)]
    memory = moving_memory(car(START + SHARE * WAYS[word]), poses=np.array(poses))
    assert only(measured(memory, frame="world")).words == (word,)
    assert only(measured(memory, frame="screen")).words[0] == word
    assert word in only(measured(memory, frame="camera")).words


@pytest.mark.parametrize("pan", [-40, 40])
def test_a_thing_at_rest_does_not_move_when_the_camera_does(pan):
    poses = np.array([step(turn(p, right=pan * s), right=s) for p, s in zip(still_camera(), SHARE[:, 0], strict=True)])
    noise = np.random.default_rng(0).normal(0, 0.02, (N, 3))
    found = only(measured(moving_memory(car(START + noise, centre_sd=0.02), poses=poses)))
    assert not found.moving
    assert found.words == ("not moving",)
    assert found.path == 0


def test_noise_alone_is_called_movement_in_fewer_than_two_of_a_hundred_tracks():
    called = 0
    for seed in range(200):
        noise = np.random.default_rng(seed).normal(0, 0.05, (N, 3))
        called += only(measured(moving_memory(car(START + noise, centre_sd=0.05)))).moving
    assert called < 4


@pytest.mark.parametrize("front", [0.0, 90.0, 200.0])
@pytest.mark.parametrize(("word", "ahead"), [("forward", 0), ("right", 90), ("backward", 180), ("left", -90)])
def test_a_known_front_tells_the_movers_own_directions(front, word, ahead):
    angle = np.radians(front + ahead)
    way = [np.sin(angle), 0, -np.cos(angle)]
    found = only(measured(moving_memory(car(START + SHARE * way, front_deg=front)), frame="self"))
    assert found.front_known
    assert found.words == (word,)


def test_without_a_known_front_a_mover_that_reverses_goes_backward():
    there_and_back = np.concatenate([np.linspace(0, 1, 12), np.linspace(1, -1, N - 12)])[:, None]
    memory = moving_memory(car(START + there_and_back * [1, 0, 0]))
    assert only(measured(memory, frame="self", during="last_half")).words == ("forward",)  # nothing else is known then
    whole = only(measured(memory, frame="self"))
    assert not whole.front_known
    assert whole.words == ("backward",)
    assert [(e.kind, e.word) for e in whole.events if e.kind == "reversal"] == [("reversal", "backward")]


@pytest.mark.parametrize("degrees", [60, 90, 150, -60, -90, -150])
def test_a_bend_is_a_turn_to_its_side_by_its_angle(degrees):
    found = only(measured(moving_memory(car(arc(degrees)))))
    assert found.turned == pytest.approx(degrees, rel=0.12)
    side = "right" if degrees > 0 else "left"
    assert [e.word for e in found.events if e.kind == "turn"] == [side]
    assert counted(moving_memory(car(arc(degrees))), f"turn-{side}").value == 1


def test_reversals_are_counted_at_their_times_and_are_no_turns():
    swing = np.sin(2 * np.pi * TIMES / 2.0)[:, None]
    found = only(measured(moving_memory(car(START + swing * [0.8, 0, 0]))))
    reversals = [e for e in found.events if e.kind == "reversal"]
    np.testing.assert_allclose([e.at_s for e in reversals], [0.5, 1.5, 2.5], atol=0.11)
    assert [e.word for e in reversals] == ["left", "right", "left"]
    assert found.turned == pytest.approx(0, abs=1e-9)
    assert found.moving


@pytest.mark.parametrize("sense", [1, -1])
def test_a_spin_on_the_spot_has_its_sense_from_above(sense):
    found = only(measured(moving_memory(car(np.tile(START, (N, 1)), spin=[0, -sense * 120.0, 0]))))
    assert not found.moving
    assert found.spun == found.spun_above == pytest.approx(sense * 360)
    assert [e.word for e in found.events] == ["clockwise" if sense > 0 else "counterclockwise"]


@pytest.mark.parametrize("sense", [1, -1])
def test_a_wheel_seen_from_the_front_turns_clockwise_about_the_sight_line(sense):
    # By the right-hand rule about -z, the way the camera looks, right goes down: clockwise in the picture.
    found = only(measured(moving_memory(car(np.tile([0, EYE[1], -4], (N, 1)), spin=[0, 0, -sense * 90.0]))))
    assert found.spun == found.spun_seen == pytest.approx(sense * 270)


def test_what_is_not_known_to_spin_has_no_spin():
    assert np.isnan(only(measured(moving_memory(car(START + SHARE)))).spun)


@pytest.mark.parametrize(("way", "sign"), [("towards", -1), ("away", 1)])
def test_approach_is_the_change_of_distance(way, sign):
    found = only(measured(moving_memory(car(EYE + [0, 0, -4] + SHARE * WAYS[way]))))
    assert found.approach == pytest.approx(sign, abs=0.01)


def test_halves_and_moments_are_measured_alone():
    up_then_right = START + np.where(TIMES[:, None] < 1.5, TIMES[:, None] * [0, 1, 0], [0, 1.5, 0])
    up_then_right = up_then_right + np.maximum(TIMES - 1.5, 0)[:, None] * [1, 0, 0]
    memory = moving_memory(car(up_then_right))
    assert only(measured(memory, during="first_half")).words == ("up",)
    assert only(measured(memory, during="last_half")).words == ("right",)
    assert only(measured(memory, at=2.5)).words == ("right",)
    assert isinstance(measured(memory, at=60.0), Absent)


def test_a_mover_seen_in_one_half_only_is_not_seen_in_the_other():
    late = true_track(1, "car", TIMES[20:], (START + SHARE)[20:], frames=np.arange(21, N + 1))
    absent = measured(moving_memory(late), during="first_half")
    assert isinstance(absent, Absent)
    assert absent.reason == "not seen"


def test_movers_are_counted_by_their_way():
    tracks = [
        true_track(i, "car", TIMES, START + [0, 0, -i] + SHARE * w) for i, w in enumerate([*WAYS.values()] * 2, 1)
    ]
    memory = moving_memory(*tracks, vocabulary=["dog"])
    for word in WAYS:
        assert counted(memory, word).value == 2, word
    assert counted(memory, "moving").value == 12
    assert counted(memory, "still").value == 0
    assert counted(memory, "left", name="dog").value == 0
    assert isinstance(counted(memory, "left", name="horse"), Absent)


def test_no_such_object_is_told_from_nobody_looked():
    memory = moving_memory(car(START + SHARE), vocabulary=["dog"])
    context = Context(lambda request: memory, Budget(), PictureSettings(), "video")
    dog, horse = (track_object(context, memory, name) for name in ("dog", "horse"))
    assert (dog.reason, dog.tracks) == ("not found", ())
    assert dog.confidence > 0.9
    assert (horse.reason, horse.confidence) == ("not looked for", 0.0)
    assert measured(memory, "dog").reason == "not found"


def test_a_car_passes_a_slower_one_and_touches_a_wall():
    slow = true_track(2, "truck", TIMES, START + [0, 0, 0.6] + SHARE * [0.2, 0, 0], size=0.4)
    wall = true_track(3, "wall", TIMES, np.tile([1.3, 0.5, -4], (N, 1)), size=0.2)
    memory = moving_memory(car(START + [-1, 0, 0] + SHARE * [2.2, 0, 0]), slow, wall)
    events = only(measured(memory)).events
    assert {(e.kind, e.word) for e in events} == {("pass", "truck"), ("contact", "wall")}
    assert counted(memory, "contact").value == 1


def test_what_comes_by_close_passes_the_camera():
    close, far = (moving_memory(car([-1, 1.2, z] + SHARE * [2, 0, 0])) for z in (-0.8, -5.0))
    assert [(e.kind, e.word) for e in only(measured(close)).events] == [("pass", "camera")]
    assert only(measured(far)).events == ()


def test_passes_and_contacts_are_counted_with_the_one_thing_asked_about():
    slow = true_track(2, "truck", TIMES, START + [0, 0, 0.6] + SHARE * [0.2, 0, 0], size=0.4)
    wall = true_track(3, "wall", TIMES, np.tile([1.3, 0.5, -4], (N, 1)), size=0.2)
    memory = moving_memory(car(START + [-1, 0, 0] + SHARE * [2.2, 0, 0]), slow, wall)
    assert counted(memory, "pass", other="truck").value == counted(memory, "contact", other="wall").value == 1
    assert counted(memory, "pass", other="wall").value == counted(memory, "contact", other="truck").value == 0
    assert counted(memory, "pass", other="camera").value == 0
    assert counted(memory, "pass", other="bus").kind == "count"
    assert counted(memory, "reversal", other="truck").reason == "degenerate"


def test_a_tall_thing_is_touched_where_it_stands_not_where_its_height_would_reach():
    pillar = true_track(2, "pillar", TIMES, np.tile([0.0, 1.3, -4.0], (N, 1)), size=2.6, width=0.4)
    beside, into = (moving_memory(car([-1, 0.5, z] + SHARE * [2, 0, 0]), pillar) for z in (-2.9, -3.9))
    assert [counted(m, "contact").value for m in (beside, into)] == [0, 1]
    assert [counted(m, "pass").value for m in (beside, into)] == [1, 1]


def test_of_many_movers_those_that_are_not_listed_are_counted():
    tracks = [true_track(k, "car", TIMES, START + SHARE * WAYS["right"] + (0, 0, -k), size=0.4) for k in range(15)]
    motion = measured(moving_memory(*tracks))
    assert len(motion.movements) == 15 and "and 3 more (" in describe(motion)
    numbers = record(motion)
    assert (numbers["count"], len(numbers["movements"])) == (15, 12)
