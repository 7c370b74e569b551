"""How far a thing may go on unseen: what was seen is known to a pixel, the rest is as open as the views leave it."""

from __future__ import annotations

import numpy as np
import pytest
from cubes import capture, circle, labels

from placecell.memory.instances import from_labels

CUPBOARD = np.array([[-0.5, 0, -0.3], [0.5, 1.2, 0.3]])
AT_THE_WALL = CUPBOARD + np.array([0, 0, 0.3 - 2.5])
IN_FRONT = [[x, 1.0, 2.2] for x in (-0.3, 0.0, 0.3)]
KNOWN = 0.03
WAYS = {
    "left": [-1.0, 0, 0],
    "right": [1.0, 0, 0],
    "bottom": [0, -1.0, 0],
    "top": [0, 1.0, 0],
    "back": [0, 0, -1.0],
    "front": [0, 0, 1.0],
}


def found(boxes, **how):
    frames, truth = capture(boxes, **how)
    depth_sd = max(how.get("noise", 0.0), 1e-4)
    names = dict.fromkeys(range(1, len(boxes) + 1), "thing")
    return from_labels(frames, labels("instance", names, truth), depth_sd=depth_sd).instances


def hidden(thing):
    """The sides that go on for more than a few centimetres."""
    return {side: sd for side, way in WAYS.items() if (sd := thing.hidden_along(np.array(way))) > KNOWN}


def short_of(thing, box, way):
    """How far beyond its box a thing truly goes on."""
    way = np.array(way)
    return float((np.where(way > 0, box[1], box[0]) - thing.upright_box.corners).dot(way).min())


@pytest.mark.parametrize("noise", [0.0, 0.01])
def test_a_thing_seen_all_round_has_no_hidden_side(noise):
    assert hidden(found([CUPBOARD], noise=noise)[0]) == {}


@pytest.mark.parametrize("noise", [0.0, 0.01])
def test_the_back_that_no_view_shows_may_be_anywhere_behind(noise):
    thing = found([CUPBOARD], eyes=IN_FRONT, noise=noise)[0]
    assert set(hidden(thing)) == {"back"}
    missing = short_of(thing, CUPBOARD, WAYS["back"])
    assert missing > 0.3
    assert missing < 1.96 * thing.face_sd(np.array(WAYS["back"]))


def test_one_view_past_it_ends_the_back():
    thing = found([CUPBOARD], eyes=[*IN_FRONT, [2.2, 1.0, -0.3]])[0]
    assert hidden(thing) == {}


def test_the_wall_behind_ends_the_back():
    free, standing = (found([box], eyes=IN_FRONT, target=(0, 0.6, -2.0))[0] for box in (CUPBOARD, AT_THE_WALL))
    assert set(hidden(standing)) == {"back"}
    assert standing.hidden_along(np.array(WAYS["back"])) == pytest.approx(0.6 / np.sqrt(3), abs=0.1)
    assert free.hidden_along(np.array(WAYS["back"])) > 0.6


def test_a_flat_thing_on_a_wall_goes_no_further_than_the_wall():
    picture = np.array([[-0.4, 0.9, -2.5], [0.4, 1.4, -2.46]])
    assert hidden(found([picture], eyes=IN_FRONT, target=(0, 1.1, -2.5))[0]) == {}


def test_what_something_before_it_covers_is_open_down_to_the_floor():
    bench = np.array([[-1.5, 0, 0.9], [1.5, 0.5, 1.2]])
    thing = found([CUPBOARD, bench], eyes=[[x, 0.9, 2.2] for x in (-0.3, 0.0, 0.3)])[0]
    assert {"back", "bottom"} <= set(hidden(thing))
    assert thing.hidden_along(np.array(WAYS["bottom"])) == pytest.approx(
        short_of(thing, CUPBOARD, WAYS["bottom"]) / np.sqrt(3), abs=0.03
    )


def test_the_edge_of_all_pictures_is_no_end_of_a_thing():
    thing = found([CUPBOARD], eyes=[[-0.9, 0.8, 1.4], [-0.9, 1.0, 1.4]], target=(-1.6, 0.6, 0))[0]
    assert short_of(thing, CUPBOARD, WAYS["right"]) > 0.1
    assert "right" in hidden(thing)


def test_a_thing_beside_it_ends_a_face_that_was_seen():
    beside = CUPBOARD + np.array([1.0, 0, 0])
    thing = found([CUPBOARD, beside], eyes=[*circle(9)[:2], *circle(9)[-2:]])[0]
    assert "right" not in hidden(thing)


def test_stated_deviations_hold_the_true_ends():
    """Boxes seen from a few random places, with and without noise."""
    rng = np.random.default_rng(5)
    within = []
    for _ in range(12):
        low = rng.uniform([-1.2, 0, -1.2], [0.4, 0, 0.4])
        box = np.stack([low, low + rng.uniform(0.3, 0.9, 3)])
        eyes = [circle(16)[k] for k in rng.choice(16, rng.integers(1, 5), replace=False)]
        thing = found([box], eyes=eyes, noise=float(rng.choice([0.0, 0.01])))[0]
        for way in map(np.array, WAYS.values()):
            end = np.where(way > 0, box[1], box[0]) @ way
            within.append(abs(end - (thing.upright_box.corners @ way).max()) / thing.face_sd(way))
    assert np.mean(np.array(within) <= 1.96) >= 0.88
    assert np.mean(np.array(within) <= 1.0) <= 0.9
