"""The viewer in a headless browser: load, orbit, measure, click, ask, replay; and a page that may not connect."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from placecell.memory import storage
from placecell.memory.track import true_track

pytest.importorskip("viser", reason="needs the extra [viewer]")
import viser
from browser import Browser, found
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from placecell.apps.viewer.clouds import camera_of
from placecell.apps.viewer.server import Viewer
from placecell.apps.viewer.session import Session
from placecell.apps.viewer.stage import Stage


@pytest.fixture(scope="module")
def viewer(served):
    made = Viewer(Session(storage.load(served / "room.pcell")))
    yield made
    made.stop()


def camera_in(viewer):
    """The camera of the only browser."""
    (browser,) = viewer._server.get_clients().values()
    return browser.camera


def test_a_page_of_another_origin_is_turned_away_before_it_gets_anything(viewer):
    address = viewer.url.replace("http", "ws")
    protocol = [f"viser-v{viser.__version__}"]
    with connect(address, origin="https://evil.example", subprotocols=protocol) as stranger:
        with pytest.raises(ConnectionClosed):
            stranger.recv(timeout=30)
        assert stranger.close_code == 1008
    with connect(address, origin=viewer.url, subprotocols=protocol) as own:
        assert len(own.recv(timeout=30)) > 100


def test_moving_things_stand_in_the_scene_at_the_moment_the_slider_shows(served):
    cat = true_track(1, "cat", [0.0, 1.0, 2.0], [[0, 0, 0], [1, 0, 0], [2, 0, 0]])
    late = true_track(2, "dog", [1.5, 2.0], [[0, 0, 1], [0, 0, 2]])
    memory = replace(storage.load(served / "room.pcell"), tracks=(cat, late), dynamic=True)
    server = viser.ViserServer(host="127.0.0.1", port=0, verbose=False)
    try:
        stage = Stage(server.scene, memory)
        stage.draw_tracks(memory, 0.5)
        assert server.scene.get_handle_by_name("/tracks/now/1").position.tolist() == [0.5, 0, 0]
        assert server.scene.get_handle_by_name("/tracks/now/2") is None
        stage.draw_tracks(memory, 2.0)
        assert server.scene.get_handle_by_name("/tracks/now/2").position.tolist() == [0, 0, 2]
        stage.show("/cameras", False)
        assert stage.clickable == []
        stage.draw_viewpoint(memory.posed_frames[0].camera.world_from_cam)
        stage.draw_viewpoint(None)
        assert server.scene.get_handle_by_name("/viewpoint") is None
    finally:
        server.stop()


@pytest.mark.slow
@pytest.mark.skipif(found() is None, reason="needs chromium (apt-get install chromium)")
def test_a_person_can_turn_measure_click_ask_and_replay(viewer, tmp_path):
    session = viewer.session
    memory = session.memory
    with Browser(viewer.url, tmp_path) as page:
        page.waits_for("Hold Shift")
        page.until(lambda: viewer.drawn > 0, "the cloud")
        camera = camera_in(viewer)

        before = camera.position.copy()
        page.drag(300, 400, 360, 390)
        page.until(lambda: not np.allclose(camera.position, before), "the camera to move")

        def pixel(point):
            return camera_of(camera).project(np.asarray(point, float)[None]).pixels[0].tolist()

        seen = viewer.visible_points()
        inside = camera_of(camera).project(seen)
        shown = seen[(inside.pixels[:, 0] < 600) & inside.in_view]
        ends = [shown[np.argmin(shown[:, 0])], shown[np.argmax(shown[:, 0])]]
        page.press("Measure")
        page.waits_for("Click two points")
        page.click(*pixel(ends[0]))
        page.waits_for("Click the other end")
        page.click(*pixel(ends[1]))
        page.until(lambda: f" {memory.unit}" in page.text() and "Click" not in page.text(), "the distance")
        page.press("Measure")

        thing = max(memory.instances, key=lambda i: np.prod(np.sort(i.upright_box.size)[1:]))
        top = thing.points[np.argmax(thing.points[:, 1])]
        page.click(*pixel(top))
        page.waits_for("longest side")

        page.press("Ask")
        page.type("Question", f"How many {thing.name}s are there?")
        page.press("Ask")
        page.waits_for("rests on objects")
        page.press("Replay")
        page.waits_for("Next shows")
        page.press("Next")
        page.waits_for("1 of ")
        page.press("Next")
        page.waits_for("2 of ")
        assert page.errors == []


@pytest.mark.slow
@pytest.mark.skipif(found() is None, reason="needs chromium (apt-get install chromium)")
def test_a_person_can_correct_move_through_time_and_watch_a_run(served, tmp_path):
    cat = true_track(1, "cat", [0.0, 1.0, 2.0], [[0, 0, 0], [1, 0, 0], [2, 0, 0]])
    memory = replace(storage.load(served / "room.pcell"), tracks=(cat,), dynamic=True)
    saved = tmp_path / "corrected.pcell"
    viewer = Viewer(Session(memory, target=saved))
    session = viewer.session
    thing = max(memory.instances, key=lambda i: np.prod(np.sort(i.upright_box.size)[1:]))

    def named():
        return next(i.name for i in session.memory.instances if i.id == thing.id)

    try:
        with Browser(viewer.url, tmp_path / "profile") as page:
            page.until(lambda: viewer.drawn > 0, "the cloud")
            camera = camera_in(viewer)

            def half_way():
                page.slide(0.5)  # again while the panel still moves into place
                return 0.8 < viewer._server.scene.get_handle_by_name("/tracks/now/1").position[0] < 1.2

            page.waits_for("Time, s")
            page.until(half_way, "the cat to be half way")

            top = thing.points[np.argmax(thing.points[:, 1])]
            page.click(*camera_of(camera).project(np.asarray(top, float)[None]).pixels[0].tolist())
            page.waits_for("longest side")
            page.press("Correct")
            page.type("New name", "throne")

            def renamed():
                page.press("Rename")  # again if the text was still on its way to the server
                return named() == "throne"

            page.until(renamed, "the new name")
            page.waits_for("1 not saved")
            page.press("Undo")
            page.until(lambda: named() == thing.name, "the old name")
            page.press("Remove selected")
            page.until(lambda: len(session.memory.instances) == len(memory.instances) - 1, "one object fewer")
            page.press("Save")
            page.waits_for("all saved")
            assert storage.load(saved).edits[-1].action == "remove"

            page.press("Ask")
            page.type("Question", "If I stand at photo 3 and turn right, what is in front of me?")
            page.press("Ask")
            page.waits_for("confidence")
            page.press("Replay")
            before = camera.position.copy()
            page.press("Play")
            page.waits_for("2 of ")
            page.until(lambda: not np.allclose(camera.position, before), "the camera to fly")
            assert page.errors == []
    finally:
        viewer.stop()
