"""Known lengths: read as people write them, weighed by how well they are known, and a memory in metres afterwards."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from placecell.agents.known_lengths import TAPE, Known, read_known, scaled, solve
from placecell.agents.pipeline import ask
from placecell.backends.synthetic.capture import default_views
from placecell.backends.synthetic.furnish import make_room
from placecell.backends.synthetic.perfect import perfect_memory
from placecell.errors import UserError
from placecell.memory import storage
from placecell.memory.rescale import rescaled
from placecell.memory.scene import Scale


@pytest.mark.parametrize(
    ("text", "metres", "things", "side"),
    [
        ("door height 2.03 m", 2.03, ("door",), "height"),
        ("the height of the door is 203 cm", 2.03, ("door",), "height"),
        ("door width: 3 ft", 0.9144, ("door",), "width"),
        ("door height 6 ft 8 in", 2.032, ("door",), "height"),
        ("door height 6'8\"", 2.032, ("door",), "height"),
        ("coffee table length = 1,2 metres", 1.2, ("coffee table",), "longest"),
        ("#4 depth 40 in", 1.016, ("#4",), "depth"),
        ("Kühlschrank height 1.8m", 1.8, ("Kühlschrank",), "height"),
        ("room height 2.5 m", 2.5, ("room",), "height"),
        ("bed to door 1.5 m", 1.5, ("bed", "door"), None),
        ("the distance between the bed and the door is 150 cm", 1.5, ("bed", "door"), None),
        ("image 1 to image 5 1.20 m", 1.2, ("image 1", "image 5"), None),
        ("Camera 2 to sofa 7 feet", 2.1336, ("camera 2", "sofa"), None),
    ],
)
def test_a_known_length_is_read_as_people_write_it(text, metres, things, side):
    known = read_known(text)
    assert known.metres == pytest.approx(metres)
    assert known.sd == pytest.approx(TAPE * metres)
    assert (known.things, known.side) == (things, side)


def test_a_person_may_say_how_sure_a_length_is():
    assert read_known("door height 2.03 m +- 1 cm").sd == pytest.approx(0.01)
    assert read_known("door height 2.03 m ± 2 mm").sd == pytest.approx(0.002)


@pytest.mark.parametrize(
    "text",
    ["", "2 m", "door", "door height", "door height 2", "door height 2 kg", "door height 0 m", "door 2 m",
     "door height 1,200 mm", "bed to door 3 steps"],
)  # fmt: skip
def test_what_states_no_length_is_refused(text):
    with pytest.raises(UserError):
        read_known(text)


@pytest.fixture(scope="module")
def truth():
    room = make_room(5)
    return perfect_memory(room, default_views(room), size=(64, 48))


@pytest.fixture(scope="module")
def shrunk(truth):
    """The room in a unit of 0.4 m, as structure from motion might have it."""
    return replace(rescaled(truth, 2.5, Scale(), "x"), edits=(), version=1)


def side(memory, name, axis=1):
    (thing,) = [i for i in memory.instances if i.name == name]
    return float(thing.upright_box.size[axis])


def test_a_known_height_gives_the_whole_memory_its_metres(truth, shrunk, tmp_path):
    memory, scaling = scaled(shrunk, [f"door height {side(truth, 'door'):.4f} m"])
    assert scaling.factor == pytest.approx(0.4, rel=1e-4)
    assert memory.scale == Scale("metric", "reference", scaling.relative_error)
    assert scaling.relative_error == pytest.approx(TAPE)
    np.testing.assert_allclose(memory.cloud.points, truth.cloud.points, atol=1e-3)
    np.testing.assert_allclose(memory.frames[3].depth.z, truth.frames[3].depth.z, atol=1e-3)
    for made, true in zip(memory.instances, truth.instances, strict=True):
        np.testing.assert_allclose(made.box.corners, true.box.corners, atol=1e-3)
    assert memory.layout.floor_area == pytest.approx(truth.layout.floor_area, rel=1e-3)
    storage.save(memory, tmp_path / "room.pcell")
    loaded = storage.load(tmp_path / "room.pcell")
    assert loaded.edits[-1].action == "scale" and "door height" in loaded.edits[-1].detail
    question = "How far is the bookshelf from the door in metres?"
    assert ask(shrunk, question).abstained
    answer, right = ask(loaded, question), ask(truth, question)
    assert answer.value == pytest.approx(right.value, rel=0.01)
    assert answer.interval[0] < right.value < answer.interval[1]


def test_two_cameras_give_the_scale_too(truth, shrunk):
    apart = float(np.linalg.norm(truth.frames[0].camera.centre - truth.frames[4].camera.centre))
    memory, scaling = scaled(shrunk, [f"image 1 to image 5 {apart * 100:.2f} cm"])
    assert scaling.factor == pytest.approx(0.4, rel=1e-3)
    assert memory.scale.source == "user"
    assert scaling.relative_error == pytest.approx(math.hypot(0.01, TAPE))


def test_several_lengths_are_weighed_and_agreement_narrows_the_error(truth, shrunk):
    known = [f"door height {side(truth, 'door'):.4f} m", f"bookshelf height {side(truth, 'bookshelf'):.4f} m"]
    one, both = solve(shrunk, [read_known(known[0])]), solve(shrunk, [read_known(k) for k in known])
    assert both.relative_error == pytest.approx(one.relative_error / math.sqrt(2), rel=1e-3)
    assert both.disagreeing == ()


def test_lengths_that_disagree_are_reported_and_widen_the_error(truth, shrunk):
    right, wrong = side(truth, "door"), 1.1 * side(truth, "bookshelf")
    scaling = solve(shrunk, [read_known(f"door height {right} m"), read_known(f"bookshelf height {wrong} m")])
    assert len(scaling.disagreeing) == 2
    assert [round(c.off, 2) for c in scaling.checks] == [0.05, -0.05]
    assert scaling.relative_error > 0.04


@given(st.lists(st.tuples(st.floats(0.5, 3), st.floats(0.001, 0.2)), min_size=1, max_size=5), st.floats(0.1, 10))
def test_another_unit_of_the_memory_changes_the_factor_only(truth, stated, unit):
    known = [Known("k", m, sd * m, ("door",), "height") for m, sd in stated]
    here, there = solve(truth, known), solve(rescaled(truth, unit, Scale(), "x"), known)
    assert there.factor == pytest.approx(here.factor / unit, rel=1e-5)
    assert there.relative_error == pytest.approx(here.relative_error, rel=1e-5)
    assert min(m for m, _ in stated) <= here.factor * side(truth, "door") * (1 + 1e-9)
    assert here.factor * side(truth, "door") <= max(m for m, _ in stated) * (1 + 1e-9)


def test_a_memory_in_metres_is_not_scaled_by_accident(truth):
    with pytest.raises(UserError, match=r"in metres already \(from synthetic\).*anew"):
        scaled(truth, ["door height 1 m"])
    memory, _ = scaled(truth, ["door height 1 m"], anew=True)
    assert side(memory, "door") == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("piano height 1 m", "no 'piano'"),
        ("#999 height 1 m", "no object 999"),
        ("image 1 to image 99 1 m", "there is no image 99"),
        ("image 1 to image 1 1 m", "measures nothing"),
    ],
)
def test_what_the_memory_does_not_have_is_named(shrunk, text, message):
    with pytest.raises(UserError, match=message):
        scaled(shrunk, [text])


def test_rescaling_there_and_back_is_the_same_memory(truth):
    back = rescaled(rescaled(truth, 4.0, Scale(), "x"), 0.25, truth.scale, "y")
    np.testing.assert_array_equal(back.cloud.points, truth.cloud.points)
    for a, b in zip(back.frames, truth.frames, strict=True):
        np.testing.assert_array_equal(a.camera.world_from_cam, b.camera.world_from_cam)
    with pytest.raises(ValueError, match="positive"):
        rescaled(truth, 0.0, Scale(), "x")
