"""What the viewer does without a browser: clicks, corrections, moments of a log, moving things, who may connect."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from placecell.agents.events import NoteEvent, PictureRef, RunEvent, StepRow, ViewEvent
from placecell.agents.log import Log
from placecell.apps.viewer.moments import moments
from placecell.apps.viewer.picking import Ray, between, owner, pick
from placecell.apps.viewer.session import Session
from placecell.apps.viewer.tracks import place_at, span_s
from placecell.engine.surfaces import surface_of
from placecell.errors import UserError
from placecell.memory import storage
from placecell.memory.track import true_track

pytest.importorskip("viser", reason="needs the extra [viewer]")
from placecell.apps.viewer.cards import answer_card, object_card
from placecell.apps.viewer.server import allowed

DEPTH = 0.2


@pytest.fixture(scope="module")
def room(served):
    return storage.load(served / "room.pcell")


def towards(eye, target) -> Ray:
    eye, target = np.asarray(eye, float), np.asarray(target, float)
    return Ray(eye, (target - eye) / np.linalg.norm(target - eye))


def test_a_click_on_what_a_photo_shows_of_an_object_selects_it(room):
    surface = surface_of(room)
    for thing in [i for i in room.instances if len(i.points) > 300][:6]:
        view = max(thing.views, key=lambda v: v.pixels)
        eye = room.frame(view.frame).camera.centre
        aim = thing.points[np.argmin(np.linalg.norm(thing.points - thing.centre, axis=1))]
        hit = pick(room, surface, [], DEPTH, towards(eye, aim))
        assert hit.point is not None and hit.frame is None
        # What hides the aim may be clicked instead; then that is what the point belongs to.
        expected = owner(room, hit.point, surface.spacing)
        assert hit.instance == (None if expected is None else expected.id)
        if np.linalg.norm(hit.point - aim) < 0.05:
            assert any(i.id == hit.instance and i.box.contains(aim, margin=0.05) for i in room.instances)


def test_a_click_on_a_cameras_picture_means_that_photo_unless_something_is_before_it(room):
    surface, numbers = surface_of(room), [f.number for f in room.posed_frames]
    frame = room.posed_frames[0]
    middle = (frame.camera.world_from_cam @ [0, 0, DEPTH, 1])[:3]
    assert pick(room, surface, numbers, DEPTH, towards(frame.camera.centre, middle)).frame == frame.number
    assert pick(room, surface, [], DEPTH, towards(frame.camera.centre, middle)).frame is None


def test_without_points_the_boxes_themselves_are_clicked(room):
    boxes = replace(room, cloud=room.cloud.select(slice(0, 0)))
    thing = max(boxes.instances, key=lambda i: i.box.centre[1])
    above = thing.box.centre + np.array([0, 5, 0])
    hit = pick(boxes, surface_of(boxes), [], DEPTH, towards(above, thing.box.centre))
    assert hit.instance == thing.id
    assert np.linalg.norm(hit.point - above) < 5


def test_two_clicks_measure_their_distance_with_the_memorys_own_uncertainty(room):
    length = between(room, np.zeros(3), np.array([3.0, 0, 4.0]), 0.02)
    assert length.value == 5 and length.unit == room.unit
    assert length.sd >= 0.02 / np.sqrt(6)


def test_corrections_can_be_taken_back_one_by_one_and_not_further_than_the_session(room):
    session = Session(room)
    first, second, third = room.instances[:3]
    session.rename(first.id, "thing of mine")
    merged = session.merge([second.id, third.id])
    session.remove([merged])
    assert session.unsaved == 3
    for _ in range(3):
        session.undo()
    assert {(i.id, i.name) for i in session.memory.instances} == {(i.id, i.name) for i in room.instances}
    with pytest.raises(UserError, match="nothing was changed here"):
        session.undo()


def test_what_is_saved_is_what_is_loaded_and_a_file_changed_by_another_is_kept(room, tmp_path):
    path = tmp_path / "room.pcell"
    storage.save(room, path)
    mine, other = Session(storage.load(path), path), Session(storage.load(path), path)
    mine.rename(room.instances[0].id, "mine")
    mine.save()
    assert mine.unsaved == 0
    assert storage.load(path).instances[0].name == "mine"
    mine.rename(room.instances[0].id, "mine again")
    mine.save()
    other.remove([room.instances[0].id])
    with pytest.raises(UserError, match="was changed since"):
        other.save()
    assert storage.load(path).instances[0].name == "mine again"


def test_a_memory_without_a_file_says_how_to_save_it(room):
    with pytest.raises(UserError, match="no file yet"):
        Session(room).save()


def test_an_answer_comes_with_its_log_and_is_about_the_corrected_memory(room):
    session = Session(room)
    session.rename(room.instances[0].id, "throne")
    answer, log = session.ask("How many thrones are there?")
    assert answer.value == 1
    steps = moments(log)
    assert steps[0].title == "Question" and steps[-1].title == "Answer"
    assert steps[-1].instances == answer.evidence.instances
    with pytest.raises(UserError, match="no question"):
        session.ask("  ")


def test_a_run_that_turns_is_replayed_with_every_viewpoint(room):
    name = room.instances[0].name
    answer, log = Session(room).ask(f"You are at image 1 and turn right. In which direction is the {name}?")
    eyes = [m.eye for m in moments(log) if m.title.startswith("Step") and m.eye is not None]
    assert eyes, answer.reason
    assert np.allclose(eyes[0][:3, 3], room.frame(1).camera.centre)


def test_a_pose_in_a_log_that_is_none_is_left_out():
    log = Log()
    rows = [[1.0, 0, 0, 0], [0, 1.0, 0, 0], [0, 0, 1.0, 0], [0, 0, 0, 1.0]]
    for camera in ({}, {"world_from_cam": rows}, {"world_from_cam": rows[:3]}, {"world_from_cam": "here"}):
        picture = PictureRef(digest="0", media_type="image/png", bytes=1, width=1, height=1, camera=camera)
        log.add(ViewEvent(asked={"azimuth": 30}, picture=picture))
    bent = tuple((9.0, 9.0, 9.0, 9.0) for _ in range(4))
    log.add(RunEvent(steps=(StepRow(number=1, line=1, target=None, operation="x", arguments="", result="", eye=bent),)))
    log.add(NoteEvent(text="done"))
    assert [m.eye is not None for m in moments(log)] == [False, True, False, False, False, False]


def test_a_moving_thing_is_between_its_samples_and_nowhere_before_or_after():
    track = true_track(1, "cat", [1.0, 2.0, 4.0], [[0, 0, 0], [1, 0, 0], [3, 0, 2]], seen=[1, 1, 0])
    assert place_at(track, 1.5).centre.tolist() == [0.5, 0, 0] and place_at(track, 1.5).seen
    assert place_at(track, 3.0).centre.tolist() == [2, 0, 1] and not place_at(track, 3.0).seen
    assert place_at(track, 4.0).centre.tolist() == [3, 0, 2]
    assert place_at(track, 0.99) is None and place_at(track, 4.01) is None


def test_the_time_of_a_memory_spans_all_its_tracks(room):
    tracks = (true_track(1, "cat", [1, 2], np.zeros((2, 3))), true_track(2, "dog", [0, 1.5], np.zeros((2, 3))))
    assert span_s(replace(room, tracks=tracks)) == (0, 2)
    assert span_s(room) is None


def test_names_from_a_file_cannot_become_markup(room):
    thing = replace(room.instances[0], name="<script>alert(1)</script>{1}")
    assert "<script>" not in object_card(room, thing)
    answer, _ = Session(room).ask("How far is the <b>x</b> from the <i>y</i>?")
    assert "<b>x" not in answer_card(answer)


@pytest.mark.parametrize(
    ("origin", "host", "expected"),
    [
        ("http://127.0.0.1:8474", "127.0.0.1:8474", True),
        ("http://localhost:9000", "localhost:9000", True),  # through ssh -L
        (None, "127.0.0.1:8474", True),  # no browser
        ("https://evil.example", "127.0.0.1:8474", False),
        ("http://127.0.0.1:1234", "127.0.0.1:8474", False),  # another server's page
        ("http://evil.example:8474", "evil.example:8474", False),  # its name points here
        ("null", "127.0.0.1:8474", False),
        (None, "", False),
    ],
)
def test_only_pages_of_the_viewer_itself_may_connect(origin, host, expected):
    assert allowed(origin, host) is expected
