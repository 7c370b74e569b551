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
        camera = viewer.browsers()[0].camera

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
