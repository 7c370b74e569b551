"""Family: the moment is chosen by what is true at it, and something is measured there. Of videos."""

from __future__ import annotations

import numpy as np
from cell_forms import Told, form
from cell_truth import bearing, flat

FAMILY = "a moment by conditions"


def _gaps(a, b):
    return np.linalg.norm(a - b, axis=-1)


def _first(mask):
    return int(np.argmax(mask)) if mask.any() else None


@form(
    FAMILY,
    "When the {mover} is nearest to the {prop}, how far is it from the {other}?",
    """
    def gap(t): return length_of(position_at(mover, t) - centre_of(prop))
    when = min(moments_of(mover), by=gap)
    answer(length_of(position_at(mover, when) - position_at(other, when)))
    """,
    unit="m",
    world="video",
)
def when_nearest(scene, mover, prop, other):
    gaps = _gaps(scene.centres(mover), prop.centre)
    best = int(np.argmin(gaps))
    runner_up = np.delete(gaps, best).min()
    return float(_gaps(scene.centres(mover), scene.centres(other))[best]) if runner_up - gaps[best] > 0.04 else None


@form(
    FAMILY,
    "At the first moment at which the {mover} is less than {near} m from the {prop}, how far is it from the camera?",
    """
    close = [t for t in moments_of(mover) if length_of(position_at(mover, t) - centre_of(prop)) < metres({near})]
    when = first(close)
    answer(length_of(position_at(mover, when) - centre_of(camera_at(when))))
    """,
    unit="m",
    world="video",
)
def first_near(scene, mover, prop):
    gaps = _gaps(scene.centres(mover), prop.centre)
    for near in np.arange(1.5, 6, 0.25):
        when = _first(gaps < near)
        if when is not None and when > 3 and np.abs(gaps - near).min() > 0.03:
            eye = scene.world_from_cam[when, :3, 3]
            return Told(float(_gaps(scene.centres(mover)[when], eye)), {"near": f"{near:g}"})
    return None


@form(
    FAMILY,
    "At the last moment at which the {mover} is to the right of the camera's middle and less than {near} m from the "
    "{prop}, in which direction is it from there: by how many degrees to the right?",
    """
    def right(t): return in_frame(position_at(mover, t), camera_at(t)).right
    def gap(t): return length_of(position_at(mover, t) - centre_of(prop))
    times = [t for t in moments_of(mover) if right(t) > metres(0) and gap(t) < metres({near})]
    when = last(times)
    answer(side_of(position_at(mover, when), frame=camera_at(when)).bearing)
    """,
    unit="degrees",
    world="video",
)
def last_on_the_right_and_near(scene, mover, prop):
    centres, poses = scene.centres(mover), scene.world_from_cam
    degrees = np.array([bearing(p[:3, 3], p[:3, 2], c) for p, c in zip(poses, centres, strict=True)])
    right = np.linalg.norm((centres - poses[:, :3, 3])[:, [0, 2]], axis=1) * np.sin(np.radians(degrees))
    gaps = _gaps(centres, prop.centre)
    for near in np.arange(2, 8, 0.5):
        both = (right > 0) & (gaps < near)
        clear = min(np.abs(right).min(), np.abs(gaps - near).min()) > 0.03
        if both.any() and not both.all() and clear:
            return Told(float(degrees[np.flatnonzero(both)[-1]]), {"near": f"{near:g}"})
    return None


@form(
    FAMILY,
    "How far is the camera from the {prop}, as seen from above, when the {mover} and the {other} are farthest apart?",
    """
    def gap(t): return length_of(position_at(mover, t) - position_at(other, t))
    when = max(moments_of(mover), by=gap)
    answer(length_of(horizontal(centre_of(camera_at(when)) - centre_of(prop))))
    """,
    unit="m",
    world="video",
)
def camera_when_farthest(scene, mover, other, prop):
    gaps = _gaps(scene.centres(mover), scene.centres(other))
    best = int(np.argmax(gaps))
    if gaps[best] - np.delete(gaps, best).max() < 0.04:
        return None
    return float(np.linalg.norm(flat(scene.world_from_cam[best, :3, 3] - prop.centre)))
