"""Synthetic videos: what is called true is what the pictures show, and every question is understood as its family."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from placecell.agents.questions.decompose import decompose
from placecell.backends.synthetic.moving import deeds
from placecell.backends.synthetic.moving.acts import Act, direction
from placecell.backends.synthetic.moving.bodies import MOVERS, plural
from placecell.backends.synthetic.moving.film import film, true_tracks, with_fronts
from placecell.backends.synthetic.moving.perfect import perfect_video
from placecell.backends.synthetic.moving.questions import FAMILIES, MARGINS, questions_about
from placecell.backends.synthetic.moving.stage import CAMERAS, make_scene
from placecell.backends.synthetic.moving.wording import WORDINGS
from placecell.errors import UserError
from placecell.geometry.egomotion import egomotion
from placecell.geometry.transforms import wrap_degrees
from placecell.language.decomposition import Decomposition, Function

SMALL = (80, 60)
FUNCTIONS = {
    "rotation": Function.ROTATION_SENSE,
    "count": Function.EVENT_COUNT,
    "reversals": Function.EVENT_COUNT,
    "presence": Function.PRESENCE,
    "camera way": Function.CAMERA_MOTION,
    "camera turn": Function.CAMERA_MOTION,
}


@pytest.fixture(scope="module")
def scene():
    return make_scene(4, movers=3, frames=8, every_s=0.6)


@pytest.fixture(scope="module")
def video(scene):
    return film(scene, size=SMALL)


def test_a_seed_gives_the_same_video(scene, video):
    again = film(make_scene(4, movers=3, frames=8, every_s=0.6), size=SMALL)
    assert [f.digest for f in again.frames] == [f.digest for f in video.frames]


def test_what_a_mask_covers_lies_in_the_box_of_its_mover(scene, video):
    checked = 0
    for k, frame in enumerate(video.frames):
        points = frame.depth.camera.unproject(frame.depth.z)
        for mover in scene.movers:
            mask = video.labels.frames[frame.number].ids == mover.id
            box = scene.box(mover, k)
            off = np.abs((points[mask] - box.centre) @ box.axes.T)
            assert (off <= box.size / 2 + 1e-3).all()
            checked += mask.sum()
    assert checked > 500


def test_movers_keep_apart_and_in_the_picture():
    for seed in range(8):
        scene = make_scene(seed)
        places = [scene.centres(m)[:, [0, 2]] for m in scene.movers]
        for i, a in enumerate(places):
            for b in places[i + 1 :]:
                assert np.linalg.norm(a - b, axis=1).min() > 1.4
        for camera, *centres in zip(scene.cameras(SMALL, 62.0), *map(scene.centres, scene.movers), strict=True):
            assert camera.project(np.array(centres)).in_view.all()


@pytest.mark.parametrize("act", CAMERAS)
def test_the_camera_does_what_its_name_says(act):
    net = egomotion(make_scene(0, camera=act, movers=1).world_from_cam).net
    name, _, way = act.partition(" ")
    sign = -1 if way in ("left", "backward", "down", "counterclockwise") else 1
    part = {"pan": "pan", "tilt": "tilt", "roll": "roll"}.get(name, "truck" if way in ("left", "right") else "dolly")
    if name in ("static", "shake"):
        assert max(map(abs, net.values())) < 8
    else:
        assert sign * net[part] > (1 if name == "walk" else 10)
        assert all(abs(v) < 0.5 for k, v in net.items() if k != part)


def test_headings_grow_turning_right_seen_by_who_looks_along_them():
    assert np.allclose(direction(0), [0, -1])
    assert np.allclose(direction(90), [1, 0])
    places, headings = Act("turn", (0, 0), 0.0, 3.0, 90.0).places([0, 1])
    assert headings[1] - headings[0] == 90
    assert places[1][0] > 0  # going away from a camera at +z, it ends to the right


def with_act(scene, act):
    mover = next(m for m in scene.movers if m.faces)
    return replace(scene, movers=(replace(mover, act=act),))


@pytest.mark.parametrize(("heading", "word"), [(90, "right"), (-90, "left"), (0, "away"), (180, "towards"), (45, None)])
def test_ways_are_those_of_a_camera_that_stands(heading, word):
    scene = with_act(make_scene(4, camera="static", movers=3), Act("go", (0.0, -1.0), heading, 2.0))
    assert deeds.way(scene, scene.movers[0]) == word
    back = with_act(scene, Act("back up", (0.0, -1.0), heading, 2.0))
    assert deeds.way(back, back.movers[0]) == word
    assert (deeds.own_way(scene.movers[0]), deeds.own_way(back.movers[0])) == ("forward", "backward")


def test_a_way_to_the_right_goes_right_in_the_picture():
    scene = with_act(make_scene(4, camera="static", movers=3), Act("go", (-1.0, -1.0), 90, 2.0))
    cameras, centres = scene.cameras(SMALL, 62.0), scene.centres(scene.movers[0])
    assert cameras[-1].project(centres[-1]).pixels[0] > cameras[0].project(centres[0]).pixels[0] + 8


def test_to_and_fro_has_ways_by_halves_and_counts_its_reversals():
    scene = with_act(make_scene(4, camera="static", movers=3), Act("to and fro", (-1.0, -1.0), 90, 2.0, legs=2))
    mover = scene.movers[0]
    assert deeds.way(scene, mover) is None
    assert deeds.way(scene, mover, deeds.FIRST_HALF) == "right"
    assert deeds.way(scene, mover, deeds.LAST_HALF) == "left"
    assert mover.act.reversals == 1


def test_true_tracks_turn_the_way_the_mover_does(scene):
    for degrees, sense in ((300.0, "clockwise"), (-300.0, "counterclockwise")):
        spinning = with_act(scene, Act("spin", (0.5, -2.0), 10.0, 0.0, degrees))
        (track,) = true_tracks(spinning, film(spinning, size=SMALL))
        assert deeds.sense(spinning.movers[0]) == sense
        assert np.allclose(track.yaw_rate, degrees / scene.times[-1])
        assert track.front_from == "label"


def test_fronts_go_to_the_track_that_follows_their_mover(scene, video):
    tracks = true_tracks(scene, video)
    bare = tuple(replace(t, front_deg=np.full(len(t.frames), np.nan), front_from=None) for t in tracks)
    memory = with_fronts(perfect_video(scene, video, bare), scene)
    for track, given in zip(tracks, memory.tracks, strict=True):
        told = np.isfinite(given.front_deg)
        assert np.allclose(wrap_degrees(track.front_deg[told] - given.front_deg[told]), 0, atol=1e-9)
        assert told.sum() == np.isfinite(track.front_deg).any()


def test_every_wording_is_understood_as_its_family():
    named = {"x": "car", "y": "pillar", "xs": "cars", "half": "second", "side": "left"}
    deeds_said = ("moving to the left", "moving towards the camera", "moving away from the camera", "not moving",
                  "spinning")  # fmt: skip
    for family, wordings in WORDINGS.items():
        for text in wordings:
            for said in deeds_said if "{deed}" in text else ("",):
                question = text.format(deed=said, **named)
                options = {
                    "count": ["0", "1", "2"], "reversals": ["0", "1", "2"], "presence": ["Yes", "No"],
                    "which": ["a car", "a dog"], "rotation": ["clockwise", "counter-clockwise", "not spinning"],
                    "own way": ["forwards", "backwards", "not moving"],
                    "world way": ["left", "right", "forwards", "backwards"],
                    "approach": ["towards the camera", "away from the camera", "not moving"],
                    "landmark": ["towards", "away", "not moving"],
                }.get(family, ["left", "right", "not moving"])  # fmt: skip
                found = decompose(question, options)
                assert isinstance(found, Decomposition), (question, found)
                assert found.comparison.function is FUNCTIONS.get(family, Function.OBJECT_MOTION), question


def test_questions_offer_their_answer_once_and_every_family_has_a_margin():
    assert set(WORDINGS) == set(FAMILIES) == set(MARGINS)
    families = set()
    for seed in range(6):
        scene = make_scene(seed)
        for asked in questions_about(scene, film(scene, size=SMALL), per_family=2):
            texts = [option[3:] for option in asked.options]
            assert len(set(texts)) == len(texts)
            assert texts["ABCDE".index(asked.answer)] == asked.truth
            families.add(asked.family)
    assert len(families) >= 10


def test_a_scene_that_cannot_be_made_says_so():
    with pytest.raises(UserError, match="unknown camera"):
        make_scene(0, camera="fly")
    with pytest.raises(UserError, match="1 to 5 movers"):
        make_scene(0, movers=9)


def test_plurals_are_english():
    assert {plural(kind) for kind in MOVERS} >= {"cars", "buses", "people"}
